"""Molecules as plain numbers, for those that SMILES cannot say: odd bond types, Kekulé forms, more than 1,000 atoms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from enpda.chem.molecule import complete
from enpda.errors import InputError, brief

if TYPE_CHECKING:
    from rdkit.Chem import Mol


def numbers_of(mol: Mol) -> dict[str, list[list[int]]] | None:
    """Return what rules and constraints may ask of a molecule; None when RDKit knows no valence for its bonds.

    Stereo marks and coordinates are left out.

    Returns
    -------
    dict or None
        `atoms` as rows (atomic number, charge, isotope, hydrogens that are no nodes, radical electrons, aromatic), and
        `bonds` as rows (begin, end, RDKit's bond type, aromatic), in the molecule's order.

    Examples
    --------
    >>> from rdkit import Chem
    >>> numbers_of(Chem.MolFromSmiles("C[O-]"))
    {'atoms': [[6, 0, 0, 3, 0, 0], [8, -1, 0, 0, 0, 0]], 'bonds': [[0, 1, 1, 0]]}
    """
    try:
        mol = complete(mol)
    except InputError:
        return None
    numbers = {
        "atoms": [
            [
                atom.GetAtomicNum(),
                atom.GetFormalCharge(),
                atom.GetIsotope(),
                atom.GetTotalNumHs(),
                atom.GetNumRadicalElectrons(),
                int(atom.GetIsAromatic()),
            ]
            for atom in mol.GetAtoms()
        ],
        "bonds": [
            [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType()), int(bond.GetIsAromatic())]
            for bond in mol.GetBonds()
        ],
    }
    try:
        from_numbers(numbers)
    except InputError:  # the valences that `mol` knew were those of other bonds
        return None
    return numbers


def from_numbers(given: Any) -> Mol:
    """Undo `numbers_of`; raises InputError."""
    from rdkit import Chem, rdBase

    if not isinstance(given, Mapping) or set(given) != {"atoms", "bonds"}:
        raise InputError(f"a molecule in numbers has the keys 'atoms' and 'bonds'; got {brief(given)}")
    mol = Chem.RWMol()
    with rdBase.BlockLogs():
        try:
            if any(type(x) is not int for rows in given.values() for row in rows for x in row):
                raise TypeError  # RDKit would take True for hydrogen
            for number, charge, isotope, hydrogens, radicals, aromatic in given["atoms"]:
                atom = Chem.Atom(number)
                atom.SetFormalCharge(charge)
                atom.SetIsotope(isotope)
                atom.SetNumExplicitHs(hydrogens)
                atom.SetNumRadicalElectrons(radicals)
                atom.SetIsAromatic(bool(aromatic))
                atom.SetNoImplicit(True)
                mol.AddAtom(atom)
            for begin, end, kind, aromatic in given["bonds"]:
                mol.AddBond(begin, end, Chem.BondType.values[kind])
                mol.GetBondBetweenAtoms(begin, end).SetIsAromatic(bool(aromatic))
            return complete(mol.GetMol())
        except InputError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, RuntimeError):
            raise InputError(f"not a molecule in numbers: {brief(given)}") from None
