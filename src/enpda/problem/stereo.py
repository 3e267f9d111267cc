"""Stereochemistry: which mappings turn a stereocentre or a double bond round, and the best mapping that does not.

A mapping shows the arrangement of a stereocentre when it keeps at least three of its neighbours, and that of a double
bond when it keeps a neighbour at either end. What both molecules specify must then agree; what one of them leaves open,
or what the common part does not show, matches anything.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from enpda import _core
from enpda.clock import FOREVER, Clock
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.problem.problem import Image, Problem

if TYPE_CHECKING:
    from enpda.result.match import Match

Cell = tuple[int, int]


@dataclass(frozen=True)
class Stereo:
    """What a molecule says about its arrangement.

    Attributes
    ----------
    centres : mapping of int to (tuple of int, bool)
        Stereocentre -> its neighbours in order (-1 for a hydrogen that is no node), and whether they go clockwise.
    bonds : mapping of (int, int) to (int, int, bool)
        Double bond, smaller end first -> a neighbour at either end, and whether the two are on one side.
    """

    centres: Mapping[int, tuple[tuple[int, ...], bool]]
    bonds: Mapping[Cell, tuple[int, int, bool]]


SECONDS_PER_ATOM = 3e-5
"""What RDKit takes to read the arrangement of an atom."""


def stereo_of(graph: Graph, clock: Clock = FOREVER) -> Stereo:
    """Return the stereochemistry of a molecule; raises `Late` when the clock leaves too little time."""
    return graph.once("stereo", lambda: _read(graph, clock))


def _read(graph: Graph, clock: Clock) -> Stereo:
    from rdkit import Chem, rdBase

    given = graph.look()
    if given is None:
        raise InputError(f"stereo is that of a molecule; {graph!r} is none")
    clock.need(SECONDS_PER_ATOM * len(graph))
    with rdBase.BlockLogs():
        own = Chem.Mol(given)
        Chem.AssignStereochemistry(own, cleanIt=True, force=True)  # marks that mean nothing are dropped
        mol = Chem.AddHs(own)  # a hydrogen takes its place among the neighbours
    nodes = len(graph)
    tags = {Chem.ChiralType.CHI_TETRAHEDRAL_CW: True, Chem.ChiralType.CHI_TETRAHEDRAL_CCW: False}
    centres = {}
    for atom in list(mol.GetAtoms())[:nodes]:
        if atom.GetChiralTag() in tags:
            around = [bond.GetOtherAtomIdx(atom.GetIdx()) for bond in atom.GetBonds()]
            if sum(v >= nodes for v in around) < 2:
                named = tuple(v if v < nodes else -1 for v in around)
                centres[atom.GetIdx()] = named, tags[atom.GetChiralTag()]
    same = {Chem.BondStereo.STEREOZ, Chem.BondStereo.STEREOCIS}
    other = {Chem.BondStereo.STEREOE, Chem.BondStereo.STEREOTRANS}
    bonds = {}
    for bond in own.GetBonds():
        near = list(bond.GetStereoAtoms())
        if bond.GetStereo() in same | other and len(near) == 2:
            i, k = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
            x, y = near if i < k else near[::-1]
            bonds[min(i, k), max(i, k)] = x, y, bond.GetStereo() in same
    return Stereo(centres, bonds)


def turned(problem: Problem, left: Stereo, right: Stereo, mapping: Mapping[int, int]) -> list[list[Cell]]:
    """Return what a mapping turns round: for each such place the matched nodes that show it."""
    image = _image(problem, mapping)
    kept = problem.a.edges[_core.preserved_edges(problem.a.core, problem.b.core, image, problem.terms)].tolist()
    near: dict[int, list[int]] = {}
    for u, v in kept:
        near.setdefault(u, []).append(v)
        near.setdefault(v, []).append(u)
    found = []
    for i, (around, clockwise) in left.centres.items():
        if i not in mapping or mapping[i] not in right.centres:
            continue
        other, other_clockwise = right.centres[mapping[i]]
        shown = near.get(i, [])
        if len(shown) < 3 or len(around) != len(other):
            continue
        order = _order(around, other, {v: mapping[v] for v in shown})
        if (clockwise == other_clockwise) != (_swaps(order) % 2 == 0):
            found.append([(v, mapping[v]) for v in (i, *shown)])
    for (i, k), (x, y, together) in left.bonds.items():
        if i not in mapping or k not in mapping or k not in near.get(i, []):
            continue
        j, other_end = mapping[i], mapping[k]
        known = right.bonds.get((min(j, other_end), max(j, other_end)))
        shown_i, shown_k = ([v for v in near[p] if v != q] for p, q in ((i, k), (k, i)))
        if known is None or not shown_i or not shown_k:
            continue
        p, q = shown_i[0], shown_k[0]
        s, t, other_together = known if j < other_end else (known[1], known[0], known[2])
        here = together ^ (p != x) ^ (q != y)
        there = other_together ^ (mapping[p] != s) ^ (mapping[q] != t)
        if here != there:
            found.append([(v, mapping[v]) for v in (i, k, p, q)])
    return found


def _image(problem: Problem, mapping: Mapping[int, int]) -> Image:
    return np.array([mapping.get(i, -1) for i in range(len(problem.a))], dtype=np.int32)


def _order(around: tuple[int, ...], other: tuple[int, ...], images: Mapping[int, int]) -> list[int]:
    """Return where each neighbour goes; the one that is not shared goes where none of the others goes."""
    places = [other.index(images[v]) if v in images else -1 for v in around]
    rest = [k for k in range(len(other)) if k not in places]
    return [k if k >= 0 else rest.pop() for k in places]


def _swaps(order: list[int]) -> int:
    return sum(p > q for p, q in itertools.combinations(order, 2))


@dataclass(frozen=True)
class Outcome:
    """The best mapping that turns nothing round, bounds on all such mappings, and whether time ran out.

    No mapping that has as many edges and turns nothing round has more than `nodes_upper` nodes.
    """

    mapping: dict[int, int]
    upper: int
    nodes_upper: int
    cut: bool


def best(
    problem: Problem,
    left: Stereo,
    right: Stereo,
    solve: Callable[[Iterable[Cell], float | None], Match],
    time_limit: float | None,
) -> tuple[Outcome, Match]:
    """Find the best mapping that turns nothing round, by branch and bound over what may not be matched.

    `solve` finds the best mapping without looking at stereo when some cells are forbidden. If that turns a place round,
    a mapping that does not must do without one of the matched nodes that show it.

    Returns
    -------
    Outcome, Match
        The match is that of the first call, without any forbidden cell.
    """
    deadline = None if time_limit is None else time.perf_counter() + time_limit

    def rest() -> float | None:
        return None if deadline is None else max(deadline - time.perf_counter(), 1e-3)

    def legal(mapping: dict[int, int]) -> tuple[dict[int, int], int]:
        """Leave out nodes until nothing is turned round."""
        while places := turned(problem, left, right, mapping):
            image = _image(problem, mapping)
            image[places[0][0][0]] = -1
            mapping = {i: j for i, j in enumerate(problem.retained(image)[0].tolist()) if j >= 0}
        return mapping, problem.retained(_image(problem, mapping))[2]

    found: dict[int, int] = {}
    size = 0

    def tried(match: Match) -> Match:
        """Keep what is legal of a mapping when it is better: more edges or, with as many, more nodes."""
        nonlocal found, size
        mapping, own = legal(match.index_mapping)
        if (own, len(mapping)) > (size, len(found)):
            found, size = mapping, own
        return match

    first = tried(solve((), rest()))
    numbers = itertools.count()
    open_nodes: list[tuple[int, int, frozenset[Cell], Match]] = [(-first.upper, next(numbers), frozenset(), first)]
    seen = {frozenset[Cell]()}
    ends: list[Match] = []  # nodes without children: together they hold all mappings that turn nothing round
    cut = first.stopped is not None
    while open_nodes and -open_nodes[0][0] > size:
        if deadline is not None and time.perf_counter() >= deadline:
            cut = True
            break
        bound, _, forbidden, match = heapq.heappop(open_nodes)
        places = turned(problem, left, right, match.index_mapping)
        if not places:
            if match.optimal:
                ends.append(match)
                continue  # its own mapping is the best there is
            heapq.heappush(open_nodes, (bound, next(numbers), forbidden, match))
            cut = cut or match.stopped is not None
            break
        for cell in min(places, key=len):
            child = forbidden | {cell}
            if child in seen:
                continue
            seen.add(child)
            below = tried(solve(child, rest()))
            if below.stopped == "interrupted":
                heapq.heappush(open_nodes, (bound, next(numbers), forbidden, match))
                return Outcome(found, max(size, -open_nodes[0][0]), len(problem.a), True), first
            upper = min(below.upper, -bound)
            if upper > size:
                heapq.heappush(open_nodes, (-upper, next(numbers), child, below))
            else:
                ends.append(below)
    upper = max([size, *(-node[0] for node in open_nodes)])
    if upper > size:
        return Outcome(found, upper, len(problem.a), cut), first
    ends += [node[3] for node in open_nodes]
    nodes_upper = max((end.nodes_upper for end in ends if end.upper >= size), default=len(found))
    return Outcome(found, upper, nodes_upper, cut), first


def check(problem: Problem, a: Graph, b: Graph, mapping: Mapping[int, int]) -> None:
    """Refuse a mapping that turns something round."""
    places = turned(problem, stereo_of(a), stereo_of(b), mapping)
    if places:
        raise InputError(f"illegal mapping: it turns the arrangement at node {places[0][0][0]} round")
