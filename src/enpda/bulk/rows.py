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
from enpda.rules import Rules
from enpda.thresholds import least_sizes, least_totals

Screened = Literal["drop", "keep"]
Integers = npt.NDArray[np.int64]

STATUSES = ("optimal", "bounded", "below_threshold", "time_limit", "interrupted")
BELOW = STATUSES.index("below_threshold")
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
        if self.options.min_size is not None:
            raise InputError("min_size is a question about one pair; use min_similarity or max_distance here")
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
        for values in (own, options):  # JSON knows no numbers of numpy's
            values |= {name: value.item() for name, value in values.items() if isinstance(value, np.generic)}
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


def evaluate(pairs: Integers, first: Library, second: Library, ask: Ask, threads: int) -> Rows:
    """Answer the question about pairs of items (rows i, j); with a threshold and `drop`, those of interest only.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, at once.
    """
    rows = Rows.empty(pairs)
    door = (_Plain if ask.plain else _General)(rows, first, second, ask, threads)
    left = np.arange(len(pairs))
    if ask.threshold:
        left = door.by_question(door.by_counts() if ask.options.rules is None else left)
    door.in_full(left)
    if not ask.threshold:
        return rows
    good = door.of_interest()
    if ask.screened == "drop":
        return rows.take(np.flatnonzero(good))
    rows.status[~good] = BELOW
    return rows


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

    def similarity(self, total: Integers, chosen: npt.NDArray[Any] | slice = slice(None)) -> npt.NDArray[np.float64]:
        """Return Johnson similarities of common parts with so many nodes and edges."""
        whole = self.whole[chosen]
        return np.where(whole == 0, self.alike[chosen], total.astype(np.float64) ** 2 / np.maximum(whole, 1))

    def by_counts(self) -> Integers:
        """Return the pairs that counts do not exclude; constraints only take from what these allow."""
        rows, ask = self.rows, self.ask
        (a, i), (b, j) = _compact(rows.a), _compact(rows.b)
        screen = _core.Screen([self.second.cores[k] for k in b])
        edges, nodes = screen.caps([self.first.cores[k] for k in a], 0, len(b))
        self.most_nodes = nodes[i, j].astype(np.int64)
        rows.upper[:] = edges[i, j]
        rows.distance[:] = self.edges
        self.total = self.least = np.zeros(len(rows), dtype=np.int64)
        if ask.min_similarity:
            self.total = least_totals(self.whole, ask.min_similarity)
            self.least = least_sizes(self.total, self.most_nodes)
        if ask.max_distance is not None:
            self.least = np.maximum(self.least, -((ask.max_distance - self.edges) // 2))
        return np.flatnonzero((rows.upper >= self.least) & (rows.upper + self.most_nodes >= self.total))

    def of_interest(self) -> npt.NDArray[np.bool_]:
        """Tell which pairs keep to the threshold, or may do so for all we know."""
        rows, ask = self.rows, self.ask
        good: npt.NDArray[np.bool_] = rows.status != BELOW
        if ask.min_similarity:
            most = np.where(rows.optimal, rows.similarity, self.similarity(rows.upper + self.most_nodes))
            good &= most >= ask.min_similarity
        if ask.max_distance is not None:
            good &= rows.distance - 2 * (rows.upper - rows.size) <= ask.max_distance
        return good


class _Plain(_Door):
    """Labels decide what matches: everything happens in the compiled core."""

    def by_question(self, left: Integers) -> Integers:
        """Return the pairs that a bound does not exclude."""
        self._solve(left, np.column_stack([self.least[left], self.total[left]]).astype(np.int32), self.ask.question())
        below = self.rows.upper[left] < self.least[left]
        self.rows.status[left[below]] = BELOW
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

    def by_question(self, left: Integers) -> Integers:
        """Return the pairs that a bound does not exclude; a device knows no questions."""
        if self.ask.device is not None:
            return left
        self._fill(left, self.ask.question())
        return left[np.flatnonzero(self.rows.status[left] != BELOW)]

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
