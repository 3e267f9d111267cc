"""Lists of items in, tables out: what commands about many items share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from enpda.bulk.library import Library
from enpda.errors import InputError, brief

SUFFIXES = (".csv", ".parquet")


def check_suffix(path: Path | None) -> None:
    """Raise InputError for a file that `save` would not write."""
    if path is not None and path.suffix.lower() not in SUFFIXES:
        raise InputError(f"out must end in {' or '.join(SUFFIXES)}; got {brief(str(path))}")


def items_of(file: Path) -> Library:
    """Read a file of graphs; say on stderr how many records were left out or are odd, and why the first one is."""
    library = Library.of(file, progress=sys.stderr.isatty())
    for what, records in (("left out", library.rejects), ("odd", library.oddities)):
        if records:
            first = records[0]
            print(f"enpda: {len(records)} {what}, the first in line {first.line}: {first.reason}", file=sys.stderr)
    if not library:
        raise InputError(f"{file}: no graph can be read")
    return library


def save(table: Any, path: Path) -> None:
    """Write an Arrow table as CSV or Parquet."""
    try:
        if path.suffix.lower() == ".csv":
            from pyarrow import csv

            csv.write_csv(table, path)
        else:
            from pyarrow import parquet

            parquet.write_table(table, path, compression="zstd")
    except OSError as error:
        raise InputError(f"cannot write the table: {error}") from None
