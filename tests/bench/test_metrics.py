from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enpda.data import drugs
from enpda_bench.retrieval import metrics
from enpda_bench.retrieval.pools import Sizes
from enpda_bench.retrieval.truth import Truth

SMALL = Sizes(parents=25, queries=2, hard=20, variants=4)
ALL = list(drugs().values())


# -- metrics ---------------------------------------------------------------------------------------------------


def literal_average(scores, labels) -> float:
    """By the words of the protocol: the best k as a set, the relevance of the k-th in a stable descending sort."""
    n = len(scores)
    order = sorted(range(n), key=lambda k: (-scores[k], k))
    best = sorted(range(n), key=lambda k: (-scores[k], -k))
    total = sum(sum(labels[i] for i in best[:k]) / k * labels[order[k - 1]] for k in range(1, n + 1))
    return total / max(sum(labels), 1)


def completions(labels):
    return product(*([0, 1] if label < 0 else [label] for label in labels))


pools_of_labels = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n),
    )
)


@given(pools_of_labels)
def test_bounds_of_average_precision_are_those_of_all_labelings(case):
    scores, labels = case
    values = [literal_average(scores, complete) for complete in completions(labels)]
    low, high = metrics.average_precision(np.array(scores, dtype=float), np.array(labels, dtype=np.int8))
    assert low == pytest.approx(min(values))
    assert high == pytest.approx(max(values))


@given(pools_of_labels)
def test_bounds_of_precision_are_those_of_all_labelings(case):
    scores, labels = case
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], -k))[:10]
    values = [sum(complete[k] for k in order) / 10 for complete in completions(labels)]
    found = metrics.precision(np.array(scores, dtype=float), np.array(labels, dtype=np.int8))
    assert found == pytest.approx((min(values), max(values)))


intervals = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=7)


@given(intervals, st.randoms(use_true_random=False))
def test_bounds_of_the_reciprocal_rank_are_those_of_all_truths(ends, random):
    scores = [random.randint(0, 3) for _ in ends]
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], -k))
    values = []
    for truths in product(*({low, low + width} for low, width in ends)):
        values.append(1 / (1 + order.index(truths.index(max(truths)))))
    low, width = np.array(ends, dtype=float).T
    found = metrics.reciprocal_rank(np.array(scores, dtype=float), Truth(low, low + width))
    assert found == pytest.approx((min(values), max(values)))


def test_metrics_of_a_known_pool_are_those_computed_by_hand():
    similarity = np.array([0.9, 0.5, 0.6, 0.2])
    found = metrics.measures(np.array([0.1, 0.9, 0.8, 0.7]), Truth(similarity, similarity))
    # Ranked 1, 2, 3, 0: relevant are the second (0.5 is not above 0.5) and the last.
    assert found["MRR"].value == found["MRR"].low == found["MRR"].high == 1 / 4
    assert found["P@10"].value == 0.2
    assert found["MAP"].value == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_points_lie_within_bounds_and_many_unknown_labels_are_no_burden():
    rng = np.random.default_rng(0)
    scores, low = rng.random(500), rng.random(500)
    known = Truth(low, np.where(rng.random(500) < 0.3, low + 0.3, low))
    assert (known.relevant < 0).sum() > 30
    for measure in metrics.measures(scores, known).values():
        assert 0 <= measure.low <= measure.value <= measure.high <= 1
    wide = metrics.measures(scores, known)["MAP"]
    assert wide.high - wide.low < 0.6


def test_hopeless_blocks_of_ties_have_trivial_bounds():
    labels = np.full(30, -1, dtype=np.int8)
    assert metrics.average_precision(np.zeros(30), labels) == (0.0, 1.0)
    labels[:11] = labels[19:] = 0
    low, high = metrics.average_precision(np.zeros(30), labels)
    assert low == 0
    assert 0 < high < 1
