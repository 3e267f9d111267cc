"""All optima of a pair, distinct up to the automorphisms of the two graphs, or as sets of shared edges."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from enpda import _core
from enpda.checks import choice, whole
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.constraints import Constraints
from enpda.problem.problem import Problem
from enpda.problem.rules import Rules
from enpda.result.match import Match
from enpda.solve.matching import match

MAX_OPTIMA = 1_000_000
Distinct = Literal["symmetry", "edges"]


class Optima(list[Match]):
    """A list of matches of equal, optimal size; `complete` says whether there is no other."""

    complete: bool = False


def enumerate_optima(
    a: Any,
    b: Any,
    limit: int = 100,
    time_limit: float | None = 10.0,
    *,
    seed: int = 0,
    threads: int = 1,
    rules: Rules | None = None,
    constraints: Constraints | None = None,
    distinct: Distinct = "symmetry",
) -> Optima:
    """List the common parts with the most edges, each once.

    Parameters
    ----------
    a, b : Graph, str, rdkit Mol, or a graph of networkx, rustworkx, igraph or SciPy
        A string is a SMILES.
    limit : int
        Mappings to look at, at most (default 100); by symmetry, fewer may be left when some turn out to be alike.
    time_limit : float, optional
        Seconds (default 10); None for no limit.
    seed, threads : int
        As in `match`, for the proof of the optimum.
    rules, constraints : Rules, Constraints, optional
        As in `match`.
    distinct : {"symmetry", "edges"}
        When two mappings count as one. `symmetry` (the default): when automorphisms of the two graphs, as the rules see
        them, turn one into the other and leave alone who may match whom. `edges`: only when they share the same edges,
        each with the same edge of the other graph; so a lone bond counts once, whichever way round it lies.

    Returns
    -------
    Optima
        A list of `Match`; `complete` is True when the optimum is proven and every optimum is in the list.

    Examples
    --------
    >>> import enpda
    >>> found = enpda.enumerate_optima("CCCCCC", "CCCC")  # at the end of the chain, or in its middle
    >>> len(found), found.complete
    (2, True)
    >>> len(enpda.enumerate_optima("CCCCCC", "CCCC", distinct="edges"))  # three places, and two ways round
    6
    """
    choice("distinct", distinct, get_args(Distinct))
    whole("limit", limit, 1, MAX_OPTIMA)
    begin = time.perf_counter()
    left, right = as_graph(a), as_graph(b)
    best = match(left, right, "exact", time_limit, seed, threads=threads, rules=rules, constraints=constraints)
    seen = best.problem
    if not best.optimal:
        return Optima([best])
    used = time.perf_counter() - begin
    rest = -1.0 if time_limit is None else max(float(time_limit) - used, 0.0)
    images, complete = _core.enumerate_optima(
        seen.a.core, seen.b.core, best.size, int(limit), rest, seen.terms, seen.constraint, distinct == "edges"
    )
    mappings = [{i: j for i, j in enumerate(image) if j >= 0} for image in images]
    if distinct == "symmetry":
        mappings = _unlike(seen, mappings)
    found = [
        best.replaced(mapping=mapping, seconds=time.perf_counter() - begin, stopped=None, trace=(), prices=None)
        for mapping in mappings
    ]
    if any(m.size != best.size for m in found) or (complete and not found):
        raise RuntimeError(f"enumeration contradicts the optimum {best.size}: {found}")
    result = Optima(sorted(found, key=lambda m: (-m.nodes, list(m.index_mapping.items()))) or [best])
    result.complete = bool(complete)
    return result


def _unlike(problem: Problem, mappings: list[dict[int, int]]) -> list[dict[int, int]]:
    """Return one of several mappings that automorphisms turn into each other."""
    kinds: dict[int, list[tuple[Graph, dict[int, int]]]] = {}
    joined = _joined(problem)
    for mapping in mappings:
        picture = joined(mapping)
        alike = kinds.setdefault(picture.invariant_hash, [])
        if not any(picture.same_as(other) for other, _ in alike):
            alike.append((picture, mapping))
    return [mapping for alike in kinds.values() for _, mapping in alike]


def _joined(problem: Problem) -> Callable[[dict[int, int]], Graph]:
    """Return what draws both graphs side by side, joined by a mapping: alike mappings give isomorphic graphs only.

    Labels are numbered anew, so that the two graphs and the joining edges cannot be mistaken for each other. Nodes that
    the rules keep apart in spite of equal labels are joined by edges of another kind.
    """
    a, b = problem.a, problem.b
    nodes = np.unique(np.concatenate([a.labels, b.labels]))
    kinds = np.unique(np.concatenate([a.edge_labels, b.edge_labels]))
    apart = problem.apart + np.array([0, len(a)])
    labels = np.concatenate([2 * np.searchsorted(nodes, a.labels), 2 * np.searchsorted(nodes, b.labels) + 1])
    edges = np.concatenate([a.edges, b.edges + len(a), apart])
    edge_labels = np.searchsorted(kinds, np.concatenate([a.edge_labels, b.edge_labels]))
    edge_labels = np.concatenate([edge_labels, np.full(len(apart), len(kinds))])

    def picture(mapping: dict[int, int]) -> Graph:
        joins = np.array([(i, j + len(a)) for i, j in mapping.items()], dtype=np.int64).reshape(-1, 2)
        new = np.full(len(joins), len(kinds) + 1)
        return Graph(labels, np.concatenate([edges, joins]), np.concatenate([edge_labels, new]))

    return picture
