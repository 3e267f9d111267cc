"""The lifted linear and integer programmes of a pair, solved by HiGHS: bounds in floating point, so `numerical`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from enpda import _core
from enpda.checks import choice, whole
from enpda.clock import Clock, Late
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.problem.problem import Problem
from enpda.problem.rules import Rules
from enpda.solve import highs as solver

Form = Literal["aggregated", "mccormick"]

OUTWARD = 1e-8
"""Relative rounding of a numerical bound, outwards."""
MAX_ENTRIES = 50_000_000
"""Programmes with more non-zeros than this (some 2 GB) are refused."""
UNSOLVED = "Time limit reached"
"""HiGHS' own word when it was left no time."""


@dataclass(frozen=True)
class Lifted:
    """What HiGHS said about a pair.

    Attributes
    ----------
    value : float
        Upper bound on the number of shared edges, rounded outwards; valid even when the run was interrupted.
    status : str
        HiGHS' own word for how it ended.
    mapping : dict of int to int, or None
        The best mapping of an integer run.
    seconds : float
        Time spent, building included.
    """

    value: float
    status: str
    mapping: dict[int, int] | None
    seconds: float

    @property
    def upper(self) -> int:
        """Whole edges that the bound allows."""
        return math.floor(self.value)


def lifted(
    a: Graph,
    b: Graph,
    *,
    form: Form = "aggregated",
    integral: bool = False,
    mapping: Mapping[int, int] | None = None,
    time_limit: float | None = 60.0,
    threads: int = 1,
    rules: Rules | None = None,
) -> Lifted:
    """Bound a pair by its lifted programme.

    One variable per candidate and one per edge of the association graph. `mccormick` is the paper's form, three rows
    per association edge; `aggregated` has, per candidate and incident edge on either side, one row that sums the
    association edges using it: far tighter.

    Parameters
    ----------
    a, b : Graph
        The pair.
    form : {"aggregated", "mccormick"}
        Which rows.
    integral : bool
        Whether to solve the integer programme; it ends when no mapping can have one edge more than the best.
    mapping : mapping of int to int, optional
        A known mapping: start and cut-off of an integer run.
    time_limit : float, optional
        Seconds, building included; None for no limit. HiGHS that does not end by then is left behind (`solve.highs`).
    threads : int
        Threads of HiGHS.
    rules : Rules, optional
        As in `match`.

    Returns
    -------
    Lifted

    Examples
    --------
    >>> import enpda
    >>> from enpda.lifted import lifted
    >>> a, b = enpda.Graph.from_smiles("CCO"), enpda.Graph.from_smiles("CCN")
    >>> lifted(a, b).upper
    1
    """
    choice("form", form, get_args(Form))
    whole("threads", threads, 1, 1_024)
    clock = Clock(time_limit)
    problem = Problem(a, b, rules, None)
    try:
        problem.pose(clock)
        value, status, found = _solved(problem, form, integral, mapping, threads, clock)
    except Late:
        known = 0 if mapping is None else _size(problem, mapping)
        value, status, found = max(_trivial(problem), float(known)), UNSOLVED, None
    return Lifted(value, status, found, clock.seconds)


def check_size(a: Graph, b: Graph) -> None:
    """Refuse a pair whose programme would be far too large, before anything is done about it."""
    estimate = 14 * a.size * b.size
    if estimate > 20 * MAX_ENTRIES:
        raise InputError(f"the programme may have {estimate:,} entries; at most {MAX_ENTRIES:,} are accepted")


def _trivial(problem: Problem) -> float:
    return float(min(problem.total))


