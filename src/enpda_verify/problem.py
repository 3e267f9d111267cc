"""What a certificate speaks of: two graphs, who may meet, what edges are worth, what the common part must be."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

Arc = tuple[int, int]
"""Two cells i * |b| + j: the end that owns the share, and the other end."""

MAX_PIECE = 64
MAX_STEPS = 1_000_000


class CertificateError(Exception):
    """Why a certificate does not hold."""


def need(condition: bool, reason: str) -> None:
    """Refuse unless a condition holds."""
    if not condition:
        raise CertificateError(reason)


def whole(value: Any, what: str) -> int:
    """Take a whole number, and nothing that only looks like one."""
    if type(value) is not int:
        raise CertificateError(f"{what} must be a whole number; got {str(value)[:40]!r}")
    return value


def wholes(values: Any, what: str) -> list[int]:
    """Take a list of whole numbers."""
    need(isinstance(values, list), f"{what} must be a list")
    for value in values:
        if type(value) is not int:
            raise CertificateError(f"{what} must hold whole numbers; got {str(value)[:40]!r}")
    return list(values)


class Graph:
    """A simple labelled graph, as a certificate holds it."""

    def __init__(self, content: Any, what: str) -> None:
        need(isinstance(content, dict), f"graph {what} must be an object")
        self.labels = wholes(content["labels"], f"labels of graph {what}")
        ends = [wholes(end, f"edges of graph {what}") for end in content["edges"]]
        labels = wholes(content["edge_labels"], f"edge labels of graph {what}")
        need(len(ends) == len(labels), f"graph {what} has {len(ends)} edges and {len(labels)} edge labels")
        self.near: list[dict[int, int]] = [{} for _ in self.labels]
        self.edges: list[tuple[int, int, int]] = []
        for end, label in zip(ends, labels, strict=True):
            need(len(end) == 2, f"an edge of graph {what} does not have two ends")
            u, v = end
            need(0 <= u < v < len(self.labels), f"graph {what} has no edge {u}-{v}")
            need(v not in self.near[u], f"graph {what} has the edge {u}-{v} twice")
            self.near[u][v] = self.near[v][u] = label
            self.edges.append((u, v, label))

    def digest(self) -> str:
        """SHA-256 of labels and sorted edges."""
        content = {"nodes": self.labels, "edges": sorted([u, v, label] for u, v, label in self.edges)}
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()

    def around(self, v: int) -> Counter[tuple[int, int]]:
        """Edges at v by edge label and label of the other end."""
        return Counter((label, self.labels[w]) for w, label in self.near[v].items())


Ring = frozenset[tuple[int, int]]
"""The edges of a ring."""


class Constraint:
    """Whole rings, and number and size of fragments."""

    def __init__(self, a: Graph, b: Graph, content: Any) -> None:
        self.rings: list[list[list[int]]] = [[], []]
        self.edges: list[set[Ring]] = [set(), set()]
        self.marked: list[set[tuple[int, int]]] = [set(), set()]
        for side, g in enumerate((a, b)):
            for e in wholes(content["marked"][side], "marked"):
                need(0 <= e < len(g.edges), f"there is no edge {e} to be marked")
                self.marked[side].add(g.edges[e][:2])
            for listed in content["rings"][side]:
                ring = wholes(listed, "ring")
                need(len(set(ring)) == len(ring) > 2, "a ring has a node twice, or too few")
                edges = around(ring)
                need(all(0 <= u < v < len(g.labels) and v in g.near[u] for u, v in edges), "a ring is no cycle")
                self.rings[side].append(ring)
                self.edges[side].add(edges)
        labels = [{g.near[u][v] for u, v in marked} for g, marked in zip((a, b), self.marked, strict=True)]
        plain = [
            {label for u, v, label in g.edges if (u, v) not in marked}
            for g, marked in zip((a, b), self.marked, strict=True)
        ]
        need(not labels[0] & plain[1] and not labels[1] & plain[0], "edge labels do not tell marked edges from others")
        self.most = whole(content["max_fragments"], "max_fragments")
        self.least = whole(content["min_fragment"], "min_fragment")
        need(self.most >= 0 and self.least >= 0, "fragments cannot be limited by negative numbers")

    def retained(self, image: dict[int, int], kept: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return what counts of the preserved edges of a mapping, by the definition."""
        whole: set[tuple[int, int]] = set()
        for ring in self.rings[0]:
            if around(ring) <= kept.keys() and around([image[v] for v in ring]) in self.edges[1]:
                whole |= around(ring)
        kept = {edge: worth for edge, worth in kept.items() if edge in whole or edge not in self.marked[0]}
        fragments = []
        for nodes in parts(kept):
            edges = [edge for edge in kept if edge[0] in nodes]
            if len(nodes) >= self.least:
                fragments.append((sum(kept[edge] for edge in edges), len(nodes), edges))
        fragments.sort(key=lambda fragment: fragment[:2], reverse=True)
        return {edge: kept[edge] for *_, edges in fragments[: self.most or None] for edge in edges}

    def alignments(self, both: Pair) -> list[frozenset[Arc]]:
        """All ways to lay a ring onto a ring, as association edges."""
        m = len(both.b.labels)
        result = []
        for ring in self.rings[0]:
            for other in self.rings[1]:
                size = len(ring)
                if len(other) != size:
                    continue
                for shift in range(size):
                    for direction in (1, -1):
                        image = [other[(shift + direction * k) % size] for k in range(size)]
                        if all(both.may_meet(i, j) for i, j in zip(ring, image, strict=True)):
                            cells = [i * m + j for i, j in zip(ring, image, strict=True)]
                            result.append(around(cells))
        return result

    def unusable(self, live: set[Arc], m: int, taking_part: list[int], open_rings: list[frozenset[Arc]]) -> set[Arc]:
        """Return the association edges that no mapping under the constraint can use, given what is live."""
        left = set(live)
        while True:
            before = len(left)
            if self.marked[0]:
                closed = {edge for ring in open_rings if ring <= left for edge in ring}
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
    result = []
    while near:
        part, waiting = set(), [next(iter(near))]
        while waiting:
            v = waiting.pop()
            if v not in part:
                part.add(v)
                waiting += near.pop(v)
        result.append(part)
    return result


