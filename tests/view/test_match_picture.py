"""What a picture of a match shows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rdkit import Chem

from enpda import Graph
from enpda.result.match import Match
from enpda.view import match_html, match_svg
from enpda.view.molecule import Molecule, _flaws
from pictures import (
    ASPIRIN,
    PEPTIDE,
    SVG,
    aspirin_paracetamol,
    caffeine_theophylline,
    identity,
    matched,
    plain,
    positions,
    shared,
    side,
    tree,
    triangle_and_path,
    words,
)


@pytest.mark.parametrize("match", [aspirin_paracetamol(), caffeine_theophylline(), triangle_and_path()])
def test_both_sides_highlight_as_many_edges_and_nodes_as_are_shared(match: Match) -> None:
    svg = match_svg(match)
    for letter in "ab":
        bands, discs = shared(side(svg, letter))
        assert len(bands) == match.size
        assert len(discs) == match.nodes
        assert frozenset().union(*bands) == discs


def test_an_edge_between_matched_nodes_that_is_not_shared_gets_no_band() -> None:
    part = side(match_svg(triangle_and_path()), "a")
    bands, _ = shared(part)
    lines = next(e.get("d", "") for e in part.iter(f"{SVG}path") if e.get("class") == "edges")
    drawn = {frozenset(line.split("L")) for line in lines.split("M")[1:]}
    assert len(drawn) == 3
    assert len(bands) == 2
    assert bands < drawn


def changed(part: ET.Element) -> list[frozenset[str]]:
    bands = [e.get("d", "")[1:].split("L") for e in part.iter(f"{SVG}path") if e.get("class") == "changed-edge"]
    return [frozenset(ends) for ends in bands]


def test_an_unshared_bond_in_a_ring_of_matched_atoms_gets_a_mark_of_its_own() -> None:
    ring, chain = Graph.from_smiles("C1CCCCC1"), Graph.from_smiles("CCCCCC")
    match = matched(ring, chain, {v: v for v in range(6)})
    assert match.size == 5
    svg = match_svg(match)
    bands, discs = shared(side(svg, "a"))
    assert (len(bands), len(discs)) == (5, 6)
    (other,) = changed(side(svg, "a"))
    assert other not in bands
    assert other < discs
    assert changed(side(svg, "b")) == []


def test_bonds_that_changed_are_dashed_on_both_sides_and_those_to_unmatched_atoms_are_not() -> None:
    match = matched(Graph.from_smiles("CC=CC"), Graph.from_smiles("CC#CCO"), {0: 0, 1: 1, 2: 2, 3: 3})
    assert match.size == 2
    svg = match_svg(match)
    assert [len(changed(side(svg, letter))) for letter in "ab"] == [1, 1]
    groups = [e for e in tree(svg).iter(f"{SVG}g") if e.get("class") == "changed"]
    assert all(float(e.get("stroke-dasharray", "0")) > 0 for e in groups)


def test_partners_have_the_same_class_on_both_sides_and_in_the_table() -> None:
    match = aspirin_paracetamol()
    root = tree(match_html(match))
    for number, (i, j) in enumerate(match.mapping.items(), 1):
        for letter, v in (("a", i), ("b", j)):
            part = next(e for e in root.iter(f"{SVG}g") if e.get("class") == f"side-{letter}")
            (disc,) = [e for e in part.iter(f"{SVG}circle") if e.get("class") == f"pair-{number}"]
            marks = [e for e in part.iter(f"{SVG}circle") if e.get("class") == "shared-node"]
            places = sorted(match.mapping) if letter == "a" else [match.mapping[k] for k in sorted(match.mapping)]
            under = marks[places.index(v)]
            assert (disc.get("cx"), disc.get("cy")) == (under.get("cx"), under.get("cy"))
            assert f" {v}" in (disc[0].text or "")
        (row,) = [e for e in root.iter("tr") if e.get("class") == f"pair-{number}"]
        assert row[0].text == str(number)
        (style,) = root.iter("style")
        assert f".enpda-match:has(.pair-{number}:hover) .pair-{number}" in (style.text or "")
    assert f"pair-{match.nodes + 1}" not in match_html(match)


def test_matched_nodes_have_the_same_numbers_on_both_sides() -> None:
    svg = match_svg(triangle_and_path())
    for letter in "ab":
        numbers = next(e for e in side(svg, letter).iter(f"{SVG}g") if e.get("class") == "numbers")
        assert words(numbers) == ["1", "2", "3"]


def test_matched_atoms_are_numbered_and_other_notes_are_not_shown() -> None:
    mol = Chem.MolFromSmiles("[CH3:7]CO")
    mol.GetAtomWithIdx(2).SetProp("atomNote", "mine")
    a = Graph.from_mol(mol)
    svg = match_svg(matched(a, Graph.from_smiles("CCN"), {0: 0, 1: 1}))
    for letter in "ab":
        notes = [e for e in side(svg, letter).iter() if e.get("class") == "note"]
        assert len(notes) == 2
    assert mol.GetAtomWithIdx(0).GetAtomMapNum() == 7


@pytest.mark.slow
def test_numbers_that_nobody_could_read_are_left_out() -> None:
    graph = Graph.from_smiles(PEPTIDE)
    assert 200 <= len(graph) <= 300
    svg = match_svg(matched(graph, graph, identity(graph)), width=400, height=200)
    assert "class='note'" not in svg
    assert svg.count("class='shared-edge'") == 2 * graph.size


def test_the_second_molecule_is_drawn_like_the_first_up_to_a_shift() -> None:
    match = caffeine_theophylline()
    shift = positions(match, "b") - positions(match, "a")
    np.testing.assert_allclose(shift - shift.mean(0), 0.0, atol=0.2)


def test_the_second_plain_graph_is_turned_to_the_first() -> None:
    graph = plain(Graph.from_smiles(ASPIRIN))
    order = np.random.default_rng(3).permutation(len(graph))
    other = Graph(graph.labels[np.argsort(order)], order[graph.edges], graph.edge_labels)
    match = matched(graph, other, dict(enumerate(order.tolist())))
    shift = positions(match, "b") - positions(match, "a")
    np.testing.assert_allclose(shift - shift.mean(0), 0.0, atol=0.5)


def test_a_depiction_is_never_bent_to_follow_the_first() -> None:
    ring = Chem.MolFromSmiles("C1CCCCC1")
    line = Molecule(Chem.MolFromSmiles("CCCCCC")).points
    bonds = np.array([(v, (v + 1) % 6) for v in range(6)])
    guided = Molecule(ring, {v: tuple(line[v]) for v in range(6)}, exact=True)
    assert _flaws(guided.points, bonds) == 0
    assert _flaws(line, bonds) > 0  # the bond that would close the ring is long and crosses others


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("exact", [False, True])
def test_turned_and_mirrored_depictions_keep_their_stereochemistry(mirrored: bool, exact: bool) -> None:
    mol = Chem.MolFromSmiles("C[C@H](N)[C@@H](O)/C=C/Cl")
    points = Molecule(mol).points * [1, -1 if mirrored else 1]
    drawn = Molecule(mol, {v: tuple(points[v]) for v in range(mol.GetNumAtoms())}, exact)
    np.testing.assert_allclose(drawn.points, points, atol=0.05)
    drawn.turn(np.pi / 3)
    seen = Chem.Mol(drawn.mol)  # what a reader of the wedges understands
    for atom in seen.GetAtoms():
        atom.SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
    Chem.AssignChiralTypesFromBondDirs(seen)
    assert Chem.MolToSmiles(seen) == Chem.MolToSmiles(mol)


def test_captions_say_how_sure_we_are() -> None:
    match = aspirin_paracetamol()
    assert words(tree(match_svg(match)))[-1] == "9 bonds in common, proven optimal"
    unsure = matched(match.a, match.b, match.mapping, upper=11)
    assert words(tree(match_svg(unsure)))[-1] == "9 bonds in common, at most 11"
    assert words(tree(match_svg(triangle_and_path())))[-1] == "2 edges in common, proven optimal"
    one = matched(Graph.from_smiles("CO"), Graph.from_smiles("CO"), {0: 0, 1: 1})
    assert words(tree(match_svg(one))) == ["A", "B", "1 bond in common, proven optimal"]


def test_each_side_of_a_mixed_match_is_drawn_as_what_it_is() -> None:
    match = aspirin_paracetamol()
    for a, b in ((match.a, plain(match.b)), (plain(match.a), match.b)):
        svg = match_svg(matched(a, b, match.mapping))
        for letter, graph in (("a", a), ("b", b)):
            assert ("class='bond-0" in ET.tostring(side(svg, letter), encoding="unicode").replace('"', "'")) == (
                graph.mol is not None
            )
            assert len(shared(side(svg, letter))[0]) == 9


def test_two_drawings_of_a_match_colour_a_label_alike() -> None:
    svg = match_svg(matched(Graph([5, 9], [(0, 1)]), Graph([9, 1], [(0, 1)]), {}))
    tints = re.findall(r"class='label-9' fill='(#\w+)'", svg)
    assert len(tints) == 2
    assert tints[0] == tints[1]
