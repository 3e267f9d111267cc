"""Comma- and tab-separated values with a header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from enpda.errors import InputError
from enpda.io.columns import choose
from enpda.io.source import Lines, Options, Record


def records(file: BinaryIO, options: Options) -> Iterator[Record]:
    """Read the rows after the header; quoted fields may hold separators and line ends."""
    header, rows = rows_of(file, options.suffix)
    columns = choose(header, options)
    return ((line, row if isinstance(row, InputError) else partial(columns.graph, row)) for line, row in rows)


def rows_of(file: BinaryIO, suffix: str) -> tuple[list[str], Iterator[tuple[int, list[str] | InputError]]]:
    """Return the header, and the rows after it with the lines they start on; a broken row is an InputError."""
    lines = Lines(file)
    # strict: a stray quote is a reject rather than a field that swallows the rows after it
    rows = csv.reader(lines, "excel-tab" if suffix == ".tsv" else "excel", strict=True)
    try:
        header = next((row for row in rows if row), [])
    except csv.Error as error:
        raise InputError(f"the header cannot be read: {error}") from None
    return header, _rows(lines, rows)


def _rows(lines: Lines, rows: Any) -> Iterator[tuple[int, list[str] | InputError]]:
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
