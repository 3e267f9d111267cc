"""What `match` can be told: validated in one place, and translated for the compiled core."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from enpda import _core
from enpda.checks import choice, real, whole
from enpda.errors import InputError, brief
from enpda.problem.constraints import Constraints
from enpda.problem.problem import Problem
from enpda.problem.rules import Rules
from enpda.problem.thresholds import least_size, least_total
from enpda.result.reasons import AUTO_CELLS, AUTO_GAP
from enpda.solve.budget import PRESETS, SHORT, Budget, Decoder
from enpda.solve.lifted import Form
from enpda.solve.policy import NONE, Learned, load, steps_of

Method = Literal["auto", "exact", "analytic", "core", "fast", "solver", "paper-fast", "paper-solver"]

MAX_ROUNDS = 10_000
MAX_SAMPLES = 100_000
MAX_THREADS = 1_024
ENDLESS = 2**31 - 1
TURN, TURN_SHARE = 30_000_000, 3_000_000
"""What the bounds of `auto` and `exact` may do before the last search: about a second's work, or, where that is less,
so much for each second of the time limit, an eighth of it or so."""

Bound = Literal["caps", "rlt", "branch", "lp", "milp", "mccormick-lp", "mccormick-milp"]
LIFTED: dict[str, tuple[Form, bool]] = {
    "lp": ("aggregated", False),
    "milp": ("aggregated", True),
    "mccormick-lp": ("mccormick", False),
    "mccormick-milp": ("mccormick", True),
}
"""Numerical bounds: form of the lifted programme, and whether it is integral."""


@dataclass(frozen=True)
class Options:
    """Everything `match` can be told, validated in one place; see `match` for the meaning."""

    method: Method = "auto"
    time_limit: float | None = 10.0
    seed: int = 0
    rounds: int = 4
    decoder: Decoder | None = None
    samples: int | None = None
    budget: Budget | None = None
    threads: int = 1
    bound: Bound | None = None
    min_size: int | None = None
    min_similarity: float | None = None
    max_distance: int | None = None
    policy: str | os.PathLike[str] | None = None
    rules: Rules | None = None
    constraints: Constraints | None = None
    most_nodes: bool = False

    def __post_init__(self) -> None:
        choice("method", self.method, get_args(Method))
        whole("rounds", self.rounds, 0, MAX_ROUNDS)
        whole("seed", self.seed, 0, 2**64 - 1)
        whole("threads", self.threads, 1, MAX_THREADS)
        if self.min_size is not None:
            whole("min_size", self.min_size, 0, 2**31 - 1)
        if self.min_similarity is not None:
            real("min_similarity", self.min_similarity, 0, 1)
        if self.max_distance is not None:
            whole("max_distance", self.max_distance, 0, 2**31 - 1)
        if self.rules is not None and not isinstance(self.rules, Rules):
            raise InputError(f"rules must be enpda.Rules; got {brief(self.rules)}")
        if self.constraints is not None and not isinstance(self.constraints, Constraints):
            raise InputError(f"constraints must be enpda.Constraints; got {brief(self.constraints)}")
        if self.constraints is not None and self.bound in LIFTED:
            raise InputError(f"bound {self.bound!r} knows no constraints; use 'branch'")
        if self.most_nodes and not self.goes_on:
            raise InputError(
                f"most_nodes goes on from a proven size; use method 'auto' or 'exact', not {self.method!r}, or a bound"
            )
        if self.policy is not None and self.method == "analytic":
            raise InputError("method 'analytic' is the one without a policy; use method 'core' for a proposal with one")
        if self.bound is not None:
            choice("bound", self.bound, get_args(Bound))
        if self.decoder is not None:
            choice("decoder", self.decoder, get_args(Decoder))
        if self.samples is not None:
            whole("samples", self.samples, 1, MAX_SAMPLES)
        if self.budget is not None and not isinstance(self.budget, Budget):
            raise InputError(f"budget must be an enpda.Budget; got {brief(self.budget)}")
        limit = self.time_limit
        if limit is not None and (
            isinstance(limit, bool)
            or not isinstance(limit, (int, float, np.number))
            or not limit > 0
            or (isinstance(limit, int) and limit > 2**63)  # a float has no room for all of them
        ):
            raise InputError(f"time_limit must be seconds above 0, or None for no limit; got {brief(limit)}")

    @property
    def asks(self) -> bool:
        """Whether there is a threshold question."""
        return self.min_size is not None or self.min_similarity is not None or self.max_distance is not None

    def chosen_policy(self, unconstrained: bool = True) -> str | os.PathLike[str] | None:
        """Return name or file of the policy that takes part: the caller's, or the method's own.

        `auto` and `exact` have one where it was seen to save time, which is without constraints and questions.
        """
        policy = self.policy
        if policy is None:
            proving = self.method in ("auto", "exact") and self.budget is None and unconstrained and not self.asks
            policy = "paper" if self.method.startswith("paper") else "default" if self.method == "core" else None
            policy = "default" if proving else policy
        return None if policy == NONE else policy

    @property
    def goes_on(self) -> bool:
        """Whether a size may be proven, after which nodes can be asked for."""
        return self.bound is not None or self.method in ("auto", "exact")

    def searches(self) -> list[Budget]:
        """Return the budgets that the method stands for, one after the other.

        The caller's own budget, decoder and number of samples replace those of every preset.
        """
        if self.budget is not None:
            budgets = [self.budget]
        elif self.method in ("auto", "exact"):
            budgets = [SHORT, PRESETS["fast"], PRESETS["solver"]]
        else:
            budgets = [PRESETS[self.method]]
        if self.samples is not None:
            budgets = [budget.with_streams(self.samples) for budget in budgets]
        return budgets if self.decoder is None else [replace(budget, decoder=self.decoder) for budget in budgets]

    def question(self, problem: Problem) -> tuple[int, int]:
        """Return the threshold as edges, and edges and nodes together, that a mapping needs at least; 0 without one."""
        if not self.asks:
            return 0, 0
        edges, total = self.min_size or 0, 0
        if self.max_distance is not None:
            edges = max(edges, -((self.max_distance - sum(problem.total)) // 2))
        if self.min_similarity:
            if problem.weighted:
                raise InputError("min_similarity counts edges and cannot be asked with weights; use max_distance")
            total = least_total(*problem.given, self.min_similarity)
            edges = max(edges, least_size(*problem.seen, total))
        return int(max(edges, 0)), int(total)

    def core(self, problem: Problem) -> _core.SolveOptions:
        """Return the compiled core's view of these options, for one problem."""
        return self._kept(problem.constraint.none).posed(problem.terms, problem.constraint, *self.question(problem))

    def work(self, unconstrained: bool = True) -> _core.SolveOptions:
        """Return what the compiled core shall do about any pair."""
        return self._kept(unconstrained).posed()

    def _kept(self, unconstrained: bool) -> _core.SolveOptions:
        """Return the same, to be copied and not to be changed: made once, and anew when a policy's file has changed."""
        chosen = self.chosen_policy(unconstrained)
        key = unconstrained, None if chosen is None else load(chosen)
        last = self.__dict__.get("_last")
        if last is None or last[0] != key:
            last = self.__dict__["_last"] = key, self._made(unconstrained, chosen, key[1])
        made: _core.SolveOptions = last[1]
        return made

    def _made(
        self, unconstrained: bool, chosen: str | os.PathLike[str] | None, learned: Learned | None
    ) -> _core.SolveOptions:
        options = _core.SolveOptions()
        proving = self.method in ("auto", "exact")
        bound = self.bound or ("branch" if proving else "caps")
        options.bound, options.branch = bound != "caps", bound == "branch"
        policy = None
        if chosen is not None and isinstance(learned, _core.ShareNetwork):
            purpose = "proposal" if self.method == "core" else "proof"
            options.rlt.network = learned
            options.rlt.learned_steps = steps_of(chosen, purpose, int(self.rounds))
            if bound == "caps":
                options.bound, options.most_iterations = True, 0
            # Otherwise easy pairs are closed before the network is asked.
            options.propose_first = self.policy is not None or not proving
        elif isinstance(learned, _core.Policy):
            policy = learned
        options.searches = [
            budget.options(int(self.rounds), int(self.seed), int(self.threads), policy) for budget in self.searches()
        ]
        options.rlt.record = True
        options.most_nodes = bool(self.most_nodes)
        if proving and options.branch:
            # By turns in work, not in time, so that the answer depends on neither machine nor load.
            limit = ENDLESS if self.time_limit is None else float(self.time_limit)
            options.turn = max(int(min(TURN, TURN_SHARE * limit)), 1)
        if self.method == "exact":
            options.fill_work, options.search_on = ENDLESS, True
        options.tree.threads = int(self.threads)
        if self.method == "auto" and self.bound is None and unconstrained:
            options.most_gap = AUTO_GAP
        if self.method == "auto" and self.budget is None:
            options.last_cells = AUTO_CELLS
        return options

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_last"}


def asked(*values: Any) -> Options:
    """Return options of these values, in the order of the fields; those of an earlier call where they are the same."""
    if any(values[place] is not None for place in OBJECTS):
        return Options(*values)
    try:
        return _same(*values)
    except TypeError:  # a value that cannot be compared, and is refused in words
        return Options(*values)


@lru_cache(maxsize=64, typed=True)  # 1, 1.0 and True are equal, but not all of them are accepted
def _same(*values: Any) -> Options:
    return Options(*values)


OBJECTS = [place for place, entry in enumerate(fields(Options)) if entry.name in ("budget", "rules", "constraints")]
"""Places of what is not told by its value: a match shows those rules that it was given, not others like them."""
