"""Tables out: what commands about many items share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from enpda.errors import InputError, brief

SUFFIXES = (".csv", ".parquet")


def check_suffix(path: Path | None) -> None:
    """Raise InputError for a file that `save` would not write."""
    if path is not None and path.suffix.lower() not in SUFFIXES:
        raise InputError(f"out must end in {' or '.join(SUFFIXES)}; got {brief(str(path))}")


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
