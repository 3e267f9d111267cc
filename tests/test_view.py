"""Pictures are checked by their structure; only our own drawings of plain graphs have golden files.

After a change of looks: `PYTHONPATH=src python tests/test_view.py` writes the golden files anew. Look at them.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem

import enpda
from enpda import Graph, InputError
from enpda.result.match import Match
from enpda.view import graph_svg, grid, match_html, match_svg, report, save
from enpda.view.layout import onto, place
from enpda.view.molecule import Molecule, _flaws
from enpda.view.raster import png

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
PARACETAMOL = "CC(=O)Nc1ccc(O)cc1"
PEPTIDE = "N" + "[C@@H](Cc1ccccc1)C(=O)N[C@@H](CCCCN)C(=O)N" * 10 + "CC(=O)O"


def matched(a: Graph, b: Graph, mapping: dict[int, int], upper: int | None = None) -> Match:
    size = Match(a, b, mapping, bounds={"any": 10**6}, method="core").size
    return Match(a, b, mapping, bounds={"any": size if upper is None else upper}, method="core", seconds=0.0123)


def identity(graph: Graph) -> dict[int, int]:
    return {v: v for v in np.unique(graph.edges).tolist()}


def plain(graph: Graph) -> Graph:
    return Graph(graph.labels, graph.edges, graph.edge_labels, graph.name)


def aspirin_paracetamol() -> Match:
    a, b = Graph.from_smiles(ASPIRIN, "aspirin"), Graph.from_smiles(PARACETAMOL, "paracetamol")
    return matched(a, b, {0: 0, 1: 1, 2: 2, 3: 8, 4: 7, 5: 9, 6: 10, 7: 4, 8: 5, 9: 6})


def caffeine_theophylline() -> Match:
    a, b = Graph.from_smiles("Cn1c(=O)c2c(ncn2C)n(C)c1=O"), Graph.from_smiles("Cn1c(=O)c2[nH]cnc2n(C)c1=O")
    return matched(a, b, {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 8: 5, 7: 6, 6: 7, 5: 8, 10: 9, 11: 10, 12: 11, 13: 12})


def triangle_and_path() -> Match:
    """All three nodes are matched, two of the triangle's three edges are shared."""
    triangle = Graph([1, 2, 3], [(0, 1), (1, 2), (0, 2)], name="triangle")
    return matched(triangle, Graph([1, 2, 3, 3], [(0, 1), (1, 2), (1, 3)], name="fork"), {0: 0, 1: 1, 2: 2})


def house() -> Graph:
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (3, 4), (5, 6)]
    return Graph([6, 6, 8, 7, 6, 17, 6, 6], edges, [1, 1, 2, 1, 1, 1, 3], name="house, street and tree")


def large(nodes: int, edges: int) -> Graph:
    rng = np.random.default_rng(1)
    return Graph(rng.integers(0, 4, nodes), rng.integers(0, nodes, (edges, 2)))


def golden_pictures() -> dict[str, str]:
    return {
        "graph.svg": graph_svg(house()),
        "match.svg": match_svg(triangle_and_path(), width=480, height=260),
        "summary.svg": graph_svg(large(5_000, 12_000)),
        "grid.svg": grid([triangle_and_path()] * 3, width=300, height=200),
        "report.html": report([triangle_and_path(), matched(house(), house(), identity(house()), 9)], title="Plain"),
    }


