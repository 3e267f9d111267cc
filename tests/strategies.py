"""Random labelled graphs and real molecules."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from enpda import Graph
from enpda.data import drugs


@st.composite
def graphs(draw, max_nodes: int = 6, node_labels: int = 3, edge_labels: int = 2, min_nodes: int = 0) -> Graph:
    n = draw(st.integers(min_nodes, max_nodes))
    labels = draw(st.lists(st.integers(0, node_labels - 1), min_size=n, max_size=n))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    kinds = draw(st.lists(st.integers(0, edge_labels - 1), min_size=len(edges), max_size=len(edges)))
    return Graph(labels, edges, kinds)


def molecules() -> st.SearchStrategy[Graph]:
    return st.sampled_from(list(drugs().values()))


def random_graph(rng: np.random.Generator, n: int, density: float, node_labels: int, edge_labels: int) -> Graph:
    upper = np.argwhere(np.triu(rng.random((n, n)) < density, 1))
    return Graph(rng.integers(0, node_labels, n), upper, rng.integers(0, edge_labels, len(upper)))


def reordered(graph: Graph, order: np.ndarray) -> Graph:
    """The same graph with node order[k] at place k."""
    place = np.argsort(order)
    return Graph(graph.labels[order], place[graph.edges], graph.edge_labels)
