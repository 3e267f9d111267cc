"""What the compiled core found about a pair, as a match tells it: each part is made when somebody asks."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.graph import Graph
from enpda.problem.problem import Problem, problem_of
from enpda.result.proof import Proof

PARTS = (
    *("problem", "size", "nodes", "index_mapping", "bounds", "upper", "seconds", "stopped", "prices", "trace"),
    *("numerical", "proof", "nodes_upper"),
)
"""What is made when it is asked for."""


class Improvement(NamedTuple):
    """One step of a search's best mapping: when, how large, by which operator, in which stream.

    `mapping`, by number, is what a listener hears; a trace keeps none.
    """

    seconds: float
    size: int
    operator: str
    stream: int
    mapping: dict[int, int] | None = None


class Numerical(NamedTuple):
    """A bound in floating point, rounded outwards, and what HiGHS said about it."""

    value: float
    status: str


class Found:
    """The parts of a match that come from a solution, whose mapping the compiled core has counted again.

    The constructor of `Match` sets all of them, and then nothing here is made.
    """

    a: Graph
    b: Graph
    method: str
    seed: int
    threshold: int
    _found: _core.Solution
    _converted: float
    _traced: bool

    @cached_property
    def problem(self) -> Problem:
        """The graphs as the rules of the match see them."""
        return problem_of(self.a, self.b)

    @cached_property
    def size(self) -> int:
        """Shared edges; with weights, what they weigh."""
        return self._found.score[0]

    @cached_property
    def nodes(self) -> int:
        """Nodes of the mapping."""
        return self._found.score[1]

    @cached_property
    def index_mapping(self) -> dict[int, int]:
        """The mapping by numbers of nodes whatever their names."""
        return self._found.mapping

    @cached_property
    def bounds(self) -> dict[str, int]:
        """Every upper bound that was computed, by name."""
        found = self._found
        proven = {"rlt": found.rlt, "branch": found.branch}
        return {**found.caps, **{name: value for name, value in proven.items() if value >= 0}}

    @cached_property
    def upper(self) -> int:
        """The least of the bounds."""
        return self._found.upper

    @cached_property
    def nodes_upper(self) -> int:
        """A proven bound on the nodes of a mapping with as many edges."""
        most, proven = min(len(self.a), len(self.b), 2 * self.upper), self._found.most_nodes
        return most if proven < 0 else min(most, proven)

    @cached_property
    def seconds(self) -> float:
        """Time spent, set-up included."""
        return self._converted + self._found.seconds

    @cached_property
    def stopped(self) -> Literal["time_limit", "interrupted"] | None:
        """What cut the work short."""
        return "interrupted" if self._found.interrupted else "time_limit" if self._found.time_limit else None

    @cached_property
    def prices(self) -> npt.NDArray[np.float32]:
        """Prices of the first proposal over the nodes of the larger graph."""
        return self._found.prices

    @cached_property
    def trace(self) -> list[Improvement]:
        """How the best mapping grew, if that was asked for."""
        if not self._traced:
            return []
        return [Improvement(seconds, size, by.name, stream) for seconds, size, by, stream in self._found.trace]

    @cached_property
    def numerical(self) -> dict[str, Numerical]:
        """Bounds from HiGHS, by name; they never enter `upper`."""
        return {}

    @cached_property
    def proof(self) -> Proof | None:
        """The witness of the bounds `rlt` and `branch`."""
        return Proof.of(self._found)

    def __getstate__(self) -> dict[str, Any]:
        """Make every part: what the compiled core keeps stays in this process."""
        if "_found" in self.__dict__:
            for name in PARTS:
                getattr(self, name)
        return {name: value for name, value in self.__dict__.items() if name not in ("_found", "_converted", "_traced")}
