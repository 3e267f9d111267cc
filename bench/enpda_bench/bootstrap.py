"""Confidence intervals that respect shared graphs: pairs that share one are drawn together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from enpda.graph import Graph
from enpda_bench.datasets import BenchPair

DRAWS, SEED = 20_000, 20260917
MOST = 1 << 20
"""Numbers gathered at a time: memory stays small, whatever the number of groups."""


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


def interval(
    difference: npt.NDArray[np.float64], groups: Sequence[Sequence[int]], draws: int = DRAWS
) -> tuple[float, float]:
    """Return the 95 % interval of the mean of (seeds, pairs), by drawing seeds and groups of pairs with replacement."""
    rng = np.random.default_rng(SEED)
    seeds, count = len(difference), len(groups)
    sums = np.stack([difference[:, group].sum(1) for group in groups], 1)  # seeds, groups
    sizes = np.array([len(group) for group in groups])
    limits = np.repeat([count, seeds], [count, seeds])  # a draw is as many groups as there are, then as many seeds
    means = np.empty(draws)
    step = max(1, MOST // (seeds * count))
    for begin in range(0, draws, step):
        drawn = rng.integers(0, limits, (min(step, draws - begin), count + seeds))
        chosen, which = drawn[:, :count], drawn[:, count:]
        totals = sums[which[:, :, None], chosen[:, None, :]].sum((1, 2))
        means[begin : begin + step] = totals / (seeds * sizes[chosen].sum(1))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
