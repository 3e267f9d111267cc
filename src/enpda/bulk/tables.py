"""The tables of a job as Arrow and Parquet; a chunk's file carries a seal, so that damage to any byte of it shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from enpda.bulk.library import Library
from enpda.bulk.rows import SCREEN, STATUSES, Rows
from enpda.io import Reject
from enpda.io.parquet import THREADS, table_of

SEAL = b"sha256:"
OPEN = b"0" * 64
"""What stands in a file's seal while the digest is computed."""


def pairs_schema() -> Any:
    """Return the columns of the pairs' table."""
    import pyarrow as pa

    return pa.schema(
        [
            ("id_a", pa.string()),
            ("id_b", pa.string()),
            ("size", pa.int32()),
            ("upper", pa.int32()),
            ("optimal", pa.bool_()),
            ("nodes", pa.int32()),
            ("similarity", pa.float64()),
            ("distance", pa.int32()),
            ("status", pa.string()),
            ("seconds", pa.float64()),
            ("method", pa.string()),
        ]
    )


def pairs_table(rows: Rows, first: Any, second: Any, method: str) -> Any:
    """Return rows as an Arrow table, under the ids (Arrow arrays) of their items."""
    import pyarrow as pa

    methods = pa.array([method, SCREEN]).take(pa.array(rows.screened.astype(np.int8)))
    columns = [
        first.take(pa.array(rows.a)),
        second.take(pa.array(rows.b)),
        rows.size,
        rows.upper,
        rows.optimal,
        rows.nodes,
        rows.similarity,
        rows.distance,
        pa.array(STATUSES).take(pa.array(rows.status)),
        rows.seconds,
        methods,
    ]
    schema = pairs_schema()
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def pairs_rows(table: Any, first: Any, second: Any) -> Rows:
    """Undo `pairs_table`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = {
        "a": pc.index_in(table["id_a"], first),
        "b": pc.index_in(table["id_b"], second),
        "status": pc.index_in(table["status"], pa.array(STATUSES)),
        "screened": pc.equal(table["method"], SCREEN),
    }
    columns |= {entry.name: table[entry.name] for entry in fields(Rows) if entry.name not in columns}
    kinds = {"a": np.int64, "b": np.int64, "status": np.uint8}
    values = {name: column.to_numpy() for name, column in columns.items()}
    return Rows(**{name: value.astype(kinds.get(name, value.dtype)) for name, value in values.items()})


def items_table(library: Library) -> Any:
    """Return what people want to know of the items."""
    import pyarrow as pa

    smiles = library.smiles
    digests = [library[k].digest if own is None else None for k, own in enumerate(smiles)]
    return pa.table(
        {
            "id": pa.array(library.ids, pa.string()),
            "smiles": pa.array(smiles, pa.string()),
            "digest": pa.array(digests, pa.string()),
            "nodes": library.nodes,
            "edges": library.edges,
        }
    )


def rejects_table(rejects: Iterable[Reject]) -> Any:
    """Return what could not be read."""
    import pyarrow as pa

    listed: Sequence[Reject] = list(rejects)
    return pa.table(
        {
            "file": pa.array([_shown(r.file) for r in listed], pa.string()),
            "line": pa.array([r.line for r in listed], pa.int64()),
            "reason": pa.array([r.reason for r in listed], pa.string()),
        }
    )


def _shown(file: str) -> str:
    """Return the name of a file as text, which a name in another encoding is not."""
    return file.encode(errors="backslashreplace").decode()


def frame(table: Any) -> Any:
    """Return a table as a pandas data frame."""
    return table.to_pandas(use_threads=THREADS)


def parquet(table: Any) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def sealed(table: Any, place: str) -> bytes:
    """Return a table as the bytes of a Parquet file that belongs to one place; the seal is in its metadata."""
    data = parquet(table.replace_schema_metadata({"enpda-seal": (SEAL + OPEN).decode()}))
    begin = data.rindex(SEAL + OPEN) + len(SEAL)
    return data[:begin] + _digest(data, place) + data[begin + len(OPEN) :]


def intact(data: bytes, place: str) -> bool:
    """Tell whether bytes are as `sealed` wrote them for this place."""
    begin = data.rfind(SEAL) + len(SEAL)
    end = begin + len(OPEN)
    return begin >= len(SEAL) and data[begin:end] == _digest(data[:begin] + OPEN + data[end:], place)


def unsealed(data: bytes) -> Any:
    """Return the table of intact bytes."""
    return table_of(data).replace_schema_metadata(None)


def _digest(data: bytes, place: str) -> bytes:
    return hashlib.sha256(place.encode() + b"\n" + data).hexdigest().encode()
