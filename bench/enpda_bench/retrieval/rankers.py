"""Methods that rank a pool: each gives candidates a score, the better the higher, and says how long that took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import enpda
from enpda.graph import Graph
from enpda.solve.options import Method
from enpda.solve.policy import shipped
from enpda_bench.retrieval.hardness import size_ratio, wl_cosine
from enpda_bench.retrieval.pools import SEEDS, Pool

Floats = npt.NDArray[np.float64]
Ranker = Callable[[Graph, Sequence[Graph]], tuple[Floats, float]]
"""(query, candidates) -> scores, and seconds of work summed over all workers."""


@dataclass(frozen=True)
class Ranked:
    """Scores of a pool, in its order; wall and worker seconds for the hard candidates, and for all."""

    scores: Floats
    wall: tuple[float, float]
    work: tuple[float, float]


def rank(pool: Pool, ranker: Ranker) -> Ranked:
    """Score the hard candidates of a pool, then the variants, so that both kinds of pool have a time of their own."""
    scores = np.empty(len(pool.candidates))
    wall, work = [0.0], [0.0]
    for part in (~pool.variant, pool.variant):
        some = [pool.candidates[k] for k in np.flatnonzero(part).tolist()]
        begin = time.perf_counter()
        scores[part], spent = ranker(pool.query, some)
        wall.append(wall[-1] + time.perf_counter() - begin)
        work.append(work[-1] + spent)
    return Ranked(scores, (wall[1], wall[2]), (work[1], work[2]))


def by_size(query: Graph, candidates: Sequence[Graph]) -> tuple[Floats, float]:
    """Score by the ratio of sizes."""
    return _plain(size_ratio, query, candidates)


def by_wl(query: Graph, candidates: Sequence[Graph]) -> tuple[Floats, float]:
    """Score by the cosine of Weisfeiler-Leman bags, which a library has ready."""
    return _plain(wl_cosine, query, candidates)


def _plain(measure: Callable[[Graph, Graph], float], query: Graph, candidates: Sequence[Graph]) -> tuple[Floats, float]:
    begin = time.perf_counter()
    return np.array([measure(query, graph) for graph in candidates]), time.perf_counter() - begin


def paper_fast(seed: int) -> Ranker:
    """Return the paper's ENPDA-Fast: one learned stream and a few restarts, with the weights of a seed."""
    return _by_match("paper-fast", seed, shipped(f"full-{seed}"))


def own_fast(seed: int) -> Ranker:
    """Return our own `fast`, which learns nothing."""
    return _by_match("fast", seed)


def _by_match(method: Method, seed: int, policy: Path | None = None) -> Ranker:
    def ranker(query: Graph, candidates: Sequence[Graph]) -> tuple[Floats, float]:
        pairs = [(query, graph) for graph in candidates]
        found = enpda.match_many(pairs, method, None, SEEDS[seed], policy=policy)
        return np.array([match.similarity for match in found]), sum(match.seconds for match in found)

    return ranker


def by_search(limit: float, k: int | None = None) -> Ranker:
    """Return our own search: exact similarities of the best k, or of all; the others have score 0.

    Of mappings with the most edges it asks for one with the most nodes, since the similarity counts both.
    """

    def ranker(query: Graph, candidates: Sequence[Graph]) -> tuple[Floats, float]:
        library = enpda.Library([str(place) for place in range(len(candidates))], list(candidates))
        hits = enpda.search(query, library, k=k or len(library), method="exact", time_limit=limit, most_nodes=True)
        scores = np.zeros(len(candidates))
        for hit in hits:
            scores[int(hit.id)] = hit.similarity
        return scores, sum(hit.seconds for hit in hits)

    return ranker
