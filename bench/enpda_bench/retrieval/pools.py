"""Pools: for each query, edited variants of it and the look-alikes among everything else; no label has a say.

Differences from the paper are those of the bank, and that permutations come from NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from enpda.errors import InputError
from enpda.graph import Graph
from enpda_bench.retrieval.bank import Bank
from enpda_bench.retrieval.edits import KINDS, Kind
from enpda_bench.retrieval.hardness import hardness

SEEDS = (20260823, 20260824, 20260825)
"""Of the three pools; models of seed 0, 1 and 2 rank them."""
DERIVED: tuple[tuple[Kind, int], ...] = (
    ("substitution", 1),
    ("deletion", 2),
    ("rewire", 1),
    ("mixed", 2),
    ("relabel", 1),
)
"""Edits of a candidate parent that are tried in turn, until two gave a candidate."""
LEVELS, TRIES = 40, 120
"""Levels of edits of a query, two to nine at a time, and how many are tried: beyond 40 they begin anew."""


@dataclass(frozen=True)
class Pool:
    """A query and its candidates in the order of the pool; `variant` marks those made of the query itself."""

    query: Graph
    candidates: list[Graph]
    variant: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sizes:
    """How much of everything; the defaults are the paper's."""

    parents: int = 650
    queries: int = 20
    hard: int = 492
    variants: int = 8
    derived: int = 2


class Pools:
    """All pools of one dataset and seed, each made when it is asked for."""

    def __init__(self, bank: Bank, seed: int, sizes: Sizes | None = None) -> None:
        self.bank, self.seed, self.sizes = bank, seed, sizes or Sizes()
        if len(bank.graphs) <= self.sizes.queries:
            raise InputError(f"{self.sizes.queries} queries need more than the {len(bank.graphs)} graphs of the bank")
        parents = bank.graphs[: self.sizes.parents]
        order = [parents[k] for k in np.random.default_rng(seed).permutation(len(parents)).tolist()]
        self.queries, self.parents = order[: self.sizes.queries], order[self.sizes.queries :]

    @cached_property
    def library(self) -> list[Graph]:
        """Every candidate parent, and up to two edits of each."""
        result = []
        for p, parent in enumerate(self.parents):
            made: list[Graph] = []
            for r, (kind, count) in enumerate(DERIVED):
                if len(made) == self.sizes.derived:
                    break
                seed = self.seed + (p + 1) * 100_003 + r * 997
                edited = self.bank.editor.edited(parent, kind, count, seed)
                made += [] if edited is None else [edited]
            result += [parent, *made]
        return result

    def variants(self, q: int) -> list[Graph]:
        """Return the edited variants of a query."""
        made: list[Graph] = []
        for level in range(TRIES):
            if len(made) == self.sizes.variants:
                return made
            seed = self.seed + (q + 1) * 1_000_003 + level * 10_007
            count = 2 + level % LEVELS // len(KINDS)
            edited = self.bank.editor.edited(self.queries[q], KINDS[level % len(KINDS)], count, seed)
            made += [] if edited is None else [edited]
        raise InputError(f"query {q} of pool {self.seed} has only {len(made)} variants after {TRIES} levels")

    def pool(self, q: int) -> Pool:
        """Return the pool of a query: its variants and the hardest of the library, shuffled."""
        query, variants = self.queries[q], self.variants(q)
        scores = np.array([hardness(query, graph) for graph in self.library])
        hardest = np.argsort(-scores, kind="stable")[: self.sizes.hard]
        candidates: Sequence[Graph] = [*variants, *(self.library[k] for k in hardest.tolist())]
        order = np.random.default_rng(self.seed + (q + 1) * 10_000_019).permutation(len(candidates))
        return Pool(query, [candidates[k] for k in order.tolist()], order < len(variants))
