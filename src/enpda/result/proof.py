"""The witness of the bounds `rlt` and `branch`, as the compiled core recorded it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.problem.problem import Problem

MANY = 2**31 - 1
"""Iterations or nodes without a limit."""


class Stage(NamedTuple):
    """One step of an RLT-1 proof, over a's nodes (rows) and b's nodes (columns).

    Association edges between the cells `a` and `b` (row * columns + column), the share of each that belongs to its
    first end, and the potentials. `pieces` are edges of the first graph (True) or the second, by number, that cannot
    all be preserved, and their price.
    """

    a: npt.NDArray[np.int32]
    b: npt.NDArray[np.int32]
    share: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    column: npt.NDArray[np.int32]
    pieces: list[tuple[bool, list[int], int]]


class Child(NamedTuple):
    """One way to decide a line of a proof's node; -1 for unmatched.

    `node` is the number of its node, -1 while it is open. With `like` it needs none: the automorphism takes it to that
    node of the other graph.
    """

    row: int
    column: int
    node: int
    like: int | None
    automorphism: npt.NDArray[np.int32]


class ProofNode(NamedTuple):
    """One node of a proof: its stages, and its children when its own bound does not close it."""

    stages: tuple[Stage, ...]
    children: tuple[Child, ...]


class Proof:
    """The witness of the bounds `rlt` and `branch`: no mapping with more than `known` edges escapes it.

    The first node is the root, which is all there is without branching. Each stage justifies the association edges that
    the next one lacks: no mapping with more than `known` edges uses them. A large proof has many thousand nodes, so it
    stays in the compiled core until somebody asks for them.
    """

    def __init__(
        self, known: int, nodes: tuple[ProofNode, ...] | None = None, found: _core.Solution | _core.Proven | None = None
    ) -> None:
        self.known, self._nodes, self._found = known, nodes, found

    @classmethod
    def of(cls, found: _core.Solution | _core.Proven) -> Proof | None:
        """Take the proof of what the compiled core found; None when it recorded none."""
        return cls(found.known, found=found) if found.recorded else None

    @property
    def nodes(self) -> tuple[ProofNode, ...]:
        """Its nodes, the root first; children name them by number."""
        if self._nodes is None:
            assert self._found is not None
            self._nodes, self._found = tuple(map(_proof_node, self._found.records)), None
        return self._nodes

    def __reduce__(self) -> tuple[Any, ...]:
        return Proof, (self.known, self.nodes)


def _proof_node(record: _core.Record) -> ProofNode:
    def child(c: _core.Child) -> Child:
        skipped = c.like_row >= 0 and c.like_column >= 0
        like = (c.like_column if c.like_column != c.column else c.like_row) if skipped else None
        return Child(c.row, c.column, c.record, like, c.automorphism)

    return ProofNode(
        tuple(Stage(s.a, s.b, s.share, s.row, s.column, s.pieces) for s in record.stages),
        tuple(map(child, record.children)),
    )


def prove(
    problem: Problem,
    known: int,
    rlt: _core.RltOptions | None = None,
    tree: _core.BranchOptions | None = None,
    *,
    time_limit: float = -1.0,
) -> _core.Proven:
    """Bound what a mapping with more than `known` edges can have.

    By the RLT-1 ascent and, where a tree is given, by branching; without a time limit unless that is at least 0.
    """
    nodes = 0 if tree is None else MANY
    rlt, tree = rlt or _core.RltOptions(), tree or _core.BranchOptions()
    a, b = problem.a.core, problem.b.core
    return _core.prove(a, b, known, rlt, MANY, tree, nodes, time_limit, problem.terms, problem.constraint)


def prove_again(problem: Problem, upper: int, time_limit: float, memory: int | None = None) -> _core.Proven:
    """Derive and record once more that no mapping has more than `upper` edges, however that was found."""
    rlt, tree = _core.RltOptions(), _core.BranchOptions()
    rlt.record, rlt.target = True, upper
    if memory is not None:
        tree.record_memory = memory
    return prove(problem, upper, rlt, tree, time_limit=time_limit)
