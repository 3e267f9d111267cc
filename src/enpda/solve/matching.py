"""`match`: two graphs in, one checked `Match` out."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.checks import whole
from enpda.clock import Clock, Late
from enpda.errors import InputError, brief, warn
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.constraints import Constraints
from enpda.problem.problem import Problem, problem_of
from enpda.problem.rules import Rules
from enpda.problem.stereo import best, stereo_of
from enpda.result.found import Improvement, Numerical
from enpda.result.match import Match, caps_of
from enpda.result.proof import Proof, prove
from enpda.solve.budget import Budget, Decoder
from enpda.solve.lifted import UNSOLVED, check_size, lifted
from enpda.solve.options import LIFTED, Bound, Method, Options, asked


def match(
    a: Any,
    b: Any,
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    *,
    rounds: int = 4,
    decoder: Decoder | None = None,
    samples: int | None = None,
    budget: Budget | None = None,
    threads: int = 1,
    bound: Bound | None = None,
    min_size: int | None = None,
    min_similarity: float | None = None,
    max_distance: int | None = None,
    policy: str | os.PathLike[str] | None = None,
    rules: Rules | None = None,
    constraints: Constraints | None = None,
    most_nodes: bool = False,
    trace: bool = False,
    on_improve: Callable[[Improvement], object] | None = None,
) -> Match:
    """Find the edges that two graphs share.

    Parameters
    ----------
    a, b : Graph, str, rdkit Mol, or a graph of networkx, rustworkx, igraph or SciPy
        A string is a SMILES.
    method : {"auto", "exact", "analytic", "core", "fast", "solver", "paper-fast", "paper-solver"}
        `exact`: searches, the RLT-1 bound and branch and bound by turns until the mapping is proven optimal or the
        time is up; a few milliseconds on most drug-sized pairs. `auto` (the default): the same, but it ends where a
        proof is out of reach, as on large unlabelled graphs, and `Match.reason` says so. `analytic`: primal-dual rounds
        without a learned policy and one decode, well under a millisecond. `core`: a learned policy and one decode, a
        few milliseconds. `fast` and `solver` search on from the analytic proposal,
        for about 4 ms and about 0.4 s of work on drug-sized pairs; both stop as soon as a bound proves the mapping
        optimal. `paper-fast` and `paper-solver` spend the paper's budgets, from the policy's proposals.
    time_limit : float, optional
        Seconds for everything, set-up included (default 10); None for no limit. A call that is cut short returns
        the best mapping (perhaps an empty one) and bound so far with status `time_limit`, and after Ctrl-C with
        status `interrupted`.
    seed : int
        Seed of all randomness: same build, input, options and seed give the same answer, for any number of threads;
        with threads that branch, the same size and bound, by one of several mappings.
    rounds : int
        Primal-dual rounds (default 4).
    decoder : {"growth", "hungarian"}, optional
        How bids become a first mapping: grown along preserved edges, or by the paper's one projection. Default:
        the method's own, which is `growth` except for the paper's presets.
    samples : int, optional
        Proposals (streams), all but the first with Gumbel noise on their bids. Default: the method's own.
    budget : Budget, optional
        What to spend instead of the method's preset.
    threads : int
        Threads that share the streams (default 1).
    bound : {"caps", "rlt", "branch", "lp", "milp", "mccormick-lp", "mccormick-milp"}, optional
        How hard to bound: `caps` are cheap; `rlt` adds the RLT-1 dual ascent and `branch` branch and bound above it,
        all in integers; the others add the lifted programmes, solved by HiGHS in floating point, which end up in
        `Match.numerical` only. Default: `branch` for `auto` and `exact`, `caps` for the others.
    min_size, min_similarity, max_distance : int, float, int, optional
        Threshold questions: is there a mapping with at least that size or similarity, at most that distance? The call
        ends as soon as the answer is known: with such a mapping, or with status `below_threshold` and a bound that
        excludes one. Smaller mappings are then not told apart, which saves most of the work. A similarity counts
        the nodes of a mapping with the most edges as well: with status `optimal` and a `similarity` below the
        threshold, no mapping with so many edges has nodes enough, unless `nodes_upper` leaves room for them.
    policy : {"default", "paper", "paper-plus", "none"} or path, optional
        What is learned. `default`: a network that shares profit out between copies of association edges, two steps a
        round: it gives an upper bound, bids to decode, and a start for the RLT-1 bound. `paper`: the paper's policy
        of bids and prices, trained as the paper says; `paper-plus`: the same, trained with what works better. Or a
        file that `enpda train` wrote. Unless told otherwise, `core`, `auto` and `exact` use
        the first (the latter two without constraints and thresholds, once a short search has left a gap), the
        paper's presets the second, and the others none, where its time is better spent on search (see
        docs/policy.md).
    rules : Rules, optional
        Which atoms and bonds count as the same, and what a shared bond counts; by default equal labels, and 1.
    constraints : Constraints, optional
        Conditions on the common part: whole rings, connected, size and number of fragments.
    most_nodes : bool
        Whether a proven size is followed by a search for the most nodes that a mapping of this size can have, with
        its own proof (`Match.nodes_upper`). It takes some milliseconds on molecules, and more than the size itself.
    trace : bool
        Whether the result records every improvement in `Match.trace`.
    on_improve : callable, optional
        Called with each `Improvement` and its mapping while the search runs; an exception from it ends the search and
        is raised.

    Returns
    -------
    Match

    Raises
    ------
    InputError
        When a graph or an option cannot be used.

    Examples
    --------
    >>> import enpda
    >>> m = enpda.match("CCO", "CCN")
    >>> m.size, m.mapping
    (1, {0: 0, 1: 1})
    """
    clock = Clock()
    options = asked(
        method,
        time_limit,
        seed,
        rounds,
        decoder,
        samples,
        budget,
        threads,
        bound,
        min_size,
        min_similarity,
        max_distance,
        policy,
        rules,
        constraints,
        most_nodes,
    )
    return match_as(a, b, options, trace, on_improve, clock)


def match_as(
    a: Any,
    b: Any,
    options: Options,
    trace: bool = False,
    on_improve: Callable[[Improvement], object] | None = None,
    clock: Clock | None = None,
) -> Match:
    """Do what `match` does, as options that are already there say; `clock` may have begun before them."""
    clock = clock or Clock()
    if on_improve is not None and not callable(on_improve):
        raise InputError(f"on_improve must be callable; got {brief(on_improve)}")
    clock.limit = options.time_limit
    left, right = as_graph(a), as_graph(b)
    if options.bound in LIFTED:
        check_size(left, right)
    stereo = options.constraints is not None and options.constraints.stereo
    call = _Call(left, right, options, trace, on_improve, clock)
    return _with_stereo(call) if stereo else _solved(call)


class _Call(NamedTuple):
    """One call of `match`, once its graphs are read and its options checked."""

    left: Graph
    right: Graph
    options: Options
    trace: bool
    on_improve: Callable[[Improvement], object] | None
    clock: Clock

    def problem(self) -> Problem:
        """Return the problem that is posed, not yet made."""
        return Problem(self.left, self.right, self.options.rules, self.options.constraints)


def _solved(call: _Call) -> Match:
    """Match without looking at stereo."""
    problem, options, clock, on_improve = call.problem(), call.options, call.clock, call.on_improve
    try:
        problem.pose(clock)
    except Late:
        return late(problem, options, clock)
    listener = None
    if on_improve is not None:

        def listener(
            seconds: float, size: int, operator: _core.Operator, stream: int, image: npt.NDArray[np.int32]
        ) -> None:
            on_improve(Improvement(seconds, size, operator.name, stream, mapping_of(problem.retained(image)[0])))

    core = options.core(problem)
    converted = clock.seconds  # reading a SMILES counts, too
    found = _core.solve(problem.a.core, problem.b.core, core, clock.core, listener)
    return concluded(call.left, call.right, problem, options, found, converted, call.trace)


def late(problem: Problem, options: Options, clock: Clock) -> Match:
    """Answer when the time did not even suffice to pose the problem: no mapping, and the bound that needs no time."""
    left, right = problem.given
    return Match(
        left,
        right,
        {},
        bounds={"edge": min(problem.total)},
        method=options.method,
        seconds=clock.seconds,
        seed=int(options.seed),
        stopped="time_limit",
        threshold=options.question(problem)[0],
        problem=problem,
    )


def concluded(
    left: Graph,
    right: Graph,
    problem: Problem,
    options: Options,
    found: _core.Solution,
    converted: float = 0.0,
    trace: bool = False,
) -> Match:
    """Make a match of what the compiled core found and counted again, after `converted` seconds of preparation."""
    threshold = options.question(problem)[0]
    result = Match.of(
        left, right, found, options.method, int(options.seed), threshold, problem, converted=converted, traced=trace
    )
    if options.bound in LIFTED and not result.optimal and not found.interrupted:
        return _with_lifted(result, options.bound, options.time_limit, int(options.threads))
    return result


def _with_stereo(call: _Call) -> Match:
    """Match without looking at stereo, forbidding what turns something round until nothing does."""
    problem, options, clock = call.problem(), call.options, call.clock
    left, right = call.left, call.right
    try:
        problem.pose(clock)
        sides = stereo_of(left, clock), stereo_of(right, clock)
    except Late:
        return late(problem, options, clock)
    threshold = options.question(problem)[0]
    conditions = replace(problem.constraints or Constraints(), stereo=False)
    everything = np.ones((len(left), len(right)), dtype=np.uint8) if problem.allowed is None else problem.allowed
    plain = replace(
        options,
        constraints=None if conditions == Constraints() else conditions,
        min_size=None,
        min_similarity=None,
        max_distance=None,
        most_nodes=options.most_nodes or (bool(options.min_similarity) and options.goes_on),
    )

    def solve(forbidden: Iterable[tuple[int, int]], limit: float | None) -> Match:
        own = options.rules
        if forbidden:
            allowed = everything.copy()
            for i, j in forbidden:
                allowed[i, j] = 0
            own = replace(own or Rules(), compatible=allowed, pinned={}, forbidden=())
        return _solved(call._replace(options=replace(plain, time_limit=limit, rules=own), clock=Clock(limit)))

    found, first = best(problem, *sides, solve, clock.rest)
    bounds = dict(first.bounds)
    if found.upper < min(bounds.values()):
        bounds["stereo"] = found.upper
    return first.replaced(
        mapping=found.mapping,
        bounds=bounds,
        seconds=clock.seconds,
        stopped=first.stopped or ("time_limit" if found.cut else None),
        threshold=threshold,
        problem=problem,
        nodes_upper=found.nodes_upper,
    )


def certify(
    a: Any,
    b: Any,
    mapping: Mapping[Any, Any],
    *,
    bound: Bound = "branch",
    time_limit: float | None = 10.0,
    seed: int = 0,
    rules: Rules | None = None,
    constraints: Constraints | None = None,
) -> Match:
    """Tell how far from the optimum a mapping from elsewhere can be.

    Parameters
    ----------
    a, b : Graph, str, rdkit Mol, or a graph of networkx, rustworkx, igraph or SciPy
        A string is a SMILES.
    mapping : mapping
        a's node -> b's node, injective, as in `Match.mapping`: by name where a graph names its nodes, else by number.
        Pairs that do not preserve an edge are dropped, those that may not meet at all with an `InputWarning` that names
        them.
    bound : {"caps", "rlt", "branch", "lp", "milp", "mccormick-lp", "mccormick-milp"}
        How hard to bound, as in `match`.
    time_limit : float, optional
        Seconds for the bound (default 10), after the mapping was checked; None for no limit.
    seed : int
        Written into the certificate; nothing here is random.
    rules, constraints : Rules, Constraints, optional
        As in `match`; of the mapping that is kept which the constraints allow.

    Returns
    -------
    Match
        With the given mapping, whether or not a larger one exists.

    Examples
    --------
    >>> import enpda
    >>> m = enpda.certify("CCO", "CCN", {0: 0, 1: 1})
    >>> m.size, m.upper, m.optimal
    (1, 1, True)
    """
    options = Options("auto", time_limit, seed, bound=bound, rules=rules, constraints=constraints)
    left, right = as_graph(a), as_graph(b)
    problem = problem_of(left, right, rules, constraints)
    numbers = _by_number(left, right, mapping)
    kept = _stripped(problem, numbers)
    if apart := [(i, j) for i, j in numbers.items() if not problem.may_meet(i, j)]:
        shown = ", ".join(f"{left.node(i)} -> {right.node(j)}" for i, j in apart[:5]) + (
            ", ..." if len(apart) > 5 else ""
        )
        warn(f"the labels or the rules keep these nodes of the mapping apart, and they are left out: {shown}")
    clock = Clock(time_limit)
    bounds = caps_of(problem, clock.core)
    proof = None
    cut = False
    size = Match(left, right, kept, bounds=bounds, method="certify", problem=problem).size
    if bound != "caps" and size < min(bounds.values()):
        core = options.core(problem)
        proven = prove(problem, size, core.rlt, core.tree if core.branch else None, time_limit=clock.core)
        cut = proven.cut
        if proven.upper >= 0:
            bounds["branch" if core.branch else "rlt"] = proven.upper
            proof = Proof.of(proven)
    result = Match(
        left,
        right,
        kept,
        bounds=bounds,
        method="certify",
        seconds=clock.seconds,
        seed=int(seed),
        stopped="time_limit" if cut else None,
        proof=proof,
        problem=problem,
    )
    return _with_lifted(result, bound, time_limit, 1) if bound in LIFTED and not result.optimal else result


def mapping_of(image: npt.NDArray[np.int32]) -> dict[int, int]:
    """Return an image array (-1: not matched) as a mapping."""
    rows = np.flatnonzero(image >= 0)
    return dict(zip(rows.tolist(), image[rows].tolist(), strict=True))


def _by_number(a: Graph, b: Graph, mapping: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a mapping by numbers of nodes; where a graph names its nodes, names are given."""
    if (a.names is None and b.names is None) or not isinstance(mapping, Mapping):
        return mapping
    left, right = (None if g.names is None else {name: k for k, name in enumerate(g.names)} for g in (a, b))

    def number(names: dict[Hashable, int] | None, node: Any) -> Any:
        if names is None:
            return node
        if not isinstance(node, Hashable) or node not in names:
            raise InputError(f"the mapping speaks of {brief(node)}, which is the name of no node of the graph")
        return names[node]

    return {number(left, i): number(right, j) for i, j in mapping.items()}


