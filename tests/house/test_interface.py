"""What a user meets: import cost, stubs, the command line, the benchmark."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import enpda
from enpda.cli import main

REPOSITORY = Path(__file__).parents[2]


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_import_loads_none_of_the_heavy_libraries():
    loaded = python("import sys, enpda; print(*sys.modules)").split()
    assert not {"rdkit", "scipy", "pyarrow", "torch", "dask", "networkx", "cyclopts"} & set(loaded)


def test_import_loads_numpy_the_standard_library_and_the_rooms_of_a_match():
    code = "import sys, numpy; known = set(sys.modules); import enpda; print(*set(sys.modules) - known)"
    loaded = python(code).split()
    packages = {name.split(".")[0] for name in loaded} - sys.stdlib_module_names
    assert packages == {"enpda", "enpda_verify", "numpy"}
    rooms = {path.parent.name for path in (REPOSITORY / "src" / "enpda").glob("*/__init__.py")}
    assert {name.split(".")[1] for name in loaded if name.startswith("enpda.")} & rooms == {
        "chem",
        "io",
        "problem",
        "result",
        "solve",
    }


def test_the_stub_is_what_the_compiled_module_says(tmp_path):
    out = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "enpda._core", "-o", str(out)], check=True)
    committed = (REPOSITORY / "src" / "enpda" / "_core.pyi").read_text(encoding="utf-8")
    assert out.read_text(encoding="utf-8") == committed, "run `make stubs`"


def test_public_names_are_those_of_the_contract():
    assert {"Graph", "Match", "InputError", "match", "read", "__version__"} <= set(enpda.__all__)
    assert all(hasattr(enpda, name) for name in enpda.__all__)


def test_match_prints_a_readable_result(capsys):
    assert main(["match", "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(
        "shared      9 bonds, 10 atoms, in 2 pieces (proven optimal)\nSMARTS      O-c:1:c:c:c:c:c1.C-C=O\n"
    )
    assert "0.6311 (Johnson)" in out
    assert "6 bonds not shared" in out
    assert "proven: no larger common part exists" in out
    assert "→" not in out
    assert "bounds" not in out
    assert err == ""


def test_match_json_is_to_dict(capsys):
    assert main(["match", "CCO", "CCN", "--json", "--seed", "4"]) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = json.loads(enpda.match("CCO", "CCN", seed=4).to_json())
    assert {**printed, "seconds": 0} == {**expected, "seconds": 0}


def test_match_writes_the_picture(tmp_path, capsys):
    picture = tmp_path / "pair.svg"
    assert main(["match", "CCO", "CCN", "--svg", str(picture), "--rounds", "2", "--decoder", "hungarian"]) == 0
    assert picture.read_text(encoding="utf-8").lstrip().startswith("<")
    assert "</svg>" in picture.read_text(encoding="utf-8")
    capsys.readouterr()


def test_match_reads_files_and_numbered_records(tmp_path, capsys):
    file = tmp_path / "some.smi"
    file.write_text("CCO ethanol\nCCN ethylamine\n", encoding="utf-8")
    assert main(["match", str(file), f"{file}:1"]) == 0
    out = capsys.readouterr().out
    assert "ethanol" in out
    assert "ethylamine" in out
    assert main(["match", str(file), f"{file}:2"]) == 2
    assert "has no graph number 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "CCO"], "B"),
        (["match", "CCO", "notasmiles!"], "not a SMILES: 'notasmiles!'"),
        (["match", "CCO", "CCN", "--method", "magic"], "magic"),
        (["match", "CCO", "CCN", "--rounds", "-3"], "rounds must be a whole number"),
        (["match", "CCO", "CCN", "--rounds", "x"], "x"),
        (["match", "CCO", "CCN", "--svg", "/nonexistent/x.svg"], "cannot write the picture"),
        (["frobnicate"], "frobnicate"),
        (["bench", "nothing"], "no experiment called 'nothing'; there are core, search, bounds"),
        (["bench", "core", "--data", "/nonexistent"], "see docs/data.md"),
        (["bench", "search", "--only", "magic"], "only must be one of 'analytic', '1 ms'"),
        (["bench", "core", "--count", "0"], "count must be at least 1; got 0"),
        (["match", "CCO", "x" * 300], "neither a file nor a molecule"),
        (["demo", "unobtainium"], "no drug called 'unobtainium'"),
    ],
)
def test_bad_usage_exits_2_with_one_message_and_no_traceback(arguments, message, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize("command", ["match", "search", "draw", "info", "demo", "bench", "train"])
def test_help_has_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"enpda {command}" in capsys.readouterr().out.split("Example")[1]


def test_info_tells_version_and_cpu(capsys):
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["enpda"] == enpda.__version__
    assert facts["parts"]["rdkit"] != "missing"
    assert main(["info"]) == 0
    assert "compiler" in capsys.readouterr().out


def test_demo_writes_picture_and_result(tmp_path, capsys):
    assert main(["demo", "morphine", "codeine", "--out", str(tmp_path)]) == 0
    assert "shared" in capsys.readouterr().out
    again = enpda.Match.from_json((tmp_path / "match.json").read_text(encoding="utf-8"))
    assert again.size > 15
    assert "</svg>" in (tmp_path / "match.svg").read_text(encoding="utf-8")


def test_version_is_the_packages(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == enpda.__version__
