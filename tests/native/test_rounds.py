"""Theorems 1 and 2 and Proposition 2 of the paper, as properties of the compiled rounds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import _core
from strategies import graphs, molecules, random_graph, reordered

pairs = st.one_of(st.tuples(graphs(9, min_nodes=1), graphs(9, min_nodes=1)), st.tuples(molecules(), molecules()))


@pytest.mark.slow
@settings(max_examples=150)
@given(pairs, st.integers(0, 8), st.randoms(use_true_random=False))
def test_reordering_either_graph_permutes_the_state(pair, rounds, random):
    a, b = pair
    p, q = (np.array(random.sample(range(len(g)), len(g)), dtype=int) for g in pair)
    before = _core.run_rounds(a.core, b.core, rounds)
    after = _core.run_rounds(reordered(a, p).core, reordered(b, q).core, rounds)
    np.testing.assert_allclose(after.bids, before.bids[np.ix_(p, q)], atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(after.soft, before.soft[np.ix_(p, q)], atol=1e-5)
    np.testing.assert_allclose(after.unmatched, before.unmatched[p], atol=1e-5)
    np.testing.assert_allclose(after.prices, before.prices[q], atol=1e-5)


@settings(max_examples=150)
@given(pairs, st.integers(0, 12))
def test_rows_sum_to_one_and_prices_stay_in_range(pair, rounds):
    state = _core.run_rounds(pair[0].core, pair[1].core, rounds)
    np.testing.assert_allclose(state.soft.sum(axis=1) + state.unmatched, 1, atol=1e-5)
    assert (state.soft >= 0).all()
    assert (state.unmatched >= 0).all()
    assert (state.prices >= 0).all()
    assert (state.prices <= 20).all()


@settings(max_examples=60)
@given(pairs, st.integers(1, 10))
def test_signed_cumulative_excess_is_bounded_by_the_prices(pair, horizon):
    # Proposition 2. Demand is reported for the state at the start of each round; the analytic step is 1/2.
    states = [_core.run_rounds(pair[0].core, pair[1].core, t) for t in range(horizon + 1)]
    excess = np.zeros(len(pair[1]))
    overflow = np.zeros(len(pair[1]))
    for before, after in pairwise(states):
        excess += 0.5 * after.demand
        overflow += np.maximum(before.prices + 0.5 * after.demand - 20, 0)
    assert (np.maximum(excess, 0) <= states[-1].prices + overflow + 1e-4).all()
    assert (states[-1].prices <= 20).all()


@settings(max_examples=60)
@given(pairs)
def test_one_round_equals_the_papers_equations(pair):
    a, b = pair
    before, after = (_core.run_rounds(a.core, b.core, t) for t in (1, 2))
    compatible = a.labels[:, None] == b.labels[None, :]
    marginal = np.zeros(len(a) * len(b))
    edges = _core.association_edges(a.core, b.core)
    soft = before.soft.reshape(-1)
    np.add.at(marginal, edges[:, 0], 2 * soft[edges[:, 1]])
    np.add.at(marginal, edges[:, 1], 2 * soft[edges[:, 0]])
    marginal = marginal.reshape(len(a), len(b))
    scale = max(np.sqrt((marginal[compatible] ** 2).mean()), 1e-6) if compatible.any() else 1.0
    demand = before.soft.sum(axis=0) - 1
    prices = np.clip(before.prices + 0.5 * demand, 0, 20)
    bids = before.bids + 0.5 * (marginal / scale - prices) - 0.1 * ~compatible
    np.testing.assert_allclose(after.demand, demand, atol=1e-5)
    np.testing.assert_allclose(after.prices, prices, atol=1e-5)
    np.testing.assert_allclose(after.bids, bids, atol=1e-4, rtol=1e-5)
    weights = np.exp(np.hstack([bids, np.full((len(a), 1), -1.0)]))
    np.testing.assert_allclose(after.soft, (weights / weights.sum(axis=1, keepdims=True))[:, :-1], atol=1e-5)


def test_initial_bids_are_the_fixed_linear_score():
    a, b = enpda.Graph.from_smiles("CC(=O)Nc1ccc(O)cc1"), enpda.Graph.from_smiles("CC(=O)Oc1ccccc1C(=O)O")
    planes = _core.features(a.core, b.core)
    expected = np.tensordot([5, 1.5, 2, 1, 1.5, 1], planes, 1) - 1 - 8 * (planes[0] == 0)
    np.testing.assert_allclose(_core.run_rounds(a.core, b.core, 0).bids, expected, atol=1e-5)


@settings(max_examples=100)
@given(graphs(8), graphs(8), st.randoms(use_true_random=False))
def test_the_association_quadratic_is_twice_the_preserved_edges(a, b, random):
    # J(P) = 2 |C(P)| for any compatible partial injection.
    columns = random.sample(range(len(b)), len(b))
    image = np.full(len(a), -1, dtype=np.int32)
    for i in range(len(a)):
        j = next((j for j in columns if a.labels[i] == b.labels[j]), None)
        if j is not None and random.random() < 0.8:
            columns.remove(j)
            image[i] = j
    chosen = np.zeros(len(a) * len(b))
    chosen[[i * len(b) + j for i, j in enumerate(image.tolist()) if j >= 0]] = 1
    edges = _core.association_edges(a.core, b.core)
    quadratic = 2 * (chosen[edges[:, 0]] * chosen[edges[:, 1]]).sum()
    assert quadratic == 2 * len(_core.preserved_edges(a.core, b.core, image))


def test_noise_is_a_function_of_the_seed():
    a, b = (random_graph(np.random.default_rng(k), 8, 0.3, 2, 1) for k in (1, 2))
    one, same, other = (_core.run_rounds(a.core, b.core, 4, 0.5, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.bids, same.bids)
    assert not np.array_equal(one.bids, other.bids)
    assert not np.array_equal(one.bids, _core.run_rounds(a.core, b.core, 4).bids)


def test_rounds_do_not_depend_on_whether_neighbour_lists_are_stored():
    a, b = (random_graph(np.random.default_rng(k), 20, 0.2, 2, 2) for k in (1, 2))
    stored, enumerated = (_core.run_rounds(a.core, b.core, 6, 0.0, 0, limit) for limit in (10**9, 0))
    np.testing.assert_allclose(stored.bids, enumerated.bids, atol=1e-4)  # sums in another order
