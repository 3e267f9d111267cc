"""Which items are near, the slow way, and the clusters that follow."""

from functools import cache

import networkx as nx
import numpy as np
from hypothesis import strategies as st

import enpda
from enpda import Graph
from enpda.data import drugs
from strategies import graphs, reordered

THRESHOLDS = [{"min_similarity": x} for x in (0.2, 0.45, 0.7, 1.0)] + [{"max_distance": x} for x in (0, 2, 5, 40)]


@st.composite
def lists_of_graphs(draw, max_graphs: int = 7) -> list[Graph]:
    """Small graphs, some of them twice with other numbers of their nodes."""
    own = draw(st.lists(graphs(max_nodes=5, node_labels=2, edge_labels=1), max_size=max_graphs))
    again = draw(st.lists(st.sampled_from(own), max_size=3)) if own else []
    copies = [reordered(g, np.array(draw(st.permutations(range(len(g)))), dtype=np.int64)) for g in again]
    return draw(st.permutations([*own, *copies]))


def is_near(a, b, min_similarity=None, max_distance=None, **options) -> bool:
    m = enpda.match(a, b, most_nodes=max_distance is None and "method" not in options, **options)
    return m.similarity >= min_similarity if max_distance is None else m.distance <= max_distance


def near_matrix(items, **asked) -> np.ndarray:
    result = np.zeros((len(items), len(items)), dtype=bool)
    for i in range(len(items)):
        for j in range(i):
            result[i, j] = result[j, i] = is_near(items[j], items[i], **asked)
    return result


def slow_components(near: np.ndarray) -> list[list[int]]:
    graph = nx.from_numpy_array(near)
    return sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part[0]))


def slow_butina(near: np.ndarray) -> list[list[int]]:
    counts = near.sum(axis=0)
    left, result = set(range(len(near))), []
    while left:
        centre = min(left, key=lambda k: (-counts[k], k))
        left.remove(centre)
        others = sorted(k for k in left if near[centre, k])
        left.difference_update(others)
        result.append([centre, *others])
    return sorted(result, key=lambda some: (-len(some), min(some)))


@cache
def some_drugs() -> tuple[Graph, ...]:
    return tuple(list(drugs().values())[:20])


@cache
def drug_rows():
    """Similarities and distances of all pairs of drugs, one `match` each."""
    items = some_drugs()
    found = [[enpda.match(a, b, most_nodes=True) for b in items[k + 1 :]] for k, a in enumerate(items)]
    values = {}
    for name, diagonal in (("similarity", 1.0), ("distance", 0)):
        matrix = np.full((len(items), len(items)), diagonal)
        for i, row in enumerate(found):
            for j, m in enumerate(row, i + 1):
                matrix[i, j] = matrix[j, i] = getattr(m, name)
        values[name] = matrix
    return values


def near_drugs(min_similarity=None, max_distance=None) -> np.ndarray:
    values = drug_rows()
    near = values["similarity"] >= min_similarity if max_distance is None else values["distance"] <= max_distance
    return near & ~np.eye(len(near), dtype=bool)


def without_time(found) -> dict:
    return {**found.to_dict(), "seconds": 0}
