"""Clusters are those of all near pairs, whatever was skipped on the way."""

import json
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdkit.ML.Cluster import Butina

import enpda
from enpda import Constraints, Graph, InputError, Rules
from enpda.bulk import near as near_module
from enpda.bulk.rows import STATUSES
from near_pairs import (
    THRESHOLDS,
    drug_rows,
    lists_of_graphs,
    near_drugs,
    near_matrix,
    slow_butina,
    slow_components,
    some_drugs,
    without_time,
)


@pytest.mark.slow
@given(lists_of_graphs(), st.sampled_from(THRESHOLDS))
def test_components_are_those_of_all_near_pairs(items, threshold):
    found = enpda.cluster(items, threads=1, **threshold)
    near = near_matrix(items, **threshold)
    assert found.members == slow_components(near)
    assert not found.undecided


@pytest.mark.slow
@given(lists_of_graphs(), st.sampled_from(THRESHOLDS))
def test_butina_clusters_are_those_of_the_slow_way(items, threshold):
    found = enpda.cluster(items, algorithm="butina", threads=1, **threshold)
    assert found.members == slow_butina(near_matrix(items, **threshold))


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
        ({"items": 5}, "an iterable of molecules or graphs"),
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
