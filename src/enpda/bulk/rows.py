"""Rows of an all-pairs table: what is asked about every pair, and how the answers are found.

A pair passes up to three gates, each only when the one before left it open: counts (millions of pairs a second), the
threshold question (a bound that excludes the pair, nearly always), and the full match, whose row is that of `match`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.budget import choice
from enpda.bulk.library import Library
from enpda.bulk.many import match_many, match_stream
from enpda.constraints import Constraints
from enpda.errors import InputError
from enpda.options import AUTO_CELLS, LIFTED, Options
from enpda.result import Match
from enpda.rules import Rules, seen, weight_in
from enpda.thresholds import least_sizes, least_totals

Screened = Literal["drop", "keep"]
Integers = npt.NDArray[np.int64]

STATUSES = ("optimal", "bounded", "below_threshold", "time_limit", "interrupted")
SCREEN = "screen"
"""The method of a row that counts alone decided."""


@dataclass(frozen=True)
class Ask:
    """What is asked about every pair.

    Attributes
    ----------
    options : Options
        Of `match`, without a threshold.
    min_similarity, max_distance : float, int or None
        Only pairs with at least that similarity and at most that distance are of interest.
    screened : {"drop", "keep"}
        Whether the rows of other pairs are left out, or hold the bounds that exclude them.
    device : str or None
        As in `match_many`.
    """

    options: Options = field(default_factory=Options)
    min_similarity: float | None = None
    max_distance: int | None = None
    screened: Screened = "drop"
    device: str | None = None

    def __post_init__(self) -> None:
        choice("screened", self.screened, get_args(Screened))
        self.question()  # validates
        if self.options.rules is not None and self.options.rules.of_one_pair:
            raise InputError("rules with pins, forbidden or compatible nodes speak of one pair and cannot be used here")
        if self.min_similarity and self.options.rules is not None and self.options.rules.weights is not None:
            raise InputError("min_similarity counts edges and cannot be asked with weights; use max_distance")

    @property
    def threshold(self) -> bool:
        """Whether there is a threshold at all."""
        return bool(self.min_similarity) or self.max_distance is not None

    @property
    def plain(self) -> bool:
        """Whether labels alone say what matches, so that the compiled core needs no help."""
        options = self.options
        return (
            options.rules is None
            and options.constraints is None
            and options.bound not in LIFTED
            and self.device is None
        )

    def question(self) -> Options:
        """Return the options of the threshold question."""
        return replace(self.options, min_similarity=self.min_similarity, max_distance=self.max_distance)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "options"}
        options = {entry.name: getattr(self.options, entry.name) for entry in fields(self.options)}
        for name in ("rules", "constraints"):
            options[name] = None if options[name] is None else options[name].to_dict()
        if options["budget"] is not None:
            raise InputError("a budget of one's own cannot be written down; choose a method")
        options["policy"] = None if options["policy"] is None else str(options["policy"])
        return {**own, "options": options}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Ask:
        """Undo `to_dict`."""
        options = dict(data["options"])
        for name, kind in (("rules", Rules), ("constraints", Constraints)):
            options[name] = None if options[name] is None else kind.from_dict(options[name])
        return cls(**{**data, "options": Options(**options)})


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
        status = np.full(n, STATUSES.index("below_threshold"), dtype=np.uint8)
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


def evaluate(pairs: Integers, first: Library, second: Library, ask: Ask, threads: int) -> Rows:
    """Answer the question about pairs of items (rows i, j); with a threshold and `drop`, those of interest only.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, at once.
    """
    door = _door(Rows.empty(pairs), first, second, ask, threads)
    left = np.arange(len(pairs))
    if ask.threshold:
        left = door.by_question(door.by_counts(door.caps()))
    door.in_full(left)
    if ask.threshold and ask.screened == "drop":
        return door.rows.take(np.flatnonzero(door.of_interest()))
    return door.rows


@dataclass
class Candidates:
    """Pairs of items that counts do not exclude, what they can share at most, and how promising that is."""

    pairs: npt.NDArray[np.int32]
    caps: npt.NDArray[np.int32]
    promise: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, chosen: npt.NDArray[Any] | slice) -> Candidates:
        """Return some of them."""
        return Candidates(self.pairs[chosen], self.caps[chosen], self.promise[chosen])

    @classmethod
    def concatenated(cls, parts: list[Candidates]) -> Candidates:
        """Return those of several parts, one after the other."""
        if not parts:
            nothing = np.zeros((0, 2), dtype=np.int32)
            return cls(nothing, nothing, np.zeros(0))
        return cls(*(np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(cls)))


def screen(pairs: Integers, library: Library, ask: Ask) -> Candidates:
    """Return the pairs of items whose counts do not exclude that they keep to the threshold."""
    door = _door(Rows.empty(pairs), library, library, ask, 1)
    caps = door.caps()
    left = door.by_counts(caps)
    best = door.most_similar() if ask.min_similarity else -door.least_distance().astype(np.float64)
    return Candidates(pairs[left].astype(np.int32), caps[left], best[left])


@dataclass
class Decisions:
    """Whether pairs keep to a threshold: one entry a pair.

    Attributes
    ----------
    near, open, below : arrays of bool
        Those whose mapping keeps to it; those whose mapping does not, but whose bound leaves room for one that does;
        those that the threshold question excluded.
    found, possible : arrays of float
        Similarity or distance of the mapping, and the best that the bound leaves room for.
    """

    near: npt.NDArray[np.bool_]
    open: npt.NDArray[np.bool_]
    below: npt.NDArray[np.bool_]
    found: npt.NDArray[np.float64]
    possible: npt.NDArray[np.float64]


def decide(candidates: Candidates, library: Library, ask: Ask, threads: int) -> Decisions:
    """Tell which pairs keep to the threshold, with no more work than that takes.

    Distances depend on the size alone, so that any mapping that is large enough decides. Similarities count the nodes
    of the best mapping as well, which the full match has to find, unless the mapping of the threshold question is so
    large that every larger one has nodes enough.
    """
    door = _door(Rows.empty(candidates.pairs.astype(np.int64)), library, library, ask, threads)
    left = door.by_counts(candidates.caps)
    left = door.by_question(left[~door.settled()[left]])
    door.in_full(left[~door.settled()[left]])
    return door.decisions()


def decided(rows: Rows, library: Library, ask: Ask) -> Decisions:
    """Tell which pairs keep to the threshold by rows of a table, whose own threshold was none or a weaker one."""
    return _door(rows, library, library, ask, 1).decisions()


def _door(rows: Rows, first: Library, second: Library, ask: Ask, threads: int) -> _Plain | _General:
    return (_Plain if ask.plain else _General)(rows, first, second, ask, threads)


class _Door:
    """Where pairs go in and rows come out; `rows` is filled on the way."""

    def __init__(self, rows: Rows, first: Library, second: Library, ask: Ask, threads: int) -> None:
        self.rows, self.first, self.second, self.ask, self.threads = rows, first, second, ask, threads
        nodes, edges = (first.nodes[rows.a], second.nodes[rows.b]), (first.edges[rows.a], second.edges[rows.b])
        self.whole: Integers = (nodes[0] + edges[0]) * (nodes[1] + edges[1])
        self.edges: Integers = edges[0] + edges[1]
        self.cells: Integers = nodes[0] * nodes[1]
        self.alike = nodes[0] == nodes[1]
        self.most_nodes: Integers = np.minimum(*nodes)
        """Nodes that can be shared at most."""
        self.total = self.least = np.zeros(len(rows), dtype=np.int64)

    def caps(self) -> npt.NDArray[np.int32]:
        """Return the edges and nodes that each pair can share at most, by counts."""
        (a, i), (b, j) = _compact(self.rows.a), _compact(self.rows.b)
        edges, nodes = _core.Screen(self._seen(self.second, b)).caps(self._seen(self.first, a), 0, len(b))
        return np.column_stack([edges[i, j], nodes[i, j]])

    def _seen(self, library: Library, chosen: Integers) -> list[_core.Graph]:
        """Return graphs as the rules see them: labels that are equal where they match."""
        rules = self.ask.options.rules
        if rules is None:
            return [library.cores[k] for k in chosen]
        return [seen(library[k], rules).core for k in chosen.tolist()]

    def by_counts(self, caps: npt.NDArray[np.int32]) -> Integers:
        """Return the pairs that counts do not exclude. Constraints only take mappings away: the counts stand."""
        rows, ask = self.rows, self.ask
        self.most_nodes = caps[:, 1].astype(np.int64)
        rows.upper[:] = caps[:, 0]
        rows.distance[:] = self.edges
        if ask.min_similarity:
            self.total = least_totals(self.whole, ask.min_similarity)
            self.least = least_sizes(self.total, self.most_nodes)
        if ask.max_distance is not None:
            self.least = np.maximum(self.least, -((ask.max_distance - self.edges) // 2))
        left = np.flatnonzero((rows.upper >= self.least) & (rows.upper + self.most_nodes >= self.total))
        rows.status[left] = STATUSES.index("bounded")
        return left

    def similarity(self, total: Integers, chosen: npt.NDArray[Any] | slice = slice(None)) -> npt.NDArray[np.float64]:
        """Return Johnson similarities of common parts with so many nodes and edges."""
        whole = self.whole[chosen]
        return np.where(whole == 0, self.alike[chosen], total.astype(np.float64) ** 2 / np.maximum(whole, 1))

    def most_similar(self) -> npt.NDArray[np.float64]:
        """Return the similarities that the bounds leave room for; of a proven optimum, its own."""
        most = self.similarity(self.rows.upper + self.most_nodes)
        return np.where(self.rows.optimal, self.rows.similarity, most)

    def least_distance(self) -> npt.NDArray[np.int32]:
        """Return the distances that the bounds leave room for."""
        return self.rows.distance - 2 * (self.rows.upper - self.rows.size)

    def met(self) -> npt.NDArray[np.bool_]:
        """Tell which mappings keep to the threshold."""
        rows, ask = self.rows, self.ask
        good = np.ones(len(rows), dtype=np.bool_)
        if ask.min_similarity:
            good &= rows.similarity >= ask.min_similarity
        if ask.max_distance is not None:
            good &= rows.distance <= ask.max_distance
        return good

    def settled(self) -> npt.NDArray[np.bool_]:
        """Tell which pairs keep to the threshold by their best mapping, too, whatever that is."""
        if not self.ask.min_similarity:
            return self.met()
        # A common part has one node more than edges, less one for each of its cycles, or more in several pieces.
        rows = self.rows
        cycles = np.minimum(self.first.cycles[rows.a], self.second.cycles[rows.b])
        return self.met() & (rows.size > 0) & (2 * rows.size - cycles + 1 >= self.total)

    def of_interest(self) -> npt.NDArray[np.bool_]:
        """Tell which pairs keep to the threshold, or may do so for all we know."""
        ask = self.ask
        good: npt.NDArray[np.bool_] = self.rows.status != STATUSES.index("below_threshold")
        if ask.min_similarity:
            good &= self.most_similar() >= ask.min_similarity
        if ask.max_distance is not None:
            good &= self.least_distance() <= ask.max_distance
        return good

    def decisions(self) -> Decisions:
        """Tell what is known about every pair."""
        rows, ask = self.rows, self.ask
        interest, met = self.of_interest(), self.met()
        below = rows.status == STATUSES.index("below_threshold")
        found, possible = (
            (rows.similarity, self.most_similar()) if ask.min_similarity else (rows.distance, self.least_distance())
        )
        return Decisions(interest & met, interest & ~met, below, found.astype(np.float64), possible.astype(np.float64))


class _Plain(_Door):
    """Labels decide what matches: everything happens in the compiled core."""

    def by_question(self, left: Integers) -> Integers:
        """Return the pairs that a bound does not exclude."""
        self._solve(left, np.column_stack([self.least[left], self.total[left]]).astype(np.int32), self.ask.question())
        below = self.rows.upper[left] < self.least[left]
        self.rows.status[left[below]] = STATUSES.index("below_threshold")
        return left[~below]

    def in_full(self, left: Integers) -> None:
        """Match what is left, as `match` does."""
        self._solve(left, np.zeros((len(left), 2), dtype=np.int32), self.ask.options)

    def _solve(self, chosen: Integers, question: npt.NDArray[np.int32], options: Options) -> None:
        if not len(chosen):
            return
        rows = self.rows
        (a, i), (b, j) = _compact(rows.a[chosen]), _compact(rows.b[chosen])
        works = [options.work(cells) for cells in (0, AUTO_CELLS + 1)]
        for work in works:
            work.rlt.record = False  # nobody asks for a certificate
        counts, flags, seconds = _core.solve_rows(
            [self.first.cores[k] for k in a],
            [self.second.cores[k] for k in b],
            np.column_stack([i, j]).astype(np.int32),
            question,
            (self.cells[chosen] > AUTO_CELLS).astype(np.uint8),
            works,
            -1.0 if options.time_limit is None else float(options.time_limit),
            self.threads,
        )
        size, nodes, upper = counts.T
        optimal, late = flags.T.astype(bool)
        rows.size[chosen], rows.nodes[chosen], rows.upper[chosen], rows.optimal[chosen] = size, nodes, upper, optimal
        rows.similarity[chosen] = self.similarity(nodes.astype(np.int64) + size, chosen)
        rows.distance[chosen] = self.edges[chosen] - 2 * size
        status = np.where(late, STATUSES.index("time_limit"), STATUSES.index("bounded"))
        rows.status[chosen] = np.where(optimal, STATUSES.index("optimal"), status)
        rows.screened[chosen] = False
        rows.seconds[chosen] += seconds


class _General(_Door):
    """Rules, constraints, numerical bounds or a device: every pair goes through `match_stream` or `match_many`."""

    def caps(self) -> npt.NDArray[np.int32]:
        """Return what each pair can share at most; with weights, by what all edges of either graph weigh."""
        if not self._weighted:
            return super().caps()
        return np.column_stack([np.minimum(*self._weights()), self.most_nodes]).astype(np.int32)

    def by_counts(self, caps: npt.NDArray[np.int32]) -> Integers:
        """Return the pairs that counts or weights do not exclude."""
        if self._weighted:
            self.edges = np.add(*self._weights())
        return super().by_counts(caps)

    @property
    def _weighted(self) -> bool:
        rules = self.ask.options.rules
        return rules is not None and rules.weights is not None

    def _weights(self) -> tuple[Integers, Integers]:
        rules = self.ask.options.rules
        assert rules is not None

        def of(library: Library, items: Integers) -> Integers:
            distinct, place = _compact(items)
            return np.array([weight_in(seen(library[k], rules), rules) for k in distinct.tolist()], np.int64)[place]

        return of(self.first, self.rows.a), of(self.second, self.rows.b)

    def by_question(self, left: Integers) -> Integers:
        """Return the pairs that a bound does not exclude."""
        self._fill(left, self.ask.question())
        return left[np.flatnonzero(self.rows.status[left] != STATUSES.index("below_threshold"))]

    def in_full(self, left: Integers) -> None:
        """Match what is left, as `match` does."""
        self._fill(left, self.ask.options)

    def _fill(self, chosen: Integers, options: Options) -> None:
        rows = self.rows
        for k, m in zip(chosen.tolist(), self._matches(chosen, options), strict=True):
            rows.size[k], rows.upper[k], rows.nodes[k], rows.optimal[k] = m.size, m.upper, m.nodes, m.optimal
            rows.similarity[k], rows.distance[k] = m.similarity, m.distance
            rows.status[k], rows.screened[k] = STATUSES.index(m.status), False
            rows.seconds[k] += m.seconds

    def _matches(self, chosen: Integers, options: Options) -> Iterator[Match]:
        a, b = self.rows.a[chosen].tolist(), self.rows.b[chosen].tolist()
        left, right = {k: self.first[k] for k in set(a)}, {k: self.second[k] for k in set(b)}
        graphs = ((left[i], right[j]) for i, j in zip(a, b, strict=True))
        keywords = {entry.name: getattr(options, entry.name) for entry in fields(options) if entry.name != "threads"}
        if self.ask.device is not None:
            return iter(match_many(graphs, threads=self.threads, device=self.ask.device, **keywords))
        return match_stream(graphs, threads=self.threads, **keywords)


def _compact(values: Integers) -> tuple[Integers, Integers]:
    """Return the distinct values in order, and the place of each value among them; without sorting."""
    if not len(values):
        return values, values
    low = values.min()
    present = np.zeros(values.max() - low + 1, dtype=np.bool_)
    present[values - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[values - low]
