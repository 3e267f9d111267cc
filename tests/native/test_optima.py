"""Questions with a threshold, and all optima of a pair, against brute force."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import oracles
from enpda import Graph
from enpda.data import drug_pairs
from strategies import graphs

# -- threshold questions -------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(graphs(max_nodes=6, node_labels=2), graphs(max_nodes=6, node_labels=2), st.integers(0, 12))
def test_min_size_is_answered_right(a, b, wanted):
    optimum = oracles.brute_force(a, b)[0]
    m = enpda.match(a, b, min_size=wanted)
    assert m.size <= optimum <= max(m.upper, m.size)
    if optimum < wanted:
        assert m.status == "below_threshold"
        assert m.upper < wanted
    else:
        assert m.size >= wanted
        assert m.status in ("optimal", "bounded")
    if m.optimal:
        assert m.size == optimum
    assert enpda.verify(m.certificate).ok


def test_similarity_and_distance_thresholds_agree_with_the_optimum():
    for a, b in drug_pairs()[::3]:
        best = enpda.match(a, b, "exact")
        for wanted in (0.1, best.similarity, math.nextafter(best.similarity, 2), 0.9):
            m = enpda.match(a, b, min_similarity=min(wanted, 1.0))
            if best.similarity >= wanted:
                assert m.similarity >= wanted
            else:
                # Another mapping with as many edges may have more nodes, and so answer the question after all.
                found = m.size == best.size and m.similarity >= wanted
                assert found or m.status == "below_threshold" or (m.optimal and m.similarity < wanted)
        for wanted in (best.distance - 2, best.distance - 1, best.distance, best.distance + 5):
            m = enpda.match(a, b, max_distance=max(wanted, 0))
            if best.distance <= wanted:
                assert m.distance <= wanted
            else:
                assert m.status == "below_threshold"


def test_thresholds_are_checked():
    for option, value in (("min_size", -1), ("min_size", 1.5), ("min_similarity", 1.1), ("max_distance", "x")):
        with pytest.raises(enpda.InputError, match=option):
            enpda.match("CCO", "CCN", **{option: value})


# -- all optima ----------------------------------------------------------------------------------------------


def all_optima(a: Graph, b: Graph) -> set[frozenset[tuple[int, int]]]:
    """Stripped mappings with the most edges, by trying everything."""
    best, found = 0, set()
    left, right = oracles.adjacency(a), oracles.adjacency(b)

    def go(i: int, image: dict[int, int]) -> None:
        nonlocal best, found
        if i == len(a):
            kept = [
                (u, v)
                for u, v in a.edges.tolist()
                if u in image and v in image and right[image[u]].get(image[v]) == left[u][v]
            ]
            if len(kept) > best:
                best, found = len(kept), set()
            if len(kept) == best:
                ends = {x for edge in kept for x in edge}
                found.add(frozenset((x, image[x]) for x in ends))
            return
        go(i + 1, image)
        for j in range(len(b)):
            if a.labels[i] == b.labels[j] and j not in image.values():
                go(i + 1, {**image, i: j})

    go(0, {})
    return found


def automorphisms(g: Graph) -> list[list[int]]:
    near = oracles.adjacency(g)
    result: list[list[int]] = []

    def go(image: list[int]) -> None:
        v = len(image)
        if v == len(g):
            result.append(image)
            return
        for w in range(len(g)):
            if (
                w not in image
                and g.labels[v] == g.labels[w]
                and all(near[v].get(u) == near[w].get(image[u]) for u in range(v))
            ):
                go([*image, w])

    go([])
    return result


@settings(max_examples=80, deadline=None)
@given(graphs(max_nodes=4, node_labels=2, edge_labels=1), graphs(max_nodes=5, node_labels=2, edge_labels=1))
def test_every_optimum_is_listed_once(a, b):
    found = enpda.enumerate_optima(a, b, limit=10_000)
    assert found.complete
    everything = all_optima(a, b)
    left, right = automorphisms(a), automorphisms(b)

    def orbit(mapping: frozenset[tuple[int, int]]) -> frozenset[frozenset[tuple[int, int]]]:
        return frozenset(frozenset((f[i], g[j]) for i, j in mapping) for f in left for g in right)

    listed = [orbit(frozenset(m.mapping.items())) for m in found]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {orbit(mapping) for mapping in everything}


@settings(max_examples=80, deadline=None)
@given(graphs(max_nodes=4, node_labels=2, edge_labels=1), graphs(max_nodes=5, node_labels=2, edge_labels=1))
def test_every_set_of_shared_edges_is_listed_once(a, b):
    def shared(mapping: dict[int, int]) -> frozenset[tuple[tuple[int, int], frozenset[int]]]:
        kept = [e for e in a.edges.tolist() if {*e} <= mapping.keys()]
        there = {frozenset(e) for e in b.edges.tolist()}
        pairs = [(tuple(e), frozenset(mapping[i] for i in e)) for e in kept]
        return frozenset((e, f) for e, f in pairs if f in there)

    found = enpda.enumerate_optima(a, b, limit=10_000, distinct="edges")
    assert found.complete
    listed = [shared(m.mapping) for m in found]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {shared(dict(mapping)) for mapping in all_optima(a, b)}


def test_optima_of_molecules():
    found = enpda.match("CCCCCC", "CCCC").enumerate_optima()
    assert (len(found), found.complete) == (2, True)
    assert {m.size for m in found} == {3}
    cut = enpda.enumerate_optima("C" * 12, "CCC.CCC", limit=3)
    assert not cut.complete
    assert len(cut) <= 3
    with pytest.raises(enpda.InputError, match="limit"):
        enpda.enumerate_optima("CC", "CC", limit=0)
    with pytest.raises(enpda.InputError, match="distinct must be one of 'symmetry', 'edges'; got 'bonds'"):
        enpda.enumerate_optima("CC", "CC", distinct="bonds")
