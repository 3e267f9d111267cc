"""The public data sets and the fixed test pairs, read from a data folder; nothing of it ships with the package.

Molecules carry atomic numbers and RDKit's bond types, aromatic bonds perceived, and their atoms come in the order of a
SMILES, as in the paper. AIDS and MCF-7 come as TU datasets, with numbers of elements, Kekulé bond orders and an order
of their own: `aids` and `mcf7` are these graphs read as molecules, `aids_kekule` and `mcf7_kekule` the graphs as they
are written, whose pairs are harder to prove.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import enpda
from enpda.errors import InputError
from enpda.graph import Graph, read_text
from enpda.learn.elements import ELEMENTS, as_molecule

DATASETS = {"aids": "tu/AIDS.zip", "molhiv": "molhiv.csv.gz", "mcf7": "tu/MCF-7_NCI83.zip"}
"""Those of the fixed test pairs, and where a data folder holds them."""
KEKULE = {f"{name}_kekule": path for name, path in DATASETS.items() if path.endswith(".zip")}
"""The same pairs of graphs with the labels that the TU files hold."""
FILES = {**DATASETS, **KEKULE}
PAIRS = {name: f"pairs/{name}_rdkit_test.csv" for name in ("aids", "mcf7")} | {
    "molhiv": "pairs/molhiv_test.csv",
    **{name: f"pairs/{name.removesuffix('_kekule')}_test.csv" for name in KEKULE},
}
"""Where a data folder holds the fixed pairs of each set, with their optima."""


def data_folder(given: Path | None) -> Path | None:
    """Return the folder that was named: by an option, or else by the variable ENPDA_DATA."""
    return given or (Path(os.environ["ENPDA_DATA"]) if os.environ.get("ENPDA_DATA") else None)


@dataclass(frozen=True)
class BenchPair:
    """Two graphs with their best known size and proven upper bound."""

    a: Graph
    b: Graph
    size: int
    upper: int
    indices: tuple[int, int] | None = None
    """Positions of the two graphs in the public file that they come from."""


def test_pairs(data: Path) -> dict[str, list[BenchPair]]:
    """Return the three fixed sets of 100 pairs, by dataset name."""
    return fixed_pairs(data, DATASETS)


def fixed_pairs(data: Path, names: Iterable[str]) -> dict[str, list[BenchPair]]:
    """Return some of the fixed sets, by the names in `PAIRS`."""
    result: dict[str, list[BenchPair]] = {}
    for name in names:
        rows = _rows(data / PAIRS[name])
        wanted = {int(row[column]) for row in rows for column in ("graph_a", "graph_b")}
        graphs = dict(graphs_of(data, name, wanted))
        result[name] = []
        for row in rows:
            i, j = int(row["graph_a"]), int(row["graph_b"])
            result[name].append(BenchPair(graphs[i], graphs[j], int(row["size"]), int(row["upper"]), (i, j)))
    return result


def _open(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"the data folder has no file {path.name} (looked for {path}); see docs/data.md")
    return path


def _rows(path: Path) -> list[dict[str, str]]:
    with _open(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def graphs_of(data: Path, name: str, wanted: Container[int] | None = None) -> Iterator[tuple[int, Graph]]:
    """Read the graphs of a dataset with their numbers, all or the wanted ones; what is no molecule is left out."""
    path = _open(data / FILES[name])
    if path.suffix == ".zip":
        elements = ELEMENTS.get(name)
        for k, graph in enumerate(enpda.read(path)):
            if wanted is None or k in wanted:
                read = graph if elements is None else as_molecule(graph, elements)
                if read is not None:
                    yield k, read
        return
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for k, row in enumerate(csv.DictReader(file)):
            if wanted is None or k in wanted:
                try:
                    graph = read_text(row["smiles"], name=f"{name}/{k}")
                except InputError:
                    continue
                if graph.oddity is None:
                    yield k, graph


def molhiv_graphs(data: Path, wanted: list[int]) -> list[Graph]:
    """Return molecules of MOLHIV by row, in the given order; rows that RDKit cannot sanitise are left out."""
    found = dict(graphs_of(data, "molhiv", set(wanted)))
    return [found[k] for k in wanted if k in found]
