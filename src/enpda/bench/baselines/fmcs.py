"""RDKit's FMCS: the largest connected part, most bonds first, elements and bond orders compared."""

from __future__ import annotations

import time

from enpda.bench.baselines import Answer
from enpda.graph import Graph


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run FMCS on two molecules."""
    from rdkit.Chem import rdFMCS

    left, right = a.to_mol(), b.to_mol()
    begin = time.perf_counter()
    found = rdFMCS.FindMCS(
        [left, right],
        maximizeBonds=True,
        timeout=int(max(seconds, 1)),
        atomCompare=rdFMCS.AtomCompare.CompareElements,
        bondCompare=rdFMCS.BondCompare.CompareOrderExact,
    )
    return Answer(int(found.numBonds), not found.canceled, time.perf_counter() - begin)
