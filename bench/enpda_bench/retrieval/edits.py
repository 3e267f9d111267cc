"""Controlled edits of molecules: what comes out sanitises, is another graph, and is no training graph in disguise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from enpda.checks import choice, whole
from enpda.chem import molecule
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.learn.split import Identities

if TYPE_CHECKING:
    from rdkit.Chem import Bond, Mol, RWMol

Kind = Literal["deletion", "substitution", "relabel", "rewire", "mixed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ATTEMPTS, STRIDE = 128, 1_000_003
"""Attempts at an edit, and what the seed grows by from one to the next."""
PROPOSALS = 256
"""Pairs of bonds that are tried for one switch."""
FAMILIES = ((6, 14), (7, 15), (8, 16), (9, 17, 35, 53))
"""Elements that may take each other's place."""
RELATIVES = {z: [other for other in family if other != z] for family in FAMILIES for z in family}


@dataclass(frozen=True)
class Editor:
    """Makes edited graphs.

    Attributes
    ----------
    taken : Identities
        Skeletons that no result may have.
    """

    taken: Identities

    def graph(self, mol: Mol) -> Graph | None:
        """Return the graph of a molecule; None when it does not sanitise, or its SMILES is not the same molecule."""
        from rdkit import Chem, rdBase

        sane = Chem.Mol(mol)
        with rdBase.BlockLogs():
            if Chem.SanitizeMol(sane, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
                return None
        if molecule.ordered_smiles(sane) is None:
            return None
        return Graph.from_mol(sane)

    def edited(self, graph: Graph, kind: Kind, count: int, seed: int) -> Graph | None:
        """Return the graph with `count` edits of a kind; None when no attempt gives one that may be used."""
        from rdkit import Chem

        choice("kind", kind, KINDS)
        whole("count", count, 1, 1_000)
        if graph.mol is None:
            raise InputError(f"only molecules can be edited; {graph!r} is none")
        sane = Chem.Mol(graph.mol)
        Chem.SanitizeMol(sane)
        aromatic = {frozenset(ends) for ends in molecule.aromatic_bonds(Graph.from_mol(sane))}
        rings: frozenset[int] = frozenset().union(*aromatic)
        loose = _loosened(graph.mol, rings)
        for attempt in range(ATTEMPTS):
            draft = _Draft(Chem.RWMol(loose), aromatic, rings, np.random.default_rng(seed + STRIDE * attempt))
            if not EDITS[kind](draft, count):
                continue
            made = self.graph(draft.mol.GetMol())
            if made is not None and made.size and not made.same_as(graph) and self.taken.of(made, add=False) < 0:
                return made
        return None


def _loosened(mol: Mol, rings: frozenset[int]) -> Mol:
    """Return a molecule whose hydrogens follow the bonds, and without stereo marks."""
    from rdkit import Chem

    result = Chem.Mol(mol)
    Chem.RemoveStereochemistry(result)
    for atom in result.GetAtoms():
        if atom.GetIdx() not in rings and not atom.GetFormalCharge():
            atom.SetNoImplicit(False)
            atom.SetNumExplicitHs(0)
    return result


@dataclass(frozen=True)
class _Draft:
    """A molecule under edit; bonds and rings that were aromatic before stay as they are."""

    mol: RWMol
    aromatic: set[frozenset[int]]
    rings: frozenset[int]
    rng: np.random.Generator

    def bonds(self, *orders: int) -> list[tuple[int, int]]:
        """Return the ends of the bonds that may be edited, of these orders or of all."""

        def editable(bond: Bond) -> bool:
            return not orders or int(bond.GetBondType()) in orders

        every = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in self.mol.GetBonds() if editable(b)]
        return [ends for ends in every if frozenset(ends) not in self.aromatic]

    def some(self, items: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
        """Draw distinct items."""
        return [items[k] for k in self.rng.permutation(len(items))[:count].tolist()]


def _deletion(draft: _Draft, count: int) -> bool:
    bonds = draft.bonds(1)
    if len(bonds) < count:
        bonds = draft.bonds()
    for u, v in draft.some(bonds, count):
        draft.mol.RemoveBond(u, v)
    return len(bonds) >= count


def _substitution(draft: _Draft, count: int) -> bool:
    atoms = [
        (atom.GetIdx(), atom.GetAtomicNum())
        for atom in draft.mol.GetAtoms()
        if atom.GetIdx() not in draft.rings and atom.GetAtomicNum() in RELATIVES
    ]
    for k, element in draft.some(atoms, count):
        others = RELATIVES[element]
        draft.mol.GetAtomWithIdx(k).SetAtomicNum(others[int(draft.rng.integers(len(others)))])
    return len(atoms) >= count


def _relabel(draft: _Draft, count: int) -> bool:
    from rdkit.Chem import BondType

    bonds = draft.bonds(1, 2)
    for u, v in draft.some(bonds, count):
        bond = draft.mol.GetBondBetweenAtoms(u, v)
        bond.SetBondType(BondType.DOUBLE if bond.GetBondType() == BondType.SINGLE else BondType.SINGLE)
    return len(bonds) >= count


def _rewire(draft: _Draft, count: int) -> bool:
    return all(_switch(draft) for _ in range(count))


def _switch(draft: _Draft) -> bool:
    """Let two single bonds exchange their ends, so that every atom keeps its degree."""
    from rdkit.Chem import BondType

    bonds = draft.bonds(1)
    if len(bonds) < 2:
        return False
    for _ in range(PROPOSALS):
        (a, b), (c, d) = draft.some(bonds, 2)
        if draft.rng.random() < 0.5:
            c, d = d, c
        join = draft.mol.GetBondBetweenAtoms
        if len({a, b, c, d}) < 4 or join(a, d) is not None or join(c, b) is not None:
            continue
        draft.mol.RemoveBond(a, b)
        draft.mol.RemoveBond(c, d)
        draft.mol.AddBond(a, d, BondType.SINGLE)
        draft.mol.AddBond(c, b, BondType.SINGLE)
        return True
    return False


def _mixed(draft: _Draft, count: int) -> bool:
    deletions = -(-count // 2)
    return _deletion(draft, deletions) and (count == deletions or _substitution(draft, count - deletions))


EDITS: dict[Kind, Callable[[_Draft, int], bool]] = {
    "deletion": _deletion,
    "substitution": _substitution,
    "relabel": _relabel,
    "rewire": _rewire,
    "mixed": _mixed,
}
