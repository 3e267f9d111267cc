import pickle
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph
from enpda.data import drugs
from strategies import graphs, molecules, random_graph, reordered

pytestmark = pytest.mark.native

anything = st.one_of(graphs(8), molecules())


def test_edges_are_sorted_and_given_once():
    g = Graph([1, 2, 3], [(2, 1), (1, 0), (1, 2)], [5, 4, 5])
    assert g.edges.tolist() == [[0, 1], [1, 2]]
    assert g.edge_labels.tolist() == [4, 5]
    assert (len(g), g.size) == (3, 2)


def test_self_loops_are_dropped():
    assert Graph([1, 2], [(0, 0), (0, 1), (1, 1)], [7, 8, 9]) == Graph([1, 2], [(0, 1)], [8])


def test_labels_may_be_any_64_bit_integers():
    labels = [0, -1, 2**63 - 1, -(2**63)]
    g = Graph(labels, [(0, 1)], [-(2**63)])
    assert g.labels.tolist() == labels
    assert g.edge_labels.tolist() == [-(2**63)]


def test_whole_numbers_of_other_types_are_taken():
    expected = Graph([1, 2], [(0, 1)], [3])
    assert Graph(np.array([1.0, 2.0]), np.array([[0, 1]], dtype=np.uint8), np.array([3], dtype=np.int16)) == expected
    assert Graph((x for x in (1, 2)), iter([(0, 1)]), [3.0]) == expected


def test_a_graph_cannot_be_changed():
    g = Graph([1, 2], [(0, 1)])
    with pytest.raises(AttributeError, match="immutable"):
        g.name = "x"
    with pytest.raises(AttributeError, match="immutable"):
        del g.name
    for array in (g.labels, g.edges, g.edge_labels):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


@given(anything)
def test_pickle_equality_and_hash_agree(g):
    again = pickle.loads(pickle.dumps(g))
    assert again == g
    assert hash(again) == hash(g)
    assert again.digest == g.digest
    assert (again.mol is None) == (g.mol is None)
    assert g != g.name


@given(graphs(7), graphs(7))
def test_digests_are_equal_exactly_for_equal_graphs(a, b):
    assert (a.digest == b.digest) == (a == b)


@given(anything, st.randoms(use_true_random=False))
def test_reordering_is_the_same_graph(g, random):
    h = reordered(g, np.array(random.sample(range(len(g)), len(g)), dtype=int))
    assert g.same_as(h)
    assert h.same_as(g)
    assert g.invariant_hash == h.invariant_hash


@pytest.mark.slow
@settings(max_examples=200)
@given(graphs(5, 2, 2), graphs(5, 2, 2))
def test_same_as_agrees_with_networkx(a, b):
    def same(x, y):
        return x["label"] == y["label"]

    expected = nx.is_isomorphic(a.to_networkx(), b.to_networkx(), node_match=same, edge_match=same)
    assert a.same_as(b) == expected


