"""Folds keep near pairs together."""

import dataclasses
import gzip
import json
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph, InputError, Library, Rules
from enpda.bulk.partition import FRACTIONS
from near_pairs import (
    THRESHOLDS,
    lists_of_graphs,
    near_drugs,
    near_matrix,
    slow_components,
    some_drugs,
)


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
