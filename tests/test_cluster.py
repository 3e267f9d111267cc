"""Clusters and folds are those of all near pairs, whatever was skipped on the way."""

import dataclasses
import gzip
import json
import subprocess
import sys
from functools import cache
from itertools import chain

import networkx as nx
import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit.ML.Cluster import Butina

import enpda
from enpda import Constraints, Graph, InputError, Library, Rules
from enpda.bulk import near as near_module
from enpda.bulk.near import Parts
from enpda.bulk.partition import FRACTIONS
from enpda.bulk.rows import STATUSES, _Plain
from enpda.cli import main
from enpda.data import drugs
from enpda.solve.options import Options
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


# -- clusters ------------------------------------------------------------------------------------------------


@given(lists_of_graphs(), st.sampled_from(THRESHOLDS))
def test_components_are_those_of_all_near_pairs(items, threshold):
    found = enpda.cluster(items, threads=1, **threshold)
    near = near_matrix(items, **threshold)
    assert found.members == slow_components(near)
    assert not found.undecided


@given(lists_of_graphs(), st.sampled_from(THRESHOLDS))
def test_butina_clusters_are_those_of_the_slow_way(items, threshold):
    found = enpda.cluster(items, algorithm="butina", threads=1, **threshold)
    assert found.members == slow_butina(near_matrix(items, **threshold))


@pytest.mark.parametrize(
    "threshold", [{"min_similarity": x} for x in (0.4, 0.55, 0.7)] + [{"max_distance": 12}], ids=str
)
def test_clusters_of_drugs_are_those_of_a_full_matrix(threshold):
    items, near = some_drugs(), near_drugs(**threshold)
    assert enpda.cluster(items, **threshold).members == slow_components(near)
    assert enpda.cluster(items, algorithm="butina", **threshold).members == slow_butina(near)


@pytest.mark.parametrize("cutoff", [5, 12, 20, 28])
def test_butina_clusters_are_those_of_rdkit(cutoff):
    # Of equals RDKit takes the last: it sees the list the other way round.
    distances = drug_rows()["distance"][::-1, ::-1]
    theirs = Butina.ClusterData(distances, len(distances), cutoff, isDistData=True)
    last = len(distances) - 1
    expected = {(last - some[0], frozenset(last - k for k in some)) for some in theirs}
    found = enpda.cluster(some_drugs(), max_distance=cutoff, algorithm="butina")
    assert {(some[0], frozenset(some)) for some in found.members} == expected


def test_the_result_says_the_same_in_every_way():
    found = enpda.cluster(some_drugs(), min_similarity=0.55, algorithm="butina")
    ids = [g.name for g in some_drugs()]
    assert len(found) == len(found.sizes) == found.labels.max() + 1
    assert found.sizes.tolist() == sorted(found.sizes, reverse=True) == [len(some) for some in found.clusters]
    assert sorted(chain(*found.clusters)) == sorted(ids)
    assert found.centroids == [some[0] for some in found.clusters]
    for k, some in enumerate(found.clusters):
        assert {found.labels[ids.index(x)] for x in some} == {k}
    table = found.table()
    assert table.column_names == ["id", "cluster", "is_centroid"]
    assert table["id"].to_pylist() == found.ids == ids
    assert table["cluster"].to_pylist() == found.labels.tolist()
    marked = [x for x, yes in zip(ids, table["is_centroid"].to_pylist(), strict=True) if yes]
    assert sorted(marked) == sorted(found.centroids)
    assert found.to_pandas().shape == (len(ids), 3)
    assert json.loads(found.to_json()) == found.to_dict()
    assert f"Clusters({len(found)} of {len(ids)} items, butina, similarity at least 0.55)" == repr(found)
    singles = enpda.cluster([Graph([k, k], [(0, 1)]) for k in range(12)])
    assert "and 2 more clusters" in singles._repr_html_()
    assert "<b>" not in enpda.cluster([Graph([1, 1], [(0, 1)], name="<b>")])._repr_html_()


def test_a_threshold_is_07_by_default():
    assert without_time(enpda.cluster(some_drugs())) == without_time(enpda.cluster(some_drugs(), min_similarity=0.7))


@pytest.mark.parametrize("algorithm", ["components", "butina"])
def test_the_number_of_threads_changes_nothing(algorithm, monkeypatch):
    monkeypatch.setattr(near_module, "BLOCK", 37)
    one, two = (enpda.cluster(some_drugs(), min_similarity=0.4, algorithm=algorithm, threads=t) for t in (1, 2))
    assert without_time(one) == without_time(two)


