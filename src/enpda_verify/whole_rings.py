"""Whole rings: marked edges count only in a ring that is preserved as a whole, onto a ring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from enpda_verify.reading import Budget, many, need, wholes

if TYPE_CHECKING:
    from enpda_verify.constraint import Arc
    from enpda_verify.problem import Graph, Places, Problem

Ring = frozenset[tuple[int, int]]
"""The edges of a ring."""


class WholeRings:
    """Rings of both graphs, and the edges that count with a whole one only."""

    nothing: ClassVar[dict[str, Any]] = {"rings": [[], []], "marked": [[], []]}
    """What a record holds where nothing is asked for."""

    def __init__(self, a: Graph, b: Graph, content: dict[str, Any], budget: Budget) -> None:
        self.budget = budget
        self.rings: list[list[list[int]]] = [[], []]
        self.edges: list[set[Ring]] = [set(), set()]
        self.marked: list[set[tuple[int, int]]] = [set(), set()]
        for name in ("marked", "rings"):
            need(isinstance(content[name], list) and len(content[name]) == 2, f"{name} must be lists of a and of b")
        for side, g in enumerate((a, b)):
            for e in wholes(content["marked"][side], "marked"):
                need(0 <= e < len(g.edges), f"there is no edge {e} to be marked")
                self.marked[side].add(g.edges[e][:2])
            for listed in content["rings"][side]:
                ring = wholes(listed, "ring")
                budget.spend(10 * len(ring))
                budget.hold(600 * len(ring))
                need(len(set(ring)) == len(ring) > 2, "a ring has a node twice, or too few")
                edges = around(ring)
                need(all(0 <= u < v < len(g.labels) and v in g.near[u] for u, v in edges), "a ring is no cycle")
                need(edges not in self.edges[side], "a ring is listed twice")
                self.rings[side].append(ring)
                self.edges[side].add(edges)

    def facts(self) -> Iterator[tuple[str, int, Places]]:
        """Everything said about particular nodes: what it is, of which graph, of which nodes."""
        for side in (0, 1):
            for edge in self.marked[side]:
                yield "marked", side, frozenset(edge)
            for ring in self.edges[side]:
                yield "ring", side, frozenset(map(frozenset, ring))

    def check(self, both: Problem) -> None:
        """Refuse unless edges that count with a ring only meet no others."""
        labels = [
            ({g.near[u][v] for u, v in marked}, {label for u, v, label in g.edges if (u, v) not in marked})
            for g, marked in zip((both.a, both.b), self.marked, strict=True)
        ]
        (marked_a, plain_a), (marked_b, plain_b) = labels
        alike = ((x, x) for x in marked_a | plain_a) if both.table is None else both.table.keys()
        mixed = any((x in marked_a and y in plain_b) or (x in plain_a and y in marked_b) for x, y in alike)
        need(not mixed, "edge labels do not tell marked edges from others")

    def retained(self, image: dict[int, int], kept: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return what counts of the preserved edges of a mapping, by the definition."""
        self.budget.spend(5 * sum(map(len, self.rings[0])) + 10 * len(kept))
        whole: set[tuple[int, int]] = set()
        for ring in self.rings[0]:
            if around(ring) <= kept.keys() and around([image[v] for v in ring]) in self.edges[1]:
                whole |= around(ring)
        return {edge: worth for edge, worth in kept.items() if edge in whole or edge not in self.marked[0]}

    def alignments(self, both: Problem) -> list[frozenset[Arc]]:
        """All ways to lay a ring onto a ring, as association edges."""
        m = len(both.b.labels)
        result = []
        for ring in self.rings[0]:
            size = len(ring)
            for other in self.rings[1]:
                self.budget.spend(1)
                if len(other) != size:
                    continue
                self.budget.spend(4 * size * size)
                for shift in range(size):
                    for direction in (1, -1):
                        image = [other[(shift + direction * k) % size] for k in range(size)]
                        if all(both.may_meet(i, j) for i, j in zip(ring, image, strict=True)):
                            self.budget.hold(200 + 150 * size)
                            result.append(around([i * m + j for i, j in zip(ring, image, strict=True)]))
        return result

    def usable(self, live: set[Arc], m: int, taking_part: list[int], rings: list[frozenset[Arc]]) -> set[Arc]:
        """Return the association edges that can still be part of a whole ring, or need none."""
        if not self.marked[0]:
            return live
        self.budget.spend(sum(map(len, rings)))
        closed = {edge for ring in rings if ring <= live for edge in ring}
        return {
            (c, d)
            for c, d in live
            if (c, d) in closed or (min(c // m, d // m), max(c // m, d // m)) not in self.marked[0]
        }

    def words(self) -> list[str]:
        """Say what is asked for."""
        if not any(self.marked):
            return []
        marked = [many(len(edges), "edge") for edges in self.marked]
        rings = [many(len(edges), "ring") for edges in self.edges]
        return [f"{marked[0]} of a and {marked[1]} of b count with a whole ring only (of {rings[0]} and {rings[1]})"]

    def values(self) -> dict[str, object]:
        """Return the same for every way to ask for the same."""
        marked = tuple(tuple(sorted(edges)) for edges in self.marked)
        rings = tuple(tuple(sorted(map(sorted, edges))) for edges in self.edges) if any(marked) else ()
        return {"edges of whole rings": marked, "rings": rings}


def around(ring: list[int]) -> Ring:
    """Return the edges of a ring."""
    return frozenset((min(p, q), max(p, q)) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))
