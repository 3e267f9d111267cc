"""Whole rings, and number and size of fragments: what counts of a mapping, and what no mapping can use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from enpda_verify.reading import Budget, keys, need, whole, wholes

if TYPE_CHECKING:
    from enpda_verify.problem import Graph, Problem

Arc = tuple[int, int]
"""An association edge as its two cells i * |b| + j, the smaller one first."""
Ring = frozenset[tuple[int, int]]
"""The edges of a ring."""


class Constraint:
    """What a common part must be besides common."""

    def __init__(self, a: Graph, b: Graph, content: Any, budget: Budget) -> None:
        content = keys(content, {"rings", "marked", "max_fragments", "min_fragment"}, "constraint")
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
        self.most = whole(content["max_fragments"], "max_fragments")
        self.least = whole(content["min_fragment"], "min_fragment")
        need(self.most >= 0 and self.least >= 0, "fragments cannot be limited by negative numbers")

    def retained(self, image: dict[int, int], kept: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return what counts of the preserved edges of a mapping, by the definition."""
        self.budget.spend(5 * sum(map(len, self.rings[0])) + 10 * len(kept))
        whole: set[tuple[int, int]] = set()
        for ring in self.rings[0]:
            if around(ring) <= kept.keys() and around([image[v] for v in ring]) in self.edges[1]:
                whole |= around(ring)
        kept = {edge: worth for edge, worth in kept.items() if edge in whole or edge not in self.marked[0]}
        part_of = {v: k for k, nodes in enumerate(parts(kept)) for v in nodes}
        fragments: dict[int, list[tuple[int, int]]] = {}
        for edge in kept:
            fragments.setdefault(part_of[edge[0]], []).append(edge)
        ranked = []
        for edges in fragments.values():
            nodes = len({v for edge in edges for v in edge})
            if nodes >= self.least:
                ranked.append((sum(kept[edge] for edge in edges), nodes, edges))
        ranked.sort(key=lambda fragment: fragment[:2], reverse=True)
        return {edge: kept[edge] for *_, edges in ranked[: self.most or None] for edge in edges}

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

    def unusable(self, live: set[Arc], m: int, taking_part: list[int], open_rings: list[frozenset[Arc]]) -> set[Arc]:
        """Return the association edges that no mapping under the constraint can use, given what is live.

        `taking_part` are cells that belong to the common part for certain.
        """
        left = set(live)
        while True:
            self.budget.spend(20 * len(left) + sum(map(len, open_rings)))
            before = len(left)
            if self.marked[0]:
                open_rings = [ring for ring in open_rings if ring <= left]
                closed = {edge for ring in open_rings for edge in ring}
                left = {
                    (c, d)
                    for c, d in left
                    if (c, d) in closed or (min(c // m, d // m), max(c // m, d // m)) not in self.marked[0]
                }
            if (self.most and taking_part) or self.least > 2:
                pieces = parts(left)
                if self.most and taking_part:
                    occupied = [cells for cells in pieces if not cells.isdisjoint(taking_part)]
                    inside = sum(len(cells.intersection(taking_part)) for cells in occupied)
                    if inside < len(set(taking_part)) or len(occupied) > self.most:
                        pieces = []
                    elif len(occupied) == self.most:
                        pieces = occupied
                kept = {
                    cell
                    for cells in pieces
                    if min(len({c // m for c in cells}), len({c % m for c in cells})) >= self.least
                    for cell in cells
                }
                left = {edge for edge in left if edge[0] in kept}
            if len(left) == before:
                return live - left


def around(ring: list[int]) -> Ring:
    """Return the edges of a ring."""
    return frozenset((min(p, q), max(p, q)) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))


def parts(edges: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return what hangs together by edges."""
    near: dict[int, set[int]] = {}
    for u, v in edges:
        near.setdefault(u, set()).add(v)
        near.setdefault(v, set()).add(u)
    result, seen = [], set()
    for start in near:
        if start in seen:
            continue
        part, waiting = {start}, [start]
        while waiting:
            more = near[waiting.pop()] - part
            part |= more
            waiting += more
        seen |= part
        result.append(part)
    return result
