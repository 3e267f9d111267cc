"""How far calls overrun their time limits, on drug-sized and on large graphs."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from tqdm import tqdm

import enpda
from enpda.bench import Settings, datasets
from enpda.bench.report import Table
from enpda.budget import PRESETS
from enpda.graph import Graph

CALLS = 10_000
SHORTEST, LONGEST = 1e-3, 1.0


def run(settings: Settings) -> list[Table]:
    """Call with limits drawn log-uniformly from 1 ms to 1 s; report what passes beyond the limit, in milliseconds.

    Half of the calls are endless searches, half the default method, which also bounds.
    """
    kinds: dict[str, list[tuple[Graph, Graph]]] = {
        name: [(p.a, p.b) for p in pairs] for name, pairs in datasets.pair_sets(replace(settings, count=None)).items()
    }
    kinds["500 nodes, sparse, no labels"] = [_random_pair(seed, 500, 4.0) for seed in range(3)]
    kinds["500 nodes, dense, no labels"] = [_random_pair(seed, 500, 40.0) for seed in range(3)]
    kinds["500 nodes, all labels differ"] = [_distinct_pair(seed, 500, 10.0) for seed in range(3)]
    kinds["500 nodes, paths"] = [(_path(500), _path(499))]
    if settings.data:
        proteins = [g for g in enpda.read(settings.data / "tu" / "DD.zip") if 450 <= len(g) <= 550]
        kinds["500 nodes, proteins"] = list(zip(proteins[::2], proteins[1::2], strict=False))
    rng = np.random.default_rng(0)
    endless = replace(PRESETS["solver"], discrete=1_000)
    names = list(kinds)
    overruns: dict[str, list[float]] = {name: [] for name in names}
    for k in tqdm(range(settings.count or CALLS), desc="calls", leave=False, disable=None):
        name = names[k % len(names)]
        a, b = kinds[name][rng.integers(len(kinds[name]))]
        limit = float(np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST))))
        begin = time.perf_counter()
        if k // len(names) % 2:
            found = enpda.match(a, b, time_limit=limit, seed=k)
        else:
            found = enpda.match(a, b, "solver", time_limit=limit, budget=endless, seed=k)
        overruns[name].append(1e3 * (time.perf_counter() - begin - limit))
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
    table = Table("overrun of the time limit, ms (wall clock around the call)", ["pairs", "calls", "p50", "p99", "max"])
    overruns["all"] = [x for values in overruns.values() for x in values]
    for name, values in overruns.items():
        if values:
            # A call that ends early, because its mapping is proven optimal, overruns by a negative time.
            table.rows.append([name, len(values), *(float(x) for x in np.quantile(values, (0.5, 0.99, 1.0)))])
    return [table]


def _path(nodes: int) -> Graph:
    return Graph(np.zeros(nodes, dtype=int), [(k, k + 1) for k in range(nodes - 1)])


def _distinct_pair(seed: int, nodes: int, degree: float) -> tuple[Graph, Graph]:
    a, b = _random_pair(seed, nodes, degree)
    return Graph(np.arange(nodes), a.edges), Graph(np.arange(nodes), b.edges)


def _random_pair(seed: int, nodes: int, degree: float) -> tuple[Graph, Graph]:
    rng = np.random.default_rng(seed)
    edges = [np.argwhere(np.triu(rng.random((nodes, nodes)) < degree / nodes, 1)) for _ in range(2)]
    return Graph(np.zeros(nodes, dtype=int), edges[0]), Graph(np.zeros(nodes, dtype=int), edges[1])
