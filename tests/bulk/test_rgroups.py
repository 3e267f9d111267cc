"""A series as a core and what hangs on it."""

from __future__ import annotations

import re

import pytest
from rdkit import Chem

import enpda
from enpda import Graph, InputError
from enpda.data import drugs
from pictures import HOSTILE

KINASE = ("gefitinib", "erlotinib", "lapatinib")
QUINAZOLINE = "c1ccc2ncncc2c1"


def joined(found, row):
    """The molecule again, from the core and the groups of a row, by RDKit."""
    parts = dict.fromkeys(smiles for text in row.groups.values() for smiles in text.split("."))
    return Chem.MolToSmiles(Chem.RemoveHs(Chem.molzip(Chem.MolFromSmiles(".".join([found.core_smiles, *parts])))))


def flat(graph):
    return Chem.MolToSmiles(graph.mol, isomericSmiles=False)


def test_core_and_groups_make_the_molecule_again():
    series = [drugs()[name] for name in KINASE]
    found = enpda.rgroups(QUINAZOLINE, series)
    assert [row.id for row in found] == list(KINASE)
    assert found.missing == []
    assert found.names == ["R1", "R2", "R3"]
    for row, graph in zip(found, series, strict=True):
        assert joined(found, row) == flat(graph)
        assert [graph.mol.GetAtomWithIdx(k).GetSymbol() for k in row.atoms].count("N") == 2


def test_a_symmetric_core_is_seen_so_that_groups_share_few_positions():
    series = ["Cc1ccc(O)cc1", "Oc1ccc(CC)cc1", "CCCc1ccc(O)cc1", "Oc1ccccc1", "Cc1ccccc1"]
    found = enpda.rgroups("c1ccccc1", series)
    assert len(found.positions) == 2
    assert (
        len({row.groups[number] for row in found[:4] for number in (1, 2) if row.groups[number].startswith("O")}) == 1
    )


def test_attachment_points_of_the_core_keep_their_numbers():
    found = enpda.rgroups("[*:5]c1ccc([*:2])cc1", ["Oc1ccc(C)cc1", "Oc1ccc(C)cc1Cl"])
    assert list(found.positions) == [1, 2, 5]
    assert found.core_smiles.count("*") == 3
    for row in found:
        assert sorted(text[0] for number, text in row.groups.items() if number != 1) == ["C", "O"]
    assert [row.groups[1] for row in found] == ["[H][*:1]", "Cl[*:1]"]


def test_a_group_on_two_positions_and_two_groups_on_one_are_told():
    fused = enpda.rgroups("c1ccccc1", ["c1ccc2CCCc2c1"])[0]
    assert fused.groups[1] == fused.groups[2] == "C(C[*:1])C[*:2]"
    twice = enpda.rgroups("C1CCCCC1", ["CC1(O)CCCCC1"])[0]
    assert twice.groups == {1: "C[*:1].O[*:1]"}
    closed = enpda.rgroups("CCCC", ["C1CCC1"])[0]
    assert closed.groups == {1: "[*:1][*:2]", 2: "[*:1][*:2]"}


@pytest.mark.parametrize(
    ("molecule", "groups"),
    [
        ("*CCc1ccccn1", {1: "*CC[*:1]"}),
        ("[2*]CCc1cccnc1", {1: "[2*]CC[*:1]"}),
        ("[*:7]CCc1cccnc1", {1: "*CC[*:1]"}),
        ("*c1ccccn1", {1: "*[*:1]"}),
        ("C*Cc1ccccn1", {1: "C*C[*:1]"}),
        ("[1*]C([3*])c1ccccn1", {1: "[1*]C([3*])[*:1]"}),
    ],
)
def test_dummy_atoms_of_a_molecule_are_atoms_of_its_groups(molecule, groups):
    (row,) = enpda.rgroups("c1ccncc1", [molecule])
    assert {number: Chem.CanonSmiles(smiles) for number, smiles in row.groups.items()} == {
        number: Chem.CanonSmiles(smiles) for number, smiles in groups.items()
    }


def test_what_does_not_contain_the_core_says_what_it_lacks():
    found = enpda.rgroups(QUINAZOLINE, ["c1ccc2ncccc2c1", "c1ccc2ncncc2c1", "CCO"])
    assert [row.index for row in found] == [1]
    first, last = found.missing
    assert (first.index, first.shared, first.of, first.lacks) == (0, 9, 11, "cnc")
    assert (last.shared, last.of) == (0, 11)
    assert first.in_words() == "shares 9 of 11 bonds with the core; lacks cnc"


def test_the_common_part_of_a_match_is_a_core():
    own = drugs()
    m = enpda.match(own["amoxicillin"], own["ampicillin"])
    found = enpda.rgroups(
        m, [own[name] for name in ("amoxicillin", "ampicillin", "penicillin G", "cefalexin", "aspirin")]
    )
    assert [row.id for row in found] == ["amoxicillin", "ampicillin"]
    assert [row.groups[1] for row in found] == ["O[*:1]", "[H][*:1]"]
    assert found.missing[-1].of == m.size
    assert found.missing[0].shared == enpda.match(Graph.from_mol(m.to_mol()), own["penicillin G"]).size


