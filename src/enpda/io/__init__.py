"""Files in: a stream of graphs, and the list of what could not be read."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from io import TextIOBase
from types import TracebackType
from typing import Any, BinaryIO, cast

from enpda.errors import InputError, brief
from enpda.files import path_of
from enpda.graph import Graph
from enpda.io import objects
from enpda.io.columns import is_title
from enpda.io.source import Options, Record, Records, begun, reason_of

FORMATS = {
    ".smi": "text",
    ".smiles": "text",
    ".txt": "text",
    ".inchi": "text",
    ".csv": "table",
    ".tsv": "table",
    ".sdf": "sdf",
    ".sd": "sdf",
    ".mol": "sdf",
    ".parquet": "parquet",
    ".gml": "graph_files",
    ".graphml": "graph_files",
    ".zip": "tu",
}
"""The module of this package that reads each suffix."""

_BINARY = {".parquet", ".zip"}  # compressed inside, so never found inside .gz
_SHEETS = {".xlsx", ".xls", ".ods"}


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
        The file, as it was given; for what was in memory, what it is.
    columns : str or None
        For tables: which columns the molecules and the names come from, in words.
    rejects : list of Reject
        The records left out so far, in the order of the file.
    oddities : list of Oddity
        The molecules so far that RDKit cannot sanitise; they come as they are written.
    line : int
        Where the last graph came from, counted from 1: a line of the file, or an item.
    in_memory : bool
        Whether the source was no file.
    """

    path: str
    columns: str | None
    rejects: list[Reject]
    oddities: list[Oddity]
    line: int
    in_memory: bool

    def __init__(self, path: str, file: BinaryIO | None, records: Iterator[Record]) -> None:
        self.path = path
        self.columns = records.columns if isinstance(records, Records) else None
        self.rejects = []
        self.oddities = []
        self.line = 0
        self.in_memory = file is None
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
                self.line = line
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
        if self._file is not None:
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
    source: Any,
    *,
    smiles: str | int | None = None,
    name: str | int | None = None,
    node: str | None = "label",
    edge: str | None = "label",
    decimals: int | None = None,
    format: str | None = None,
) -> Reader:
    r"""Read graphs one at a time, whatever their number: from a file, or from what you have in memory.

    The suffix says a file's format: SMILES lines (`.smi`, `.smiles`, `.txt`, `.inchi`), tables with a header (`.csv`,
    `.tsv`, `.parquet`), `.sdf`, `.mol`, `.gml`, `.graphml`, or a TU dataset in its official layout (`.zip`). A text
    format may be compressed (`.smi.gz`). Wherever a SMILES is expected, an InChI or a mol block may stand as well.
    Options that a format has no use for are ignored.

    Parameters
    ----------
    source : path, file or items
        A path; an open binary file such as `sys.stdin.buffer`; a data frame or series of pandas or polars, or an Arrow
        table; a dictionary by name; one of RDKit's suppliers; or any iterable of what `match` takes, or of pairs
        (name, molecule).
    smiles, name : str or int, optional
        Columns of a table or of SMILES lines, by header or by number from 0. By default the header decides
        ("smiles", "structure", "name", "id" and the like, in any case; `Reader.columns` says which were taken); SMILES
        lines without one hold the SMILES, then the name, or the other way round where the first lines only make sense
        so. The labels of a pandas index are names where no column is.
    node, edge : str or None
        Attributes of `.gml` and `.graphml` that hold the labels, as in `Graph.from_networkx`; integers written
        as strings count as integers. In GML that networkx wrote, "label" is the name of a node and never its label.
    decimals : int, optional
        Digits to which labels of `.gml` and `.graphml` that are fractions are rounded; without it they are refused.
    format : str, optional
        A suffix such as ".csv", for a file whose own says nothing; that of an open file is guessed from its beginning.

    Returns
    -------
    Reader
        An iterator of `Graph`, named where the source has names, with the lists `rejects` and `oddities`.

    Raises
    ------
    InputError
        When the source as a whole cannot be read: at once where that shows at once (no such file, suffix or
        column), else during the iteration (a truncated archive). A bad record is no error but a `Reject`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from enpda.io import read
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drugs.smi")
    >>> _ = path.write_text("CC(=O)Oc1ccccc1C(=O)O aspirin\nC1CC open ring\n")
    >>> with read(path) as reader:
    ...     print(list(reader), [(reject.line, reject.reason) for reject in reader.rejects])
    [Graph('aspirin', 13 nodes, 13 edges)] [(2, "not a SMILES: 'C1CC' (unclosed ring)")]
    """
    options = Options("", smiles, name, node, edge, decimals)
    if isinstance(source, (str, os.PathLike)):
        return _opened(path_of(source), options, format)
    if callable(getattr(source, "read", None)):
        return _stream(source, options, format)
    records = objects.records(source, options)
    return Reader(objects.called(source), None, records)


