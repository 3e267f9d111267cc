"""Graphs as the audit sees them: read from files by code of its own, plain lists and dictionaries."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

from enpda.graph import Graph
from enpda.learn.elements import ELEMENTS
from enpda_bench.datasets import FILES, PAIRS, BenchPair
from enpda_bench.scope import Scope

if TYPE_CHECKING:
    from rdkit.Chem import Mol


@dataclass(frozen=True)
class RawGraph:
    """Node labels, and labels of edges by their two ends, the smaller first."""

    labels: list[int]
    edges: dict[tuple[int, int], int]


@dataclass(frozen=True)
class RawPair:
    """Two graphs, a size that is known to be possible, and one that is known not to be exceeded."""

    a: RawGraph
    b: RawGraph
    size: int
    upper: int


def raw_pairs(scope: Scope, name: str) -> Sequence[RawPair]:
    """Return a set of pairs: fixed ones and drugs from their files, generated ones as they were generated."""
    if name in PAIRS:
        return list(_fixed(scope.data or Path(), name))
    pairs = scope.pairs(name)
    if name == "drugs":
        graphs = _drugs()
        return [RawPair(graphs[_name(p.a)], graphs[_name(p.b)], p.size, p.upper) for p in pairs]
    return [_given(pair) for pair in pairs]


def _fixed(data: Path, name: str) -> Iterator[RawPair]:
    with (data / PAIRS[name]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = {int(row[end]) for row in rows for end in ("graph_a", "graph_b")}
    path = data / FILES[name]
    graphs = tu_graphs(path, wanted) if path.suffix == ".zip" else _molecules(path, wanted)
    if name in ELEMENTS:
        graphs = {k: perceived(graph, ELEMENTS[name]) for k, graph in graphs.items()}
    for row in rows:
        yield RawPair(graphs[int(row["graph_a"])], graphs[int(row["graph_b"])], int(row["size"]), int(row["upper"]))


def tu_graphs(path: Path, wanted: Collection[int]) -> dict[int, RawGraph]:
    """Read some graphs of a TU dataset, by their number from 0."""
    with ZipFile(path) as archive:
        (ends_file,) = (name for name in archive.namelist() if name.endswith("_A.txt"))
        stem = ends_file.removesuffix("_A.txt")

        def column(part: str) -> list[int] | None:
            name = f"{stem}_{part}.txt"
            return [int(line) for line in archive.read(name).split()] if name in archive.namelist() else None

        owner = column("graph_indicator") or []
        node_labels, edge_labels = column("node_labels"), column("edge_labels")
        ends = [line.split(",") for line in archive.read(ends_file).decode().splitlines() if line.strip()]
    found = {number: RawGraph([], {}) for number in wanted}
    place: dict[int, int] = {}
    for vertex, graph in enumerate(owner):
        if graph - 1 in found:
            labels = found[graph - 1].labels
            place[vertex] = len(labels)
            labels.append(node_labels[vertex] if node_labels else 0)
    for k, (one, other) in enumerate(ends):
        u, v = int(one) - 1, int(other) - 1
        if u in place and u != v:
            edge = sorted((place[u], place[v]))
            found[owner[u] - 1].edges[edge[0], edge[1]] = edge_labels[k] if edge_labels else 0
    return found


def _molecules(path: Path, wanted: Collection[int]) -> dict[int, RawGraph]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return {k: molecule(row["smiles"]) for k, row in enumerate(csv.DictReader(file)) if k in wanted}


def _drugs() -> dict[str, RawGraph]:
    with (files("enpda.data") / "drugs.csv").open(encoding="utf-8") as file:
        return {row["name"]: molecule(row["smiles"]) for row in csv.DictReader(file)}


def perceived(graph: RawGraph, elements: Sequence[str]) -> RawGraph:
    """Read labels as elements and Kekulé orders, through a mol block, and let RDKit find the aromatic bonds.

    The molecule is written as canonical SMILES and read again: atoms come in that order.
    """
    from rdkit import Chem, rdBase

    atoms = "".join(f"    0.0000    0.0000    0.0000 {elements[k]:<3} 0  0  0  0  0\n" for k in graph.labels)
    bonds = "".join(f"{u + 1:3d}{v + 1:3d}{order + 1:3d}  0\n" for (u, v), order in graph.edges.items())
    counts = f"{len(graph.labels):3d}{len(graph.edges):3d}  0  0  0  0  0  0  0  0999 V2000"
    block = f"\n\n\n{counts}\n{atoms}{bonds}M  END\n"
    with rdBase.BlockLogs():
        mol = Chem.MolFromMolBlock(block, sanitize=False)
        mol.UpdatePropertyCache(strict=False)
        Chem.SanitizeMol(mol, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES)
        as_written = Chem.SmilesParserParams()
        as_written.sanitize = as_written.removeHs = False
        return _typed(Chem.MolFromSmiles(Chem.MolToSmiles(mol), as_written))


def molecule(smiles: str) -> RawGraph:
    """Read a molecule: atomic numbers, and RDKit's numbers of bond types."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        return _typed(Chem.MolFromSmiles(smiles))


def _typed(mol: Mol) -> RawGraph:
    edges = {
        (min(ends), max(ends)): int(bond.GetBondType())
        for bond in mol.GetBonds()
        for ends in [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())]
    }
    return RawGraph([atom.GetAtomicNum() for atom in mol.GetAtoms()], edges)


def _given(pair: BenchPair) -> RawPair:
    return RawPair(_plain(pair.a), _plain(pair.b), pair.size, pair.upper)


def _plain(graph: Graph) -> RawGraph:
    ends = ((min(edge), max(edge)) for edge in graph.edges.tolist())
    return RawGraph(graph.labels.tolist(), dict(zip(ends, graph.edge_labels.tolist(), strict=True)))


def _name(graph: Graph) -> str:
    return graph.name or ""
