"""The common part as chemistry: whatever is written down must be found again in both molecules."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem
from rdkit.Chem import rdDepictor

import enpda
from enpda import Graph, InputError, Match, Rules
from enpda.data import drug_pairs, drugs
from enpda.problem.rules import seen
from enpda.result.chemistry import fragments, to_mol
from enpda.result.smarts import ordered_smarts
from enpda_bench.datasets import fixed_pairs

PEPTIDE = "N" + "[C@@H](Cc1ccccc1)C(=O)N[C@@H](CCCCN)C(=O)N" * 15 + "CC(=O)O"
RULES = {
    "charge": Rules(atoms="element+charge"),
    "any": Rules(atoms="any", bonds="any"),
    "rings": Rules(atoms="element+ring", ring_bonds=True),
    "hydrogens": Rules(atoms="element+hydrogens+degree"),
    "aromatic": Rules(atoms="aromatic+valence+isotope", bonds="any", ring_bonds=True),
    "classes": Rules(atoms="element+charge", equivalent="[F,Cl,Br,I] [O,S] [#7;R]"),
    "weights": Rules(bonds="any", weights="order"),
}


def fits(atom: Chem.Atom, mol: Chem.Mol, v: int) -> bool:
    if "$" not in atom.GetSmarts():
        return atom.Match(mol.GetAtomWithIdx(v))
    return (v,) in mol.GetSubstructMatches(Chem.MolFromSmarts(atom.GetSmarts()))  # patterns inside need a search


def assert_found_again(match: Match) -> None:
    """The SMARTS is in both molecules, and by the very atoms and bonds of the match."""
    text, nodes = ordered_smarts(match)
    assert text == match.smarts
    query = Chem.MolFromSmarts(text)
    assert query is not None, text
    assert sorted(nodes) == sorted(match.mapping)
    assert query.GetNumBonds() == len(match.edges)
    for mol, image in ((match.a.mol, nodes), (match.b.mol, [match.mapping[i] for i in nodes])):
        assert mol.HasSubstructMatch(query) == bool(nodes), text
        for atom, v in zip(query.GetAtoms(), image, strict=True):
            assert fits(atom, mol, v), (text, atom.GetSmarts())
        for bond in query.GetBonds():
            there = mol.GetBondBetweenAtoms(image[bond.GetBeginAtomIdx()], image[bond.GetEndAtomIdx()])
            assert bond.Match(there), (text, bond.GetSmarts())


def assert_maps_agree(match: Match) -> None:
    """The mapped SMILES parse back to the two molecules, and their numbers to the match."""
    options = Chem.SmilesParserParams()
    options.removeHs = False
    places = []
    for text, mol in zip(match.mapped_smiles, (match.a.mol, match.b.mol), strict=True):
        again = Chem.MolFromSmiles(text, options)
        assert again.GetNumAtoms() == mol.GetNumAtoms()
        numbered = {atom.GetAtomMapNum(): atom.GetIdx() for atom in again.GetAtoms() if atom.GetAtomMapNum()}
        assert sorted(numbered) == list(range(1, match.nodes + 1))
        places.append((again, numbered))
        for atom in again.GetAtoms():
            atom.SetAtomMapNum(0)
        plain = Chem.Mol(mol)
        for atom in plain.GetAtoms():
            atom.SetAtomMapNum(0)
        assert Chem.MolToSmiles(again) == Chem.MolToSmiles(Chem.MolFromSmiles(Chem.MolToSmiles(plain), options))
    number = {i: k for k, i in enumerate(sorted(match.mapping), 1)}
    for (i, k), _ in match.edges:
        for again, numbered in places:
            assert again.GetBondBetweenAtoms(numbered[number[i]], numbered[number[k]]) is not None


def assert_cut_out(match: Match) -> None:
    """The molecule of the common part has the atoms and bonds of the match, and no others."""
    part = match.to_mol()
    assert [(atom.GetIntProp("a_index"), atom.GetIntProp("b_index")) for atom in part.GetAtoms()] == match.atom_map
    found = {(bond.GetIntProp("a_index"), bond.GetIntProp("b_index")) for bond in part.GetBonds()}
    assert found == set(match.bond_map)
    assert [atom.GetAtomicNum() for atom in part.GetAtoms()] == [
        match.a.mol.GetAtomWithIdx(i).GetAtomicNum() for i in match.mapping
    ]
    for bond in part.GetBonds():
        ends = [atom.GetIntProp("a_index") for atom in (bond.GetBeginAtom(), bond.GetEndAtom())]
        assert match.a.mol.GetBondBetweenAtoms(*ends).GetIdx() == bond.GetIntProp("a_index")
    assert (part.GetIntProp("size"), part.GetIntProp("upper")) == (match.size, match.upper)
    assert part.GetBoolProp("optimal") == match.optimal
    assert part.GetDoubleProp("similarity") == pytest.approx(match.similarity)
    assert Chem.MolToSmiles(part).count(".") == max(len(match.fragments) - 1, 0)


# -- drugs ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_smarts_of_all_pairs_of_drugs_is_found_again_in_both() -> None:
    pairs = list(combinations(drugs().values(), 2))
    assert len(pairs) >= 1_000
    for a, b in pairs:
        assert_found_again(enpda.match(a, b, method="fast"))


@pytest.mark.parametrize("name", RULES)
def test_smarts_keep_the_rules_of_their_match(name: str) -> None:
    for a, b in drug_pairs():
        assert_found_again(enpda.match(a, b, method="fast", rules=RULES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_whatever_the_smarts_finds_counts_as_the_same_under_the_rules(name: str) -> None:
    rules, others = RULES[name], 0
    for a, b in drug_pairs():
        text, nodes = ordered_smarts(enpda.match(a, b, method="fast", rules=rules))
        query, own = Chem.MolFromSmarts(text), seen(a, rules)
        kinds = {tuple(edge): label for edge, label in zip(own.edges.tolist(), own.edge_labels.tolist(), strict=True)}
        for graph in (a, b):
            there = seen(graph, rules)
            bonds = {tuple(e): x for e, x in zip(there.edges.tolist(), there.edge_labels.tolist(), strict=True)}
            for image in graph.mol.GetSubstructMatches(query, uniquify=False, maxMatches=20):
                others += image != tuple(nodes)
                assert there.labels[list(image)].tolist() == own.labels[nodes].tolist(), text
                for bond in query.GetBonds():
                    ends = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
                    here, found = (tuple(sorted(at[v] for v in ends)) for at in (nodes, image))
                    assert rules.weights is not None or kinds[here] == bonds[found], text
    assert others > 100  # the pattern was found in other places than its own


def test_mapped_smiles_and_cut_out_molecules_of_drugs_are_the_match() -> None:
    for a, b in drug_pairs():
        match = enpda.match(a, b, method="fast")
        assert_maps_agree(match)
        assert_cut_out(match)


@pytest.mark.slow
def test_the_smarts_of_real_pairs_is_found_again(data: Path) -> None:
    for name, pairs in fixed_pairs(data, ["molhiv"]).items():
        assert len(pairs) == 100, name
        for pair in pairs:
            match = enpda.match(pair.a, pair.b, method="fast")
            assert_found_again(match)
            assert_maps_agree(match)
            assert_cut_out(match)


# -- what the SMARTS says -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "rules", "smarts"),
    [
        ("CC(=O)OC", "CC(=O)O", None, "C-C(=O)-O"),
        ("Cc1ccccc1", "CC1CCCCC1", None, "C-[#6]"),
        ("c1ccccc1", "Cc1ccccc1", None, "c:1:c:c:c:c:c1"),
        ("CC#N", "CCC#N", None, "C-C#N"),
        ("C=CC=C", "CCCC", Rules(atoms="any", bonds="any"), "*~*~*~*"),
        ("CCCl", "CCBr", Rules(equivalent="[F,Cl,Br,I]"), "C-C-[F,Cl,Br,I]"),
        ("CCCl", "CCBr", Rules(equivalent=["[F,Cl,Br,I] halogens"]), "C-C-[F,Cl,Br,I]"),
        ("CCO", "CCS", Rules(equivalent="[O,S] [S,Cl]"), "C-C-[O,S]"),
        ("CCCl", "CCS", Rules(equivalent="[O,S] [S,Cl]"), "C-C"),
        ("C[O-]", "C[O-]", Rules(atoms="element+charge"), "[C;+0]-[O;-1]"),
        ("[13CH3]C", "[13CH3]C", Rules(atoms="isotope+element"), "[C;13*]-[C;0*]"),
        ("CO", "CO", Rules(atoms="element+hydrogens+degree"), "[C;D1;H3]-[O;D1;H1]"),
        ("CC1CC1", "CC1CC1", Rules(ring_bonds=True), "C-;!@C-;@1-;@C-;@C1"),
        ("C1CC1", "C1CC1", Rules(bonds="any", ring_bonds=True), "C@1@C@C1"),
        ("CN", "CN", Rules(atoms="ring+aromatic", bonds="any"), "[A;!R]~[A;!R]"),
        ("[Na]Cl", "[Na]Cl", None, "[Na]-Cl"),
        ("[se]1cccc1", "[se]1cccc1", None, "[#34;a]:1:c:c:c:c1"),
        ("[2H]C([2H])[2H]", "[2H]C", None, "[#1]-C"),
        ("*C", "*C", None, "[#0]-C"),
        ("N->[Cu]", "N->[Cu]", None, "N~[Cu]"),
        ("C", "C", None, ""),
        ("CC", "OO", None, ""),
    ],
)
def test_smarts_of_small_pairs(a: str, b: str, rules: Rules | None, smarts: str) -> None:
    match = enpda.match(a, b, rules=rules)
    assert match.smarts == smarts
    assert_found_again(match)


def test_atoms_outside_a_class_do_not_match_its_members() -> None:
    rules = Rules(equivalent="[C;R]", bonds="any")
    match = enpda.match("CC1CC1C", "CC1CC1C", rules=rules)
    assert_found_again(match)
    chain = enpda.match("CCC1CC1", "CCO", rules=rules)
    assert chain.smarts == "[C;!$([C;R])]~[C;!$([C;R])]"
    assert not Chem.MolFromSmiles("C1CC1").HasSubstructMatch(Chem.MolFromSmarts(chain.smarts))


def test_every_element_is_found_again() -> None:
    table = Chem.GetPeriodicTable()
    for number in range(1, 119):
        mol = Chem.MolFromSmiles(f"[{table.GetElementSymbol(number)}]-C", sanitize=False)
        mol.UpdatePropertyCache(strict=False)
        match = enpda.match(mol, mol)
        assert match.size == 1
        assert_found_again(match)


# -- odd molecules --------------------------------------------------------------------------------------------

ODD = {
    "salts": ("CC(=O)[O-].[Na+].Cl.O", "CC(=O)[O-].[K+].CCO"),
    "zwitterions": ("[NH3+]CC(=O)[O-]", "NCC(=O)O"),
    "nitro": ("C[N+](=O)[O-]", "c1ccccc1[N+](=O)[O-]"),
    "metals": ("[Fe+2].[CH-]1C=CC=C1", "Cl[Pt](Cl)(N)N"),
    "chelates": ("N1->[Cu]<-NCC1", "N1->[Cu]<-NCC1"),
    "single atoms": ("[Na+]", "[Na+].[Cl-]"),
    "nothing in common": ("FF", "CCO"),
    "quadruple": ("[Re]$[Re]", "[Re]$[Re]"),
    "stereo": ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)OC"),
    "mapped": ("[CH3:7][CH2:3][OH:9]", "[CH3:1]C[NH2:8]"),
    "cages": ("C12C3C4C1C5C2C3C45", "C1C2CC3CC1CC(C2)C3"),
    "buckyball": ("c12c3c4c5c1c1c6c7c2c2c8c3c3c9c4c4c%10c5c5c1c1c6c6c%11c7c2c2c7c8c3c3c8c9c4c4c9c%10c5c5c1c1c6c6c%11"
                  "c2c2c7c3c3c8c4c4c9c5c1c1c6c2c3c41", "c1ccc2cc3ccccc3cc2c1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_molecules_are_written_and_cut_like_others(name: str) -> None:
    for rules in (None, Rules(atoms="element+charge", ring_bonds=True)):
        match = enpda.match(*ODD[name], method="fast", rules=rules)
        assert_found_again(match)
        assert_maps_agree(match)
        assert_cut_out(match)


def test_hydrogens_that_are_nodes_are_part_of_it() -> None:
    ethanol, methanol = (Chem.AddHs(Chem.MolFromSmiles(text)) for text in ("CCO", "CO"))
    match = enpda.match(ethanol, methanol)
    assert match.smarts.count("[#1]") >= 2
    assert_found_again(match)
    assert_maps_agree(match)
    assert_cut_out(match)


def test_an_unsanitised_molecule_raises_nothing() -> None:
    graph = Graph([6] * 8 + [6] * 5, [(0, v) for v in range(1, 8)] + [(8 + v, 8 + (v + 1) % 5) for v in range(5)],
                  [1] * 7 + [12] * 5)  # fmt: skip
    mol = graph.to_mol()
    match = enpda.match(mol, mol)
    assert match.size == 12
    assert_found_again(match)
    assert_cut_out(match)
    assert len(match.mapped_smiles) == 2


def test_three_hundred_atoms_are_found_again() -> None:
    a = Graph.from_smiles(PEPTIDE)
    b = Graph.from_smiles(PEPTIDE.replace("CCCCN", "CCC(=O)O", 3))
    assert len(a) >= 290
    match = enpda.match(a, b, method="fast", time_limit=5)
    text, nodes = ordered_smarts(match)
    query = Chem.MolFromSmarts(text)
    for mol, image in ((a.mol, nodes), (b.mol, [match.mapping[i] for i in nodes])):
        assert all(atom.Match(mol.GetAtomWithIdx(v)) for atom, v in zip(query.GetAtoms(), image, strict=True))
        for bond in query.GetBonds():
            ends = image[bond.GetBeginAtomIdx()], image[bond.GetEndAtomIdx()]
            assert bond.Match(mol.GetBondBetweenAtoms(*ends))
    assert_maps_agree(match)
    assert_cut_out(match)


def test_long_chains_are_written_without_recursion() -> None:
    chain = Graph.from_smiles("C" * 3_000)
    match = Match(chain, chain, {v: v for v in range(3_000)}, bounds={"edge": 2_999}, method="core")
    assert match.smarts == "-".join("C" * 3_000)
    with pytest.raises(InputError, match="at most 1,000 atoms"):
        _ = match.mapped_smiles


def test_many_open_rings_get_numbers_of_their_own() -> None:
    rungs = 110  # a ladder: each rung closes a ring that was open before
    ends = [(v, v + 1) for v in range(2 * rungs - 1)] + [(v, 2 * rungs - 1 - v) for v in range(rungs - 1)]
    mol = Graph([6] * (2 * rungs), ends, [1] * len(ends)).to_mol()
    graph = Graph.from_mol(mol)
    match = Match(graph, graph, {v: v for v in range(len(graph))}, bounds={"edge": graph.size}, method="core")
    assert "%(100)" in match.smarts
    text, nodes = ordered_smarts(match)
    query = Chem.MolFromSmarts(text)
    bonds = {frozenset((nodes[b.GetBeginAtomIdx()], nodes[b.GetEndAtomIdx()])) for b in query.GetBonds()}
    assert bonds == {frozenset(edge) for edge in graph.edges.tolist()}


# -- pieces and maps ------------------------------------------------------------------------------------------


def test_fragments_come_largest_first_and_by_their_smallest_node() -> None:
    match = enpda.match("CC.CCO.CC.c1ccccc1", "CC.CCO.CC.c1ccccc1")
    assert match.fragments == [[7, 8, 9, 10, 11, 12], [2, 3, 4], [0, 1], [5, 6]]
    assert sorted(i for piece in match.fragments for i in piece) == sorted(match.mapping)


def test_maps_list_atoms_and_bonds_of_both_molecules() -> None:
    match = enpda.match("CCO", "NCC")
    assert match.atom_map == [(0, 1), (1, 2)]
    assert match.bond_map == [(0, 1)]


@st.composite
def molecules(draw: st.DrawFn) -> Graph:
    """Small molecules that nobody would make: trees and rings of a few elements and bond orders, not sanitised."""
    labels = draw(st.lists(st.sampled_from([1, 5, 6, 6, 7, 8, 30]), min_size=1, max_size=9))
    node = st.integers(0, len(labels) - 1)
    edges = {tuple(sorted(e)) for e in draw(st.lists(st.tuples(node, node), max_size=14)) if e[0] != e[1]}
    orders = draw(st.lists(st.sampled_from([1, 2, 3, 12, 17]), min_size=len(edges), max_size=len(edges)))
    return Graph.from_mol(Graph(labels, sorted(edges), orders).to_mol())


@pytest.mark.slow
@given(molecules(), molecules(), st.sampled_from([None, *RULES.values()]))
@settings(max_examples=150)
def test_whatever_the_molecules_the_smarts_is_found_again(a: Graph, b: Graph, rules: Rules | None) -> None:
    if rules is not None and rules.weights is not None:
        rules = Rules(bonds="any")  # weights are for the usual bond orders
    match = enpda.match(a, b, method="fast", rules=rules)
    assert_found_again(match)
    assert_cut_out(match)
    assert fragments(match) == match.fragments
    for one, other in combinations(match.fragments, 2):
        assert (-len(one), one[0]) < (-len(other), other[0])


# -- what is no molecule --------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["smarts", "mapped_smiles", "bond_map"])
def test_graphs_that_are_no_molecules_are_refused(what: str) -> None:
    plain, ethane = Graph([6, 6], [(0, 1)], [1], name="plain"), Graph.from_smiles("CC")
    for pair in ((plain, ethane), (ethane, plain)):
        match = enpda.match(*pair)
        assert match.size == 1
        with pytest.raises(InputError, match=r"two molecules are needed.*'plain', 2 nodes, 1 edges"):
            getattr(match, what)
        with pytest.raises(InputError, match="two molecules are needed"):
            to_mol(match)
        assert match.fragments == [[0, 1]]


def test_cutting_leaves_the_molecule_alone_and_keeps_coordinates() -> None:
    mol = Chem.MolFromSmiles("C[C@H](N)C(=O)O")
    mol.SetProp("IC50", "3 nM")
    rdDepictor.Compute2DCoords(mol)
    before = Chem.MolToSmiles(mol)
    match = enpda.match(mol, "CC(N)CO")
    part = match.to_mol()
    assert Chem.MolToSmiles(mol) == Chem.MolToSmiles(match.a.mol) == before
    assert "@" not in Chem.MolToSmiles(part)
    assert not part.HasProp("IC50")
    for atom in part.GetAtoms():
        here, there = part.GetConformer(), mol.GetConformer()
        assert list(here.GetAtomPosition(atom.GetIdx())) == list(there.GetAtomPosition(atom.GetIntProp("a_index")))
