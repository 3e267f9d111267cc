"""Files in: a stream of graphs, and the list of what could not be read."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import BinaryIO, cast

from enpda.errors import InputError
from enpda.files import path_of
from enpda.graph import Graph
from enpda.io.source import Options, Record, reason_of

FORMATS = {
    ".smi": "text",
    ".smiles": "text",
    ".txt": "text",
    ".csv": "table",
    ".tsv": "table",
    ".sdf": "sdf",
    ".parquet": "parquet",
    ".gml": "graph_files",
    ".graphml": "graph_files",
    ".zip": "tu",
}
"""The module of this package that reads each suffix."""

_BINARY = {".parquet", ".zip"}  # compressed inside, so never found inside .gz


@dataclass(frozen=True, slots=True)
class Reject:
    """One record that could not be read: `line` counts from 1 (rows in Parquet, graphs in a TU zip)."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Oddity:
    """One record that was read, but only in part sanitised; `file` and `line` are as in `Reject`."""

    file: str
    line: int
    reason: str


class Reader(Iterator[Graph]):
    """The graphs of one file, read as they are asked for; also a context manager. Made by `read`.

    Attributes
    ----------
    path : str
        The file, as it was given.
    rejects : list of Reject
        The records left out so far, in the order of the file.
    oddities : list of Oddity
        The molecules so far that RDKit cannot sanitise; they come as they are written.
    """

    path: str
    rejects: list[Reject]
    oddities: list[Oddity]

    def __init__(self, path: str, file: BinaryIO, records: Iterator[Record]) -> None:
        self.path = path
        self.rejects = []
        self.oddities = []
        self._file = file
        self._records = records

    def __next__(self) -> Graph:
        try:
            for line, record in self._records:
                try:
                    if isinstance(record, InputError):
                        raise record
                    graph = record()
                except (ValueError, RuntimeError) as error:  # an InputError, or one of RDKit's C++ exceptions
                    self.rejects.append(Reject(self.path, line, reason_of(error)))
                    continue
                if graph.oddity is not None:
                    self.oddities.append(Oddity(self.path, line, reason_of(graph.oddity)))
                return graph
        except (InputError, OSError, EOFError, zlib.error) as error:
            self.close()
            raise blame(self.path, error) from None
        self.close()
        raise StopIteration

    def close(self) -> None:
        """Close the file; no more graphs come."""
        self._records = iter(())  # first: a suspended parser may still hold the file
        self._file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def read(
    path: str | os.PathLike[str],
    *,
    smiles: str | int | None = None,
    name: str | int | None = None,
    node: str | None = "label",
    edge: str | None = "label",
    decimals: int | None = None,
) -> Reader:
    r"""Read graphs from a file, one at a time, whatever its size.

    The suffix says the format: SMILES lines (`.smi`, `.smiles`, `.txt`), tables with a header (`.csv`, `.tsv`,
    `.parquet`), `.sdf`, `.gml`, `.graphml`, or a TU dataset in its official layout (`.zip`). A text format may
    be compressed (`.smi.gz`). Options that a format has no use for are ignored.

    Parameters
    ----------
    path : str or path-like
        The file.
    smiles, name : str or int, optional
        Columns of a table or of SMILES lines, by header or by number from 0. By default the header decides
        ("smiles", "name" and the like, in any case); SMILES lines without one hold the SMILES, then the name,
        or the other way round where the first lines only make sense so.
    node, edge : str or None
        Attributes of `.gml` and `.graphml` that hold the labels, as in `Graph.from_networkx`; integers written
        as strings count as integers. In GML that networkx wrote, "label" is the name of a node and never its label.
    decimals : int, optional
        Digits to which labels of `.gml` and `.graphml` that are fractions are rounded; without it they are refused.

    Returns
    -------
    Reader
        An iterator of `Graph`, named where the file has names, with the lists `rejects` and `oddities`.

    Raises
    ------
    InputError
        When the file as a whole cannot be read: at once where that shows at once (no such file, suffix or
        column), else during the iteration (a truncated archive). A bad record is no error but a `Reject`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from enpda.io import read
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drugs.smi")
    >>> _ = path.write_text("CC(=O)Oc1ccccc1C(=O)O aspirin\nC1CC open ring\n")
    >>> with read(path) as reader:
    ...     print(list(reader), [(reject.line, reject.reason) for reject in reader.rejects])
    [Graph('aspirin', 13 nodes, 13 edges)] [(2, "not a SMILES: 'C1CC'")]
    """
    where = path_of(path)
    if os.path.isdir(where):
        raise InputError(f"{where}: a directory, not a file")
    bare, last = os.path.splitext(where.lower())
    packed = last == ".gz"
    suffix = os.path.splitext(bare)[1] if packed else last
    if suffix not in FORMATS or (packed and suffix in _BINARY):
        text = ", ".join(known for known in FORMATS if known not in _BINARY)
        raise InputError(f"{where}: unknown suffix; accepted are {text} (each also with .gz), .parquet and .zip")
    options = Options(suffix, smiles, name, node, edge, decimals)
    file = None
    try:
        file = cast(BinaryIO, gzip.open(where) if packed else open(where, "rb"))  # noqa: SIM115 - the Reader's
        return Reader(where, file, import_module(f"enpda.io.{FORMATS[suffix]}").records(file, options))
    except BaseException as error:
        if file is not None:
            file.close()
        if isinstance(error, (ValueError, OSError, EOFError, zlib.error)):
            raise blame(where, error) from None
        raise


def blame(path: str, error: Exception) -> InputError:
    """Say in one line which file cannot be read, and why."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else reason_of(error)
    return InputError(f"{path}: {why}")
