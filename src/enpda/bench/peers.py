"""Outcomes of other programs, and of our own matches; a program that is not here says so instead of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from enpda.bench.datasets import BenchPair
from enpda.bench.scope import Scope
from enpda.bench.study import Outcome, Record
from enpda.errors import InputError
from enpda.result import Match


def ask(scope: Scope, name: str, pair: BenchPair, seconds: float) -> Outcome:
    """Run a baseline, `module` or `module:function`, on a pair."""
    if name not in scope.absent:
        module = name.partition(":")[0]
        try:
            if find_spec(f"enpda.bench.baselines.{module}") is None:
                raise InputError(f"the baseline {module} is not part of this installation")
            worker = scope.worker(name)
        except InputError as error:
            scope.absent[name] = str(error)
        else:
            answer = worker(pair.a, pair.b, seconds)
            image = answer.image if answer.match is None else image_of(answer.match)
            size = None if answer.failure and image is None else answer.size
            return Outcome(image, size, proven=answer.proven, seconds=answer.seconds, status=answer.failure)
    return Outcome(status=scope.absent[name])


def absent(records: Sequence[Record]) -> str:
    """Return why a program has no answer to any pair; nothing where it has one."""
    if any(r.outcome.size is not None for r in records):
        return ""
    return records[0].outcome.status if records else "not in this profile"


def image_of(match: Match) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return a match as the image of its first graph's nodes."""
    image = np.full(len(match.a), -1, dtype=np.int32)
    image[list(match.mapping)] = list(match.mapping.values())
    return image


def outcome(match: Match) -> Outcome:
    """Return what a study keeps of a match."""
    return Outcome(image_of(match), match.size, match.nodes, match.upper, match.optimal, match.seconds)
