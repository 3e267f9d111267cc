import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import oracles
from enpda import _core
from strategies import graphs, molecules, random_graph, reordered

pairs = st.one_of(st.tuples(graphs(8), graphs(8)), st.tuples(molecules(), molecules()))
decoders = st.sampled_from(["growth", "hungarian"])


def recount(a, b, mapping):
    left, right = oracles.adjacency(a), oracles.adjacency(b)
    kept = [
        (u, v)
        for (u, v), label in zip(a.edges.tolist(), a.edge_labels.tolist(), strict=True)
        if u in mapping and v in mapping and right[mapping[u]].get(mapping[v]) == label
    ]
    assert all(left[u][v] is not None for u, v in kept)
    return kept


@pytest.mark.slow
@settings(max_examples=200)
@given(pairs, decoders, st.integers(0, 8), st.integers(1, 3))
def test_every_mapping_is_injective_label_legal_and_without_idle_nodes(pair, decoder, rounds, samples):
    a, b = pair
    m = enpda.match(a, b, "analytic", rounds=rounds, decoder=decoder, samples=samples)
    assert len(set(m.mapping.values())) == len(m.mapping) == m.nodes
    assert all(a.labels[i] == b.labels[j] for i, j in m.mapping.items())
    kept = recount(a, b, m.mapping)
    assert m.size == len(kept) == len(m.edges)
    assert {i for edge in kept for i in edge} == set(m.mapping)
    assert m.size <= m.upper
    assert m.distance == a.size + b.size - 2 * m.size


@settings(max_examples=100)
@given(pairs, decoders)
def test_swapping_the_arguments_gives_the_inverse_mappings_size(pair, decoder):
    a, b = pair
    there, back = enpda.match(a, b, "analytic", decoder=decoder), enpda.match(b, a, "analytic", decoder=decoder)
    assert (there.size, there.nodes, there.upper) == (back.size, back.nodes, back.upper)
    assert {j: i for i, j in there.mapping.items()} == back.mapping
    assert there.bounds == back.bounds


@pytest.mark.slow
def test_every_cap_is_at_least_the_brute_force_optimum_on_600_pairs():
    rng = np.random.default_rng(11)
    tight = 0
    for k in range(600):
        n, m = rng.integers(1, 7, 2)
        labels = 1 + k % 3
        a, b = (random_graph(rng, size, 0.3 + 0.5 * rng.random(), labels, 1 + k % 2) for size in (n, m))
        best, _ = oracles.brute_force(a, b)
        caps = _core.caps(a.core, b.core)
        assert min(caps.values()) >= best, (a.to_dict(), b.to_dict())
        tight += min(caps.values()) == best
        for decoder in ("growth", "hungarian"):
            assert enpda.match(a, b, "analytic", decoder=decoder).size <= best
    assert tight > 100  # the caps are not idle


@settings(max_examples=100)
@given(graphs(7), graphs(7))
def test_caps_equal_their_definitions(a, b):
    edge, histogram, assignment = _core.caps(a.core, b.core).values()
    assert edge == min(a.size, b.size)

    def signatures(g):
        labels = g.labels.tolist()
        return [
            (label, *sorted((labels[u], labels[v])))
            for (u, v), label in zip(g.edges.tolist(), g.edge_labels.tolist(), strict=True)
        ]

    left, right = signatures(a), signatures(b)
    assert histogram == sum(min(left.count(s), right.count(s)) for s in set(left))
    incident = [[[(e, g.labels[x]) for x, e in near.items()] for near in oracles.adjacency(g)] for g in (a, b)]
    weight = np.array(
        [
            [
                sum(min(x.count(s), y.count(s)) for s in set(x)) if a.labels[i] == b.labels[j] else 0
                for j, y in enumerate(incident[1])
            ]
            for i, x in enumerate(incident[0])
        ],
        dtype=np.int64,
    ).reshape(len(a), len(b))
    assert assignment == _core.assign(weight)[0] // 2


def test_growth_grows_along_preserved_edges():
    # A path in a longer path: growth finds all of it, one edge after the other.
    short, long = (
        enpda.Graph([0] * 6, [(k, k + 1) for k in range(5)]),
        enpda.Graph([0] * 9, [(k, k + 1) for k in range(8)]),
    )
    assert enpda.match(short, long, "analytic", decoder="growth").size == 5


def test_growth_opens_further_components():
    two = enpda.Graph([1, 2, 3, 4], [(0, 1), (2, 3)])
    m = enpda.match(two, enpda.Graph([3, 4, 1, 2], [(0, 1), (2, 3), (1, 2)]), "analytic")
    assert m.mapping == {0: 2, 1: 3, 2: 0, 3: 1}
    assert m.optimal


