"""Matchers of pygmtools on the association graph as a dense affinity matrix: RRWM, IPFP, and NGM without training."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered, at_most
from enpda_bench.baselines.association import association

MOST = 8_000
"""Candidates: its matrices are dense, 256 MB at this size, and it holds several."""


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Reweighted random walks (Cho, Lee and Lee, 2010); it knows no time limit, 50 iterations are all."""
    import pygmtools

    return _matched(a, b, pygmtools.rrwm)


def ipfp(a: Graph, b: Graph, seconds: float) -> Answer:
    """Integer projected fixed point (Leordeanu, Hebert and Sukthankar, 2009)."""
    import pygmtools

    return _matched(a, b, pygmtools.ipfp)


def ngm(a: Graph, b: Graph, seconds: float, seed: int = 0) -> Answer:
    """Run the network of NGM (Wang, Yan and Yang, 2022) with random weights: its trained ones need a download."""
    import pygmtools

    np.random.seed(seed)  # noqa: NPY002 (pygmtools draws its weights from the global generator)
    return _matched(a, b, lambda *args, **more: pygmtools.ngm(*args, **more, pretrain=False))


def _matched(a: Graph, b: Graph, solver: Callable[..., Any]) -> Answer:
    n, m = len(a), len(b)
    at_most("candidates", n * m, MOST)
    begin = time.perf_counter()
    here, there = association(a, b)
    if len(here) == 0:  # a random walk goes nowhere
        return answered(a, b, {}, False, time.perf_counter() - begin)
    i, j, k, l = here // m, here % m, there // m, there % m  # noqa: E741
    affinity = np.zeros((n * m, n * m), dtype=np.float32)
    affinity[j * n + i, l * n + k] = affinity[l * n + k, j * n + i] = 1.0  # its candidates go column by column
    with np.errstate(all="ignore"):  # it divides by zero where a step changes nothing
        soft: npt.NDArray[np.float64] = np.asarray(solver(affinity, n, m, backend="numpy"), dtype=np.float64)
    compatible = a.labels[:, None] == b.labels[None, :]
    weight = np.where(compatible, np.nan_to_num(soft) + 1e-9, 0.0)
    return answered(a, b, _core.assign(np.ascontiguousarray(weight))[1], False, time.perf_counter() - begin)
