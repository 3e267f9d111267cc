"""Graphs of thousands of nodes with many labels: cost should follow the candidates, not rows times columns."""

from __future__ import annotations

import time

import numpy as np
from tqdm import tqdm

import enpda
from enpda import _core
from enpda.graph import Graph
from enpda.view.table import Table
from enpda_bench import Settings
from enpda_bench.memory import peak

SIZES = ((5_000, 100_000), (5_000, 1_000_000), (20_000, 1_000_000))
"""Nodes of either graph, and candidates, about."""
METHODS = ("analytic", "core", "auto")
LIMIT = 60.0
LOST, REACH = 0.2, 20


def planted(nodes: int, candidates: int, seed: int = 0) -> tuple[Graph, Graph]:
    """Return a sparse graph, and a copy under other numbers that lost a fifth of its edges: the optimum is the copy.

    Every node is joined to one of the twenty before it, and three of ten to another one; labels are drawn evenly, as
    many as give so many candidates.
    """
    rng = np.random.default_rng(seed)
    later = np.arange(1, nodes)
    ends = np.concatenate([later, rng.choice(later, 3 * nodes // 10)])
    others = np.maximum(ends - rng.integers(1, REACH + 1, len(ends)), 0)
    edges = np.unique(np.stack([others, ends], 1), axis=0)
    labels = rng.integers(0, max(round(nodes * nodes / candidates), 1), nodes)
    place = rng.permutation(nodes)
    moved = np.empty_like(labels)
    moved[place] = labels
    return Graph(labels, edges), Graph(moved, place[edges[rng.random(len(edges)) >= LOST]])


def large(settings: Settings) -> list[Table]:
    """Time, memory and outcome of one thread on planted pairs."""
    table = Table(
        f"large planted pairs, one thread, {LIMIT:g} s at most",
        ["nodes", "candidates", "of n x m", "method", "s", "MB", "% of the optimum", "upper / optimum"],
    )
    for nodes, candidates in SIZES[: settings.count]:
        a, b = planted(nodes, candidates)
        cells = _core.cells(a.core, b.core)
        for method in tqdm(METHODS, desc=f"{nodes} nodes", leave=False, disable=None):
            left, right = (Graph(g.labels, g.edges, g.edge_labels) for g in (a, b))  # nothing computed before
            begin = time.perf_counter()
            found, taken = peak(lambda x=left, y=right, how=method: enpda.match(x, y, how, LIMIT))  # type: ignore[misc]
            seconds = time.perf_counter() - begin
            row = [nodes, cells, f"{100 * cells / nodes**2:.2g} %", method, seconds]
            table.rows.append(
                [*row, "" if taken is None else taken / 1e6, 100 * found.size / b.size, found.upper / b.size]
            )
    return [table]
