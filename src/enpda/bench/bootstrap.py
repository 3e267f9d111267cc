"""Confidence intervals that respect shared graphs: pairs that share one are drawn together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

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
    seeds = len(difference)
    chosen, which = _draws(len(groups), seeds)
    sums = np.stack([difference[:, group].sum(1) for group in groups], 1)  # seeds, groups
    sizes = np.array([len(group) for group in groups])
    totals = np.stack([of_seed[chosen].sum(1) for of_seed in sums], 1)  # draws, seeds
    means = np.take_along_axis(totals, which, 1).sum(1) / (seeds * sizes[chosen].sum(1))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(groups: int, seeds: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return groups and seeds of every draw; compared methods share them."""
    rng = np.random.default_rng(SEED)
    both = [(rng.integers(0, groups, groups), rng.integers(0, seeds, seeds)) for _ in range(DRAWS)]
    return np.array([x for x, _ in both]), np.array([y for _, y in both])
