"""Results, certificates and optima under rules."""

import copy
import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import enpda_verify
from conditions import solved
from enpda import InputError, Match, Rules
from enpda.problem.problem import problem_of
from oracles import adjacency
from strategies import random_graph

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"
RULED = [
    Rules(atoms="element+ring"),
    Rules(bonds="any", weights="order"),
    Rules(ring_bonds=True, weights={1: 1, 2: 5, 12: 2}),
    Rules(pinned={0: 0}, forbidden=[(1, 1)]),
    Rules(compatible=np.arange(13)[:, None] + np.arange(11)[None, :] > 8, equivalent="[O,N]"),
    Rules(compatible=lambda i, j: i + j > 8),
]


def told(rules):
    """The rules without the address of their function, which differs between processes."""
    return re.sub(" at 0x[0-9a-f]+", "", repr(rules))


@pytest.mark.parametrize("rules", RULED, ids=told)
def test_a_match_under_rules_survives_json(rules):
    m = solved(ASPIRIN, PARACETAMOL, rules)
    again = Match.from_json(m.to_json())
    assert (again.size, again.mapping, again.bounds, again.edges) == (m.size, m.mapping, m.bounds, m.edges)
    assert (again.weighted, again.distance, again.similarity) == (m.weighted, m.distance, m.similarity)
    if not callable(rules.compatible):
        assert again.rules == rules
    if m.weighted:
        with pytest.raises(InputError):
            Match.from_dict({**m.to_dict(), "rules": None})


@pytest.mark.parametrize("rules", RULED, ids=told)
def test_certificates_under_rules_verify_and_forged_terms_do_not(rules):
    m = solved(ASPIRIN, PARACETAMOL, rules)
    content = m.certificate.content
    report = enpda.verify(m.certificate)
    assert (report.ok, report.size, report.upper) == (True, m.size, m.upper), report
    assert report.weighted is m.weighted
    alone = m.certificate.without_graphs()
    assert not enpda.verify(alone).ok
    assert enpda.verify(alone, (ASPIRIN, PARACETAMOL), rules).ok
    terms = content.get("terms")
    assert (terms is None) == m.problem.terms.plain
    if terms is None:
        return
    forgeries = []
    if terms["forbidden"]:
        used = next(iter(m.mapping.items()))
        forgeries.append({**terms, "forbidden": [*terms["forbidden"], list(used)]})
        forgeries.append({**terms, "forbidden": [*terms["forbidden"], [99, 0]]})
        forgeries.append({**terms, "forbidden": [[0]]})
    if terms["worth"]:
        x, y, value = terms["worth"][0]
        forgeries.append({**terms, "worth": [[x, y, value + 1], *terms["worth"][1:]]})
        forgeries.append({**terms, "worth": [[x, y, -1], *terms["worth"][1:]]})
        forgeries.append({**terms, "worth": [*terms["worth"], [x, y, value]]})
        forgeries.append({**terms, "worth": [[x, y, value + 0.5], *terms["worth"][1:]]})
        forgeries.append({**terms, "worth": None})
    forgeries.append({**terms, "more": 1})
    for forged in forgeries:
        lie = {**copy.deepcopy(content), "terms": forged}
        lie["seal"] = enpda_verify.seal(lie)
        assert not enpda_verify.verify(lie).ok, forged
    without = {key: value for key, value in content.items() if key != "terms"}
    assert not enpda_verify.verify(without).ok, "the seal covers the terms"


def test_a_mapping_that_the_terms_forbid_is_refused():
    free = enpda.match(ASPIRIN, PARACETAMOL)
    content = copy.deepcopy(free.certificate.content)
    i, j = next(iter(free.mapping.items()))
    content["terms"] = {"forbidden": [[i, j]], "worth": None}
    content["seal"] = enpda_verify.seal(content)
    assert "which the terms forbid" in enpda_verify.verify(content).reasons[0]
    with pytest.raises(InputError):
        Match(free.a, free.b, free.mapping, bounds={"edge": 11}, method="x", problem=problem_of(
            free.a, free.b, Rules(forbidden=[(i, j)])
        ))  # fmt: skip


