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
            mol = Chem.Mol(raw)
            Chem.SanitizeMol(mol)
            return (Chem.RemoveHs(mol) if fold else mol), None
        except (ValueError, RuntimeError) as error:
            reason = _line(error)
        try:
            mol = _partly(raw)
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


def _partly(raw: Mol) -> Mol:
    """Sanitise a copy without the steps that fail."""
    from rdkit import Chem

    flags = Chem.SanitizeFlags
    steps = int(flags.SANITIZE_ALL)
    while True:
        mol = Chem.Mol(raw)  # a failed step may have changed bonds
        mol.UpdatePropertyCache(strict=False)
        failed = Chem.SanitizeMol(mol, sanitizeOps=steps, catchErrors=True)
        if failed == flags.SANITIZE_NONE:
            break
        steps &= ~int(failed)
        if failed == flags.SANITIZE_KEKULIZE:
            steps &= ~int(flags.SANITIZE_SETAROMATICITY)  # which starts from a Kekulé form
    if not steps & int(flags.SANITIZE_KEKULIZE):
        _single_between_rings(mol)
    return mol


def _single_between_rings(mol: Mol) -> None:
    """Make the bond between two aromatic rings single, as it is meant in SMILES; else the Kekulé form would."""
    from rdkit import Chem

    for bond in mol.GetBonds():
        ends = bond.GetBeginAtom(), bond.GetEndAtom()
        if bond.GetIsAromatic() and not bond.IsInRing() and all(atom.IsInRing() for atom in ends):
            bond.SetIsAromatic(False)
            bond.SetBondType(Chem.BondType.SINGLE)
