"""What a certificate speaks of: two graphs, who may meet, what edges are worth, what the common part must be."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from enpda_verify.constraint import Constraint
from enpda_verify.reading import Budget, keys, need, wholes

MAX_CELLS = 64_000_000
MAX_PIECE = 64

Places = int | frozenset[Any] | None
"""Nodes that a fact speaks of: one, a set of nodes (an edge), or a set of edges (a ring); None of this graph."""
Fact = tuple[str, int, Places, Places]
"""What is said, with which number, of which nodes of a, and of which nodes of b."""


class Graph:
    """A simple labelled graph, as a certificate holds it; its edges are numbered in ascending order."""

    def __init__(self, content: Any, what: str, budget: Budget) -> None:
        content = keys(content, {"labels", "edges", "edge_labels"}, f"graph {what}")
        self.labels = wholes(content["labels"], f"a label of graph {what}")
        need(isinstance(content["edges"], list), f"malformed: edges of graph {what} must be a list")
        budget.spend(5 * len(self.labels) + 20 * len(content["edges"]))
        budget.hold(150 * len(self.labels) + 500 * len(content["edges"]))
        ends = [wholes(end, f"an end of an edge of graph {what}") for end in content["edges"]]
        labels = wholes(content["edge_labels"], f"an edge label of graph {what}")
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
        self.edges.sort()

    def digest(self) -> str:
        """SHA-256 of labels and sorted edges."""
        content = {"nodes": self.labels, "edges": [list(edge) for edge in self.edges]}
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()

    def around(self, v: int) -> Counter[tuple[int, int]]:
        """Edges at v by edge label and label of the other end."""
        return Counter((label, self.labels[w]) for w, label in self.near[v].items())


class Problem:
    """The question that a certificate answers.

    Everything that is known about particular nodes is a fact in `facts`, and the tables that the checks read hold
    nothing else. So a renaming of one graph's nodes that turns facts into facts is a symmetry of the whole problem,
    whatever the problem consists of.
    """

    def __init__(self, a: Graph, b: Graph, terms: Any, constraint: Any, budget: Budget) -> None:
        need(len(a.labels) * len(b.labels) <= MAX_CELLS, "the graphs are too large")
        self.a, self.b, self.budget = a, b, budget
        budget.spend(sum(10 * len(g.labels) + 20 * len(g.edges) for g in (a, b)))
        budget.hold(sum(300 * len(g.labels) + 600 * len(g.edges) for g in (a, b)))
        self.facts: set[Fact] = set()
        self.places = 0  # nodes in all facts, counted again for every fact
        self._symmetries: set[tuple[int, ...]] = set()
        self._occurs: dict[tuple[int, frozenset[int]], bool] = {}
        for side, g in enumerate((a, b)):
            for v, label in enumerate(g.labels):
                self._say("label", label, side, v)
            for u, v, label in g.edges:
                self._say("edge", label, side, frozenset((u, v)))
        self.apart: set[tuple[int, int]] = set()
        self.table: dict[tuple[int, int], int] | None = None
        if terms is not None:
            self._read_terms(keys(terms, {"forbidden", "worth"}, "terms"))
        self.constraint = None if constraint is None else Constraint(a, b, constraint, budget)
        if self.constraint is not None:
            for kind in self.constraint.kinds:
                for fact, side, places in kind.facts():
                    self._say(fact, 0, side, places)
            self.constraint.check(self)

    def _say(self, kind: str, value: int, side: int, places: Places) -> None:
        self.places += 2 * len(places) if isinstance(places, frozenset) else 1
        self.facts.add((kind, value, places, None) if side == 0 else (kind, value, None, places))

    def _read_terms(self, terms: dict[str, Any]) -> None:
        for pair in terms["forbidden"]:
            i, j = wholes(pair, "forbidden")
            need(0 <= i < len(self.a.labels) and 0 <= j < len(self.b.labels), f"forbidden has {i} -> {j}: no nodes")
            self.apart.add((i, j))
            self.facts.add(("apart", 0, i, j))
        if terms["worth"] is not None:
            self.table = {}
            for entry in terms["worth"]:
                x, y, value = wholes(entry, "worth")
                need((x, y) not in self.table and value > 0, "worth has an entry twice, or one without worth")
                self.table[x, y] = value

    def need_symmetry(self, side: int, image: tuple[int, ...], where: str) -> None:
        """Refuse unless a renaming of one graph's nodes leaves the whole problem as it is."""
        if (side, *image) in self._symmetries:
            return
        size = len((self.a, self.b)[side].labels)
        need(len(image) == size and set(image) == set(range(size)), f"{where}an automorphism is no permutation")
        self.budget.spend(10 * (len(self.facts) + self.places))

        def renamed(places: Any) -> Any:
            return frozenset(map(renamed, places)) if isinstance(places, frozenset) else image[places]

        for kind, value, *both in self.facts:
            if both[side] is not None:
                both[side] = renamed(both[side])
                # Different facts stay different, so that they are permuted when none leaves the set.
                need((kind, value, *both) in self.facts, f"{where}not an automorphism: it does not keep every {kind}")
        self.budget.hold(50 + 8 * size)
        self._symmetries.add((side, *image))

    def may_meet(self, i: int, j: int) -> bool:
        """Tell whether two nodes have equal labels and are not kept apart."""
        return self.a.labels[i] == self.b.labels[j] and (i, j) not in self.apart

    def worth(self, x: int, y: int | None) -> int:
        """Of an edge label of a and one of b; 0 for none."""
        if y is None:
            return 0
        return int(x == y) if self.table is None else self.table.get((x, y), 0)

    def counted(self, image: dict[int, int]) -> dict[tuple[int, int], int]:
        """Return the edges of a that count under a mapping, and what each is worth."""
        self.budget.spend(5 * len(self.a.edges))
        kept = {}
        for u, v, label in self.a.edges:
            worth = self.worth(label, self.b.near[image[u]].get(image[v])) if u in image and v in image else 0
            if worth > 0:
                kept[u, v] = worth
        return kept if self.constraint is None else self.constraint.retained(image, kept)

    def occurs(self, side: int, edges: frozenset[int]) -> bool:
        """Tell whether a mapping can preserve all these edges of a (side 0) or b (side 1)."""
        need(len(edges) <= MAX_PIECE, f"a piece has more than {MAX_PIECE} edges")
        if (side, edges) not in self._occurs:
            self._occurs[side, edges] = self._found(side, edges)
        return self._occurs[side, edges]

    def _found(self, side: int, edges: frozenset[int]) -> bool:
        g, other = (self.a, self.b) if side == 0 else (self.b, self.a)

        def fits(v: int, w: int) -> bool:
            return self.may_meet(v, w) if side == 0 else self.may_meet(w, v)

        def like(x: int, y: int | None) -> bool:
            return y is not None and (self.worth(x, y) if side == 0 else self.worth(y, x)) > 0

        # Each edge after one that it touches; those between nodes that were met before come first.
        self.budget.spend(5 * len(edges) ** 2)
        order: list[tuple[int, int, int]] = []
        met: set[int] = set()
        waiting = [g.edges[e] for e in sorted(edges)]
        while waiting:
            best = max(waiting, key=lambda edge: (edge[0] in met) + (edge[1] in met))
            waiting.remove(best)
            order.append(best)
            met |= {best[0], best[1]}

        def extend(k: int, image: dict[int, int]) -> bool:
            self.budget.spend(10 + len(image))
            if k == len(order):
                return True
            u, v, label = order[k]
            if u in image and v in image:
                return like(label, other.near[image[u]].get(image[v])) and extend(k + 1, image)
            if u not in image and v not in image:
                self.budget.spend(2 * len(other.labels))
                return any(
                    extend(k, {**image, u: w})
                    for w in range(len(other.labels))
                    if w not in image.values() and fits(u, w)
                )
            old, new = (u, v) if u in image else (v, u)
            self.budget.spend(2 * len(other.near[image[old]]))
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
        self.budget.spend(2 * len(labels_a) * len(labels_b))
        best_a = {x: max((self.worth(x, y) for y in labels_b), default=0) for x in labels_a}
        best_b = {y: max((self.worth(x, y) for x in labels_a), default=0) for y in labels_b}
        return min(sum(best_a[label] for *_, label in self.a.edges), sum(best_b[label] for *_, label in self.b.edges))

    def plain(self, kind: str) -> None:
        """Refuse a bound that counts edges where they have worths."""
        need(self.table is None, f"the bound {kind} does not know worths")
