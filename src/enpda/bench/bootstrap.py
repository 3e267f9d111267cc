"""Confidence intervals that respect shared graphs: pairs that share one are drawn together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from enpda.bench.datasets import BenchPair
from enpda.graph import Graph

DRAWS, SEED = 20_000, 20260917


def blocks(pairs: Sequence[BenchPair]) -> list[list[int]]:
    """Group pairs that are connected by isomorphic graphs."""
    classes: dict[int, list[tuple[Graph, int]]] = {}
    parent = list(range(len(pairs)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = k = parent[parent[k]]
        return k

    for k, p in enumerate(pairs):
        for graph in (p.a, p.b):
            alike = classes.setdefault(graph.invariant_hash, [])
            first = next((owner for other, owner in alike if graph.same_as(other)), None)
            if first is None:
                alike.append((graph, k))
            else:
                parent[root(k)] = root(first)
    groups: dict[int, list[int]] = {}
    for k in range(len(pairs)):
        groups.setdefault(root(k), []).append(k)
    return list(groups.values())


def interval(difference: npt.NDArray[np.float64], groups: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of (seeds, pairs), by drawing seeds and groups of pairs with replacement."""
    rng = np.random.default_rng(SEED)
    seeds = len(difference)
    sums = np.stack([difference[:, group].sum(1) for group in groups], 1)  # seeds, groups
    sizes = np.array([len(group) for group in groups])
    means = np.empty(DRAWS)
    for part in np.array_split(np.arange(DRAWS), 20):
        chosen = _counts(rng, len(part), len(groups))
        which = _counts(rng, len(part), seeds)
        means[part] = ((which @ sums) * chosen).sum(1) / (seeds * (chosen @ sizes))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def _counts(rng: np.random.Generator, draws: int, count: int) -> npt.NDArray[np.int64]:
    """How often each of `count` things comes up when as many are drawn with replacement, for every draw."""
    drawn = rng.integers(0, count, (draws, count)) + count * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * count).reshape(draws, count)
