"""Edges and nodes together: the bound that excludes pairs by similarity holds, and mappings that it meets exist."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import oracles
from enpda import _core
from enpda.data import drug_pairs
from enpda.problem.thresholds import least_total
from enpda.solve.options import Options
from strategies import graphs, molecules, random_graph, reordered


def bound_total(a, b, wanted, options=None, time_limit=-1.0):
    work = (options or Options()).work()
    counts, _ = _core.bound_totals(
        [a.core], [b.core], np.zeros((1, 2), np.int32), np.array([wanted], np.int32), work, time_limit, 1
    )
    upper, edges, nodes = counts[0].tolist()
    return upper, edges + nodes


@settings(max_examples=150)
@given(graphs(max_nodes=5), graphs(max_nodes=5), st.integers(1, 16))
def test_the_bound_is_never_below_the_most(a, b, wanted):
    most = oracles.most_total(a, b)
    upper, met = bound_total(a, b, wanted)
    assert max(upper, wanted - 1) >= most >= met


def test_nearly_every_question_about_tiny_pairs_is_answered():
    rng = np.random.default_rng(1)
    asked = answered = excluded = 0
    for _ in range(300):
        a, b = (random_graph(rng, int(n), 0.5, 2, 1) for n in rng.integers(2, 6, 2))
        most = oracles.most_total(a, b)
        if most == 0:
            continue
        wanted = most + int(rng.integers(0, 2))
        asked += 1
        upper, met = bound_total(a, b, wanted)
        assert upper >= most >= met
        answered += met >= wanted or upper < wanted
        excluded += upper < wanted
    assert answered >= 0.8 * asked
    assert excluded >= 0.3 * asked


@settings(max_examples=30)
@given(molecules(), molecules(), st.floats(0.3, 0.9))
def test_no_pair_is_excluded_whose_match_is_similar_enough(a, b, similarity):
    wanted = least_total(a, b, similarity)
    upper, met = bound_total(a, b, wanted)
    best = enpda.match(a, b, most_nodes=True)
    assert upper >= best.size + best.nodes
    assert bound_total(b, a, wanted) == pytest.approx((upper, met))


def test_order_of_atoms_does_not_decide():
    rng = np.random.default_rng(2)
    for a, b in list(drug_pairs())[:10]:
        wanted = least_total(a, b, 0.5)
        ways = [(a, b), tuple(reordered(g, rng.permutation(len(g))) for g in (a, b))]
        below = {bound_total(*way, wanted)[0] < wanted for way in ways}
        assert len(below) == 1


def test_a_limit_that_has_passed_excludes_nothing():
    a, b = next(iter(drug_pairs()))
    assert bound_total(a, b, 1000, time_limit=0.0)[0] >= enpda.match(a, b).size


def test_a_bound_that_is_switched_off_is_not_asked():
    """With `bound="caps"` only counts exclude."""
    items = [g for pair in list(drug_pairs())[:6] for g in pair]
    caps = enpda.matrix(items, min_similarity=0.5, bound="caps", screened="keep").table.to_pylist()
    full = enpda.matrix(items, min_similarity=0.5, screened="keep").table.to_pylist()
    for x, y in zip(caps, full, strict=True):
        assert x["upper"] >= y["size"]
        assert y["status"] == "below_threshold" or x["status"] != "below_threshold"
