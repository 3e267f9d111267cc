"""Which pairs train and which validate: drawn from public graphs, disjoint from every test graph and from each other.

Identity is isomorphism of the bare skeletons. Datasets number their labels differently, so that one molecule may come
in three disguises; equal skeletons cover them all, and exclude more than equal graphs would.

Molecules alone teach little about dense graphs without labels. A quarter as many *relatives* therefore join the pairs
of molecules: a molecule with its atoms joined up to a distance of 2, 3 or 4, without labels, against a copy of that
which lost 30 % of its edges. Nor do large molecules teach much about small ones, of which pairs of their own are drawn.

A recipe takes the parts that it wants: the paper's policy the first pairs of large molecules, as many as the paper has,
and nothing else; `plus` relatives, too; the default policy everything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

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
SMALL, SMALLEST, LARGEST_SMALL = 0.25, 8, 26
"""Pairs of small molecules for each pair of large ones; nodes of a small molecule."""
PAPER = {
    "train": {"aids": 19, "molhiv": 628, "mcf7": 696},
    "validation": {"aids": 11, "molhiv": 76, "mcf7": 85},
}
"""Pairs that the paper has, by purpose and dataset."""
VERSION = "enpda-split-5"

Pair = tuple[Graph, Graph]
Purpose = Literal["train", "validation"]
Part = Literal["pairs", "relatives", "small"]
PARTS: tuple[Part, ...] = get_args(Part)
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


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
    """Pairs by part, dataset and purpose, with the manifest that says where they come from."""

    pairs: dict[tuple[Part, str, Purpose], list[Pair]]
    manifest: dict[str, Any]

    def chosen(self, purpose: Purpose, parts: Sequence[Part], as_many_as_the_paper: bool = False) -> list[Pair]:
        """Return the pairs of some parts; of large molecules only as many as the paper has, if that is asked for."""
        out: list[Pair] = []
        for name in TRAIN:
            for part in parts:
                most = _scaled(PAPER[purpose][name], self.manifest["scale"]) if as_many_as_the_paper else None
                out += self.pairs[part, name, purpose][:most]
        return out


def draw(data: Path, seed: int = 20261116, scale: float = 1.0) -> Split:
    """Draw the split from a data folder; `scale` multiplies the number of pairs."""
    known = Identities()
    for pairs in datasets.test_pairs(data).values():
        for p in pairs:
            known.of(p.a), known.of(p.b)
    rng, related, tiny = (np.random.default_rng(key) for key in (seed, [seed, 1], [seed, 2]))
    out: dict[tuple[Part, str, Purpose], list[Pair]] = {}
    manifest: dict[str, Any] = {
        "version": VERSION,
        "seed": seed,
        "scale": scale,
        "nodes": {"pairs": [LEAST, MOST], "small": [SMALLEST, LARGEST_SMALL]},
        **{part: {} for part in PARTS},
    }
    for name in TRAIN:
        large: list[tuple[int, Graph]] = []
        small: list[tuple[int, Graph]] = []
        for index, graph in tqdm(datasets.graphs_of(data, name), desc=f"graphs of {name}", leave=False, disable=None):
            into = large if LEAST <= len(graph) <= MOST else small if SMALLEST <= len(graph) <= LARGEST_SMALL else None
            if into is not None and known.of(graph, add=False) < 0:
                known.of(graph)
                into.append((index, graph))
        pools = {part: _cut(pool, by) for part, pool, by in (("pairs", large, rng), ("small", small, tiny))}
        quotas: dict[Purpose, dict[str, int]] = {"validation": VALIDATION, "train": TRAIN}
        for purpose, quota in quotas.items():
            key, count = f"{name}_{purpose}", quota[name] * scale
            plans: tuple[tuple[Part, np.random.Generator, float], ...] = (("pairs", rng, 1.0), ("small", tiny, SMALL))
            for part, by, share in plans:
                chosen = _pairs(pools[part][purpose], _scaled(share, count), by)
                out[part, name, purpose] = [(a, b) for (_, a), (_, b) in chosen]
                manifest[part][key] = {
                    "indices": [[i, j] for (i, _), (j, _) in chosen],
                    "digests": sorted({g.digest for pair in chosen for _, g in pair}),
                }
            relatives = _relatives(pools["pairs"][purpose], _scaled(RELATIVES, count), related)
            out["relatives", name, purpose] = [(p.a, p.b) for _, p in relatives]
            manifest["relatives"][key] = [recipe for recipe, _ in relatives]
    return Split(out, manifest)


def _scaled(count: float, scale: float) -> int:
    return max(1, round(count * scale))


def _cut(pool: list[tuple[int, Graph]], rng: np.random.Generator) -> dict[Purpose, list[tuple[int, Graph]]]:
    """Keep some graphs for validation."""
    order = [pool[k] for k in rng.permutation(len(pool))]
    kept = int(SHARE * len(order))
    return {"validation": order[:kept], "train": order[kept:]}


def _pairs(pool: list[tuple[int, Graph]], count: int, rng: np.random.Generator) -> list[Any]:
    """Draw distinct pairs, with every graph used about equally often."""
    if len(pool) < 2:
        raise InputError(f"only {len(pool)} graphs are left to draw pairs from")
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


def shipped() -> dict[str, dict[str, Any]]:
    """Return the manifests of the splits that shipped weights were trained on, by version."""
    folder = Path(__file__).parents[1] / "weights"
    manifests = (json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("enpda-split-*.json")))
    return {manifest["version"]: manifest for manifest in manifests}


def positions(manifest: dict[str, Any], name: str, purpose: Purpose) -> set[int]:
    """Return where the graphs of a dataset lie that serve a purpose, whatever they became."""
    key = f"{name}_{purpose}"
    lists = (manifest.get(part, {}).get(key, {"indices": []})["indices"] for part in ("pairs", "small"))
    return {k for pairs in lists for pair in pairs for k in pair} | {recipe[0] for recipe in manifest["relatives"][key]}


def pair_count(manifest: dict[str, Any], name: str, purpose: Purpose) -> int:
    """Count the pairs of a dataset that serve a purpose: molecules, large and small, and relatives."""
    key = f"{name}_{purpose}"
    lists = (manifest.get(part, {}).get(key, {"indices": []})["indices"] for part in ("pairs", "small"))
    return sum(map(len, lists)) + len(manifest["relatives"][key])


def save(split: Split, path: Path) -> None:
    """Write graphs and pairs as plain arrays: what a machine without the datasets needs in order to train."""
    pairs = [pair for key in _keys() for pair in split.pairs[key]]
    graphs = list({id(g): g for pair in pairs for g in pair}.values())
    number = {id(g): k for k, g in enumerate(graphs)}
    arrays = {
        "nodes": np.array([len(g) for g in graphs]),
        "labels": np.concatenate([g.labels for g in graphs]),
        "edges": np.array([g.size for g in graphs]),
        "ends": np.concatenate([g.edges for g in graphs]),
        "edge_labels": np.concatenate([g.edge_labels for g in graphs]),
        "pairs": np.array([[number[id(a)], number[id(b)]] for a, b in pairs]),
        "counts": np.array([len(split.pairs[key]) for key in _keys()]),
        "manifest": np.frombuffer(json.dumps(split.manifest).encode(), dtype=np.uint8),
    }
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load(path: Path) -> Split:
    """Read what `save` wrote; a file of an older version is refused."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    manifest = json.loads(arrays["manifest"].tobytes())
    if manifest["version"] != VERSION:
        raise InputError(f"{path} is a split of version {manifest['version']}, not {VERSION}; choose another --work")
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
    parts = np.split(arrays["pairs"], np.cumsum(arrays["counts"])[:-1])
    pairs = {key: [(graphs[i], graphs[j]) for i, j in part.tolist()] for key, part in zip(_keys(), parts, strict=True)}
    return Split(pairs, manifest)


def _keys() -> list[tuple[Part, str, Purpose]]:
    return [(part, name, purpose) for part in PARTS for name in TRAIN for purpose in PURPOSES]
