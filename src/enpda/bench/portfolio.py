"""The paper's search: one stream after a proposal, and the four streams of its Solver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import enpda
from enpda.bench.datasets import BenchPair, check
from enpda.bench.study import Outcome
from enpda.budget import PRESETS
from enpda.policy import shipped
from enpda.result import Match

FOUR = PRESETS["paper-solver"]
NEURAL = ("Neural 0", "Neural 1", "Neural 2")
STREAMS = (*NEURAL, "Analytic")
"""The Solver's streams in their order: the policy's own proposal, two perturbed ones, the analytic one."""


def checkpoint(seed: int) -> Path:
    """Return the weights of a training seed."""
    return shipped(f"full-{seed}")


def solver(pair: BenchPair, seed: int) -> Outcome:
    """Run three learned streams and an analytic one; of equal mappings the earlier stream's stays."""
    learned = replace(FOUR, noisy=(False, True, True))
    best = enpda.match(pair.a, pair.b, "solver", None, budget=learned, policy=checkpoint(seed), trace=True)
    stream, seconds = best.trace[-1].stream if best.trace else 0, best.seconds
    if not best.optimal:
        last = enpda.match(pair.a, pair.b, "solver", None, budget=replace(FOUR, noisy=(False,)))
        seconds += last.seconds
        if (last.size, last.nodes) > (best.size, best.nodes):
            best, stream = last, len(NEURAL)
    return outcome(pair, best, seconds, stream=stream)


def analytic_solver(pair: BenchPair, seed: int) -> Outcome:
    """Run four analytic streams with the same operators."""
    found = enpda.match(pair.a, pair.b, "solver", None, seed, budget=FOUR)
    return outcome(pair, found, found.seconds)


def outcome(pair: BenchPair, found: Match, seconds: float, **values: float) -> Outcome:
    """Turn a match, checked against what is known about its pair, into an outcome."""
    check(pair, found)
    image = np.full(len(pair.a), -1, dtype=np.int32)
    for i, j in found.mapping.items():
        image[i] = j
    return Outcome(
        image=image,
        size=found.size,
        nodes=found.nodes,
        upper=found.upper,
        proven=found.optimal,
        seconds=seconds,
        values=values,
    )
