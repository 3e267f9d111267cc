"""Rows of an all-pairs table, and how the answers to a question are found.

A pair passes up to three gates, each only when the one before left it open: counts (millions of pairs a second), the
threshold question (a bound that excludes the pair, nearly always), and the full match, whose row is that of `match`.
A distance asks for edges; a similarity asks for edges and nodes together, and one bound on both decides nearly always.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.bulk.library import Library
from enpda.bulk.many import many_on_device, stream_as
from enpda.bulk.question import Question
from enpda.problem.rules import seen, weight_in
from enpda.problem.thresholds import least_sizes, least_totals
from enpda.result.match import Match
from enpda.solve.options import ENDLESS, Options

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

STATUSES = ("optimal", "bounded", "below_threshold", "time_limit", "interrupted")
BELOW = STATUSES.index("below_threshold")
SCREEN = "screen"
"""The method of a row that counts alone decided."""


@dataclass
class Rows:
    """Answers as columns; `a` and `b` are numbers of items."""

    a: Integers
    b: Integers
    size: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]
    optimal: npt.NDArray[np.bool_]
    similarity: npt.NDArray[np.float64]
    distance: npt.NDArray[np.int32]
    status: npt.NDArray[np.uint8]
    screened: npt.NDArray[np.bool_]
    seconds: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, pairs: Integers) -> Rows:
        """Return rows for pairs, with nothing known yet."""
        n = len(pairs)
        size, upper, nodes, distance = (np.zeros(n, dtype=np.int32) for _ in range(4))
        status = np.full(n, BELOW, dtype=np.uint8)
        optimal, screened = np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
        a, b = pairs.T
        return cls(a, b, size, upper, nodes, optimal, np.zeros(n), distance, status, screened, np.zeros(n))

    def __len__(self) -> int:
        return len(self.a)

    def take(self, chosen: npt.NDArray[Any]) -> Rows:
        """Return some of the rows."""
        return Rows(*(getattr(self, entry.name)[chosen] for entry in fields(self)))

    @classmethod
    def concatenated(cls, parts: list[Rows]) -> Rows:
        """Return the rows of several parts, one after the other."""
        if not parts:
            return cls.empty(np.zeros((0, 2), dtype=np.int64))
        return cls(*(np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(cls)))


def evaluate(pairs: Integers, first: Library, second: Library, question: Question, threads: int) -> Rows:
    """Answer the question about pairs of items (rows i, j); with a threshold and `drop`, those of interest only.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, at once.
    """
    gates = gates_of(pairs, first, second, question, threads)
    left = np.arange(len(pairs))
    if question.threshold:
        gates.count(gates.caps())
        gates.want(question.min_similarity or None, question.max_distance)
        left = gates.by_question(gates.by_bound(left))
    gates.in_full(left, nodes=question.threshold)
    if not question.threshold:
        return gates.rows
    gates.by_nodes()
    good = gates.of_interest()
    if question.screened == "drop":
        return gates.rows.take(np.flatnonzero(good))
    gates.rows.status[~good] = BELOW
    return gates.rows


def gates_of(pairs: Integers, first: Library, second: Library, question: Question, threads: int) -> PairGates:
    """Return the gates that pairs of items (rows i, j) go through."""
    return (_Plain if question.plain else _General)(Rows.empty(pairs), first, second, question, threads)


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
        (a, i), (b, j) = _compact(self.rows.a), _compact(self.rows.b)
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
            distinct, place = _compact(items)
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


class _Plain(PairGates):
    """Labels decide what matches: everything happens in the compiled core."""

    def by_question(self, left: Integers, nodes: bool = False) -> Integers:
        asked = left[self._least[left] > 0]
        if self._min_similarity is not None:
            left = self._by_total(left)
            asked = np.intersect1d(asked, left, assume_unique=True)
            if nodes:
                asked = asked[~self.met()[asked]]
            elif self._max_distance is None:
                return left  # there is nothing more to be asked of edges alone
        question = np.column_stack([self._least[asked], self._total[asked] * nodes]).astype(np.int32)
        self._solve(asked, question, self.question.excluding)
        self.rows.status[asked[self.rows.upper[asked] < self._least[asked]]] = BELOW
        return self.by_bound(left)

    def _by_total(self, left: Integers) -> Integers:
        """Return the pairs that no bound on edges and nodes together excludes."""
        rows, options = self.rows, self.question.excluding
        work = options.work()
        asked = left[self._total[left] > 0]
        if not len(asked) or not work.bound:
            return left
        first, second, places = self._graphs(asked)
        counts, seconds = _core.bound_totals(
            first, second, places, self._total[asked].astype(np.int32), work, _limit(options), self.threads
        )
        self._most_total[asked], size, nodes = counts.T
        self._found(asked, size, nodes, seconds)
        rows.status[asked] = np.where(self._most_total[asked] < self._total[asked], BELOW, STATUSES.index("bounded"))
        return self.by_bound(left)

    def in_full(self, left: Integers, nodes: bool = False) -> None:
        question = np.column_stack([np.zeros(len(left)), self._total[left] * nodes]).astype(np.int32)
        self._solve(left, question, self.question.options)
        self._nodes_asked[left] = nodes

    def as_asked(self, options: Options) -> None:
        rows = self.rows
        least, total = np.full(len(rows), options.min_size or 0), np.zeros(len(rows), dtype=np.int64)
        if options.max_distance is not None:
            least = np.maximum(least, -((int(options.max_distance) - self._edges) // 2))
        if options.min_similarity:
            # Of an empty graph and another one nothing is similar.
            total = np.where(
                (self._whole == 0) & ~self._alike, 1 << 30, least_totals(self._whole, options.min_similarity)
            )
            places = np.column_stack([rows.a, rows.b]).astype(np.int32)
            nodes = _core.shared_nodes(self.first.cores, self.second.cores, places)
            least = np.maximum(least, least_sizes(total, nodes.astype(np.int64)))
        self._solve(np.arange(len(rows)), np.column_stack([least, total]).astype(np.int32), options)
        rows.status[rows.upper < least] = BELOW

    def _ask_nodes(self, asked: Integers) -> None:
        question = np.column_stack([self.rows.size[asked], self._total[asked]]).astype(np.int32)
        self._solve(asked, question, self.question.options)

    def _solve(self, chosen: Integers, question: npt.NDArray[np.int32], options: Options) -> None:
        if not len(chosen):
            return
        rows = self.rows
        first, second, places = self._graphs(chosen)
        work = options.work()
        work.rlt.record = False  # nobody asks for a certificate
        counts, flags, seconds = _core.solve_rows(first, second, places, question, work, _limit(options), self.threads)
        size, nodes, upper, most = counts.T
        self._most_nodes[chosen] = np.where(most < 0, self._most_nodes[chosen], most)
        self._found(chosen, size, nodes, seconds)
        optimal, late = flags.T.astype(bool)
        rows.upper[chosen], rows.optimal[chosen] = upper, optimal
        status = np.where(late, STATUSES.index("time_limit"), STATUSES.index("bounded"))
        rows.status[chosen] = np.where(optimal, STATUSES.index("optimal"), status)

    def _graphs(self, chosen: Integers) -> tuple[list[_core.Graph], list[_core.Graph], npt.NDArray[np.int32]]:
        """Return the distinct graphs of some pairs, and where each pair finds its own."""
        (a, i), (b, j) = _compact(self.rows.a[chosen]), _compact(self.rows.b[chosen])
        places = np.column_stack([i, j]).astype(np.int32)
        return [self.first.cores[k] for k in a], [self.second.cores[k] for k in b], places

    def _found(
        self, chosen: Integers, size: npt.NDArray[np.int32], nodes: npt.NDArray[np.int32], seconds: Reals
    ) -> None:
        """Take note of mappings with so many edges and nodes, and of the time they took."""
        rows = self.rows
        rows.size[chosen], rows.nodes[chosen] = size, nodes
        rows.similarity[chosen] = self.similarity(nodes.astype(np.int64) + size, chosen)
        rows.distance[chosen] = self._edges[chosen] - 2 * size
        rows.screened[chosen] = False
        rows.seconds[chosen] += seconds


class _General(PairGates):
    """Rules, constraints, numerical bounds or a device: every pair goes through `match_stream` or `match_many`."""

    def by_question(self, left: Integers, nodes: bool = False) -> Integers:
        similar = np.zeros(len(left)) if self._min_similarity is None else self._min_similarity[left]
        near = np.full(len(left), np.inf) if self._max_distance is None else self._max_distance[left]
        kinds, which = np.unique(np.column_stack([similar, near]), axis=0, return_inverse=True)
        open_ = np.ones(len(left), dtype=np.bool_)
        for kind, (wanted, most) in enumerate(kinds.tolist()):
            some = np.flatnonzero(which.reshape(-1) == kind)
            if most < 0:  # no distance is
                open_[some] = False
            elif wanted > 0 or most < np.inf:
                limit = None if most == np.inf else int(most)
                self._fill(
                    left[some], replace(self.question.excluding, min_similarity=wanted or None, max_distance=limit)
                )
                open_[some] = self.rows.status[left[some]] != BELOW
        return left[open_]

    def in_full(self, left: Integers, nodes: bool = False) -> None:
        self._fill(left, self.question.options)

    def as_asked(self, options: Options) -> None:
        self._fill(np.arange(len(self.rows)), options)

    def _ask_nodes(self, asked: Integers) -> None:
        self.by_question(asked)

    def _fill(self, chosen: Integers, options: Options) -> None:
        rows = self.rows
        for k, m in zip(chosen.tolist(), self._matches(chosen, options), strict=True):
            rows.size[k], rows.upper[k], rows.nodes[k], rows.optimal[k] = m.size, m.upper, m.nodes, m.optimal
            self._most_nodes[k] = min(self._most_nodes[k], m.nodes_upper)
            rows.similarity[k], rows.distance[k] = m.similarity, m.distance
            rows.status[k], rows.screened[k] = STATUSES.index(m.status), False
            rows.seconds[k] += m.seconds

    def _matches(self, chosen: Integers, options: Options) -> Iterator[Match]:
        a, b = self.rows.a[chosen].tolist(), self.rows.b[chosen].tolist()
        left, right = {k: self.first[k] for k in set(a)}, {k: self.second[k] for k in set(b)}
        graphs = ((left[i], right[j]) for i, j in zip(a, b, strict=True))
        if self.question.device is not None:
            return iter(many_on_device(graphs, options, self.question.device, self.threads))
        return stream_as(graphs, options, self.threads)


def _limit(options: Options) -> float:
    """Return the time limit as the compiled core takes it."""
    return -1.0 if options.time_limit is None else float(options.time_limit)


def _compact(values: Integers) -> tuple[Integers, Integers]:
    """Return the distinct values in order, and the place of each value among them; without sorting."""
    if not len(values):
        return values, values
    low = values.min()
    present = np.zeros(values.max() - low + 1, dtype=np.bool_)
    present[values - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[values - low]
