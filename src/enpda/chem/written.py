"""Molecules written down: what RDKit holds of one takes a hundred times as much memory as its text."""

from __future__ import annotations

import zlib
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rdkit.Chem import Mol

_LOCK = Lock()


class Written:
    """A molecule written down, and made when somebody asks for it: the same atoms, bonds and marks in the same order.

    A SMILES that RDKit sanitised stays text, and goes through the same call of the same parser again. Everything else
    (mol blocks, InChI, what is odd, molecules of other programs) is kept as RDKit's own bytes, with all properties and
    with coordinates in full.
    """

    __slots__ = ("_made", "_written")

    def __init__(self, written: str | bytes) -> None:
        """Take a SMILES that `parse_smiles` took without anything odd, or RDKit's bytes."""
        self._written = written if isinstance(written, str) else zlib.compress(written, 1)
        self._made: Mol | None = None

    @classmethod
    def of(cls, mol: Mol) -> Written:
        """Write a molecule down."""
        from rdkit.Chem import PropertyPickleOptions as Options

        return cls(mol.ToBinary(int(Options.AllProps) | int(Options.CoordsAsDouble)))

    @property
    def mol(self) -> Mol:
        """The molecule; made once, and from then on kept."""
        if self._made is None:
            made = self.look()
            with _LOCK:  # two threads may make one, and both get the same
                if self._made is None:
                    self._made = made
        return self._made

    def look(self) -> Mol:
        """Return the molecule to look at and not to change; where it has to be made, it is not kept."""
        from rdkit import Chem

        from enpda.chem.molecule import parse_again

        if self._made is not None:
            return self._made
        if isinstance(self._written, str):
            return parse_again(self._written)
        return Chem.Mol(zlib.decompress(self._written))
