"""What a command takes for a graph, or for many: a SMILES, or a file."""

from __future__ import annotations

import sys
from pathlib import Path

import enpda
from enpda.bulk.library import is_library
from enpda.errors import InputError, brief
from enpda.graph import Graph, read_smiles


def graph_argument(text: str) -> Graph:
    """Read `FILE` (its first graph), `FILE:K` (graph K, from 0) or a SMILES; say on stderr when it is odd."""
    graph = _graph(text)
    if graph.oddity is not None:
        print(f"enpda: {graph.oddity}", file=sys.stderr)
    return graph


def library_argument(text: str) -> enpda.Library:
    """Open a library, or read a file of graphs; say on stderr what could not be read."""
    if not _exists(text):
        raise InputError(f"{brief(text)}: no such file")
    library = enpda.Library.of(text, progress=sys.stderr.isatty())
    say_rejects(library)
    if not library:
        raise InputError(f"{brief(text)}: no graph can be read")
    return library


def say_rejects(library: enpda.Library) -> None:
    """Tell on stderr how many records could not be read, and about the first of them; the same for odd ones."""
    for what, notes in (("left out, because they cannot be read", library.rejects), ("odd", library.oddities)):
        if notes:
            first = f"{notes[0].file}, line {notes[0].line}: {notes[0].reason}"
            print(f"enpda: records that are {what}: {len(notes)}; the first: {first}", file=sys.stderr)


def _graph(text: str) -> Graph:
    file, number = text, 0
    head, colon, tail = text.rpartition(":")
    if colon and tail.isdecimal() and len(tail) < 20 and _exists(head):
        file, number = head, int(tail)
    if not _exists(file):
        try:
            return read_smiles(text)
        except InputError as error:
            raise InputError(f"neither a file nor a molecule: {error}") from None
    if is_library(file):
        library = enpda.Library.open(file)
        if number < len(library):
            found: Graph = library[number]
            return found
        raise InputError(f"{brief(file)} has no graph number {number} (counted from 0)")
    with enpda.read(file) as reader:
        for index, graph in enumerate(reader):
            if index == number:
                return graph
        first = f"; first reject, line {reader.rejects[0].line}: {reader.rejects[0].reason}" if reader.rejects else ""
    raise InputError(f"{brief(file)} has no graph number {number} (counted from 0){first}")


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # longer than any file name, or with characters no file name has
        return False
