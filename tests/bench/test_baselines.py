"""Other programs behind one interface: what they say is counted anew, and never above the optimum."""

import numpy as np
import pytest
from hypothesis import given, settings

from enpda import Graph, InputError, _core
from enpda.gpu.batch import collate, orient
from enpda_bench.baselines import (
    PEERS,
    Answer,
    Worker,
    Workshop,
    answered,
    fmcs,
    ga,
    highs,
    mcsplit,
    myopic,
    nga,
    rascal,
    rrwm,
    sinkhorn,
    smsd,
)
from enpda_bench.baselines.association import association
from enpda_bench.datasets import BenchPair
from enpda_bench.outcomes import from_answer, matched
from enpda_bench.portfolio import analytic_solver, nominal_solver
from oracles import brute_force
from strategies import graphs, random_graph

pytestmark = pytest.mark.native

PATH = Graph([0] * 4, [(0, 1), (1, 2), (2, 3)])
CYCLE = Graph([0] * 4, [(0, 1), (1, 2), (2, 3), (3, 0)])
# A triangle of labels 1, 2, 3 with a pendant 1 at the 3, by an edge of another kind; and the same the other way round.
KITE = Graph([1, 2, 3, 1], [(0, 1), (1, 2), (2, 0), (2, 3)], [5, 5, 5, 7])
ETIK = Graph([1, 3, 2, 1], [(3, 2), (2, 1), (1, 3), (1, 0)], [5, 5, 5, 7])
EVERY = {
    "rascal": rascal.run,
    "smsd": smsd.run,
    "fmcs": fmcs.labels,
    "mcsplit": mcsplit.run,
    "ga": ga.run,
    "rrwm": rrwm.run,
    "ipfp": rrwm.ipfp,
    "ngm": rrwm.ngm,
    "aggregated": highs.run,
    "mccormick": highs.mccormick,
    "sinkhorn": sinkhorn.run,
    "gumbel": sinkhorn.gumbel,
}
EXACT = ("smsd", "aggregated", "mccormick")


def test_a_mapping_is_counted_by_the_definition():
    crossed = answered(PATH, CYCLE, [0, 2, 1, 3], True, 0.5)
    assert (crossed.size, crossed.image.tolist(), crossed.proven) == (1, [-1, 2, 1, -1], True)
    straight = answered(PATH, CYCLE, {0: 1, 1: 2, 2: 3, 3: 0}, False, 0.5)
    assert (straight.size, straight.image.tolist()) == (3, [1, 2, 3, 0])
    labels = answered(KITE, ETIK, [3, 2, 1, 0], False, 0.0)
    assert labels.size == 4
    assert answered(KITE, KITE, [0, 2, 1, 3], False, 0.0).size == 0  # unlike nodes may not meet


@pytest.mark.parametrize("image", [[0, 0, 1, 2], [0, 1, 2, 4], [0, 1, 2]])
def test_what_is_no_injection_is_a_failure(image):
    answer = answered(PATH, CYCLE, image, True, 0.1)
    assert not answer.proven
    assert answer.image is None
    assert "injection" in answer.failure


@pytest.mark.parametrize("name", EVERY)
def test_tiny_cases_by_hand(name):
    run = EVERY[name]
    kite = run(KITE, ETIK, 1.0)
    assert kite.size == (4 if name not in ("ngm", "sinkhorn", "gumbel") else kite.size)
    path = run(PATH, CYCLE, 1.0)
    assert path.size == 2 if name == "mcsplit" else path.size <= 3  # a path of four is no induced part of the cycle
    if name in (*EXACT, "rascal", "fmcs", "ga"):
        assert path.size == 3
    if name in (*EXACT, "rascal"):
        assert kite.proven
        assert path.proven


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=25)
@given(a=graphs(max_nodes=6), b=graphs(max_nodes=6))
def test_no_program_exceeds_the_optimum(name, a, b):
    optimum = brute_force(a, b)[0]
    answer = EVERY[name](a, b, 1.0)
    assert answer.size <= optimum
    assert answered(a, b, answer.image, False, 0.0).size == answer.size
    if name in EXACT:
        assert answer.proven
        assert answer.size == optimum


def induced_brute_force(a: Graph, b: Graph) -> int:
    """The most nodes of a common induced subgraph."""

    def adjacency(g):
        out = np.full((len(g), len(g)), -1)
        for (u, v), label in zip(g.edges.tolist(), g.edge_labels.tolist(), strict=True):
            out[u, v] = out[v, u] = label
        return out

    left, right = adjacency(a), adjacency(b)
    best, image = 0, {}

    def go(i):
        nonlocal best
        if len(image) + len(a) - i <= best:
            return
        if i == len(a):
            best = len(image)
            return
        for j in range(len(b)):
            free = a.labels[i] == b.labels[j] and j not in image.values()
            if free and all(left[i, k] == right[j, image[k]] for k in image):
                image[i] = j
                go(i + 1)
                del image[i]
        go(i + 1)

    go(0)
    return best


