"""Which columns hold the SMILES and the name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from enpda.chem import molecule
from enpda.errors import InputError, brief
from enpda.graph import Graph, read_text
from enpda.io.source import Options

SMILES_COLUMNS = (
    "smiles",
    "canonical_smiles",
    "isomeric_smiles",
    "rdkit_smiles",
    "smi",
)
OTHER_COLUMNS = ("structure", "structures", "molecule", "mol", "inchi")
"""Usual titles of a column with molecules, the surest first; any other with "smiles" in it comes between the two."""
NAME_COLUMNS = (
    "name",
    "id",
    "title",
    "identifier",
    "compound_name",
    "molecule_name",
    "drug_name",
    "mol_id",
    "molecule_id",
    "compound_id",
    "chembl_id",
    "molecule_chembl_id",
    "compound",
    "drug",
    "cid",
    "cas",
)


@dataclass(frozen=True)
class Columns:
    """Column numbers, from 0, and the titles over them where there are any."""

    smiles: int
    name: int | None
    titles: tuple[str, str | None] | None = None

    def __str__(self) -> str:
        if self.titles is None:
            return f"molecules from column {self.smiles}"
        smiles, name = self.titles
        return f"molecules from column {brief(smiles)}, " + (
            "no names" if name is None else f"names from column {brief(name)}"
        )

    def graph(self, fields: Sequence[str]) -> Graph:
        """Make the graph of one row; raises InputError."""
        if self.smiles >= len(fields):
            raise InputError(f"the SMILES is missing: it should be field {self.smiles + 1} of {len(fields)}")
        name = fields[self.name].strip() if self.name is not None and self.name < len(fields) else ""
        return read_text(fields[self.smiles], name=name or None)


def plain(title: str) -> str:
    """Return a column title without case, spacing and punctuation."""
    return re.sub(r"[\W_]+", "_", title.strip().casefold()).strip("_")


def choose(header: Sequence[str], options: Options) -> Columns:
    """Choose the columns: those asked for, else those with a usual title; raises InputError."""
    smiles = find(header, options.smiles, SMILES_COLUMNS)
    if smiles is None:
        smiles = next((k for k, title in enumerate(header) if "smiles" in plain(title)), None)
    if smiles is None:
        smiles = find(header, None, OTHER_COLUMNS)
    if smiles is None:
        usual = ", ".join((*SMILES_COLUMNS, *OTHER_COLUMNS))
        raise InputError(
            f"no column with SMILES (called {usual}; or say which with smiles=, on the command line --smiles-column); "
            f"{found(header)}"
        )
    name = find(header, options.name, NAME_COLUMNS)
    if name == smiles and options.name is None:
        name = None
    return Columns(smiles, name, (header[smiles], None if name is None else header[name]))


def find(header: Sequence[str], wanted: str | int | None, usual: tuple[str, ...]) -> int | None:
    """Return the number of the wanted column, else of the first with a usual title, if any; raises InputError."""
    titles = [plain(title) for title in header]
    if wanted is None:
        return next((titles.index(title) for title in usual if title in titles), None)
    if isinstance(wanted, int):
        if wanted < len(header):
            return int(wanted)
    elif wanted in header:
        return header.index(wanted)
    elif plain(wanted) in titles:
        return titles.index(plain(wanted))
    raise InputError(f"no column {brief(wanted)}; {found(header)}")


def found(header: Sequence[str]) -> str:
    """Say which columns there are."""
    return f"the {len(header)} columns found are {brief(list(header), 500)}"


def is_title(text: str) -> bool:
    """Whether a column of this title holds molecules."""
    return plain(text) in (*SMILES_COLUMNS, *OTHER_COLUMNS) or "smiles" in plain(text)


def is_molecule(text: object) -> bool:
    """Whether RDKit reads this as a molecule that can be: a name may well read as one that cannot."""
    try:
        return isinstance(text, str) and molecule.parse(text)[1] is None
    except (ValueError, RuntimeError):
        return False
