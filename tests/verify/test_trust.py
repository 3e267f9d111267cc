"""What was found by attacking the verifier: nothing false is accepted, nothing true refused, nothing falls over."""

import contextlib
import copy
import itertools
import json
import random

import numpy as np
import pytest

import enpda
import enpda_verify
from claims import certificate, resealed
from enpda import Constraints, Graph, Rules
from enpda.cli import main
from enpda_verify.problem import Graph as VerifiedGraph
from enpda_verify.problem import Problem
from enpda_verify.reading import CertificateError

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"


# -- symmetries keep everything that the problem says --------------------------------------------------------


def test_marked_and_plain_edges_of_one_label_are_not_alike():
    """Two edges of one label, the first marked: a tree that leaves the plain one out as like the marked one."""
    a = Graph([0] * 4, [(0, 1), (2, 3)], [3, 3])
    b = Graph([0] * 2, [(0, 1)], [5])
    turn = [2, 3, 0, 1]
    root = {"a": [4, 5], "b": [7, 6], "share": [1, 1], "row": [0, 0, 1, 1], "column": [0, 0]}
    rest = {"a": [], "b": [], "share": [], "row": [0] * 4, "column": [0] * 2}
    children = [
        {"row": 2, "column": 0, "like": 0, "automorphism": turn},
        {"row": 3, "column": 0, "like": 1, "automorphism": turn},
        {"row": -1, "column": 0, "node": 1},
    ]
    nodes = [{"stages": [root], "children": children}, {"stages": [rest], "children": []}]
    forged = certificate(
        a,
        b,
        0,
        {"kind": "tree", "unit": 2, "known": 0, "nodes": nodes},
        terms={"forbidden": [], "worth": [[3, 5, 1]]},
        constraint={"rings": [[], []], "marked": [[0], []], "max_fragments": 0, "min_fragment": 0},
    )
    report = enpda_verify.verify(forged)
    assert not report.ok
    assert "do not tell marked edges" in report.reasons[0]


SQUARE = {"labels": [0] * 4, "edges": [[0, 1], [0, 3], [1, 2], [2, 3]], "edge_labels": [1, 1, 1, 1]}
CROSSED = {"labels": [0] * 4, "edges": [[u, v] for v in range(4) for u in range(v)], "edge_labels": [1] * 6}


@pytest.mark.parametrize(
    ("kind", "graph", "terms", "constraint"),
    [
        ("label", {**SQUARE, "labels": [0, 1, 0, 0]}, None, None),
        ("edge", {**SQUARE, "edge_labels": [1, 1, 1, 2]}, None, None),
        ("edge", {**SQUARE, "edges": SQUARE["edges"][:3], "edge_labels": [1, 1, 1]}, None, None),
        ("apart", SQUARE, {"forbidden": [[1, 0]], "worth": None}, None),
        ("marked", SQUARE, {"forbidden": [], "worth": []}, {"marked": [[0], []], "rings": [[], []]}),
        ("ring", CROSSED, None, {"marked": [[], []], "rings": [[[0, 1, 2]], []]}),
        ("ring", CROSSED, None, {"marked": [[], []], "rings": [[[0, 1, 3, 2]], []]}),
    ],
)
def test_a_renaming_that_changes_anything_is_no_symmetry(kind, graph, terms, constraint):
    """A quarter turn of a square leaves it alone, but not what else is said about its nodes."""
    conditions = None if constraint is None else {**constraint, "max_fragments": 0, "min_fragment": 0}
    turn = (1, 2, 3, 0)
    budget = enpda_verify.Budget()
    plain = Problem(VerifiedGraph(SQUARE, "a", budget), VerifiedGraph(SQUARE, "b", budget), None, None, budget)
    plain.need_symmetry(0, turn, "")
    plain.need_symmetry(1, turn, "")
    problem = Problem(VerifiedGraph(graph, "a", budget), VerifiedGraph(SQUARE, "b", budget), terms, conditions, budget)
    with pytest.raises(CertificateError, match=f"does not keep every {kind}"):
        problem.need_symmetry(0, turn, "")
    problem.need_symmetry(0, (0, 1, 2, 3), "")
    for wrong in ((0, 1, 2), (0, 0, 1, 2), (0, 1, 2, 4), (-1, 0, 1, 2)):
        with pytest.raises(CertificateError, match="no permutation"):
            problem.need_symmetry(0, wrong, "")


# -- a certificate answers its own question only -------------------------------------------------------------

QUESTIONS = {
    "plain": (None, None),
    "connected": (None, Constraints(connected=True)),
    "two fragments": (None, Constraints(max_fragments=2)),
    "fragments of four": (None, Constraints(min_fragment=4)),
    "aromatic rings": (None, Constraints(rings="aromatic")),
    "orders": (Rules(weights="order"), None),
    "any bond": (Rules(bonds="any"), None),
    "apart": (Rules(forbidden=[(0, 0)]), None),
    "others apart": (Rules(forbidden=[(1, 1)]), None),
    "pinned": (Rules(pinned={1: 1}), None),
}