@given(a=graphs(max_nodes=7), b=graphs(max_nodes=7))
def test_mcsplit_finds_the_largest_induced_part(a, b):
    image, finished, _ = _core.mcsplit(a.core, b.core, -1.0)
    assert finished
    assert (image >= 0).sum() == induced_brute_force(a, b)
    kept = [i for i in range(len(a)) if image[i] >= 0]
    edges = [{frozenset(e): x for e, x in zip(g.edges.tolist(), g.edge_labels.tolist(), strict=True)} for g in (a, b)]
    assert len({int(image[i]) for i in kept}) == len(kept)
    for i in kept:
        assert a.labels[i] == b.labels[image[i]]
        for k in kept:
            if i < k:
                there = frozenset((int(image[i]), int(image[k])))
                assert edges[0].get(frozenset((i, k))) == edges[1].get(there)


def test_mcsplit_keeps_short_limits():
    rng = np.random.default_rng(5)
    a, b = (random_graph(rng, 60, 0.05, 1, 1) for _ in range(2))
    answer = mcsplit.run(a, b, 0.05)
    assert answer.size > 0
    assert not answer.proven
    assert not _core.mcsplit(a.core, b.core, 0.02)[1]


def test_fmcs_ends_when_time_is_up():
    sugar = Graph.from_smiles("OCC1OC(OC2C(CO)OC(O)C(O)C2O)C(O)C(O)C1O")
    other = Graph.from_smiles("OCC1OC(OC2(CO)OC(CO)C(O)C2O)C(O)C(O)C1O")
    short, long = fmcs.labels(sugar, other, 0.0), fmcs.labels(sugar, other, 30.0)
    assert short.size < long.size


def test_mcsplit_refuses_graphs_that_are_too_large():
    big = Graph([0] * 5_001)
    with pytest.raises(InputError, match="up to 5000 nodes; got 5001"):
        _core.mcsplit(big.core, PATH.core, 1.0)


