"""RDKit's RASCAL on the same labels: a baseline, and the judge of the drug pairs."""

from __future__ import annotations

import time
from dataclasses import dataclass

from enpda.graph import Graph


@dataclass(frozen=True)
class Answer:
    """What a baseline says: the number of shared edges, whether it calls that proven, and the seconds it took."""

    size: int
    proven: bool
    seconds: float


def rascal(a: Graph, b: Graph, time_limit: int = 10) -> Answer:
    """Run RASCAL without thresholds and ring rules, atoms and bonds compared as in our labels.

    RASCAL never reports a single shared bond and returns nothing then; that counts as size 0 here.
    """
    from rdkit.Chem import rdRascalMCES

    options = rdRascalMCES.RascalOptions()
    options.similarityThreshold = 0.0
    options.completeAromaticRings = False
    options.ringMatchesRingOnly = False
    options.maxBondMatchPairs = 100_000
    options.timeout = time_limit
    options.returnEmptyMCES = True
    begin = time.perf_counter()
    results = rdRascalMCES.FindMCES(_labelled(a), _labelled(b), options)
    seconds = time.perf_counter() - begin
    size = max((len(result.bondMatches()) for result in results), default=0)
    return Answer(size, not any(result.timedOut for result in results), seconds)


def _labelled(graph: Graph) -> object:
    """Return a molecule whose atoms and bonds are compared by RASCAL exactly as our labels."""
    from enpda.chem import mol_of

    return mol_of(graph)
