"""Graphs like molecules of any size, drawn from fixed seeds: rings and chains of mostly carbon, joined as a tree."""

from __future__ import annotations

import numpy as np

from enpda.graph import Graph

ELEMENTS, SHARES = (6, 7, 8, 16), (0.74, 0.1, 0.14, 0.02)
SINGLE, DOUBLE, AROMATIC = 1, 2, 12
"""Labels of edges, as RDKit numbers bonds."""
RINGS = ((6, AROMATIC), (6, SINGLE), (5, AROMATIC), (5, SINGLE))
RING, DOUBLES = 0.5, 0.15
"""How often the next part is a ring and not a chain; how often a bond of a chain is double."""
LONGEST = 4
"""Atoms of a chain."""
NEIGHBOURS = 3
"""The most that an atom has, so that drawn parts find a place."""


def molecular(nodes: int, seed: int) -> Graph:
    """Draw a connected graph of exactly so many nodes: parts are joined to atoms that have a place left."""
    rng = np.random.default_rng([seed, nodes])
    edges: list[tuple[int, int]] = []
    kinds: list[int] = []
    degrees = np.zeros(nodes, dtype=np.int64)
    there = 0

    def join(u: int, v: int, kind: int) -> None:
        edges.append((u, v))
        kinds.append(kind)
        degrees[[u, v]] += 1

    while there < nodes:
        length, kind = RINGS[rng.integers(len(RINGS))]
        ring = rng.random() < RING and length <= nodes - there
        if not ring:
            length = min(int(rng.integers(1, LONGEST + 1)), nodes - there)
        if there:
            join(int(rng.choice(np.flatnonzero(degrees[:there] < NEIGHBOURS))), there, SINGLE)
        for v in range(there + 1, there + length):
            join(v - 1, v, kind if ring else DOUBLE if rng.random() < DOUBLES else SINGLE)
        if ring:
            join(there + length - 1, there, kind)
        there += length
    return Graph(rng.choice(ELEMENTS, nodes, p=SHARES), edges, kinds)
