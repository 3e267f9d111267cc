"""Graphs of other libraries: the same graph comes in by every door."""

import subprocess
import sys

import igraph
import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph, InputError
from enpda.given import as_graph
from strategies import graphs

WORDS = ["C", "N", ("O", 2)]


def in_networkx(g: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from((f"v{k}", {"label": WORDS[x]}) for k, x in enumerate(g.labels.tolist()))
    for (u, v), x in zip(g.edges.tolist(), g.edge_labels.tolist(), strict=True):
        result.add_edge(f"v{u}", f"v{v}", label=WORDS[x])
    return result


def in_igraph(g: Graph) -> igraph.Graph:
    result = igraph.Graph(n=len(g), edges=g.edges.tolist())
    result.vs["name"] = [f"v{k}" for k in range(len(g))]
    result.vs["label"] = [WORDS[x] for x in g.labels.tolist()]
    result.es["label"] = [WORDS[x] for x in g.edge_labels.tolist()]
    return result


def in_rustworkx(g: Graph) -> rx.PyGraph:
    result = rx.PyGraph()
    result.add_nodes_from([WORDS[x] for x in g.labels.tolist()])
    result.add_edges_from(
        [(u, v, WORDS[x]) for (u, v), x in zip(g.edges.tolist(), g.edge_labels.tolist(), strict=True)]
    )
    return result


def in_scipy(g: Graph, kind=sp.csr_array, values=None) -> sp.sparray:
    u, v = g.edges.T
    data = np.ones(g.size) if values is None else values
    return kind(sp.coo_array((np.r_[data, data], (np.r_[u, v], np.r_[v, u])), shape=(len(g), len(g)), dtype=float))


@settings(deadline=None, max_examples=40)
@given(graphs(7, 3, 3))
def test_the_same_graph_comes_in_by_every_door(g):
    first = Graph.from_networkx(in_networkx(g))
    by_igraph, by_rustworkx = as_graph(in_igraph(g)), as_graph(in_rustworkx(g))
    through = as_graph(rx.networkx_converter(in_networkx(g), keep_attributes=True))
    assert first == by_igraph == by_rustworkx == through
    assert first.label_names == by_igraph.label_names == by_rustworkx.label_names
    assert first.names == by_igraph.names == through.names
    assert by_rustworkx.names is None
    bare = as_graph(in_scipy(g))
    assert bare == Graph([0] * len(g), g.edges)
    whole = Graph.from_scipy(in_scipy(g, values=g.edge_labels + 1), [WORDS[x] for x in g.labels.tolist()], values=True)
    assert whole == Graph(first.labels, g.edges, g.edge_labels + 1)


@pytest.mark.parametrize("library", ["networkx", "rustworkx", "igraph", "scipy"])
def test_a_match_takes_graphs_of_every_library(library):
    g = Graph([0, 1, 2, 0], [(0, 1), (1, 2), (2, 3), (0, 3)], [0, 1, 0, 1])
    make = {"networkx": in_networkx, "rustworkx": in_rustworkx, "igraph": in_igraph, "scipy": in_scipy}[library]
    m = enpda.match(make(g), make(g))
    assert (m.size, m.optimal) == (4, True)
    assert len(enpda.Library.of([make(g)])) == 1


def test_what_is_no_graph_is_told_what_is():
    with pytest.raises(
        InputError, match=r"a Graph, SMILES string, RDKit Mol or networkx graph is needed; got 7 .*igraph"
    ):
        as_graph(7)


def test_no_library_is_imported_for_a_graph_that_is_not_its_own():
    program = (
        "import sys, networkx, enpda; enpda.match(networkx.path_graph(3), 'CCO');"
        "print({'rustworkx', 'igraph', 'scipy', 'torch'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


# -- directed graphs and parallel edges --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        (nx.DiGraph([(0, 1)]), r"the networkx graph is directed; convert it with \.to_undirected\(\)"),
        (igraph.Graph(n=2, edges=[(0, 1)], directed=True), r"the igraph graph is directed.*\.as_undirected\(\)"),
        (rx.PyDiGraph(), r"the rustworkx graph is directed; convert it with \.to_undirected\(\)"),
        (sp.csr_array(np.array([[0, 1], [0, 0]])), r"not symmetric, so that its graph is directed; A \+ A\.T"),
        (sp.csr_array(np.array([[0, 1], [2, 0]])), "not symmetric"),
    ],
)
def test_a_directed_graph_is_refused_with_what_to_do(given, advice):
    with pytest.raises(InputError, match=advice):
        as_graph(given)


def parallel(first, second):
    by_networkx = nx.MultiGraph()
    by_networkx.add_edge("x", "y", label=first)
    by_networkx.add_edge("y", "x", label=second)
    by_igraph = igraph.Graph(n=2, edges=[(0, 1), (1, 0)])
    by_igraph.vs["name"], by_igraph.es["label"] = ["x", "y"], [first, second]
    by_rustworkx = rx.PyGraph()
    by_rustworkx.add_nodes_from([{"__networkx_node__": "x"}, {"__networkx_node__": "y"}])
    by_rustworkx.add_edges_from([(0, 1, first), (1, 0, second)])
    return by_networkx, by_igraph, by_rustworkx


def test_parallel_edges_count_once_where_they_say_the_same():
    for multiple in parallel("s", "s"):
        g = as_graph(multiple)
        assert g.size == 1
        assert [g.given_label(x) for x in g.edge_labels.tolist()] == ["s"]


