"""Molecules that are made again are those that were read: atom by atom, mark by mark, whatever they are."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import AllChem

import enpda
from enpda import Graph
from enpda.chem import molecule
from enpda.chem.written import Written
from enpda.data import drugs
from enpda.graph import read_text
from enpda.limits import raised

TEXTS = {
    "salt": "[Na+].[Cl-]",
    "isotopes": "[2H]C([2H])([2H])[13CH3]",
    "hydrogens": "[H][H].[H]O[H].[H+]",
    "hydride": "[H]C([H])([H])[Fe][H]",
    "dative": "CC->[Fe]<-C",
    "metal": "C[Fe](C)(C)(C)(C)(C)(C)C",
    "square planar": "C[Pt@SP1](F)(Cl)[H]",
    "centres": "N[C@@H](C)C(=O)O.F/C=C/F.F/C=C\\F",
    "axis": "C[C@H](O)[C@@H](O)C |o1:1,3|",
    "maps": "[CH3:7][OH:2]",
    "radicals": "[CH3].[O]",
    "charges": "C[N+](=O)[O-].[NH4+]",
    "tautomer": "c1cc[nH]c1",
    "order": "C1CC1.N.C2CCCCC2",
    "star": "*C*",
    "quadruple": "[Re]$[Re]",
    "any ring bond": "C~1~C~C1",
    "blanks": "  CCO\t",
    "long": "C" * 700,
    "large": "C" * 1_200,
    "many rings": "C1CC1" * 60,
    "five-valent": "CC(C)(C)(C)C",
    "no Kekulé form": "c1cccc1",
    "both": "CC(C)(C)(C)c1cccc1",
    "inchi": "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3",
}


def block(smiles: str) -> str:
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    AllChem.EmbedMolecule(mol, randomSeed=7)
    mol.SetProp("_Name", "in space")
    return str(Chem.MolToMolBlock(mol))


def everything(mol: Chem.Mol) -> tuple[object, ...]:
    """What RDKit says of a molecule without being asked to perceive anything: atoms, bonds, marks, places, notes."""
    atoms, bonds = [*mol.GetAtoms()], [*mol.GetBonds()]
    return (
        [list(ring) for ring in mol.GetRingInfo().AtomRings()] if rings_are_known(mol) else None,
        [[of(atom) for of in ATOM] for atom in atoms],
        [[of(bond) for of in BOND] for bond in bonds],
        [conformer.GetPositions().tolist() for conformer in mol.GetConformers()],
        [(group.GetGroupType(), [atom.GetIdx() for atom in group.GetAtoms()]) for group in mol.GetStereoGroups()],
        [notes(holder) for holder in (mol, *atoms, *bonds)],
    )


ATOM = [
    *(Chem.Atom.GetAtomicNum, Chem.Atom.GetFormalCharge, Chem.Atom.GetIsotope, Chem.Atom.GetNumExplicitHs),
    *(Chem.Atom.GetNoImplicit, Chem.Atom.GetNumRadicalElectrons, Chem.Atom.GetIsAromatic, Chem.Atom.GetChiralTag),
    *(Chem.Atom.GetHybridization, Chem.Atom.GetAtomMapNum, Chem.Atom.NeedsUpdatePropertyCache),
    lambda atom: None if atom.NeedsUpdatePropertyCache() else (atom.GetTotalNumHs(), atom.GetTotalValence()),
]
BOND = [
    *(Chem.Bond.GetBeginAtomIdx, Chem.Bond.GetEndAtomIdx, Chem.Bond.GetBondType, Chem.Bond.GetIsAromatic),
    *(Chem.Bond.GetStereo, Chem.Bond.GetBondDir, Chem.Bond.GetIsConjugated),
    lambda bond: list(bond.GetStereoAtoms()),
]


def rings_are_known(mol: Chem.Mol) -> bool:
    try:
        mol.GetRingInfo().NumRings()
    except RuntimeError:
        return False
    return True


def notes(holder: Any) -> dict[str, object]:
    own = holder.GetPropsAsDict(includePrivate=True, includeComputed=True)
    return {
        key: value if isinstance(value, (str, int, float)) else list(value)
        for key, value in own.items()
        if key != "__computedProps"
    }


def check(graph: Graph, original: Chem.Mol) -> None:
    wanted = everything(original)
    assert graph.is_molecule
    assert everything(graph.look()) == wanted
    assert everything(graph.mol) == wanted
    labels, bonds, types = molecule.arrays_of(graph.mol)
    assert graph == Graph(labels, bonds, types)


@pytest.mark.parametrize("name", list(drugs()))
def test_a_drug_is_made_again_as_it_was_read(name: str) -> None:
    text = Chem.MolToSmiles(drugs()[name].mol, canonical=False)
    original, oddity = molecule.parse(text)
    assert oddity is None
    check(read_text(text), original)
    check(Graph.from_smiles(text), original)
    check(Graph(*molecule.arrays_of(original), mol=Written.of(original)), original)


@pytest.mark.parametrize("name", TEXTS)
def test_odd_molecules_are_made_again_as_they_were_read(name: str) -> None:
    text = TEXTS[name]
    try:
        original, oddity = molecule.parse(text)
    except enpda.InputError:
        with pytest.raises(enpda.InputError):
            read_text(text)
        return
    graph = read_text(text)
    assert graph.oddity == oddity
    check(graph, original)
    held = Graph(*molecule.arrays_of(original), mol=original).written()
    check(held, original)


def test_molecules_of_blocks_keep_places_and_names() -> None:
    text = block("C[C@H](N)C(=O)O")
    original, _ = molecule.parse(text)
    check(read_text(text), original)
    assert read_text(text).name == "in space"


def test_molecules_with_queries_stereo_groups_and_properties_are_kept_whole() -> None:
    pattern = Chem.MolFromSmarts("[#6;R]-[!#1]")
    pattern.UpdatePropertyCache(strict=False)
    centres = Chem.MolFromSmiles("C[C@H](O)[C@@H](O)C |o1:1,3|")
    centres.SetDoubleProp("measured", 0.1)
    centres.GetAtomWithIdx(1).SetProp("note", "here")
    for original in (pattern, centres):
        graph = Graph.from_mol(original).written()
        check(graph, original)
    assert graph.mol.GetDoubleProp("measured") == 0.1
    assert Graph.from_mol(pattern).written().mol.GetAtomWithIdx(0).GetSmarts() == "[#6&R]"


def test_molecules_whose_valences_nobody_counted_stay_as_they_are() -> None:
    """RDKit's bytes do not tell that they are unknown."""
    for raw in (Chem.MolFromSmiles("CN(C)(C)C", sanitize=False), Chem.MolFromSmarts("[#6;R]-[!#1]")):
        (graph,) = enpda.Library.of([raw])
        assert not isinstance(graph._molecule, Written)
        check(graph, raw)


