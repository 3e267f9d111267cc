"""Which pairs of items are near: at least as similar, or at most as distant, as a threshold says.

Every pair passes the counts; what they leave open is asked about in order of promise, and only as far as a decision
needs it. Pairs are those of distinct items, which stand for all items that are isomorphic to them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from enpda.bulk.decide import Candidates, Decisions, decide, decided, screen
from enpda.bulk.groups import Groups
from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers
from enpda.bulk.many import thread_count
from enpda.bulk.matrix import Matrix
from enpda.bulk.question import Question
from enpda.bulk.tiles import Tiles
from enpda.checks import real
from enpda.errors import InputError
from enpda.io import Reject
from enpda.solve.options import Options

SIDE = 512
"""Items of a range whose pairs with another range are screened at once."""
BLOCK = 4_096
"""Pairs that are asked about at once: many enough for all threads, few enough to skip what they have connected."""


class Undecided(NamedTuple):
    """A pair that may be near or not: its mapping does not show it, and its bound does not exclude it.

    Attributes
    ----------
    a, b : int
        The two items by number.
    id_a, id_b : str
        Their ids.
    found, possible : float
        Similarity (or distance) of the best mapping that is known, and what the bound leaves room for.
    """

    a: int
    b: int
    id_a: str
    id_b: str
    found: float
    possible: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; ids in place of numbers."""
        return {name: value for name, value in self._asdict().items() if name not in ("a", "b")}


@dataclass
class Pairs:
    """How pairs of items were decided; the other numbers add up to `all`.

    Attributes
    ----------
    all : int
        Pairs of items.
    known : int
        Those that a given matrix speaks of.
    alike : int
        Those of items that are isomorphic to others, which one pair for all of them answers.
    by_counts, by_bound : int
        Those that are not near by their counts, and by the bound of a threshold question.
    connected : int
        Those that nobody needs to ask about, because other pairs have put both items into one cluster.
    evaluated : int
        Those that were decided, or not, by a mapping.
    """

    all: int = 0
    known: int = 0
    alike: int = 0
    by_counts: int = 0
    by_bound: int = 0
    connected: int = 0
    evaluated: int = 0

    def to_dict(self) -> dict[str, int]:
        """Plain values, ready for JSON."""
        return asdict(self)


class Parts:
    """Items joined into parts, by near pairs of distinct items; a pair (i, i) joins those that i stands for.

    Those that a distinct item stands for are joined all at once: what is near one of them is near all.
    """

    def __init__(self, groups: Groups, parent: list[int] | None = None) -> None:
        self._groups = groups
        self._parent = list(range(len(groups.last))) if parent is None else parent
        self._last = groups.last.tolist()

    def copy(self) -> Parts:
        """Return parts that can be joined without joining these."""
        return Parts(self._groups, self._parent.copy())

    def join(self, i: int, j: int) -> bool:
        """Join the items that i and j stand for; tell whether they were apart."""
        roots = {self._root(i), self._root(j)}
        for k in {i, j}:
            if self._root(self._last[k]) not in roots:
                roots.update(map(self._root, self._groups.alike(k)))
        least = min(roots)
        for root in roots:
            self._parent[root] = least
        return len(roots) > 1

    def _root(self, k: int) -> int:
        parent = self._parent
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    @property
    def labels(self) -> Integers:
        """For each item the first one of its part."""
        labels = np.array(self._parent, dtype=np.int64)
        while not np.array_equal(labels, labels[labels]):
            labels = labels[labels]
        return labels

    def apart(self, pairs: Any) -> Any:
        """Tell which pairs of distinct items do not have all their members in one part."""
        labels = self.labels
        i, j = pairs.T
        return (labels[i] != labels[j]) | (labels[i] != labels[self._groups.last[i]])


