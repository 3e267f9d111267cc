"""The verifier as a victim: what a check may cost, and what it says when that is not enough."""

import gzip
import itertools
import random
import subprocess
import sys
import tracemalloc

import pytest

import enpda
import enpda_verify
from claims import certificate, written
from enpda import Constraints, Graph, Rules
from enpda.cli import main
from enpda_verify.problem import Graph as VerifiedGraph
from enpda_verify.problem import Problem

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"


# -- the verifier as a victim --------------------------------------------------------------------------------


def complete(nodes: int) -> Graph:
    return Graph([0] * nodes, list(itertools.combinations(range(nodes), 2)))


def with_rings(a: Graph, b: Graph, rings_a: list, rings_b: list) -> dict:
    constraint = {"rings": [rings_a, rings_b], "marked": [[], []], "max_fragments": 0, "min_fragment": 0}
    bound = {"kind": "rlt", "unit": 2, "known": 0, "stages": []}
    return certificate(a, b, 0, bound, constraint=constraint)


def test_a_ring_that_is_listed_again_and_again_is_refused():
    triangle = complete(3)
    report = enpda_verify.verify(with_rings(triangle, triangle, [[0, 1, 2]] * 20_000, [[2, 1, 0]] * 20_000))
    assert not report.ok
    assert not report.gave_up
    assert "a ring is listed twice" in report.reasons[0]


@pytest.mark.slow
def test_checking_gives_up_and_says_so():
    graph = complete(20)
    rings = [list(ring) for ring in itertools.combinations(range(20), 3)]
    hostile = with_rings(graph, graph, rings, rings)
    for budget, what in (
        (enpda_verify.Budget(steps=1_000_000), "more than 1000000 steps"),
        (enpda_verify.Budget(memory=1_000_000), "more than 1000000 bytes"),
    ):
        report = enpda_verify.verify(hostile, budget=budget)
        assert (report.ok, report.gave_up) == (False, True)
        assert str(report).startswith("GAVE UP: checking takes")
        assert what in report.reasons[0]


