"""Threshold questions in terms of edges and nodes, exactly as the similarity of a `Match` is computed."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import numpy.typing as npt

from enpda.graph import Graph

Integers = npt.NDArray[np.int64]


def similarity(total: int, a: Graph, b: Graph) -> float:
    """Johnson similarity of a common part with so many nodes and edges together; 1 for two empty graphs."""
    whole = (len(a) + a.size) * (len(b) + b.size)
    if whole == 0:
        return 1.0 if len(a) == len(b) else 0.0
    return total**2 / whole


def least_total(a: Graph, b: Graph, wanted: float) -> int:
    """Return the fewest nodes and edges together that give the wanted similarity."""
    whole = (len(a) + a.size) * (len(b) + b.size)
    total = max(math.isqrt(int(wanted * whole)) - 1, 0)
    while similarity(total, a, b) < wanted and total <= len(a) + a.size + len(b) + b.size:
        total += 1
    return total


def least_size(a: Graph, b: Graph, total: int) -> int:
    """Return the fewest edges that can come with so many nodes and edges together.

    A common part has no more nodes than twice its edges, nor than labels allow.
    """
    nodes = sum((Counter(a.labels.tolist()) & Counter(b.labels.tolist())).values())
    return max(total - nodes, -(-total // 3), 0)


def least_totals(whole: Integers, wanted: float | npt.NDArray[np.float64]) -> Integers:
    """Return `least_total` of many pairs, by the products that their similarities are divided by."""
    total: Integers = np.maximum(np.floor(np.sqrt(wanted * whole)).astype(np.int64) - 2, 0)
    for _ in range(4):
        total += (total**2 / np.maximum(whole, 1) < wanted) & (whole > 0)
    return total


def least_sizes(total: Integers, nodes: Integers) -> Integers:
    """Return `least_size` of many pairs, by the nodes that each of them can share at most."""
    least: Integers = np.maximum(np.maximum(total - nodes, -(-total // 3)), 0)
    return least
