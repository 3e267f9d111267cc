"""`Library`: graphs that were read and checked once, kept in one memory-mapped file.

The file is an Arrow IPC file: any Arrow reader opens it. Nothing of it is executed, and every graph passes the checks
of the compiled core before it is used.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from enpda import _core
from enpda.bulk.library_file import Integers, graph_of, lists_of, row_of, save_rows, table_of
from enpda.errors import InputError, brief
from enpda.files import path_of, replacing
from enpda.graph import Graph
from enpda.io import Oddity, Reader, Reject, read
from enpda.io.source import reason_of

REASONS = 3
"""Reasons that are told when nothing can be used."""
KEPT = 16_384
"""Graphs of a file that stay in memory once they were made."""


class Library(Sequence[Graph]):
    """Graphs in order, each with an id, ready to be compared.

    Made by `Library.build`, `Library.open` or `Library.of`. As a sequence it holds `Graph`s, made when they are asked
    for; comparisons use `cores`.

    Attributes
    ----------
    path : Path or None
        The file; None in memory.
    ids : list of str
        One a graph: its name where that is new, else its name and number, or its number alone: of an item in memory its
        place among all items, so that it still fits when others were left out.
    rejects : list of Reject
        What could not be read when the library was built in this process.
    oddities : list of Oddity
        What was read, but not sanitised.
    columns : str or None
        Of a table that was read in this process: where molecules and names come from, in words.

    Examples
    --------
    >>> import enpda
    >>> drugs = enpda.Library.of(["CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1", "not a molecule"])
    >>> len(drugs), drugs.ids, drugs.rejects[0].reason
    (2, ['0', '1'], "not a SMILES: 'not a molecule' (syntax error at character 3)")
    """

    def __init__(
        self,
        ids: list[str],
        graphs: list[Graph] | None = None,
        table: Any = None,
        path: Path | None = None,
        rejects: list[Reject] | None = None,
        oddities: list[Oddity] | None = None,
        columns: str | None = None,
    ) -> None:
        self.ids, self.path, self.columns = ids, path, columns
        self.rejects, self.oddities = rejects or [], oddities or []
        self._graphs, self._table = graphs, table

    # -- doors in ------------------------------------------------------------------------------------------

    @classmethod
    def of(
        cls,
        items: Any,
        progress: bool = False,
        called: str | None = None,
        *,
        smiles: str | int | None = None,
        name: str | int | None = None,
        format: str | None = None,
    ) -> Library:
        """Take a library, or whatever `enpda.read` reads, into memory: a file, a data frame, a dictionary, a list.

        Parameters
        ----------
        items : Library, file or items
            As for `enpda.read`; a library is returned as it is.
        progress : bool
            Whether to show a bar on stderr.
        called : str, optional
            How rejects of an iterable name it.
        smiles, name, format
            As for `enpda.read`.

        Raises
        ------
        InputError
            When nothing in it can be used, with the first reasons. Items that cannot be used beside others that can
            are listed in `rejects`.
        """
        source = _source(items, smiles, name, format)
        if isinstance(source, Library):
            return source
        own = _Names()
        graphs: list[Graph] = []
        ids: list[str] = []
        with source as reader:
            reader.path = called or reader.path
            for graph, wanted in _read(reader, progress):
                graphs.append(graph)
                ids.append(own(wanted))
        _check_usable(reader, len(graphs))
        return cls(ids, graphs, rejects=reader.rejects, oddities=reader.oddities, columns=reader.columns)

    @classmethod
    def build(
        cls,
        items: Any,
        path: str | os.PathLike[str],
        progress: bool = False,
        *,
        smiles: str | int | None = None,
        name: str | int | None = None,
        format: str | None = None,
    ) -> Library:
        """Write a library file and open it.

        Parameters
        ----------
        items : file, Library or iterable
            As for `of`; read as a stream, so that any number fits in memory.
        path : str or path-like
            The new file; an old one is replaced once the new one is complete.
        progress : bool
            Whether to show a bar on stderr.
        smiles, name, format
            As for `enpda.read`.
        """
        return _written(Path(path_of(path)), (), _source(items, smiles, name, format), progress)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Library:
        """Open a library file; its arrays stay on the disk until they are read."""
        import pyarrow as pa

        where = Path(path_of(path))
        table = table_of(lambda: pa.memory_map(os.fsencode(where)), where)
        return cls(table.column("id").to_pylist(), table=table, path=where)

    @classmethod
    def loads(cls, data: bytes) -> Library:
        """Read a library from the bytes of its file."""
        import pyarrow as pa

        if not isinstance(data, bytes):
            raise InputError(f"the bytes of a library are needed; got {brief(data)}")
        table = table_of(lambda: pa.BufferReader(data), "bytes")
        return cls(table.column("id").to_pylist(), table=table)

    def dumps(self) -> bytes:
        """Return the bytes of the library's file; `loads` reads them."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        save_rows(sink, _rows((self,), ()))
        return bytes(sink.getvalue())

    def append(
        self,
        items: Any,
        progress: bool = False,
        *,
        smiles: str | int | None = None,
        name: str | int | None = None,
        format: str | None = None,
    ) -> Library:
        """Add graphs at the end of the file; returns the library with them. The file is replaced as a whole."""
        if self.path is None:
            raise InputError("only a library in a file can be appended to; use Library.build")
        return _written(self.path, (self,), _source(items, smiles, name, format), progress)

    @classmethod
    def merge(cls, libraries: Sequence[Any], path: str | os.PathLike[str]) -> Library:
        """Write the graphs of several libraries, one after the other, into a new file."""
        if not isinstance(libraries, Iterable) or isinstance(libraries, (str, bytes)):
            raise InputError(f"several libraries are needed, as a list; got {brief(libraries)}")
        return _written(Path(path_of(path)), [cls.of(library) for library in libraries], None, False)

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
        return lru_cache(KEPT)(lambda k: graph_of(self._table.slice(k, 1).to_pylist()[0]))

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
                nodes, labels = lists_of(batch.column("labels"))
                edges, edge_labels = lists_of(batch.column("edge_labels"))
                result += _core.graphs(nodes, labels, edges, lists_of(batch.column("ends"))[1], edge_labels)
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
            return sum(graph.is_molecule for graph in self._graphs)
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

        mol = self._graphs[k].look()
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


