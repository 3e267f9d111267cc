"""Families of general graphs, drawn from fixed seeds: the same pairs on every machine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from enpda.graph import Graph

Edges = npt.NDArray[np.int64]
DEGREE = 5.0
"""Mean degree of G(n, p)."""
DENSE = 0.3
"""Edge probability of the dense ones."""
REGULAR, ATTACHED, LOST = 3, 2, 0.2
"""Degree of regular graphs; edges of each node that joins a Barabási-Albert graph; share that planar graphs lost."""


def sparse(rng: np.random.Generator, nodes: int) -> Edges:
    """Return G(n, p) of a fixed mean degree."""
    return _random(rng, nodes, min(DEGREE / nodes, 1.0))


def dense(rng: np.random.Generator, nodes: int) -> Edges:
    """Return G(n, p) of a fixed edge probability."""
    return _random(rng, nodes, DENSE)


def _random(rng: np.random.Generator, nodes: int, probability: float) -> Edges:
    return np.argwhere(np.triu(rng.random((nodes, nodes)) < probability, 1))


def regular(rng: np.random.Generator, nodes: int) -> Edges:
    """Return a regular graph, uniform among all: stubs are paired at random until the graph is simple."""
    stubs = np.repeat(np.arange(nodes + nodes * REGULAR % 2), REGULAR)
    while True:
        edges = np.sort(rng.permutation(stubs).reshape(-1, 2), axis=1)
        if (edges[:, 0] < edges[:, 1]).all() and len(np.unique(edges, axis=0)) == len(edges):
            return edges


def grid(rng: np.random.Generator, nodes: int) -> Edges:
    """Return a rectangular grid of about so many nodes, the height drawn from a few."""
    height = int(rng.integers(2, max(int(nodes**0.5), 2) + 1))
    place = np.arange(height * (nodes // height)).reshape(height, -1)
    along, down = np.stack([place[:, :-1], place[:, 1:]], -1), np.stack([place[:-1], place[1:]], -1)
    return np.concatenate([along.reshape(-1, 2), down.reshape(-1, 2)])


def tree(rng: np.random.Generator, nodes: int) -> Edges:
    """Return a tree: every node is joined to an earlier one."""
    later = np.arange(1, nodes)
    return np.stack([rng.integers(0, later), later], 1)


def planar(rng: np.random.Generator, nodes: int) -> Edges:
    """Return a planar graph: triangles are divided at random by a node inside, then some edges are lost."""
    faces, edges = [(0, 1, 2)], [(0, 1), (0, 2), (1, 2)]
    for v in range(3, nodes):
        x, y, z = faces.pop(int(rng.integers(len(faces))))
        faces += [(x, y, v), (x, z, v), (y, z, v)]
        edges += [(x, v), (y, v), (z, v)]
    return np.array(edges)[rng.random(len(edges)) >= LOST]


def attached(rng: np.random.Generator, nodes: int) -> Edges:
    """Return a Barabási-Albert graph: every node joins others in proportion to their degrees."""
    edges = [(k, ATTACHED) for k in range(ATTACHED)]
    for v in range(ATTACHED + 1, nodes):
        ends = np.array(edges).ravel()
        chosen: set[int] = set()
        while len(chosen) < ATTACHED:
            chosen.add(int(rng.choice(ends)))
        edges += [(u, v) for u in sorted(chosen)]
    return np.array(edges)


FAMILIES: dict[str, Callable[[np.random.Generator, int], Edges]] = {
    "G(n, p), sparse": sparse,
    "G(n, p), dense": dense,
    "regular": regular,
    "grid": grid,
    "tree": tree,
    "planar": planar,
    "Barabási-Albert": attached,
}


def pair(family: str, nodes: int, labels: int, seed: int) -> tuple[Graph, Graph]:
    """Draw two graphs of a family, their node labels evenly from so many."""
    rng = np.random.default_rng([seed, nodes, labels, list(FAMILIES).index(family)])

    def draw() -> Graph:
        edges = FAMILIES[family](rng, nodes)
        return Graph(rng.integers(0, labels, max(nodes, int(edges.max(initial=-1)) + 1)), edges)

    return draw(), draw()