def tree(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def side(svg: str, letter: str) -> ET.Element:
    found = tree(svg).find(f"{SVG}g[@class='side-{letter}']")
    assert found is not None
    return found


def shared(part: ET.Element) -> tuple[set[frozenset[str]], set[str]]:
    """Ends of the bands and centres of the discs, as they are written."""
    bands = [e.get("d", "")[1:].split("L") for e in part.iter(f"{SVG}path") if e.get("class") == "shared-edge"]
    discs = [e for e in part.iter(f"{SVG}circle") if e.get("class") == "shared-node"]
    return {frozenset(ends) for ends in bands}, {f"{e.get('cx')},{e.get('cy')}" for e in discs}


def words(element: ET.Element) -> list[str]:
    return [e.text or "" for e in element.iter(f"{SVG}text")]


# -- what a picture of a match shows -------------------------------------------------------------------------


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


def test_numbers_that_nobody_could_read_are_left_out() -> None:
    graph = Graph.from_smiles(PEPTIDE)
    assert 200 <= len(graph) <= 300
    svg = match_svg(matched(graph, graph, identity(graph)), width=400, height=200)
    assert "class='note'" not in svg
    assert svg.count("class='shared-edge'") == 2 * graph.size


def positions(match: Match, letter: str) -> np.ndarray:
    part = side(match_svg(match), letter)
    discs = [e for e in part.iter(f"{SVG}circle") if e.get("class") == "shared-node"]
    return np.array([[float(e.get("cx", "")), float(e.get("cy", ""))] for e in discs])


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


# -- whatever the input ---------------------------------------------------------------------------------------


def unsanitised() -> Graph:
    """Seven bonds on one carbon, an aromatic ring that has no Kekulé form, an unknown element."""
    hub = [(0, v) for v in range(1, 8)]
    ring = [(8 + v, 8 + (v + 1) % 5) for v in range(5)]
    graph = Graph([6] * 8 + [6] * 5 + [0], hub + ring + [(7, 13)], [1] * 7 + [12] * 5 + [1])
    return Graph.from_mol(graph.to_mol())


ZOO = {
    "empty": Graph([]),
    "empty molecule": Graph.from_mol(Chem.Mol()),
    "one node": Graph([6]),
    "one atom": Graph.from_smiles("C"),
    "no edges": Graph(range(7)),
    "salts": Graph.from_smiles("CC(=O)[O-].[Na+].Cl.O"),
    "components": house(),
    "unsanitised": unsanitised(),
    "hydrogens": Graph.from_mol(Chem.AddHs(Chem.MolFromSmiles("CCO"))),
    "stereo": Graph.from_smiles("C[C@H](N)C(=O)O"),
    "too many atoms for RDKit": Graph.from_smiles("C" * 420),
    "query": Graph.from_mol(Chem.MolFromSmarts("[#6,#7]~*[!#1]")),
    "extreme labels": Graph([-(2**63), 2**63 - 1], [(0, 1)], [-5]),
    "too large": large(5_000, 12_000),
    "too dense": large(200, 19_000),
}


@pytest.mark.parametrize("name", ZOO)
def test_every_graph_gives_well_formed_pictures(name: str) -> None:
    graph = ZOO[name]
    assert tree(graph_svg(graph)).tag == f"{SVG}svg"
    match = matched(graph, graph, identity(graph))
    root = tree(match_svg(match))
    assert (root.get("width"), root.get("height")) == ("820", "390")
    tree(match_html(match))
    tree(match_svg(matched(graph, Graph([6, 6], [(0, 1)]), {})))
    tree(match_svg(matched(ZOO["salts"], graph, {})))


@pytest.mark.parametrize("size", [(64, 64), (2000, 64), (64, 2000)])
def test_odd_canvases_are_filled_without_failing(size: tuple[int, int]) -> None:
    match = aspirin_paracetamol()
    tree(match_svg(match, width=size[0], height=size[1]))
    tree(graph_svg(house(), width=size[0], height=size[1]))


@pytest.mark.parametrize("wrong", [0, 63, 10**9, 3.5, "wide", None, True])
def test_impossible_canvases_are_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="width must be a whole number from 64"):
        graph_svg(Graph([1]), width=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="height must be a whole number from 64"):
        match_svg(triangle_and_path(), height=wrong)  # type: ignore[arg-type]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    labels = draw(st.lists(st.integers(-3, 3), min_size=1, max_size=14))
    node = st.integers(0, len(labels) - 1)
    return Graph(labels, draw(st.lists(st.tuples(node, node), max_size=25)))


