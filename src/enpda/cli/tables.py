"""Tables out: what commands about many items share.

Names come from files of anybody's, and a spreadsheet runs a cell that begins like a formula. In CSV such text gets an
apostrophe in front, which spreadsheets take as "this is text".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from enpda.errors import InputError, brief
from enpda.files import replacing

SUFFIXES = (".csv", ".parquet")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a formula begins with, or what spreadsheets skip before one."""


def check_suffix(path: Path | None, more: tuple[str, ...] = ()) -> None:
    """Raise InputError for a file that neither `save` nor the command, which writes `more` suffixes, would write."""
    known = (*SUFFIXES, *more)
    if path is not None and path.suffix.lower() not in known:
        raise InputError(f"out must end in {' or '.join(known)}; got {brief(str(path))}")


def save(table: Any, path: Path) -> None:
    """Write an Arrow table as CSV or Parquet."""
    from pyarrow import csv, parquet

    with replacing(path, "the table") as temporary:
        if path.suffix.lower() == ".csv":
            csv.write_csv(_harmless(table), temporary)
        else:
            parquet.write_table(table, temporary, compression="zstd")


def harmless(cell: object) -> object:
    """Return what a spreadsheet shows as it is: text that begins like a formula gets an apostrophe in front."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _harmless(table: Any) -> Any:
    import pyarrow as pa

    columns = [
        pa.array(map(harmless, column.to_pylist()), column.type) if pa.types.is_string(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, schema=table.schema)
