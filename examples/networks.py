"""Graphs that are no molecules: a network, and what is left of it."""

import sys
from pathlib import Path

import networkx

import enpda

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
before = networkx.florentine_families_graph()
after = before.copy()
networkx.double_edge_swap(after, nswap=3, seed=1)
after = networkx.relabel_nodes(after, dict(zip(after, reversed(list(after)), strict=True)))

m = enpda.match(before, after)
print(f"{m.size} of {before.number_of_edges()} edges are still there, at most {m.upper}")

m.draw(out / "networks.svg")
