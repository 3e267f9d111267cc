"""Parquet tables, and how all of the package reads them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from enpda.errors import InputError
from enpda.graph import Graph, read_text
from enpda.io.columns import choose
from enpda.io.source import MAX_RECORD, Options, Record, Records, parsing

BATCH = 1000
"""Rows in memory at a time."""


THREADS = False
"""Whether Arrow may use threads of its own. A thread that still holds a buffer of Python's when the interpreter ends
releases it then, and the process aborts: nothing that Arrow reads or converts for us is left to its threads."""


def opened(source: Any, buffer_size: int = 0) -> Any:
    """Open a Parquet file (a path, a Python file or an Arrow source) that is read by the calling thread alone."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(source, buffer_size=buffer_size, pre_buffer=False)


def table_of(source: Any) -> Any:
    """Return all of a Parquet file (a path, or its bytes) as an Arrow table."""
    import pyarrow as pa

    with opened(pa.BufferReader(source) if isinstance(source, bytes) else source) as file:
        return file.read(use_threads=THREADS)


def records(file: BinaryIO, options: Options) -> Records:
    """Read the rows batch by batch, and only the columns that matter."""
    with parsing("Parquet file"):
        # With a buffer the pages of a column come one by one, so that the size of a row group does not matter.
        # (No look into the metadata of columns here: pyarrow ends the process where those are damaged.)
        table = opened(file, MAX_RECORD)
        header = table.schema_arrow.names
    columns = choose(header, options)
    wanted = [header[column] for column in (columns.smiles, columns.name) if column is not None]
    return Records(_records(table, wanted), str(columns))


def _records(table: Any, wanted: list[str]) -> Iterator[Record]:
    row = 0
    with parsing("Parquet file"):
        for batch in table.iter_batches(BATCH, columns=list(dict.fromkeys(wanted)), use_threads=THREADS):
            columns = [batch.column(title) for title in wanted]
            for cells in zip(*columns, strict=True):
                row += 1
                yield row, partial(_graph, *cells)


def _graph(smiles: Any, name: Any = None) -> Graph:
    # as_py raises on bad UTF-8, so that belongs here, where it costs one row and not the batch
    text, label = smiles.as_py(), None if name is None else name.as_py()
    if text is None:
        raise InputError("the SMILES is missing")
    return read_text(text, name=None if label is None else str(label))
