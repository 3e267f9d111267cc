"""RDKit's RASCAL on molecules, and what whole aromatic rings or one piece leave of its answer."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from enpda.bench.baselines import Answer
from enpda.constraints import Constraints
from enpda.graph import Graph
from enpda.problem import problem_of

RINGS = Constraints(rings="aromatic")


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL without ring rules and keep whole aromatic rings of its answer, as many as there are."""
    a, b = (Graph.from_mol(g.to_mol()) for g in (a, b))
    results, spent = _search(a, b, seconds, completeAromaticRings=False)
    problem = problem_of(a, b, None, RINGS)
    size = 0
    for result in results:
        image = np.full(len(a), -1, dtype=np.int32)
        for i, j in result.atomMatches():
            image[i] = j
        size = max(size, problem.retained(image)[2])
    return Answer(size, not any(result.timedOut for result in results), spent)


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
