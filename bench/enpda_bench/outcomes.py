"""One measurement of one method on one pair: other programs, and our own methods, as outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import enpda
from enpda.result.match import Match
from enpda.solve.options import Method
from enpda_bench.baselines import Answer
from enpda_bench.datasets import BenchPair, check
from enpda_bench.scope import Scope
from enpda_bench.study import Outcome


def asked(scope: Scope, name: str, pair: BenchPair, seconds: float, **more: Any) -> Outcome:
    """Run a baseline, `module` or `module:function`; what cannot run says so instead of an answer."""
    return from_answer(pair, scope.ask(name, pair, seconds, **more))


def from_answer(pair: BenchPair, answer: Answer) -> Outcome:
    """Return what another program found; a mapping above a proven bound ends everything."""
    if answer.match is not None:
        return from_match(pair, answer.match)
    if answer.image is None:
        return Outcome(seconds=answer.seconds, status=answer.failure or "it gives no mapping")
    if answer.size > pair.upper:
        raise RuntimeError(f"{answer} contradicts the known {pair.size} to {pair.upper} of {pair.a} / {pair.b}")
    wrong = answer.proven and answer.size < pair.size and pair.size > 1  # RASCAL does not report a single edge
    status = f"calls {answer.size} proven, but {pair.size} are known" if wrong else answer.failure
    nodes = int((answer.image >= 0).sum())  # `answered` keeps those of preserved edges
    return Outcome(answer.image, answer.size, nodes, None, answer.proven and not wrong, answer.seconds, status)


def from_match(pair: BenchPair, found: Match, seconds: float | None = None, **values: float) -> Outcome:
    """Return what we found, checked against what is known about the pair."""
    check(pair, found)
    took = found.seconds if seconds is None else seconds
    return Outcome(image_of(found), found.size, found.nodes, found.upper, found.optimal, took, values=values)


def matched(pair: BenchPair, method: Method, seconds: float | None, **more: Any) -> Outcome:
    """Run one of our methods."""
    return from_match(pair, enpda.match(pair.a, pair.b, method, seconds, **more))


def image_of(match: Match) -> npt.NDArray[np.int32]:
    """Return a match as the image of its first graph's nodes."""
    image = np.full(len(match.a), -1, dtype=np.int32)
    image[list(match.index_mapping)] = list(match.index_mapping.values())
    return image
