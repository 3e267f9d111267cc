"""What a common part must be besides common: whole rings, connected, fragments not too small and not too many."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from enpda import _core
from enpda.checks import choice, whole
from enpda.clock import FOREVER, Clock
from enpda.errors import InputError, brief
from enpda.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Rings = Literal["none", "aromatic", "all"]
Ring = list[int]
NONE = _core.Constraint()


@dataclass(frozen=True)
class Constraints:
    """Conditions on the common part; they are part of the problem that is searched and proven, not filters afterwards.

    Parameters
    ----------
    rings : {"none", "aromatic", "all"}
        Which bonds are shared with their whole ring only: a ring of the one molecule onto a ring of the other.
        `aromatic`: aromatic bonds in rings, with a ring of aromatic bonds (those in no ring, as a piece of a molecule
        may have them, match each other); `all`: all ring bonds. Rings are those of RDKit's symmetrised smallest set.
    connected : bool
        Whether the common part is one piece.
    max_fragments : int, optional
        Pieces of the common part, at most.
    min_fragment : int
        Nodes of a piece, at least; smaller ones are not counted.
    stereo : bool
        Whether stereocentres and double bonds keep their arrangement wherever both molecules specify it and the
        matched neighbours show it (see `enpda.problem.stereo`).

    Examples
    --------
    >>> import enpda
    >>> a, b = "c1ccccc1CC", "c1ccncc1CC"
    >>> enpda.match(a, b).size, enpda.match(a, b, constraints=enpda.Constraints(rings="aromatic")).size
    (6, 2)
    >>> one_piece = enpda.Constraints(connected=True)
    >>> enpda.match("CCOCC", "CCNCC").size, enpda.match("CCOCC", "CCNCC", constraints=one_piece).size
    (2, 1)
    """

    rings: Rings = "none"
    connected: bool = False
    max_fragments: int | None = None
    min_fragment: int = 0
    stereo: bool = False

    def __post_init__(self) -> None:
        choice("rings", self.rings, ("none", "aromatic", "all"))
        for name in ("connected", "stereo"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be true or false; got {brief(getattr(self, name))}")
        if self.max_fragments is not None:
            whole("max_fragments", self.max_fragments, 1, 2**31 - 1)
        whole("min_fragment", self.min_fragment, 0, 2**31 - 1)
        if self.connected and self.max_fragments not in (None, 1):
            raise InputError(f"connected means one fragment, but max_fragments is {self.max_fragments}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; only what differs from the default."""
        default = Constraints()
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {name: value for name, value in values.items() if value != getattr(default, name)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Constraints:
        """Undo `to_dict`."""
        try:
            return cls(**data)
        except TypeError:
            known = ", ".join(entry.name for entry in fields(cls))
            raise InputError(f"constraints have the keys {known}; got {brief(data)}") from None


def rings_and_marks(graph: Graph, kind: Rings, clock: Clock = FOREVER) -> tuple[list[Ring], list[int]]:
    """Return the rings of a graph that count as a whole, and which of its edges count with them only."""
    return graph.once(("rings", kind), lambda: _found(graph, kind, clock))


def _found(graph: Graph, kind: Rings, clock: Clock) -> tuple[list[Ring], list[int]]:
    from enpda.chem import molecule

    rings = molecule.rings_of(graph, clock)
    marked = {edge for ring in rings for edge in _edges(ring)}
    if kind == "aromatic":
        marked &= set(molecule.aromatic_bonds(graph))
        rings = [ring for ring in rings if marked.issuperset(_edges(ring))]
    return rings, [int(tuple(edge) in marked) for edge in graph.edges.tolist()]


def _edges(ring: Sequence[int]) -> list[tuple[int, int]]:
    return [(min(p, q), max(p, q)) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True)]


def posed(
    a: Graph,
    b: Graph,
    constraints: Constraints,
    worth: np.ndarray[Any, np.dtype[np.int32]] | None,
    clock: Clock = FOREVER,
) -> tuple[Graph, Graph, np.ndarray[Any, np.dtype[np.int32]] | None, _core.Constraint]:
    """Return two graphs with marks in their edge labels, the worths of those, and what the compiled core is told."""
    result = _core.Constraint()
    result.fragments.most = 1 if constraints.connected else constraints.max_fragments or 0
    result.fragments.least = constraints.min_fragment
    if constraints.rings == "none":
        return a, b, worth, result
    rings = result.rings
    rings.rings_a, rings.marked_a = rings_and_marks(a, constraints.rings, clock)
    rings.rings_b, rings.marked_b = rings_and_marks(b, constraints.rings, clock)
    return *_marked(a, b, rings, worth), result


def record(constraint: _core.Constraint) -> dict[str, Any]:
    """Write down a constraint as certificates hold it; `enpda_verify.constraint` reads it."""
    rings, fragments = constraint.rings, constraint.fragments
    return {
        "rings": [rings.rings_a, rings.rings_b],
        "marked": [[e for e, mark in enumerate(marks) if mark] for marks in (rings.marked_a, rings.marked_b)],
        "max_fragments": fragments.most,
        "min_fragment": fragments.least,
    }


def _marked(
    a: Graph, b: Graph, rings: _core.WholeRings, worth: np.ndarray[Any, np.dtype[np.int32]] | None
) -> tuple[Graph, Graph, np.ndarray[Any, np.dtype[np.int32]] | None]:
    """Let labels tell marked edges from others, which never match: twice a label's number, and one for a mark."""
    kinds = np.unique(np.concatenate([a.edge_labels, b.edge_labels]))

    def marked(graph: Graph, marks: list[int]) -> Graph:
        labels = 2 * np.searchsorted(kinds, graph.edge_labels) + np.array(marks, dtype=np.int64)
        return graph.relabelled(graph.labels, labels)

    left, right = marked(a, rings.marked_a), marked(b, rings.marked_b)
    if worth is not None:
        old = [np.searchsorted(kinds, np.unique(g.edge_labels)) for g in (a, b)]
        new = [np.unique(g.edge_labels) for g in (left, right)]
        rows, columns = (np.searchsorted(x, y // 2) for x, y in zip(old, new, strict=True))
        same = (new[0] % 2)[:, None] == (new[1] % 2)[None, :]
        worth = np.ascontiguousarray(worth[np.ix_(rows, columns)] * same, dtype=np.int32)
    return left, right, worth
