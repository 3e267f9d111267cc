"""The trained controls of the paper: one Sinkhorn projection of learned scores, and the best of ten noisy ones."""

from __future__ import annotations

import time

from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered


def run(a: Graph, b: Graph, seconds: float, seed: int = 0) -> Answer:
    """Project once; `seed` is that of the training."""
    from enpda_bench.controls import network, sinkhorn

    network(seed)
    begin = time.perf_counter()
    return answered(a, b, sinkhorn(a, b, seed), False, time.perf_counter() - begin)


def gumbel(a: Graph, b: Graph, seconds: float, seed: int = 0, place: int = 0) -> Answer:
    """Take the best of ten noisy projections; the noise depends on the pair's place in its set."""
    from enpda_bench.controls import gumbel, network

    network(seed)
    begin = time.perf_counter()
    return answered(a, b, gumbel(a, b, seed, place), False, time.perf_counter() - begin)
