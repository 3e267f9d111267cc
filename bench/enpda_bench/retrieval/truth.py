"""What is known about the similarities of a pool: intervals, nearly all of them points, proven by our own method.

The paper's reference is RASCAL at threshold 0.5 with 60 s a pair, which leaves up to a fifth of the pairs open and says
nothing about those below. A similarity is that of the mapping with the most edges and, of several, the most nodes. Ours
proves the edges of every pair, and the nodes of those where they matter: that may be relevant by their number, or the
most similar of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from enpda.bulk.evaluate import gates_of
from enpda.bulk.library import Library
from enpda.bulk.many import thread_count
from enpda.bulk.question import Question
from enpda.files import replacing
from enpda.solve.options import Options
from enpda_bench.retrieval.pools import Pool

RELEVANT = 0.5
"""Candidates with more than this similarity are relevant."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Truth:
    """Similarities of a pool: what was found, and the most that is possible."""

    low: Floats
    high: Floats

    @property
    def relevant(self) -> npt.NDArray[np.int8]:
        """1 for relevant, 0 for not, -1 for unknown."""
        return np.where(self.low > RELEVANT, 1, np.where(self.high <= RELEVANT, 0, -1)).astype(np.int8)

    def take(self, chosen: npt.NDArray[np.bool_]) -> Truth:
        """Return what is known about some of the candidates."""
        return Truth(self.low[chosen], self.high[chosen])

    def save(self, path: Path) -> None:
        """Write a file, completely or not at all."""
        with replacing(path) as part, part.open("wb") as file:
            np.save(file, np.stack([self.low, self.high]), allow_pickle=False)

    @classmethod
    def load(cls, path: Path) -> Truth:
        """Read what `save` wrote."""
        return cls(*np.load(path, allow_pickle=False))


def truth(pool: Pool, seconds: float, threads: int | None = None) -> Truth:
    """Match the query with every candidate, with so many seconds a pair for the edges, and for the nodes."""
    threads = thread_count(threads)
    every = np.arange(len(pool.candidates))
    pairs = np.column_stack([np.zeros_like(every), every])
    libraries = (Library.of([pool.query]), Library.of(pool.candidates))
    plain, most = (
        gates_of(pairs, *libraries, Question(Options("exact", seconds, most_nodes=nodes)), threads)
        for nodes in (False, True)
    )
    caps = plain.caps()
    for gates in (plain, most):
        gates.count(caps)
    plain.in_full(every)
    low, high = plain.rows.similarity.copy(), np.maximum(plain.possible(), plain.rows.similarity)
    left = np.ones(len(every), dtype=np.bool_)
    while (some := np.flatnonzero(left & (high > low) & _matters(pool, low, high))).size:
        left[some] = False
        most.in_full(some)
        low[some] = np.maximum(low, most.rows.similarity)[some]
        high[some] = np.minimum(high, np.where(most.certain(), low, most.possible()))[some]
    return Truth(low, np.maximum(low, high))


def _matters(pool: Pool, low: Floats, high: Floats) -> npt.NDArray[np.bool_]:
    """Tell whose label is open, and who may be the most similar of a whole pool, or of its hard candidates."""
    hard = ~pool.variant
    best: npt.NDArray[np.bool_] = (high >= low.max()) | (hard & (high >= low[hard].max(initial=0.0)))
    return best | ((low <= RELEVANT) & (high > RELEVANT))
