"""Pairs side by side, as the compiled core lays them out and decodes them."""

import numpy as np
import pytest

import enpda
from enpda import _core
from enpda.data import drug_pairs
from strategies import random_graph


def cores(count=5):
    rng = np.random.default_rng(0)
    odd = [(enpda.Graph([1], []), enpda.Graph([2, 2], [(0, 1)])), (enpda.Graph([], []), enpda.Graph([1], []))]
    drawn = [(random_graph(rng, 6, 0.5, 2, 2), random_graph(rng, 9, 0.4, 2, 2)) for _ in range(3)]
    return [(a.core, b.core) for a, b in [*drug_pairs()[:count], *odd, *drawn]]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_holds_each_pairs_features_and_association_graph(threads):
    pairs = cores()
    n, m, row, column, features, compatible, weight, degree, neighbour = _core.collate(pairs, threads)
    cell, entry = 0, 0
    for k, (a, b) in enumerate(pairs):
        assert (n[k], m[k]) == (len(a), len(b))
        count = len(a) * len(b)
        planes = _core.features(a, b).reshape(6, count)
        np.testing.assert_array_equal(features[cell : cell + count], planes.T)
        np.testing.assert_array_equal(compatible[cell : cell + count], planes[0])
        np.testing.assert_array_equal(row[cell : cell + count], n[:k].sum() + np.repeat(np.arange(len(a)), len(b)))
        np.testing.assert_array_equal(column[cell : cell + count], m[:k].sum() + np.tile(np.arange(len(b)), len(a)))
        assert (weight[cell : cell + count][planes[0] == 0] == 0).all()
        edges = _core.association_edges(a, b)
        mine = degree[cell : cell + count]
        owners = np.repeat(np.arange(count), mine)
        listed = neighbour[entry : entry + mine.sum()] - cell
        found = {(c, d) for c, d in zip(owners.tolist(), listed.tolist(), strict=True) if c < d}
        assert found == {(c, d) for c, d in edges.tolist()}
        assert mine.sum() == 2 * len(edges)
        cell, entry = cell + count, entry + int(mine.sum())
    assert (cell, entry) == (len(features), len(neighbour))


@pytest.mark.parametrize("decoder", ["growth", "hungarian"])
def test_a_batch_is_decoded_as_its_pairs_are(decoder):
    pairs = cores()
    states = [_core.run_rounds(a, b, 4) for a, b in pairs]
    bids = np.concatenate([s.bids.ravel() for s in states])
    logits = np.concatenate([s.unmatched_logit for s in states])
    prices = np.concatenate([s.prices for s in states])
    how = getattr(_core.Decoder, decoder)
    image, sizes, caps = _core.decode(pairs, bids, logits, how, prices, 2)
    at = 0
    for (a, b), size, bounds in zip(pairs, sizes.tolist(), caps.tolist(), strict=True):
        mine = image[at : at + len(a)]
        at += len(a)
        assert _core.check(a, b, mine)[0] == size <= min(bounds)
        assert bounds[:3] == list(_core.caps(a, b).values())
    assert _core.decode(pairs, bids, logits, how)[2].shape == (0, 4)
    for wrong in (bids[1:], np.zeros(0, dtype=np.float32)):
        with pytest.raises(ValueError, match="one number a cell"):
            _core.decode(pairs, wrong, logits, how)
    with pytest.raises(ValueError, match="one a column"):
        _core.decode(pairs, bids, logits, how, prices[1:])


def test_an_empty_batch_is_empty():
    assert all(len(x) == 0 for x in _core.collate([]))
    empty = np.zeros(0, dtype=np.float32)
    assert [len(x) for x in _core.decode([], empty, empty, _core.Decoder.growth)] == [0, 0, 0]
