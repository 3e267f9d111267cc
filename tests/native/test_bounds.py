"""Every bound against the true optimum, and against each other."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import enpda
import oracles
from enpda import Graph, _core
from enpda.data import drug_pairs
from enpda.learn import datasets, planted
from enpda.solve.lifted import lifted
from strategies import graphs, random_graph

FOREVER = 2**31 - 1


def rlt(a: Graph, b: Graph, known: int, iterations: int = FOREVER, **settings: object) -> _core.Proven:
    options = _core.RltOptions()
    for name, value in settings.items():
        setattr(options, name, value)
    return _core.prove(a.core, b.core, known, options, iterations, _core.BranchOptions(), 0, -1.0)


def tiny_pairs(count: int, seed: int = 3):
    """Few labels (the hard case), unlabelled, sparse and dense, 0 to 6 nodes."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        labels = int(rng.integers(1, 4))
        n, m = rng.integers(0, 7, 2)
        density = rng.choice([0.3, 0.6, 1.0])
        yield random_graph(rng, n, density, labels, 2), random_graph(rng, m, density, labels, 2)


def price_bound(a: Graph, b: Graph, prices: np.ndarray, scales: str = "exact"):
    return _core.repaired_prices(a.core, b.core, prices.astype(np.float32), getattr(_core.Scales, scales))


# -- never below the optimum ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_bound_is_below_the_optimum_of_2000_tiny_pairs():
    rng = np.random.default_rng(5)
    for a, b in tiny_pairs(2000):
        optimum = oracles.brute_force(a, b)[0]
        caps = _core.caps(a.core, b.core)
        assert set(caps) == {name for name, kind in _core.CAPS if kind}
        assert min(caps.values()) >= optimum
        for prices in (
            np.zeros(len(b)),
            rng.exponential(1.0, len(b)),
            rng.exponential(9.0, len(b)) * (rng.random(len(b)) < 0.5),
        ):
            exact, grid = price_bound(a, b, prices)[0], price_bound(a, b, prices, "grid")[0]
            assert caps["assignment"] <= exact <= grid
        for known in {optimum, max(optimum - 1, 0), 0}:
            bound = rlt(a, b, known, record=True)
            assert optimum <= bound.upper <= max(caps["assignment"], known)
            assert bound.known >= known
        at_once = rlt(a, b, optimum, iterations=0)
        assert optimum <= at_once.upper <= max(caps["assignment"], optimum)


def test_a_stopped_or_odd_ascent_is_still_valid():
    rng = np.random.default_rng(9)
    for k, (a, b) in enumerate(tiny_pairs(300, seed=11)):
        optimum = oracles.brute_force(a, b)[0]
        odd = {
            "step": float(rng.choice([0.0, 0.06, 5.0])),
            "momentum": float(rng.choice([0.0, 0.97])),
            "fraction": float(rng.choice([0.0, 1.0])),
            "first_sweeps": int(rng.integers(0, 3)),
            "sweep_period": int(rng.integers(1, 4)),
            "worth_fixing": float(rng.choice([0.0, 0.1])),
            "target": int(rng.integers(-1, optimum + 2)),
        }
        bound = rlt(a, b, int(rng.integers(0, optimum + 1)), iterations=k % 40, **odd)
        assert bound.upper >= optimum, odd


@pytest.mark.slow
def test_degrees_far_above_four_take_the_general_path():
    rng = np.random.default_rng(2)
    for n in (7, 8):
        for _ in range(10):
            a, b = random_graph(rng, n, 0.9, 2, 1), random_graph(rng, n, 0.9, 2, 1)
            assert a.core.labels().size == n
            optimum = oracles.brute_force(a, b)[0]
            assert rlt(a, b, optimum).upper >= optimum
    star = Graph([0] * 41, [(0, k) for k in range(1, 41)])
    assert rlt(star, star, 0).upper == 40
    assert rlt(star, Graph([0] * 22, [(0, k) for k in range(1, 22)]), 21).upper == 21


@settings(max_examples=60, deadline=None)
@given(graphs(max_nodes=4, node_labels=2), graphs(max_nodes=4, node_labels=2))
def test_survivors_hold_every_larger_mapping(a, b):
    """Fixing may delete only what no mapping above the known size needs."""
    optimum = oracles.brute_force(a, b)[0]
    if optimum == 0:
        return
    bound = rlt(a, b, optimum - 1, worth_fixing=0.0)
    assert bound.upper >= optimum
    cells = {divmod(int(c), len(b)) for c in bound.survivors}
    best = 0
    for image in (
        itertools.permutations([*range(len(b)), *[-1] * len(a)], len(a)) if len(a) <= 4 and len(b) <= 4 else ()
    ):
        if any(j >= 0 and (i, j) not in cells for i, j in enumerate(image)):
            continue
        best = max(best, len(_core.preserved_edges(a.core, b.core, np.array(image, dtype=np.int32))))
    if len(a) <= 4 and len(b) <= 4:
        assert best == optimum


