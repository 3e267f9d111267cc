"""`enpda draw`, and the tables of pairs it reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from enpda import InputError
from enpda.cli import main
from enpda.io.pairs import read_pairs

TABLE = """a,b,name_a,name_b
CCO,CCN,ethanol,<i>amine</i>
C1C,CC,broken,ethane
CC(=O)Oc1ccccc1C(=O)O,CC(=O)Nc1ccc(O)cc1,aspirin,paracetamol
CC
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "start"), [("x.svg", b"<svg"), ("x.png", b"\x89PNG\r\n\x1a\n"), ("x.html", b"<!DOCTYPE html>")]
)
def test_a_pair_is_drawn_in_the_format_of_the_suffix(
    name: str, start: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / name
    assert main(["draw", "CCO", "CCN", "-o", str(out), "--method", "fast", "--seed", "3", "--time-limit", "2"]) == 0
    assert out.read_bytes().startswith(start)
    printed, err = capsys.readouterr()
    assert printed == f"A and B: 1 bond in common, proven optimal\n{out}\n"
    assert err == ""


def test_a_table_becomes_a_report_and_bad_rows_are_told(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    assert main(["draw", "--pairs", str(table), "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.count("<section") == 2
    assert "<h1>pairs</h1>" in text
    assert "<h2>1. ethanol and &lt;i&gt;amine&lt;/i&gt;</h2>" in text
    assert "<h2>2. aspirin and paracetamol</h2>" in text
    printed, err = capsys.readouterr()
    assert printed == f"2 of 2 proven optimal\n{out}\n"
    assert f"{table}, line 3 is left out: a: not a SMILES: 'C1C'" in err
    assert f"{table}, line 5 is left out: b: the SMILES is missing" in err
    assert "100%" not in err  # no bar where nobody looks


@pytest.mark.parametrize(("columns", "size"), [("1", "width='560' height='600'"), ("2", "width='1120' height='300'")])
def test_a_table_becomes_one_picture(
    columns: str, size: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "grid.svg"
    assert main(["draw", "--pairs", str(table), "-o", str(out), "--columns", columns]) == 0
    assert size in out.read_text(encoding="utf-8").splitlines()[0]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "bonds"),
    [
        ([], 9),
        (["--connected"], 7),
        (["--min-fragment", "8"], 0),
        (["--rings", "all", "--max-fragments", "1"], 7),
        (["--equivalent", "[O,N]"], 10),
        (["--equivalent", "[O,N]", "--bonds", "any", "--connected"], 10),
    ],
)
def test_rules_and_constraints_hold_in_pictures(
    options: list[str], bonds: int, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.html"
    pair = ["CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"]
    assert main(["draw", *pair, "-o", str(out), *options]) == 0
    assert f": {bonds} bonds in common, proven optimal" in capsys.readouterr().out
    assert main(["draw", "--pairs", str(table), "-o", str(out), *options]) == 0
    assert f"{bonds} bonds in common" in out.read_text(encoding="utf-8")
    capsys.readouterr()


def test_the_title_of_a_page_is_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x.html"
    assert main(["draw", "CCO", "CCN", "-o", str(out), "--title", "</title><b>"]) == 0
    assert "<h1>&lt;/title&gt;&lt;b&gt;</h1>" in out.read_text(encoding="utf-8")
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CCO", "-o", "x.svg"], "two graphs are needed"),
        (["CCO", "CCN"], "--out"),
        (["CCO", "CCN", "-o", "x.pdf"], "out must end in .svg, .png, .html; got 'x.pdf'"),
        (["CCO", "CCN", "--pairs", "p.csv", "-o", "x.svg"], "either A and B or --pairs"),
        (["CCO", "nonsense!", "-o", "x.svg"], "not a SMILES: 'nonsense!'"),
        (["CCO", "CCN", "-o", "/nonexistent/x.png"], "cannot write the picture"),
        (["CCO", "CCN", "-o", "/nonexistent/x.html"], "cannot write the page"),
        (["--pairs", "/nonexistent/p.csv", "-o", "x.svg"], "/nonexistent/p.csv: No such file"),
        (["CCO", "CCN", "-o", "x.svg", "--time-limit", "-1"], "time_limit must be seconds above 0"),
        (["CCO", "CCN", "-o", "x.svg", "--connected", "--max-fragments", "2"], "connected means one fragment"),
        (["CCO", "CCN", "-o", "x.svg", "--pin", "0"], "--pin takes two whole numbers as in 3:5"),
        (["--pairs", "p.csv", "-o", "x.svg", "--pin", "0:0"], "--pin and --forbid name atoms of one pair"),
    ],
)
def test_bad_usage_exits_2_with_one_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", *arguments]) == 2
    printed, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert printed == ""


def test_tables_of_pairs_are_read_with_tabs_and_other_titles(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("Smiles_A\tignored\tB_SMILES\tb_name\nCCO\t1\tCCN\tamine\n\n", encoding="utf-8")
    pairs, rejects, oddities = read_pairs(path)
    assert [(len(a), a.name, b.name) for a, b in pairs] == [(3, None, "amine")]
    assert (rejects, oddities) == ([], [])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "a,c\nCC,CC\n", r"no column with SMILES called b or smiles_b; the 2 columns found are \['a', 'c'\]"),
        ("x.csv", "", "no column with SMILES called a"),
        ("x.smi", "CC CC\n", "pairs are read from .csv and .tsv"),
    ],
)
def test_tables_without_pairs_are_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"{re.escape(str(path))}: .*{message}"):
        read_pairs(path)


def test_a_table_without_a_readable_row_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\nC1C,CC\n"CC,CC\n', encoding="utf-8")
    assert main(["draw", "--pairs", str(path), "-o", str(tmp_path / "x.svg")]) == 2
    err = capsys.readouterr().err
    assert err.count("is left out") == 2
    assert "no pair can be read" in err
