"""`Library`: graphs that were read and checked once, kept in one memory-mapped file.

The file is an Arrow IPC file: any Arrow reader opens it. Nothing of it is executed, and every graph passes the checks
of the compiled core before it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.documents import parsed
from enpda.errors import InputError, brief
from enpda.files import path_of, replacing
from enpda.graph import Graph, as_graph
from enpda.io import Oddity, Reject, read
from enpda.io.parquet import THREADS
from enpda.io.source import reason_of

VERSION = "1"
BATCH = 4_096
"""Graphs that are converted at a time."""
KEPT = 16_384
"""Graphs of a file that stay in memory once they were made."""

Integers = npt.NDArray[np.int64]


class Library(Sequence[Graph]):
    """Graphs in order, each with an id, ready to be compared.

    Made by `Library.build`, `Library.open` or `Library.of`. As a sequence it holds `Graph`s, made when they are asked
    for; comparisons use `cores`.

    Attributes
    ----------
    path : Path or None
        The file; None in memory.
    ids : list of str
        One a graph: its name where that is new, else its name and number, or its number alone.
    rejects : list of Reject
        What could not be read when the library was built in this process.
    oddities : list of Oddity
        What was read, but not sanitised.

    Examples
    --------
    >>> import enpda
    >>> drugs = enpda.Library.of(["CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1", "not a molecule"])
    >>> len(drugs), drugs.ids, drugs.rejects[0].reason
    (2, ['0', '1'], "not a SMILES: 'not a molecule'")
    """

    def __init__(
        self,
        ids: list[str],
        graphs: list[Graph] | None = None,
        table: Any = None,
        path: Path | None = None,
        rejects: list[Reject] | None = None,
        oddities: list[Oddity] | None = None,
    ) -> None:
        self.ids, self.path = ids, path
        self.rejects, self.oddities = rejects or [], oddities or []
        self._graphs, self._table = graphs, table

    # -- doors in ------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, items: Any, progress: bool = False, called: str = "items") -> Library:
        """Take a library, a file that `enpda.read` reads, or any iterable of graphs or molecules, into memory.

        Items that cannot be used are listed in `rejects`, those of an iterable under the name it is `called` by.
        """
        if isinstance(items, Library):
            return items
        if isinstance(items, (str, os.PathLike)) and is_library(items):
            return cls.open(items)
        rejects: list[Reject] = []
        oddities: list[Oddity] = []
        graphs = list(_graphs_of(items, rejects, oddities, progress, called))
        name = _Names()
        return cls([name(graph.name) for graph in graphs], graphs, rejects=rejects, oddities=oddities)

    @classmethod
    def build(cls, items: Any, path: str | os.PathLike[str], progress: bool = False) -> Library:
        """Write a library file and open it.

        Parameters
        ----------
        items : file, Library or iterable
            As for `of`; read as a stream, so that any number fits in memory.
        path : str or path-like
            The new file; an old one is replaced once the new one is complete.
        progress : bool
            Whether to show a bar on stderr.
        """
        return _written(Path(path_of(path)), (), items, progress)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Library:
        """Open a library file; its arrays stay on the disk until they are read."""
        import pyarrow as pa

        where = Path(path_of(path))
        table = _table(lambda: pa.memory_map(os.fsencode(where)), where)
        return cls(table.column("id").to_pylist(), table=table, path=where)

    @classmethod
    def loads(cls, data: bytes) -> Library:
        """Read a library from the bytes of its file."""
        import pyarrow as pa

        if not isinstance(data, bytes):
            raise InputError(f"the bytes of a library are needed; got {brief(data)}")
        table = _table(lambda: pa.BufferReader(data), "bytes")
        return cls(table.column("id").to_pylist(), table=table)

    def dumps(self) -> bytes:
        """Return the bytes of the library's file; `loads` reads them."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        _save(sink, _rows((self,), ()))
        return bytes(sink.getvalue())

    def append(self, items: Any, progress: bool = False) -> Library:
        """Add graphs at the end of the file; returns the library with them. The file is replaced as a whole."""
        if self.path is None:
            raise InputError("only a library in a file can be appended to; use Library.build")
        return _written(self.path, (self,), items, progress)

    @classmethod
    def merge(cls, libraries: Sequence[Any], path: str | os.PathLike[str]) -> Library:
        """Write the graphs of several libraries, one after the other, into a new file."""
        if not isinstance(libraries, Iterable) or isinstance(libraries, (str, bytes)):
            raise InputError(f"several libraries are needed, as a list; got {brief(libraries)}")
        return _written(Path(path_of(path)), [cls.of(library) for library in libraries], (), False)

    # -- what it holds -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        k = range(len(self))[index]
        if self._graphs is not None:
            return self._graphs[k]
        return self._made(k)

    @cached_property
    def _made(self) -> Callable[[int], Graph]:
        return lru_cache(KEPT)(lambda k: _graph(self._table.slice(k, 1).to_pylist()[0]))

    def __repr__(self) -> str:
        return f"Library({len(self)} graphs{'' if self.path is None else f', {self.path}'})"

    @cached_property
    def cores(self) -> list[_core.Graph]:
        """The graphs as the compiled core has them."""
        if self._graphs is not None:
            return [graph.core for graph in self._graphs]
        result: list[_core.Graph] = []
        try:
            for batch in self._table.to_batches():
                nodes, labels = _lists(batch.column("labels"))
                edges, edge_labels = _lists(batch.column("edge_labels"))
                result += _core.graphs(nodes, labels, edges, _lists(batch.column("ends"))[1], edge_labels)
        except (TypeError, ValueError) as error:
            raise InputError(f"{self.path}: {reason_of(error)}") from None
        return result

    @cached_property
    def screen(self) -> _core.Screen:
        """Bounds from counts, for comparisons with all graphs at once."""
        return _core.Screen(self.cores)

    @cached_property
    def nodes(self) -> Integers:
        """Nodes of each graph."""
        return np.array([len(core) for core in self.cores], dtype=np.int64)

    @cached_property
    def edges(self) -> Integers:
        """Edges of each graph."""
        return np.array([core.size for core in self.cores], dtype=np.int64)

    @cached_property
    def cycles(self) -> Integers:
        """Independent cycles of each graph: edges that can go without a piece falling apart."""
        pieces = [len(np.unique(core.components())) for core in self.cores]
        return self.edges - self.nodes + np.array(pieces, dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids and graphs, in order."""
        value = hashlib.sha256()
        for k, core in zip(self.ids, self.cores, strict=True):
            text = k.encode()
            value.update(len(text).to_bytes(8, "little") + text)
            for part in (core.labels(), core.edges(), core.edge_labels()):
                value.update(len(part).to_bytes(8, "little") + part.tobytes())
        return value.hexdigest()

    @cached_property
    def classes(self) -> Integers:
        """For each graph the number of the first one that is isomorphic to it."""
        seen: dict[tuple[int, int, int], list[int]] = {}
        result = np.arange(len(self), dtype=np.int64)
        for k, core in enumerate(self.cores):
            alike = seen.setdefault((len(core), core.size, core.invariant_hash), [])
            for other in alike:
                if _core.isomorphic(core, self.cores[other]):
                    result[k] = other
                    break
            else:
                alike.append(k)
        return result

    @property
    def smiles(self) -> list[str | None]:
        """SMILES of each graph; None for graphs that are no molecules."""
        if self._graphs is not None:
            return [self.smiles_of(k) for k in range(len(self))]
        return list(self._table.column("smiles").to_pylist())

    @property
    def molecules(self) -> int:
        """How many of the graphs are molecules."""
        if self._graphs is not None:
            return sum(graph.mol is not None for graph in self._graphs)
        smiles, numbers = self._table.column("smiles"), self._table.column("molecule")
        return 2 * len(self) - int(smiles.null_count) - int(numbers.null_count)  # each has one or the other

    @property
    def odd(self) -> int:
        """How many of the graphs are molecules that RDKit could not sanitise."""
        if self._graphs is not None:
            return sum(graph.oddity is not None for graph in self._graphs)
        return len(self) - int(self._table.column("oddity").null_count)

    def smiles_of(self, k: int) -> str | None:
        """Return the SMILES of one graph; None when it is no molecule, or one that no SMILES says."""
        if self._graphs is None:
            smiles: str | None = self._table.column("smiles")[k].as_py()
            return smiles
        from enpda.chem import molecule

        mol = self._graphs[k].mol
        return None if mol is None else (molecule.ordered_smiles(mol) or (None,))[0]


def is_library(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as Arrow files do."""
    try:
        with open(path, "rb") as file:
            return file.read(6) == b"ARROW1"
    except (OSError, ValueError):
        return False


class _Names:
    """Ids, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._count = len(self._taken)

    def __call__(self, name: str | None) -> str:
        wanted = name or str(self._count)
        if wanted in self._taken:
            wanted = f"{wanted}#{self._count}"
            while wanted in self._taken:
                wanted += "'"
        self._taken.add(wanted)
        self._count += 1
        return wanted


def _graphs_of(
    items: Any, rejects: list[Reject], oddities: list[Oddity], progress: bool, called: str = "items"
) -> Iterator[Graph]:
    from tqdm import tqdm

    if isinstance(items, (str, os.PathLike)):
        with read(items) as reader:
            yield from tqdm(reader, desc="reading", unit=" graphs", disable=not progress, leave=False)
            rejects += reader.rejects
            oddities += reader.oddities
        return
    if not isinstance(items, Iterable):
        raise InputError(f"a file, a library or an iterable of graphs is needed; got {brief(items)}")
    for k, item in enumerate(tqdm(items, desc="reading", unit=" graphs", disable=not progress, leave=False)):
        try:
            graph = _quietly(item)
        except (ValueError, RuntimeError) as error:
            rejects.append(Reject(called, k + 1, reason_of(error)))
            continue
        if graph.oddity is not None:
            oddities.append(Oddity(called, k + 1, reason_of(graph.oddity)))
        yield graph


def _quietly(item: Any) -> Graph:
    from enpda.graph import read_smiles

    return read_smiles(item) if isinstance(item, str) else as_graph(item)


# -- the file ----------------------------------------------------------------------------------------------


def _schema() -> Any:
    import pyarrow as pa

    numbers = pa.list_(pa.int64())
    columns = [
        ("id", pa.string()),
        ("name", pa.string()),
        ("smiles", pa.string()),
        ("smiles_order", numbers),
        ("molecule", pa.string()),
        ("oddity", pa.string()),
        ("labels", numbers),
        ("ends", numbers),
        ("edge_labels", numbers),
    ]
    return pa.schema(columns, metadata={"enpda-library": VERSION})


def _table(source: Callable[[], Any], where: object) -> Any:
    import pyarrow as pa

    try:
        options = pa.ipc.IpcReadOptions(use_threads=THREADS)
        table = pa.ipc.open_file(source(), options=options).read_all()
        table.validate(full=True)  # offsets and text are used without looking
    except (OSError, pa.ArrowException, ValueError) as error:
        raise InputError(f"{where}: not a library ({reason_of(error)}); make one with Library.build") from None
    version = (table.schema.metadata or {}).get(b"enpda-library", b"").decode()
    if version != VERSION or not table.schema.equals(_schema()):
        raise InputError(f"{where}: a library of version {brief(version)}; this is version {VERSION}")
    if any(table.column(name).null_count for name in ("id", "labels", "ends", "edge_labels")):
        raise InputError(f"{where}: a damaged library: a graph has no id, labels or edges")
    return table


def _written(path: Path, libraries: Sequence[Library], items: Any, progress: bool) -> Library:
    """Write libraries and then items into a file, and open it."""
    import pyarrow as pa

    if isinstance(items, (str, os.PathLike)) and is_library(items):
        items = Library.open(items)
    if isinstance(items, Library):
        libraries, items = (*libraries, items), ()
    rejects: list[Reject] = []
    oddities: list[Oddity] = []
    rows = _rows(libraries, _graphs_of(items, rejects, oddities, progress))
    with replacing(path, "the library") as temporary, pa.OSFile(os.fsencode(temporary), "wb") as file:
        _save(file, rows)
    result = Library.open(path)
    result.rejects, result.oddities = rejects, oddities
    return result


def _rows(libraries: Sequence[Library], graphs: Iterable[Graph]) -> Iterator[dict[str, Any]]:
    given = _Names()
    for library in libraries:
        for k, graph in zip(library.ids, library, strict=True):
            yield _row(graph, given(k))
    for graph in graphs:
        yield _row(graph, given(graph.name))


def _save(file: Any, rows: Iterator[dict[str, Any]]) -> None:
    import pyarrow as pa

    schema = _schema()
    with pa.ipc.new_file(file, schema) as writer:
        while some := list(islice(rows, BATCH)):
            writer.write_batch(pa.RecordBatch.from_pylist(some, schema=schema))


def _row(graph: Graph, own: str) -> dict[str, Any]:
    plain = graph.to_dict()
    return {
        "id": own,
        "name": graph.name,
        "smiles": plain["smiles"],
        "smiles_order": plain["smiles_order"],
        "molecule": None if plain["molecule"] is None else json.dumps(plain["molecule"]),
        "oddity": graph.oddity,
        "labels": graph.labels,
        "ends": graph.edges.reshape(-1),
        "edge_labels": graph.edge_labels,
    }


def _graph(row: dict[str, Any]) -> Graph:
    """Undo `_row`."""
    ends = row["ends"]
    return Graph.from_dict(
        {
            **{key: value for key, value in row.items() if key not in ("id", "ends")},
            "edges": list(zip(ends[::2], ends[1::2], strict=True)),
            "molecule": None if row["molecule"] is None else parsed(row["molecule"], "the molecule"),
        }
    )


def _lists(column: Any) -> tuple[Integers, Integers]:
    """Offsets and values of a list column, from 0."""
    offsets = column.offsets.to_numpy()
    values = column.values.to_numpy()[offsets[0] : offsets[-1]]
    return (offsets - offsets[0]).astype(np.int64), np.ascontiguousarray(values)
