import numpy as np
import pytest
from hypothesis import given, settings

import oracles
from enpda import Graph, _core
from strategies import graphs, molecules


@pytest.mark.slow
@given(graphs(max_nodes=9), graphs(max_nodes=9))
def test_features_equal_the_slow_oracle(a, b):
    got = _core.features(a.core, b.core)
    expected = np.array(oracles.features(a, b), dtype=np.float32).reshape(6, len(a), len(b))
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


@settings(max_examples=30)
@given(molecules(), molecules())
def test_features_of_molecules_equal_the_slow_oracle(a, b):
    np.testing.assert_allclose(_core.features(a.core, b.core), np.array(oracles.features(a, b)), rtol=1e-6)


def test_paths_in_a_dense_unlabelled_graph_are_counted_without_enumeration():
    n = 150  # a complete graph has 148 * 147 * 146 three-paths from every node; two sizes give a known ratio
    complete = [Graph([0] * k, np.argwhere(np.triu(np.ones((k, k)), 1))) for k in (n, n - 1)]
    planes = _core.features(complete[0].core, complete[1].core)
    paths = [(k - 1) * (k - 2) * (k - 3) for k in (n, n - 1)]
    np.testing.assert_allclose(planes[5], paths[1] / paths[0], rtol=1e-5)


def test_features_stay_between_0_and_1_when_counts_are_huge():
    hubs, leaves = 60, 1500
    labels = [0] * hubs + [1 + k % 3 for k in range(leaves)]
    g = Graph(labels, [(h, hubs + k) for h in range(hubs) for k in range(leaves)])
    small = Graph(labels[: hubs + 1], [(h, hubs) for h in range(hubs)])
    planes = _core.features(small.core, g.core)
    assert (planes >= 0).all()
    assert (planes <= 1).all()
    same = _core.features(g.core, g.core)[:, :3, :3]
    np.testing.assert_allclose(same, 1)


@given(graphs(max_nodes=7), graphs(max_nodes=7))
def test_association_graph_joins_exactly_the_jointly_preserving_candidates(a, b):
    expected = oracles.association_edges(a, b)
    for max_stored in (0, 10**9):  # lists enumerated on the fly, and stored
        got = _core.association_edges(a.core, b.core, max_stored)
        assert {(c, d) for c, d in got.tolist()} == expected
        assert len(got) == len(expected)
