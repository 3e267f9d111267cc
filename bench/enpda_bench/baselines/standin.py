"""Molecules that stand for labelled graphs, for programs that compare atoms and bonds only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enpda.graph import Graph
from enpda_bench.baselines.answer import at_most


def stand_in(graph: Graph, edges: dict[int, int], atom: Callable[[int], Any]) -> Any:
    """Return an unsanitised molecule: `atom(label)` for nodes, single to hextuple bonds for the classes of edges."""
    from rdkit import Chem

    at_most("edge labels", len(edges), 6)
    mol = Chem.RWMol()
    for label in graph.labels.tolist():
        fresh = atom(label)
        fresh.SetNoImplicit(True)
        mol.AddAtom(fresh)
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        mol.AddBond(u, v, Chem.BondType.values[1 + edges[label]])
    result = mol.GetMol()
    result.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(result)
    return result


def element(number: int) -> Any:
    """Return an atom from lithium on, by number from 0: hydrogen and the dummy atom are special."""
    from rdkit import Chem

    at_most("node labels", number + 1, 116)
    return Chem.Atom(3 + number)


def isotope(number: int) -> Any:
    """Return a carbon whose isotope is a number from 1."""
    from rdkit import Chem

    atom = Chem.Atom(6)
    atom.SetIsotope(number + 1)
    return atom
