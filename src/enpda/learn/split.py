"""Which pairs train and which validate: drawn from public graphs, disjoint from every test graph and from each other.

Identity is isomorphism of the bare skeletons. Datasets number their labels differently, so that one molecule may come
in three disguises; equal skeletons cover them all, and exclude more than equal graphs would.

Molecules alone teach little about dense graphs without labels. A quarter as many *relatives* therefore join the pairs
of molecules: a molecule with its atoms joined up to a distance of 2, 3 or 4, without labels, against a copy of that
which lost 30 % of its edges.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from enpda.errors import InputError
from enpda.files import replacing
from enpda.graph import Graph
from enpda.learn import datasets
from enpda.learn.planted import plant

LEAST, MOST = 31, 80
"""Nodes of a graph that takes part, as in the test pairs."""
TRAIN = {"aids": 60, "molhiv": 1240, "mcf7": 1240}
VALIDATION = {"aids": 20, "molhiv": 160, "mcf7": 160}
SHARE = 0.12
"""Of the graphs of a dataset that are kept for validation."""
RELATIVES, POWERS, MOST_RELATED = 0.25, (2, 3, 4), 48
"""Relatives of each pair of molecules; the distances up to which they join atoms; nodes at most."""
VERSION = "enpda-split-3"

Pair = tuple[Graph, Graph]


class Identities:
    """Graphs told apart by exact isomorphism of their skeletons."""

    def __init__(self) -> None:
        self._classes: dict[tuple[int, int, int], list[tuple[Graph, int]]] = {}
        self._count = 0

    def of(self, graph: Graph, add: bool = True) -> int:
        """Return the number of the graph's class, or -1 when it is new and not to be added."""
        bare = Graph(np.zeros(len(graph), dtype=np.int64), graph.edges, np.zeros(graph.size, dtype=np.int64))
        alike = self._classes.setdefault((len(bare), bare.size, bare.invariant_hash), [])
        for other, number in alike:
            if bare.same_as(other):
                return number
        if not add:
            return -1
        alike.append((bare, self._count))
        self._count += 1
        return self._count - 1


@dataclass(frozen=True)
class Split:
    """Pairs by dataset and purpose, with the manifest that says where they come from."""

    train: list[Pair]
    validation: list[Pair]
    manifest: dict[str, Any]


def draw(data: Path, seed: int = 20261116, scale: float = 1.0) -> Split:
    """Draw the split from a data folder; `scale` multiplies the number of pairs."""
    known = Identities()
    for pairs in datasets.test_pairs(data).values():
        for p in pairs:
            known.of(p.a), known.of(p.b)
    rng, related = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    train: list[Pair] = []
    validation: list[Pair] = []
    manifest: dict[str, Any] = {
        "version": VERSION,
        "seed": seed,
        "scale": scale,
        "nodes": [LEAST, MOST],
        "pairs": {},
        "relatives": {},
    }
    for name in TRAIN:
        fresh: list[tuple[int, Graph]] = []
        for index, graph in tqdm(datasets.graphs_of(data, name), desc=f"graphs of {name}", leave=False, disable=None):
            if LEAST <= len(graph) <= MOST and known.of(graph, add=False) < 0:
                known.of(graph)
                fresh.append((index, graph))
        order = [fresh[k] for k in rng.permutation(len(fresh))]
        kept = int(SHARE * len(order))
        parts = (("validation", order[:kept], VALIDATION, validation), ("train", order[kept:], TRAIN, train))
        for purpose, pool, quota, into in parts:
            chosen = _pairs(pool, max(1, round(quota[name] * scale)), rng)
            into += [(a, b) for (_, a), (_, b) in chosen]
            manifest["pairs"][f"{name}_{purpose}"] = {
                "indices": [[i, j] for (i, _), (j, _) in chosen],
                "digests": sorted({g.digest for pair in chosen for _, g in pair}),
            }
            relatives = _relatives(pool, max(1, round(RELATIVES * quota[name] * scale)), related)
            into += [(p.a, p.b) for _, p in relatives]
            manifest["relatives"][f"{name}_{purpose}"] = [recipe for recipe, _ in relatives]
    return Split(train, validation, manifest)


