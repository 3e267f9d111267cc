"""Atoms and bonds are read in a few calls, and as they are: what RDKit says one by one judges that."""

import itertools

import pytest
from rdkit import Chem

from enpda import Graph, InputError
from enpda.chem.molecule import MATRIX_ATOMS, arrays_of
from enpda.data import drugs

ODD = {
    "CC.[Na+].[Cl-]": 1,
    "[H][H]": 1,
    "*C*": 2,
    "[2H]C#N": 2,
    "C~C": 1,
    "N->[Fe]<-N": 2,
    "C$C": 1,
    "[Rh]$[C]": 1,
    "C": 0,
}
TYPES = [kind for kind in Chem.BondType.names.values() if int(kind) <= 21]


def one_by_one(mol):
    """Labels, and edges with their labels, as plain as can be."""
    labels = [atom.GetAtomicNum() for atom in mol.GetAtoms()]
    ends = {
        (*sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())), int(bond.GetBondType())) for bond in mol.GetBonds()
    }
    return labels, sorted(ends)


def read(graph):
    edges = [(*edge, label) for edge, label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True)]
    return graph.labels.tolist(), edges


def two(kind, flag, *more):
    """Two atoms with a bond of a type, whether or not it says that it is aromatic, beside bonds of other types."""
    mol = Chem.RWMol()
    for number in (7, 6, *(8 for _ in more)):
        mol.AddAtom(Chem.Atom(number))
    for k, other in enumerate((kind, *more)):
        mol.AddBond(k + 1, k, other)
    mol.GetBondWithIdx(0).SetIsAromatic(flag)
    return mol


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_of_bond_keeps_its_number(kind, flag):
    for mol in (two(kind, flag), two(kind, flag, Chem.BondType.SINGLE), two(Chem.BondType.AROMATIC, flag, kind)):
        assert read(Graph.from_mol(mol)) == one_by_one(mol)


def test_molecules_are_read_as_they_are():
    for smiles in [*(graph.to_dict()["smiles"] for graph in drugs().values()), *ODD]:
        mol = Chem.MolFromSmiles(smiles, sanitize=False)
        assert read(Graph.from_mol(mol)) == one_by_one(mol)
        graph = Graph.from_smiles(smiles)
        assert read(graph) == one_by_one(graph.mol)
        assert graph == Graph(*arrays_of(graph.mol))
    assert {smiles: Graph.from_smiles(smiles).size for smiles in ODD} == ODD


def test_kekulised_bonds_that_say_they_are_aromatic_have_their_orders():
    mol = Chem.MolFromSmiles("c1ccccc1")
    Chem.Kekulize(mol, clearAromaticFlags=False)
    assert sorted(Graph.from_mol(mol).edge_labels.tolist()) == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    "smarts", ["C~C", "c:c", "C-,=C", "[#7]!-C", "[!#6]C", "[#6,#7]-[*]", "C@C", "a~A", "C=C-,:N#N"]
)
def test_queries_are_read_by_the_types_of_their_bonds(smarts):
    mol = Chem.MolFromSmarts(smarts)
    assert read(Graph.from_mol(mol)) == one_by_one(mol)


@pytest.mark.parametrize("atoms", [1, MATRIX_ATOMS, MATRIX_ATOMS + 1])
def test_large_molecules_are_read_as_small_ones_are(atoms):
    graph = Graph.from_smiles("N" + "C" * (atoms - 1))
    assert read(graph) == ([7] + [6] * (atoms - 1), [(k, k + 1, 1) for k in range(atoms - 1)])


def test_a_molecule_that_was_changed_is_read_anew_and_none_is_written_to():
    mol = Chem.RWMol(Chem.MolFromSmiles("CC=O"))
    Chem.GetAdjacencyMatrix(mol, useBO=True)  # RDKit keeps it, and would say the same again
    before = set(mol.GetPropNames(True, True))
    first = Graph.from_mol(mol)
    mol.GetBondWithIdx(1).SetBondType(Chem.BondType.TRIPLE)
    assert (first.edge_labels.tolist(), Graph.from_mol(mol).edge_labels.tolist()) == ([1, 2], [1, 3])
    assert set(mol.GetPropNames(True, True)) == before
    made = itertools.chain(Graph.from_smiles("CCO").mol.GetPropNames(True, True), first.mol.GetPropNames(True, True))
    assert not [name for name in made if name.startswith("enpda")]


def test_an_empty_molecule_is_an_empty_graph():
    assert len(Graph.from_mol(Chem.Mol())) == 0
    for wrong in (None, "CC", 5):
        with pytest.raises(InputError, match="an RDKit Mol is needed"):
            Graph.from_mol(wrong)
