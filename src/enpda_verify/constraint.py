"""What a common part must be besides common: what counts of a mapping, and what no mapping can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from enpda_verify.fragments import Fragments
from enpda_verify.reading import Budget, keys
from enpda_verify.whole_rings import WholeRings

if TYPE_CHECKING:
    from enpda_verify.problem import Graph, Problem

Arc = tuple[int, int]
"""An association edge as its two cells i * |b| + j, the smaller one first."""

KINDS = (WholeRings, Fragments)
"""The kinds of conditions, in the order in which they take from a mapping."""
NOTHING: dict[str, Any] = {key: value for kind in KINDS for key, value in kind.nothing.items()}
"""A constraint that asks for nothing."""


class Constraint:
    """All conditions of a problem together."""

    def __init__(self, a: Graph, b: Graph, content: Any, budget: Budget) -> None:
        content = keys(content, set(NOTHING), "constraint")
        self.budget = budget
        self.rings, self.fragments = WholeRings(a, b, content, budget), Fragments(a, b, content, budget)
        self.kinds = (self.rings, self.fragments)

    def check(self, both: Problem) -> None:
        """Refuse what does not fit the problem."""
        for kind in self.kinds:
            kind.check(both)

    def retained(self, image: dict[int, int], kept: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return what counts of the preserved edges of a mapping, by the definition."""
        for kind in self.kinds:
            kept = kind.retained(image, kept)
        return kept

    def unusable(self, live: set[Arc], m: int, taking_part: list[int], rings: list[frozenset[Arc]]) -> set[Arc]:
        """Return the association edges that no mapping under the constraint can use, given what is live.

        `taking_part` are cells that belong to the common part for certain, `rings` all ways to lay a ring onto a ring.
        """
        left = set(live)
        while True:
            self.budget.spend(20 * len(left))
            before = len(left)
            for kind in self.kinds:
                left = kind.usable(left, m, taking_part, rings)
            if len(left) == before:
                return live - left

    def words(self) -> list[str]:
        """Say what is asked for."""
        return [word for kind in self.kinds for word in kind.words()]

    def values(self) -> dict[str, object]:
        """Return the same for every way to ask for the same."""
        return {name: value for kind in self.kinds for name, value in kind.values().items()}
