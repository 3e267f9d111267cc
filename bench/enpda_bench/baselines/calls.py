"""Whole calls of enpda, RASCAL and SMSD, timed where they are made: no process or pipe is in their time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import enpda
from enpda.checks import choice
from enpda.graph import Graph
from enpda_bench.baselines import smsd as smsd_labels
from enpda_bench.baselines.answer import Answer, answered, shared_classes

KINDS = {
    "prepared": "Molecules, options and what a program prepares of the first molecule are there, and both molecules "
    "were in one call before, with paracetamol; timed is the call.",
    "new": "Molecules are there, but were in no call yet; timed are options, what a program prepares, and the call.",
    "smiles": "Nothing is there; timed are reading two SMILES, options and the call.",
}
"""What a call begins with."""
FAMILIAR = "CC(=O)Nc1ccc(O)cc1"

Mapped = tuple[Iterable[Mapping[int, int]], bool]
Ask = Callable[[Any], Any]


class Program(Protocol):
    """What a whole call of a program is made of."""

    def taken(self, graphs: Sequence[Graph]) -> list[Any]:
        """Make what the program works on."""

    def read(self, smiles: str) -> Any:
        """Read what the program works on."""

    def asker(self, molecule: Any, seconds: float) -> Ask:
        """Set options, prepare the first molecule and return the call, which takes the second."""

    def told(self, result: Any) -> Mapped:
        """Return the mappings that the program found, and whether it calls them optimal."""


class Enpda:
    """`enpda.match` with its defaults."""

    def taken(self, graphs: Sequence[Graph]) -> list[Any]:
        """Make graphs of the same molecules."""
        return [Graph.from_mol(graph.to_mol()) for graph in graphs]

    def read(self, smiles: str) -> Any:
        """Leave reading to `match`."""
        return smiles

    def asker(self, molecule: Any, seconds: float) -> Ask:
        """Return the call."""
        return lambda other: enpda.match(molecule, other, time_limit=seconds)

    def told(self, result: Any) -> Mapped:
        """Return its one mapping."""
        return [result.index_mapping], result.optimal


class Rascal:
    """RDKit's `FindMCES` without thresholds and ring rules; its limit is in whole seconds."""

    def taken(self, graphs: Sequence[Graph]) -> list[Any]:
        """Copy the molecules."""
        return [graph.to_mol() for graph in graphs]

    def read(self, smiles: str) -> Any:
        """Read as RDKit does."""
        from rdkit import Chem

        return Chem.MolFromSmiles(smiles)

    def asker(self, molecule: Any, seconds: float) -> Ask:
        """Set options and return the call."""
        from rdkit.Chem import rdRascalMCES

        options = rdRascalMCES.RascalOptions()
        options.similarityThreshold = 0.0
        options.completeAromaticRings = False
        options.maxBondMatchPairs = 100_000
        options.timeout = int(max(seconds, 1))
        options.returnEmptyMCES = True
        return lambda other: rdRascalMCES.FindMCES(molecule, other, options)

    def told(self, result: Any) -> Mapped:
        """Return the mappings of all results."""
        return [dict(one.atomMatches()) for one in result], not any(one.timedOut for one in result)


class Smsd:
    """SMSD for most shared edges in any number of fragments, on our labels unless it reads SMILES itself."""

    def taken(self, graphs: Sequence[Graph]) -> list[Any]:
        """Build molecules of our labels."""
        nodes, edges = shared_classes(*graphs)
        return [smsd_labels.molecule(graph, nodes, edges) for graph in graphs]

    def read(self, smiles: str) -> Any:
        """Read as SMSD does."""
        import smsd

        return smsd.parse_smiles(smiles)

    def asker(self, molecule: Any, seconds: float) -> Ask:
        """Set options, prepare the query and return the call."""
        query: Ask = smsd_labels.query(molecule, seconds).match
        return query

    def told(self, result: Any) -> Mapped:
        """Return the mappings of all matches."""
        return [dict(one.atom_mapping) for one in result.matches], bool(result.optimal)


def enpda_call(a: Graph, b: Graph, seconds: float, kind: str = "prepared") -> Answer:
    """Time one call of enpda."""
    return _timed(Enpda(), a, b, seconds, kind)


def rascal(a: Graph, b: Graph, seconds: float, kind: str = "prepared") -> Answer:
    """Time one call of RASCAL."""
    return _timed(Rascal(), a, b, seconds, kind)


def smsd(a: Graph, b: Graph, seconds: float, kind: str = "prepared") -> Answer:
    """Time one call of SMSD."""
    return _timed(Smsd(), a, b, seconds, kind)


def _timed(program: Program, a: Graph, b: Graph, seconds: float, kind: str) -> Answer:
    from rdkit import Chem, rdBase

    choice("kind", kind, tuple(KINDS))
    with rdBase.BlockLogs():
        if kind == "smiles":
            one, other = texts = [Chem.MolToSmiles(graph.to_mol()) for graph in (a, b)]
            begin = time.perf_counter()
            result = program.asker(program.read(one), seconds)(program.read(other))
            spent = time.perf_counter() - begin
            a, b = map(Graph.from_smiles, texts)  # their atoms in the order that the mapping speaks of
        elif kind == "new":
            left, right = program.taken([a, b])
            begin = time.perf_counter()
            result = program.asker(left, seconds)(right)
            spent = time.perf_counter() - begin
        else:
            left, right, familiar = program.taken([a, b, Graph.from_smiles(FAMILIAR)])
            ask = program.asker(left, seconds)
            ask(familiar)
            program.asker(familiar, seconds)(right)
            begin = time.perf_counter()
            result = ask(right)
            spent = time.perf_counter() - begin
    mappings, proven = program.told(result)
    answers = [answered(a, b, mapping, proven, spent) for mapping in mappings]
    return max(answers, key=lambda answer: answer.size, default=answered(a, b, {}, proven, spent))
