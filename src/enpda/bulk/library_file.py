"""How a library is kept: an Arrow IPC file, a row a graph. Any Arrow reader opens it, and nothing of it is executed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda.documents import parsed
from enpda.errors import InputError, brief
from enpda.graph import Graph
from enpda.io.parquet import THREADS
from enpda.io.source import reason_of

VERSION = "2"
DOCUMENTS = ("molecule", "names", "label_names")
"""Columns that hold JSON."""
BATCH = 4_096
"""Graphs that are converted at a time."""

Integers = npt.NDArray[np.int64]


def schema() -> Any:
    """Return the columns of the file."""
    import pyarrow as pa

    numbers = pa.list_(pa.int64())
    columns = [
        ("id", pa.string()),
        ("name", pa.string()),
        ("smiles", pa.string()),
        ("smiles_order", numbers),
        *((name, pa.string()) for name in DOCUMENTS),
        ("oddity", pa.string()),
        ("labels", numbers),
        ("ends", numbers),
        ("edge_labels", numbers),
    ]
    return pa.schema(columns, metadata={"enpda-library": VERSION})


def table_of(source: Callable[[], Any], where: object) -> Any:
    """Open and check a file; raises InputError when it is no library of this version."""
    import pyarrow as pa

    try:
        options = pa.ipc.IpcReadOptions(use_threads=THREADS)
        table = pa.ipc.open_file(source(), options=options).read_all()
        table.validate(full=True)  # offsets and text are used without looking
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError(f"{where}: not a library ({reason_of(error)}); make one with Library.build") from None
    version = (table.schema.metadata or {}).get(b"enpda-library", b"").decode(errors="replace")
    if version != VERSION or not table.schema.equals(schema()):
        raise InputError(f"{where}: a library of version {brief(version)}; this is version {VERSION}")
    if any(table.column(name).null_count for name in ("id", "labels", "ends", "edge_labels")):
        raise InputError(f"{where}: a damaged library: a graph has no id, labels or edges")
    return table


def save_rows(file: Any, rows: Iterator[dict[str, Any]]) -> int:
    """Write rows, and return how many there are."""
    import pyarrow as pa

    columns = schema()
    count = 0
    with pa.ipc.new_file(file, columns) as writer:
        while some := list(islice(rows, BATCH)):
            writer.write_batch(pa.RecordBatch.from_pylist(some, schema=columns))
            count += len(some)
    return count


def row_of(graph: Graph, own: str) -> dict[str, Any]:
    """Return the row of one graph under its own id."""
    plain = graph.to_dict()
    return {
        "id": own,
        "name": graph.name,
        "smiles": plain["smiles"],
        "smiles_order": plain["smiles_order"],
        **{name: None if plain.get(name) is None else json.dumps(plain[name]) for name in DOCUMENTS},
        "oddity": graph.oddity,
        "labels": graph.labels,
        "ends": graph.edges.reshape(-1),
        "edge_labels": graph.edge_labels,
    }


def graph_of(row: dict[str, Any]) -> Graph:
    """Undo `row_of`."""
    ends = row["ends"]
    return Graph.from_dict(
        {
            **{key: value for key, value in row.items() if key not in ("id", "ends", *DOCUMENTS)},
            "edges": list(zip(ends[::2], ends[1::2], strict=True)),
            **{name: parsed(row[name], f"the {name} of a graph") for name in DOCUMENTS if row[name] is not None},
        }
    )


def lists_of(column: Any) -> tuple[Integers, Integers]:
    """Offsets and values of a list column, from 0."""
    offsets = column.offsets.to_numpy()
    values = column.values.to_numpy()[offsets[0] : offsets[-1]]
    return (offsets - offsets[0]).astype(np.int64), np.ascontiguousarray(values)
