"""SMILES lines: a SMILES and an optional name, separated by white space."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

from enpda.errors import InputError
from enpda.io.columns import SMILES_COLUMNS, Columns, choose, is_molecule, plain
from enpda.io.source import Lines, Options, Record, Records

LOOK_AHEAD = 10
"""Lines that may decide that the names come first."""

Row = tuple[int, str | InputError]


def records(file: BinaryIO, options: Options) -> Iterator[Record]:
    """Read SMILES lines; blank lines and those that begin with # are skipped."""
    rows = _rows(Lines(file))
    head = list(islice(rows, 1))
    header = [title for _, line in head for title in _split(line)]
    named = isinstance(options.smiles, str) or isinstance(options.name, str)
    if named or any(plain(title) in SMILES_COLUMNS for title in header):
        columns = choose(header, options)
        if columns.name is None and len(header) > 1:
            other = int(columns.smiles == 0)
            columns = Columns(columns.smiles, other, (header[columns.smiles], header[other]))
        return Records(_records(rows, columns, len(header)), str(columns))
    rows = chain(head, rows)
    if options.smiles is None and options.name is None:
        return _records(rows, None, 2)
    smiles = int(options.name == 0) if options.smiles is None else int(options.smiles)
    name = int(smiles == 0) if options.name is None else int(options.name)
    return _records(rows, Columns(smiles, name), max(smiles, name) + 1)


def _rows(lines: Lines) -> Iterator[Row]:
    while True:
        number = lines.begin()
        try:
            line = next(lines, None)
        except InputError as error:
            yield number, error
            continue
        if line is None:
            return
        if line.strip() and not line.startswith("#"):
            yield number, line


def _split(line: str | InputError, limit: int = -1) -> list[str]:
    """Split at tabs if there are any, so that names may hold spaces; else at white space, `limit` times."""
    if isinstance(line, InputError):
        return []
    return line.split("\t") if "\t" in line else line.split(maxsplit=limit)


def _records(rows: Iterator[Row], columns: Columns | None, width: int) -> Iterator[Record]:
    if columns is None:
        head: list[Row] = []
        columns = Columns(1, 0) if _names_first(rows, head) else Columns(0, 1)
        rows = chain(head, rows)
    # The last column is the rest of its line, as names are, unless it is the SMILES.
    limit = width - 1 if columns.smiles < width - 1 else -1
    for number, line in rows:
        yield number, line if isinstance(line, InputError) else partial(columns.graph, _split(line, limit))


def _names_first(rows: Iterator[Row], head: list[Row]) -> bool:
    """Whether two or more of the first lines only make sense as name, SMILES, and none as SMILES, name.

    The lines looked at are added to `head`; a file that begins with a SMILES costs one line.
    """
    votes = 0
    for row in islice(rows, LOOK_AHEAD):
        head.append(row)
        fields = _split(row[1])
        if fields and is_molecule(fields[0]):
            return False
        votes += len(fields) > 1 and is_molecule(fields[1])
    return votes > 1
