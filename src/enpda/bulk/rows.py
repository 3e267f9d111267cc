"""Rows of an all-pairs table: answers as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

STATUSES = ("optimal", "bounded", "below_threshold", "time_limit", "interrupted")
BELOW = STATUSES.index("below_threshold")
SCREEN = "screen"
"""The method of a row that counts alone decided."""


@dataclass
class Rows:
    """Answers as columns; `a` and `b` are numbers of items."""

    a: Integers
    b: Integers
    size: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]
    optimal: npt.NDArray[np.bool_]
    similarity: npt.NDArray[np.float64]
    distance: npt.NDArray[np.int32]
    status: npt.NDArray[np.uint8]
    screened: npt.NDArray[np.bool_]
    seconds: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, pairs: Integers) -> Rows:
        """Return rows for pairs, with nothing known yet."""
        n = len(pairs)
        size, upper, nodes, distance = (np.zeros(n, dtype=np.int32) for _ in range(4))
        status = np.full(n, BELOW, dtype=np.uint8)
        optimal, screened = np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
        a, b = pairs.T
        return cls(a, b, size, upper, nodes, optimal, np.zeros(n), distance, status, screened, np.zeros(n))

    def __len__(self) -> int:
        return len(self.a)

    def take(self, chosen: npt.NDArray[Any]) -> Rows:
        """Return some of the rows."""
        return Rows(*(getattr(self, entry.name)[chosen] for entry in fields(self)))

    @classmethod
    def concatenated(cls, parts: list[Rows]) -> Rows:
        """Return the rows of several parts, one after the other."""
        if not parts:
            return cls.empty(np.zeros((0, 2), dtype=np.int64))
        return cls(*(np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(cls)))
