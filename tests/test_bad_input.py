"""What goes in wrong, and what the caller is told: one line a case."""

import math
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import enpda
from enpda import Graph, InputError


def mixed_networkx():
    g = nx.path_graph(3)
    g.nodes[0]["label"] = 6
    return g


def labelled(value, edge=None):
    g = nx.Graph()
    g.add_node(0, label=value)
    g.add_node(1, label=1)
    g.add_edge(0, 1, **({} if edge is None else {"label": edge}))
    return g


def pyg(**attributes):
    return SimpleNamespace(**attributes)


GRAPHS = [
    ("edge out of range", lambda: Graph([1, 2], [(0, 2)]), r"edge 0 is \(0, 2\) but the graph has 2 nodes"),
    ("negative node number", lambda: Graph([1, 2], [(0, 1), (-1, 0)]), r"edge 1 is \(-1, 0\)"),
    ("edge in an empty graph", lambda: Graph([], [(0, 1)]), "the graph has 0 nodes"),
    ("conflicting labels", lambda: Graph([1, 2], [(0, 1), (1, 0)], [3, 4]), r"edge \(0, 1\) is given twice with different labels, 3 and 4"),
    ("too few edge labels", lambda: Graph([1, 2, 3], [(0, 1), (1, 2)], [3]), "got 2 edges but 1 edge labels"),
    ("too many edge labels", lambda: Graph([1, 2], [(0, 1)], [3, 3]), "got 1 edges but 2 edge labels"),
    ("fractional label", lambda: Graph([1.5]), "labels must be whole numbers; got 1.5"),
    ("NaN label", lambda: Graph([math.nan]), "labels must be whole numbers; got nan"),
    ("infinite label", lambda: Graph([1, math.inf]), "labels must be whole numbers; got inf"),
    ("NaN edge label", lambda: Graph([1, 2], [(0, 1)], [math.nan]), "edge_labels must be whole numbers; got nan"),
    ("fractional node number", lambda: Graph([1, 2], [(0, 0.5)]), "edges must be whole numbers; got 0.5"),
    ("text label", lambda: Graph(["C", "O"]), "labels must be whole numbers; got 'C'"),
    ("mixed labels", lambda: Graph([1, None]), "labels must be whole numbers; got None"),
    ("a string for labels", lambda: Graph("CCO"), "labels must be a sequence of integers; got 'CCO'"),
    ("a number for labels", lambda: Graph(5), "labels must be a sequence of integers; got 5"),
    ("None for labels", lambda: Graph(None), "labels must be a sequence of integers; got None"),
    ("a number for edges", lambda: Graph([1], 5), "edges must be a sequence of integers; got 5"),
    ("edges of three", lambda: Graph([1, 2, 3], [(0, 1, 2)]), r"edges must be pairs of node numbers, shape \(edges, 2\); got shape \(1, 3\)"),
    ("flat edges", lambda: Graph([1, 2], [0, 1]), r"edges must be pairs.*got shape \(2,\)"),
    ("ragged edges", lambda: Graph([1, 2], [(0, 1), (0,)]), "rows of different lengths"),
    ("two-dimensional labels", lambda: Graph([[1, 2]]), r"labels must be one-dimensional; got shape \(1, 2\)"),
    ("complex labels", lambda: Graph(np.array([1j])), "labels must be whole numbers; got 1j"),
    ("label over 64 bits", lambda: Graph([2**64]), "labels must fit in 64 bits; got 18446744073709551616"),
    ("unsigned label over 63 bits", lambda: Graph(np.array([2**63], dtype=np.uint64)), "labels must fit in 64 bits"),
    ("huge float label", lambda: Graph([1e300]), "labels must fit in 64 bits"),
    ("too many nodes", lambda: Graph(np.zeros(1_000_001, dtype=int)), "graph has 1000001 nodes; at most 1000000"),
    ("name not text", lambda: Graph([1], name=5), "name must be a string; got 5"),
    ("not a SMILES", lambda: Graph.from_smiles("C1CC"), "not a SMILES: 'C1CC'"),
    ("nonsense SMILES", lambda: Graph.from_smiles("hello world"), "not a SMILES: 'hello world'"),
    ("empty SMILES", lambda: Graph.from_smiles("  "), "the SMILES is empty"),
    ("SMILES too long", lambda: Graph.from_smiles("C" * 20_001), "has 20001 characters; at most 20000"),
    ("SMILES with NUL", lambda: Graph.from_smiles("C\0C"), "NUL"),
    ("SMILES not text", lambda: Graph.from_smiles(6), "a SMILES must be a string; got 6"),
    ("not a Mol", lambda: Graph.from_mol("CCO"), "an RDKit Mol is needed; got 'CCO'"),
    ("None for a Mol", lambda: Graph.from_mol(None), "an RDKit Mol is needed; got None"),
    ("directed networkx", lambda: Graph.from_networkx(nx.DiGraph([(0, 1)])), "directed; convert it with .to_undirected"),
    ("not networkx", lambda: Graph.from_networkx([1]), r"a networkx graph is needed; got \[1\]"),
    ("some nodes without label", lambda: Graph.from_networkx(mixed_networkx()), "node 1 has no attribute 'label', though others have it"),
    ("a list as a label", lambda: Graph.from_networkx(labelled([6])), r"node 0 has label \[6\]; labels are .*; got \[6\], a list, which a tuple can stand for"),
    ("an object as a label", lambda: Graph.from_networkx(labelled(object())), "labels are whole numbers, text, .* a object"),
    ("a lone surrogate as a label", lambda: Graph.from_networkx(labelled("\ud800")), "a label must be Unicode text"),
    ("a label beyond 64 bits", lambda: Graph.from_networkx(labelled(2**63)), "labels must fit in 64 bits; got 9223372036854775808"),
    ("no number as a label", lambda: Graph.from_networkx(labelled(float("nan")), decimals=2), "a label must be finite; got nan"),
    ("a fraction as a label", lambda: Graph.from_networkx(labelled(0.5)), "0.5 is a fraction; decimals=N"),
    ("decimals", lambda: Graph.from_networkx(labelled(0.5), decimals=-1), "decimals must be a whole number from 0 to 15; got -1"),
    ("a list as an attribute", lambda: Graph.from_networkx(labelled(1), node=["x"]), "node must be the name of an attribute, or None"),
    ("too few names", lambda: Graph([1, 2], names=["x"]), "names must be one for each of 2 nodes; got 1"),
    ("names twice", lambda: Graph([1, 2, 3], names=["x", "y", "x"]), "no two nodes have the same name; 'x' is given twice"),
    ("lists as names", lambda: Graph([1], names=[["x"]]), "names of nodes must be hashable"),
    ("text as names", lambda: Graph([1], names="x"), "names must be a sequence"),
    ("fraction in networkx", lambda: Graph.from_networkx(labelled(1, edge=1.5)), r"edge \(0, 1\) has label 1.5"),
    ("conflict in a multigraph", lambda: Graph.from_networkx(nx.MultiGraph([(0, 1, {"label": 1}), (0, 1, {"label": 2})])), "different labels, 1 and 2"),
    ("PyG without edge_index", lambda: Graph.from_pyg(pyg(x=[1])), "Data with edge_index is needed"),
    ("PyG edge_index of wrong shape", lambda: Graph.from_pyg(pyg(edge_index=np.zeros((3, 2)))), r"edge_index must have shape \(2, edges\); got \(3, 2\)"),
    ("PyG conflicting directions", lambda: Graph.from_pyg(pyg(edge_index=np.array([[0, 1], [1, 0]]), edge_attr=np.array([1, 2]))), "different labels"),
    ("PyG three-dimensional x", lambda: Graph.from_pyg(pyg(edge_index=np.zeros((2, 0)), x=np.zeros((1, 1, 1)))), "one or two dimensions"),
    ("label that is no element", lambda: Graph([119]).to_mol(), r"node label 119 is not an atomic number \(0 to 118\)"),
    ("label that is no bond", lambda: Graph([6, 6], [(0, 1)], [0]).to_mol(), "edge label 0 is not an RDKit bond type"),
    ("dict without edges", lambda: Graph.from_dict({"labels": [1]}), "needs the keys 'labels' and 'edges'"),
    ("same_as something else", lambda: Graph([1]).same_as("C"), "same_as takes a Graph; got 'C'"),
]  # fmt: skip

