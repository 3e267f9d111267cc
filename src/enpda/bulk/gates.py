"""Gates that pairs go through until they are decided: what all kinds of them have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.bulk.library import Library
from enpda.bulk.question import Question
from enpda.bulk.rows import BELOW, Integers, Reals, Rows
from enpda.problem.rules import seen, weight_in
from enpda.problem.thresholds import least_sizes, least_totals
from enpda.solve.options import ENDLESS, Options


class PairGates(ABC):
    """Where pairs go in and rows come out.

    Attributes
    ----------
    rows : Rows
        One a pair, filled on the way.
    """

    def __init__(self, rows: Rows, first: Library, second: Library, question: Question, threads: int) -> None:
        self.rows, self.first, self.second, self.question, self.threads = rows, first, second, question, threads
        nodes, edges = (first.nodes[rows.a], second.nodes[rows.b]), (first.edges[rows.a], second.edges[rows.b])
        self._whole: Integers = (nodes[0] + edges[0]) * (nodes[1] + edges[1])
        self._edges: Integers = edges[0] + edges[1]  # or what they weigh
        self._alike = nodes[0] == nodes[1]
        # What can be shared at most.
        self._most_nodes: Integers = np.minimum(*nodes)
        self._most_edges: Integers = np.minimum(*edges)
        self._nodes_asked = np.zeros(len(rows), dtype=np.bool_)
        self._most_total: Integers = np.full(len(rows), ENDLESS, dtype=np.int64)  # edges and nodes
        self.want(None, None)

    # -- gates ---------------------------------------------------------------------------------------------

    def caps(self, screen: _core.Screen | None = None) -> npt.NDArray[np.int32]:
        """Return the edges (with weights, what they weigh) and nodes that each pair can share at most, by counts.

        Parameters
        ----------
        screen : _core.Screen, optional
            That of all items of the second kind; by default one is made of those that occur.
        """
        if self.question.weighted:
            return np.column_stack([np.minimum(*self._weights()), self._most_nodes]).astype(np.int32)
        (a, i), (b, j) = compact(self.rows.a), compact(self.rows.b)
        if screen is None:
            screen = _core.Screen(self._seen(self.second, b))
        else:
            j = self.rows.b
        edges, nodes = screen.caps(self._seen(self.first, a), 0, len(screen))
        return np.column_stack([edges[i, j], nodes[i, j]])

    def count(self, caps: npt.NDArray[np.int32]) -> None:
        """Bound every pair by its caps. Constraints only take mappings away: the caps stand."""
        self._most_nodes = caps[:, 1].astype(np.int64)
        if self.question.weighted:
            self._edges = np.add(*self._weights())
        else:
            self._most_edges = caps[:, 0].astype(np.int64)
        self.rows.upper[:] = caps[:, 0]
        self.rows.distance[:] = self._edges

    def _seen(self, library: Library, chosen: Integers) -> list[_core.Graph]:
        """Return graphs as the rules see them: labels that are equal where they match."""
        rules = self.question.options.rules
        if rules is None:
            return [library.cores[k] for k in chosen]
        return [seen(library[k], rules).core for k in chosen.tolist()]

    def _weights(self) -> tuple[Integers, Integers]:
        """Return what all edges of either graph of each pair weigh."""
        rules = self.question.options.rules
        assert rules is not None

        def of(library: Library, items: Integers) -> Integers:
            distinct, place = compact(items)
            return np.array([weight_in(seen(library[k], rules), rules) for k in distinct.tolist()], np.int64)[place]

        return of(self.first, self.rows.a), of(self.second, self.rows.b)

    def want(self, min_similarity: float | Reals | None, max_distance: int | Integers | None) -> None:
        """Set the threshold for all pairs, or one for each. Under weights a similarity is compared with sizes only."""
        n, weighted = len(self.rows), self.question.weighted
        similar = None if min_similarity is None else np.broadcast_to(np.asarray(min_similarity, dtype=np.float64), n)
        self._min_similarity = None if weighted else similar
        self._max_distance = None if max_distance is None else np.broadcast_to(np.asarray(max_distance), n)
        # In edges, and in edges and nodes together.
        self._total = self._least = np.zeros(n, dtype=np.int64)
        if similar is not None:
            self._total = least_totals(self._whole, similar)
            self._least = self._least if weighted else least_sizes(self._total, self._most_nodes)
        if self._max_distance is not None:
            self._least = np.maximum(self._least, -((self._max_distance - self._edges) // 2))

    def by_bound(self, left: Integers) -> Integers:
        """Return the pairs that what is known of them does not exclude."""
        return left[(self.rows.upper[left] >= self._least[left]) & (self._total_left()[left] >= self._total[left])]

    @abstractmethod
    def by_question(self, left: Integers, nodes: bool = False) -> Integers:
        """Return the pairs that a bound does not exclude when it is asked for.

        Only edges are asked for, unless `nodes`: to look for nodes as well would find what the full match finds again.
        """

    @abstractmethod
    def in_full(self, left: Integers, nodes: bool = False) -> None:
        """Match pairs as `match` does; with `nodes`, as many are looked for as the similarity wants."""

    @abstractmethod
    def as_asked(self, options: Options) -> None:
        """Match all pairs as `match` does with these options, a threshold among them: no gate before that."""

    def by_nodes(self) -> None:
        """Look for nodes where the size is proven and nothing but nodes is missing for the similarity."""
        if self._min_similarity is None:
            return
        rows = self.rows
        close = rows.optimal & (rows.status != BELOW) & ~self.met() & (self.possible() >= self._min_similarity)
        asked = np.flatnonzero(close & ~self._nodes_asked)
        self._nodes_asked[asked] = True
        before, room = rows.take(asked), self._most_nodes[asked]
        self._ask_nodes(asked)
        # The proof of the size stands: a mapping with nodes enough ends the question before it is found again.
        found = rows.take(asked)
        self._most_nodes[asked] = np.where(found.optimal, self._most_nodes[asked], room)
        more = (found.size == before.size) & (found.nodes > before.nodes)
        for entry in fields(rows):
            new = more if entry.name in ("nodes", "similarity") else entry.name == "seconds"
            getattr(rows, entry.name)[asked] = np.where(new, getattr(found, entry.name), getattr(before, entry.name))

    @abstractmethod
    def _ask_nodes(self, asked: Integers) -> None:
        """Ask for as many nodes as the similarity wants, with the size that is proven."""

    # -- what is known -------------------------------------------------------------------------------------

    def similarity(self, total: Integers, chosen: npt.NDArray[Any] | slice = slice(None)) -> Reals:
        """Return Johnson similarities of common parts with so many nodes and edges."""
        whole = self._whole[chosen]
        return np.where(whole == 0, self._alike[chosen], total.astype(np.float64) ** 2 / np.maximum(whole, 1))

    def nodes_upper(self) -> Integers:
        """Return the nodes that a mapping of each pair, with as many edges as any, has at most."""
        return np.minimum(self._most_nodes, 2 * self.rows.upper.astype(np.int64))

    def _edges_left(self) -> Integers:
        """Return the edges that each pair shares at most."""
        return self._most_edges if self.question.weighted else np.minimum(self._most_edges, self.rows.upper)

    def _total_left(self) -> Integers:
        """Return the edges and nodes together that each pair shares at most."""
        edges = self._edges_left()
        return np.minimum(edges + np.minimum(self._most_nodes, 2 * edges), self._most_total)

    def possible(self) -> Reals:
        """Return the similarity that a mapping of each pair can have at most."""
        return self.similarity(self._total_left())

    def certain(self) -> npt.NDArray[np.bool_]:
        """Tell which pairs are proven: their size and, where the most nodes are asked for, these."""
        rows = self.rows
        if not self.question.options.most_nodes:
            return rows.optimal
        return rows.optimal & (rows.nodes >= np.minimum(self._most_nodes, 2 * rows.size))

    def most_similarity(self) -> Reals:
        """Return the similarity that `match` finds at most; where that is proven, what it found."""
        return np.where(self.certain(), self.rows.similarity, self.possible())

    def least_distance(self) -> Integers:
        """Return the distance that each pair has at least."""
        rows = self.rows
        return (rows.distance - 2 * (rows.upper - rows.size)).astype(np.int64)

    def of_interest(self) -> npt.NDArray[np.bool_]:
        """Tell which pairs keep to the threshold, or may do so for all we know."""
        good: npt.NDArray[np.bool_] = self.rows.status != BELOW
        if self._min_similarity is not None:
            good &= np.maximum(self.possible(), self.rows.similarity) >= self._min_similarity
        if self._max_distance is not None:
            good &= self.least_distance() <= self._max_distance
        return good

    def met(self) -> npt.NDArray[np.bool_]:
        """Tell which mappings keep to the threshold."""
        good = np.ones(len(self.rows), dtype=np.bool_)
        if self._min_similarity is not None:
            good &= self.rows.similarity >= self._min_similarity
        if self._max_distance is not None:
            good &= self.rows.distance <= self._max_distance
        return good

    def settled(self) -> npt.NDArray[np.bool_]:
        """Tell which pairs keep to the threshold by their best mapping, too, whatever that is."""
        if self._min_similarity is None:
            return self.met()
        # A common part has one node more than edges, less one for each of its cycles, or more in several pieces.
        rows = self.rows
        cycles = np.minimum(self.first.cycles[rows.a], self.second.cycles[rows.b])
        return self.met() & (rows.size > 0) & (2 * rows.size - cycles + 1 >= self._total)


def compact(values: Integers) -> tuple[Integers, Integers]:
    """Return the distinct values in order, and the place of each value among them; without sorting."""
    if not len(values):
        return values, values
    low = values.min()
    present = np.zeros(values.max() - low + 1, dtype=np.bool_)
    present[values - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[values - low]