def test_a_smarts_is_a_core():
    found = enpda.rgroups("[c,n]1cccc[c,n]1", ["Cc1ccccc1", "Oc1ccccn1", "CCO"])
    assert [row.id for row in found] == ["0", "1"]
    assert found.missing[0].in_words() == "does not contain the core"
    assert re.search(r"\[\*:1\]", found.core_smiles)


@pytest.mark.parametrize(
    ("core", "molecule", "groups"),
    [
        ("[#6]1[#6][#6][#6][#6][#6]1", "CC1CCCCC1", {1: "C[*:1]"}),
        ("[#6]~[#7]", "CN", {}),
        ("[#6]~[#7]", "CC#N", {1: "C[*:1]"}),
        ("C~O", "CC=O", {1: "C[*:1]"}),
        ("[CX4;R]1CCCCC1", "CC1CCCCC1", {1: "C[*:1]"}),
        ("[!#6&!#1]C", "FCl.OCC", {1: "C[*:1]"}),
        ("[$(Oc)]", "Oc1ccccc1", {1: "c1ccc([*:1])cc1"}),
        ("[R]1@[R]@[R]@[R]@[R]@[R]1", "CC1CCCCC1", {1: "C[*:1]"}),
        ("[*:4][#6]1[#6][#6][#6][#6][#6]1", "CC1CCCCC1", {4: "C[*:4]"}),
        ("[#6:7]1[#6][#6][#6][#6][#6]1", "CC1CCCCC1", {1: "C[*:1]"}),
    ],
)
def test_what_only_smarts_means_is_read_as_smarts(core, molecule, groups):
    found = enpda.rgroups(core, [molecule])
    assert [row.groups for row in found] == [groups]
    assert Chem.MolFromSmarts(found.core_smiles).GetNumAtoms() == len(found[0].atoms) + len(groups)


@pytest.mark.parametrize("core", ["[*:1]C1([*:2])CCCCC1", "[1*]C1([*:2])CCCCC1", "[*:1][#6]([*:2])[#6]"])
def test_two_numbers_at_one_atom_are_refused(core):
    with pytest.raises(InputError, match="one attachment point, whose column holds all its groups; got 1 and 2 at one"):
        enpda.rgroups(core, ["CC1(O)CCCCC1"])


@pytest.mark.parametrize("core", ["[*:3]c1ccc([*:3])cc1", "[*:3]c1ccc([3*])cc1", "[*:3][#6][#6][*:3]"])
def test_one_number_at_two_atoms_is_refused(core):
    with pytest.raises(InputError, match="attachment points of two atoms of the core need two numbers; both have 3"):
        enpda.rgroups(core, ["Cc1ccc(O)cc1"])


def test_attachment_points_without_numbers_or_with_the_same_may_share_an_atom():
    for core in ("[*:2]C1([*:2])CCCCC1", "[*:2]C1(*)CCCCC1"):
        assert enpda.rgroups(core, ["CC1(O)CCCCC1"])[0].groups == {2: "C[*:2].O[*:2]"}


@pytest.mark.parametrize(
    ("core", "molecule"),
    [
        ("C[C@H](N)C(=O)O", "OC[C@@H](N)C(=O)O"),
        ("C/C=C/C", r"OC/C=C\C"),
        ("[C@H]([#7])([#6])C(=O)O", "OC[C@@H](N)C(=O)O"),
    ],
)
def test_stereo_of_the_core_is_neither_looked_at_nor_told(core, molecule):
    found = enpda.rgroups(core, [molecule, "CCC"])
    assert found[0].groups == {1: "O[*:1]"}
    assert not set("@/\\") & set(found.core_smiles + str(found.missing[0].lacks))
    assert enpda.rgroups("c1ccccc1", ["C[C@H](F)c1ccccc1"])[0].groups == {1: "C[C@H](F)[*:1]"}