def test_weight_is_not_called_edges():
    m = enpda.match(ASPIRIN, PARACETAMOL, rules=Rules(bonds="any", weights="order"))
    assert (m.size, len(m.edges)) == (26, 9)
    assert "weight 26, 9 bonds, 10 atoms, proven optimal" in repr(m)
    assert "weight 26 in common (proven optimal), 9 bonds" in m.draw()
    assert "shared weight" in m._repr_html_()
    assert "weight 26" in repr(m.certificate)
    assert "VALID: weight 26, optimal" in str(enpda.verify(m.certificate))
    assert "weight at most 30" in repr(Match(m.a, m.b, m.mapping, bounds={"x": 30}, method="x", problem=m.problem))


def plain_optima(a, b, allowed, size, worth):
    """Every mapping of the best size, stripped, up to pairs of automorphisms that keep `allowed`."""
    left, right = adjacency(a), adjacency(b)

    def symmetries(graph, near):
        n = len(graph)
        for p in itertools.permutations(range(n)):
            if all(graph.labels[v] == graph.labels[p[v]] for v in range(n)) and all(
                near[p[u]].get(p[v]) == label for u in range(n) for v, label in near[u].items()
            ):
                yield p

    found = set()
    nodes = range(-1, len(b))
    for image in itertools.product(nodes, repeat=len(a)):
        used = [j for j in image if j >= 0]
        if len(set(used)) < len(used):
            continue
        if any(j >= 0 and not (a.labels[i] == b.labels[j] and allowed[i][j]) for i, j in enumerate(image)):
            continue
        won = [
            (i, k, worth(label, right[image[i]][image[k]]))
            for i in range(len(a))
            for k, label in left[i].items()
            if i < k and image[i] >= 0 and image[k] in right[image[i]]
        ]
        kept = {v for i, k, value in won if value > 0 for v in (i, k)}
        if sum(value for *_, value in won) == size and kept == {i for i, j in enumerate(image) if j >= 0}:
            found.add(frozenset((i, j) for i, j in enumerate(image) if j >= 0))
    pairs = [
        (p, q)
        for p in symmetries(a, left)
        for q in symmetries(b, right)
        if all(
            allowed[i][j] == allowed[p[i]][q[j]]
            for i in range(len(a))
            for j in range(len(b))
            if a.labels[i] == b.labels[j]
        )
    ]
    return {frozenset(frozenset((p[i], q[j]) for i, j in mapping) for p, q in pairs) for mapping in found}


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), masked=st.booleans(), weighted=st.booleans())
def test_optima_are_told_apart_by_symmetries_that_respect_the_rules(seed, masked, weighted):
    rng = np.random.default_rng(seed)
    a, b = (random_graph(rng, int(rng.integers(3, 5)), 0.7, 1, 2) for _ in range(2))
    allowed = rng.random((len(a), len(b))) < (0.8 if masked else 2)
    weights = {0: 1, 1: 2} if weighted else None
    rules = Rules(compatible=allowed if masked else None, weights=weights, bonds="any" if weighted else "order")
    optima = enpda.enumerate_optima(a, b, limit=10_000, rules=rules)
    assert optima.complete
    worth = (lambda x, y: min(weights[x], weights[y])) if weighted else (lambda x, y: int(x == y))
    expected = plain_optima(a, b, allowed.tolist(), optima[0].size, worth)
    ours = [frozenset(m.mapping.items()) for m in optima]
    assert len(ours) == len(expected)
    assert all(sum(mapping in kind for mapping in ours) == 1 for kind in expected)


def test_many_pairs_take_rules_and_devices_do_not():
    pairs, rules = [("CCCl", "CCBr"), ("CCF", "CCO")], Rules(equivalent="[F,Cl,Br,I]")
    assert [m.size for m in enpda.match_many(pairs, rules=rules)] == [2, 1]
    with pytest.raises(InputError, match="device compares labels as they are"):
        enpda.match_many(pairs, "core", device="cpu", rules=rules)
