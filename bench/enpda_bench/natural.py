"""Pairs of graphs as they were found, nothing planted: IMDB-BINARY by size, D&D proteins by size.

Their optima are unknown. Within a bin of node counts graphs come in the order of a hash of their position, and
consecutive ones are paired, so that neither labels nor outcomes choose. These are the paper's own pairs: its counts of
components, medians of nodes, grids and candidates come out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations, islice
from math import comb
from pathlib import Path

import numpy as np

import enpda
from enpda.graph import Graph
from enpda_bench.datasets import BenchPair

IMDB_BINS = ((10, 20), (20, 40))
DD_BINS = {50: (40, 75), 100: (75, 150), 200: (150, 250), 300: (250, 400), 500: (400, 650)}
"""What a bin is called in the hash, and its nodes."""
IMDB_PER_BIN, DD_PER_BIN = 50, 5
MOST_SUBSETS = 5_000_000


def imdb_pairs(data: Path) -> list[BenchPair]:
    """Return 50 pairs of each bin of IMDB-BINARY."""
    graphs = list(enpda.read(data / "tu" / "IMDB-BINARY.zip"))
    pairs: list[BenchPair] = []
    for low, high in IMDB_BINS:
        inside = [k for k, g in enumerate(graphs) if low <= len(g) < high]
        pairs += _paired(graphs, inside, f"20260916:{low}:{high}:", IMDB_PER_BIN)
    return pairs


def dd_pairs(data: Path) -> list[BenchPair]:
    """Return 5 pairs of each bin of D&D, the smaller graph first."""
    graphs = list(enpda.read(data / "tu" / "DD.zip"))
    pairs: list[BenchPair] = []
    for size, (low, high) in DD_BINS.items():
        inside = [k for k, g in enumerate(graphs) if low <= len(g) < high]
        pairs += _paired(graphs, inside, f"20260830:{size}:", DD_PER_BIN)
    return [p if len(p.a) <= len(p.b) else _turned(p) for p in pairs]


def _paired(graphs: Sequence[Graph], inside: Sequence[int], key: str, count: int) -> list[BenchPair]:
    order = sorted(inside, key=lambda k: hashlib.sha256(f"{key}{k}".encode()).hexdigest())[: 2 * count]
    result = []
    for i, j in zip(order[::2], order[1::2], strict=True):
        a, b = graphs[i], graphs[j]
        result.append(BenchPair(a, b, 0, min(a.size, b.size), (i, j)))
    return result


def _turned(p: BenchPair) -> BenchPair:
    return BenchPair(p.b, p.a, p.size, p.upper, None if p.indices is None else p.indices[::-1])


def degree_cap(a: Graph, b: Graph) -> int:
    """Bound by degrees alone: half the sum of the smaller ones, both in descending order."""
    degrees = [np.sort(np.bincount(g.edges.ravel(), minlength=len(g)))[::-1] for g in (a, b)]
    count = min(map(len, degrees))
    return int(np.minimum(degrees[0][:count], degrees[1][:count]).sum()) // 2


def densest(a: Graph, b: Graph) -> int | None:
    """Return the optimum of graphs without labels one of which is complete: the other's densest part of its size.

    None where there are labels, where neither is complete, or where there are too many choices of nodes to leave out.
    """
    if len({*a.labels.tolist(), *b.labels.tolist()}) > 1 or len({*a.edge_labels.tolist(), *b.edge_labels.tolist()}) > 1:
        return None
    for whole, other in ((a, b), (b, a)):
        if 2 * whole.size == len(whole) * (len(whole) - 1):
            return _densest(other, len(whole))
    return None


def _densest(graph: Graph, count: int) -> int | None:
    left_out = len(graph) - count
    if left_out <= 0:
        return graph.size
    if comb(len(graph), left_out) > MOST_SUBSETS:
        return None
    joined = np.zeros((len(graph), len(graph)), dtype=np.int64)
    joined[graph.edges[:, 0], graph.edges[:, 1]] = joined[graph.edges[:, 1], graph.edges[:, 0]] = 1
    degrees = joined.sum(0)
    best = 0
    choices = combinations(range(len(graph)), left_out)
    while some := list(islice(choices, 200_000)):
        chosen = np.array(some)
        inside = sum((joined[chosen[:, i], chosen[:, j]] for i, j in combinations(range(left_out), 2)), np.int64(0))
        best = max(best, graph.size - int((degrees[chosen].sum(1) - inside).min()))
    return best
