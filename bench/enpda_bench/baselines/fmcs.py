"""RDKit's FMCS: the largest connected part, most bonds first."""

from __future__ import annotations

import time
from typing import Any

from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered, shared_classes
from enpda_bench.baselines.standin import isotope, stand_in


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run FMCS on two molecules, elements and bond orders compared."""
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


def labels(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run FMCS on exactly our labels: every atom is a carbon whose isotope stands for its label.

    A callback ends it, as often as it asks: on molecules to the millisecond, on others it may not ask for minutes.
    What it proves is a connected part, which is another problem.
    """
    from rdkit import Chem
    from rdkit.Chem import rdFMCS

    begin = time.perf_counter()

    class Deadline(rdFMCS.MCSProgress):  # type: ignore[misc]
        def __call__(self, *state: Any) -> bool:
            return time.perf_counter() - begin < seconds

    nodes, edges = shared_classes(a, b)
    left, right = (stand_in(g, edges, lambda label: isotope(nodes[label])) for g in (a, b))
    options = rdFMCS.MCSParameters()
    options.MaximizeBonds = True
    options.AtomTyper = rdFMCS.AtomCompare.CompareIsotopes
    options.BondTyper = rdFMCS.BondCompare.CompareOrderExact
    options.ProgressCallback = Deadline()
    found = rdFMCS.FindMCS([left, right], options)
    image = {}
    if found.numBonds:
        part: Any = found.queryMol or Chem.MolFromSmarts(found.smartsString)
        image = dict(zip(left.GetSubstructMatch(part), right.GetSubstructMatch(part), strict=True))
    return answered(a, b, image, False, time.perf_counter() - begin)
