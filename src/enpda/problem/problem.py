"""The problem that two graphs pose under rules and constraints: what the compiled core is told, and nothing else."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.clock import FOREVER, Clock
from enpda.errors import InputError, brief
from enpda.graph import Graph, IntArray
from enpda.labels import agree
from enpda.problem.constraints import NONE, Constraints, posed
from enpda.problem.rules import Allowed, Rules, Worth, allowed_of, seen, weight_in, worth_of

PLAIN = _core.Terms()
Image = npt.NDArray[np.int32]


class Problem:
    """Two graphs as rules see them: labels that say which nodes and edges are alike, and what labels cannot say.

    Each part is made when it is first asked for, because some take long: the rings of a large graph, and what a
    callable says about every cell. `pose` makes all of them.

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

    def __init__(self, a: Graph, b: Graph, rules: Rules | None, constraints: Constraints | None) -> None:
        if rules is not None and not isinstance(rules, Rules):
            raise InputError(f"rules must be enpda.Rules; got {brief(rules)}")
        if constraints is not None and not isinstance(constraints, Constraints):
            raise InputError(f"constraints must be enpda.Constraints; got {brief(constraints)}")
        comparable(a, b)
        self.given, self.rules, self.constraints = (a, b), rules, constraints
        self._clock = FOREVER
        if rules is None and constraints is None:  # nothing to make, millions of times
            self.__dict__.update(
                seen=(a, b), total=(a.size, b.size), allowed=None, _posed=(a, b, None, NONE), terms=PLAIN
            )

    @property
    def complete(self) -> bool:
        """Whether every part is made."""
        return "terms" in self.__dict__ and "total" in self.__dict__

    def pose(self, clock: Clock) -> None:
        """Make every part; raises `Late` when the clock leaves too little time for one, and that is still missing."""
        if self.complete:
            return
        self._clock = clock
        try:
            _ = self.total, self.terms
        finally:
            self._clock = FOREVER

    @cached_property
    def seen(self) -> tuple[Graph, Graph]:
        """The graphs as the rules see them, before constraints mark edges."""
        a, b = self.given
        if self.rules is None:
            return a, b
        return seen(a, self.rules, self._clock), seen(b, self.rules, self._clock)

    @cached_property
    def total(self) -> tuple[int, int]:  # noqa: D102 - all of these are above
        if self.rules is None or self.rules.weights is None:
            return self.given[0].size, self.given[1].size
        left, right = self.seen
        return weight_in(left, self.rules), weight_in(right, self.rules)

    @cached_property
    def allowed(self) -> Allowed | None:  # noqa: D102
        return None if self.rules is None else allowed_of(*self.seen, self.rules, self._clock)

    @cached_property
    def _posed(self) -> tuple[Graph, Graph, Worth | None, _core.Constraint]:
        worth = None if self.rules is None else worth_of(*self.seen, self.rules)
        if self.constraints is None:
            return *self.seen, worth, NONE
        return posed(*self.seen, self.constraints, worth, self._clock)

    @property
    def a(self) -> Graph:  # noqa: D102
        return self._posed[0]

    @property
    def b(self) -> Graph:  # noqa: D102
        return self._posed[1]

    @property
    def worth(self) -> Worth | None:  # noqa: D102
        return self._posed[2]

    @property
    def constraint(self) -> _core.Constraint:  # noqa: D102
        return self._posed[3]

    @cached_property
    def terms(self) -> _core.Terms:
        """What the compiled core is told about nodes and edges."""
        return PLAIN if self.allowed is None and self.worth is None else _core.Terms(self.allowed, self.worth)

    @property
    def weighted(self) -> bool:
        """Whether edges count by weight."""
        return self.rules is not None and self.rules.weights is not None

    @property
    def apart(self) -> IntArray:
        """Pairs of nodes, as rows (i, j), that may not meet in spite of equal labels."""
        if self.allowed is None:
            return np.zeros((0, 2), dtype=np.int64)
        return np.argwhere((self.a.labels[:, None] == self.b.labels[None, :]) & (self.allowed == 0))

    def may_meet(self, i: int, j: int) -> bool:
        """Whether labels and rules let node i of a match node j of b."""
        return bool(self.a.labels[i] == self.b.labels[j] and (self.allowed is None or self.allowed[i, j]))

    def retained(self, image: Image) -> tuple[Image, npt.NDArray[np.int32], int, int]:
        """Return what counts of a mapping: its image, indices of a's edges, size and nodes."""
        return _core.retain(self.a.core, self.b.core, image, self.terms, self.constraint)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("terms", "_clock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _clock=FOREVER)


def comparable(a: Graph, b: Graph) -> None:
    """Refuse two graphs in which one number stands for different labels."""
    if a.label_names and b.label_names:
        agree(a.label_names, b.label_names)


def problem_of(a: Graph, b: Graph, rules: Rules | None = None, constraints: Constraints | None = None) -> Problem:
    """Pose the problem of two graphs."""
    problem = Problem(a, b, rules, constraints)
    problem.pose(FOREVER)
    return problem