@pytest.mark.parametrize("block", [1, 5, 10_000])
def test_the_size_of_a_block_changes_no_cluster(block, monkeypatch):
    monkeypatch.setattr(near_module, "BLOCK", block)
    monkeypatch.setattr(near_module, "SIDE", 7)
    found = enpda.cluster(some_drugs(), min_similarity=0.4)
    assert found.members == slow_components(near_drugs(min_similarity=0.4))


@pytest.mark.parametrize(
    "asked",
    [
        {"rules": Rules(atoms="element+charge+hydrogens"), "min_similarity": 0.4},
        {"rules": Rules(bonds="any", weights="order"), "max_distance": 30},
        {"constraints": Constraints(rings="all"), "min_similarity": 0.4},
        {"constraints": Constraints(connected=True), "rules": Rules(ring_bonds=True), "max_distance": 14},
        {"constraints": Constraints(stereo=True), "max_distance": 12},
        {"method": "analytic", "min_similarity": 0.4},
    ],
    ids=lambda asked: " ".join(asked),
)
def test_rules_constraints_and_methods_are_those_of_match(asked):
    items = some_drugs()[:12]
    near = near_matrix(items, **asked)
    assert near.any()
    for algorithm, slow in (("components", slow_components), ("butina", slow_butina)):
        found = enpda.cluster(items, algorithm=algorithm, **asked)
        assert found.members == slow(near)
        assert found.pairs.alike == 0
        assert found.pairs.by_counts > 0