@given(graphs(), st.integers(64, 500), st.integers(64, 500))
@settings(max_examples=40, deadline=None)
def test_every_node_is_drawn_inside_the_canvas(graph: Graph, width: int, height: int) -> None:
    discs = list(tree(graph_svg(graph, width=width, height=height)).iter(f"{SVG}circle"))
    assert len(discs) == len(graph)
    for disc in discs:
        radius = float(disc.get("r", ""))
        assert radius <= float(disc.get("cx", "")) <= width - radius
        assert radius <= float(disc.get("cy", "")) <= height - radius


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_nodes_never_coincide(graph: Graph) -> None:
    points = place(graph.components(), graph.edges)
    assert np.isfinite(points).all()
    gaps = np.hypot(*(points.T[:, :, None] - points.T[:, None, :])) + 9 * np.eye(len(points))
    assert gaps.min() > 0.1


@given(st.floats(-3, 3), st.booleans(), st.integers(2, 9))
@settings(max_examples=40, deadline=None)
def test_rigid_alignment_undoes_turns_shifts_and_reflections(angle: float, mirrored: bool, held: int) -> None:
    points = np.random.default_rng(0).normal(size=(9, 2))
    moved = points * [1, -1 if mirrored else 1]
    moved = moved @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + [3, -4]
    back = onto(moved, {v: tuple(points[v]) for v in range(held)})
    np.testing.assert_allclose(back[:held], points[:held], atol=1e-9)
    if held > 2:
        np.testing.assert_allclose(back, points, atol=1e-9)


# -- untrusted names ------------------------------------------------------------------------------------------

HOSTILE = "</title><script>alert('x')</script>&\"\x00\x1b\u202e"


def test_names_cannot_become_markup() -> None:
    a, b = Graph([1, 1], [(0, 1)], name=HOSTILE), Graph.from_smiles("CC", name=HOSTILE)
    match = matched(a, b, {})
    pictures = [graph_svg(a), graph_svg(b), match_svg(match), grid([match]), match_html(matched(a, a, {0: 0, 1: 1}))]
    for text in pictures:
        root = tree(text)
        assert "<script" not in text
        assert not [e for e in root.iter() if "script" in e.tag]
        assert any("<script>alert('x')" in (e.text or "") for e in root.iter())
        text.encode("utf-8")


def test_names_and_titles_cannot_become_markup_in_a_report() -> None:
    a = Graph([1, 1], [(0, 1)], name=HOSTILE)
    text = report([matched(a, a, {0: 0, 1: 1})], title=HOSTILE)
    assert text.count("<script") == 1
    assert text.count("</title>") == 1 + 1 + 4  # the page's, the picture's and those of four nodes
    body = ET.fromstring(text[text.index("<body>") : text.index("</body>") + 7])
    assert [e.tag for e in body.iter() if "script" in e.tag] == ["script"]
    heading = body.find("h1")
    assert heading is not None
    assert (heading.text or "").startswith("</title><script>alert('x')</script>&")
    text.encode("utf-8")


def test_long_names_are_cut() -> None:
    graph = Graph([1], name="long " * 20_000)
    assert len(graph_svg(graph)) < 2_000
    assert len(words(tree(graph_svg(graph)))[-1]) < 60


# -- the same, quick and small --------------------------------------------------------------------------------


def test_the_same_input_gives_the_same_bytes() -> None:
    for make in (aspirin_paracetamol, triangle_and_path):
        assert match_svg(make()) == match_svg(make())
        assert match_html(make()) == match_html(make())
    found = enpda.match("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1")
    assert match_html(found) == match_html(Match.from_json(found.to_json()))


@pytest.mark.parametrize("name", ["graph.svg", "match.svg", "summary.svg", "grid.svg", "report.html"])
def test_own_drawings_look_as_they_did(name: str) -> None:
    assert golden_pictures()[name] == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("nodes", "edges"), [(300, 600), (300, 5_900), (2_000, 3_000), (5_000, 12_000)])
def test_large_graphs_are_drawn_quickly_and_small(nodes: int, edges: int) -> None:
    graph = large(nodes, edges)
    start = time.perf_counter()
    svg = graph_svg(graph)
    assert time.perf_counter() - start < 2.0
    assert len(svg) < 300_000
    if nodes == 5_000:
        assert words(tree(svg)) == ["5,000 nodes,", f"{graph.size:,} edges"]