def test_same_as_tells_apart_what_colour_refinement_cannot():
    hexagon = Graph([0] * 6, [(k, (k + 1) % 6) for k in range(6)])
    triangles = Graph([0] * 6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    assert hexagon.invariant_hash == triangles.invariant_hash
    assert not hexagon.same_as(triangles)
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    shrikhande = nx.Graph()
    for x in range(4):
        for y in range(4):
            for dx, dy in ((0, 1), (1, 0), (1, 1)):
                shrikhande.add_edge((x, y), ((x + dx) % 4, (y + dy) % 4))
    r, s = Graph.from_networkx(rook), Graph.from_networkx(shrikhande)
    assert (len(r), r.size) == (len(s), s.size) == (16, 48)
    assert not r.same_as(s)
    assert s.same_as(reordered(s, np.random.default_rng(0).permutation(16)))


def test_same_as_does_not_backtrack_across_components():
    triangle, hexagon = [(0, 1), (1, 2), (2, 0)], [(k, (k + 1) % 6) for k in range(6)]

    def copies(count, extra=()):
        edges = [(3 * k + u, 3 * k + v) for k in range(count) for u, v in triangle]
        return edges + [(3 * count + u, 3 * count + v) for u, v in extra]

    many, other = Graph([0] * 60, copies(20)), Graph([0] * 60, copies(18, hexagon))
    assert many.invariant_hash == other.invariant_hash
    assert not many.same_as(other)
    assert other.same_as(reordered(other, np.random.default_rng(0).permutation(60)))


def test_same_as_is_quick_on_large_symmetric_graphs():
    star = Graph([0] * 3000, [(0, k) for k in range(1, 3000)])
    assert star.same_as(reordered(star, np.random.default_rng(0).permutation(3000)))
    edges = Graph([0] * 3000, [(2 * k, 2 * k + 1) for k in range(1500)])
    assert edges.same_as(reordered(edges, np.random.default_rng(0).permutation(3000)))


def test_components_are_listed_by_their_smallest_node():
    g = Graph([0] * 6, [(4, 1), (2, 5)])
    assert [c.tolist() for c in g.components()] == [[0], [1, 4], [2, 5], [3]]
    assert Graph([]).components() == []


@given(anything)
def test_components_agree_with_networkx(g):
    expected = sorted(sorted(c) for c in nx.connected_components(g.to_networkx()))
    assert [c.tolist() for c in g.components()] == expected


@pytest.mark.slow
def test_five_thousand_nodes_are_welcome():
    g = random_graph(np.random.default_rng(0), 5000, 0.0008, 4, 2)
    assert len(g) == 5000
    assert g.same_as(reordered(g, np.random.default_rng(1).permutation(5000)))
    assert pickle.loads(pickle.dumps(g)) == g


@pytest.mark.slow
@given(anything)
def test_networkx_round_trip(g):
    assert Graph.from_networkx(g.to_networkx()) == g


def test_networkx_without_labels_means_label_zero():
    g = Graph.from_networkx(nx.path_graph(["x", "y", "z"]))
    assert g == Graph([0, 0, 0], [(0, 1), (1, 2)])


def test_networkx_attributes_are_chosen_by_name():
    source = nx.Graph()
    source.add_node("p", kind=4)
    source.add_node("q", kind=5)
    source.add_edge("p", "q", bond=2.0)
    assert Graph.from_networkx(source, node="kind", edge="bond") == Graph([4, 5], [(0, 1)], [2])


def test_parallel_edges_of_a_multigraph_merge_when_alike():
    multi = nx.MultiGraph([(0, 1), (0, 1)])
    assert Graph.from_networkx(multi).size == 1


def test_pyg_data_with_labels_one_hot_or_no_attributes():
    both = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    edges = [(0, 1), (1, 2)]
    column = SimpleNamespace(x=np.array([[7, 1], [8, 1], [8, 0]]), edge_index=both, edge_attr=np.array([1, 1, 2, 2]))
    assert Graph.from_pyg(column) == Graph([7, 8, 8], edges, [1, 2])
    hot = SimpleNamespace(
        x=np.eye(3, dtype=np.float32)[[2, 0, 1]], edge_index=both, edge_attr=np.eye(2)[[1, 1, 0, 0]], num_nodes=3
    )
    assert Graph.from_pyg(hot) == Graph([2, 0, 1], edges, [1, 0])
    bare = SimpleNamespace(x=None, edge_index=both, edge_attr=None, num_nodes=4)
    assert Graph.from_pyg(bare) == Graph([0, 0, 0, 0], edges)
    assert Graph.from_pyg(SimpleNamespace(edge_index=both)) == Graph([0, 0, 0], edges)


@given(anything)
def test_a_graph_survives_the_way_through_a_dict(g):
    again = Graph.from_dict(g.to_dict())
    assert again == g
    assert (again.mol is None) == (g.mol is None)


def test_a_dict_whose_smiles_is_another_molecule_is_refused():
    data = Graph.from_smiles("CCO").to_dict()
    with pytest.raises(enpda.InputError, match="is not the graph beside it"):
        Graph.from_dict({**data, "smiles": "OCC"} | {"labels": [6, 6, 7]})


def test_repr_tells_name_and_size():
    assert repr(Graph.from_smiles("CCO", name="ethanol")) == "Graph('ethanol', 3 nodes, 2 edges)"
    assert repr(Graph([1])) == "Graph(1 nodes, 0 edges)"


@pytest.mark.parametrize("name", list(drugs()))
def test_smiles_to_graph_to_mol_and_back(name):
    g = drugs()[name]
    bare = Graph(g.labels, g.edges, g.edge_labels)  # no molecule remembered: rebuilt from labels alone
    assert Graph.from_mol(bare.to_mol()) == g
    assert Graph.from_mol(g.to_mol()) == g
    from rdkit import Chem

    sanitized = bare.to_mol()
    for atom in sanitized.GetAtoms():
        atom.SetNoImplicit(False)
    # Pyrrole-like nitrogens lose their hydrogen with the labels; all other molecules come back canonically.
    if "[nH]" not in Chem.MolToSmiles(g.mol):
        Chem.SanitizeMol(sanitized)
        assert Chem.MolToSmiles(sanitized) == Chem.MolToSmiles(g.mol)


@pytest.mark.parametrize("name", list(drugs()))
def test_the_shipped_drugs_have_their_published_formula(name):
    import csv
    from importlib import resources

    from rdkit.Chem.rdMolDescriptors import CalcMolFormula

    with (resources.files("enpda.data") / "drugs.csv").open(encoding="utf-8") as file:
        formula = {row["name"]: row["formula"] for row in csv.DictReader(file)}
    assert CalcMolFormula(drugs()[name].mol) == formula[name]


@pytest.mark.slow
def test_a_molecule_too_long_to_write_travels_without_smiles():
    g = Graph.from_smiles("C" * 19_000)
    assert g.to_dict()["smiles"] is None
    assert Graph.from_dict(g.to_dict()) == g


def test_explicit_hydrogens_of_a_mol_are_kept_and_of_a_smiles_folded():
    from rdkit import Chem

    assert len(Graph.from_mol(Chem.AddHs(Chem.MolFromSmiles("C")))) == 5
    assert len(Graph.from_smiles("[H]C([H])([H])[H]")) == 1


def test_changing_the_molecule_afterwards_does_not_change_the_graph():
    from rdkit import Chem

    mol = Chem.RWMol(Chem.MolFromSmiles("CCO"))
    g = Graph.from_mol(mol)
    mol.RemoveAtom(0)
    g.to_mol().GetAtomWithIdx(0).SetAtomicNum(9)
    assert g.to_mol().GetNumAtoms() == 3
    assert g.to_mol().GetAtomWithIdx(0).GetAtomicNum() == 6
