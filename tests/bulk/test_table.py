"""A table of numbers holds, row by row, what `match_many` says about its pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Constraints, Graph, InputError, Rules, match_many, match_table
from enpda.data import drug_pairs
from strategies import graphs, molecules

pytestmark = pytest.mark.native

COLUMNS = ("size", "nodes", "upper", "nodes_upper", "gap", "optimal", "similarity", "distance", "status", "seconds")
TOLD = COLUMNS[:-1]
FEW = [*drug_pairs()[:3], ("CCO", "CCN"), ("C1CC1", "CCC"), ("C", "CC"), ("C.C", "CC")]
EMPTY = Graph([]), Graph([1, 1], [(0, 1)])


def rows(pairs, **options):
    return [tuple(getattr(m, name) for name in TOLD) for m in match_many(pairs, **options)]


def told(table):
    assert tuple(table.column_names) == COLUMNS
    return list(zip(*(table[name].to_pylist() for name in TOLD), strict=True))


@settings(max_examples=60)
@given(
    st.lists(st.one_of(st.tuples(graphs(), graphs()), st.tuples(molecules(), molecules())), max_size=5),
    st.fixed_dictionaries(
        {"method": st.sampled_from(["auto", "exact", "analytic"]), "threads": st.sampled_from([1, 3])},
        optional={
            "min_size": st.integers(0, 9),
            "min_similarity": st.sampled_from([0, 0.1, 0.5, 0.7, 1.0]),
            "max_distance": st.integers(0, 12),
            "most_nodes": st.just(False),
        },
    ),
)
def test_every_row_is_what_match_many_says(pairs, options):
    assert told(match_table(pairs, **options)) == rows(pairs, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "fast", "seed": 7},
        {"method": "core"},
        {"most_nodes": True},
        {"min_similarity": 0.6},
        {"min_similarity": np.float64(0.6), "min_size": np.int64(4)},
        {"max_distance": 8},
        {"bound": "rlt", "method": "analytic"},
        {"bound": "lp", "method": "analytic"},
        {"rules": Rules(bonds="any", ring_bonds=True)},
        {"rules": Rules(weights="order")},
        {"constraints": Constraints(rings="all", connected=True), "min_size": 4},
        {"constraints": Constraints(stereo=True)},
    ],
    ids=str,
)
def test_every_option_means_what_it_means_for_match_many(options):
    for threads in (1, 3):
        assert told(match_table(FEW, threads=threads, **options)) == rows(FEW, **options)


def test_empty_graphs_have_rows_like_others():
    pairs = [EMPTY, EMPTY[::-1], (EMPTY[0], EMPTY[0]), (EMPTY[1], EMPTY[1])]
    for options in ({}, {"min_similarity": 0.5}, {"min_similarity": 1.0}, {"max_distance": 0}, {"min_size": 1}):
        assert told(match_table(pairs, **options)) == rows(pairs, **options)


def test_nothing_in_an_empty_table_out():
    full, empty = match_table(FEW), match_table([])
    assert empty.num_rows == 0
    assert empty.schema == full.schema
    assert match_table(iter(())).schema == full.schema


def test_pairs_may_be_of_all_kinds_and_come_from_an_iterator():
    smiles = "CC(=O)Nc1ccc(O)cc1"
    graph = Graph.from_smiles(smiles, name="paracetamol")
    kinds = [smiles, graph, graph.to_mol(), graph.to_networkx()]
    table = match_table([one, other] for one in kinds for other in kinds)
    assert table["size"].to_pylist() == [graph.size] * 16
    fresh = match_table((Graph.from_smiles("C" * k), "CCCC") for k in range(1, 40))  # none of them is kept by anybody
    assert fresh["size"].to_pylist() == [min(k - 1, 3) for k in range(1, 40)]


def test_named_labels_stand_for_the_same_in_both_graphs_of_a_pair():
    one, other = (Graph([1, 1], [(0, 1)], label_names={1: name}) for name in "xy")
    assert match_table([(one, one), (other, other)])["size"].to_pylist() == [1, 1]
    with pytest.raises(InputError, match=r"^pair 1: .*the same number"):
        match_table([(one, one), (one, other)])


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("CC", "CO"), ("CC", "not a molecule")], "^pair 1: not a SMILES"),
        ([("CC",)], "^pair 0: two graphs are needed"),
        ([("CC", "CO"), 5], "^pair 1: two graphs are needed"),
        ([("CC", None)], "^pair 0: .*None"),
        (5, "pairs must be an iterable"),
    ],
)
def test_a_bad_pair_is_named_by_its_number(pairs, said):
    with pytest.raises(InputError, match=said):
        match_table(pairs)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "quick"}, "method must be"),
        ({"threads": 0}, "threads must be"),
        ({"seed": True}, "seed must be"),
        ({"min_size": -1}, "min_size must be"),
        ({"trace": True}, "match_table has no keyword 'trace'.*threads, device, rules"),
        ({"min_similarty": 0.5}, "is 'min_similarity' meant"),
        ({"rules": Rules(pinned={0: 0})}, "speak of one pair"),
        ({"rules": Rules(weights="order"), "min_similarity": 0.5}, "min_similarity counts edges"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        match_table([("CC", "CO")], **options)


def test_no_match_is_made_where_labels_alone_decide(monkeypatch):
    def never(*args, **keywords):
        raise AssertionError("a match was made")

    monkeypatch.setattr(enpda.Match, "of", never)
    monkeypatch.setattr(enpda.Match, "__init__", never)
    assert match_table(FEW, min_similarity=0.5).num_rows == len(FEW)