def test_pictures_need_nothing_from_outside() -> None:
    text = match_html(aspirin_paracetamol())
    assert not re.search(r"href|url\(|@import|<script|<image| id=", text)
    assert "<style" not in match_svg(aspirin_paracetamol())
    page = report([aspirin_paracetamol()])
    assert not re.search(r"url\(|@import|<link|<image| src=|href='[^#]", page)
    for each in (text, page):
        assert set(re.findall(r"https?://[^'\"]*", each)) == {"http://www.w3.org/2000/svg"}


def test_importing_the_module_does_not_load_rdkit() -> None:
    code = "import sys, enpda.view; sys.exit('rdkit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- many matches, and files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "columns", "size"), [(1, 2, (300, 200)), (3, 2, (600, 400)), (5, 1, (300, 1000))])
def test_a_grid_has_a_cell_for_every_match(count: int, columns: int, size: tuple[int, int]) -> None:
    root = tree(grid([aspirin_paracetamol()] * count, columns, width=300, height=200))
    assert (root.get("width"), root.get("height")) == tuple(map(str, size))
    cells = [e for e in root.iter(f"{SVG}g") if e.get("class") == "pair"]
    assert len({e.get("transform") for e in cells}) == len(cells) == count
    assert len(shared(cells[-1])[0]) == 2 * 9


