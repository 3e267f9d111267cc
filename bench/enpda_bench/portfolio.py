"""The paper's search: one stream after a proposal, and the four streams of its Solver."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import enpda
from enpda.solve.budget import PRESETS
from enpda.solve.policy import shipped
from enpda_bench.datasets import BenchPair
from enpda_bench.outcomes import from_match
from enpda_bench.study import Outcome

FOUR = PRESETS["paper-solver"]
NEURAL = ("Neural 0", "Neural 1", "Neural 2")
STREAMS = (*NEURAL, "Analytic")
"""The Solver's streams in their order: the policy's own proposal, two perturbed ones, the analytic one."""


def checkpoint(seed: int) -> Path:
    """Return the weights of a training seed."""
    return shipped(f"full-{seed}")


def solver(pair: BenchPair, weights: int, seconds: float | None = None, seed: int = 0) -> Outcome:
    """Run three learned streams and an analytic one; of equal mappings the earlier stream's stays."""
    learned = replace(FOUR, noisy=(False, True, True))
    best = enpda.match(pair.a, pair.b, "solver", seconds, seed, budget=learned, policy=checkpoint(weights), trace=True)
    stream, took = best.trace[-1].stream if best.trace else 0, best.seconds
    left = None if seconds is None else seconds - took
    if not best.optimal and (left is None or left > 0):
        last = enpda.match(pair.a, pair.b, "solver", left, seed, budget=replace(FOUR, noisy=(False,)))
        took += last.seconds
        if (last.size, last.nodes) > (best.size, best.nodes):
            best, stream = last, len(NEURAL)
    return from_match(pair, best, took, stream=stream)


def analytic_solver(pair: BenchPair, seed: int = 0, seconds: float | None = None) -> Outcome:
    """Run four analytic streams with the same operators."""
    return from_match(pair, enpda.match(pair.a, pair.b, "solver", seconds, seed, budget=FOUR))


def restarted_solver(pair: BenchPair, weights: int, seconds: float, seed: int = 0) -> Outcome:
    """Run the Solver with one seed after the other until time is up or the optimum is proven."""
    begin = time.perf_counter()
    best = solver(pair, weights, seconds, seed)
    while not best.proven and (left := seconds - (time.perf_counter() - begin)) > 0:
        seed += 1
        best = max(best, solver(pair, weights, left, seed), key=lambda found: found.size or 0)
    return replace(best, seconds=time.perf_counter() - begin)
