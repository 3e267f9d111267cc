"""Graduated assignment (Gold and Rangarajan, 1996): softassign of the quadratic score's gradient, annealed."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered

Floats = npt.NDArray[np.float64]

COLD, HOT, RATE = 10.0, 0.5, 1.075
"""Inverse temperatures: last, first, and the factor between two."""
STEPS, NORMALISATIONS = 4, 30
"""At each temperature, and in each normalisation; fewer when the sum of changes is below these."""
STEADY, NORMAL = 0.5, 0.05


def run(a: Graph, b: Graph, seconds: float, seed: int = 0) -> Answer:
    """Anneal, then take the best assignment; where time runs out, of the state so far."""
    begin = time.perf_counter()
    compatible = (a.labels[:, None] == b.labels[None, :]).astype(float)
    labels = sorted({*a.edge_labels.tolist()} & {*b.edge_labels.tolist()})
    sides = [(_adjacency(a, label), _adjacency(b, label)) for label in labels]
    soft = (1 + 1e-3 * np.random.default_rng(seed).random(compatible.shape)) * compatible
    beta = HOT
    while beta < COLD and time.perf_counter() - begin < seconds:
        for _ in range(STEPS):
            before = soft
            gradient = sum((x @ soft @ y for x, y in sides), np.zeros_like(soft)) * compatible
            soft = softassign(beta * gradient, compatible)
            if np.abs(soft - before).sum() < STEADY:
                break
        beta *= RATE
    image = _core.assign(np.ascontiguousarray(soft))[1]
    return answered(a, b, image, False, time.perf_counter() - begin)


def softassign(scores: Floats, compatible: Floats) -> Floats:
    """Return the part without slack of a matrix with one slack row and column, normalised by turns."""
    n, m = scores.shape
    square = np.ones((n + 1, m + 1))
    square[:n, :m] = np.exp(scores - scores.max(initial=0.0)) * compatible
    square[:n, m] = square[n, :m] = np.exp(-scores.max(initial=0.0))
    for _ in range(NORMALISATIONS):
        before = square[:n, :m].copy()
        square[:n] /= square[:n].sum(1, keepdims=True)
        square[:, :m] /= square[:, :m].sum(0, keepdims=True)
        if np.abs(square[:n, :m] - before).sum() < NORMAL:
            break
    inner: Floats = square[:n, :m]
    return inner


def _adjacency(graph: Graph, label: int) -> Floats:
    out = np.zeros((len(graph), len(graph)))
    u, v = graph.edges[graph.edge_labels == label].reshape(-1, 2).T
    out[u, v] = out[v, u] = 1.0
    return out
