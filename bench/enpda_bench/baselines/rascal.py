"""RDKit's RASCAL on exactly our labels: a baseline, and the judge of the drug pairs."""

from __future__ import annotations

import time
from typing import Any

from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered, shared_classes
from enpda_bench.baselines.standin import element, stand_in


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL without thresholds and ring rules; its limit is in whole seconds, at least one.

    RASCAL never reports a single shared bond and returns nothing then; that counts as size 0 here.
    """
    results, spent = _search(a, b, seconds, 0.0)
    proven = not any(result.timedOut for result in results)
    answers = [answered(a, b, dict(result.atomMatches()), proven, spent) for result in results]
    return max(answers, key=lambda answer: answer.size, default=answered(a, b, {}, proven, spent))


def relevant(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL at threshold 0.5; the size is 1 for a pair with more than that Johnson similarity, 0 for others."""
    results, spent = _search(a, b, seconds, 0.5)
    near = any(result.similarity > 0.5 for result in results)
    return Answer(int(near), near or not any(result.timedOut for result in results), spent)


def _search(a: Graph, b: Graph, seconds: float, threshold: float) -> tuple[Any, float]:
    from rdkit import rdBase
    from rdkit.Chem import rdRascalMCES

    options = rdRascalMCES.RascalOptions()
    options.similarityThreshold = threshold
    options.completeAromaticRings = False
    options.ringMatchesRingOnly = False
    options.maxBondMatchPairs = 100_000
    options.timeout = int(max(seconds, 1))
    options.returnEmptyMCES = True
    nodes, edges = shared_classes(a, b)
    left, right = (stand_in(g, edges, lambda label: element(nodes[label])) for g in (a, b))
    begin = time.perf_counter()
    with rdBase.BlockLogs():
        results = rdRascalMCES.FindMCES(left, right, options)
    return results, time.perf_counter() - begin
