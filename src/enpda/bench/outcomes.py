"""One measurement of one method on one pair: other programs, and our own methods, as outcomes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import enpda
from enpda.bench.baselines import Answer
from enpda.bench.datasets import BenchPair, check
from enpda.bench.study import Outcome
from enpda.budget import PRESETS
from enpda.options import Method
from enpda.policy import shipped
from enpda.result import Match


def from_answer(pair: BenchPair, answer: Answer) -> Outcome:
    """Return what another program found; a mapping above a proven bound ends everything."""
    if answer.image is None:
        return Outcome(seconds=answer.seconds, status=answer.failure or "it gives no mapping")
    if answer.size > pair.upper:
        raise RuntimeError(f"{answer} contradicts the known {pair.size} to {pair.upper} of {pair.a} / {pair.b}")
    wrong = answer.proven and answer.size < pair.size and pair.size > 1  # RASCAL does not report a single edge
    status = f"calls {answer.size} proven, but {pair.size} are known" if wrong else answer.failure
    return Outcome(answer.image, answer.size, proven=answer.proven and not wrong, seconds=answer.seconds, status=status)


def from_match(pair: BenchPair, found: Match, seconds: float | None = None) -> Outcome:
    """Return what we found."""
    check(pair, found)
    image = np.full(len(pair.a), -1, dtype=np.int32)
    for i, j in found.mapping.items():
        image[i] = j
    took = found.seconds if seconds is None else seconds
    return Outcome(image, found.size, found.nodes, found.upper, found.optimal, took)


def matched(pair: BenchPair, method: Method, seconds: float, **more: Any) -> Outcome:
    """Run one of our methods."""
    return from_match(pair, enpda.match(pair.a, pair.b, method, seconds, **more))


def paper_solver(pair: BenchPair, seconds: float, weights: int | None, seed: int = 0) -> Outcome:
    """Run the paper's portfolio once, from the proposals of one training, or from analytic ones."""
    return from_match(pair, _portfolio(pair, seconds, weights, seed))


def restarted_solver(pair: BenchPair, seconds: float, weights: int, seed: int = 0) -> Outcome:
    """Run the paper's portfolio with one seed after the other until time is up or the optimum is proven."""
    begin = time.perf_counter()
    best = _portfolio(pair, seconds, weights, seed)
    while not best.optimal and (left := seconds - (time.perf_counter() - begin)) > 0:
        seed += 1
        best = max(best, _portfolio(pair, left, weights, seed), key=lambda found: found.size)
    return from_match(pair, best, time.perf_counter() - begin)


def _portfolio(pair: BenchPair, seconds: float, weights: int | None, seed: int) -> Match:
    if weights is None:
        return enpda.match(pair.a, pair.b, "solver", seconds, seed, budget=PRESETS["paper-solver"])
    return enpda.match(pair.a, pair.b, "paper-solver", seconds, seed, policy=shipped(f"full-{weights}"))
