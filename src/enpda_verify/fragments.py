"""How many fragments a common part may have, and how small they may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from enpda_verify.reading import Budget, many, need, whole

if TYPE_CHECKING:
    from enpda_verify.constraint import Arc
    from enpda_verify.problem import Graph, Places, Problem


class Fragments:
    """Fragments at most (0: any number), and nodes of each at least."""

    nothing: ClassVar[dict[str, Any]] = {"max_fragments": 0, "min_fragment": 0}
    """What a record holds where nothing is asked for."""

    def __init__(self, a: Graph, b: Graph, content: dict[str, Any], budget: Budget) -> None:
        self.budget = budget
        self.most = whole(content["max_fragments"], "max_fragments")
        self.least = whole(content["min_fragment"], "min_fragment")
        need(self.most >= 0 and self.least >= 0, "fragments cannot be limited by negative numbers")

    def facts(self) -> Iterator[tuple[str, int, Places]]:
        """Nothing is said about particular nodes."""
        return iter(())

    def check(self, both: Problem) -> None:
        """Accept any graphs."""

    def retained(self, image: dict[int, int], kept: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return what counts of the preserved edges of a mapping, by the definition."""
        self.budget.spend(10 * len(kept))
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

    def usable(self, live: set[Arc], m: int, taking_part: list[int], rings: list[frozenset[Arc]]) -> set[Arc]:
        """Return the association edges that can be part of a fragment that is allowed.

        Not what is too small, and not what does not hang together with those who take part when these make as many
        fragments as there may be.
        """
        counted = self.most > 0 and len(taking_part) > 0
        if not counted and self.least <= 2:
            return live
        self.budget.spend(20 * len(live))
        pieces = parts(live)
        if counted:
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
        return {edge for edge in live if edge[0] in kept}

    def words(self) -> list[str]:
        """Say what is asked for."""
        number = [f"at most {many(self.most, 'fragment')}"] if self.most else []
        return number + ([f"fragments of at least {many(self.least, 'node')}"] if self.least > 2 else [])

    def values(self) -> dict[str, object]:
        """Return the same for every way to ask for the same."""
        return {"numbers of fragments": self.most, "sizes of fragments": self.least if self.least > 2 else 0}


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
