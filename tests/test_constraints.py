"""Whole rings, connected parts and fragments: what is kept of a mapping, and the constrained optimum."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph, _core
from enpda.rules import problem_of
from oracles import most_retained, retained
from strategies import random_graph


def constraint(rings_a=(), rings_b=(), marked_a=None, marked_b=None, max_fragments=0, min_fragment=0):
    result = _core.Constraint()
    result.rings_a, result.rings_b = [list(r) for r in rings_a], [list(r) for r in rings_b]
    result.marked_a, result.marked_b = list(marked_a or []), list(marked_b or [])
    result.max_fragments, result.min_fragment = max_fragments, min_fragment
    return result


def solved(a, b, rule, limit=20.0):
    options = enpda.matching.Options("exact").core(problem_of(a, b, None))
    options.constraint, options.rlt.record = rule, False
    found = _core.solve(a.core, b.core, options, limit)
    _, _, size, _ = _core.retain(a.core, b.core, found.image, _core.Terms(), rule)
    return size, min(value for value in (*found.caps, found.rlt, found.branch) if value >= 0)


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


@given(seed=st.integers(0, 10**6))
def test_what_is_kept_of_a_mapping_is_what_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    (a, rings_a, marked_a), (b, rings_b, marked_b) = ringed(rng, 7), ringed(rng, 7)
    image = rng.permutation(7).astype(np.int32)
    image[rng.random(7) < 0.2] = -1
    fragments, least = int(rng.integers(0, 3)), int(rng.integers(0, 5))
    rule = constraint(rings_a, rings_b, marked_a, marked_b, fragments, least)
    kept, edges, size, nodes = _core.retain(a.core, b.core, image, _core.Terms(), rule)
    expected = retained(a, b, image.tolist(), rings_a, rings_b, marked_a, fragments, least)
    assert size == len(edges) == len(expected)
    if fragments == 0:  # of equally large fragments either may be kept
        assert {tuple(edge) for edge in a.edges[edges].tolist()} == expected
    assert nodes == len({v for edge in a.edges[edges].tolist() for v in edge})
    assert set(np.flatnonzero(kept >= 0).tolist()) == {v for edge in a.edges[edges].tolist() for v in edge}


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), fragments=st.integers(0, 2))
def test_exact_equals_brute_force_with_whole_rings(seed, fragments):
    rng = np.random.default_rng(seed)
    a, rings_a, marked_a = ringed(rng, int(rng.integers(3, 7)))
    b, rings_b, marked_b = ringed(rng, int(rng.integers(3, 7)))
    size, upper = solved(a, b, constraint(rings_a, rings_b, marked_a, marked_b, fragments))
    best = most_retained(a, b, rings_a=rings_a, rings_b=rings_b, marked_a=marked_a, max_fragments=fragments)
    assert size == upper == best


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), fragments=st.integers(0, 2), least=st.integers(0, 5))
def test_exact_equals_brute_force_with_few_or_large_fragments(seed, fragments, least):
    rng = np.random.default_rng(seed)
    a, b = (random_graph(rng, int(rng.integers(3, 7)), 0.4, 2, 2) for _ in range(2))
    size, upper = solved(a, b, constraint(max_fragments=fragments, min_fragment=least))
    assert size == upper == most_retained(a, b, max_fragments=fragments, min_fragment=least)