def _solved(
    problem: Problem, form: Form, integral: bool, mapping: Mapping[int, int] | None, threads: int, clock: Clock
) -> tuple[float, str, dict[int, int] | None]:
    """Return value, status and mapping; raises `Late` when there is no time for HiGHS."""
    a, b = problem.a, problem.b
    check_size(a, b)
    programme = _core.lift(a.core, b.core, getattr(_core.Lifting, form), MAX_ENTRIES, clock.core, problem.terms)
    if programme is None:
        raise Late
    candidates, ends, worth, start, index, value, upper = programme
    ends = ends.reshape(-1, 2)
    if len(ends) == 0:
        return 0.0, "Empty", {}
    # Passing the model takes a sixth of what HiGHS takes at least: not begun, unless something can come of it.
    clock.need(2 * solver.SECONDS_PER_ENTRY * len(index))
    count = len(candidates) + len(ends)
    objective = np.zeros(count)
    objective[len(candidates) :] = worth

    highs = _model(objective, start, index, value, upper, integral)
    image = None if mapping is None else np.array([mapping.get(i, -1) for i in range(len(a))])
    if integral:
        # The objective is whole, so a bound less than one above the best mapping is as good as equality.
        highs.setOptionValue("mip_abs_gap", 1.0 - 1e-6)
        highs.setOptionValue("mip_rel_gap", 0.0)
        if image is not None:
            _start(highs, image, candidates, ends, len(b))
    highs.setOptionValue("threads", threads)
    run = solver.run(highs, len(index), clock)
    status, found, bound = UNSOLVED, None, run.dual_bound
    if run.ended:
        status = highs.modelStatusToString(highs.getModelStatus())
        if integral:
            bound = highs.getInfo().mip_dual_bound
            if highs.getInfo().primal_solution_status == 2:  # feasible
                chosen = np.asarray(highs.getSolution().col_value[: len(candidates)]) > 0.5
                cells = candidates[chosen]
                found = dict(zip((cells // len(b)).tolist(), (cells % len(b)).tolist(), strict=True))
        else:
            bound = _weak_duality(np.asarray(highs.getSolution().row_dual), objective, start, index, value, upper)
    elif not integral:
        bound = math.inf
    trivial = _trivial(problem)
    if not math.isfinite(bound):
        bound = trivial
    # HiGHS counts to its tolerance only: a bound cannot be below a mapping that exists.
    sizes = [_size(problem, known) for known in (mapping, found) if known is not None]
    return max(min(_outwards(bound), trivial), *map(float, sizes), 0.0), status, found


def _size(problem: Problem, mapping: Mapping[int, int]) -> int:
    image = np.array([mapping.get(i, -1) for i in range(len(problem.a))], dtype=np.int32)
    a, b = problem.a.core, problem.b.core
    return _core.check(a, b, _core.strip(a, b, image, problem.terms), problem.terms)[0]


def _model(objective: Any, start: Any, index: Any, value: Any, upper: Any, integral: bool) -> Any:
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(objective), len(upper)
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = objective
    lp.col_lower_, lp.col_upper_ = np.zeros(len(objective)), np.ones(len(objective))
    lp.row_lower_, lp.row_upper_ = np.full(len(upper), -highspy.kHighsInf), upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = start, index, value
    if integral:
        # Edge variables too: HiGHS then knows that the objective is whole.
        lp.integrality_ = [highspy.HighsVarType.kInteger] * len(objective)
    highs = highspy.Highs()
    highs.silent()
    highs.passModel(lp)
    return highs


def _start(highs: Any, image: Any, candidates: Any, ends: Any, m: int) -> None:
    """Hand HiGHS a known mapping."""
    import highspy

    chosen = (image[candidates // m] == candidates % m).astype(float)
    solution = highspy.HighsSolution()
    solution.col_value = np.concatenate([chosen, chosen[ends[:, 0]] * chosen[ends[:, 1]]]).tolist()
    # HiGHS takes the start's objective for its cut-off; giving it once more as `objective_bound` changed nothing.
    highs.setSolution(solution)


def _weak_duality(duals: Any, objective: Any, start: Any, index: Any, value: Any, upper: Any) -> float:
    """Bound from any row duals, optimal or not: their cost, plus what every variable in [0, 1] still gains."""
    if len(duals) != len(upper):
        return math.inf
    duals = np.maximum(duals, 0.0)
    rows = np.repeat(np.arange(len(upper)), np.diff(start))
    used = np.bincount(index, weights=value * duals[rows], minlength=len(objective))
    return float(duals @ upper + np.maximum(objective - used, 0.0).sum())


def _outwards(bound: float) -> float:
    return math.nextafter(bound + OUTWARD * max(1.0, abs(bound)), math.inf)
