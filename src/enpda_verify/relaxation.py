"""The RLT-1 bound: association edges, and stages of shares and potentials that bound every mapping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from enpda_verify.constraint import Arc
from enpda_verify.matching import best_matching
from enpda_verify.problem import Problem
from enpda_verify.reading import CertificateError, need, objects, whole, wholes

EDGE_BYTES = 200
"""Of an association edge in a set; in a stage, with its shares, about four times as much."""


def line(values: Any, length: int, what: str) -> list[int]:
    """Take potentials: one whole number for each node, none negative."""
    result = wholes(values, what)
    need(len(result) == length, f"{what} has {len(result)} entries, not {length}")
    need(min(result, default=0) >= 0, f"{what} has a negative entry")
    return result


@dataclass(frozen=True)
class Association:
    """All pairs of cells such that choosing both preserves an edge, what that is worth, and rings of them."""

    both: Problem
    worth: dict[Arc, int]
    rings: list[frozenset[Arc]]
    unit: int
    known: int

    @property
    def least(self) -> int:
        """What a mapping that is not known yet is worth at least, in units."""
        return (self.known + 1) * self.unit

    def dear(self, edges: set[Arc], stage: Stage | None) -> set[Arc]:
        """Return those edges that no mapping that is not known yet can use, by the stage where they were live last."""
        return set() if stage is None else {edge for edge in edges if stage.too_dear(edge, self.least)}

    def useless(self, gone: set[Arc], live: set[Arc], dear: set[Arc], taking_part: list[int]) -> bool:
        """Tell whether all of `gone` is dear, or of no use to the constraint once what is dear has left the live."""
        gone = gone - dear
        if not gone or self.both.constraint is None:
            return not gone
        return gone <= self.both.constraint.unusable(live - dear, len(self.both.b.labels), taking_part, self.rings)


def association(both: Problem, unit: int, known: int) -> Association:
    """Build the association graph of a problem."""
    a, b, budget = both.a, both.b, both.budget
    m = len(b.labels)
    by_kind: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for u, v, label in b.edges:
        by_kind.setdefault((label, b.labels[u], b.labels[v]), []).append((u, v))
        by_kind.setdefault((label, b.labels[v], b.labels[u]), []).append((v, u))
    labels_a, labels_b = ({label for *_, label in g.edges} for g in (a, b))
    budget.spend(len(labels_a) * len(labels_b))
    like = {x: [y for y in labels_b if both.worth(x, y)] for x in labels_a}
    worth: dict[Arc, int] = {}
    for i, k, label in a.edges:
        for y in like[label]:
            found = by_kind.get((y, a.labels[i], a.labels[k]), ())
            budget.spend(2 + 10 * len(found))
            budget.hold(EDGE_BYTES * len(found))
            for j, opposite in found:
                if both.may_meet(i, j) and both.may_meet(k, opposite):
                    c, d = i * m + j, k * m + opposite
                    worth[min(c, d), max(c, d)] = both.worth(label, y)
    if both.constraint is None:
        return Association(both, worth, [], unit, known)
    rings = [ring for ring in both.constraint.rings.alignments(both) if ring <= worth.keys()]
    closed = {edge for ring in rings for edge in ring}
    marked = both.constraint.rings.marked[0]
    for c, d in list(worth):
        if (c, d) not in closed and (min(c // m, d // m), max(c // m, d // m)) in marked:
            del worth[c, d]
    return Association(both, worth, rings, unit, known)


class Stage:
    """Shares of profit and potentials: feasible, or refused."""

    def __init__(self, space: Association, content: Any, what: str) -> None:
        both = space.both
        a, b = both.a, both.b
        self.m, self.budget = len(b.labels), both.budget
        first, second = wholes(content["a"], what), wholes(content["b"], what)
        shares = wholes(content["share"], what)
        need(len(first) == len(second) == len(shares), f"{what}: lists of different lengths")
        self.budget.spend(30 * len(first) + len(a.labels) + len(b.labels))
        self.size = 4 * EDGE_BYTES * len(first) + 50 * (len(a.labels) + len(b.labels))
        self.row = line(content["row"], len(a.labels), f"{what}: row potentials")
        self.column = line(content["column"], len(b.labels), f"{what}: column potentials")
        self.total = sum(self.row) + sum(self.column)
        prices = self._prices(both, objects(content.get("pieces", []), f"{what}: pieces"), what)
        self.live: set[Arc] = set()
        # Per cell, its shares by the source node and the target node that an association edge leads to.
        self.shares: dict[int, dict[int, dict[int, int]]] = {}
        for c, d, share in zip(first, second, shares, strict=True):
            edge = (min(c, d), max(c, d))
            need(edge not in self.live, f"{what} has an association edge twice")
            need(edge in space.worth, f"{what} has an association edge that is not there")
            self.live.add(edge)
            (i, j), (k, w) = divmod(c, self.m), divmod(d, self.m)
            price = prices[0].get((min(i, k), max(i, k)), 0) + prices[1].get((min(j, w), max(j, w)), 0)
            for own, other, part in ((c, d, share), (d, c, space.unit * space.worth[edge] - price - share)):
                self.shares.setdefault(own, {}).setdefault(other // self.m, {})[other % self.m] = part
        self.value = {c: best_matching(list(table.values()), self.budget.spend) for c, table in self.shares.items()}
        for cell, value in self.value.items():
            i, j = divmod(cell, self.m)
            need(self.row[i] + self.column[j] >= value, f"{what}: the potentials do not cover {i} -> {j}")

    def _prices(
        self, both: Problem, contents: list[dict[str, Any]], what: str
    ) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        """Check that pieces do not occur in the other graph; return prices by edge of a and of b, and pay for them."""
        prices: tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]] = ({}, {})
        for content in contents:
            need(content["graph"] in ("a", "b"), f"{what}: a piece of no graph")
            side = ("a", "b").index(content["graph"])
            g = (both.a, both.b)[side]
            price, edges = whole(content["price"], "price"), wholes(content["edges"], "an edge of a piece")
            need(price >= 0, f"{what}: a piece with a negative price")
            need(len(set(edges)) == len(edges) > 0, f"{what}: a piece has an edge twice, or none")
            need(all(0 <= e < len(g.edges) for e in edges), f"{what}: a piece has an edge that is not there")
            need(not both.occurs(side, frozenset(edges)), f"{what}: a piece occurs in the other graph")
            self.total += price * (len(edges) - 1)
            for e in edges:
                u, v, _ = g.edges[e]
                prices[side][u, v] = prices[side].get((u, v), 0) + price
        return prices

    def _slack(self, cell: int) -> int:
        i, j = divmod(cell, self.m)
        return self.row[i] + self.column[j] - self.value[cell]

    def _loss(self, own: int, other: int) -> int:
        """Return what the matching of a cell loses by using one association edge."""
        i, j = divmod(other, self.m)
        table = self.shares[own]
        self.budget.spend(sum(map(len, table.values())))
        rest = [{q: s for q, s in entries.items() if q != j} for p, entries in table.items() if p != i]
        return self.value[own] - table[i][j] - best_matching(rest, self.budget.spend)

    def too_dear(self, edge: Arc, least: int) -> bool:
        """Tell whether no mapping worth `least` can use an edge."""
        self.budget.spend(5)
        c, d = edge
        if edge not in self.live:
            return False
        left = self.total - self._slack(c) - self._slack(d)
        if left >= least:
            left -= self._loss(c, d) + self._loss(d, c)
        return left < least


def chain(
    space: Association, contents: Any, live: set[Arc], before: Stage | None, taking_part: list[int], where: str
) -> tuple[Stage, int]:
    """Check the stages of one node, where each justifies what the next one lacks; return the last, and the bound."""
    budget = space.both.budget
    least: int | None = None
    for number, content in enumerate(objects(contents, f"{where}stages")):
        what = f"{where}stage {number}"
        stage = Stage(space, content, what)
        budget.hold(stage.size)
        budget.spend(2 * len(live))
        need(stage.live <= live, f"{what} has an association edge that is not there")
        gone = live - stage.live
        fine = space.useless(gone, live, space.dear(gone, before), taking_part)
        lacks = " lacks association edges" if before is None else ": an association edge is missing without a reason"
        need(fine, what + lacks)
        if least is not None and before is not None:
            budget.hold(-before.size)
        least = stage.total if least is None else min(least, stage.total)
        live, before = stage.live, stage
    if before is None or least is None:
        raise CertificateError(f"{where}the bound has no stage")
    budget.hold(-before.size)
    return before, least // space.unit
