"""Grids of candidates only: large pairs have them, and here small ones, which brute force can judge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from conditions import constraint, drawn_terms, ringed, table
from enpda import Graph, _core
from enpda.data import drug_pairs
from enpda.errors import InputError
from enpda.problem.problem import problem_of
from enpda.solve.matching import concluded
from enpda.solve.options import Options
from oracles import brute_force, most_retained
from strategies import graphs, random_graph


def solved(a, b, options, problem):
    options.full_grid = 0
    return _core.solve(problem.a.core, problem.b.core, options, 20.0)


def thin(a, b, method="exact", **settings):
    """A match on a thin grid, whatever the size; checked and counted as any other."""
    options = Options(method=method, **settings)
    problem = problem_of(a, b, None)
    return concluded(a, b, problem, options, solved(a, b, options.core(problem), problem))


@given(graphs(max_nodes=6), graphs(max_nodes=6))
def test_exact_equals_brute_force_and_its_certificate_verifies(a, b):
    found = thin(a, b)
    assert found.optimal
    assert found.size == brute_force(a, b)[0]
    assert enpda.verify(found.certificate).ok


@given(seed=st.integers(0, 10**6), masked=st.booleans(), weighted=st.booleans())
def test_exact_equals_brute_force_on_any_terms(seed, masked, weighted):
    rng = np.random.default_rng(seed)
    a, b = (random_graph(rng, int(rng.integers(2, 7)), 0.5, 2, 3) for _ in range(2))
    allowed, worth = drawn_terms(rng, a, b, masked, weighted)
    problem = problem_of(a, b, None)
    options = Options("exact").core(problem)
    options.terms = _core.Terms(allowed, worth)
    found = solved(a, b, options, problem)
    best = brute_force(a, b, allowed, table(a, b, worth))[0]
    assert _core.check(a.core, b.core, found.image, options.terms)[0] == best
    assert min(value for value in (*found.caps.values(), found.rlt, found.branch) if value >= 0) == best


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), fragments=st.integers(0, 2))
def test_exact_equals_brute_force_with_whole_rings(seed, fragments):
    rng = np.random.default_rng(seed)
    (a, rings_a, marked_a), (b, rings_b, marked_b) = ringed(rng, 6), ringed(rng, 6)
    problem = problem_of(a, b, None)
    options = Options("exact").core(problem)
    options.constraint, options.rlt.record = constraint(rings_a, rings_b, marked_a, marked_b, fragments), False
    found = solved(a, b, options, problem)
    size = _core.retain(a.core, b.core, found.image, _core.Terms(), options.constraint)[2]
    assert size == most_retained(a, b, rings_a=rings_a, rings_b=rings_b, marked_a=marked_a, max_fragments=fragments)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["analytic", "core", "fast", "solver", "paper-fast"])
@pytest.mark.parametrize("decoder", ["growth", "hungarian"])
def test_every_method_maps_molecules_almost_as_well_as_on_a_full_grid(method, decoder):
    pairs = drug_pairs()[:15]
    whole = [enpda.match(a, b, method, decoder=decoder).size for a, b in pairs]
    kept = [thin(a, b, method, decoder=decoder) for a, b in pairs]
    assert sum(m.size for m in kept) >= 0.9 * sum(whole)
    assert all(m.size <= m.upper for m in kept)


def test_bounds_do_not_depend_on_the_grid():
    for a, b in drug_pairs()[:15]:
        found, other = thin(a, b, "analytic", bound="rlt"), enpda.match(a, b, "analytic", bound="rlt")
        for name in ("edge", "histogram", "assignment"):
            assert found.bounds[name] == other.bounds[name]


def planted(n, labels, seed):
    """A sparse graph, and a copy of it with other numbers that lost a fifth of its edges."""
    rng = np.random.default_rng(seed)
    back = rng.integers(1, 20, n - 1)
    edges = np.stack([np.maximum(np.arange(1, n) - back, 0), np.arange(1, n)], 1)
    a = Graph(rng.integers(0, labels, n), edges)
    place = rng.permutation(n)
    names = np.empty(n, dtype=int)
    names[place] = a.labels
    return a, Graph(names, place[a.edges[rng.random(a.size) > 0.2]])


@pytest.mark.slow
def test_a_large_pair_with_many_labels_is_proven_on_its_few_cells():
    a, b = planted(5000, 250, 1)
    assert _core.cells(a.core, b.core) < 120_000
    proposed = enpda.match(a, b, "core")
    assert proposed.optimal
    assert proposed.size == b.size
    assert enpda.verify(proposed.certificate).ok


def test_size_is_judged_by_cells_with_equal_labels():
    a, b = planted(20_000, 1000, 2)
    assert enpda.match(a, b, "analytic").size > 0.9 * b.size
    many = Graph(np.arange(50_000))
    with pytest.raises(InputError, match=r"50000 x 50000 cells.*2147483647 in all"):
        enpda.match(many, many)
    with pytest.raises(InputError, match=r"at most 64000000 with equal labels \(it has 81000000\)"):
        enpda.match(Graph(np.zeros(9000, dtype=int)), Graph(np.zeros(9000, dtype=int)))


def test_rounds_on_a_device_are_those_of_the_core():
    a, b = planted(3000, 150, 3)
    assert len(a) * len(b) > 10 * _core.cells(a.core, b.core)
    found = enpda.match_many([(a, b)], "analytic", device="cpu")[0]
    assert found.size == pytest.approx(enpda.match(a, b, "analytic").size, rel=0.01)
    assert found.size > 0.9 * b.size


@pytest.mark.parametrize("count", [690, 700, 750])
def test_components_open_in_every_column_of_a_huge_grid(count):
    edges = Graph(np.zeros(2 * count), np.arange(2 * count).reshape(-1, 2))
    assert enpda.match(edges, edges, "analytic").size > 0.98 * count
