"""Labels of any kind and names of nodes, from networkx to the mapping of a match and back through files."""

import enum
import itertools
import json
import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph, InputError, Match, Rules, labels
from enpda.labels import Codes, code_of, plain
from strategies import graphs

WORDS = ["carbon", "nitrogen", "oxygen"]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Order(enum.IntEnum):
    SINGLE = 1
    DOUBLE = 2


def networked(graph: Graph, names=None, words=WORDS, kinds=("thin", "thick")) -> nx.Graph:
    """The same graph in networkx, with names on its nodes and words for its labels."""
    result = nx.Graph()
    names = [f"v{k}" for k in range(len(graph))] if names is None else names
    result.add_nodes_from((names[k], {"label": words[label]}) for k, label in enumerate(graph.labels.tolist()))
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        result.add_edge(names[u], names[v], label=kinds[label])
    return result


def path(*node_labels, edge_labels=None, names=None) -> nx.Graph:
    names = list(range(len(node_labels))) if names is None else names
    result = nx.Graph()
    result.add_nodes_from((name, {"label": label}) for name, label in zip(names, node_labels, strict=True))
    for k, (u, v) in enumerate(itertools.pairwise(names)):
        result.add_edge(u, v, **({} if edge_labels is None else {"label": edge_labels[k]}))
    return result


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)


# -- labels ------------------------------------------------------------------------------------------------


def test_integers_stay_themselves_whatever_type_they_have():
    given = path(6, 6.0, np.int64(6), True, Order.DOUBLE, np.float32(2))
    g = Graph.from_networkx(given)
    assert g.labels.tolist() == [6, 6, 6, 1, 2, 2]
    assert dict(g.label_names) == {}
    assert g.digest == Graph([6, 6, 6, 1, 2, 2], [(k, k + 1) for k in range(5)]).digest


@pytest.mark.parametrize("label", ["C", "", "é", ("a", 1), (), None, b"x", frozenset({"a", 2}), (("x",), None), "6"])
def test_any_other_label_is_a_code_that_the_graph_can_name(label):
    g = Graph.from_networkx(path(label, 1, label))
    first, second, third = g.labels.tolist()
    assert first == third != second == 1
    assert 0 <= first < 2**60
    assert g.label_names == {first: label}
    assert g.given_label(first) == label
    assert g.given_label(1) == 1


def test_a_code_never_changes():
    assert code_of("carbon") == 1101028896408493819
    assert code_of(("a", 1, None, b"x", frozenset({"b", "a"}), 0.5)) == 412613921681485721


def test_a_label_has_the_same_code_in_another_process():
    program = "from enpda.labels import code_of; print(code_of(('a', frozenset({'b', 'c', 'd'}))))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(run.stdout) == code_of(("a", frozenset({"b", "c", "d"})))


@given(ANY, ANY)
def test_labels_have_the_same_number_exactly_when_they_are_equal(x, y):
    codes = Codes()
    assert (codes.number(x) == codes.number(y)) == (x == y)


@given(ANY)
def test_labels_survive_json(x):
    label = plain(x)
    written = json.loads(json.dumps(labels.to_json(label)))
    assert labels.from_json(written) == label


def test_equal_labels_of_different_types_are_one_label():
    codes = Codes()
    assert codes.number((1, "x")) == codes.number((True, np.str_("x"))) == codes.number((1.0, "x"))
    assert codes.number("1") != codes.number(1)
    assert codes.number(("a", "b")) != codes.number(("ab",)) != codes.number(("", "ab"))


def test_members_of_an_enum_go_by_class_and_name():
    g = Graph.from_networkx(path(Colour.RED, Colour.BLUE, Colour.RED))
    assert [g.given_label(x) for x in g.labels.tolist()] == ["Colour.RED", "Colour.BLUE", "Colour.RED"]


def test_fractions_are_compared_after_the_rounding_that_was_asked_for():
    a = Graph.from_networkx(path(0.1 + 0.2, 1.0), decimals=6)
    b = Graph.from_networkx(path(0.3, 1.0000000001), decimals=6)
    assert a == b
    assert dict(a.label_names) == {int(a.labels[0]): 0.3}
    assert a.labels[1] == 1
    assert Graph.from_networkx(path(1.4, ("x", 1.6)), decimals=0).label_names.keys() == {code_of(("x", 2))}
    with pytest.raises(InputError, match=r"node 0 has label 0\.3\d*; labels must be whole .* a fraction; decimals=N"):
        Graph.from_networkx(path(0.1 + 0.2, 1.0))


def test_labels_nested_without_end_are_refused():
    deep = "x"
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(InputError, match="at most 16 tuples inside each other"):
        Graph.from_networkx(path(deep, 1))


