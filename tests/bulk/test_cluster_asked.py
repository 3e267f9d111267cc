"""Which pairs clustering asks about, which stay open, and what a finished matrix answers."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph, InputError, Library, Rules
from enpda.bulk import near as near_module
from enpda.bulk.near import Parts
from enpda.bulk.plain_gates import PlainGates
from enpda.solve.options import Options
from near_pairs import THRESHOLDS, drug_rows, lists_of_graphs, near_drugs, some_drugs
from strategies import graphs

# -- what is asked -------------------------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch) -> list[tuple[int, int]]:
    """The pairs that went beyond the counts."""
    pairs = []
    decide = near_module.decide

    def recorded(candidates, *rest):
        pairs.extend(map(tuple, candidates.pairs.tolist()))
        return decide(candidates, *rest)

    monkeypatch.setattr(near_module, "decide", recorded)
    return pairs


def test_pairs_that_are_connected_already_are_not_asked_about(asked):
    chains = ["C" * n + "O" for n in range(12, 40)]
    found = enpda.cluster(chains, min_similarity=0.8)
    assert len(found) == 1
    assert len(asked) == len(chains) - 1  # a spanning tree is enough
    assert found.pairs.connected > 3 * len(chains)


def test_isomorphic_items_are_asked_about_once(asked):
    items = ["CCCO", "OCCC", "C(O)CC", "CCCCO", "OCCCC", "c1ccccc1"]
    found = enpda.cluster(items, max_distance=1)
    assert found.members == [[0, 1, 2, 3, 4], [5]]
    assert len(asked) == len(set(asked))
    assert {i for pair in asked for i in pair} <= {0, 3, 5}
    assert found.pairs.alike == 15 - 5  # (0, 0), (0, 3), (0, 5), (3, 3), (3, 5)


def test_items_that_share_nothing_are_apart_even_when_they_are_equal():
    assert len(enpda.cluster(["C", "C", "CCO", "OCC"])) == 3
    assert enpda.match("C", "C").similarity == 0
    assert len(enpda.cluster(["C", "C"], max_distance=0)) == 1


@given(lists_of_graphs(), st.sampled_from(THRESHOLDS), st.sampled_from(["components", "butina"]))
@settings(max_examples=30)
def test_the_numbers_of_pairs_add_up(items, threshold, algorithm):
    pairs = enpda.cluster(items, algorithm=algorithm, threads=1, **threshold).pairs.to_dict()
    assert pairs.pop("all") == len(items) * (len(items) - 1) // 2 == sum(pairs.values())
    assert algorithm == "components" or pairs["connected"] == 0


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=12))
def test_parts_are_the_components_of_the_pairs_that_joined_them(pairs):
    from enpda.bulk.job import Groups

    parts = Parts(Groups(Library.of([Graph([k], []) for k in range(9)]), True))
    graph = nx.empty_graph(9)
    for i, j in pairs:
        assert parts.apart(np.array([(i, j)]))[0] == (not nx.has_path(graph, i, j))
        assert parts.copy().join(i, j) == parts.join(i, j) == (not nx.has_path(graph, i, j))
        graph.add_edge(i, j)
    expected = {min(part): part for part in nx.connected_components(graph)}
    assert {k: set(np.flatnonzero(parts.labels == k)) for k in set(parts.labels.tolist())} == expected


def test_cycles_are_edges_less_those_of_a_forest():
    library = Library.of([*some_drugs(), Graph([], []), Graph([1, 1, 2], [])])
    for graph, cycles in zip(library, library.cycles.tolist(), strict=True):
        own = graph.to_networkx()
        assert cycles == graph.size - len(graph) + nx.number_connected_components(own)


@given(graphs(max_nodes=7, node_labels=1), st.data())
def test_a_part_with_so_many_edges_has_nodes_enough(graph, draw):
    edges = graph.edges.tolist()
    if edges:
        part = draw.draw(st.lists(st.sampled_from(edges), min_size=1, unique_by=tuple))
        assert len({v for edge in part for v in edge}) >= len(part) - Library.of([graph]).cycles[0] + 1


def test_a_mapping_with_more_nodes_than_the_largest_one_does_not_decide(monkeypatch):
    # The five nodes with label 1 form either a clique (10 edges, 5 nodes) or a path through others (8 edges, 9 nodes).
    clique = [(i, j) for i in range(5) for j in range(i)]
    path = [(k, 5 + k) for k in range(4)] + [(5 + k, k + 1) for k in range(4)]
    a = Graph([1] * 5 + [2] * 4, clique + path, [1] * 10 + [2] * 8)
    b = Graph([1] * 5 + [2] * 4 + [1] * 5, [(9 + i, 9 + j) for i, j in clique] + path, [1] * 10 + [2] * 8)
    m = enpda.match(a, b)
    assert (m.size, m.nodes, m.optimal) == (10, 5, True)
    whole = (9 + 18) * (14 + 18)
    assert m.similarity == 15**2 / whole < 0.3 <= 17**2 / whole

    def early(gates, left, nodes):
        """Answer the threshold question by the path."""
        gates.rows.size[left], gates.rows.nodes[left], gates.rows.similarity[left] = 8, 9, 17**2 / whole
        return left

    monkeypatch.setattr(PlainGates, "by_question", early)
    assert len(enpda.cluster([a, b], min_similarity=0.3)) == 2
    assert len(enpda.cluster([a, b], min_similarity=0.25)) == 1


# -- pairs that stay open ------------------------------------------------------------------------------------


def test_undecided_pairs_are_listed_with_what_is_known():
    threshold = {"max_distance": 20}
    near = near_drugs(**threshold)
    hurried = {"time_limit": 1e-9, **threshold}
    names = [g.name for g in some_drugs()]
    found = enpda.cluster(some_drugs(), algorithm="butina", **hurried)
    assert found.undecided
    for pair in found.undecided:
        assert pair.possible <= 20 < pair.found
        assert (pair.id_a, pair.id_b) == (names[pair.a], names[pair.b])
        assert pair.possible <= drug_rows()["distance"][pair.a, pair.b] <= pair.found
    for centre, *others in found.members:  # they are not near
        assert near[centre, others].all()
    assert f"{len(found.undecided)} pairs undecided" in repr(found)

    components = enpda.cluster(some_drugs(), **hurried)
    assert components.undecided
    assert all(components.labels[pair.a] != components.labels[pair.b] for pair in components.undecided)

    folds = enpda.split(some_drugs(), (0.5, 0.5), **hurried)
    assert folds.undecided
    assert all(folds.components[pair.a] == folds.components[pair.b] for pair in folds.undecided)
    assert not near[np.ix_(folds.numbers == 0, folds.numbers == 1)].any()


@pytest.mark.slow
def test_undecided_pairs_within_a_component_are_left_out(monkeypatch):
    monkeypatch.setattr(near_module, "BLOCK", 1)
    source = near_module.near_pairs(some_drugs(), Options("analytic"), 0.45, None, 1, False)
    labels = source.components()
    apart = [pair for pair in source.undecided() if labels[pair.a] != labels[pair.b]]
    assert 0 < len(apart) < len(source.undecided())
    assert enpda.cluster(some_drugs(), min_similarity=0.45, method="analytic").undecided == apart


def test_undecided_similarities_have_bounds_on_both_sides():
    found = enpda.cluster(some_drugs(), min_similarity=0.45, algorithm="butina", method="analytic")
    assert found.undecided
    for pair in found.undecided:
        assert pair.found < 0.45 <= pair.possible <= 1
        assert pair.found <= drug_rows()["similarity"][pair.a, pair.b] <= pair.possible


# -- a finished matrix ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["components", "butina"])
def test_a_finished_matrix_gives_the_same_clusters_without_any_match(algorithm, asked, tmp_path):
    items = [*some_drugs()[:10], some_drugs()[3], "C", "C"]
    for own, threshold in (
        ({}, {"min_similarity": 0.4}),
        ({}, {"max_distance": 12}),
        ({"min_similarity": 0.3, "screened": "keep"}, {"min_similarity": 0.4}),
        ({"max_distance": 14, "out": tmp_path / algorithm}, {"max_distance": 12}),
    ):
        expected = enpda.cluster(items, algorithm=algorithm, **threshold)
        asked.clear()
        found = enpda.cluster(enpda.matrix(items, **own), algorithm=algorithm, **threshold)
        assert not asked
        assert found.members == expected.members
        assert found.pairs.known == found.pairs.all == 78


def test_a_matrix_that_left_its_pairs_open_leaves_them_undecided():
    found = enpda.cluster(enpda.matrix(some_drugs(), method="analytic"), min_similarity=0.6, algorithm="butina")
    assert found.undecided
    assert all(pair.found < 0.6 <= pair.possible for pair in found.undecided)


@pytest.mark.parametrize(
    ("make", "threshold", "message"),
    [
        ({"min_similarity": 0.5}, {"min_similarity": 0.4}, "less similar than 0.5 have no row; 0.4 is asked for"),
        ({"min_similarity": 0.5}, {"max_distance": 3}, "whatever their distance"),
        ({"max_distance": 5}, {"min_similarity": 0.4}, "whatever their similarity"),
        ({"max_distance": 5}, {"max_distance": 6}, "more than 5 apart have no row; 6 is asked for"),
        ({"other": ["CCO"]}, {}, "it compares two lists"),
        ({}, {"rules": Rules(bonds="any")}, "answers as it was made"),
        ({}, {"method": "fast"}, "answers as it was made"),
    ],
)
def test_a_matrix_that_cannot_answer_is_refused(make, threshold, message):
    made = enpda.matrix(["CCO", "CCN"], **make)
    with pytest.raises(InputError, match=message):
        enpda.cluster(made, **threshold)


def test_an_unfinished_matrix_is_refused(tmp_path):
    made = enpda.matrix(["CCO", "CCN"], out=tmp_path, chunks=(0, 0))
    with pytest.raises(InputError, match="it is not finished"):
        enpda.cluster(made)
