"""What turns one molecule into the other: a SMIRKS that does it."""

from __future__ import annotations

import re

import pytest
from rdkit import Chem
from rdkit.Chem import AllChem

import enpda
from enpda import Graph
from enpda.data import drug_pairs
from enpda.result.transformation import MOST_POINTS, transformation


def plain(mol: Chem.Mol) -> str:
    mol = Chem.Mol(mol)
    Chem.RemoveStereochemistry(mol)
    return Chem.MolToSmiles(Chem.MolFromSmiles(Chem.MolToSmiles(mol)))


def made(smirks: str, mol: Chem.Mol) -> set[str]:
    """All that a SMIRKS makes of a molecule, by RDKit and without anything of ours."""
    reaction = AllChem.ReactionFromSmarts(smirks)
    result = set()
    for products in reaction.RunReactants((mol,)):
        text = ".".join(Chem.MolToSmiles(product) for product in products)
        again = Chem.MolFromSmiles(text)
        if again is not None:
            result.add(plain(again))
    return result


@pytest.mark.parametrize(
    ("a", "b", "smirks"),
    [
        ("Oc1ccccc1", "COc1ccccc1", "[OH:1]>>[O:1]-C"),
        ("CCCl", "CCBr", "[C:2]-Cl>>[C:2]-Br"),
        ("CC(=O)O", "CC(=O)[O-]", "[OH:4]>>[O-:4]"),
        ("CC(=O)[O-]", "CC(=O)O", "[OH0-:4]>>[OH+0:4]"),
        ("Cn1cccc1", "c1cc[nH]c1", "[n:1]-[CH3]>>[nH:1]"),
        ("c1cc[nH]c1", "Cn1cccc1", "[nH:4]>>[n:4]-C"),
        ("C1CCCCC1", "c1ccccc1", None),
        ("CC=CC", "CCCC", "[CH:2]=[CH:3]>>[C:2]-[C:3]"),
    ],
)
def test_a_small_change_is_written_as_chemists_write_it(a, b, smirks):
    m = enpda.match(a, b)
    assert m.transformation == smirks
    if smirks is not None:
        assert plain(m.b.mol) in made(smirks, m.a.mol)


@pytest.mark.slow
def test_the_transformation_of_a_pair_of_drugs_makes_the_second_of_the_first():
    count = 0
    for m in enpda.match_many([*drug_pairs(), *((b, a) for a, b in drug_pairs())]):
        smirks, reason = transformation(m)
        if smirks is None:
            assert "attachment points" in reason
            continue
        count += 1
        assert plain(m.b.mol) in made(smirks, m.a.mol), (m.a.name, m.b.name)
        numbers = {int(k) for side in m.mapped_smiles for k in re.findall(r":(\d+)\]", side)}
        assert {int(k) for k in re.findall(r":(\d+)\]", smirks)} <= numbers
    assert count > 80


def test_attachment_points_stand_on_both_sides():
    smirks = enpda.match("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1").transformation
    left, right = (sorted(re.findall(r":(\d+)\]", side)) for side in smirks.split(">>"))
    assert left == right != []


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("CCO", "OCC", "nothing changes"),
        ("CCO", "FF", "nothing is shared that could stay"),
        ("C" * 201, "C" * 202, "at most 200 atoms"),
        (Graph([1, 1], [(0, 1)]), Graph([1, 1], [(0, 1)]), "only molecules have one"),
        ("C(Cl)" * 15, "C(F)" * 15, f"more than {MOST_POINTS}"),
    ],
)
def test_where_there_is_none_a_reason_is_given(a, b, reason):
    m = enpda.match(a, b, "fast")
    smirks, why = transformation(m)
    assert smirks is None
    assert reason in why
    assert m.transformation is None


STEREO_ONLY = "nothing changes but stereo, which is not looked at"


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", STEREO_ONLY),
        ("C[C@H](N)C(=O)O", "CC(N)C(=O)O", STEREO_ONLY),
        ("C[C@H](N)C(=O)O", "OC(=O)[C@@H](N)C", "nothing changes"),
        ("C[C@H](N)C(=O)O", "OC(=O)[C@H](N)C", STEREO_ONLY),
        ("OC(=O)/C=C/C(=O)O", r"OC(=O)/C=C\C(=O)O", STEREO_ONLY),
        ("OC(=O)/C=C/C(=O)O", r"OC(=O)\C=C\C(=O)O", "nothing changes"),
        ("C[C@H]1CC[C@@H](O)CC1", "C[C@H]1CC[C@H](O)CC1", STEREO_ONLY),
        ("[CH3:1][OH:2]", "OC", "nothing changes"),
    ],
)
def test_where_only_stereo_changes_the_reason_says_so(a, b, reason):
    assert transformation(enpda.match(a, b)) == (None, reason)


def test_a_molecule_that_does_not_sanitise_has_a_reason_and_no_traceback():
    odd = Graph.from_mol(Chem.MolFromSmiles("CN(C)(C)(C)C", sanitize=False))
    assert transformation(enpda.match("CNC", odd))[0] is None


def test_a_match_keeps_what_is_shared_in_json_as_chemistry_and_refuses_other_claims():
    m = enpda.match("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1")
    plain_values = m.to_dict()
    assert plain_values["smarts"] == m.smarts
    assert plain_values["mapped_smiles"] == list(m.mapped_smiles)
    assert plain_values["transformation"] == m.transformation
    assert plain_values["fragments"] == m.fragments
    other = [Chem.MolToSmiles(Chem.MolFromSmiles(s), rootedAtAtom=3) for s in m.mapped_smiles]
    assert other != plain_values["mapped_smiles"]
    assert enpda.Match.from_dict({**plain_values, "mapped_smiles": other}).size == m.size  # the same, written otherwise
    graphs = enpda.match(Graph([1, 1], [(0, 1)]), Graph([1, 1], [(0, 1)])).to_dict()
    assert (graphs["smarts"], graphs["mapped_smiles"], graphs["transformation"]) == (None, None, None)


def test_a_change_at_some_of_many_like_places_is_found_where_it_is():
    peptide = "N" + "[C@@H](Cc1ccccc1)C(=O)N[C@@H](CCCCN)C(=O)N" * 7 + "CC(=O)O"
    m = enpda.match(peptide, peptide.replace("CCCCN", "CCCCO", 6), "fast")
    assert m.transformation is not None
    assert m.transformation.count("-[NH2]") == m.transformation.split(">>")[1].count("-O") == 6