def test_two_labels_with_one_number_are_refused(monkeypatch):
    monkeypatch.setattr(labels, "_hashed", lambda text: 7)
    with pytest.raises(InputError, match="'x' and 'y' have the same number 7"):
        Graph.from_networkx(path("x", "y"))
    with pytest.raises(InputError, match="7 and 'x' have the same number 7"):
        Graph.from_networkx(path("x", 7))
    with pytest.raises(InputError, match="have the same number 7"):
        Graph.from_networkx(path(7, "x"))
    a, b = Graph.from_networkx(path("x", "x")), Graph.from_networkx(path("y", "y"))
    with pytest.raises(InputError, match="'x' and 'y' have the same number 7"):
        enpda.match(a, b)


@settings(deadline=None, max_examples=25)
@given(graphs(6), graphs(6), st.randoms(use_true_random=False))
def test_words_and_names_change_no_size(a, b, random):
    plain_size = enpda.match(a, b).size
    names = random.sample([f"n{k}" for k in range(len(a))], len(a))
    m = enpda.match(networked(a, names), networked(b))
    assert m.size == plain_size
    assert m.optimal


@settings(deadline=None, max_examples=25)
@given(graphs(6), graphs(6))
def test_what_a_match_says_by_name_is_what_it_says_by_number(a, b):
    left, right = networked(a), networked(b, [("w", k) for k in range(len(b))])
    m = enpda.match(left, right)
    assert m.mapping == {f"v{i}": ("w", j) for i, j in m.index_mapping.items()}
    assert m.edges == [((f"v{i}", f"v{k}"), (("w", x), ("w", y))) for (i, k), (x, y) in m.index_edges]
    assert m.size == len(m.edges)
    for (i, k), (x, y) in m.edges:
        assert left.edges[i, k]["label"] == right.edges[x, y]["label"]
        assert (m.mapping[i], m.mapping[k]) == (x, y)
    for i, j in m.mapping.items():
        assert left.nodes[i]["label"] == right.nodes[j]["label"]


@settings(deadline=None, max_examples=25)
@given(graphs(6), graphs(6))
def test_names_and_labels_survive_pickle_dict_and_json(a, b):
    g = Graph.from_networkx(networked(a, [("v", k) for k in range(len(a))]))
    for again in (pickle.loads(pickle.dumps(g)), Graph.from_dict(json.loads(json.dumps(g.to_dict())))):
        assert again == g
        assert (again.names, again.label_names) == (g.names, g.label_names)
    m = enpda.match(g, networked(b))
    back = Match.from_json(m.to_json())
    assert (back.mapping, back.edges, back.index_mapping) == (m.mapping, m.edges, m.index_mapping)


# -- names -------------------------------------------------------------------------------------------------


def test_nodes_that_are_their_own_numbers_have_no_names():
    assert Graph.from_networkx(nx.path_graph(4)).names is None
    assert Graph.from_smiles("CCO").names is None
    assert Graph.from_networkx(nx.path_graph([0, 2, 1])).names == (0, 2, 1)
    m = enpda.match(nx.path_graph(3), nx.path_graph(3))
    assert m.mapping is m.index_mapping
    assert m.edges is m.index_edges
    assert "named_mapping" not in m.to_dict()
    assert {"names", "label_names"}.isdisjoint(m.to_dict()["a"])


def test_each_graph_speaks_in_its_own_names():
    m = enpda.match(nx.path_graph(["x", "y"]), Graph([0, 0], [(0, 1)]))
    assert {*m.mapping} == {"x", "y"}
    assert {*m.mapping.values()} == {0, 1}
    assert m.to_dict()["mapping"] == m.index_mapping
    assert [[name, j] for name, j in m.mapping.items()] == m.to_dict()["named_mapping"]


def test_names_are_no_part_of_a_graph_and_have_no_part_in_a_proof():
    named, bare = (
        Graph.from_networkx(path("C", "C", "O", names=["x", "y", "z"])),
        Graph.from_networkx(path("C", "C", "O")),
    )
    assert named == bare
    assert hash(named) == hash(bare)
    m = enpda.match(named, bare)
    assert m.certificate.content["mapping"] == [list(pair) for pair in m.index_mapping.items()]
    assert enpda.verify(m.certificate, (named, bare)).ok
    assert m.atom_map == list(m.index_mapping.items())
    assert m.fragments == [[0, 1, 2]]


def test_what_needs_numbers_takes_named_graphs():
    a = Graph.from_networkx(path("C", "C", "O", "C", names="pqrs", edge_labels=["s", "s", "d"]))
    b = Graph.from_networkx(path("O", "C", "C", "C", names="wxyz", edge_labels=["d", "s", "s"]))
    m = enpda.match(a, b)
    assert m.replaced(seconds=1.0).mapping == m.mapping
    assert all(set(found.mapping) <= set("pqrs") for found in m.enumerate_optima())
    again = enpda.certify(a, b, m.mapping)
    assert (again.size, again.mapping) == (m.size, m.mapping)
    with pytest.raises(InputError, match="speaks of 0, which is the name of no node"):
        enpda.certify(a, b, {0: 0})
    petersen = nx.relabel_nodes(nx.petersen_graph(), "abcdefghij".__getitem__)  # it has no cycle through all nodes
    found = enpda.match(petersen, nx.cycle_graph("klmnopqrst"), "analytic", bound="lp")
    assert found.numerical["lp"].value >= found.size == len(found.edges)
    assert set(found.mapping) <= set("abcdefghij")
    assert enpda.match_many([(a, b)])[0].mapping == m.mapping


