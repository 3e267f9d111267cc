"""Which pairs keep to a threshold, with no more work than that takes: no row of theirs is needed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda.bulk.evaluate import gates_of
from enpda.bulk.gates import PairGates
from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers
from enpda.bulk.question import Question
from enpda.bulk.rows import BELOW, STATUSES, Rows


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


def screen(pairs: Integers, library: Library, question: Question) -> Candidates:
    """Return the pairs of items whose counts do not exclude that they keep to the threshold."""
    gates = gates_of(pairs, library, library, question, 1)
    caps = gates.caps()
    gates.count(caps)
    gates.want(question.min_similarity or None, question.max_distance)
    left = gates.by_bound(np.arange(len(pairs)))
    best = gates.most_similarity() if question.min_similarity else -gates.least_distance().astype(np.float64)
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


def decide(candidates: Candidates, library: Library, question: Question, threads: int) -> Decisions:
    """Tell which pairs keep to the threshold, with no more work than that takes.

    Distances depend on the size alone, so that any mapping that is large enough decides. Similarities count the nodes
    of the best mapping as well, which the full match has to find, unless the mapping of the threshold question is so
    large that every larger one has nodes enough.
    """
    gates = gates_of(candidates.pairs.astype(np.int64), library, library, question, threads)
    gates.count(candidates.caps)
    gates.want(question.min_similarity or None, question.max_distance)
    left = np.arange(len(candidates))
    gates.rows.status[:] = STATUSES.index("bounded")
    left = gates.by_question(left[~gates.settled()[left]], nodes=True)
    gates.in_full(left[~gates.settled()[left]], nodes=True)
    gates.by_nodes()
    return _decisions(gates)


def decided(rows: Rows, library: Library, question: Question) -> Decisions:
    """Tell which pairs keep to the threshold by rows of a table, whose own threshold was none or a weaker one."""
    gates = gates_of(np.column_stack([rows.a, rows.b]), library, library, question, 1)
    gates.rows = rows
    gates.want(question.min_similarity or None, question.max_distance)
    gates.by_nodes()
    return _decisions(gates)


def _decisions(gates: PairGates) -> Decisions:
    rows = gates.rows
    interest, met, below = gates.of_interest(), gates.met(), rows.status == BELOW
    if gates.question.min_similarity:
        found, possible = rows.similarity, gates.possible()
    else:
        found, possible = rows.distance.astype(np.float64), gates.least_distance().astype(np.float64)
    return Decisions(interest & met, interest & ~met, below, found, possible)