def test_pieces_in_another_order_are_not_searched_again():
    """An unlabelled 12-cycle in a graph without one: every order of the same edges is the same piece."""
    tree = Graph([0] * 30, [((k - 1) // 2, k) for k in range(1, 30)])
    ring = Graph([0] * 12, [(min(k, (k + 1) % 12), max(k, (k + 1) % 12)) for k in range(12)])

    def steps(count: int) -> int:
        rng = random.Random(0)
        pieces = [{"graph": "a", "edges": rng.sample(range(12), 12), "price": 0} for _ in range(count)]
        stage = {"a": [], "b": [], "share": [], "row": [0] * 12, "column": [0] * 30, "pieces": pieces}
        content = certificate(ring, tree, 0, {"kind": "rlt", "unit": 2, "known": 0, "stages": [stage]})
        budget = enpda_verify.Budget()
        report = enpda_verify.verify(content, budget=budget)
        assert "lacks association edges" in report.reasons[0]
        return budget.steps - budget.left

    assert steps(200) < 2 * steps(1)


def spent(content: dict) -> int:
    budget = enpda_verify.Budget()
    enpda_verify.verify(content, budget=budget)
    return budget.steps - budget.left


def test_labels_that_are_all_marked_cost_no_product():
    """As many marked labels of a as plain ones of b: their pairs are not listed."""
    size = 3_000
    path = [(k, k + 1) for k in range(size)]
    a, b = Graph([0] * (size + 1), path, range(size)), Graph([0] * (size + 1), path, range(size, 2 * size))
    constraint = {"rings": [[], []], "marked": [list(range(size)), []], "max_fragments": 0, "min_fragment": 0}
    content = certificate(a, b, size, {"kind": "edge"}, constraint=constraint)
    tracemalloc.start()
    assert enpda_verify.verify(content).ok
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


def test_what_is_looked_at_is_what_is_counted():
    """Shares that are never taken, and large rings under many symmetries, are work all the same."""

    def star(leaves: int) -> int:
        g = Graph([0] + [1] * leaves, [(0, k) for k in range(1, leaves + 1)])
        m = leaves + 1
        others = [i * m + j for i in range(1, m) for j in range(1, m)]
        shares = {"a": [0] * len(others), "b": others, "share": [0] * len(others)}
        nothing: dict[str, list[int]] = {"a": [], "b": [], "share": []}
        stages = [
            {**shares, "row": [0] + [1] * leaves, "column": [0] * m},
            {**nothing, "row": [0] * m, "column": [0] * m},
        ]
        return spent(certificate(g, g, 0, {"kind": "rlt", "unit": 1, "known": 0, "stages": stages}))

    assert star(16) > 10 * star(8)  # each of k² edges is lost among k² shares

    def rings(size: int) -> int:
        cycle = [(k, (k + 1) % size) for k in range(size)]
        graph = VerifiedGraph(written(Graph([0] * size, cycle)), "a", enpda_verify.Budget())
        constraint = {"rings": [[list(range(size))], []], "marked": [[], []], "max_fragments": 0, "min_fragment": 0}
        budget = enpda_verify.Budget()
        problem = Problem(graph, graph, None, constraint, budget)
        before = budget.left
        problem.need_symmetry(0, tuple((k + 1) % size for k in range(size)), "")
        return before - budget.left

    assert rings(200) > 10 * 200 * (2 + 2 + 2 + 2)


@pytest.mark.slow
def test_a_budget_holds_with_stereo_and_when_loading(tmp_path):
    file = tmp_path / "c.json"
    enpda.match("CCO", "CCN").certificate.save(file)
    report = enpda.verify(file, ("CCO", "CCN"), constraints=Constraints(stereo=True), max_steps=10)
    assert report.gave_up
    (tmp_path / "spaces.json.gz").write_bytes(gzip.compress(b" " * 200_000_000, 1))
    with pytest.raises(enpda.InputError, match="memory"):
        enpda.Certificate.load(tmp_path / "spaces.json.gz")
    assert enpda.verify(tmp_path / "spaces.json.gz").gave_up


def test_what_is_no_certificate_or_no_pair_is_said():
    for wrong in ([], {}, None, {"size": 3}):
        with pytest.raises(enpda.InputError, match="a certificate needs"):
            enpda.Certificate(wrong)
    certificate = enpda.match("CCO", "CCN").certificate
    for wrong in (5, "CC", iter(["CCO", "CCN"])):
        with pytest.raises(enpda.InputError, match="takes a pair of graphs"):
            enpda.verify(certificate, wrong)


def test_a_file_name_forges_no_line_and_a_missing_file_stops_nothing(tmp_path, capsys):
    good = tmp_path / "good.json"
    enpda.match("CCO", "CCN").certificate.save(good)
    evil = tmp_path / "x\nVALID: 99 edges, optimal\x1b[2J.json"
    evil.write_text("{}")
    assert main(["verify", str(evil), str(tmp_path / "none.json"), str(good)]) == 2
    printed = capsys.readouterr()
    assert "none.json" in printed.err
    assert "\x1b" not in printed.out
    assert sum("VALID" in line for line in printed.out.splitlines()) == 2
    assert not any(line.startswith("VALID") for line in printed.out.splitlines())
    command = [sys.executable, "-m", "enpda_verify", str(evil), str(tmp_path / "none.json"), str(good)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "\x1b" not in done.stdout
    assert "1 edge, optimal" in done.stdout


def test_a_bound_that_a_network_or_a_threshold_led_to_is_derived_again():
    rules = Rules(bonds="any", ring_bonds=True, weights="order")
    m = enpda.match("c1ccccc1", "C1CCC1C", method="core", bound="branch", rules=rules)
    assert enpda.Match.from_json(m.to_json()).upper == m.upper
    a = Graph([6, 6, 7, 9], [(0, 1), (1, 2), (1, 3)], [1, 1, 1])
    b = Graph([9, 6, 6, 9], [(0, 1), (1, 2), (2, 3)], [1, 2, 1])
    rules = Rules(bonds="any", ring_bonds=True, forbidden=[(0, 2)])
    m = enpda.match(a, b, min_size=2, rules=rules, constraints=Constraints(connected=True, min_fragment=4))
    assert enpda.Match.from_json(m.to_json()).upper == m.upper


def test_a_budget_is_an_option_of_call_and_command(tmp_path, capsys):
    certificate = enpda.match(ASPIRIN, PARACETAMOL).certificate
    assert enpda.verify(certificate, max_steps=100).gave_up
    assert enpda.verify(certificate, max_bytes=100).gave_up
    file = str(tmp_path / "c.json")
    certificate.save(file)
    assert main(["verify", file, "--max-steps", "100"]) == 1
    assert "GAVE UP" in capsys.readouterr().out
    assert main(["verify", file, "--max-steps", "0"]) == 2
    for wrong in (True, 0, 1.5, "many"):
        with pytest.raises(enpda.InputError, match="max_steps must be a whole number"):
            enpda.verify(certificate, max_steps=wrong)
