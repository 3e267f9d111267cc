"""`enpda cluster` and `enpda split`."""

import json
import subprocess
import sys

import pyarrow.csv
import pyarrow.parquet
import pytest

import enpda
from enpda.cli import main
from near_pairs import (
    without_time,
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.smi"
    lines = ["CCCO a", "CCCCO b", "not! c", "c1ccccc1 d", "Cc1ccccc1 e", "CCCCCO f"]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_cluster_prints_and_writes(file, tmp_path, capsys):
    out = tmp_path / "clusters.csv"
    assert main(["cluster", str(file), "--min-similarity", "0.6", "-o", str(out)]) == 0
    printed, told = capsys.readouterr()
    assert "2 of 5 items (components, similarity at least 0.6)" in printed
    assert "a, b, f" in printed
    assert told.startswith("enpda: records that are left out, because they cannot be read: 1; the first: ")
    assert told.endswith("line 3: not a SMILES: 'not!' (syntax error at character 3)\n")
    assert pyarrow.csv.read_csv(out)["cluster"].to_pylist() == [0, 0, 1, 1, 0]


def test_cluster_json_is_to_dict(file, capsys):
    arguments = ["--max-distance", "1", "--algorithm", "butina", "--threads", "1", "--json"]
    assert main(["cluster", str(file), *arguments]) == 0
    expected = enpda.cluster(file, max_distance=1, algorithm="butina")
    assert {**json.loads(capsys.readouterr().out), "seconds": 0} == without_time(expected)


def test_cluster_takes_rules_and_constraints(file, capsys):
    assert main(["cluster", str(file), "--atoms", "any", "--bonds", "any", "--min-similarity", "0.3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == [5]
    assert main(["cluster", str(file), "--connected", "--rings", "all", "--max-distance", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == [3, 2]


def test_split_prints_and_writes(file, tmp_path, capsys):
    out = tmp_path / "folds.parquet"
    asked = ["split", str(file), "--max-distance", "3", "--verify", "-o", str(out)]
    assert main([*asked, "--fractions", "train:0.6,test:0.4"]) == 0
    printed, _ = capsys.readouterr()
    assert "train       3 items, 60.0% (60.0% wanted)" in printed
    table = pyarrow.parquet.read_table(out)
    assert table["fold"].to_pylist() == ["train", "train", "test", "test", "train"]
    assert table["smiles"].to_pylist()[0] == "CCCO"
    assert main([*asked, "--fractions", "0.4,0.3,0.3", "--json"]) == 0
    printed, told = capsys.readouterr()
    assert json.loads(printed)["folds"] == {"train": ["a", "b", "f"], "validation": ["d", "e"], "test": []}
    assert "one component holds 3 of 5 items" in told


def test_a_leak_ends_with_exit_code_1(file, capsys, monkeypatch):
    monkeypatch.setattr(enpda.Split, "verify", lambda *_: ["a pair"])
    assert main(["split", str(file), "--verify"]) == 1
    assert "1 pairs across folds are near or undecided" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cluster"], "FILE"),
        (["cluster", "/nonexistent.smi"], "no such file"),
        (["cluster", "FILE", "--min-similarity", "0.5", "--max-distance", "3"], "either"),
        (["cluster", "FILE", "-o", "clusters.txt"], "must end in .csv or .parquet"),
        (["cluster", "FILE", "-o", "/nonexistent/clusters.csv"], "cannot write the table"),
        (["cluster", "FILE", "--pin", "0:0"], "speak of one pair"),
        (["split", "FILE", "--fractions", "0.8,x"], "--fractions takes numbers"),
        (["split", "FILE", "--fractions", "a:0.8,0.2"], "a name of its own"),
        (["split", "FILE", "--fractions", "0.8,0.8"], "add up to 1"),
    ],
)
def test_bad_usage_exits_2_without_a_traceback(arguments, message, file, capsys):
    assert main([str(file) if text == "FILE" else text for text in arguments]) == 2
    printed, told = capsys.readouterr()
    assert message in told
    assert "Traceback" not in told
    assert printed == ""


def test_a_file_without_a_graph_is_refused(tmp_path, capsys):
    path = tmp_path / "empty.smi"
    path.write_text("not!\n", encoding="utf-8")
    assert main(["cluster", str(path)]) == 2
    assert "no record can be used" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cluster", "split"])
def test_help_has_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"enpda {command}" in capsys.readouterr().out.split("Example")[1]


def test_the_names_cost_no_heavy_import():
    code = "import sys, enpda; enpda.cluster, enpda.split; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"rdkit", "pyarrow", "scipy", "networkx", "tqdm"} & set(loaded)
