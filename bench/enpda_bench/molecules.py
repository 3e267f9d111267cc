"""The test pairs as molecules: labels of AIDS and MCF-7 read as elements and bond orders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from enpda.graph import Graph
from enpda_bench import datasets
from enpda_bench.datasets import BenchPair

if TYPE_CHECKING:
    from rdkit.Chem import Mol

AIDS = "C O N Cl F S Se P Na I Co Br Li Si Mg Cu As B Pt Ru K Pd Au Te W Rh Zn Bi Pb Ge Sb Sn Ga Hg Ho Tl Ni Tb"
MCF7 = (
    "O N C Br S Cl F Na Pt Zn Ni Mn P I Se Sn Fe Pb Si Cr Hg As B Ga Ti Bi K Cu Zr Ir Li Pd Au W Sb Co Mg Ag Rh Ru Cd "
    "Er V Ac Tl Ge Re Nb Te Os Mo Ta Nd In U Eu Hf Sm"
)
ELEMENTS = {"aids": AIDS.split(), "mcf7": MCF7.split()}
"""Elements by node label, as these datasets number them; edge labels are bond orders less one."""


def molecule_pairs(data: Path, names: Iterable[str] = datasets.DATASETS) -> dict[str, list[BenchPair]]:
    """Return the fixed test pairs as molecules, with nothing known about their optima: aromatic bonds are perceived."""
    result = {}
    for name, pairs in datasets.fixed_pairs(data, names).items():
        made: dict[int, Graph] = {}

        def as_molecule(graph: Graph, name: str = name, made: dict[int, Graph] = made) -> Graph:
            if graph.mol is not None:
                return graph
            if id(graph) not in made:
                made[id(graph)] = Graph.from_mol(molecule(graph, ELEMENTS[name]))
            return made[id(graph)]

        graphs = [(as_molecule(p.a), as_molecule(p.b)) for p in pairs]
        result[name] = [
            BenchPair(a, b, 0, min(a.size, b.size), p.indices) for (a, b), p in zip(graphs, pairs, strict=True)
        ]
    return result


def molecule(graph: Graph, elements: list[str]) -> Mol:
    """Build a molecule from labels; charges and hydrogens are unknown, so that valences are not checked."""
    from rdkit import Chem, rdBase

    mol = written(graph, elements)
    with rdBase.BlockLogs():
        mol.UpdatePropertyCache(strict=False)
        Chem.SanitizeMol(mol, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES)
    return mol


def written(graph: Graph, elements: list[str]) -> Mol:
    """Build a molecule from labels as they are, with nothing perceived or checked."""
    from rdkit import Chem

    orders = (Chem.BondType.SINGLE, Chem.BondType.DOUBLE, Chem.BondType.TRIPLE)
    mol = Chem.RWMol()
    for label in graph.labels.tolist():
        mol.AddAtom(Chem.Atom(elements[label]))
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        mol.AddBond(u, v, orders[label])
    return mol.GetMol()
