"""What a command takes for a graph, or for many: a SMILES, a file, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import enpda
from enpda.bulk.library import is_library
from enpda.errors import InputError, brief
from enpda.graph import Graph, read_text
from enpda.io import FORMATS, Reader

STDIN = "/dev/stdin"
"""What `-` stands for: the command line's parser would take it for an option."""


@Parameter(name="*", group="Input")
@dataclass(frozen=True)
class InputOptions:
    """How files are read.

    Parameters
    ----------
    smiles_column
        Column of a table that holds the molecules, by title or by number from 0; default: the one with a usual title
        (`smiles`, `structure`, ...).
    name_column
        Column that holds the names or ids; default: the one with a usual title (`name`, `id`, ...).
    format
        Suffix such as `csv`, for standard input or a file whose own suffix says nothing.
    """

    smiles_column: str | None = None
    name_column: Annotated[str | None, Parameter(name=("--name-column", "--id"))] = None
    format: str | None = None

    def keywords(self) -> dict[str, Any]:
        """Return the same for `enpda.read`."""
        return {"smiles": _column(self.smiles_column), "name": _column(self.name_column), "format": self.format}


DEFAULT_INPUT = InputOptions()


def graph_argument(text: str, how: InputOptions = DEFAULT_INPUT) -> Graph:
    """Read `FILE` (its first graph), `FILE:K` (graph K, from 0), `FILE:NAME`, `-` or a SMILES; say when it is odd."""
    graph = _graph(text, how)
    if graph.oddity is not None:
        print(f"enpda: {graph.oddity}", file=sys.stderr)
    return graph


def library_argument(text: str, how: InputOptions = DEFAULT_INPUT) -> enpda.Library:
    """Open a library, or read a file of graphs or standard input; say on stderr what could not be read."""
    library = enpda.Library.of(source_argument(text), progress=sys.stderr.isatty(), **how.keywords())
    say_columns(library.columns, how)
    say_rejects(library)
    if not library:
        raise InputError(f"{brief(text)}: no graph can be read")
    return library


def source_argument(text: str) -> object:
    """Return what `enpda.read` takes for an argument: a file that exists, or standard input."""
    if text == STDIN:
        return sys.stdin.buffer
    if not _is(text, Path.exists):
        raise InputError(f"{brief(text)}: no such file")
    return text


def say_columns(columns: str | None, how: InputOptions) -> None:
    """Tell on stderr which columns were taken, unless they were named."""
    if columns is not None and how.smiles_column is None:
        print(f"enpda: {columns}", file=sys.stderr)


def say_rejects(library: enpda.Library) -> None:
    """Tell on stderr how many records could not be read, and about the first of them; the same for odd ones."""
    for what, notes in (("left out, because they cannot be read", library.rejects), ("odd", library.oddities)):
        if notes:
            first = f"{notes[0].file}, line {notes[0].line}: {notes[0].reason}"
            print(f"enpda: records that are {what}: {len(notes)}; the first: {first}", file=sys.stderr)


def _column(text: str | None) -> str | int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) < 7 else text


def _graph(text: str, how: InputOptions) -> Graph:
    if text == STDIN:
        with enpda.read(sys.stdin.buffer, **how.keywords()) as reader:
            say_columns(reader.columns, how)
            return _chosen(reader, "0", "standard input")
    file, which = _split(text)
    if file is None:
        try:
            return read_text(text)
        except InputError as error:
            suffix = Path(text.rpartition(":")[0] or text).suffix.lower() if len(text) < 4096 else ""
            if suffix.removesuffix(".gz") in FORMATS:
                raise InputError(f"{brief(text)}: no such file") from None
            raise InputError(f"neither a file nor a molecule: {error}") from None
    if is_library(file):
        library = enpda.Library.open(file)
        number = int(which) if which.isdecimal() and int(which) < len(library) else -1
        if number < 0 and which in library.ids:
            number = library.ids.index(which)
        if number >= 0:
            found: Graph = library[number]
            return found
        raise InputError(f"{brief(file)} has no graph number {which} (counted from 0) and none of that name")
    with enpda.read(file, **how.keywords()) as reader:
        say_columns(reader.columns, how)
        return _chosen(reader, which, brief(file))


def _split(text: str) -> tuple[str | None, str]:
    """Return the file, if there is one, and which of its graphs is meant: its number, or its name."""
    if _is_readable(text):
        return text, "0"
    places = (k for k, character in enumerate(text[:4096]) if character == ":")
    for k in places:
        if _is_readable(text[:k]):
            return text[:k], text[k + 1 :]
    return None, ""


def _chosen(reader: Reader, which: str, file: str) -> Graph:
    """Return the graph with a number, or else the first one with that name."""
    number = int(which) if which.isdecimal() and len(which) < 20 else None
    named = None
    for index, graph in enumerate(reader):
        if index == number:
            return graph
        if named is None and graph.name == which:
            named = graph
            if number is None:
                return graph
    if named is not None:
        return named
    first = f"; the first reject is line {reader.rejects[0].line}: {reader.rejects[0].reason}" if reader.rejects else ""
    what = f"called {brief(which)}" if number is None else f"number {number} (counted from 0), and none of that name"
    raise InputError(f"{file} has no graph {what}{first}")


def _is_readable(text: str) -> bool:
    """Whether this is a file or a pipe; a folder may well be called like a molecule."""
    return _is(text, Path.exists) and not _is(text, Path.is_dir)


def _is(text: str, what: Callable[[Path], bool]) -> bool:
    try:
        return what(Path(text))
    except (OSError, ValueError):  # longer than any file name, or with characters no file name has
        return False