def _opened(path: str, options: Options, format: str | None) -> Reader:
    if os.path.isdir(path):
        raise InputError(f"{path}: a directory, not a file")
    bare, last = os.path.splitext(path.lower())
    packed = last == ".gz"
    suffix = _suffix(path, format or (os.path.splitext(bare)[1] if packed else last), packed)
    try:
        file = cast(BinaryIO, gzip.open(path) if packed else open(path, "rb"))  # noqa: SIM115 - the Reader's
    except (ValueError, OSError) as error:
        raise blame(path, error) from None
    return _begun(path, file, replace(options, suffix=suffix))


def _stream(file: Any, options: Options, format: str | None) -> Reader:
    path = str(getattr(file, "name", None) or type(file).__name__)
    if isinstance(file, TextIOBase):
        if not hasattr(file, "buffer"):
            raise InputError("a file opened in binary mode is needed; got one of text")
        file = file.buffer
    if format is not None and not isinstance(format, str):
        raise InputError(f"format must be a suffix such as '.csv'; got {brief(format)}")
    if getattr(file, "closed", False):
        raise InputError(f"{path} was closed before: it can be read once")
    try:
        start, file = begun(file)
        if start.startswith(b"\x1f\x8b"):
            start, file = begun(gzip.open(file))  # noqa: SIM115 - the Reader's
        suffix = _suffix(path, format or sniffed(start), False)
    except (OSError, EOFError, zlib.error) as error:
        raise blame(path, error) from None
    return _begun(path, file, replace(options, suffix=suffix))


def _begun(path: str, file: BinaryIO, options: Options) -> Reader:
    try:
        return Reader(path, file, import_module(f"enpda.io.{FORMATS[options.suffix]}").records(file, options))
    except BaseException as error:
        file.close()
        if isinstance(error, (ValueError, OSError, EOFError, zlib.error)):
            raise blame(path, error) from None
        raise


def _suffix(path: str, suffix: str, packed: bool) -> str:
    """Return a suffix that can be read; raises InputError."""
    suffix = f".{suffix.lower().removeprefix('.')}"
    if suffix in FORMATS and not (packed and suffix in _BINARY):
        return suffix
    text = ", ".join(known for known in FORMATS if known not in _BINARY)
    advice = "; save the sheet as .csv" if suffix in _SHEETS else ""
    raise InputError(f"{path}: unknown suffix; accepted are {text} (each also with .gz), .parquet and .zip{advice}")


def sniffed(start: bytes) -> str:
    """Guess the format of a file from its beginning."""
    if start.startswith(b"PAR1"):
        return ".parquet"
    if start.startswith(b"PK\x03\x04"):
        return ".zip"
    if b"M  END" in start or re.search(rb"^.{33}\s*V[23]000\s*$", start, re.MULTILINE):
        return ".sdf"
    if start.lstrip().startswith(b"<"):
        return ".graphml"
    if re.search(rb"^\s*graph\s*\[", start, re.MULTILINE):
        return ".gml"
    header = start.partition(b"\n")[0].decode(errors="replace")
    titles = re.split("[,;\t]", header)
    return ".csv" if len(titles) > 1 and any(map(is_title, titles)) else ".smi"


def blame(path: str, error: Exception) -> InputError:
    """Say in one line which file cannot be read, and why."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else reason_of(error)
    return InputError(f"{path}: {why}")
