"""Which columns hold the SMILES and the name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enpda.errors import InputError, brief
from enpda.graph import Graph, read_smiles
from enpda.io.source import Options

SMILES_COLUMNS = ("smiles", "canonical_smiles", "isomeric_smiles", "smi")
NAME_COLUMNS = ("name", "id", "title", "identifier", "mol_id", "molecule_id", "compound_id", "chembl_id")


@dataclass(frozen=True)
class Columns:
    """Column numbers, from 0."""

    smiles: int
    name: int | None

    def graph(self, fields: Sequence[str]) -> Graph:
        """Make the graph of one row; raises InputError."""
        if self.smiles >= len(fields):
            raise InputError(f"the SMILES is missing: it should be field {self.smiles + 1} of {len(fields)}")
        name = fields[self.name].strip() if self.name is not None and self.name < len(fields) else ""
        return read_smiles(fields[self.smiles], name=name or None)


def plain(title: str) -> str:
    """Return a column title without case and spacing."""
    return title.strip().casefold().replace(" ", "_")


def choose(header: Sequence[str], options: Options) -> Columns:
    """Choose the columns: those asked for, else those with a usual title; raises InputError."""
    smiles = find(header, options.smiles, SMILES_COLUMNS)
    if smiles is None:
        usual = ", ".join(SMILES_COLUMNS)
        raise InputError(f"no column with SMILES (called {usual}, or chosen with smiles=); {found(header)}")
    return Columns(smiles, find(header, options.name, NAME_COLUMNS))


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
