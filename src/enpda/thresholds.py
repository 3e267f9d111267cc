"""Threshold questions in terms of edges and nodes, exactly as the similarity of a `Match` is computed."""

from __future__ import annotations

import math
from collections import Counter

from enpda.graph import Graph


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