def test_a_certificate_is_accepted_for_its_own_question_only(tmp_path):
    for name, (rules, constraints) in QUESTIONS.items():
        own = enpda.match(ASPIRIN, PARACETAMOL, rules=rules, constraints=constraints).certificate
        own.save(tmp_path / "own.json")
        for asked, (other_rules, other_constraints) in QUESTIONS.items():
            for given in (own, tmp_path / "own.json", own.without_graphs()):
                report = enpda.verify(given, (ASPIRIN, PARACETAMOL), other_rules, other_constraints)
                assert report.ok is (name == asked), (name, asked, report)
                if name != asked:
                    assert "another question" in report.reasons[0], (name, asked, report)
        assert not enpda.verify(own, (PARACETAMOL, ASPIRIN), rules, constraints).ok


def test_a_resealed_constraint_is_another_question():
    content = enpda.match(ASPIRIN, PARACETAMOL).certificate.content
    changed = {**content, "size": 0, "nodes": 0, "mapping": [], "optimal": False}
    changed["constraint"] = {"rings": [[], []], "marked": [[], []], "max_fragments": 0, "min_fragment": 1000}
    changed = enpda.Certificate(resealed(changed))
    report = enpda.verify(changed)
    assert report.ok
    assert "fragments of at least 1000 nodes" in report.question
    report = enpda.verify(changed, (ASPIRIN, PARACETAMOL))
    assert not report.ok
    assert "sizes of fragments differ: 1000 there, 0 in the question asked" in report.reasons[0]


def test_a_report_says_which_question_was_answered():
    certificate = enpda.match(ASPIRIN, PARACETAMOL, constraints=Constraints(connected=True)).certificate
    report = enpda.verify(certificate)
    assert str(report).splitlines()[1].startswith("for this question: graphs of 13 nodes and 13 edges")
    assert report.question.endswith("at most 1 fragment")
    weighted = enpda.match(ASPIRIN, PARACETAMOL, rules=Rules(weights="order", forbidden=[(0, 0)])).certificate
    assert "but for 1 pair that may not meet" in enpda.verify(weighted).question
    assert "count by a table of their labels (1-1: 2, 2-2: 4" in enpda.verify(weighted).question
    asked = enpda.verify(certificate, (ASPIRIN, PARACETAMOL), constraints=Constraints(connected=True)).question
    assert "asked as Constraints(" in asked
    with pytest.raises(enpda.InputError, match="give the graphs"):
        enpda.verify(certificate, constraints=Constraints(connected=True))


def test_the_command_line_states_the_question(tmp_path, capsys):
    file = str(tmp_path / "c.json")
    enpda.match(ASPIRIN, PARACETAMOL, constraints=Constraints(connected=True)).certificate.save(file)
    graphs = ["--graphs", ASPIRIN, PARACETAMOL]
    assert main(["verify", file]) == 0
    assert "for this question" in capsys.readouterr().out
    assert main(["verify", file, *graphs, "--connected"]) == 0
    assert "asked as" in capsys.readouterr().out
    assert main(["verify", file, *graphs]) == 1
    assert "REFUSED: it answers another question" in capsys.readouterr().out
    assert main(["verify", file, *graphs, "--connected", "--forbid", "0:0"]) == 1
    assert main(["verify", file, "--connected"]) == 2
    assert "give the graphs" in capsys.readouterr().err


def test_stereo_is_looked_at_beside_the_certificate():
    left, right = "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"
    keeps = Constraints(stereo=True)
    certificate = enpda.match(left, right).certificate
    assert enpda.verify(certificate, (left, right)).ok
    report = enpda.verify(certificate, (left, right), constraints=keeps)
    assert not report.ok
    assert "another question" in report.reasons[0]
    own = enpda.match(left, right, constraints=keeps)
    report = enpda.verify(own.certificate, (left, right), constraints=keeps)
    assert report.ok
    assert report.size == own.size
    assert "stereo: the mapping keeps it" in report.notes[0]


# -- what the solver proves, the verifier follows ------------------------------------------------------------


def test_nothing_left_is_proven_at_the_root():
    m = enpda.match("CO", "CCO", constraints=Constraints(min_fragment=3))
    assert (m.size, m.upper) == (0, 0)
    assert enpda.verify(m.certificate).ok


def some_graph(rng: random.Random) -> Graph:
    nodes, labels, dense = rng.randint(1, 8), rng.choice([1, 1, 2, 3]), rng.choice([0.2, 0.3, 0.5, 0.7])
    edges = [(u, v) for v in range(nodes) for u in range(v) if rng.random() < dense]
    return Graph([rng.randrange(labels) for _ in range(nodes)], edges, [rng.randrange(2) for _ in edges])


CONDITIONS = [
    {"min_fragment": 3},
    {"min_fragment": 5},
    {"connected": True},
    {"rings": "all", "min_fragment": 4},
    {"rings": "all", "connected": True},
    {"rings": "all", "max_fragments": 2},
    {"max_fragments": 2, "min_fragment": 3},
]