@pytest.mark.parametrize(
    ("matches", "columns", "message"),
    [
        ([], 2, "at least one match"),
        (3, 2, "several matches are needed"),
        (["CCO"], 2, "must be enpda.Match; got 'CCO'"),
        ([triangle_and_path()], 0, "columns must be a whole number"),
        ([triangle_and_path()], 1.5, "columns must be a whole number"),
    ],
)
def test_impossible_grids_are_refused(matches: object, columns: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        grid(matches, columns)  # type: ignore[arg-type]


def test_a_report_lists_every_match_and_shows_it() -> None:
    one, other = aspirin_paracetamol(), matched(house(), house(), identity(house()), upper=9)
    text = report([one, other], title="Two")
    body = ET.fromstring(text[text.index("<body>") : text.index("</body>") + 7])
    summary = next(e for e in body.iter("table") if e.get("class") == "summary")
    rows = [["".join(cell.itertext()) for cell in row] for row in summary.iter("tr")]
    assert rows[0] == ["pair", "A", "B", "size", "upper", "proven", "similarity", "distance", "seconds"]
    assert rows[1] == ["1", "aspirin", "paracetamol", "9", "9", "yes", f"{one.similarity:.3f}", "6", "0.012"]
    assert rows[2][3:6] == ["7", "9", "no"]
    assert len(list(body.iter("section"))) == len(list(body.iter(f"{SVG}svg"))) == 2
    assert {e.get("href") for e in body.iter("a")} == {f"#{e.get('id')}" for e in body.iter("section")}
    assert "2 pairs, 1 proven optimal." in text


def test_a_report_of_nothing_is_a_page(tmp_path: Path) -> None:
    text = report([], tmp_path / "empty.html")
    assert "0 pairs, 0 proven optimal." in text
    assert (tmp_path / "empty.html").read_text(encoding="utf-8") == text
    with pytest.raises(InputError, match="title must be a string"):
        report([], title=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="path must be a string or a path that a file can have; got 3"):
        report([], 3)  # type: ignore[arg-type]


def pixels(image: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB")).astype(int)


@pytest.mark.parametrize("make", [aspirin_paracetamol, triangle_and_path])
def test_a_png_shows_what_the_svg_shows(make: Callable[[], Match], tmp_path: Path) -> None:
    match = make()
    svg = match.draw(tmp_path / "pair.png")
    image = (tmp_path / "pair.png").read_bytes()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert image == png(svg)
    seen = pixels(image)
    assert seen.shape == (780, 1640, 3)
    highlight = np.abs(seen - [0x86, 0xD3, 0xC3]).sum(2) < 12
    for letter, left in (("a", 0), ("b", 820)):
        for x, y in positions(match, letter):  # every matched node lies on its highlight
            row, column = round(2 * (y + 30)), left + round(2 * x)
            assert highlight[row - 22 : row + 23, column - 22 : column + 23].sum() > 100
    amber = np.abs(seen - [0xF2, 0xB8, 0x4B]).sum(2) < 12
    assert amber[:, :820].sum() > 100  # both first graphs have an edge that is not shared
    dark = seen.sum(2) < 250
    assert dark[:60].sum() > 30  # names
    assert dark[720:].sum() > 200  # caption


def test_letters_with_holes_keep_them_in_a_png() -> None:
    seen = pixels(png(graph_svg(Graph.from_smiles("O=C=O"), width=100, height=64)))
    red = (seen[:, :, 0] > 200) & (seen[:, :, 1:].max(2) < 80)
    columns = np.flatnonzero(red.any(0))
    letter = red[:, : columns[0] + np.flatnonzero(np.diff(columns) > 1)[0] + 1]  # up to the gap before the bond
    rows, columns = np.nonzero(letter)
    assert seen[(rows.min() + rows.max()) // 2, (columns.min() + columns.max()) // 2].min() > 250


def test_every_cell_of_a_grid_is_in_its_png() -> None:
    seen = pixels(png(grid([triangle_and_path()] * 3, width=300, height=200)))
    assert seen.shape == (800, 1200, 3)
    first = seen[8:392, 8:592]
    assert (first.sum(2) < 250).sum() > 200
    np.testing.assert_array_equal(seen[8:392, 608:1192], first)
    np.testing.assert_array_equal(seen[408:792, 8:592], first)
    assert (seen[408:792, 608:1192] == 255).all()


@pytest.mark.parametrize("name", ["empty", "salts", "stereo", "unsanitised", "components", "too large"])
def test_every_graph_can_be_a_png(name: str) -> None:
    hostile = Graph([1, 1], [(0, 1)], name=HOSTILE + "<sub>漢字é</lit>")
    for svg in (graph_svg(ZOO[name]), match_svg(matched(ZOO[name], hostile, {}))):
        assert png(svg).startswith(b"\x89PNG")


def test_pictures_are_written_by_their_suffix(tmp_path: Path) -> None:
    match = triangle_and_path()
    svg = match.draw(str(tmp_path / "x.SVG"))
    assert (tmp_path / "x.SVG").read_text(encoding="utf-8") == svg
    with pytest.raises(InputError, match="path must be a string or a path that a file can have; got 3"):
        match.draw(3)  # type: ignore[arg-type]
    for name in ("x", "x.pdf", "x.svg.gz"):
        with pytest.raises(InputError, match=r"written as \.svg or \.png"):
            match.draw(tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(InputError, match=r"too large.*use \.svg"):
        save(graph_svg(house(), width=20_000, height=2_000), tmp_path / "x.png")


# -- the notebook ---------------------------------------------------------------------------------------------


def test_the_table_holds_the_numbers_and_the_map() -> None:
    match = aspirin_paracetamol()
    root = tree(match_html(match))
    tables = [[[cell.text for cell in row] for row in table.iter("tr")] for table in root.iter("table")]
    assert tables[0] == [
        ["shared edges", "9 of at most 9 (proven optimal)"],
        ["shared nodes", "10"],
        ["Johnson similarity", f"{match.similarity:.3f}"],
        ["distance", "6"],
        ["method", "core"],
        ["time", "12.3 ms"],
    ]
    assert tables[1][0] == ["number", "aspirin", "paracetamol"]
    assert tables[1][4] == ["4", "O 3", "O 8"]
    assert [e.text for e in root.iter("summary")] == ["Atom map (10)"]


def test_an_unproven_match_shows_its_gap_and_an_empty_one_no_map() -> None:
    match = aspirin_paracetamol()
    assert "9 of at most 12 (gap 25.0%, bounded)" in match_html(matched(match.a, match.b, match.mapping, upper=12))
    assert "<details>" not in match_html(matched(Graph([1]), Graph([2]), {}))


def test_results_show_themselves() -> None:
    match = enpda.match(ASPIRIN, PARACETAMOL)
    bands, discs = shared(side(match._repr_svg_(), "b"))
    assert (len(bands), len(discs)) == (match.size, match.nodes)
    assert match.draw() in match._repr_html_()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, svg in golden_pictures().items():
        (GOLDEN / name).write_text(svg, encoding="utf-8")
