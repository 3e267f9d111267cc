"""TU datasets of molecules, read as molecules: node labels are elements, edge labels bond orders less one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from enpda.graph import Graph

if TYPE_CHECKING:
    from rdkit.Chem import Mol

AIDS = "C O N Cl F S Se P Na I Co Br Li Si Mg Cu As B Pt Ru K Pd Au Te W Rh Zn Bi Pb Ge Sb Sn Ga Hg Ho Tl Ni Tb"
MCF7 = (
    "O N C Br S Cl F Na Pt Zn Ni Mn P I Se Sn Fe Pb Si Cr Hg As B Ga Ti Bi K Cu Zr Ir Li Pd Au W Sb Co Mg Ag Rh Ru Cd "
    "Er V Ac Tl Ge Re Nb Te Os Mo Ta Nd In U Eu Hf Sm"
)
ELEMENTS = {"aids": AIDS.split(), "mcf7": MCF7.split()}
"""Elements by node label, as these datasets number them."""


def as_molecule(graph: Graph, elements: list[str]) -> Graph | None:
    """Read labels as a molecule, aromatic bonds perceived; None for what RDKit does not take.

    Charges and hydrogens are unknown, so that valences are not checked. Atoms come in the order of the canonical
    SMILES: the paper's graphs are SMILES that were read, and where assignments are tied their order decides.
    """
    from rdkit import Chem, rdBase

    mol = written(graph, elements)
    with rdBase.BlockLogs():
        mol.UpdatePropertyCache(strict=False)
        if Chem.SanitizeMol(mol, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES, catchErrors=True):
            return None
        Chem.MolToSmiles(mol)
    order = list(mol.GetPropsAsDict(includePrivate=True, includeComputed=True)["_smilesAtomOutputOrder"])
    return Graph.from_mol(Chem.RenumberAtoms(mol, order), name=graph.name)


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
