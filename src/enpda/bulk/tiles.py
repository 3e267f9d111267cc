"""Which pairs a chunk holds: a pure function of its number.

Items are cut into ranges of `side`, and a chunk is a tile: all pairs of one range with another. The work of a chunk
then needs few graphs, whoever does it and wherever.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from enpda.checks import whole

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tiles:
    """Chunks of all pairs of `count` items, or of `count` items with `other` ones.

    Attributes
    ----------
    count : int
        Items of the first kind.
    other : int or None
        Items of the second kind; None for pairs i <= j within the first.
    side : int
        Items of a range.
    """

    count: int
    other: int | None
    side: int

    def __post_init__(self) -> None:
        whole("count", self.count, 0, 2**31 - 1)
        whole("side", self.side, 1, 2**31 - 1)
        if self.other is not None:
            whole("other", self.other, 0, 2**31 - 1)

    @classmethod
    def sized(cls, count: int, other: int | None, threshold: bool = False) -> Tiles:
        """Choose a side that gives some thousand chunks of a few minutes each at most."""
        largest = max(count, other or 0)
        low, high = (128, 512) if threshold else (32, 256)
        return cls(count, other, min(max(-(-largest // 128), low), high))

    @property
    def ranges(self) -> tuple[int, int]:
        """Number of ranges of either kind."""
        rows = -(-self.count // self.side)
        return rows, rows if self.other is None else -(-self.other // self.side)

    def __len__(self) -> int:
        rows, columns = self.ranges
        return rows * (rows + 1) // 2 if self.other is None else rows * columns

    def block(self, chunk: int) -> tuple[range, range]:
        """Return the items of a chunk, of the first and of the second kind."""
        rows, columns = self.ranges
        if not 0 <= chunk < len(self):
            raise IndexError(chunk)
        if self.other is None:
            # Row r begins after r * rows - r (r - 1) / 2 chunks; counted from the end that is a triangular number.
            left = len(self) - 1 - chunk
            row = rows - 1 - (math.isqrt(8 * left + 1) - 1) // 2
            column = row + chunk - (row * rows - row * (row - 1) // 2)
        else:
            row, column = divmod(chunk, columns)
        last = self.count if self.other is None else self.other

        def items(k: int, most: int) -> range:
            return range(k * self.side, min((k + 1) * self.side, most))

        return items(row, self.count), items(column, last)

    def pairs(self, chunk: int) -> Indices:
        """Return the pairs of a chunk as rows (i, j); within one kind i <= j."""
        rows, columns = self.block(chunk)
        i, j = np.meshgrid(np.arange(rows.start, rows.stop), np.arange(columns.start, columns.stop), indexing="ij")
        pairs = np.column_stack([i.ravel(), j.ravel()]).astype(np.int64)
        return pairs if self.other is not None or rows != columns else pairs[pairs[:, 0] <= pairs[:, 1]]
