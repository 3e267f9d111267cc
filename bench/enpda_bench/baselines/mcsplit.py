"""McSplit, our own C++ from its paper: the largest common induced subgraph, scored by all the edges of its mapping."""

from __future__ import annotations

import time

from enpda import _core
from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run McSplit; what it proves is the number of nodes of an induced subgraph, which is another problem."""
    begin = time.perf_counter()
    image, _, _ = _core.mcsplit(a.core, b.core, seconds)
    return answered(a, b, image, False, time.perf_counter() - begin)