def test_parallel_edges_that_differ_are_refused_by_name_with_what_to_do():
    for multiple in parallel("s", "d"):
        with pytest.raises(
            InputError, match=r"the edge '[xy]' - '[xy]' is given twice with different labels, s and d; .*sorted tuple"
        ):
            as_graph(multiple)


# -- rustworkx ---------------------------------------------------------------------------------------------


def test_rustworkx_nodes_keep_their_indices_where_some_were_removed():
    g = rx.PyGraph()
    g.add_nodes_from(["a", "b", "c", "d"])
    g.add_edges_from([(0, 1, None), (1, 2, None), (2, 3, None)])
    g.remove_node(1)
    taken = as_graph(g)
    assert taken.names == (0, 2, 3)
    assert taken.edges.tolist() == [[1, 2]]
    assert enpda.match(g, g).mapping == {2: 2, 3: 3}


def test_rustworkx_dictionaries_are_asked_for_the_attribute():
    g = rx.PyGraph()
    g.add_nodes_from([{"kind": "a", "label": 1}, {"kind": "b", "label": 1}])
    g.add_edge(0, 1, {"weight": 0.25})
    taken = Graph.from_rustworkx(g, node="kind", edge="weight", decimals=1, name="pair")
    assert [taken.given_label(x) for x in (*taken.labels.tolist(), *taken.edge_labels.tolist())] == ["a", "b", 0.2]
    assert taken.name == "pair"
    assert Graph.from_rustworkx(g, node=None) == Graph([0, 0], [(0, 1)])


def test_rustworkx_names_that_two_nodes_share_are_no_names():
    g = rx.PyGraph()
    g.add_nodes_from([{"__networkx_node__": "x"}, {"__networkx_node__": "x"}])
    assert as_graph(g).names is None


def test_a_rustworkx_node_without_a_label_among_others_is_an_error():
    g = rx.PyGraph()
    g.add_nodes_from(["a", None])
    with pytest.raises(InputError, match="node 1 has no attribute 'label', though others have it"):
        as_graph(g)


# -- igraph ------------------------------------------------------------------------------------------------


def test_igraph_without_attributes_is_numbers_and_zeros():
    g = as_graph(igraph.Graph.Ring(5))
    assert g == Graph([0] * 5, [(k, (k + 1) % 5) for k in range(5)])
    assert g.names is None


def test_igraph_names_that_two_vertices_share_are_no_names():
    g = igraph.Graph(n=2, edges=[(0, 1)])
    g.vs["name"] = ["x", "x"]
    assert as_graph(g).names is None
    g.vs["name"] = ["x", None]
    assert as_graph(g).names is None


def test_an_igraph_vertex_without_a_label_among_others_is_an_error():
    g = igraph.Graph(n=2, edges=[(0, 1)])
    g.vs["name"], g.vs["kind"] = ["x", "y"], ["a", None]
    with pytest.raises(InputError, match="node 'y' has no attribute 'kind', though others have it"):
        Graph.from_igraph(g, node="kind")


# -- SciPy -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("style", ["array", "matrix"])
def test_every_sparse_format_is_taken(kind, style):
    g = Graph([0] * 4, [(0, 1), (1, 2), (0, 3)])
    assert as_graph(in_scipy(g, getattr(sp, f"{kind}_{style}"))) == g


def test_stored_zeros_the_diagonal_and_entries_in_parts_are_what_they_sum_to():
    rows, columns = [0, 1, 0, 1, 2, 2, 0, 2, 1], [1, 0, 1, 0, 2, 0, 2, 1, 2]
    given = sp.coo_array(([1, 2, 1, 0, 5, 0, 0, 3, 3], (rows, columns)), shape=(3, 3))
    before = given.data.copy()
    assert Graph.from_scipy(given, values=True) == Graph([0, 0, 0], [(0, 1), (1, 2)], [2, 3])
    assert np.array_equal(given.data, before)


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (sp.csr_array((2, 3)), {}, r"square; got shape \(2, 3\)"),
        (sp.coo_array((10**12, 10**12)), {}, "rows of the adjacency matrix must be a whole number from 0 to 1000000"),
        (sp.csr_array(np.array([[0, np.nan], [np.nan, 0]])), {}, "finite"),
        (sp.csr_array(np.array([[0, 1j], [1j, 0]])), {}, "whole or real numbers; got complex128"),
        (sp.csr_array(np.array([[0, 0.5], [0.5, 0]])), {"values": True}, r"edge \[0, 1\] has value 0.5; .*decimals=N"),
        (sp.csr_array((2, 2)), {"labels": ["x"]}, "one entry for each of 2 nodes; got 1"),
        (sp.csr_array((2, 2)), {"labels": 5}, "labels must be a sequence, one a node; got 5"),
        (np.zeros((2, 2)), {}, "a sparse matrix of SciPy"),
    ],
)
def test_a_matrix_that_is_no_adjacency_says_why(matrix, options, message):
    with pytest.raises(InputError, match=message):
        Graph.from_scipy(matrix, **options)


@given(st.integers(0, 15))
def test_values_are_rounded_as_asked(decimals):
    g = Graph.from_scipy(sp.csr_array(np.array([[0, 1 / 3], [1 / 3, 0]])), values=True, decimals=decimals)
    assert [g.given_label(x) for x in g.edge_labels.tolist()] == [round(1 / 3, decimals)]
