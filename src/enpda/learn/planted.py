"""Planted pairs: a graph against a reordered copy of itself that lost 30 % of its edges, so the optimum is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import enpda
from enpda.graph import Graph
from enpda.learn.datasets import BenchPair

SETS = {"IMDB-BINARY": (20260830, 100), "PROTEINS": (20260916, 200), "ENZYMES": (20260916, 200)}
"""TU dataset -> seed and number of pairs."""


def planted_pairs(data: Path, name: str) -> list[BenchPair]:
    """Return the fixed planted pairs of one TU dataset: unlabelled, 24 to 64 nodes."""
    seed, count = SETS[name]
    graphs = list(enpda.read(data / "tu" / f"{name}.zip"))
    eligible = np.array([k for k, g in enumerate(graphs) if 24 <= len(g) <= 64 and g.size])
    np.random.default_rng(seed).shuffle(eligible)
    chosen = eligible[:count].tolist()
    pairs = [plant(graphs[k], seed + 104_729 * (place + 1)) for place, k in enumerate(chosen)]
    return [replace(p, indices=(k, k)) for p, k in zip(pairs, chosen, strict=True)]


def plant(graph: Graph, seed: int) -> BenchPair:
    """Return the graph without its labels, and a reordered copy that lost 30 % of the edges."""
    rng = np.random.default_rng(seed)
    kept = max(round(0.7 * graph.size), 1)
    edges = graph.edges[rng.choice(graph.size, kept, replace=False)]
    order = rng.permutation(len(graph))
    labels = np.zeros(len(graph), dtype=np.int64)
    return BenchPair(Graph(labels, graph.edges), Graph(labels, order[edges]), kept, kept)
