"""Molecules in and out, through RDKit, with limits for untrusted text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from enpda.errors import InputError, brief, unicode_text
from enpda.sanitise import sanitised

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from enpda.graph import Graph

MAX_SMILES = 20_000
"""Longer SMILES are refused before any parser sees them."""

MAX_WRITTEN = 1_000
"""Larger molecules are not written as SMILES: RDKit's writer recurses and could exhaust the stack."""


def parse_smiles(smiles: str, *, fold: bool = True) -> tuple[Mol, str | None]:
    """Parse one SMILES, sanitise it as far as possible, and fold its hydrogens; raises InputError when it is none.

    The second value says what is odd about the molecule: None when RDKit sanitised it.
    """
    from rdkit import Chem, rdBase

    text = unicode_text("a SMILES", smiles).strip()
    if not text:
        raise InputError("the SMILES is empty")
    if len(text) > MAX_SMILES:
        raise InputError(f"the SMILES has {len(text)} characters; at most {MAX_SMILES} are accepted")
    if "\0" in text:
        raise InputError("the SMILES contains a NUL character")
    parameters = Chem.SmilesParserParams()
    parameters.removeHs = fold
    parameters.parseName = False
    parameters.allowCXSMILES = False
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(text, parameters)  # all in one call, which is half the time for nearly every molecule
        if mol is not None:
            return mol, None
        parameters.sanitize = parameters.removeHs = False
        raw = Chem.MolFromSmiles(text, parameters)
    if raw is None:
        raise InputError(f"not a SMILES: {brief(text)}")
    return sanitised(raw, f"the SMILES {brief(text)}", fold=fold)


def arrays_of(mol: Mol) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Atomic numbers, bonds and integer bond types of a molecule."""
    from rdkit import Chem

    if not isinstance(mol, Chem.Mol):
        raise InputError(f"an RDKit Mol is needed; got {brief(mol)}")
    bonds = [mol.GetBondWithIdx(k) for k in range(mol.GetNumBonds())]  # RDKit's iterators take three times as long
    return (
        [mol.GetAtomWithIdx(k).GetAtomicNum() for k in range(mol.GetNumAtoms())],
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        [int(bond.GetBondType()) for bond in bonds],
    )


def copy(mol: Mol) -> Mol:
    """Return a molecule that the caller may change."""
    from rdkit import Chem

    return Chem.Mol(mol)


def complete(mol: Mol) -> Mol:
    """Return a molecule that knows its valences and rings: itself, or a copy when it does not; raises InputError."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        try:
            mol.GetRingInfo().NumRings()
            if not mol.NeedsUpdatePropertyCache():
                return mol
        except RuntimeError:  # rings were never looked for
            pass
        result = copy(mol)
        try:
            result.UpdatePropertyCache(strict=False)
        except RuntimeError:
            kinds = ", ".join(sorted({str(bond.GetBondType()) for bond in mol.GetBonds()}))
            raise InputError(f"RDKit knows no valences for some of the bond types {kinds}") from None
        Chem.GetSymmSSSR(result)
    return result


def mol_of(graph: Graph) -> Mol:
    """Build a molecule from atomic numbers and bond types; no sanitisation, no implicit hydrogens."""
    from rdkit import Chem

    types = Chem.BondType.values
    for what, labels, accepted in (
        ("node label", graph.labels, range(119)),
        ("edge label", graph.edge_labels, sorted(k for k in types if k > 0)),
    ):
        for label in labels.tolist():
            if label not in accepted:
                raise InputError(
                    f"no molecule: {what} {label} is not "
                    + ("an atomic number (0 to 118)" if what == "node label" else "an RDKit bond type (1, 2, 3, 12, …)")
                )
    mol = Chem.RWMol()
    for label in graph.labels.tolist():
        atom = Chem.Atom(label)
        atom.SetNoImplicit(True)
        mol.AddAtom(atom)
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        mol.AddBond(u, v, types[label])
        if types[label] == Chem.BondType.AROMATIC:
            mol.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
            mol.GetAtomWithIdx(u).SetIsAromatic(True)
            mol.GetAtomWithIdx(v).SetIsAromatic(True)
    result = mol.GetMol()
    result.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(result)
    return result


def rings_of(graph: Graph) -> list[list[int]]:
    """Return RDKit's symmetrised smallest set of smallest rings, as nodes in order; of any graph."""
    from rdkit import Chem

    mol = Chem.RWMol(graph.mol) if graph.mol is not None else Chem.RWMol()  # ring perception writes into it
    if graph.mol is None:
        for _ in range(len(graph)):
            mol.AddAtom(Chem.Atom(0))
        for u, v in graph.edges.tolist():
            mol.AddBond(u, v, Chem.BondType.SINGLE)
    return [list(ring) for ring in Chem.GetSymmSSSR(mol)]


def aromatic_bonds(graph: Graph) -> list[tuple[int, int]]:
    """Return the ends of all aromatic bonds, in ascending order; of molecules only."""
    if graph.mol is None:
        raise InputError(f"aromatic rings are those of a molecule; {graph!r} is none")
    bonds = [bond for bond in graph.mol.GetBonds() if bond.GetIsAromatic()]
    return [(min(p, q), max(p, q)) for p, q in ((b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds)]


def ordered_smiles(mol: Mol) -> tuple[str, list[int]] | None:
    """Return a canonical SMILES and, for each of its atoms, the atom of `mol`; None when it does not parse back."""
    from rdkit import Chem, rdBase

    if not 0 < mol.GetNumAtoms() <= MAX_WRITTEN:
        return None
    with rdBase.BlockLogs():
        try:
            smiles = Chem.MolToSmiles(mol)
            order = json.loads(mol.GetProp("_smilesAtomOutputOrder").replace(",]", "]"))
            again, _ = from_ordered_smiles(smiles, order)
        except (ValueError, RuntimeError):
            return None
    labels, bonds, types = arrays_of(mol)
    labels_again, bonds_again, types_again = arrays_of(again)
    same = labels == labels_again and _bond_set(bonds, types) == _bond_set(bonds_again, types_again)
    return (smiles, order) if same else None


def from_ordered_smiles(smiles: str, order: list[int]) -> tuple[Mol, str | None]:
    """Undo `ordered_smiles`; the second value is as in `parse_smiles`."""
    from rdkit import Chem

    mol, oddity = parse_smiles(smiles, fold=False)
    if sorted(order) != list(range(mol.GetNumAtoms())):
        raise InputError(f"the atom order {brief(order)} does not fit the SMILES {brief(smiles)}")
    position = {atom: place for place, atom in enumerate(order)}
    return Chem.RenumberAtoms(mol, [position[atom] for atom in range(len(order))]), oddity


def _bond_set(bonds: list[tuple[int, int]], types: list[int]) -> set[tuple[int, int, int]]:
    return {(min(bond), max(bond), kind) for bond, kind in zip(bonds, types, strict=True)}
