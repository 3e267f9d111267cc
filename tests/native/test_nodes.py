"""The most nodes among the most edges: equal to brute force, proven, and what thresholds on similarity rest on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import oracles
from enpda import Constraints, Graph, Rules, _core
from enpda.data import drug_pairs, drugs
from strategies import graphs, random_graph, reordered


def sparse_pairs(count: int, seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, m = rng.integers(2, 8, 2)
        labels = int(rng.integers(1, 3))
        yield tuple(random_graph(rng, int(k), rng.choice([0.25, 0.4, 0.6]), labels, 1) for k in (n, m))


@pytest.mark.slow
def test_nodes_equal_brute_force_on_1000_tiny_pairs():
    fewer = 0
    for a, b in sparse_pairs(1000, seed=3):
        m = enpda.match(a, b, "exact", most_nodes=True)
        assert (m.size, m.nodes) == oracles.brute_force(a, b)
        assert m.optimal
        assert m.nodes_upper == m.nodes
        fewer += enpda.match(a, b, "exact").nodes < m.nodes
    assert fewer > 0  # it is not found by the way


@settings(deadline=None, max_examples=60)
@given(graphs(), graphs())
def test_the_bound_holds_whatever_is_asked(a, b):
    edges, nodes = oracles.brute_force(a, b)
    for asked in ({}, {"most_nodes": True}, {"min_similarity": 0.5}, {"min_similarity": 0.9}):
        m = enpda.match(a, b, "exact", **asked)
        assert m.size < edges or m.nodes <= nodes <= m.nodes_upper


@settings(deadline=None)
@given(graphs(), graphs())
def test_nodes_are_the_most_of_all_optima(a, b):
    m = enpda.match(a, b, "exact", None, most_nodes=True)
    images, complete = _core.enumerate_optima(a.core, b.core, m.size, 1_000_000, -1.0)
    assert complete
    assert m.nodes == m.nodes_upper == max(sum(j >= 0 for j in image) for image in images)


def test_order_does_not_matter():
    rng = np.random.default_rng(0)
    for a, b in list(drug_pairs())[:12]:
        one = enpda.match(a, b, most_nodes=True)
        left, right = (reordered(Graph(g.labels, g.edges, g.edge_labels), rng.permutation(len(g))) for g in (a, b))
        for other in (enpda.match(b, a, most_nodes=True), enpda.match(left, right, most_nodes=True)):
            assert (other.size, other.nodes, other.nodes_upper) == (one.size, one.nodes, one.nodes_upper)


def test_drugs_are_settled_and_some_gain_nodes():
    plain = [enpda.match(a, b) for a, b in drug_pairs()]
    most = [enpda.match(a, b, most_nodes=True) for a, b in drug_pairs()]
    assert [m.size for m in plain] == [m.size for m in most]
    assert all(x.nodes <= y.nodes <= y.nodes_upper for x, y in zip(plain, most, strict=True))
    assert sum(x.nodes < y.nodes for x, y in zip(plain, most, strict=True)) >= 5
    assert sum(m.nodes == m.nodes_upper for m in most) >= 58
    assert all(enpda.verify(m.certificate).ok for m in most)


@pytest.mark.slow
def test_a_question_about_similarity_is_answered_by_nodes():
    """On every pair whose first mapping has too few nodes, the question finds them, or proves that there are none."""
    found = 0
    for a, b in drug_pairs():
        plain, most = enpda.match(a, b), enpda.match(a, b, most_nodes=True)
        if plain.nodes == most.nodes or most.nodes < most.nodes_upper:
            continue
        found += 1
        assert enpda.match(a, b, min_similarity=most.similarity).similarity >= most.similarity
        beyond = enpda.match(a, b, min_similarity=float(np.nextafter(most.similarity, 1)))
        assert beyond.similarity <= most.similarity
        assert beyond.status == "below_threshold" or beyond.size + beyond.nodes_upper <= most.size + most.nodes
    assert found >= 5


def test_a_matrix_lists_what_has_nodes_enough():
    items = [g for pair in list(drug_pairs())[:10] for g in pair]
    full = enpda.matrix(items, most_nodes=True, time_limit=None).table.to_pylist()
    plain = enpda.matrix(items, time_limit=None).table.to_pylist()
    assert any(x["nodes"] < y["nodes"] for x, y in zip(plain, full, strict=True))
    for least in (0.2, 0.35, 0.5):
        listed = enpda.matrix(items, min_similarity=least, time_limit=None).table.to_pylist()
        assert [(r["id_a"], r["id_b"]) for r in listed] == [
            (r["id_a"], r["id_b"]) for r in full if r["similarity"] >= least
        ]
        assert all(r["similarity"] >= least for r in listed)


@pytest.mark.parametrize(
    "options",
    [
        {"rules": Rules(atoms="any")},
        {"constraints": Constraints(connected=True)},
        {"constraints": Constraints(rings="all")},
    ],
    ids=str,
)
def test_rules_and_constraints_keep_their_word(options):
    for a, b in list(drug_pairs())[:8]:
        plain, most = enpda.match(a, b, **options), enpda.match(a, b, most_nodes=True, **options)
        assert plain.size == most.size
        assert plain.nodes <= most.nodes <= most.nodes_upper


def test_a_method_that_proves_nothing_is_refused():
    with pytest.raises(enpda.InputError, match="most_nodes goes on from a proven size"):
        enpda.match("CCO", "CCN", "fast", most_nodes=True)


def test_a_search_ranks_by_the_most_nodes_when_asked():
    items = [b for _, b in drug_pairs()][:25]
    for query, _ in list(drug_pairs())[:5]:
        hits = enpda.search(query, items, k=5, most_nodes=True)
        slow = sorted((-enpda.match(query, item, most_nodes=True).similarity, k) for k, item in enumerate(items))[:5]
        assert [(-hit.similarity, items.index(hit.graph)) for hit in hits] == slow
        assert hits.exact


@pytest.mark.slow
def test_no_row_is_left_below_a_threshold_that_a_mapping_reaches(data):
    """Small, similar molecules: the question for nodes often ends before the size is proven again, and that counts."""
    listed = enpda.matrix(data / "chembl_1907596.smi", min_similarity=0.7).table
    assert min(listed["similarity"].to_pylist()) >= 0.7
    assert all(listed["optimal"].to_pylist())


def test_a_question_under_stereo_looks_for_nodes_as_well():
    a, b = "CC(=O)Oc1ccccc1", "OCC(O)CO"
    stereo = Constraints(stereo=True)
    most = enpda.match(a, b, constraints=stereo, most_nodes=True)
    assert most.nodes > enpda.match(a, b, constraints=stereo).nodes
    assert enpda.match(a, b, constraints=stereo, min_similarity=most.similarity).similarity == most.similarity
    assert enpda.match(a, b, "fast", constraints=stereo, min_similarity=0.1).size == most.size
    rows = enpda.matrix([a, b], constraints=stereo, min_similarity=most.similarity).table.to_pylist()
    assert [row["similarity"] for row in rows] == [most.similarity]


@settings(max_examples=40)
@given(st.lists(graphs(node_labels=2, max_nodes=5), min_size=2, max_size=5), st.floats(0.1, 1))
def test_a_search_lists_what_a_matrix_lists_at_the_same_threshold(items, least):
    table = enpda.matrix(items[:1], items[1:], min_similarity=least).table.to_pylist()
    hits = enpda.search(items[0], items[1:], k=len(items), min_similarity=least)
    assert sorted(hit.similarity for hit in hits) == sorted(row["similarity"] for row in table)
    assert hits.exact


def test_a_search_of_drugs_lists_those_whose_other_mappings_have_nodes_enough():
    query, *items = (drugs()[name] for name in ("aspirin", "fluoxetine", "warfarin", "caffeine"))
    for item in items:
        least = enpda.match(query, item, most_nodes=True).similarity
        for threshold, count in ((least, 1), (float(np.nextafter(least, 1)), 0)):
            hits = enpda.search(query, [item], min_similarity=threshold)
            assert len(list(hits)) == len(enpda.matrix([query], [item], min_similarity=threshold).table) == count