class Pair:
    """The two graphs, which of their nodes may meet, and what their edges are worth together."""

    def __init__(self, a: Graph, b: Graph, terms: Any, constraint: Any) -> None:
        self.a, self.b = a, b
        self.constraint = None if constraint is None else Constraint(a, b, constraint)
        self.closed: set[tuple[int, int]] = set()
        self.table: dict[tuple[int, int], int] | None = None
        self.looked: dict[tuple[int, tuple[int, ...]], bool] = {}
        if terms is not None:
            need(set(terms) == {"forbidden", "worth"}, "terms have the keys forbidden and worth")
            for pair in terms["forbidden"]:
                i, j = wholes(pair, "forbidden")
                need(0 <= i < len(a.labels) and 0 <= j < len(b.labels), f"forbidden has {i} -> {j}: no such nodes")
                self.closed.add((i, j))
            if terms["worth"] is not None:
                self.table = {}
                for entry in terms["worth"]:
                    x, y, value = wholes(entry, "worth")
                    need((x, y) not in self.table and value > 0, "worth has an entry twice, or one without worth")
                    self.table[x, y] = value

    def may_meet(self, i: int, j: int) -> bool:
        """Tell whether two nodes have equal labels and are not kept apart."""
        return self.a.labels[i] == self.b.labels[j] and (i, j) not in self.closed

    def worth(self, x: int, y: int | None) -> int:
        """Of an edge label of a and one of b; 0 for none."""
        if y is None:
            return 0
        return int(x == y) if self.table is None else self.table.get((x, y), 0)

    def counted(self, image: dict[int, int]) -> dict[tuple[int, int], int]:
        """Return the edges of a that count under a mapping, and what each is worth."""
        kept = {}
        for u, v, label in self.a.edges:
            worth = self.worth(label, self.b.near[image[u]].get(image[v])) if u in image and v in image else 0
            if worth > 0:
                kept[u, v] = worth
        return kept if self.constraint is None else self.constraint.retained(image, kept)

    def occurs(self, side: int, edges: tuple[int, ...]) -> bool:
        """Tell whether a mapping can preserve all these edges of a (side 0) or b (side 1), or refuse to look."""
        need(len(edges) <= MAX_PIECE, f"a piece has more than {MAX_PIECE} edges")
        if (side, edges) not in self.looked:
            self.looked[side, edges] = self._occurs(side, edges)
        return self.looked[side, edges]

    def _occurs(self, side: int, edges: tuple[int, ...]) -> bool:
        g, other = (self.a, self.b) if side == 0 else (self.b, self.a)

        def fits(v: int, w: int) -> bool:
            return self.may_meet(v, w) if side == 0 else self.may_meet(w, v)

        def like(x: int, y: int | None) -> bool:
            return y is not None and (self.worth(x, y) if side == 0 else self.worth(y, x)) > 0

        # Each edge after one that it touches; those between nodes that were met before come first.
        order: list[tuple[int, int, int]] = []
        met: set[int] = set()
        waiting = [g.edges[e] for e in edges]
        while waiting:
            best = max(waiting, key=lambda edge: (edge[0] in met) + (edge[1] in met))
            waiting.remove(best)
            order.append(best)
            met |= {best[0], best[1]}

        steps = 0

        def extend(k: int, image: dict[int, int]) -> bool:
            nonlocal steps
            steps += 1
            need(steps <= MAX_STEPS, "whether a piece occurs in the other graph takes too long to find out")
            if k == len(order):
                return True
            u, v, label = order[k]
            if u in image and v in image:
                return like(label, other.near[image[u]].get(image[v])) and extend(k + 1, image)
            if u not in image and v not in image:
                return any(
                    extend(k, {**image, u: w})
                    for w in range(len(other.labels))
                    if w not in image.values() and fits(u, w)
                )
            old, new = (u, v) if u in image else (v, u)
            return any(
                extend(k + 1, {**image, new: w})
                for w, found in other.near[image[old]].items()
                if w not in image.values() and like(label, found) and fits(new, w)
            )

        return extend(0, {})

    def most(self) -> int:
        """Return what all edges of the poorer graph could get at most."""
        if self.table is None:
            return min(len(self.a.edges), len(self.b.edges))
        labels_a, labels_b = ({label for *_, label in g.edges} for g in (self.a, self.b))
        best_a = {x: max((self.worth(x, y) for y in labels_b), default=0) for x in labels_a}
        best_b = {y: max((self.worth(x, y) for x in labels_a), default=0) for y in labels_b}
        return min(sum(best_a[label] for *_, label in self.a.edges), sum(best_b[label] for *_, label in self.b.edges))

    def plain(self, kind: str) -> None:
        """Refuse a bound that counts edges where they have worths."""
        need(self.table is None, f"the bound {kind} does not know worths")