MATCHES = [
    ("unknown method", {"method": "magic"}, "method must be one of 'auto'.*; got 'magic'"),
    ("unknown decoder", {"decoder": "greedy"}, "decoder must be one of 'growth', 'hungarian'; got 'greedy'"),
    ("negative rounds", {"rounds": -1}, "rounds must be a whole number from 0 to 10000; got -1"),
    ("fractional rounds", {"rounds": 1.5}, "rounds must be a whole number .*; got 1.5"),
    ("true for rounds", {"rounds": True}, "rounds must be a whole number .*; got True"),
    ("no samples", {"samples": 0}, "samples must be a whole number from 1"),
    ("text seed", {"seed": "x"}, "seed must be a whole number .*; got 'x'"),
    ("negative seed", {"seed": -1}, "seed must be a whole number from 0"),
    ("no time", {"time_limit": 0}, "time_limit must be seconds above 0, or None for no limit; got 0"),
    ("negative time", {"time_limit": -2.0}, "time_limit must be seconds above 0.*; got -2.0"),
    ("NaN time", {"time_limit": math.nan}, "time_limit must be seconds above 0.*; got nan"),
    ("text time", {"time_limit": "10"}, "time_limit must be seconds above 0.*; got '10'"),
]


@pytest.mark.parametrize(("make", "message"), [case[1:] for case in GRAPHS], ids=[case[0] for case in GRAPHS])
def test_a_bad_graph_says_what_was_given(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(("options", "message"), [case[1:] for case in MATCHES], ids=[case[0] for case in MATCHES])
def test_a_bad_option_says_what_is_accepted(options, message):
    with pytest.raises(InputError, match=message):
        enpda.match("CCO", "CCN", **options)


@pytest.mark.parametrize("item", [None, 5, b"CCO", ["CCO"], object()])
def test_match_says_what_it_takes(item):
    with pytest.raises(InputError, match="a Graph, SMILES string, RDKit Mol or networkx graph is needed; got"):
        enpda.match(item, "CCO")


def test_a_pair_beyond_memory_is_refused_before_it_is_built():
    big = Graph(np.zeros(9000, dtype=int))
    with pytest.raises(InputError, match="9000 x 9000 cells; at most 64000000"):
        enpda.match(big, big)
