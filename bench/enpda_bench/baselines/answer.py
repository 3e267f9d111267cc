"""What a baseline gives back: a mapping, counted anew in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from enpda.errors import InputError
from enpda.graph import Graph
from enpda.result.match import Match


@dataclass(frozen=True)
class Answer:
    """The number of shared edges, whether the program calls that proven, the seconds it took.

    `image` maps the first graph's nodes, -1 for none, where a program says which; `failure` says why there is no
    answer; `match` is our own method's.
    """

    size: int
    proven: bool
    seconds: float
    match: Match | None = None
    image: npt.NDArray[np.int32] | None = None
    failure: str = ""


class Baseline(Protocol):
    """A program; those with randomness also take `seed`."""

    def __call__(self, a: Graph, b: Graph, seconds: float) -> Answer:
        """Run once, for about so many seconds at most."""


def answered(
    a: Graph, b: Graph, image: npt.ArrayLike | Mapping[int, int], proven: bool, seconds: float, failure: str = ""
) -> Answer:
    """Return the answer that a mapping is, counted by the definition: nothing that a program says of itself counts.

    Parameters
    ----------
    a, b : Graph
        The pair.
    image : array or mapping
        Of a's nodes; -1 or no entry for none. Pairs that preserve no edge are dropped.
    proven : bool
        Whether the program calls it the most edges possible.
    seconds : float
        What it took.
    failure : str
        What went wrong, where a mapping came out nevertheless.
    """
    if isinstance(image, Mapping):
        full = np.full(len(a), -1, dtype=np.int32)
        for i, j in image.items():
            full[i] = j
    else:
        full = np.asarray(image, dtype=np.int32)
    used = full[full >= 0]
    if len(full) != len(a) or len(np.unique(used)) != len(used) or (used >= len(b)).any():
        return Answer(0, False, seconds, failure="the program's mapping is not an injection")
    there = {frozenset(edge): label for edge, label in zip(b.edges.tolist(), b.edge_labels.tolist(), strict=True)}
    alike = [j >= 0 and a.labels[i] == b.labels[j] for i, j in enumerate(full)]
    kept = np.full(len(a), -1, dtype=np.int32)
    size = 0
    for (u, v), label in zip(a.edges.tolist(), a.edge_labels.tolist(), strict=True):
        if alike[u] and alike[v] and there.get(frozenset((int(full[u]), int(full[v])))) == label:
            size += 1
            kept[u], kept[v] = full[u], full[v]
    return Answer(size, proven, seconds, image=kept, failure=failure)


def shared_classes(*graphs: Graph) -> tuple[dict[int, int], dict[int, int]]:
    """Give the node labels and the edge labels of some graphs numbers from 0, alike in all."""
    nodes = sorted({label for graph in graphs for label in graph.labels.tolist()})
    edges = sorted({label for graph in graphs for label in graph.edge_labels.tolist()})
    return {label: k for k, label in enumerate(nodes)}, {label: k for k, label in enumerate(edges)}


def at_most(what: str, count: int, most: int) -> None:
    """Raise InputError when a program cannot take so many."""
    if count > most:
        raise InputError(f"takes at most {most:,} {what}; the pair has {count:,}")
