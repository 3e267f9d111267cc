"""Comma- and tab-separated values with a header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

from enpda.errors import InputError
from enpda.io.columns import Columns, choose, is_molecule
from enpda.io.source import Lines, Options, Records

Rows = Iterator[tuple[int, list[str] | InputError]]


def records(file: BinaryIO, options: Options) -> Records:
    """Read the rows after the header; quoted fields may hold separators and line ends."""
    header, rows = rows_of(file, options.suffix)
    columns, rows = _columns(header, rows, options)
    made = ((line, row if isinstance(row, InputError) else partial(columns.graph, row)) for line, row in rows)
    return Records(made, str(columns))


def _columns(header: list[str], rows: Rows, options: Options) -> tuple[Columns, Rows]:
    """Choose the columns; a first line that holds a molecule where a title should be is a row."""
    numbered = isinstance(options.smiles, int) and options.smiles < len(header) and is_molecule(header[options.smiles])
    try:
        columns = choose(header, options)
    except InputError:
        molecules = [k for k, cell in enumerate(header) if len(cell) > 2 and is_molecule(cell)]
        if options.smiles is not None or isinstance(options.name, str) or len(molecules) != 1:
            raise
        [smiles] = molecules
        name = options.name if options.name is not None else next((k for k in range(len(header)) if k != smiles), None)
        columns, numbered = Columns(smiles, name), True
    if not numbered:
        return columns, rows
    return Columns(columns.smiles, columns.name), chain([(1, header)], rows)


def rows_of(file: BinaryIO, suffix: str) -> tuple[list[str], Rows]:
    """Return the header, and the rows after it with the lines they start on; a broken row is an InputError."""
    lines = Lines(file)
    try:
        first = next((line for line in lines if line.strip()), "")
        # strict: a stray quote is a reject rather than a field that swallows the rows after it
        rows = csv.reader(chain([first], lines), delimiter=_delimiter(first, suffix), strict=True)
        header = next(rows, [])
    except csv.Error as error:
        raise InputError(f"the header cannot be read: {error}") from None
    return header, _rows(lines, rows)


def _delimiter(header: str, suffix: str) -> str:
    """Return what separates fields: spreadsheets write semicolons where a comma is a decimal point, or tabs."""
    return "\t" if suffix == ".tsv" else max(",;\t", key=header.count)


def _rows(lines: Lines, rows: Any) -> Rows:
    while True:
        start = lines.begin()
        try:
            row = next(rows, None)
        except (InputError, csv.Error) as error:
            span = f" (lines {start} to {lines.number} are left out)" if lines.number > start else ""
            yield start, InputError(f"{error}{span}")
            continue
        if row is None:
            return
        if row:
            yield start, row
