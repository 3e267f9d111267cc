"""SD files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from enpda.chem.molecule import arrays_of, parse_block
from enpda.chem.written import Written
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.io.source import Lines, Options, Record


def records(file: BinaryIO, options: Options) -> Iterator[Record]:
    """Read the mol blocks, V2000 or V3000; the data fields after each are skipped, whatever they hold."""
    lines = Lines(file)
    more = True
    while more:
        start = lines.begin()
        block: list[str] = []
        problem: InputError | None = None
        inside = True
        while True:
            if not inside:
                lines.begin()
            try:
                line = next(lines, None)
            except InputError as error:
                if inside:
                    problem, inside = error, False
                continue
            if line is None or line.startswith("$$$$"):
                more = line is not None
                break
            if inside:
                block.append(line.rstrip("\r\n"))
                inside = not line.startswith("M  END")
        if problem is not None:
            yield start, problem
        elif more or any(line.strip() for line in block):
            yield start, partial(_graph, block)


def _graph(block: list[str]) -> Graph:
    mol, oddity = parse_block("\n".join(block))
    return Graph(*arrays_of(mol), name=block[0].strip() or None, mol=Written.of(mol), oddity=oddity)