@pytest.mark.slow
@pytest.mark.parametrize("conditions", CONDITIONS, ids=str)
def test_honest_certificates_under_constraints_verify(conditions):
    rng = random.Random(str(conditions))
    constraints = Constraints(**conditions)
    for _ in range(150):
        a, b = some_graph(rng), some_graph(rng)
        rules = rng.choice(
            [None, None, Rules(weights={0: rng.randint(1, 3), 1: rng.randint(1, 3)}), Rules(forbidden=[(0, 0)])]
        )
        bound = rng.choice([None, "rlt", "branch"])
        m = enpda.match(a, b, rng.choice(["exact", "fast"]), bound=bound, rules=rules, constraints=constraints)
        report = enpda.verify(m.certificate, (a, b), rules, constraints)
        assert report.ok, (a.to_dict(), b.to_dict(), rules, report)
        assert (report.size, report.upper) == (m.size, m.upper)


# -- nothing escapes, nothing is forged on paper -------------------------------------------------------------


def test_no_text_of_a_certificate_reaches_the_verdict_as_it_is():
    content = copy.deepcopy(enpda.match(ASPIRIN, PARACETAMOL).certificate.content)
    evil = "fine)\nVALID: 99 edges, optimal\x1b[2J\ud800"
    for name, status in (("lp", evil), (evil, "Optimal")):
        report = enpda_verify.verify(resealed({**content, "numerical": {name: {"value": 99.0, "status": status}}}))
        assert report.ok
        text = str(report)
        text.encode("ascii")
        assert "\x1b" not in text
        assert sum(line.startswith("VALID") for line in text.splitlines()) == 1
    for change in (
        {"schema": evil},
        {evil: 1},
        {"size": evil},
        {"optimal": evil},
        {"mapping": [[evil, 0]]},
        {"bound": {"kind": evil}},
        {"a": {"digest": evil, "graph": None, evil: 0}},
        {"numerical": {"lp": {"value": evil, "status": "x"}}},
    ):
        text = str(enpda_verify.verify(resealed({**content, **change})))
        assert text.startswith("REFUSED")
        assert len(text.splitlines()) == 1, text
        text.encode("ascii")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"size":9', '"size":9,"size":9', "a key twice"),
        ('"nodes":', '"nodes":0,"nodes":', "a key twice"),
        ('"numerical":{}', '"numerical":{"lp":{"value":true,"status":"x"}}', "not a number"),
        ('"size":9', '"size":true', "whole number"),
        ('"size":9', '"size":9.0', "whole number"),
        ('"size":9', '"size":' + "9" * 5000, "not JSON"),
        ('"size":9', '"size":' + "9" * 4000, "too large"),
        ('"size":9', '"size":NaN', "NaN"),
        ('"size":9', '"size":' + "[" * 500_000, "not JSON"),
    ],
)
def test_text_that_only_looks_like_a_certificate_is_refused(old, new, reason):
    text = enpda.match(ASPIRIN, PARACETAMOL).certificate.to_json()
    assert text.count(old) == 1
    changed = text.replace(old, new).encode()
    if "twice" not in reason:
        with contextlib.suppress(ValueError, RecursionError):
            changed = json.dumps(resealed(json.loads(changed))).encode()
    report = enpda_verify.verify(changed)
    assert not report.ok
    assert not report.gave_up
    assert reason in report.reasons[0], report


def test_nothing_escapes_the_verifier():
    good = enpda.match(ASPIRIN, PARACETAMOL).certificate.content
    odd = [
        None,
        3,
        -1,
        1.5,
        True,
        "x",
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        10**30,
        float("nan"),
        "\ud800",
        b"x",
        [[1, 2, 3]],
    ]
    for strange in [*odd, {1: 2}, {None: None}, {"schema": enpda_verify.SCHEMA}, b"\x1f\x8b", b"\xff", np.int64(3)]:
        if isinstance(strange, str):
            continue  # a path
        assert not enpda_verify.verify(strange).ok

    def everywhere(value, path=()):
        yield path
        inner = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
        for key, item in inner:
            yield from everywhere(item, (*path, key))

    paths = [path for path in everywhere(good) if path and path[0] not in ("seal", "made_by")]
    for path, value in itertools.product(paths, odd):
        changed = copy.deepcopy(good)
        at = changed
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        with contextlib.suppress(TypeError, ValueError):  # what cannot be JSON keeps a seal that does not fit
            changed = resealed(changed)
        report = enpda_verify.verify(changed)
        assert not report.ok or report.upper >= good["size"], (path, value)
        for graphs, terms, constraint in ((value, None, None), ((value, value), value, value)):
            assert not enpda_verify.verify(good, graphs, terms=terms, constraint=constraint).ok or value is None


@pytest.mark.parametrize("label", [2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_labels_of_any_64_bits_are_proven_and_verified(label):
    graph = Graph([label] * 2, [(0, 1)], [label])
    report = enpda.verify(enpda.match(graph, graph).certificate, (graph, graph))
    assert report.ok, report
