"""Molecules beside a query: drawn alike, and laid over it in an SD file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdDepictor, rdDistGeom
from rdkit.Chem.rdMolTransforms import TransformConformer

import enpda
from enpda import Graph, InputError
from enpda.data import drugs
from enpda.view.aligned import aligned, sdf
from enpda.view.molecule import MAX_ATOMS, contradicted
from enpda.view.picture import sketch
from enpda.view.series import Series
from pictures import HOSTILE, SVG, house, identity, matched, shared, tree

PARTNERS = ("codeine", "naloxone")


def records(text: str, tmp_path: Path) -> list[Chem.Mol]:
    path = tmp_path / "x.sdf"
    path.write_text(text, encoding="utf-8")
    return list(Chem.SDMolSupplier(str(path)))


def in_space(graph: Graph, seed: int) -> Graph:
    """The molecule with 3D coordinates, turned and moved."""
    mol = Chem.AddHs(graph.mol)
    assert rdDistGeom.EmbedMolecule(mol, randomSeed=7) == 0
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = turn * np.linalg.det(turn), 10 * rng.normal(size=3)
    TransformConformer(mol.GetConformer(), move)
    return Graph.from_mol(Chem.RemoveHs(mol), name=graph.name)


def positions(mol: Chem.Mol, atoms: list[int]) -> np.ndarray:
    return np.asarray(mol.GetConformer().GetPositions())[atoms]


def test_a_series_highlights_what_each_graph_shares_with_the_query() -> None:
    own = drugs()
    series = Series(own["morphine"])
    assert len(list(tree(series.draw_query()).iter(f"{SVG}circle"))) == 0
    for name in PARTNERS:
        m = enpda.match(own["morphine"], own[name])
        bands, discs = shared(tree(series.draw(m)))
        assert (len(bands), len(discs)) == (m.size, m.nodes)


def test_a_series_of_plain_graphs_is_drawn_too() -> None:
    m = matched(house(), house(), identity(house()))
    bands, _ = shared(tree(Series(m.a).draw(m)))
    assert len(bands) == m.size


def test_shared_atoms_of_flat_molecules_lie_in_the_same_place() -> None:
    own = drugs()
    found = [enpda.match(own["morphine"], own[name]) for name in ("morphine", *PARTNERS)]
    first, *others = aligned(found)
    for m, mol in zip(found[1:], others, strict=True):
        assert not mol.GetConformer().Is3D()
        kept = m.fragments[0]
        there, here = positions(first, kept), positions(mol, [m.mapping[i] for i in kept])
        assert np.sqrt(((there - here) ** 2).sum(1).mean()) < 0.3


def test_flat_coordinates_are_kept_and_turned() -> None:
    own = drugs()
    mol = Chem.Mol(own["codeine"].mol)
    rdDepictor.Compute2DCoords(mol)
    before = positions(mol, list(range(mol.GetNumAtoms())))
    m = enpda.match(own["morphine"], Graph.from_mol(mol))
    (laid,) = aligned([m])
    after = positions(laid, list(range(mol.GetNumAtoms())))
    spread = [np.linalg.norm(x[:, None] - x[None], axis=2) for x in (before, after)]
    ratio = spread[1][0, 1:] / spread[0][0, 1:]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)  # the same shape, in the query's scale
    assert Chem.MolToSmiles(laid) == Chem.MolToSmiles(mol)


def test_bodies_in_space_keep_their_shape_and_are_superposed_on_the_query() -> None:
    own = drugs()
    query, other = in_space(own["morphine"], 1), in_space(own["codeine"], 2)
    m = enpda.match(query, other)
    (laid,) = aligned([m])
    i, j = list(m.mapping), list(m.mapping.values())
    before = positions(query.mol, i) - positions(other.mol, j)
    after = positions(query.mol, i) - positions(laid, j)
    assert np.sqrt((before**2).sum(1).mean()) > 2
    assert np.sqrt((after**2).sum(1).mean()) < 1.0
    every = list(range(len(other)))
    shapes = [
        np.linalg.norm(x[:, None] - x[None], axis=2) for x in (positions(laid, every), positions(other.mol, every))
    ]
    np.testing.assert_allclose(*shapes, atol=1e-6)


def test_without_a_body_of_the_query_the_first_hit_in_space_is_the_reference() -> None:
    own = drugs()
    graphs = [in_space(own["codeine"], k) for k in (1, 2)]
    one, other = aligned([enpda.match(own["morphine"], graph) for graph in graphs])
    every = list(range(one.GetNumAtoms()))
    np.testing.assert_allclose(positions(one, every), positions(graphs[0].mol, every), atol=1e-6)
    assert np.abs(positions(one, every) - positions(other, every)).max() < 1.0


def test_every_conformer_has_a_record() -> None:
    mol = Chem.AddHs(Chem.MolFromSmiles("OCCc1ccccc1"))
    assert len(rdDistGeom.EmbedMultipleConfs(mol, 3, randomSeed=7)) == 3
    text = sdf([enpda.match("CCc1ccccc1", Graph.from_mol(Chem.RemoveHs(mol)))])
    assert text.count("$$$$") == 3


def test_an_sd_file_says_what_is_shared_and_is_read_again(tmp_path: Path) -> None:
    own = drugs()
    found = [enpda.match(own["caffeine"], own[name]) for name in ("theophylline", "aspirin")]
    text = sdf(found, path=tmp_path / "out.sdf")
    assert (tmp_path / "out.sdf").read_text(encoding="utf-8") == text
    for m, mol in zip(found, records(text, tmp_path), strict=True):
        assert mol.GetProp("_Name") == m.b.name
        assert float(mol.GetProp("similarity")) == m.similarity
        assert int(mol.GetProp("size")) == m.size
        assert [int(k) - 1 for k in mol.GetProp("common_atoms").split()] == list(m.mapping.values())
        assert mol.HasSubstructMatch(Chem.MolFromSmarts(mol.GetProp("common_smarts")))
        assert Chem.MolToSmiles(mol) == Chem.MolToSmiles(m.b.mol)
    again = list(enpda.read(tmp_path / "out.sdf"))
    assert [g.name for g in again] == ["theophylline", "aspirin"]


def test_a_hostile_name_ends_no_record(tmp_path: Path) -> None:
    names = [HOSTILE, "$$$$", "M  END", "> <x>\n\nevil"]
    found = [enpda.match("CCO", Graph.from_smiles("CCN", name=name)) for name in names]
    text = sdf(found, [{"id": name} for name in names])
    assert len(records(text, tmp_path)) == text.count("\n$$$$\n") == len(names)


def test_what_no_molecule_is_has_no_place_in_an_sd_file() -> None:
    with pytest.raises(InputError, match="an SD file holds molecules"):
        sdf([matched(house(), house(), identity(house()))])


def test_molecules_that_share_nothing_or_are_odd_are_written_all_the_same(tmp_path: Path) -> None:
    odd = Graph.from_mol(Chem.MolFromSmiles("CN(C)(C)(C)C", sanitize=False))
    far = [enpda.match("CCO", "FF"), enpda.match("CC", "C"), enpda.match("CCO", odd), enpda.match("C" * 450, "C" * 420)]
    text = sdf(far)
    assert text.count("$$$$") == 4
    assert "nan" not in text


FUMARIC, MALEIC, UNSAID = "OC(=O)/C=C/C(=O)O", r"OC(=O)/C=C\C(=O)O", "OC(=O)C=CC(=O)O"
TAMOXIFEN = r"CC/C(c1ccccc1)=C(\c1ccccc1)c1ccc(OCCN(C)C)cc1", r"CC/C(c1ccccc1)=C(/c1ccccc1)c1ccc(OCCN(C)C)cc1"
STILBENE = r"Oc1ccc(/C=C/c2cc(O)cc(O)c2)cc1", r"Oc1ccc(/C=C\c2cc(O)cc(O)c2)cc1"


@pytest.mark.parametrize(
    ("query", "other"),
    [
        *((a, b) for a in (FUMARIC, MALEIC, UNSAID) for b in (FUMARIC, MALEIC, UNSAID)),
        TAMOXIFEN,
        TAMOXIFEN[::-1],
        STILBENE,
        STILBENE[::-1],
    ],
)
def test_double_bonds_stay_as_they_are_whatever_the_query(query: str, other: str, tmp_path: Path) -> None:
    (written,) = records(enpda.search(query, [("x", other)], k=1).to_sdf(), tmp_path)
    assert Chem.MolToSmiles(written) == Chem.CanonSmiles(other)


@pytest.mark.parametrize("pair", [(FUMARIC, MALEIC), TAMOXIFEN, STILBENE])
def test_a_match_of_e_and_z_shows_both(pair: tuple[str, str]) -> None:
    m = enpda.match(*pair)
    left = sketch(m.a)
    guide = {j: left.points[i].tolist() for i, j in m.index_mapping.items()}
    right = sketch(m.b, guide, exact=True)
    assert contradicted(m.a.mol, left.points) == contradicted(m.b.mol, right.points) == []
    assert (
        len(contradicted(m.b.mol, left.points[[i for i, _ in sorted(m.index_mapping.items(), key=lambda p: p[1])]]))
        == 1
    )


def test_a_double_bond_of_a_molecule_too_large_to_be_laid_out_is_unsaid_rather_than_wrong(tmp_path: Path) -> None:
    tail = "C(c1ccccc1)" * 40
    for smiles in (f"{tail}/C=C/{tail}", f"{tail}/C=C\\{tail}"):
        graph = Graph.from_smiles(smiles)
        assert len(graph) > MAX_ATOMS
        (written,) = records(sdf([matched(graph, graph, identity(graph))]), tmp_path)
        assert Chem.MolToSmiles(written) in {Chem.CanonSmiles(smiles), Chem.CanonSmiles(f"{tail}C=C{tail}")}
