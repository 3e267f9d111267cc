"""How the answers to a question about many pairs are found.

A pair passes up to three gates, each only when the one before left it open: counts (millions of pairs a second), the
threshold question (a bound that excludes the pair, nearly always), and the full match, whose row is that of `match`.
A distance asks for edges; a similarity asks for edges and nodes together, and one bound on both decides nearly always.
"""

from __future__ import annotations

import numpy as np

from enpda.bulk.gates import PairGates
from enpda.bulk.general_gates import GeneralGates
from enpda.bulk.library import Library
from enpda.bulk.plain_gates import PlainGates
from enpda.bulk.question import Question
from enpda.bulk.rows import BELOW, Integers, Rows


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
    return (PlainGates if question.plain else GeneralGates)(Rows.empty(pairs), first, second, question, threads)
