"""Whole rings, connected parts and fragments: what is kept of a mapping, and the constrained optimum."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import enpda_verify
from conditions import constraint, ringed
from enpda import Constraints, Graph, Rules, _core
from enpda.data import drug_pairs
from enpda.problem.constraints import rings_and_marks
from enpda.problem.problem import problem_of
from enpda.solve.options import Options
from oracles import most_retained, retained
from strategies import random_graph

pytestmark = pytest.mark.native


def solved(a, b, rule, limit=20.0):
    options = Options("exact").core(problem_of(a, b, None))
    options.constraint, options.rlt.record = rule, False
    found = _core.solve(a.core, b.core, options, limit)
    _, _, size, _ = _core.retain(a.core, b.core, found.image, _core.Terms(), rule)
    return size, min(value for value in (*found.caps.values(), found.rlt, found.branch) if value >= 0)


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


def test_a_ring_is_laid_down_at_once():
    m = enpda.match("Cc1ccccc1", "c1ccccc1CCN", constraints=Constraints(rings="aromatic"))
    a, b = m.problem.a.core, m.problem.b.core
    options = _core.SearchOptions()
    options.passes = 1
    empty = np.full(len(m.a), -1, dtype=np.int32)
    both = (_core.Terms(), m.problem.constraint)
    _, best, before, size = _core.run_operator(_core.Operator.rings, a, b, empty, options, *both)
    assert (before, size) == (0, m.size)
    assert _core.retain(a, b, best, *both)[2] == m.size == 7
    assert _core.run_operator(_core.Operator.rings, a, b, empty, options)[3] == 0  # without rings there is none to lay


@pytest.mark.slow
@pytest.mark.parametrize("limit", [{"connected": True}, {"min_fragment": 4}, {"max_fragments": 2}])
def test_search_alone_comes_near_the_constrained_optimum(limit):
    kind = Constraints(**limit)
    pairs = drug_pairs()[:30]
    best = sum(enpda.match(a, b, "exact", 2.0, constraints=kind).size for a, b in pairs)
    found = sum(enpda.match(a, b, "fast", constraints=kind).size for a, b in pairs)
    assert 0.97 * best <= found <= best


KINDS = [
    Constraints(rings="aromatic"),
    Constraints(rings="all"),
    Constraints(connected=True),
    Constraints(rings="all", connected=True),
    Constraints(min_fragment=4),
    Constraints(rings="aromatic", max_fragments=2, min_fragment=3),
]


def kept_by_definition(m):
    """Count a match again from its graphs, mapping and constraints alone."""
    kind = m.constraints
    image = [m.mapping.get(i, -1) for i in range(len(m.a))]
    rule = {"max_fragments": 1 if kind.connected else kind.max_fragments or 0, "min_fragment": kind.min_fragment}
    if kind.rings != "none":
        (rule["rings_a"], rule["marked_a"]), (rule["rings_b"], _) = (rings_and_marks(g, kind.rings) for g in (m.a, m.b))
    marked = {
        frozenset(edge)
        for g in (m.b,)
        for edge, mark in zip(g.edges.tolist(), rings_and_marks(g, kind.rings)[1], strict=True)
        if kind.rings != "none" and mark
    }
    kept = retained(m.a, m.b, image, **rule)
    # A bond that is free on one side and marked on the other is not shared.
    free = {tuple(e) for e, k in zip(m.a.edges.tolist(), rule.get("marked_a", [0] * m.a.size), strict=True) if not k}
    return {e for e in kept if e not in free or frozenset((image[e[0]], image[e[1]])) not in marked}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: ",".join(f"{k}={v}" for k, v in kind.to_dict().items()))
def test_molecules_keep_what_the_definition_keeps_and_certificates_verify(kind):
    proven = 0
    for a, b in drug_pairs()[:25]:
        m = enpda.match(a, b, time_limit=2.0, constraints=kind)
        assert {edge for edge, _ in m.edges} == kept_by_definition(m)
        assert m.size == len(m.edges) <= enpda.match(a, b).size
        assert enpda.match(b, a, time_limit=2.0, constraints=kind).size == m.size or not m.optimal
        report = enpda.verify(m.certificate)
        assert report.ok, report
        assert (report.size, report.upper) == (m.size, m.upper)
        for again in (enpda.Match.from_json(m.to_json()), pickle.loads(pickle.dumps(m))):
            assert (again.size, again.upper, again.constraints) == (m.size, m.upper, kind)
        proven += m.optimal
    assert proven >= 23


def test_forged_constraints_are_refused():
    a, b = "CCCC(=O)Oc1ccccc1C(=O)OC1CCCC1", "CC(=O)Nc1ccc(O)cc1C1CCCCC1"
    for kind, key, values in (
        (Constraints(rings="all"), "rings", [[[], []]]),
        (Constraints(rings="all"), "marked", [[[], []], [[10**6], []], [[0], [0]]]),
        (Constraints(connected=True), "max_fragments", [0, 2, -1]),
        (Constraints(min_fragment=6), "min_fragment", [0, 3, "6"]),
    ):
        m = enpda.match(a, b, constraints=kind)
        assert m.size < enpda.match(a, b).size
        assert m.optimal
        for value in values:
            forged = copy.deepcopy(m.certificate.content)
            forged["constraint"][key] = value
            forged["seal"] = enpda_verify.seal(forged)
            assert not enpda_verify.verify(forged).ok, (key, value)
        without = {name: value for name, value in m.certificate.content.items() if name != "constraint"}
        without["seal"] = enpda_verify.seal(without)
        assert not enpda_verify.verify(without).ok


@pytest.mark.slow
def test_a_connected_part_is_as_large_as_that_of_rdkits_fmcs():
    from rdkit.Chem import rdFMCS

    compared = 0
    for a, b in drug_pairs()[:40]:
        m = enpda.match(a, b, constraints=Constraints(connected=True))
        other = rdFMCS.FindMCS(
            [m.a.mol, m.b.mol],
            maximizeBonds=True,
            timeout=1,
            atomCompare=rdFMCS.AtomCompare.CompareElements,
            bondCompare=rdFMCS.BondCompare.CompareOrderExact,
        )
        assert m.size >= other.numBonds
        if not other.canceled:
            compared += 1
            assert m.size == other.numBonds
    assert compared >= 30


def test_rings_of_salts_and_of_graphs_without_atoms():
    benzene = enpda.match("c1ccccc1", "c1ccccc1.[Na+]", constraints=Constraints(rings="aromatic"))
    assert (benzene.size, benzene.optimal) == (6, True)
    ring, chord = (
        Graph([0] * 6, [(k, (k + 1) % 6) for k in range(6)]),
        Graph([0] * 6, [*((k, (k + 1) % 6) for k in range(6)), (0, 3)]),
    )
    assert enpda.match(ring, chord).size == 6
    whole = enpda.match(ring, chord, constraints=Constraints(rings="all"))
    assert (whole.size, whole.optimal) == (0, True)  # its rings have four nodes
    with pytest.raises(enpda.InputError, match="molecule"):
        enpda.match(ring, chord, constraints=Constraints(rings="aromatic"))


def test_constraints_and_rules_go_together():
    a, b = "C1CCCCC1CCO", "c1ccccc1CCN"
    loose = Rules(bonds="any", weights="order")
    plain, whole = (enpda.match(a, b, rules=loose, constraints=Constraints(rings=r)) for r in ("none", "all"))
    assert plain.size == whole.size == 6 * 2 + 2 * 2
    assert whole.distance == plain.distance
    pyridine = enpda.match(a, "c1ccncc1CCN", rules=loose, constraints=Constraints(rings="all"))
    assert pyridine.size == 2 * 2
    assert enpda.verify(pyridine.certificate).ok


@pytest.mark.parametrize(
    "wrong",
    [
        {"rings": "some"},
        {"connected": 1},
        {"max_fragments": 0},
        {"min_fragment": -1},
        {"connected": True, "max_fragments": 2},
    ],
)
def test_wrong_constraints_are_refused(wrong):
    with pytest.raises(enpda.InputError):
        Constraints(**wrong)
    with pytest.raises(enpda.InputError, match="Constraints"):
        enpda.match("CC", "CC", constraints=wrong)