def _read(reader: Reader, progress: bool) -> Iterator[tuple[Graph, str | None]]:
    """Yield graphs with the ids they want: their names, and without one, of an item in memory, its place."""
    from tqdm import tqdm

    for graph in tqdm(reader, desc="reading", unit=" graphs", disable=not progress, leave=False):
        yield graph, graph.name or (str(reader.line - 1) if reader.in_memory else None)


def _check_usable(reader: Reader, count: int) -> None:
    """Refuse a source in which nothing can be used, and say why; an empty list is nobody's mistake."""
    if count or (reader.in_memory and not reader.rejects and not reader.columns):
        return
    if not reader.rejects:
        raise InputError(f"{reader.path}: there is no record in it")
    reasons = "".join(f"\n  line {reject.line}: {reject.reason}" for reject in reader.rejects[:REASONS])
    more = len(reader.rejects) - REASONS
    rest = f"\n  and {more} more" if more > 0 else ""
    taken = "" if reader.columns is None else f" ({reader.columns})"
    raise InputError(f"{reader.path}: no record can be used{taken}{reasons}{rest}")


def _source(items: Any, smiles: str | int | None, name: str | int | None, format: str | None) -> Library | Reader:
    if isinstance(items, Library):
        return items
    if isinstance(items, (str, os.PathLike)) and is_library(items):
        return Library.open(items)
    return read(items, smiles=smiles, name=name, format=format)


# -- the file ----------------------------------------------------------------------------------------------


def _written(path: Path, libraries: Sequence[Library], items: Library | Reader | None, progress: bool) -> Library:
    """Write libraries and then items into a file, and open it."""
    import pyarrow as pa

    if isinstance(items, Library):
        libraries, items = (*libraries, items), None
    reader = items or read(())
    rows = _rows(libraries, _read(reader, progress))
    with reader, replacing(path, "the library") as temporary:
        with pa.OSFile(os.fsencode(temporary), "wb") as file:
            count = save_rows(file, rows)
        _check_usable(reader, count)
    result = Library.open(path)
    result.rejects, result.oddities, result.columns = reader.rejects, reader.oddities, reader.columns
    return result


def _rows(libraries: Sequence[Library], graphs: Iterable[tuple[Graph, str | None]]) -> Iterator[dict[str, Any]]:
    given = _Names()
    for library in libraries:
        for k, graph in zip(library.ids, library, strict=True):
            yield row_of(graph, given(k))
    for graph, wanted in graphs:
        yield row_of(graph, given(graph.name if libraries else wanted))  # behind others, a place says nothing
