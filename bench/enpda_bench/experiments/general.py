"""General graphs, with few labels or none, where proofs are far: no method may miss what a cheaper one finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from tqdm import tqdm

import enpda
from enpda.graph import Graph
from enpda.result.match import Match
from enpda.solve.options import Method
from enpda.view.table import Table
from enpda_bench import Settings
from enpda_bench.families import FAMILIES, pair

SEED = 20261118
LIMIT = 30.0
"""Seconds for each call: a few times what `solver` takes."""
SIZES, DENSE_SIZES, LABELS = (15, 30, 60, 100, 200), (15, 30, 60, 100), (1, 4)
IMDB_PAIRS, IMDB_NODES = 10, (15, 140)
METHODS: tuple[Method, ...] = ("fast", "solver", "auto", "exact")


def run(settings: Settings) -> list[Table]:
    """Tell size, bound and time of every method on every pair, and how often the proving ones find less."""
    kinds = [*FAMILIES, *(["IMDB"] if settings.data else [])]
    pairs = [found for kind in kinds for found in islice(_pairs(settings, kind), settings.count)]
    table = Table(
        f"general graphs, one thread, {LIMIT:g} s at most",
        ["family", "nodes", "edges", "labels", *METHODS, "upper", "status", "solver s", "auto s", "exact s"],
    )
    answers = []
    for kind, labels, a, b in tqdm(pairs, desc="pairs", leave=False, disable=None):
        found = {method: _solved(a, b, method) for method in METHODS}
        answers.append(found)
        auto, exact = found["auto"], found["exact"]
        table.rows.append(
            [
                kind,
                f"{len(a)}, {len(b)}",
                f"{a.size}, {b.size}",
                labels,
                *(found[method].size for method in METHODS),
                min(auto.upper, exact.upper),
                f"{auto.status}, {exact.status}",
                *(found[method].seconds for method in METHODS[1:]),
            ]
        )
    for method in ("auto", "exact"):
        below = {other: sum(f[method].size < f[other].size for f in answers) for other in ("fast", "solver")}
        proven = sum(f[method].optimal for f in answers)
        table.notes.append(
            f"`{method}` proves {proven} of {len(answers)}; it is below `fast` on {below['fast']}, "
            f"below `solver` on {below['solver']}."
        )
    return [table]


def _solved(a: Graph, b: Graph, method: Method) -> Match:
    found = enpda.match(a, b, method, LIMIT)
    if found.stopped == "interrupted":
        raise KeyboardInterrupt
    return found


def _pairs(settings: Settings, kind: str) -> Iterator[tuple[str, int, Graph, Graph]]:
    """Return pairs of one family, the smallest first."""
    if kind in FAMILIES:
        sizes = DENSE_SIZES if kind == "G(n, p), dense" else SIZES
        yield from ((kind, labels, *pair(kind, nodes, labels, SEED)) for nodes in sizes for labels in LABELS)
        return
    assert settings.data is not None
    low, high = IMDB_NODES
    graphs = [g for g in enpda.read(settings.data / "tu" / "IMDB-BINARY.zip") if low <= len(g) <= high]
    chosen = np.random.default_rng(SEED).choice(len(graphs), 2 * IMDB_PAIRS, replace=False)
    ordered = sorted((graphs[k] for k in chosen), key=len)
    for a, b in zip(ordered[::2], ordered[1::2], strict=True):
        yield kind, len({*a.labels.tolist(), *b.labels.tolist()}), a, b