def _stripped(problem: Problem, mapping: Mapping[int, int]) -> dict[int, int]:
    """Keep the endpoints of preserved edges (Theorem 2's restriction)."""
    a, b = problem.a, problem.b
    image = np.full(len(a), -1, dtype=np.int32)
    if not isinstance(mapping, Mapping):
        raise InputError(f"a mapping from a's nodes to b's is needed; got {brief(mapping)}")
    for i, j in mapping.items():
        whole("a node of the mapping", i, 0, len(a) - 1)
        whole("an image of the mapping", j, 0, len(b) - 1)
        image[i] = j
    if len(set(mapping.values())) < len(mapping):
        raise InputError("illegal mapping: it uses a target node twice")
    return mapping_of(problem.retained(image)[0])


def _with_lifted(match: Match, bound: str, time_limit: float | None, threads: int) -> Match:
    """Add a bound from HiGHS, and its mapping when that is larger, within what is left of the time."""
    form, integral = LIFTED[bound]
    limit = None if time_limit is None else max(float(time_limit) - match.seconds, 0.0)
    solved = lifted(
        match.a,
        match.b,
        form=form,
        integral=integral,
        mapping=match.index_mapping,
        time_limit=limit,
        threads=threads,
        rules=match.rules,
    )

    result = match.replaced(
        seconds=match.seconds + solved.seconds,
        stopped=match.stopped or ("time_limit" if solved.status == UNSOLVED else None),
        numerical={**match.numerical, bound: Numerical(solved.value, solved.status)},
    )
    if solved.mapping is None:
        return result
    better = result.replaced(mapping=_stripped(match.problem, solved.mapping), nodes_upper=None)
    return better if better.size > match.size else result
