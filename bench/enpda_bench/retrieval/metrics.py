"""Reciprocal rank, precision at 10 and average precision, with exact bounds where labels are unknown.

Two orders are at work, as in the evaluator that the paper follows. `ranking` reverses an ascending sort, so that of
equal scores the last comes first: it gives ranks, the first ten, and the sets of the best k. `sorting` is a stable
descending sort: it says whose relevance counts at place k. They differ inside blocks of ties only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from enpda_bench.retrieval.truth import Truth

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Labels = npt.NDArray[np.int8]

TOP = 10
MOST_UNKNOWN, MOST_STEPS, CHUNK = 20, 50_000_000, 4_096
"""Unknown labels of one block of ties, and steps in all, beyond which the bounds are 0 and 1; labelings at a time."""


@dataclass(frozen=True)
class Measure:
    """A metric for the similarities that were found, and its bounds over all that are possible."""

    value: float
    low: float
    high: float


def measures(scores: Floats, truth: Truth) -> dict[str, Measure]:
    """Return MRR, P@10 and MAP of one query."""
    if len(scores) != len(truth.low) or not len(scores):
        raise ValueError(f"{len(scores)} scores for {len(truth.low)} candidates")
    labels, found = truth.relevant, Truth(truth.low, truth.low)
    return {
        "MRR": Measure(reciprocal_rank(scores, found)[0], *reciprocal_rank(scores, truth)),
        "P@10": Measure(precision(scores, found.relevant)[0], *precision(scores, labels)),
        "MAP": Measure(average_precision(scores, found.relevant)[0], *average_precision(scores, labels)),
    }


def ranking(scores: Floats) -> Integers:
    """Return candidates from the best to the worst, of equal ones the last first."""
    return np.argsort(scores, kind="stable")[::-1]


def sorting(scores: Floats) -> Integers:
    """Return candidates from the best to the worst, of equal ones the first first."""
    return np.argsort(-scores, kind="stable")


def reciprocal_rank(scores: Floats, truth: Truth) -> tuple[float, float]:
    """Bound 1/rank of the most similar candidate, of several the first: the least and the most over who it can be."""
    ranks = np.empty(len(scores))
    ranks[ranking(scores)] = np.arange(1, len(scores) + 1)
    low, high = truth.low, truth.high
    before = np.concatenate([[-np.inf], np.maximum.accumulate(low)[:-1]])
    after = np.concatenate([np.maximum.accumulate(low[::-1])[::-1][1:], [-np.inf]])
    possible = 1 / ranks[(before < high) & (after <= high)]
    return float(possible.min()), float(possible.max())


def precision(scores: Floats, labels: Labels) -> tuple[float, float]:
    """Bound the share of relevant ones among the first ten, of ten even where there are fewer."""
    first = labels[ranking(scores)[:TOP]]
    return float((first == 1).sum() / TOP), float((first != 0).sum() / TOP)


def average_precision(scores: Floats, labels: Labels) -> tuple[float, float]:
    """Bound the average precision over all ways to label the unknown; 0 where nothing is relevant.

    A programme over blocks of ties holds, for each number of unknown labels that turned out relevant, the least and
    the most that the sum of precisions can be. Within a block all its labelings are tried.
    """
    order = sorting(scores)
    blocks = np.split(order, np.flatnonzero(np.diff(scores[order])) + 1)
    least, most = np.zeros(1), np.zeros(1)
    known, place, steps = 0, 0, 0
    for block in blocks:
        unknown = int((labels[block] < 0).sum())
        steps += len(least) << min(unknown, MOST_UNKNOWN)
        if unknown > MOST_UNKNOWN or steps > MOST_STEPS:
            return 0.0, 1.0
        least, most = _grown(labels[block], known, place, least, most)
        known += int((labels[block] == 1).sum())
        place += len(block)
    relevant = np.maximum(known + np.arange(len(least)), 1)
    return float((least / relevant).min()), float((most / relevant).max())


def _grown(block: Labels, known: int, place: int, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Add one block of ties, given the labels in the order of `sorting`; `ranking` has it the other way around."""
    (open_,) = np.nonzero(block < 0)
    states = np.arange(len(least))
    down, up = np.full(len(least) + len(open_), np.inf), np.full(len(least) + len(open_), -np.inf)
    for start in range(0, 1 << len(open_), CHUNK):
        numbers = np.arange(start, min(start + CHUNK, 1 << len(open_)))
        ways = np.tile(block.astype(np.float64), (len(numbers), 1))
        ways[:, open_] = numbers[:, None] >> np.arange(len(open_)) & 1
        shares = ways / np.arange(place + 1, place + len(block) + 1)
        inside = (shares * np.cumsum(ways[:, ::-1], axis=1)).sum(1)
        gains = inside[:, None] + shares.sum(1)[:, None] * (known + states)
        chosen = ways[:, open_].sum(1)
        for count in np.unique(chosen).astype(int).tolist():
            some, into = gains[chosen == count], slice(count, count + len(least))
            down[into] = np.minimum(down[into], least + some.min(0))
            up[into] = np.maximum(up[into], most + some.max(0))
    return down, up
