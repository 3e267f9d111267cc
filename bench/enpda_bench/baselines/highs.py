"""HiGHS on the lifted integer programmes, from no known mapping: the aggregated rows, or the paper's McCormick rows."""

from __future__ import annotations

from enpda.graph import Graph
from enpda.solve.lifted import Form, lifted
from enpda_bench.baselines.answer import Answer, answered


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Solve the aggregated programme."""
    return _solved(a, b, seconds, "aggregated")


def mccormick(a: Graph, b: Graph, seconds: float) -> Answer:
    """Solve the programme with three rows per association edge."""
    return _solved(a, b, seconds, "mccormick")


def _solved(a: Graph, b: Graph, seconds: float, form: Form) -> Answer:
    found = lifted(a, b, form=form, integral=True, time_limit=seconds)
    return answered(a, b, found.mapping or {}, found.status in ("Optimal", "Empty"), found.seconds)
