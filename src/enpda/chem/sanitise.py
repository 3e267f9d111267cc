"""Sanitisation of molecules, as far as RDKit gets with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from enpda.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol


def sanitised(raw: Mol, what: str, *, fold: bool = True) -> tuple[Mol, str | None]:
    """Return a sanitised copy with its hydrogens folded, and what is odd when not all of sanitisation worked.

    A molecule that does not sanitise goes through all steps but those that fail: atoms keep their valences, and bonds
    without a Kekulé form their types. Its rings and hydrogens can be asked for like those of any other.

    Parameters
    ----------
    raw : Mol
        A molecule as its parser left it.
    what : str
        What it was read from, in words.
    fold : bool
        Whether explicit hydrogens become counts of their neighbours, where RDKit sees no reason to keep them.

    Raises
    ------
    InputError
        When RDKit cannot do anything with it.

    Examples
    --------
    >>> from rdkit import Chem
    >>> sanitised(Chem.MolFromSmiles("CN(C)(C)C", sanitize=False), "this")[1].partition(":")[0]
    'this is not a valid molecule, and is taken as it is written'
    """
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        try:
            mol, reason = _in_steps(raw)
            if reason is None:
                return (Chem.RemoveHs(mol) if fold else mol), None
            if fold:
                parameters = Chem.RemoveHsParameters()
                parameters.updateExplicitCount = True  # else five hydrogens would become the four that carbon likes
                mol = Chem.RemoveHs(mol, parameters, sanitize=False)
            mol.UpdatePropertyCache(strict=False)
            Chem.GetSymmSSSR(mol)
        except (ValueError, RuntimeError) as error:
            raise InputError(f"{what} is beyond RDKit: {_line(error)}") from None
    return mol, f"{what} is not a valid molecule, and is taken as it is written: {reason}"


def _line(error: Exception) -> str:
    return (str(error).strip() or "no reason given").splitlines()[0]


def _in_steps(raw: Mol) -> tuple[Mol, str | None]:
    """Sanitise a copy without the steps that fail; return it with the first reason, None when none fails."""
    from rdkit import Chem

    flags = Chem.SanitizeFlags
    # Aromaticity starts from a Kekulé form. What fails otherwise names no step, and then none is taken.
    kekule, valence = int(flags.SANITIZE_KEKULIZE | flags.SANITIZE_SETAROMATICITY), int(flags.SANITIZE_PROPERTIES)
    steps, reason = int(flags.SANITIZE_ALL), None
    while True:
        mol = Chem.Mol(raw)  # a failed step may have changed bonds
        try:
            if reason is not None:
                mol.UpdatePropertyCache(strict=False)
            Chem.SanitizeMol(mol, sanitizeOps=steps)
            break
        except (ValueError, RuntimeError) as error:
            if not steps:
                raise
            reason = reason or _line(error)
            if isinstance(error, (Chem.KekulizeException, Chem.AtomKekulizeException)) and steps & kekule:
                steps &= ~kekule
            elif isinstance(error, Chem.AtomValenceException) and steps & valence:
                steps &= ~valence
            else:
                steps = 0
    if not steps & kekule:
        Chem.GetSymmSSSR(mol)  # not yet known when no step was taken
        _single_between_rings(mol)
    return mol, reason


def _single_between_rings(mol: Mol) -> None:
    """Make the bond between two aromatic rings single, as it is meant in SMILES; else the Kekulé form would."""
    from rdkit import Chem

    for bond in mol.GetBonds():
        ends = bond.GetBeginAtom(), bond.GetEndAtom()
        if bond.GetIsAromatic() and not bond.IsInRing() and all(atom.IsInRing() for atom in ends):
            bond.SetIsAromatic(False)
            bond.SetBondType(Chem.BondType.SINGLE)