@given(a=graphs(max_nodes=6, min_nodes=1), b=graphs(max_nodes=6, min_nodes=1))
def test_the_association_graph_is_the_cores(a, b):
    here, there = association(a, b)
    pair = orient(a, b)
    batch = collate([pair])
    assert 2 * len(here) == len(batch.neighbour)
    m = len(b)
    for x, y in zip(here.tolist(), there.tolist(), strict=True):
        assert answered(a, b, {x // m: x % m, y // m: y % m}, False, 0.0).size == 1


def test_softassign_leaves_rows_and_columns_at_most_one():
    rng = np.random.default_rng(0)
    compatible = (rng.random((5, 7)) < 0.6).astype(float)
    soft = ga.softassign(3 * rng.random((5, 7)), compatible)
    assert (soft[compatible == 0] == 0).all()
    assert soft.sum(0).max() <= 1 + 1e-9
    assert soft.sum(1).max() <= 1.05


@pytest.mark.slow
def test_a_fit_trains_and_reaches_the_optimum_of_a_small_pair():
    a = Graph([0, 0, 1, 0, 0, 1], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    b = Graph([0, 1, 0, 0, 1, 0, 0], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0)])
    found = nga.fit(a, b, 600.0, 0)
    assert len(found.losses) == nga.EPOCHS
    assert np.mean(found.losses[-20:]) < np.mean(found.losses[:20]) - 1
    assert found.size == answered(a, b, found.image, False, 0.0).size == brute_force(a, b)[0]


def test_a_fit_that_has_no_time_still_answers_either_way_round():
    small = Graph([0] * 3, [(0, 1), (1, 2)])
    for a, b in ((small, CYCLE), (CYCLE, small)):
        found = nga.fit(a, b, 0.0, 1)
        assert len(found.losses) == 1
        assert found.size == answered(a, b, found.image, False, 0.0).size > 0
    assert nga.run(PATH, CYCLE, 0.0).size > 0
    assert nga.run(PATH, Graph([1] * 4, [(0, 1)]), 1.0).size == 0


def test_sinkhorn_of_a_fit_gives_rows_of_one_and_columns_below():
    import torch

    def crowd(*shapes):
        graphs = [(Graph([0] * n, [(0, 1)]), Graph([0] * m, [(0, 1)])) for n, m in shapes]
        return nga.Crowd(graphs, [association(a, b) for a, b in graphs], "cpu")

    logits = torch.randn(2, 3, 5, 6, generator=torch.Generator().manual_seed(0))
    soft = nga.project(logits, crowd((4, 6), (5, 5)))
    for k, (n, m) in enumerate([(4, 6), (5, 5)]):  # as if the other pair were not there
        mine = soft[k, :, :n, :m]
        assert torch.allclose(mine.sum(2), torch.ones(3, n), atol=1e-5)
        assert float(mine.sum(1).max()) < 1.02
        assert torch.allclose(mine, nga.project(logits[k : k + 1, :, :n, :m], crowd((n, m)))[0], atol=1e-5)
    even = nga.project(torch.zeros(1, 3, 4, 6), crowd((4, 6)))
    assert torch.allclose(even, torch.full((1, 3, 4, 6), 1 / 6), atol=1e-6)


def test_fits_side_by_side_are_those_of_each_pair_alone(monkeypatch):
    monkeypatch.setattr(nga, "EPOCHS", 4)
    monkeypatch.setattr(nga, "DECODE_FROM", 2)
    a = Graph([0, 0, 1, 0, 0, 1], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    strange = Graph([7] * 4, [(0, 1)], [1])
    pairs = [(PATH, a), (a, CYCLE), (PATH, strange), (a, a)]  # of several sizes, either way round, one hopeless
    some = nga.together(pairs, range(4), "cpu")
    for seed, ((a, b), answer) in enumerate(zip(pairs, some, strict=True)):
        alone = nga.fit(a, b, 600.0, seed)
        mine = nga.fits(pairs, range(4), 600.0, "cpu")[seed]
        assert mine.losses == pytest.approx(alone.losses, abs=1e-4)
        assert len(mine.losses) == (0 if b is strange else 4)
        assert answer.size == answered(a, b, mine.image, False, 0.0).size == mine.size
        assert mine.size <= brute_force(a, b)[0]


def test_myopic_answers_for_molecules_and_says_why_not_for_others():
    a, b = Graph.from_smiles("CC(=O)Nc1ccc(O)cc1"), Graph.from_smiles("NCCc1ccc(O)cc1")
    answer = myopic.run(a, b, 20.0)
    assert not answer.failure
    assert 0 < answer.size <= rascal.run(a, b, 10).size
    assert "molecules" in myopic.run(KITE, ETIK, 1.0).failure


def test_bonds_become_atoms():
    a = b = Graph([6, 6, 6, 8], [(0, 1), (1, 2), (2, 3)])
    same = list(range(4))
    image = myopic.ends_of({(0, 1): (1, 2), (2, 3): (2, 3), (1, 2): (1, 2)}, a, b, same, same)
    assert image[3] == 3
    assert myopic.ends_of({(0, 1): (0, 1), (1, 2): (1, 2)}, a, b, same, same) == {0: 0, 1: 1, 2: 2}


def test_pygmtools_says_when_a_pair_is_too_large():
    with pytest.raises(InputError, match=r"at most 8,000 candidates; the pair has 8,100"):
        rrwm.run(Graph([0] * 90, [(0, 1)]), Graph([0] * 90, [(0, 1)]), 1.0)


def test_too_many_edge_labels_are_refused_with_a_reason():
    rich = Graph([0] * 9, [(k, k + 1) for k in range(8)], range(8))
    for run in (rascal.run, fmcs.labels):
        with pytest.raises(InputError, match="at most 6 edge labels; the pair has 8"):
            run(rich, rich, 1.0)


@pytest.mark.slow
def test_a_workshop_outlives_what_fails_in_it(tmp_path):
    shop = Workshop()
    try:
        big = Graph([0] * 90, [(0, 1)])
        assert "candidates" in shop.ask("rrwm", big, big, 1.0).failure
        assert shop.ask("mcsplit", PATH, CYCLE, 1.0).size == 2
        assert "No module named" in shop.ask("nothing", PATH, CYCLE, 1.0).failure
        assert "no attribute" in shop.ask("ga:nothing", PATH, CYCLE, 1.0).failure
        assert shop.ask("ga", KITE, ETIK, 1.0, seed=3).size == 4
    finally:
        shop.close()


@pytest.mark.slow
def test_what_hangs_is_killed_and_the_next_one_runs():
    shop = Workshop(patience=1.0)
    shop.LEAST = 0.2
    rng = np.random.default_rng(2)
    big = [random_graph(rng, 80, 0.08, 1, 1) for _ in range(2)]
    try:
        assert shop.load("rrwm") == ""
        answer = shop.ask("rrwm", *big, 0.001)
        assert "killed" in answer.failure
        assert answer.image is None
        shop.LEAST = 10.0
        assert shop.ask("mcsplit", PATH, CYCLE, 1.0).size == 2
    finally:
        shop.close()


def test_a_worker_that_is_not_there_is_an_input_error():
    with pytest.raises(InputError, match="does not start"):
        Worker("nothing")


def test_every_peer_has_a_function():
    from importlib import import_module

    for name in PEERS:
        module, _, function = name.partition(":")
        assert callable(getattr(import_module(f"enpda_bench.baselines.{module}"), function or "run"))


def test_outcomes_say_what_is_wrong():
    pair = BenchPair(PATH, CYCLE, 3, 3)
    image = np.array([0, 1, 2, -1], dtype=np.int32)
    wrong = from_answer(pair, Answer(2, True, 0.1, image=image))
    assert not wrong.proven
    assert "3 are known" in wrong.status
    assert from_answer(pair, Answer(0, False, 0.1, failure="no")).status == "no"
    with pytest.raises(RuntimeError, match="contradicts"):
        from_answer(pair, Answer(4, True, 0.1, image=image))


def test_our_methods_give_outcomes_that_count():
    pair = BenchPair(KITE, ETIK, 4, 4)
    for found in (matched(pair, "exact", 5.0), analytic_solver(pair, 0, 5.0), nominal_solver(pair, 0, 5.0)):
        assert found.size == answered(KITE, ETIK, found.image, False, 0.0).size == 4
        assert found.proven
