"""Items that are one graph: compared once, and told about each."""

from __future__ import annotations

import numpy as np

from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers


class Groups:
    """Items, and the distinct ones among them in the order of their first appearance.

    Parameters
    ----------
    library : Library
        The items.
    alike : bool
        Whether isomorphic items are one; else each is its own.

    Attributes
    ----------
    first : array of int
        For each distinct item the number of the first item that it stands for, rising.
    count : array of int
        For each distinct item how many items it stands for.
    of : array of int
        For each item the number of the distinct one.
    """

    def __init__(self, library: Library, alike: bool) -> None:
        classes = library.classes if alike else np.arange(len(library))
        self.first, self.of, self.count = np.unique(classes, return_inverse=True, return_counts=True)
        self._order = np.argsort(self.of, kind="stable")
        self._begin = np.concatenate([[0], np.cumsum(self.count)])

    def __len__(self) -> int:
        return len(self.first)

    def members(self, k: int) -> Integers:
        """Return the items that the distinct one stands for."""
        return self._order[self._begin[k] : self._begin[k + 1]]

    def items(self, distinct: range) -> Integers:
        """Return the items that a range of distinct ones stands for."""
        return self._order[self._begin[distinct.start] : self._begin[distinct.stop]]

    @property
    def last(self) -> Integers:
        """For each item the last one that is isomorphic to it."""
        result: Integers = self._order[self._begin[1:] - 1][self.of]
        return result

    def alike(self, item: int) -> list[int]:
        """Return the items that are isomorphic to an item, itself included."""
        return list(self.members(self.of[item]).tolist())
