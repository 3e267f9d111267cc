"""Statistics where optima are known as intervals only: every claim holds wherever the optimum lies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from enpda_bench.bootstrap import interval
from enpda_bench.study import Floats


def accuracy_range(sizes: Floats, lower: Floats, upper: Floats) -> tuple[float, float]:
    """Return the least and the most that the mean % of the optimum can be.

    Parameters
    ----------
    sizes : (seeds, pairs) array
        Edges that were found.
    lower, upper : (pairs,) array
        Between which each optimum lies.
    """
    # A pair that shares nothing has been found once nothing is found.
    least, most = (
        np.where(optimum > 0, 100.0 * sizes / np.maximum(optimum, 1.0), 100.0).mean() for optimum in (upper, lower)
    )
    return float(least), float(most)


def effects(one: Floats, other: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the least and the most that each paired difference can be, in points of % of the optimum."""
    change = 100.0 * (one - other)
    both = np.stack([change / np.maximum(optimum, 1.0) for optimum in (lower, upper)])
    return both.min(0), both.max(0)


def safe_interval(least: Floats, most: Floats, groups: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return an interval that covers whatever the optima are: low end of the least effects, high end of the most."""
    return interval(least, groups)[0], interval(most, groups)[1]