def _pairs(pool: list[tuple[int, Graph]], count: int, rng: np.random.Generator) -> list[Any]:
    """Draw distinct pairs, with every graph used about equally often."""
    if len(pool) < 2:
        raise InputError(f"only {len(pool)} graphs of {LEAST} to {MOST} nodes are left to draw pairs from")
    chosen: dict[tuple[int, int], None] = {}
    most = len(pool) * (len(pool) - 1) // 2
    while len(chosen) < min(count, most):
        order = rng.permutation(len(pool))
        for i, j in zip(order[::2].tolist(), order[1::2].tolist(), strict=False):
            chosen[min(i, j), max(i, j)] = None
    return [(pool[i], pool[j]) for i, j in list(chosen)[:count]]


def _relatives(
    pool: list[tuple[int, Graph]], count: int, rng: np.random.Generator
) -> list[tuple[list[int], datasets.BenchPair]]:
    """Draw relatives, each with its recipe: index of the molecule, distance, seed of the deletions."""
    small = [(index, graph) for index, graph in pool if len(graph) <= MOST_RELATED]
    if not small:
        raise InputError(f"no graphs of {LEAST} to {MOST_RELATED} nodes are left to draw relatives from")
    result = []
    for k in range(count):
        index, graph = small[int(rng.integers(len(small)))]
        distance, seed = POWERS[k % len(POWERS)], int(rng.integers(2**31))
        result.append(([index, distance, seed], plant(power(graph, distance), seed)))
    return result


def power(graph: Graph, distance: int) -> Graph:
    """Join all nodes of a graph up to a distance, and drop the labels."""
    step = np.eye(len(graph), dtype=bool)
    step[graph.edges[:, 0], graph.edges[:, 1]] = step[graph.edges[:, 1], graph.edges[:, 0]] = True
    near = np.linalg.matrix_power(step.astype(np.float64), distance) > 0
    return Graph(np.zeros(len(graph), dtype=np.int64), np.argwhere(np.triu(near, 1)))


def save(split: Split, path: Path) -> None:
    """Write graphs and pairs as plain arrays: what a machine without the datasets needs in order to train."""
    pairs = [*split.train, *split.validation]
    graphs = list({id(g): g for pair in pairs for g in pair}.values())
    number = {id(g): k for k, g in enumerate(graphs)}
    arrays = {
        "nodes": np.array([len(g) for g in graphs]),
        "labels": np.concatenate([g.labels for g in graphs]),
        "edges": np.array([g.size for g in graphs]),
        "ends": np.concatenate([g.edges for g in graphs]),
        "edge_labels": np.concatenate([g.edge_labels for g in graphs]),
        "pairs": np.array([[number[id(a)], number[id(b)]] for a, b in pairs]),
        "train": np.array(len(split.train)),
        "manifest": np.frombuffer(json.dumps(split.manifest).encode(), dtype=np.uint8),
    }
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load(path: Path) -> Split:
    """Read what `save` wrote."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    nodes, edges = np.cumsum(arrays["nodes"]), np.cumsum(arrays["edges"])
    graphs = [
        Graph(labels, ends, edge_labels)
        for labels, ends, edge_labels in zip(
            np.split(arrays["labels"], nodes[:-1]),
            np.split(arrays["ends"], edges[:-1]),
            np.split(arrays["edge_labels"], edges[:-1]),
            strict=True,
        )
    ]
    pairs = [(graphs[i], graphs[j]) for i, j in arrays["pairs"].tolist()]
    count = int(arrays["train"])
    return Split(pairs[:count], pairs[count:], json.loads(arrays["manifest"].tobytes()))
