"""RDKit's RASCAL on molecules, and what whole aromatic rings or one piece leave of its answer."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from enpda.graph import Graph
from enpda.problem.constraints import Constraints
from enpda.problem.problem import problem_of
from enpda_bench.baselines import Answer

RINGS = Constraints(rings="aromatic")


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL without ring rules and keep whole aromatic rings of its answer, as many as there are."""
    return _projected(a, b, seconds, filtered=False)


def filtered(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL with its own rule for aromatic rings, which does not look at the answer, and keep whole ones of it."""
    return _projected(a, b, seconds, filtered=True)


def _projected(a: Graph, b: Graph, seconds: float, filtered: bool) -> Answer:
    a, b = (Graph.from_mol(g.to_mol()) for g in (a, b))
    results, spent = _search(a, b, seconds, completeAromaticRings=filtered)
    begin = time.perf_counter()
    problem = problem_of(a, b, None, RINGS)
    size, best = 0, np.full(len(a), -1, dtype=np.int32)
    for result in results:
        image = np.full(len(a), -1, dtype=np.int32)
        for i, j in result.atomMatches():
            image[i] = j
        kept = problem.retained(image)[2]
        if kept > size:
            size, best = kept, image
    spent += time.perf_counter() - begin
    return Answer(size, not any(result.timedOut for result in results), spent, image=best)


def whole(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL on molecules as they are."""
    results, spent = _search(a, b, seconds, completeAromaticRings=False)
    size = max((len(result.bondMatches()) for result in results), default=0)
    return Answer(size, not any(result.timedOut for result in results), spent)


def similar(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL at its own threshold, similarity 0.7; the size is 1 for a pair above it and 0 for others."""
    results, spent = _search(a, b, seconds, completeAromaticRings=False, similarityThreshold=0.7)
    near = any(result.similarity >= 0.7 for result in results)
    return Answer(int(near), not any(result.timedOut for result in results), spent)


def largest_piece(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL for its largest fragment."""
    results, spent = _search(a, b, seconds, completeAromaticRings=False, singleLargestFrag=True)
    size = max((len(result.bondMatches()) for result in results), default=0)
    return Answer(size, not any(result.timedOut for result in results), spent)


def _search(a: Graph, b: Graph, seconds: float, **wanted: float) -> tuple[Any, float]:
    from rdkit import rdBase
    from rdkit.Chem import rdRascalMCES

    options = rdRascalMCES.RascalOptions()
    options.similarityThreshold = 0.0
    options.maxBondMatchPairs = 100_000
    options.timeout = int(max(seconds, 1))
    options.returnEmptyMCES = True
    for name, value in wanted.items():
        setattr(options, name, value)
    begin = time.perf_counter()
    with rdBase.BlockLogs():
        results = rdRascalMCES.FindMCES(a.to_mol(), b.to_mol(), options)
    return results, time.perf_counter() - begin
