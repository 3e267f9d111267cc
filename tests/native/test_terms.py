"""Pairs on terms of their own: who may meet whom, and what edge labels are worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from conditions import drawn_terms, table
from enpda import Graph, _core
from enpda.problem.problem import problem_of
from enpda.solve.options import Options
from oracles import brute_force
from strategies import random_graph


def solved(a, b, allowed, worth, limit=20.0):
    options = Options("exact").core(problem_of(a, b, None))
    options.terms = _core.Terms(allowed, worth)
    return _core.solve(a.core, b.core, options, limit)


@given(seed=st.integers(0, 10**6), masked=st.booleans(), weighted=st.booleans())
def test_exact_equals_brute_force_on_any_terms(seed, masked, weighted):
    rng = np.random.default_rng(seed)
    a = random_graph(rng, int(rng.integers(2, 7)), 0.5, 2, 3)
    b = random_graph(rng, int(rng.integers(2, 7)), 0.5, 2, 3)
    allowed, worth = drawn_terms(rng, a, b, masked, weighted)
    found = solved(a, b, allowed, worth)
    size, _ = _core.check(a.core, b.core, found.image, _core.Terms(allowed, worth))
    best = brute_force(a, b, allowed, table(a, b, worth))[0]
    assert size == best
    upper = min(value for value in (*found.caps.values(), found.rlt, found.branch) if value >= 0)
    assert upper == best


@given(seed=st.integers(0, 10**6))
def test_symmetry_respects_who_may_meet_whom(seed):
    """Unlabelled and regular, so that branching uses automorphisms."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 7))
    ring = Graph([0] * n, [(i, (i + 1) % n) for i in range(n)])
    wheel = Graph([0] * 6, [(i, j) for i in range(6) for j in range(i) if (i - j) % 3])
    allowed = (rng.random((n, 6)) < 0.6).astype(np.uint8)
    found = solved(ring, wheel, allowed, None)
    assert (
        _core.check(ring.core, wheel.core, found.image, _core.Terms(allowed))[0] == brute_force(ring, wheel, allowed)[0]
    )


@given(seed=st.integers(0, 10**6))
def test_moves_predict_what_they_change_on_any_terms(seed):
    rng = np.random.default_rng(seed)
    a, b = (random_graph(rng, 9, 0.4, 2, 3) for _ in range(2))
    allowed, worth = drawn_terms(rng, a, b, True, True)
    assert _core.audit_moves(a.core, b.core, 200, seed, _core.Terms(allowed, worth)) == 0


@given(seed=st.integers(0, 10**6))
def test_exchanging_the_graphs_exchanges_the_answer(seed):
    rng = np.random.default_rng(seed)
    a, b = random_graph(rng, 8, 0.4, 2, 3), random_graph(rng, 7, 0.4, 2, 3)
    allowed, worth = drawn_terms(rng, a, b, True, True)
    there = solved(a, b, allowed, worth)
    back = solved(b, a, np.ascontiguousarray(allowed.T), np.ascontiguousarray(worth.T))
    assert _core.check(a.core, b.core, there.image, _core.Terms(allowed, worth)) == _core.check(
        b.core, a.core, back.image, _core.Terms(np.ascontiguousarray(allowed.T), np.ascontiguousarray(worth.T))
    )


def test_terms_that_do_not_fit_are_refused():
    a, b = Graph([0, 0], [(0, 1)]), Graph([0, 0, 0], [(0, 1), (1, 2)])
    image = np.array([0, 1], dtype=np.int32)
    for allowed, worth in (
        (np.ones((3, 2), dtype=np.uint8)[:1], None),
        (None, np.ones((2, 2), dtype=np.int32)),
        (None, np.array([[-1]], dtype=np.int32)),
        (None, np.array([[_core.MAX_WORTH + 1]], dtype=np.int32)),
    ):
        with pytest.raises(enpda.InputError):
            _core.check(a.core, b.core, image, _core.Terms(allowed, worth))
        with pytest.raises(enpda.InputError):
            solved(a, b, allowed, worth)
    with pytest.raises(enpda.InputError, match="not allowed"):
        _core.check(a.core, b.core, image, _core.Terms(np.array([[0, 1, 1], [1, 1, 1]], dtype=np.uint8)))
