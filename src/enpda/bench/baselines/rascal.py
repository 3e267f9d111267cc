"""RDKit's RASCAL on exactly our labels: a baseline, and the judge of the drug pairs."""

from __future__ import annotations

import time
from typing import Any

from enpda.bench.baselines import Answer, shared_classes
from enpda.graph import Graph


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run RASCAL without thresholds and ring rules.

    RASCAL never reports a single shared bond and returns nothing then; that counts as size 0 here.
    """
    results, spent = _search(a, b, seconds, 0.0)
    size = max((len(result.bondMatches()) for result in results), default=0)
    return Answer(size, not any(result.timedOut for result in results), spent)


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
    left, right = _molecule(a, nodes, edges), _molecule(b, nodes, edges)
    begin = time.perf_counter()
    with rdBase.BlockLogs():
        results = rdRascalMCES.FindMCES(left, right, options)
    return results, time.perf_counter() - begin


def _molecule(graph: Graph, nodes: dict[int, int], edges: dict[int, int]) -> Any:
    """Elements and bond orders in place of labels: RASCAL compares nothing else then."""
    from rdkit import Chem

    orders = (
        Chem.BondType.SINGLE,
        Chem.BondType.DOUBLE,
        Chem.BondType.TRIPLE,
        Chem.BondType.QUADRUPLE,
        Chem.BondType.QUINTUPLE,
        Chem.BondType.HEXTUPLE,
    )
    mol = Chem.RWMol()
    for label in graph.labels.tolist():
        atom = Chem.Atom(3 + nodes[label])  # from lithium on: hydrogen and the dummy atom are special
        atom.SetNoImplicit(True)
        mol.AddAtom(atom)
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        mol.AddBond(u, v, orders[edges[label]])
    result = mol.GetMol()
    result.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(result)
    return result
