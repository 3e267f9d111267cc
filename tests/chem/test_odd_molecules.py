"""Claims about molecules that few tools like: salts, metals, radicals, odd bonds, hydrogens, and what cannot be."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rdkit import Chem

import enpda
from enpda import Constraints, Graph, InputError, InputWarning, Match, Rules
from enpda.data import drugs
from enpda.graph import read_text

# -- what RDKit cannot sanitise -------------------------------------------------------------------------------

INVALID = {
    "five-valent carbon": ("CC(C)(C)(C)C", [1] * 5, "Explicit valence"),
    "four-valent nitrogen": ("CN(C)(C)C", [1] * 4, "Explicit valence"),
    "chlorine": ("F[Cl](F)(F)(F)(F)(F)F", [1] * 7, "Explicit valence"),
    "boron": ("CB(C)(C)C", [1] * 4, "Explicit valence"),
    "ring of five": ("c1cccc1", [12] * 5, "kekulize"),
    "pyridine with a hydrogen": ("[nH]1ccccc1", [12] * 6, "kekulize"),
    "no ring": ("cc", [12], "non-ring atom"),
    "hydrogens": ("[H]C([H])([H])([H])[H]", [], "Explicit valence"),
    "both": ("CC(C)(C)(C)c1cccc1", [1] * 5 + [12] * 5, "Explicit valence"),
}


@pytest.mark.parametrize("name", INVALID)
def test_what_cannot_be_sanitised_is_taken_as_written_with_a_warning(name: str) -> None:
    smiles, bonds, reason = INVALID[name]
    with pytest.warns(InputWarning, match=f"not a valid molecule, and is taken as it is written: .*{reason}") as told:
        graph = Graph.from_smiles(smiles)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert sorted(graph.edge_labels.tolist()) == bonds
    assert graph.oddity == str(told[0].message)
    again = pickle.loads(pickle.dumps(graph))
    assert (again, again.oddity) == (graph, graph.oddity)
    back = Graph.from_dict(graph.to_dict())
    assert back == graph
    assert back.mol is not None
    assert back.oddity is not None


def test_valid_molecules_are_not_odd() -> None:
    assert all(graph.oddity is None for graph in drugs().values())
    assert Graph([6]).oddity is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Graph.from_smiles("C[Fe](C)(C)(C)(C)(C)(C)C").oddity is None  # metals have any valence


@pytest.mark.parametrize("text", ["C1CC", "C(", "hello", "[Xx]", "C[", "C%", "))", "[C", "C1(C)C2"])
def test_what_is_no_smiles_stays_an_error(text: str) -> None:
    with pytest.raises(InputError, match="not a SMILES"):
        Graph.from_smiles(text)


def test_only_the_steps_that_fail_are_left_out() -> None:
    kekule, aromatic = (read_text(f"CC(C)(C)(C)C{ring}") for ring in ("C1=CC=CC=C1", "c1ccccc1"))
    assert kekule == aromatic  # aromaticity is still found
    biphenyl_like = read_text("c1ccccc1c1cccc1")
    assert sorted(biphenyl_like.edge_labels.tolist()) == [1] + [12] * 11  # between two rings stands a single bond
    assert enpda.match(biphenyl_like, "c1ccccc1C", constraints=Constraints(rings="aromatic")).size == 7


def test_hydrogens_of_what_cannot_be_are_those_written() -> None:
    methane, odd = Graph.from_smiles("C"), read_text("[H]C([H])([H])([H])[H]")
    assert len(odd) == 1
    assert odd.mol is not None
    assert odd.mol.GetAtomWithIdx(0).GetTotalNumHs() == 5
    assert methane == odd


def test_the_command_line_says_so_on_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from enpda.cli import main

    assert main(["match", "CN(C)(C)C", "CNC"]) == 0
    out, err = capsys.readouterr()
    assert "shared      2 bonds" in out
    assert err.count("\n") == 1
    assert err.startswith("enpda: the SMILES 'CN(C)(C)C' is not a valid molecule, and is taken as it is written:")
    file, table = tmp_path / "a.smi", tmp_path / "a.csv"
    file.write_text("c1cccc1 ring\n")
    assert main(["match", str(file), "CCC"]) == 0
    assert "Can't kekulize" in capsys.readouterr().err
    table.write_text("a,b\nCCO,CN(C)(C)C\n")
    assert main(["draw", "--pairs", str(table), "-o", str(tmp_path / "a.svg")]) == 0
    assert f"enpda: {table}, line 2: b: the SMILES 'CN(C)(C)C' is not" in capsys.readouterr().err


# -- all of them through everything ---------------------------------------------------------------------------


def with_bond(kind: Chem.BondType, smiles: str = "CC(N)O") -> Chem.Mol:
    mol = Chem.RWMol(Chem.MolFromSmiles(smiles))
    mol.GetBondWithIdx(0).SetBondType(kind)
    mol.UpdatePropertyCache(strict=False)
    return mol.GetMol()


def kekule(smiles: str) -> Chem.Mol:
    mol = Chem.MolFromSmiles(smiles)
    Chem.Kekulize(mol, clearAromaticFlags=True)
    return mol


ZOO: dict[str, Callable[[], Graph]] = {
    **{name: lambda text=case[0]: read_text(text) for name, case in INVALID.items()},
    "salt": lambda: Graph.from_smiles("CC(=O)[O-].[Na+].Cl.O"),
    "ferrocene": lambda: Graph.from_smiles("[Fe+2].[CH-]1C=CC=C1.[CH-]1C=CC=C1"),
    "cisplatin": lambda: Graph.from_smiles("Cl[Pt](Cl)(N)N"),
    "chelate": lambda: Graph.from_smiles("N1->[Cu]<-NCC1"),
    "radicals": lambda: Graph.from_smiles("C[CH]C.[O][N]=O"),
    "isotopes": lambda: Graph.from_smiles("[13CH3]C([2H])([2H])[2H]"),
    "unspecified bond": lambda: Graph.from_smiles("C~CC"),
    "quadruple bond": lambda: Graph.from_smiles("[Re]$[Re]"),
    "protons": lambda: Graph.from_smiles("[H+].[Cl-].[H][H]"),
    "dummies": lambda: Graph.from_smiles("*CC*"),
    "hydrogens as nodes": lambda: Graph.from_mol(Chem.AddHs(Chem.MolFromSmiles("CCO"))),
    "never sanitised": lambda: Graph.from_mol(Chem.MolFromSmiles("c1ccccc1C(C)(C)(C)(C)C1CC1", sanitize=False)),
    "zero-order bond": lambda: Graph.from_mol(with_bond(Chem.BondType.ZERO)),
    "hydrogen bond": lambda: Graph.from_mol(with_bond(Chem.BondType.HYDROGEN)),
    "ionic bond": lambda: Graph.from_mol(with_bond(Chem.BondType.IONIC)),
    "one-electron dative bond": lambda: Graph.from_mol(with_bond(Chem.BondType.DATIVEONE)),
    "Kekulé form": lambda: Graph.from_mol(kekule("Cc1ccccc1")),
    "empty": lambda: Graph.from_mol(Chem.Mol()),
}
RULES = {
    "labels": None,
    "charges": Rules(atoms="element+charge+isotope"),
    "hydrogens": Rules(atoms="element+hydrogens+valence+aromatic"),
    "topology": Rules(atoms="any", bonds="any", ring_bonds=True),
    "classes": Rules(atoms="element+ring+degree", equivalent="[F,Cl] [C;R] [#7;H2,H3]"),
    "weights": Rules(bonds="any", weights="order"),
}


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.parametrize("rules", RULES)
def test_every_molecule_goes_through_everything(name: str, rules: str, capfd: pytest.CaptureFixture[str]) -> None:
    graph = ZOO[name]()
    for other in (graph, Graph.from_smiles("CC(N)C(=O)[O-].c1ccccc1C")):
        for constraints in (None, Constraints(rings="all", connected=True), Constraints(rings="aromatic")):
            match = enpda.match(graph, other, rules=RULES[rules], constraints=constraints, time_limit=5)
            assert match.optimal
            assert constraints is not None or other is not graph or match.distance == 0
            assert enpda.verify(match.certificate).ok
            if match.size:
                assert Chem.MolFromSmarts(match.smarts) is not None
            assert len(match.mapped_smiles) == 2
            assert match.to_mol().GetNumAtoms() == match.nodes
            again = Match.from_json(match.to_json())
            assert (again.a, again.mapping, again.smarts) == (match.a, match.mapping, match.smarts)
            assert again.a.mol is not None
        ElementTree.fromstring(match.draw())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", [Chem.BondType.OTHER, Chem.BondType.THREECENTER])
def test_bonds_without_a_valence_match_and_else_are_refused_clearly(kind: Chem.BondType) -> None:
    mol = Chem.RWMol(Chem.MolFromSmiles("CC(N)O", sanitize=False))
    mol.GetBondWithIdx(0).SetBondType(kind)
    match = enpda.match(mol, mol)
    assert match.size == 3
    assert Match.from_json(match.to_json()).size == 3
    ElementTree.fromstring(match.draw())
    for rules in (Rules(atoms="element+hydrogens"), Rules(weights="order")):
        with pytest.raises(InputError, match=r"no (valences for some of the bond types|weight for edge label)"):
            enpda.match(mol, mol, rules=rules)
    with pytest.raises(InputError, match="no valences"):
        _ = match.smarts
    with pytest.raises(InputError, match="no valences"):
        match.to_mol()
    with pytest.raises(InputError, match="cannot write"):
        _ = match.mapped_smiles


@pytest.mark.parametrize(
    "molecule",
    [
        5,
        {"atoms": []},
        {"atoms": [[6]], "bonds": []},
        {"atoms": [[6, 0, 0, 3, 0, 0]] * 2, "bonds": [[0, 2, 1, 0]]},
        {"atoms": [[6, 0, 0, 3, 0, 0]] * 2, "bonds": [[0, 0, 1, 0]]},
        {"atoms": [[6, 0, 0, 3, 0, 0]] * 2, "bonds": [[0, 1, 99, 0]]},
        {"atoms": [[6, 0, 0, 3, 0, 0]] * 2, "bonds": [[0, 1, 20, 0]]},
        {"atoms": [[600, 0, 0, 3, 0, 0]], "bonds": []},
        {"atoms": [[6, 0, -1, 10**30, 0, 0]], "bonds": []},
        {"atoms": [[6, "x", 0, 3, 0, 0]], "bonds": []},
        {"atoms": [[6, 0, 0, 3, 0, 0]] * 2, "bonds": []},
    ],
)
def test_a_molecule_in_numbers_that_is_none_is_refused(molecule: object, capfd: pytest.CaptureFixture[str]) -> None:
    data = {"labels": [6, 6], "edges": [[0, 1]], "edge_labels": [1], "molecule": molecule}
    with pytest.raises(InputError):
        Graph.from_dict(data)
    assert capfd.readouterr() == ("", "")


def test_a_query_is_matched_by_its_elements_and_drawn() -> None:
    query = Chem.MolFromSmarts("[#6]~[#7][!#1]")
    match = enpda.match(query, query)
    assert match.size == 2
    assert Match.from_json(match.to_json()).a.mol is not None
    ElementTree.fromstring(match.draw())


# -- hydrogens ------------------------------------------------------------------------------------------------


def test_hydrogens_of_a_smiles_are_folded_and_those_of_a_mol_are_nodes() -> None:
    written = Graph.from_smiles("[H]C([H])([H])[H]")
    assert written == Graph.from_smiles("C")
    assert len(Graph.from_smiles("[2H]C")) == len(Graph.from_smiles("[H][H]")) == 2  # isotopes and dihydrogen stay
    mol = Chem.AddHs(Chem.MolFromSmiles("C"))
    assert (len(Graph.from_mol(mol)), Graph.from_mol(mol).size) == (5, 4)


def test_hydrogens_count_alike_whether_they_are_nodes_or_not() -> None:
    rules = Rules(atoms="element+hydrogens")
    for smiles, other, shared in (("CCO", "CCN", 1), ("CCC", "CC(C)C", 0), ("CC=O", "CC=O", 2)):
        folded = enpda.match(smiles, other, rules=rules)
        assert folded.size == shared
        with_nodes = [Chem.AddHs(Chem.MolFromSmiles(text)) for text in (smiles, other)]
        kept = enpda.match(*with_nodes, rules=rules)
        heavy = [i for i in kept.mapping if kept.a.labels[i] != 1]
        assert all(
            with_nodes[0].GetAtomWithIdx(i).GetTotalNumHs(includeNeighbors=True)
            == with_nodes[1].GetAtomWithIdx(kept.mapping[i]).GetTotalNumHs(includeNeighbors=True)
            for i in heavy
        )
        mixed = enpda.match(smiles, with_nodes[1], rules=rules)
        assert mixed.size == shared


# -- peptides -------------------------------------------------------------------------------------------------


def sequence(length: int, seed: int) -> str:
    chosen = random.Random(seed)
    return "".join(chosen.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(length))


@pytest.fixture(scope="module")
def peptides() -> tuple[Graph, Graph, Graph]:
    """A peptide of 500 atoms, a relative with eight residues replaced, and a stranger."""
    own = list(sequence(64, 1))
    other = list(own)
    for at in range(3, 64, 8):
        other[at] = "G" if own[at] != "G" else "A"
    texts = ("".join(own), "".join(other), sequence(64, 7))
    graphs = tuple(Graph.from_mol(Chem.MolFromSequence(text)) for text in texts)
    assert [len(graph) > 450 for graph in graphs] == [True, True, True]
    return graphs


CASES = {
    "plain": {},
    "connected": {"constraints": Constraints(connected=True)},
    "whole rings": {"constraints": Constraints(rings="all", connected=True)},
    "rules": {"rules": Rules(atoms="element+hydrogens+ring+charge", ring_bonds=True)},
    "weights": {"rules": Rules(bonds="any", weights="order")},
    "anything": {"rules": Rules(atoms="any", bonds="any")},
}


@pytest.mark.plain
@pytest.mark.parametrize("other", [1, 2], ids=["relative", "stranger"])
@pytest.mark.parametrize("case", CASES)
def test_peptides_of_500_atoms_match_within_their_time(peptides: tuple[Graph, ...], other: int, case: str) -> None:
    match = enpda.match(peptides[0], peptides[other], time_limit=1.0, **CASES[case])
    assert 100 < match.size <= match.upper <= min(match.problem.total)


@pytest.mark.slow
@pytest.mark.plain
def test_peptides_of_500_atoms_fit_into_little_memory() -> None:
    texts = sequence(64, 1), sequence(64, 7)
    code = (
        "import enpda; from rdkit import Chem\n"
        f"match = enpda.match(*map(Chem.MolFromSequence, {texts!r}), time_limit=1.0)\n"
        "match.draw(), match.certificate, match.to_json()\n"
        # Not the resource usage, which counts the process that started this one.
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 800_000  # kilobytes, on Linux


def test_peptides_are_written_drawn_and_read_again(peptides: tuple[Graph, ...]) -> None:
    match = enpda.match(*peptides[:2], method="fast", time_limit=2.0)
    assert match.size > 400
    again = Match.from_json(match.to_json())
    assert (again.a, again.b, again.mapping) == (match.a, match.b, match.mapping)
    assert again.a.mol is not None
    assert Graph.from_smiles(Chem.MolToSmiles(match.a.mol)).same_as(match.a)
    assert enpda.verify(match.certificate).ok
    assert Chem.MolFromSmarts(match.smarts).GetNumAtoms() == match.nodes
    ElementTree.fromstring(match.draw())


def test_molecules_too_large_for_smiles_keep_their_atoms_in_json() -> None:
    big = Graph.from_mol(Chem.MolFromSequence(sequence(150, 3)))
    assert len(big) > 1_000
    data = big.to_dict()
    assert data["smiles"] is None
    again = Graph.from_dict(data)
    assert again == big
    own = [(a.GetFormalCharge(), a.GetTotalNumHs(), a.GetTotalValence(), a.GetIsAromatic()) for a in big.mol.GetAtoms()]
    assert own == [
        (a.GetFormalCharge(), a.GetTotalNumHs(), a.GetTotalValence(), a.GetIsAromatic()) for a in again.mol.GetAtoms()
    ]


# -- whatever is typed ----------------------------------------------------------------------------------------

SNIPPETS = ["[", "]", "(", ")", "+", "-", "=", "#", ":", "~", "->", "[H]", "[2H]", "[Na+].", "[CH5]", "[Fe+3]", "[O-]",
            "c", "n", "1", "%10", "@", "/", ".", "*", "$"]  # fmt: skip


def edited(smiles: str, chosen: random.Random) -> str:
    text = smiles
    for _ in range(chosen.randint(1, 4)):
        at = chosen.randrange(len(text) + 1)
        end = min(len(text), at + chosen.randint(1, 5))
        text = chosen.choice(
            [text[:at] + text[at + 1 :], text[:end] + text[at:], text[:at] + chosen.choice(SNIPPETS) + text[at:]]
        )
    return text


@pytest.mark.slow
def test_edited_smiles_are_molecules_or_input_errors_and_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = random.Random(0)
    originals = [Chem.MolToSmiles(graph.mol) for graph in drugs().values() if len(graph) < 30]
    counts = {"valid": 0, "odd": 0, "refused": 0}
    rules = Rules(atoms="element+charge+hydrogens")
    for _ in range(600):
        original = chosen.choice(originals)
        try:
            graph = read_text(edited(original, chosen))
        except InputError:
            counts["refused"] += 1
            continue
        counts["valid" if graph.oddity is None else "odd"] += 1
        match = enpda.match(graph, original, method="fast", time_limit=1.0, rules=chosen.choice([None, rules]))
        again = Match.from_json(match.to_json())
        assert (again.a, again.mapping) == (match.a, match.mapping)
        assert again.a.mol is not None
        assert isinstance(match.smarts, str)
    assert min(counts.values()) > 30, counts
    assert capfd.readouterr() == ("", "")


def test_a_warning_is_all_that_a_script_prints() -> None:
    code = "import enpda; print(enpda.match('CN(C)(C)C', 'c1cccc1C').size)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
    assert done.stderr.count("InputWarning") == 2
    assert "Violation" not in done.stderr