@pytest.mark.parametrize(
    "asked",
    [
        {"rules": Rules(atoms="any", bonds="any"), "max_distance": 8},
        {"rules": Rules(atoms="element+aromatic", ring_bonds=True), "min_similarity": 0.5},
        {"rules": Rules(bonds="any", weights="order"), "max_distance": 24},
        {"constraints": Constraints(min_fragment=4), "min_similarity": 0.5},
    ],
    ids=lambda asked: " ".join(asked),
)
def test_counts_exclude_no_pair_that_is_near_under_rules_or_constraints(asked):
    items = some_drugs()[:10]
    expected = near_matrix(items, **asked)
    rows = enpda.matrix(items, screened="keep", **asked).rows
    near = np.zeros_like(expected)
    kept = rows.status != STATUSES.index("below_threshold")
    value = rows.similarity >= asked["min_similarity"] if "min_similarity" in asked else kept
    near[rows.a[kept & value], rows.b[kept & value]] = True
    assert np.array_equal(near | near.T, expected)
    assert rows.screened.any()


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

    monkeypatch.setattr(_Plain, "by_question", early)
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_similarity": 0.5, "max_distance": 3}, "either min_similarity or max_distance"),
        ({"min_similarity": 0}, "must be above 0"),
        ({"min_similarity": 1.5}, "from 0 to 1"),
        ({"max_distance": -1}, "max_distance"),
        ({"algorithm": "kmeans"}, "'components', 'butina'; got 'kmeans'"),
        ({"threads": 0}, "threads"),
        ({"rules": Rules(pinned={0: 0})}, "speak of one pair"),
        ({"rules": Rules(weights="order")}, "cannot be asked with weights"),
        ({"items": 5}, "an iterable of graphs"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        enpda.cluster(**{"items": ["CCO"], **arguments})


def test_nothing_and_one_item():
    assert enpda.cluster([]).clusters == []
    assert enpda.cluster([], algorithm="butina").table().num_rows == 0
    assert enpda.cluster(["CCO"]).clusters == [["0"]]
    assert enpda.split([]).folds == {"train": [], "validation": [], "test": []}
    bad = enpda.cluster(["CCO", "zzz"])
    assert bad.to_dict()["rejects"][0]["line"] == 2


# -- folds ---------------------------------------------------------------------------------------------------


@given(lists_of_graphs(), st.sampled_from(THRESHOLDS), st.integers(0, 3))
@settings(max_examples=40)
def test_no_near_pair_is_in_two_folds(items, threshold, seed):
    found = enpda.split(items, (0.6, 0.2, 0.2), seed=seed, threads=1, **threshold)
    near = near_matrix(items, **threshold)
    assert not (near & (found.numbers[:, None] != found.numbers[None, :])).any()
    assert sorted(chain(*found.folds.values())) == sorted(found.library.ids)
    alike = [[a.same_as(b) for b in items] for a in items]
    assert all(found.numbers[i] == found.numbers[j] for i, j in np.argwhere(alike))


def test_folds_come_close_to_their_fractions():
    singles = [Graph([k, k], [(0, 1)]) for k in range(50)]
    found = enpda.split(singles, max_distance=0)
    assert found.targets == FRACTIONS
    assert found.fractions == FRACTIONS
    assert found.warning is None
    assert found.largest == 1
    assert enpda.split(singles, [0.25] * 4, max_distance=0).folds.keys() == {f"fold {k}" for k in range(4)}


def test_the_largest_component_is_dealt_first_and_too_large_a_one_is_told():
    items = ["C" * n for n in (12, 13, 14, 15, 16, 17)] + ["OO", "NN", "FF", "SS"]
    found = enpda.split(items, {"train": 0.6, "test": 0.4}, min_similarity=0.7)
    assert found.folds == {"train": list("012345"), "test": list("6789")}
    assert found.warning is None
    found = enpda.split(items, {"a": 0.5, "b": 0.5}, min_similarity=0.7)
    assert found.largest == 6
    assert found.fractions == {"a": 0.6, "b": 0.4}
    assert "one component holds 6 of 10 items, more than any fold should (50%)" in found.warning
    assert found.warning in found._repr_html_()


def test_a_seed_decides_between_equals_and_threads_do_not():
    items = [Graph([k, k], [(0, 1)]) for k in range(20)]
    folds = [enpda.split(items, max_distance=0, seed=seed, threads=t).folds for seed in (0, 1) for t in (1, 2)]
    assert folds[0] == folds[1]
    assert folds[2] == folds[3]
    assert folds[0] != folds[2]


def test_verify_finds_what_a_wrong_split_leaks():
    found = enpda.split(some_drugs(), (0.5, 0.5), min_similarity=0.5)
    assert found.verify().num_rows == 0
    broken = dataclasses.replace(found, numbers=np.arange(len(some_drugs())) % 2)
    leaks = {tuple(sorted(pair)) for pair in zip(*map(broken.verify().to_pydict().get, ("id_a", "id_b")), strict=True)}
    names = [g.name for g in some_drugs()]
    expected = np.argwhere(np.triu(near_drugs(min_similarity=0.5)))
    assert leaks == {tuple(sorted((names[i], names[j]))) for i, j in expected if i % 2 != j % 2}
    assert leaks


def test_a_split_by_the_myopic_distance_takes_rules():
    rules = Rules(bonds="any", weights="order")
    found = enpda.split(some_drugs()[:12], (0.5, 0.5), max_distance=30, rules=rules)
    near = near_matrix(some_drugs()[:12], max_distance=30, rules=rules)
    assert near.any()
    assert not near[np.ix_(found.numbers == 0, found.numbers == 1)].any()
    assert found.verify().num_rows == 0


def test_a_split_says_the_same_in_every_way():
    found = enpda.split(some_drugs())
    table = found.table()
    assert table.column_names == ["id", "smiles", "fold"]
    assert table["fold"].to_pylist() == found.labels.tolist() == found.to_pandas()["fold"].tolist()
    for name, fold in found.folds.items():
        assert [k for k, own in zip(found.library.ids, found.labels, strict=True) if own == name] == fold
    assert json.loads(found.to_json()) == found.to_dict()
    assert repr(found).endswith("; near: distance at most 10)")
    assert enpda.split(enpda.matrix(some_drugs(), max_distance=10)).folds == found.folds


@pytest.mark.parametrize(
    ("fractions", "message"),
    [
        ((0.8, 0.1), "must add up to 1"),
        ((), "must add up to 1"),
        (5, "a mapping or numbers"),
        ({"a": 1.5, "b": -0.5}, "the fraction of a must be a number from 0 to 1"),
        ({1: 1.0}, "called by a string"),
    ],
)
def test_bad_fractions_are_refused(fractions, message):
    with pytest.raises(InputError, match=message):
        enpda.split(["CCO"], fractions)


# -- real data -----------------------------------------------------------------------------------------------


def test_metabolites_are_split_without_a_leak(data):
    with gzip.open(data / "massspecgym.smi.gz", "rt", encoding="utf-8") as file:
        smiles = [line.split()[0] for line, _ in zip(file, range(150), strict=False)]
    library = Library.of(smiles)
    table = enpda.matrix(library, max_distance=10)
    near = table.dense("distance", fill=99) <= 10
    np.fill_diagonal(near, False)
    assert enpda.cluster(library, max_distance=10).members == slow_components(near)
    found = enpda.split(library)
    assert not near[found.numbers[:, None] != found.numbers[None, :]].any()
    assert found.verify().num_rows == 0


# -- the command line ----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.smi"
    lines = ["CCCO a", "CCCCO b", "not! c", "c1ccccc1 d", "Cc1ccccc1 e", "CCCCCO f"]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_cluster_prints_and_writes(file, tmp_path, capsys):
    out = tmp_path / "clusters.csv"
    assert main(["cluster", str(file), "--min-similarity", "0.6", "-o", str(out)]) == 0
    printed, told = capsys.readouterr()
    assert "2 of 5 items (components, similarity at least 0.6)" in printed
    assert "a, b, f" in printed
    assert told.startswith("enpda: records that are left out, because they cannot be read: 1; the first: ")
    assert told.endswith("line 3: not a SMILES: 'not!'\n")
    assert pyarrow.csv.read_csv(out)["cluster"].to_pylist() == [0, 0, 1, 1, 0]


def test_cluster_json_is_to_dict(file, capsys):
    arguments = ["--max-distance", "1", "--algorithm", "butina", "--threads", "1", "--json"]
    assert main(["cluster", str(file), *arguments]) == 0
    expected = enpda.cluster(file, max_distance=1, algorithm="butina")
    assert {**json.loads(capsys.readouterr().out), "seconds": 0} == without_time(expected)


def test_cluster_takes_rules_and_constraints(file, capsys):
    assert main(["cluster", str(file), "--atoms", "any", "--bonds", "any", "--min-similarity", "0.3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == [5]
    assert main(["cluster", str(file), "--connected", "--rings", "all", "--max-distance", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == [3, 2]


def test_split_prints_and_writes(file, tmp_path, capsys):
    out = tmp_path / "folds.parquet"
    asked = ["split", str(file), "--max-distance", "3", "--verify", "-o", str(out)]
    assert main([*asked, "--fractions", "train:0.6,test:0.4"]) == 0
    printed, _ = capsys.readouterr()
    assert "train       3 items, 60.0% (60.0% wanted)" in printed
    table = pyarrow.parquet.read_table(out)
    assert table["fold"].to_pylist() == ["train", "train", "test", "test", "train"]
    assert table["smiles"].to_pylist()[0] == "CCCO"
    assert main([*asked, "--fractions", "0.4,0.3,0.3", "--json"]) == 0
    printed, told = capsys.readouterr()
    assert json.loads(printed)["folds"] == {"train": ["a", "b", "f"], "validation": ["d", "e"], "test": []}
    assert "one component holds 3 of 5 items" in told


def test_a_leak_ends_with_exit_code_1(file, capsys, monkeypatch):
    monkeypatch.setattr(enpda.Split, "verify", lambda *_: ["a pair"])
    assert main(["split", str(file), "--verify"]) == 1
    assert "1 pairs across folds are near or undecided" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cluster"], "FILE"),
        (["cluster", "/nonexistent.smi"], "no such file"),
        (["cluster", "FILE", "--min-similarity", "0.5", "--max-distance", "3"], "either"),
        (["cluster", "FILE", "-o", "clusters.txt"], "must end in .csv or .parquet"),
        (["cluster", "FILE", "-o", "/nonexistent/clusters.csv"], "cannot write the table"),
        (["cluster", "FILE", "--pin", "0:0"], "speak of one pair"),
        (["split", "FILE", "--fractions", "0.8,x"], "--fractions takes numbers"),
        (["split", "FILE", "--fractions", "a:0.8,0.2"], "a name of its own"),
        (["split", "FILE", "--fractions", "0.8,0.8"], "add up to 1"),
    ],
)
def test_bad_usage_exits_2_without_a_traceback(arguments, message, file, capsys):
    assert main([str(file) if text == "FILE" else text for text in arguments]) == 2
    printed, told = capsys.readouterr()
    assert message in told
    assert "Traceback" not in told
    assert printed == ""


def test_a_file_without_a_graph_is_refused(tmp_path, capsys):
    path = tmp_path / "empty.smi"
    path.write_text("not!\n", encoding="utf-8")
    assert main(["cluster", str(path)]) == 2
    assert "no graph can be read" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cluster", "split"])
def test_help_has_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"enpda {command}" in capsys.readouterr().out.split("Example")[1]


def test_the_names_cost_no_heavy_import():
    code = "import sys, enpda; enpda.cluster, enpda.split; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"rdkit", "pyarrow", "scipy", "networkx", "tqdm"} & set(loaded)
