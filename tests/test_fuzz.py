"""The campaigns of `make fuzz`, a few seconds of each; and their judge against the plain oracles."""

import os
import random
import signal

import numpy as np
import pytest

import oracles
from conditions import ringed
from enpda import Graph
from enpda._core import BareProblem, bare_score, brute_force
from fuzz import campaign, cases, forgeries, judge, mutants, pairs, readers
from strategies import random_graph

pytestmark = pytest.mark.native

CERTIFICATES = 60
RUNS = {
    "pairs": (pairs.make, 1500),
    "forgeries": (lambda: forgeries.make(CERTIFICATES), 800),
    "mutants": (lambda: mutants.make(CERTIFICATES), 2000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_short_campaign_finds_nothing(name):
    make, count = RUNS[name]
    tally = campaign.here(make(), 20, range(count))
    assert tally.findings == []
    assert tally.counts["cases"] == count


@pytest.mark.slow
@pytest.mark.plain
def test_a_short_campaign_of_damaged_files_finds_nothing():
    tally = campaign.run(readers.make, 20, 0, 400, None, 1)  # in a process of its own, with a limit on its memory
    assert tally.findings == []
    assert tally.counts["cases"] == 400
    assert tally.counts["read"] > 50
    assert tally.counts["refused"] > 50


def test_every_kind_of_forgery_is_among_the_false_claims():
    tally = campaign.here(forgeries.make(CERTIFICATES), 21, range(400))
    false = {what for what, count in tally.counts.items() if what.startswith("false claims") and count}
    kinds = (
        "edge",
        "histogram",
        "potentials",
        "rlt by lack",
        "rlt by low",
        "rlt by piece",
        "tree by like",
        "tree by omit",
    )
    for kind in (*kinds, "tree by repeat", "tree by open", "tree over another", "rlt over another"):
        assert any(what.startswith(f"false claims {kind}") for what in false), kind
    assert tally.counts["false claims"] > 200


def bare(a: Graph, b: Graph, worth=None, allowed=None) -> BareProblem:
    worth = worth or (lambda x, y: int(x == y))
    cells = [
        int(x == y and (allowed is None or allowed[i][j]))
        for i, x in enumerate(a.labels.tolist())
        for j, y in enumerate(b.labels.tolist())
    ]
    table = [worth(x, y) for x in a.edge_labels.tolist() for y in b.edge_labels.tolist()]
    return BareProblem(len(a), len(b), cells, a.edges.tolist(), b.edges.tolist(), table)


def test_the_judge_agrees_with_the_plain_oracle():
    rng = np.random.default_rng(5)
    for _ in range(150):
        a, b = (random_graph(rng, int(rng.integers(0, 7)), rng.choice([0.3, 0.6]), 2, 2) for _ in range(2))
        values = rng.integers(0, 3, (2, 2))
        allowed = rng.random((len(a), len(b))) < 0.8
        for worth in (None, lambda x, y, values=values: int(values[x, y])):
            assert brute_force(bare(a, b, worth, allowed)) == oracles.brute_force(a, b, allowed, worth)


def test_the_judge_counts_what_constraints_leave_as_the_plain_oracle_does():
    rng = np.random.default_rng(6)
    for _ in range(300):
        (a, rings_a, marked_a), (b, rings_b, marked_b) = ringed(rng, 6), ringed(rng, 6)
        problem = bare(a, b)
        problem.rings_a, problem.rings_b, problem.marked_a, problem.marked_b = rings_a, rings_b, marked_a, marked_b
        problem.max_fragments, problem.min_fragment = int(rng.integers(0, 3)), int(rng.integers(0, 5))
        image = rng.permutation(6)
        image[(rng.random(6) < 0.2) | (a.labels != b.labels[image])] = -1
        kept = oracles.retained(
            a, b, image.tolist(), rings_a, rings_b, marked_a, problem.max_fragments, problem.min_fragment
        )
        score = bare_score(problem, image.tolist())
        assert score[0] == len(kept)
        if problem.max_fragments == 0:  # of equally large fragments either may be kept
            assert score[1] == len({v for edge in kept for v in edge})


def test_the_judge_finds_the_most_that_constraints_leave():
    rng = np.random.default_rng(7)
    for _ in range(25):
        (a, rings_a, marked_a), (b, rings_b, marked_b) = ringed(rng, 5), ringed(rng, 5)
        problem = bare(a, b)
        problem.rings_a, problem.rings_b, problem.marked_a, problem.marked_b = rings_a, rings_b, marked_a, marked_b
        problem.max_fragments, problem.min_fragment = int(rng.integers(0, 3)), int(rng.integers(0, 5))
        limits = {"max_fragments": problem.max_fragments, "min_fragment": problem.min_fragment}
        rings = {"rings_a": rings_a, "rings_b": rings_b, "marked_a": marked_a}
        assert brute_force(problem)[0] == oracles.most_retained(a, b, **rings, **limits)


@pytest.mark.parametrize("image", [[0, 0], [2, -1], [0, -2], [0], [1, 0]])
def test_the_judge_takes_no_mapping_for_one_that_is_none(image):
    problem = BareProblem(2, 2, [1, 0, 1, 1], [(0, 1)], [(0, 1)], [1])
    assert bare_score(problem, image) == (-1, -1)


@pytest.mark.parametrize(
    "given", [(2, 2, [1], [], [], []), (2, 2, [1] * 4, [(0, 2)], [], []), (2, 2, [1] * 4, [(0, 1)], [(0, 1)], [-1])]
)
def test_the_judge_refuses_what_does_not_fit_together(given):
    with pytest.raises(ValueError, match=r"bare problem|an edge|a worth"):
        brute_force(BareProblem(*given))


def test_a_case_is_the_same_wherever_it_runs():
    once, again = ([cases.pair(campaign.numbered(3, k)) for k in range(50)] for _ in range(2))
    assert once == again


def test_a_finding_a_crash_and_a_false_answer_are_findings():
    def bad(rng: random.Random, tally: campaign.Tally) -> None:
        if rng.random() < 0.5:
            raise campaign.Found("wrong")
        raise KeyError("slipped")

    tally = campaign.here(bad, 0, range(20))
    assert len(tally.findings) == 20
    assert any(what == "wrong" for _, what in tally.findings)
    assert any("KeyError" in what for _, what in tally.findings)


def died() -> campaign.Case:
    def case(rng: random.Random, tally: campaign.Tally) -> None:
        if rng.random() < 0.2:
            os.kill(os.getpid(), signal.SIGSEGV)

    return case


@pytest.mark.slow
@pytest.mark.plain
def test_a_process_that_dies_is_a_finding_and_the_rest_goes_on():
    tally = campaign.run(died, 1, 0, 6, None, 2)
    dead = [number for number in range(6) if campaign.numbered(1, number).random() < 0.2]
    assert sorted(number for number, _ in tally.findings) == dead
    assert dead
    assert all("died with code -11" in what for _, what in tally.findings)


def test_rules_and_constraints_mean_to_the_judge_what_the_documentation_says():
    from enpda import Constraints, Rules

    a, b = Graph.from_smiles("CCCl"), Graph.from_smiles("CCBr")
    assert brute_force(judge.bare(a, b, None, None)) == (1, 2)
    assert brute_force(judge.bare(a, b, Rules(equivalent="[F,Cl,Br,I]"), None)) == (2, 3)
    a, b = Graph.from_smiles("CCOCC"), Graph.from_smiles("CCNCC")
    assert brute_force(judge.bare(a, b, None, None)) == (2, 4)
    assert brute_force(judge.bare(a, b, None, Constraints(connected=True))) == (1, 2)
    a, b = Graph.from_smiles("c1ccccc1CC"), Graph.from_smiles("c1ccncc1CC")
    assert brute_force(judge.bare(a, b, None, Constraints(rings="aromatic"))) == (2, 3)
