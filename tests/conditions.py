"""Terms, constraints and rules on a pair, small enough for brute force to judge."""

import networkx as nx
import numpy as np

import enpda
from enpda import Graph, _core


def constraint(rings_a=(), rings_b=(), marked_a=None, marked_b=None, max_fragments=0, min_fragment=0):
    result = _core.Constraint()
    result.rings.rings_a, result.rings.rings_b = [list(r) for r in rings_a], [list(r) for r in rings_b]
    result.rings.marked_a, result.rings.marked_b = list(marked_a or []), list(marked_b or [])
    result.fragments.most, result.fragments.least = max_fragments, min_fragment
    return result


def ringed(rng, n):
    """A small graph with cycles: some of its shortest cycles as rings, their edges marked by their labels."""
    graph = nx.gnm_random_graph(n, int(rng.integers(n - 1, n + 2)), seed=int(rng.integers(10**6)))
    rings = [cycle for cycle in nx.minimum_cycle_basis(graph) if rng.random() < 0.8]
    marked = {frozenset((p, q)) for r in nx.cycle_basis(graph) for p, q in zip(r, [*r[1:], r[0]], strict=True)}
    ordered = [list(nx.find_cycle(graph.subgraph(ring))) for ring in rings]
    cycles = [[p for p, _ in ring] for ring in ordered if len(ring) == len({p for p, _ in ring})]
    edges = [tuple(sorted(edge)) for edge in graph.edges]
    labels = [int(frozenset(edge) in marked) for edge in edges]
    result = Graph(rng.integers(0, 2, n), edges, labels)
    return result, cycles, result.edge_labels.tolist()


def drawn_terms(rng, a, b, masked, weighted):
    allowed = (rng.random((len(a), len(b))) < 0.7).astype(np.uint8) if masked else None
    shape = (len(np.unique(a.edge_labels)), len(np.unique(b.edge_labels)))
    worth = rng.integers(0, 5, shape).astype(np.int32) if weighted else None
    return allowed, worth


def table(a, b, worth):
    left, right = np.unique(a.edge_labels).tolist(), np.unique(b.edge_labels).tolist()
    return None if worth is None else lambda x, y: int(worth[left.index(x), right.index(y)])


def solved(a, b, rules):
    m = enpda.match(a, b, "exact", rules=rules)
    assert m.optimal
    return m