class NearPairs(ABC):
    """The near pairs of some items, found out as far as somebody asks.

    Attributes
    ----------
    library : Library
    question : Question
        The threshold and everything else that decides what is near.
    groups : Groups
        Items and the distinct ones among them.
    pairs : Pairs
        What was done so far.
    rejects : list of Reject
        What could not be read.
    """

    def __init__(self, library: Library, question: Question, groups: Groups, rejects: list[Reject]) -> None:
        self.library, self.question, self.groups, self.rejects = library, question, groups, rejects
        n = len(library)
        self.pairs = Pairs(all=n * (n - 1) // 2)
        self._open: list[tuple[Integers, Decisions]] = []

    def components(self, doubtful: bool = False) -> Integers:
        """Return for each item the first one of its connected component.

        With `doubtful`, undecided pairs count as near.
        """
        parts = Parts(self.groups)
        self._connect(parts, doubtful)
        return parts.labels

    def near(self) -> Integers:
        """Return all near pairs of distinct items, as rows (i, j); (i, i) when those that i stands for are near."""
        found = [pairs[decisions.near] for pairs, decisions in self._all()]
        return np.concatenate([np.zeros((0, 2), dtype=np.int64), *found])

    def undecided(self) -> list[Undecided]:
        """Return the pairs of items that were asked about and not decided, in order."""
        ids = self.library.ids
        result = []
        for pairs, decisions in self._open:
            for k in np.flatnonzero(decisions.open).tolist():
                left, right = map(self.groups.alike, pairs[k].tolist())
                for both in product(left, right) if left != right else combinations(left, 2):
                    a, b = sorted(both)
                    result.append(
                        Undecided(a, b, ids[a], ids[b], float(decisions.found[k]), float(decisions.possible[k]))
                    )
        return sorted(result)

    @abstractmethod
    def _connect(self, parts: Parts, doubtful: bool) -> None:
        """Join what near pairs connect."""

    @abstractmethod
    def _all(self) -> Iterator[tuple[Integers, Decisions]]:
        """Yield all pairs that counts leave open, decided."""


class Computed(NearPairs):
    """Pairs that are asked about here."""

    def __init__(self, library: Library, question: Question, threads: int, progress: bool) -> None:
        super().__init__(library, question, Groups(library, question.plain), library.rejects)
        self._threads, self._progress = threads, progress
        distinct = len(self.groups)
        self._distinct = distinct * (distinct - 1) // 2 + int((self.groups.count > 1).sum())
        self.pairs.alike = self.pairs.all - self._distinct

    def _connect(self, parts: Parts, doubtful: bool) -> None:
        with self._bar() as bar:
            candidates = self._screened(bar)
            for begin in range(0, len(candidates), BLOCK):
                block = candidates.take(slice(begin, begin + BLOCK))
                # First a forest, whose pairs connect what the others would if all of them are near; then the others.
                scratch = parts.copy()
                forest = np.array([scratch.join(i, j) for i, j in block.pairs.tolist()], dtype=np.bool_)
                for some in (block.take(forest), block.take(~forest)):
                    wanted = some.take(parts.apart(some.pairs))
                    self.pairs.connected += len(some) - len(wanted)
                    pairs, decisions = self._decided(wanted)
                    for i, j in pairs[decisions.near | (decisions.open & doubtful)].tolist():
                        parts.join(i, j)
                bar.update(len(block))

    def _all(self) -> Iterator[tuple[Integers, Decisions]]:
        with self._bar() as bar:
            candidates = self._screened(bar)
            for begin in range(0, len(candidates), BLOCK):
                block = candidates.take(slice(begin, begin + BLOCK))
                yield self._decided(block)
                bar.update(len(block))

    def _screened(self, bar: Any) -> Candidates:
        """Return the pairs that counts leave open, the most promising first."""
        tiles = Tiles(len(self.groups), None, SIDE)
        parts = []
        for chunk in range(len(tiles)):
            pairs = tiles.pairs(chunk)
            pairs = pairs[(pairs[:, 0] != pairs[:, 1]) | (self.groups.count[pairs[:, 0]] > 1)]
            part = screen(self.groups.first[pairs], self.library, self.question)
            self.pairs.by_counts += len(pairs) - len(part)
            bar.update(len(pairs) - len(part))
            parts.append(part)
        found = Candidates.concatenated(parts)
        return found.take(np.lexsort((found.pairs[:, 1], found.pairs[:, 0], -found.promise)))

    def _decided(self, candidates: Candidates) -> tuple[Integers, Decisions]:
        decisions = decide(candidates, self.library, self.question, self._threads)
        pairs = candidates.pairs.astype(np.int64)
        below = int(decisions.below.sum())
        self.pairs.by_bound += below
        self.pairs.evaluated += len(pairs) - below
        if decisions.open.any():
            self._open.append((pairs, decisions))
        return pairs, decisions

    def _bar(self) -> Any:
        from tqdm import tqdm

        off = not self._progress
        return tqdm(total=self._distinct, desc="pairs", unit="", unit_scale=True, disable=off, leave=False)


class FromMatrix(NearPairs):
    """Pairs that a finished matrix speaks of."""

    def __init__(self, matrix: Matrix, question: Question) -> None:
        super().__init__(matrix.items, question, Groups(matrix.items, False), matrix.rejects)
        self.pairs.known = self.pairs.all
        self._pairs = np.column_stack([matrix.rows.a, matrix.rows.b])
        self._decisions = decided(matrix.rows, matrix.items, question)
        self._open.append((self._pairs, self._decisions))

    def _connect(self, parts: Parts, doubtful: bool) -> None:
        decisions = self._decisions
        for i, j in self._pairs[decisions.near | (decisions.open & doubtful)].tolist():
            parts.join(i, j)

    def _all(self) -> Iterator[tuple[Integers, Decisions]]:
        yield self._pairs, self._decisions


def what_decides(options: Options) -> str:
    """Say what would decide pairs that these options left undecided."""
    if options.method not in ("auto", "exact"):
        return f"method {options.method} proves little; auto would decide more"
    if options.method == "auto":
        return "method exact looks longer" + (
            "" if options.time_limit is None else f", and more time a pair may help: it was {options.time_limit:g} s"
        )
    if options.time_limit is None:
        return "no limit of time was set, so memory ended their proofs"
    return f"more time a pair would decide them; it was {options.time_limit:g} s"


def near_pairs(
    items: Any,
    options: Options,
    min_similarity: float | None,
    max_distance: int | None,
    threads: int | None,
    progress: bool,
    smiles: str | int | None = None,
    name: str | int | None = None,
) -> NearPairs:
    """Return the near pairs of some items, or of those of a finished matrix, of which no pair is compared again.

    Raises
    ------
    InputError
        Unless there is one threshold, and the matrix, if one is given, can answer it.
    """
    if (min_similarity is None) == (max_distance is None):
        raise InputError("one threshold is needed: either min_similarity or max_distance")
    if min_similarity is not None:
        real("min_similarity", min_similarity, 0, 1)
        if min_similarity == 0:
            raise InputError("min_similarity must be above 0: otherwise all pairs are near")
    count = thread_count(threads)
    question = Question(options, min_similarity, max_distance)
    if not isinstance(items, Matrix):
        return Computed(Library.of(items, progress, smiles=smiles, name=name), question, count, progress)
    if options != Options():
        raise InputError("a finished matrix answers as it was made; give options, rules and constraints to `matrix`")
    return FromMatrix(items, _answerable(items, question))


def _answerable(matrix: Matrix, question: Question) -> Question:
    """Return the question as the matrix answers it."""
    own = matrix.job.question
    why = None
    if matrix.other is not None:
        why = "it compares two lists; one list with itself is needed"
    elif not matrix.complete:
        why = "it is not finished"
    elif question.min_similarity is not None and own.max_distance is not None:
        why = f"pairs more than {own.max_distance} apart have no row, whatever their similarity"
    elif question.max_distance is not None and own.min_similarity:
        why = f"pairs less similar than {own.min_similarity} have no row, whatever their distance"
    elif question.min_similarity is not None and (own.min_similarity or 0) > question.min_similarity:
        why = f"pairs less similar than {own.min_similarity} have no row; {question.min_similarity} is asked for"
    elif (
        own.max_distance is not None and question.max_distance is not None and own.max_distance < question.max_distance
    ):
        why = f"pairs more than {own.max_distance} apart have no row; {question.max_distance} is asked for"
    if why is not None:
        raise InputError(f"the matrix cannot answer this: {why}")
    return Question(own.options, question.min_similarity, question.max_distance)
