"""Comma- and tab-separated values with a header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from enpda.errors import InputError
from enpda.io.columns import Columns, choose
from enpda.io.source import Lines, Options, Record


def records(file: BinaryIO, options: Options) -> Iterator[Record]:
    """Read the rows after the header; quoted fields may hold separators and line ends."""
    lines = Lines(file)
    # strict: a stray quote is a reject rather than a field that swallows the rows after it
    rows = csv.reader(lines, "excel-tab" if options.suffix == ".tsv" else "excel", strict=True)
    try:
        header = next((row for row in rows if row), [])
    except csv.Error as error:
        raise InputError(f"the header cannot be read: {error}") from None
    return _records(lines, rows, choose(header, options))


def _records(lines: Lines, rows: Any, columns: Columns) -> Iterator[Record]:
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
            yield start, partial(columns.graph, row)