def test_many_molecules_one_after_the_other_from_every_door(tmp_path: Path) -> None:
    """Readers write molecules down, whoever made them."""
    mols = [molecule.copy(graph.mol) for graph in drugs().values()]
    path = tmp_path / "drugs.sdf"
    path.write_text("".join(Chem.MolToMolBlock(mol) + "$$$$\n" for mol in mols))
    for library in (enpda.Library.of(mols), enpda.Library.of(str(path))):
        assert all(isinstance(graph._molecule, Written) for graph in library)
    for graph, mol in zip(enpda.Library.of(mols), mols, strict=True):
        check(graph, mol)


def test_a_molecule_that_somebody_gave_is_itself() -> None:
    mol = Chem.MolFromSmiles("CCO")
    graph = Graph(*molecule.arrays_of(mol), mol=mol)
    assert graph.mol is graph.look() is mol
    own = Graph.from_mol(mol)
    assert own.mol is own.mol
    mol.GetAtomWithIdx(0).SetIsotope(13)
    assert own.mol.GetAtomWithIdx(0).GetIsotope() == 0
    library = enpda.Library.of([own])
    assert library[0] is own


def test_who_looks_keeps_nothing_and_who_asks_always_gets_the_same() -> None:
    graph = Graph.from_smiles("CCO")
    assert graph.look() is not graph.look()
    assert graph.mol is graph.mol is graph.look() is graph.named("ethanol").mol
    copy = graph.to_mol()
    copy.GetAtomWithIdx(0).SetIsotope(13)
    assert graph.mol.GetAtomWithIdx(0).GetIsotope() == 0
    assert Graph([6]).mol is Graph([6]).look() is None
    assert not Graph([6]).is_molecule


def test_threads_that_ask_at_once_get_one_molecule() -> None:
    for name in ("atorvastatin", "lapatinib", "morphine"):
        graph = read_text(Chem.MolToSmiles(drugs()[name].mol))
        start = Barrier(8)

        def ask(graph: Graph = graph, start: Barrier = start) -> Chem.Mol:
            start.wait()
            return graph.mol

        with ThreadPoolExecutor(8) as pool:
            found = [future.result() for future in [pool.submit(ask) for _ in range(8)]]
        assert all(mol is found[0] for mol in found)


def test_limits_that_were_lowered_since_do_not_take_a_molecule_away() -> None:
    graph = read_text("C1CC1" * 60)
    with raised(smiles=5, atoms=2, ring_bonds=1, rings=1):
        assert graph.mol.GetNumAtoms() == 180


@pytest.mark.parametrize("name", ["dative", "maps", "five-valent", "inchi", "large"])
def test_pickles_and_dictionaries_know_the_molecule(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = read_text(TEXTS[name])
    again = pickle.loads(pickle.dumps(graph))
    assert (again, again.oddity, again.to_dict()) == (graph, graph.oddity, graph.to_dict())
    assert everything(again.mol)[1:3] == everything(graph.mol)[1:3]
    back = Graph.from_dict(graph.to_dict())
    assert back == graph
    assert back.is_molecule


def test_rules_and_pictures_of_a_molecule_made_again_are_those_of_one_that_was_kept() -> None:
    rules = enpda.Rules(atoms="element+charge+hydrogens+aromatic")
    for name in ("aspirin", "caffeine"):
        text = Chem.MolToSmiles(drugs()[name].mol)
        mol, _ = molecule.parse(text)
        kept, made = Graph(*molecule.arrays_of(mol), mol=mol), read_text(text)
        assert kept._repr_svg_() == made._repr_svg_()
        matches = [enpda.match(graph, drugs()["paracetamol"], rules=rules) for graph in (kept, made)]
        assert matches[0].mapping == matches[1].mapping
        assert matches[0].smarts == matches[1].smarts
        np.testing.assert_array_equal(kept.relabelled(kept.labels + 1, kept.edge_labels).labels, made.labels + 1)
