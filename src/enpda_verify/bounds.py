"""Upper bounds, each derived again from its witness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from enpda_verify.problem import Graph, Problem
from enpda_verify.reading import need, whole
from enpda_verify.relaxation import line
from enpda_verify.tree import tree


def _edge(both: Problem, bound: dict[str, Any]) -> int:
    return both.most()


def _histogram(both: Problem, bound: dict[str, Any]) -> int:
    both.plain("histogram")

    def kinds(g: Graph) -> Counter[tuple[int, int, int]]:
        ends = ((label, *sorted((g.labels[u], g.labels[v]))) for u, v, label in g.edges)
        return Counter((label, low, high) for label, low, high in ends)

    counts_a, counts_b = kinds(both.a), kinds(both.b)
    table = [[*kind, counts_a[kind], counts_b[kind]] for kind in sorted(counts_a.keys() & counts_b.keys())]
    need(bound["histogram"] == table, "the histogram is not that of the graphs")
    return sum(min(row[3], row[4]) for row in table)


def _potentials(both: Problem, bound: dict[str, Any]) -> int:
    both.plain("potentials")
    a, b = both.a, both.b
    scale = whole(bound["scale"], "scale")
    need(scale > 0 and scale % 2 == 0, f"scale must be positive and even; got {scale}")
    row = line(bound["row"], len(a.labels), "row potentials")
    column = line(bound["column"], len(b.labels), "column potentials")
    around_b = [b.around(j) for j in range(len(b.labels))]
    for i in range(len(a.labels)):
        around = a.around(i)
        both.budget.spend((3 + 5 * len(around)) * len(b.labels))
        for j in range(len(b.labels)):
            if both.may_meet(i, j):
                overlap = sum(min(count, around_b[j][kind]) for kind, count in around.items())
                need(row[i] + column[j] >= overlap * scale // 2, f"the potentials do not cover {i} -> {j}")
    return (sum(row) + sum(column)) // scale


def _rlt(both: Problem, bound: dict[str, Any]) -> int:
    """Check stages alone: a tree that is nothing but its root."""
    return tree(both, {**bound, "nodes": [{"stages": bound["stages"], "children": []}]})


BOUNDS: dict[str, Callable[[Problem, dict[str, Any]], int]] = {
    "edge": _edge,
    "histogram": _histogram,
    "potentials": _potentials,
    "rlt": _rlt,
    "tree": tree,
}
"""What derives a bound again, by the kind of its witness."""
