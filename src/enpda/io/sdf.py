"""SD files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from enpda.chem.molecule import arrays_of, check_rings
from enpda.chem.sanitise import sanitised
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.io.source import Lines, Options, Record

EASY = 150
"""A mol block of so many lines has no rings that RDKit could choke on."""


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
    from rdkit import Chem, rdBase

    text = "\n".join(block)
    oddity = None
    with rdBase.BlockLogs():
        raw = None
        if len(block) > EASY:
            raw = Chem.MolFromMolBlock(text, sanitize=False, removeHs=False)
            if raw is not None:
                check_rings(raw, "the mol block")
        mol = Chem.MolFromMolBlock(text)
        if mol is None:
            raw = raw or Chem.MolFromMolBlock(text, sanitize=False, removeHs=False)
            if raw is None:
                raise InputError("not a mol block that RDKit can read")
            mol, oddity = sanitised(raw, "the mol block")
    if mol.GetNumAtoms() == 0:
        raise InputError("the mol block has no atoms")
    return Graph(*arrays_of(mol), name=block[0].strip() or None, mol=mol, oddity=oddity)
