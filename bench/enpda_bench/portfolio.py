"""The paper's search: one stream after a proposal, and the four streams of its Solver."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import enpda
from enpda.solve.budget import PRESETS, Budget
from enpda.solve.policy import shipped
from enpda_bench.datasets import BenchPair
from enpda_bench.outcomes import from_match
from enpda_bench.study import Outcome

FOUR = PRESETS["paper-solver"]
LONG = replace(FOUR, anneal_steps=4 * FOUR.anneal_steps)
"""Tells whether the Solver is short of search."""
NEURAL = ("Neural 0", "Neural 1", "Neural 2")
STREAMS = (*NEURAL, "Analytic")
"""The Solver's streams in their order: the policy's own proposal, two perturbed ones, the analytic one."""


def checkpoint(seed: int) -> Path:
    """Return the weights of a training seed."""
    return shipped(f"full-{seed}")


def solver(
    pair: BenchPair, weights: int, seconds: float | None = None, seed: int = 0, budget: Budget = FOUR
) -> Outcome:
    """Run three learned streams and an analytic one; of equal mappings the earlier stream's stays."""
    learned = replace(budget, noisy=(False, True, True))
    best = enpda.match(pair.a, pair.b, "solver", seconds, seed, budget=learned, policy=checkpoint(weights), trace=True)
    stream, took = best.trace[-1].stream if best.trace else 0, best.seconds
    left = None if seconds is None else seconds - took
    if not best.optimal and (left is None or left > 0):
        last = enpda.match(pair.a, pair.b, "solver", left, seed, budget=replace(budget, noisy=(False,)))
        took += last.seconds
        if (last.size, last.nodes) > (best.size, best.nodes):
            best, stream = last, len(NEURAL)
    return from_match(pair, best, took, stream=stream)


def analytic_solver(pair: BenchPair, seed: int = 0, seconds: float | None = None) -> Outcome:
    """Run four analytic streams with the same operators."""
    return from_match(pair, enpda.match(pair.a, pair.b, "solver", seconds, seed, budget=FOUR))


def nominal_solver(pair: BenchPair, weights: int, seconds: float, seed: int = 0) -> Outcome:
    """Share a limit out as the paper does: streams in turn, the first by the seed, each an equal part of what is left.

    A stream of ours takes a fraction of its part, so that it begins again with another seed until that is used up.
    """
    begin = time.perf_counter()
    order = [(weights + k) % len(STREAMS) for k in range(len(STREAMS))]
    best: enpda.Match | None = None
    winner = order[0]
    for place, stream in enumerate(order):
        share = (seconds - (time.perf_counter() - begin)) / (len(order) - place)
        end = time.perf_counter() + share
        again = 0
        while (left := end - time.perf_counter()) > 0 and not (best is not None and best.optimal):
            budget = replace(FOUR, noisy=(STREAMS[stream] in NEURAL[1:],))
            policy = checkpoint(weights) if STREAMS[stream] in NEURAL else None
            own = seed + 1_009 * place + 104_729 * again
            found = enpda.match(pair.a, pair.b, "solver", left, own, budget=budget, policy=policy)
            if best is None or (found.size, found.nodes) > (best.size, best.nodes):
                best, winner = found, stream
            again += 1
    if best is None:
        raise ValueError(f"the limit must be positive; got {seconds}")
    return from_match(pair, best, time.perf_counter() - begin, stream=winner)
