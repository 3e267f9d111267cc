"""All pairs on the command line: `enpda matrix`, `enpda sql`, and what a job will cost."""

import json

import pyarrow.parquet as pq
import pytest

import enpda
from enpda.bulk.estimate import estimate
from enpda.bulk.job import Job
from enpda.bulk.library import Library
from enpda.bulk.question import Question
from enpda.bulk.sql import sql
from enpda.cli import main
from enpda.data import drugs
from enpda.solve.options import Options


@pytest.fixture
def molecules(tmp_path):
    lines = [f"{g.to_dict()['smiles']} {name}" for name, g in list(drugs().items())[:12]]
    path = tmp_path / "drugs.smi"
    path.write_text("\n".join([*lines[:6], "C1CC broken", *lines[6:]]) + "\n")
    return path


def test_matrix_writes_a_table_and_goes_on_with_it(molecules, tmp_path, capsys):
    out = tmp_path / "job"
    assert main(["matrix", str(molecules), "-o", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert (summary["items"], summary["pairs"], summary["rows"], summary["rejects"]) == (12, 66, 66, 1)
    assert "line 7: not a SMILES: 'C1CC'" in printed.err
    written = {path: path.read_bytes() for path in (out / "pairs").iterdir()}
    assert main(["matrix", str(molecules), "-o", str(out), "--json"]) == 0
    assert written == {path: path.read_bytes() for path in (out / "pairs").iterdir()}
    assert pq.read_table(out / "rejects.parquet").to_pylist()[0]["line"] == 7
    items = pq.read_table(out / "items.parquet").to_pylist()
    graphs = {row["id"]: enpda.Graph.from_smiles(row["smiles"]) for row in items}
    for row in pq.read_table(out / "pairs").to_pylist()[:10]:
        assert row["size"] == enpda.match(graphs[row["id_a"]], graphs[row["id_b"]]).size


def test_two_files_a_threshold_and_pieces(molecules, tmp_path, capsys):
    out = tmp_path / "job"
    command = ["matrix", str(molecules), str(molecules), "-o", str(out), "--min-similarity", "0.5"]
    assert main([*command, "--chunks", "0:0"]) == 0
    assert "rows        0" in capsys.readouterr().out
    assert main([*command, "--heatmap", str(tmp_path / "heat.svg")]) == 0
    assert "complete    True" in capsys.readouterr().out
    rows = pq.read_table(out / "pairs").to_pylist()
    assert {(row["id_b"], row["id_a"]) for row in rows} == {(row["id_a"], row["id_b"]) for row in rows}
    assert min(row["similarity"] for row in rows) >= 0.5
    assert (tmp_path / "heat.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out DIR"),
        (["-o", "x", "--chunks", "3"], "two whole numbers as in 0:100"),
        (["-o", "x", "--min-similarity", "2"], "min_similarity"),
    ],
)
def test_what_matrix_refuses(molecules, arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["matrix", str(molecules), *arguments]) in (1, 2)
    assert message in capsys.readouterr().err


def test_an_estimate_covers_what_the_job_takes(molecules, capsys):
    assert main(["matrix", str(molecules), "--estimate", "--sample-seconds", "1", "--json"]) == 0
    guess = json.loads(capsys.readouterr().out)
    assert guess["pairs"] == guess["rows"] == 66
    assert 0 < guess["core_hours_low"] <= guess["core_hours"] <= guess["core_hours_high"]
    assert guess["proven"] == 1
    assert main(["matrix", str(molecules), "--estimate", "--sample-seconds", "0"]) == 0
    assert "of one core [" in capsys.readouterr().out


def test_an_estimate_knows_thresholds_and_two_lists():
    library = Library.of(list(drugs().values())[:10])
    job = Job(library, Library.of(list(drugs().values())[:3]), Question(Options(time_limit=1.0), min_similarity=0.9))
    guess = estimate(job, seconds=60)  # small enough to be done as a whole
    assert guess.pairs == guess.sampled == 30
    assert guess.rows == 3  # each of the three is its own best match


def test_sql_answers(molecules, tmp_path, capsys):
    out = tmp_path / "job"
    assert main(["matrix", str(molecules), "-o", str(out)]) == 0
    capsys.readouterr()
    assert main(["sql", str(out), "select count(*) as n, max(similarity) as s from pairs"]) == 0
    assert capsys.readouterr().out.split()[:3] == ["n", "s", "66"]
    assert main(["sql", str(out), "select id from items order by id limit 2", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["id", *sorted(list(drugs())[:12])[:2]]
    assert main(["sql", str(out), "select line, reason from rejects", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"line": 7, "reason": "not a SMILES: 'C1CC' (unclosed ring)"}
    assert main(["sql", str(out), "select nothing from pairs"]) == 2
    assert "DuckDB" in capsys.readouterr().err
    assert main(["sql", str(tmp_path), "select 1"]) == 2
    assert "no job.json" in capsys.readouterr().err


def test_sql_of_a_job_that_has_not_begun(molecules, tmp_path):
    out = tmp_path / "job"
    assert main(["matrix", str(molecules), "-o", str(out), "--chunks", "0:0"]) == 0
    assert sql(out, "select count(*) as n from pairs").to_pylist() == [{"n": 0}]
