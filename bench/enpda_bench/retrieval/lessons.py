"""What rivals learn from: pairs of our training graphs, labelled with similarities that our exact method proves.

No graph of a pool takes part. Each training graph has three partners, so that every kind of pair that a pool holds
occurs: any other training graph, the one that looks most alike, and an edited variant of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import enpda
from enpda.files import replacing
from enpda.graph import Graph
from enpda_bench.retrieval.bank import SEED, Bank
from enpda_bench.retrieval.hardness import hardness

WINDOW, LIMIT = 50, 1.0
"""Graphs before and after a graph, by size, that its look-alike is sought among; seconds a label."""
SHARE = 0.8
"""Of the pairs that train; the last ones validate."""


@dataclass(frozen=True)
class Lessons:
    """Pairs with their similarities."""

    pairs: list[tuple[Graph, Graph]]
    similarity: npt.NDArray[np.float32]

    @property
    def count(self) -> int:
        """How many of the pairs train."""
        return int(SHARE * len(self.pairs))


def lessons(bank: Bank, graphs: int, work: Path) -> Lessons:
    """Return the pairs of so many training graphs, the smallest first; labels are kept in the folder `work`."""
    pairs = pairs_of(bank, graphs)
    path = work / f"labels-{graphs}.npy"
    if not path.is_file():
        work.mkdir(parents=True, exist_ok=True)
        found = enpda.match_many(pairs, "exact", LIMIT)
        with replacing(path) as part, part.open("wb") as file:
            np.save(file, np.array([match.similarity for match in found], dtype=np.float32), allow_pickle=False)
    return Lessons(pairs, np.load(path, allow_pickle=False))


def pairs_of(bank: Bank, count: int) -> list[tuple[Graph, Graph]]:
    """Return up to three pairs a graph, graphs in random order."""
    rng = np.random.default_rng(SEED)
    graphs = bank.training[:count]
    result = []
    for k in rng.permutation(len(graphs)).tolist():
        graph, variant = graphs[k], bank.variants[k]
        others = graphs[:k] + graphs[k + 1 :]
        near = others[max(k - WINDOW, 0) : k + WINDOW]
        likeness = [hardness(graph, other) for other in near]
        result.append((graph, others[int(rng.integers(len(others)))]))
        result.append((graph, near[int(np.argmax(likeness))]))
        result += [] if variant is None else [(graph, variant)]
    return result