@pytest.mark.parametrize(
    ("core", "molecules"),
    [
        ("c1ccc2[nH]ccc2c1", ["Cn1ccc2ccccc21", "CCn1cc(C=O)c2ccccc21"]),
        ("c1c[nH]cn1", ["Cn1ccnc1", "CCn1ccnc1C"]),
        ("c1ccncc1", ["Cc1ccccn1", "OCc1cccnc1"]),
        ("c1ccncc1", ["C[n+]1ccccc1", "CC[n+]1cccc(O)c1"]),
        ("c1ccncc1", ["Cc1cccc[n+]1[O-]"]),
        ("[O-][n+]1ccccc1", ["Cc1cccc[n+]1[O-]", "OCc1ccc[n+]([O-])c1"]),
        ("[NH4+]", ["C[NH3+]"]),
        ("C[NH3+]", ["C[NH2+]CC"]),
        ("CN(C)C", ["C[N+](C)(C)CCO"]),
        ("C1CNCCN1", ["CN1CCNCC1", "CN1CCN(CCO)CC1", "CC1CNCCN1"]),
        ("C1C[NH2+]CCN1", ["C[NH+]1CCN(C)CC1"]),
        ("OP(=O)(O)O", ["COP(=O)(O)O"]),
        ("OB(O)O", ["COB(O)O"]),
    ],
)
def test_rdkit_reads_the_core_and_its_groups_and_makes_the_molecules_again(core, molecules):
    found = enpda.rgroups(core, molecules)
    assert found.missing == []
    assert Chem.MolFromSmiles(found.core_smiles) is not None
    for row, molecule in zip(found, molecules, strict=True):
        assert None not in [Chem.MolFromSmiles(smiles) for smiles in row.groups.values()]
        assert joined(found, row) == Chem.CanonSmiles(molecule)


@pytest.mark.parametrize(
    ("core", "molecule"),
    [
        ("c1ccccc1", "c1ccc2[nH]ccc2c1"),
        ("c1ccccc1", "Cc1cccc2ccccc12"),
        ("c1ccncc1", "Cc1ccc2ncccc2c1"),
        ("c1cc[nH]c1", "c1ccc2[nH]ccc2c1"),
        ("c1ccccc1", "c1ccc2c(c1)[nH]c1ccccc12"),
        ("c1cc[nH]c1", "c1ccc2c(c1)[nH]c1ccccc12"),
        ("c1ccccc1", "c1ccc2cc3ccccc3cc2c1"),
        ("c1ccccc1", "C[C@H](O)c1cccc2ncccc12"),
    ],
)
def test_a_group_in_an_aromatic_ring_of_the_core_is_one_that_rdkit_reads(core, molecule):
    found = enpda.rgroups(core, [molecule])
    assert joined(found, found[0]) == Chem.CanonSmiles(molecule)


def test_a_group_that_shares_double_bonds_with_the_core_is_one_that_rdkit_reads():
    (row,) = enpda.rgroups("c1ccccc1", ["c1ccc2nsnc2c1"])
    assert {Chem.CanonSmiles(smiles) for smiles in row.groups.values()} == {Chem.CanonSmiles("S(N=[*:1])N=[*:2]")}


def test_a_core_that_some_molecules_have_with_a_charge_keeps_its_own():
    found = enpda.rgroups("CCN", ["CC[NH2+]C", "CCNC"])
    assert found.core_smiles == "CCN[*:1]"


def test_tables_and_json_hold_every_molecule():
    found = enpda.rgroups("c1ccccc1", ["Cc1ccccc1", "CCO", "Oc1ccccc1"])
    table = found.table().to_pylist()
    assert [row["id"] for row in table] == ["0", "1", "2"]
    assert [row["R1"] for row in table] == ["C[*:1]", None, "O[*:1]"]
    assert [row["missing"] is None for row in table] == [True, False, True]
    assert found.to_pandas().shape == (3, 4)
    plain = found.to_dict()
    assert [row["R1"] for row in plain["rows"]] == ["C[*:1]", "O[*:1]"]
    assert plain["missing"][0]["lacks"] == "c1ccccc1"
    assert "2 of 3 molecules contain the core, 1 position with groups" in repr(found)


def test_a_series_shows_itself_and_its_names_are_text():
    found = enpda.rgroups(
        "c1ccccc1", [Graph.from_smiles("Cc1ccccc1", name=HOSTILE), Graph.from_smiles("CCO", name=HOSTILE)]
    )
    html = found._repr_html_()
    assert html.count("<svg") == 3  # the core, the molecule, its group
    assert "<script" not in html
    assert "\x1b" not in str(found)
    assert found.draw_core().startswith("<svg")


@pytest.mark.parametrize(
    ("core", "molecules", "message"),
    [
        ("(((", ["CCO"], r"a core is a SMILES or a SMARTS; got '\(\(\('"),
        ("", ["CCO"], "a core is a SMILES or a SMARTS; got ''"),
        (5, ["CCO"], "a Graph, SMILES string, RDKit Mol or networkx graph is needed; got 5"),
        (Graph([1, 1], [(0, 1)]), ["CCO"], "a core is a molecule"),
        ("CC", [Graph([1, 1], [(0, 1)])], "groups hang on molecules; item '0' is none"),
        ("[*:1][*:2]", ["CCO"], "a core needs atoms besides attachment points"),
        (enpda.match("CC", "FF"), ["CCO"], "nothing in common"),
    ],
)
def test_what_is_no_core_is_refused(core, molecules, message):
    with pytest.raises(InputError, match=message):
        enpda.rgroups(core, molecules)


def test_no_molecules_give_no_rows():
    found = enpda.rgroups("c1ccccc1", [])
    assert len(found) == 0
    assert found.table().num_rows == 0
    assert "0 of 0 molecules" in found._repr_html_()
