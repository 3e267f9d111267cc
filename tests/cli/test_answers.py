"""What commands print and write for people."""

from __future__ import annotations

import csv
import json

import pytest
from rdkit import Chem

import enpda
from enpda.cli import main
from enpda.cli.match import text
from enpda.data import drugs
from enpda.graph import Graph

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.smi"
    path.write_text("".join(f"{Chem.MolToSmiles(g.mol)} {name}\n" for name, g in list(drugs().items())[:8]))
    return path


def test_a_match_of_molecules_is_told_in_atoms_and_bonds_and_the_common_part_comes_first(capsys):
    assert main(["match", ASPIRIN, PARACETAMOL]) == 0
    lines = capsys.readouterr().out.splitlines()
    m = enpda.match(ASPIRIN, PARACETAMOL)
    assert lines[0] == "shared      9 bonds, 10 atoms, in 2 pieces (proven optimal)"
    assert lines[1] == f"SMARTS      {m.smarts}"
    assert lines[2] == f"A           13 atoms, 13 bonds  {m.mapped_smiles[0]}"
    assert lines[4] == f"A to B      {m.transformation}"
    assert [line.split()[0] for line in lines[5:]] == ["similarity", "distance", "proof"]


def test_experts_see_bounds_method_and_the_whole_map(capsys):
    assert main(["match", ASPIRIN, PARACETAMOL, "-v"]) == 0
    out = capsys.readouterr().out
    assert "bounds      edge 11, histogram 9" in out
    assert "method      auto" in out
    assert "atom map    0→0 1→1" in out


def test_a_match_of_other_graphs_is_told_in_nodes_and_edges():
    path = Graph([1] * 121, [(k, k + 1) for k in range(120)])
    shown = text(enpda.match(path, path, "fast"))
    assert shown.startswith("shared      120 edges, 121 nodes")
    assert "atom" not in shown
    assert "bond" not in shown
    assert "and 25 more, which --verbose shows" in shown
    assert "more, which" not in text(enpda.match(path, path, "fast"), verbose=True)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("CC", "CC", ["1 bond, 2 atoms", "2 atoms, 1 bond", "0 bonds not shared"]),
        ("CCO", "CC", ["1 bond, 2 atoms", "1 bond not shared"]),
        ("C", "C", ["0 bonds, 0 atoms", "1 atom, 0 bonds"]),
    ],
)
def test_one_is_singular(a, b, expected):
    shown = text(enpda.match(a, b))
    for words in expected:
        assert words in shown


def test_how_sure_an_answer_is_is_said_in_plain_words():
    a, b = drugs()["sildenafil"], drugs()["vardenafil"]
    assert "proof       proven: no larger common part exists" in text(enpda.match(a, b))
    open_ = enpda.match(a, b, "analytic")
    missing = open_.upper - open_.size
    assert f"not proven: up to {missing} more bonds may be shared, at most {open_.upper} bonds" in text(open_)
    far = enpda.match("CCO", "FF", min_size=2)
    assert "no common part is as large as was asked for" in text(far)


def test_json_has_numbers_of_one_kind_on_one_line(capsys):
    assert main(["match", ASPIRIN, PARACETAMOL, "--json"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) < 45
    assert '  "fragments": [[3, 4, 5, 6, 7, 8, 9], [0, 1, 2]],' in out.splitlines()
    assert json.loads(out)["smarts"] == "O-c:1:c:c:c:c:c1.C-C=O"


def test_a_pair_can_be_a_page(tmp_path, capsys):
    out = tmp_path / "pair.html"
    assert main(["match", ASPIRIN, PARACETAMOL, "--html", str(out)]) == 0
    html = out.read_text(encoding="utf-8")
    assert html.count("<svg") == 1
    assert enpda.match(ASPIRIN, PARACETAMOL).smarts in html
    capsys.readouterr()


def test_hits_are_written_as_a_page_and_as_molecules(file, tmp_path, capsys):
    page, molecules = tmp_path / "hits.html", tmp_path / "hits.sdf"
    for out in (page, molecules):
        assert main(["search", f"{file}:0", str(file), "-k", "3", "-o", str(out)]) == 0
    assert page.read_text(encoding="utf-8").count("<svg") == 4
    assert [mol.GetProp("rank") for mol in Chem.SDMolSupplier(str(molecules))] == ["1", "2", "3"]
    assert main(["search", str(file), str(file), "--all", "-k", "2", "-o", str(molecules)]) == 0
    assert len(list(Chem.SDMolSupplier(str(molecules)))) == 16
    assert main(["search", f"{file}:0", str(file), "-o", str(tmp_path / "hits.txt")]) == 2
    assert "out must end in .csv or .parquet or .html or .sdf" in capsys.readouterr().err


def test_clusters_and_matrices_are_written_as_pages(file, tmp_path, capsys):
    assert main(["cluster", str(file), "--min-similarity", "0.4", "-o", str(tmp_path / "c.html")]) == 0
    assert "<h2>Cluster 0: " in (tmp_path / "c.html").read_text(encoding="utf-8")
    command = ["matrix", str(file), "-o", str(tmp_path / "job"), "--html", str(tmp_path / "m.html")]
    assert main([*command, "--heatmap", str(tmp_path / "m.png"), "--order", "given"]) == 0
    assert "<h2>Pairs</h2>" in (tmp_path / "m.html").read_text(encoding="utf-8")
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()


def test_groups_are_printed_and_written_as_a_table(file, tmp_path, capsys):
    out = tmp_path / "table.csv"
    assert main(["rgroups", "c1ccccc1", str(file), "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("core  ")
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["id"] for row in rows] == list(drugs())[:8]
    assert {row["id"] for row in rows if row["missing"]} == {"caffeine", "theophylline"}
    assert main(["rgroups", "c1ccccc1", str(file), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["missing"]) == 2
    assert main(["rgroups", "c1ccccc1", str(file), "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<svg") > 6
    capsys.readouterr()
    assert main(["rgroups", "(((", str(file)]) == 2
    assert "a core is a SMILES or a SMARTS" in capsys.readouterr().err
