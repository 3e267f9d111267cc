"""The problem that two graphs pose under rules and constraints: what the compiled core is told, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.constraints import NONE, Constraints, posed
from enpda.errors import InputError, brief
from enpda.graph import Graph, IntArray
from enpda.rules import Allowed, Rules, Worth, allowed_of, seen, weight_in, worth_of

PLAIN = _core.Terms()
Image = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Problem:
    """Two graphs as rules see them: labels that say which nodes and edges are alike, and what labels cannot say.

    Attributes
    ----------
    a, b : Graph
        The graphs, labelled anew where rules or constraints want it; the same nodes and edges.
    rules : Rules or None
        None for labels as they are.
    allowed : (|a|, |b|) array or None
        Which nodes may meet besides having equal labels.
    worth : array or None
        What a pair of a's and b's distinct edge labels (ascending) is worth; None for 1 where they are equal.
    total : (int, int)
        What all edges of either graph are worth, each matched with its like.
    constraints : Constraints or None
        Conditions on the common part.
    constraint : _core.Constraint
        The same for the compiled core.
    """

    a: Graph
    b: Graph
    rules: Rules | None
    allowed: Allowed | None
    worth: Worth | None
    total: tuple[int, int]
    constraints: Constraints | None
    constraint: _core.Constraint

    @property
    def terms(self) -> _core.Terms:
        """What the compiled core is told about nodes and edges."""
        return PLAIN if self.allowed is None and self.worth is None else _core.Terms(self.allowed, self.worth)

    @property
    def weighted(self) -> bool:
        """Whether edges count by weight."""
        return self.worth is not None

    @property
    def apart(self) -> IntArray:
        """Pairs of nodes, as rows (i, j), that may not meet in spite of equal labels."""
        if self.allowed is None:
            return np.zeros((0, 2), dtype=np.int64)
        return np.argwhere((self.a.labels[:, None] == self.b.labels[None, :]) & (self.allowed == 0))

    def retained(self, image: Image) -> tuple[Image, npt.NDArray[np.int32], int, int]:
        """Return what counts of a mapping: its image, indices of a's edges, size and nodes."""
        return _core.retain(self.a.core, self.b.core, image, self.terms, self.constraint)


def problem_of(a: Graph, b: Graph, rules: Rules | None = None, constraints: Constraints | None = None) -> Problem:
    """Pose the problem of two graphs."""
    left, right, allowed, worth, constraint = a, b, None, None, NONE
    total = a.size, b.size
    if rules is not None:
        if not isinstance(rules, Rules):
            raise InputError(f"rules must be enpda.Rules; got {brief(rules)}")
        left, right = seen(a, rules), seen(b, rules)
        allowed, worth = allowed_of(left, right, rules), worth_of(left, right, rules)
        if worth is not None:
            total = weight_in(left, rules), weight_in(right, rules)
    if constraints is not None:
        if not isinstance(constraints, Constraints):
            raise InputError(f"constraints must be enpda.Constraints; got {brief(constraints)}")
        left, right, worth, constraint = posed(left, right, constraints, worth)
    return Problem(left, right, rules, allowed, worth, total, constraints, constraint)
