"""How alike two graphs look without a mapping: Weisfeiler-Leman bags, sizes, and the mixture that picks look-alikes."""

from __future__ import annotations

import hashlib
from collections import Counter
from math import sqrt

from enpda.graph import Graph

ITERATIONS = 3
WL_SHARE, SIZE_SHARE = 0.65, 0.35


def bag(graph: Graph) -> Counter[str]:
    """Count the labels of all nodes before and after each of three refinements by neighbours and edge labels."""
    return graph.once("wl bag", lambda: _bag(graph))


def _bag(graph: Graph) -> Counter[str]:
    near: list[list[tuple[int, int]]] = [[] for _ in range(len(graph))]
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        near[u].append((v, label))
        near[v].append((u, label))
    colours = [str(label) for label in graph.labels.tolist()]
    counts = Counter(colours)
    for _ in range(ITERATIONS):
        around = [sorted(f"{label}:{colours[v]}" for v, label in some) for some in near]
        texts = [f"{own}|{','.join(some)}" for own, some in zip(colours, around, strict=True)]
        colours = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        counts.update(colours)
    return counts


def wl_cosine(a: Graph, b: Graph) -> float:
    """Return the cosine of the two bags."""
    left, right = bag(a), bag(b)
    length = _length(a) * _length(b)
    return sum(count * right[colour] for colour, count in left.items() if colour in right) / length if length else 0.0


def _length(graph: Graph) -> float:
    return graph.once("wl length", lambda: sqrt(sum(count * count for count in bag(graph).values())))


def size_ratio(a: Graph, b: Graph) -> float:
    """Return the smaller number of nodes and edges over the larger: the most that the Johnson similarity can be."""
    small, large = sorted((len(a) + a.size, len(b) + b.size))
    return small / large if large else 1.0


def hardness(query: Graph, candidate: Graph) -> float:
    """Return how hard it is to tell a candidate from an answer."""
    return WL_SHARE * wl_cosine(query, candidate) + SIZE_SHARE * size_ratio(query, candidate)