def test_rules_see_words_as_they_see_numbers():
    def words(graph):
        return Graph.from_networkx(networked(graph))

    rng = np.random.default_rng(3)
    for _ in range(5):
        a, b = (
            Graph(rng.integers(0, 2, 7), rng.integers(0, 7, (10, 2)), np.zeros(10, dtype=int), name=None) for _ in "ab"
        )
        for rules in (Rules(ring_bonds=True), Rules(atoms="element+degree+ring"), Rules(bonds="any")):
            assert enpda.match(words(a), words(b), rules=rules).size == enpda.match(a, b, rules=rules).size
    weights = Rules(weights={"thin": 2, "thick": 5})
    a = Graph([0, 1, 2], [(0, 1), (1, 2)], [0, 1])
    assert enpda.match(words(a), words(a), rules=weights).size == 7
    assert Rules.from_dict(weights.to_dict()) == weights


def test_networkx_gives_back_what_it_was_given():
    given = networked(Graph([0, 1, 2, 0], [(0, 1), (1, 2), (2, 3)], [0, 1, 0]))
    again = Graph.from_networkx(given).to_networkx()
    assert dict(again.nodes(data=True)) == dict(given.nodes(data=True))
    assert nx.utils.edges_equal(again.edges(data=True), given.edges(data=True))


def test_a_name_that_json_does_not_hold_is_written_as_it_shows_itself():
    g = Graph([1, 1], names=[Colour.RED, 1 + 2j])
    again = Graph.from_dict(json.loads(json.dumps(g.to_dict())))
    assert again.names == ("<Colour.RED: 1>", "(1+2j)")
    alike = Graph([1, 1], names=[Colour.RED, "<Colour.RED: 1>"])
    assert "names" not in alike.to_dict()
    assert enpda.match(alike, alike).to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["x"]}, "names must be one for each of 2 nodes"),
        ({"names": "xy"}, "names must be a list"),
        ({"names": [{"x": 1}, "y"]}, "a label or a name is text"),
        ({"names": [{"bytes": "zz"}, "y"]}, "a label or a name is text"),
        ({"names": ["\ud800", "y"]}, "must be Unicode text"),
        ({"label_names": [[5, "carbon"]]}, "the label 'carbon' has another number than 5"),
        ({"label_names": [[5, 5]]}, "the label 5 has another number than 5"),
        ({"label_names": [[float(code_of("carbon")), "carbon"]]}, "has another number"),
        ({"label_names": [5]}, "pairs of a number and a label"),
        ({"label_names": {"5": "x"}}, "pairs of a number and a label"),
    ],
)
def test_a_document_cannot_say_what_is_not_so(change, message):
    with pytest.raises(InputError, match=message):
        Graph.from_dict({"labels": [1, 1], "edges": [[0, 1]], **change})


def test_a_match_whose_names_were_changed_is_refused():
    data = json.loads(enpda.match(path("C", "O", names="xy"), path("C", "O", names="pq")).to_json())
    assert Match.from_dict(data).mapping == {"x": "p", "y": "q"}
    data["named_mapping"][0][0] = "z"
    with pytest.raises(InputError, match="named_mapping is"):
        Match.from_dict(data)


def test_pictures_show_the_labels_that_were_given_and_nothing_of_them_is_executed():
    hostile = "<b>&"
    a = Graph.from_networkx(path(hostile, "Fe", "Fe", names=["<script>", "y", "z"], edge_labels=["'a'", "b"]))
    m = enpda.match(a, a)
    page = m._repr_html_()
    assert "&lt;b&gt;&amp;" in page
    assert "&lt;script&gt; (label &lt;b&gt;&amp;)" in page
    assert "<script>" not in page
    assert ">Fe</text>" in a._repr_svg_()
    assert ">&#x27;a&#x27;</text>" in a._repr_svg_()


def test_labels_that_are_no_elements_are_named_when_no_molecule_can_be_made():
    with pytest.raises(InputError, match="node label 'carbon' is not an atomic number"):
        Graph.from_networkx(path("carbon")).to_mol()


def test_so_many_labels_that_their_pairs_cannot_be_counted_in_32_bits():
    """65,536 labels of nodes and as many of edges: numbers for their pairs would come round to 0 again."""
    classes, extra = 65_536, 2_000
    edges, kinds = [(1, classes + k) for k in range(extra)], [0] * extra
    for step in (1, 2):
        for i in range(2, classes - step):
            if len(edges) - extra < classes:
                kinds.append(len(edges) - extra + 1)
                edges.append((i, i + step))
    target = enpda.Graph(list(range(classes)) + [0] * extra, edges, kinds)
    source = enpda.Graph([0, 1], [(0, 1)], [classes])
    for method in ("analytic", "fast", "auto"):
        assert enpda.match(source, target, method).size == 0