@pytest.mark.parametrize(
    ("a", "b", "size", "similarity"),
    [
        (enpda.Graph([]), enpda.Graph([]), 0, 1.0),
        (enpda.Graph([]), enpda.Graph([1, 1], [(0, 1)]), 0, 0.0),
        (enpda.Graph([5]), enpda.Graph([5]), 0, 0.0),
        (enpda.Graph([1, 1], [(0, 1)]), enpda.Graph([1, 1], [(0, 1)]), 1, 1.0),
        (enpda.Graph([1, 2], [(0, 1)]), enpda.Graph([3, 4], [(0, 1)]), 0, 0.0),
        (enpda.Graph([1, 2], [(0, 1)]), enpda.Graph([2, 1], [(0, 1)], [7]), 0, 0.0),
        (enpda.Graph([-1, -1], [(0, 1)], [-9]), enpda.Graph([-1, -1], [(0, 1)], [-9]), 1, 1.0),
    ],
)
def test_small_cases_have_defined_answers(a, b, size, similarity):
    for decoder in ("growth", "hungarian"):
        m = enpda.match(a, b, "analytic", decoder=decoder)
        assert (m.size, m.upper, m.optimal, m.similarity, m.status) == (size, size, True, similarity, "optimal")


@pytest.mark.slow
@settings(max_examples=60)
@given(pairs)
def test_a_match_survives_the_way_through_json(pair):
    m = enpda.match(*pair, seed=3)
    again = enpda.Match.from_json(m.to_json())
    assert again.to_dict() == m.to_dict()
    assert json.loads(m.to_json())["size"] == m.size


def test_johnson_similarity_and_distance_follow_their_formulas():
    m = enpda.match("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1")
    assert (m.size, m.nodes) == (9, 10)
    assert m.similarity == pytest.approx(19**2 / (26 * 22))
    assert m.distance == 13 + 11 - 18
    assert m.gap == 0


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({0: 0, 1: 0}, "uses a target node twice"),
        ({0: 2, 1: 1}, "joins different labels"),
        ({0: 0}, "touches no preserved edge"),
        ({0: 9}, "0 -> 9, but the graphs have 3 and 3 nodes"),
        ({7: 0}, "7 -> 0, but the graphs have 3 and 3 nodes"),
    ],
)
def test_an_illegal_mapping_never_becomes_a_match(mapping, message):
    g = enpda.Graph([6, 6, 8], [(0, 1), (1, 2)])
    with pytest.raises(enpda.InputError, match=message):
        enpda.Match(g, g, mapping, bounds={"edge": 2}, method="mine")


def test_a_bound_below_a_found_mapping_stops_everything():
    g = enpda.Graph([6, 6, 8], [(0, 1), (1, 2)])
    with pytest.raises(RuntimeError, match="a bound is wrong"):
        enpda.Match(g, g, {0: 0, 1: 1, 2: 2}, bounds={"edge": 1}, method="mine")


def test_a_tampered_match_is_refused():
    data = enpda.match("CCO", "CCO").to_dict()
    with pytest.raises(enpda.InputError, match="size is 2, not 3 as claimed"):
        enpda.Match.from_dict({**data, "size": 3})
    for change, message in (
        ({"upper": 9}, "upper is 2, not 9 as claimed"),
        ({"bounds": {"edge": 1}}, "the bound 'edge' is 2, not 1 as claimed"),
        ({"bounds": {"magic": 2}}, "the bound 'magic' is unknown, not 2 as claimed"),
        ({"stopped": "banana"}, "stopped must be null"),
        ({"mapping": {"x": 1}}, "a node of the mapping must be a whole number"),
        ({"mapping": {"0": 1, "1": 2, "2": 0}}, "illegal mapping"),
    ):
        with pytest.raises(enpda.InputError, match=message):
            enpda.Match.from_dict({**data, **change})
    with pytest.raises(enpda.InputError, match="needs the key 'bounds'"):
        enpda.Match.from_dict({k: v for k, v in data.items() if k != "bounds"})


def test_samples_never_lose_to_the_first_copy():
    rng = np.random.default_rng(5)
    better = 0
    for _ in range(20):
        a, b = (random_graph(rng, 24, 0.12, 2, 1) for _ in range(2))
        one, many = (enpda.match(a, b, "analytic", samples=k) for k in (1, 16))
        assert many.size >= one.size
        better += many.size > one.size
    assert better > 0


def test_all_kinds_of_input_give_the_same_match():
    from rdkit import Chem

    smiles = "CC(=O)Nc1ccc(O)cc1"
    g = enpda.Graph.from_smiles(smiles)
    for item in (smiles, Chem.MolFromSmiles(smiles), g.to_networkx(), g):
        assert enpda.match(item, "CC(=O)Oc1ccccc1C(=O)O").size == 9


def test_a_tiny_time_limit_still_returns_a_valid_bounded_match():
    rng = np.random.default_rng(2)
    a, b = (random_graph(rng, 300, 0.03, 1, 1) for _ in range(2))
    m = enpda.match(a, b, time_limit=1e-3)
    assert m.status == "time_limit"
    assert m.upper >= m.size >= 0


@pytest.mark.parametrize("copies", [2])
def test_reordered_copies_have_equal_bounds(copies):
    rng = np.random.default_rng(1)
    g = enpda.Graph.from_smiles("CN1CCC23C4Oc5c3c(CC1C2C=CC4O)ccc5O")
    h = enpda.Graph.from_smiles("COc1ccc2CC3N(C)CCC45C(Oc1c24)C(O)C=CC35")
    for _ in range(copies):
        shuffled = reordered(g, rng.permutation(len(g)))
        assert enpda.match(shuffled, h).bounds == enpda.match(g, h).bounds