@pytest.mark.slow
def test_no_bound_is_below_the_known_optima_of_the_test_pairs(data):
    closed = 0
    for pairs in datasets.test_pairs(data).values():
        for p in pairs:
            bound = rlt(p.a, p.b, p.size)
            assert bound.upper >= p.size
            assert min(_core.caps(p.a.core, p.b.core).values()) >= p.size
            closed += bound.upper == p.size
    assert closed >= 255  # the bar of 85 % is measured, with times, by `enpda bench bounds`


@pytest.mark.slow
def test_no_bound_is_below_a_planted_optimum(data):
    for name in planted.SETS:
        for p in planted.planted_pairs(data, name)[:10]:
            assert rlt(p.a, p.b, 0, iterations=30).upper >= p.size
            assert min(_core.caps(p.a.core, p.b.core).values()) >= p.size


# -- repaired prices -----------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(graphs(max_nodes=7), graphs(max_nodes=7), st.data())
def test_repaired_potentials_are_feasible_and_the_exact_scale_beats_any_other(a, b, data):
    prices = np.array(
        data.draw(st.lists(st.floats(0, 20, width=32), min_size=len(b), max_size=len(b))), dtype=np.float32
    )
    value, scale, row, column = price_bound(a, b, prices)
    weight = oracles.doubled_incident_weights(a, b)
    assert (row >= 0).all()
    assert (column >= 0).all()
    unit = _core.PRICE_UNIT
    assert ((row[:, None] + column[None, :])[weight >= 0] >= weight[weight >= 0] * (unit // 2)).all()
    assert value == (int(row.sum()) + int(column.sum())) // unit
    assert scale >= 0
    w = np.maximum(weight, 0) / 2

    def repaired(alpha: float) -> float:
        rows = np.where(weight >= 0, w - alpha * prices[None, :], 0).max(axis=1, initial=0)
        return float(np.maximum(rows, 0).sum() + alpha * prices.astype(float).sum())

    exact = (int(row.sum()) + int(column.sum())) / unit
    positive = prices[prices > 1e-3]
    for alpha in [0.0, 1.0, *(0.5 * k / p for k in range(1, 7) for p in positive.tolist())]:
        assert exact <= repaired(alpha) + 1e-4


def test_zero_prices_give_the_row_maxima():
    a, b = drug_pairs()[0]
    value, scale, row, column = price_bound(a, b, np.zeros(len(b)))
    weight = np.maximum(oracles.doubled_incident_weights(a, b), 0)
    assert value == int(weight.max(axis=1).sum()) // 2
    assert column.sum() == 0
    assert scale == 0
    assert (row == weight.max(axis=1) * (_core.PRICE_UNIT // 2)).all()


def test_prices_of_the_wrong_length_or_sign_are_refused():
    a, b = drug_pairs()[0]
    for prices in (np.zeros(3), -np.ones(len(b)), np.full(len(b), np.nan)):
        with pytest.raises(enpda.InputError, match="prices must be"):
            price_bound(a, b, prices)


# -- the assignment cap --------------------------------------------------------------------------------------


def test_the_assignment_cap_by_label_equals_one_assignment_of_everything():
    for a, b in [*drug_pairs()[:20], *tiny_pairs(200, seed=1)]:
        weight = np.maximum(oracles.doubled_incident_weights(a, b), 0)
        rows, columns = linear_sum_assignment(weight, maximize=True) if weight.size else ([], [])
        value, witness = _core.caps(a.core, b.core)["assignment"], dict(_core.cap_witness(a.core, b.core, "assignment"))
        row, column = np.array(witness["row"], dtype=int), np.array(witness["column"], dtype=int)
        assert value == int(weight[rows, columns].sum()) // 2
        assert value == (int(row.sum()) + int(column.sum())) // 2
        assert (row[:, None] + column[None, :] >= weight).all()


# -- the lifted programmes -----------------------------------------------------------------------------------


def test_rlt_lies_between_the_aggregated_lp_and_the_assignment_cap():
    distances = []
    for a, b in [*drug_pairs()[:30:3], *tiny_pairs(40, seed=8)]:
        relaxed = lifted(a, b).value
        bound = rlt(a, b, 0, worth_fixing=2.0, patience=0, iterations=2000)  # nothing is ever deleted
        assert bound.bound / _core.RLT_UNIT >= relaxed - 1e-4
        assert bound.upper <= _core.caps(a.core, b.core)["assignment"]
        distances.append(bound.bound / _core.RLT_UNIT - relaxed)
    assert np.median(distances) < 0.5


@pytest.mark.slow
def test_lifted_programmes_equal_brute_force_on_tiny_graphs():
    for a, b in tiny_pairs(60, seed=21):
        optimum = oracles.brute_force(a, b)[0]
        for form in ("aggregated", "mccormick"):
            relaxed = lifted(a, b, form=form)
            whole = lifted(a, b, form=form, integral=True, mapping={})
            assert relaxed.value >= optimum
            assert whole.upper == optimum
            assert whole.mapping is not None
            image = np.array([whole.mapping.get(i, -1) for i in range(len(a))], dtype=np.int32)
            assert len(_core.preserved_edges(a.core, b.core, image)) == optimum
        assert lifted(a, b).value <= lifted(a, b, form="mccormick").value + 1e-6


def test_an_interrupted_programme_still_bounds_and_says_so():
    a, b = next((a, b) for a, b in drug_pairs() if {a.name, b.name} == {"sildenafil", "vardenafil"})
    size = enpda.match(a, b, "solver").size
    for integral in (False, True):
        cut = lifted(a, b, integral=integral, form="mccormick", time_limit=1e-3)
        assert cut.status == "Time limit reached"
        assert size <= cut.value <= min(a.size, b.size)


@pytest.mark.slow
def test_a_numerical_proof_is_called_numerical():
    # Five of a prism's six nodes have six edges among them; no relaxation at hand sees that it is not seven.
    prism = Graph([0] * 6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)])
    complete = Graph([0] * 5, [(u, v) for v in range(5) for u in range(v)])
    plain = enpda.match(prism, complete, "solver")
    assert (plain.size, plain.upper, plain.optimal, plain.optimal_numerical) == (6, 7, False, False)
    m = enpda.match(prism, complete, "solver", bound="milp")
    assert (m.size, m.upper, m.optimal, m.optimal_numerical, m.status) == (6, 7, False, True, "bounded")
    assert math.floor(m.numerical["milp"].value) == 6
    assert m.numerical["milp"].status == "Optimal"
    assert "milp" not in m.bounds
    assert enpda.Match.from_json(m.to_json()).optimal_numerical


def test_a_wrong_numerical_bound_stops_everything():
    g = Graph([0] * 3, [(0, 1), (1, 2)])
    with pytest.raises(RuntimeError, match="a bound is wrong"):
        enpda.Match(g, g, {0: 0, 1: 1, 2: 2}, bounds={"edge": 2}, method="x", numerical={"lp": (1.5, "Optimal")})


# -- through the front gates ----------------------------------------------------------------------------------


def test_every_bound_is_reported_by_name_and_the_gap_follows():
    a, b = next((a, b) for a, b in drug_pairs() if not enpda.match(a, b, "analytic").optimal)
    m = enpda.match(a, b, "analytic", bound="rlt")
    assert list(m.bounds) == ["edge", "histogram", "assignment", "prices", "rlt"]
    assert m.upper == min(m.bounds.values())
    assert m.gap == (m.upper - m.size) / max(m.upper, 1)
    assert m.bounds["prices"] >= m.bounds["assignment"] >= m.bounds["rlt"]
    assert list(enpda.match(a, b, "analytic").bounds) == ["edge", "histogram", "assignment", "prices"]


def test_auto_proves_nearly_every_drug_pair():
    proven = [enpda.match(a, b).optimal for a, b in drug_pairs()]
    assert sum(proven) >= 0.9 * len(proven)


def test_a_loaded_match_derives_its_bound_again():
    a, b = next((a, b) for a, b in drug_pairs() if "rlt" in enpda.match(a, b).bounds)
    m = enpda.match(a, b)
    again = enpda.Match.from_json(m.to_json())
    assert again.bounds == m.bounds
    assert enpda.verify(again.certificate).ok
    data = m.to_dict()
    data["bounds"] = {**m.bounds, "rlt": m.size - 1}
    data["upper"] = m.size - 1
    with pytest.raises(enpda.InputError, match="could not be confirmed"):
        enpda.Match.from_dict(data)


def test_bounding_respects_the_time_limit_on_large_graphs():
    rng = np.random.default_rng(0)
    a, b = random_graph(rng, 300, 0.1, 1, 1), random_graph(rng, 300, 0.1, 1, 1)
    m = enpda.match(a, b, time_limit=0.5)
    assert m.status == "time_limit"
    assert m.upper >= m.size
