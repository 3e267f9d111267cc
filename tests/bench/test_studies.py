"""Every study of the paper, run small on the real data through the command line: resumed, audited, reported."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from enpda.cli import main
from enpda_bench import journal, note, paper
from enpda_bench.audit import read as read_audit
from enpda_bench.pages import load
from enpda_bench.studies import STUDIES, study
from processes import ended

RUN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # shells may have it ignored
    "from enpda.cli import main; raise SystemExit(main())"
)


@pytest.fixture(scope="session")
def measured(smoke_run, scope):
    return {name: study(name)(scope).cells(journal.read(smoke_run, name)) for name in STUDIES}


def untimed(folder, name):
    return [
        replace(r, outcome=replace(r.outcome, seconds=0, values={}, image=None)) for r in journal.read(folder, name)
    ], [None if r.outcome.image is None else r.outcome.image.tolist() for r in journal.read(folder, name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_the_records_are_the_trials_once_each_and_in_order(name, smoke_run, scope):
    trials = list(study(name)(scope).trials())
    assert trials
    assert len(set(trials)) == len(trials)
    assert [r.trial for r in journal.read(smoke_run, name)] == trials


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_of_a_study_has_cells_and_every_cell_a_number_or_a_reason(name, measured):
    cells, shapes = measured[name], {shape.label: shape for shape in study(name).shapes}
    assert {cell.table for cell in cells} == set(shapes)
    keys = [(cell.table, cell.row, cell.column) for cell in cells]
    assert len(set(keys)) == len(keys)
    for cell in cells:
        assert cell.note or cell.value is not None, cell
        assert cell.value is None or math.isfinite(cell.value), cell
        assert (cell.low is None) == (cell.high is None), cell
        assert cell.low is None or cell.low <= cell.high, cell
    for label, shape in shapes.items():
        known = [cell for cell in (*cells, *paper.table(label)) if cell.table == label]
        names = {cell.row for cell in known} | {cell.column for cell in known}
        for some in (shape.lower, shape.plain, shape.ours):
            assert not some or names.intersection(some), (label, some)


@pytest.mark.parametrize("name", STUDIES)
def test_every_number_of_the_paper_stands_beside_one_of_ours(name, measured):
    ours = {(cell.table, cell.row, cell.column) for cell in measured[name]}
    theirs = [cell for shape in study(name).shapes for cell in paper.table(shape.label)]
    assert [cell for cell in theirs if (cell.table, cell.row, cell.column) not in ours] == []


@pytest.mark.slow
def test_the_audit_counts_every_mapping_and_finds_no_fault(smoke_run, data, capsys):
    assert main(["bench", "audit", str(smoke_run), "--data", str(data)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    for name, count in read_audit(smoke_run).items():
        records = journal.read(smoke_run, name)
        assert count.records == len(records)
        assert count.mappings == sum(r.outcome.image is not None for r in records)
        assert count.faults == []
        assert f"| {name}" in printed.out


def test_the_note_says_what_ran_where_and_for_how_long(smoke_run):
    made = note.read(smoke_run)
    assert made["profile"] == "smoke"
    assert made["data"]["pairs/aids_test.csv"]
    (environment,) = made["environments"]
    assert {"rdkit", "smsd", "highspy", "torch"} <= environment["packages"].keys()
    assert set(made["studies"]) == set(STUDIES)
    for name, entry in made["studies"].items():
        (session,) = entry["sessions"]
        assert session["start"] < session["end"]
        assert session["failure"] == ""
        assert entry["command"].startswith(f"enpda bench paper {name} --data DIR --profile smoke")
        assert note.seconds(made, name) > 0


def test_no_row_of_the_report_is_empty(smoke_run):
    page = load(smoke_run)
    for table in page.grids.values():
        for row in table.rows:
            cells = [cell for (name, _), cell in table.cells.items() if name == row]
            assert any(cell.value != "-" or cell.note for cell in cells), (table.shape.label, row)
    text = (smoke_run / "report.md").read_text(encoding="utf-8")
    assert text.index("Where we are worse") < text.index("## Tables") < text.index("## How it was made")
    assert all(f"`{label}`" in text for label in page.shapes)


@pytest.mark.slow
def test_a_finished_run_has_nothing_left_to_do(smoke_run, data, tmp_path, capsys):
    name = next(iter(STUDIES))
    copy = tmp_path / "copy"
    shutil.copytree(smoke_run, copy)
    assert main(["bench", "paper", name, "--data", str(data), "--profile", "smoke", "-o", str(copy)]) == 0
    assert f"{name}: done before" in capsys.readouterr().err
    assert note.read(copy)["studies"] == note.read(smoke_run)["studies"]
    assert (copy / "report.md").read_bytes() == (smoke_run / "report.md").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run_goes_on_and_ends_with_the_same_records(workers, smoke_run, data, tmp_path):
    command = [sys.executable, "-c", RUN, "bench", "paper", "causality", "--data", str(data), "--profile", "smoke"]
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        arguments = [*command, "-o", str(folder), "--workers", workers]
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = folder / "causality.jsonl"
        while process.poll() is None and not (lines.exists() and lines.stat().st_size):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if lines.exists():
            break
    kept = lines.read_bytes().count(b"\n")
    assert 0 < kept < len(journal.read(smoke_run, "causality"))
    assert subprocess.run(arguments, check=False, capture_output=True).returncode == 0
    assert untimed(folder, "causality") == untimed(smoke_run, "causality")
    first, second = note.read(folder)["studies"]["causality"]["sessions"]
    assert first["start"] <= first["end"] <= second["start"] < second["end"]


def test_a_torn_line_and_a_table_with_its_lines_still_there_lose_and_double_nothing(smoke_run, scope, tmp_path):
    records = journal.read(smoke_run, "causality")
    with journal.Journal(tmp_path, "causality") as half:
        for r in records[:20]:
            half.add(r.trial, r.outcome)
    lines = (tmp_path / "causality.jsonl").read_bytes()
    (tmp_path / "causality.jsonl").write_bytes(lines[:-7])
    with journal.Journal(tmp_path, "causality") as torn:
        assert [r.trial for r in torn.records] == [r.trial for r in records[:19]]
        for r in records[19:]:
            torn.add(r.trial, r.outcome)
        torn.seal()
    (tmp_path / "causality.jsonl").write_bytes(lines)
    with journal.Journal(tmp_path, "causality") as doubled:
        assert [r.trial for r in doubled.records] == [r.trial for r in records]


@pytest.mark.slow
def test_an_interrupt_ends_a_run_side_by_side_and_keeps_what_was_found(data, tmp_path):
    command = [sys.executable, "-c", RUN, "bench", "paper", "causality", "--data", str(data), "--profile", "quick"]
    process = subprocess.Popen([*command, "-o", str(tmp_path), "--workers", "2"], stderr=subprocess.PIPE, text=True)
    lines = tmp_path / "causality.jsonl"
    while process.poll() is None and not (lines.exists() and lines.stat().st_size):
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, err = ended(process)
    assert process.returncode == 130
    assert err == "enpda: interrupted\n"
    assert lines.stat().st_size
    with journal.Journal(tmp_path, "causality") as free:  # nobody writes any more
        assert free.records


@pytest.mark.slow
def test_a_study_whose_process_dies_is_reported_as_such(data, tmp_path):
    command = [sys.executable, "-c", RUN, "bench", "paper", "causality", "--data", str(data), "--profile", "quick"]
    process = subprocess.Popen([*command, "-o", str(tmp_path), "--workers", "2"], stderr=subprocess.PIPE, text=True)
    lines = tmp_path / "causality.jsonl"
    while process.poll() is None and not (lines.exists() and lines.stat().st_size):
        time.sleep(0.001)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    member = next(int(k) for k in children if b"spawn_main" in Path(f"/proc/{k}/cmdline").read_bytes())
    os.kill(member, signal.SIGKILL)
    _, err = ended(process)
    assert process.returncode == 1
    assert "the study causality failed: its process ended with code -9" in err
    assert load(tmp_path).unfinished == {"causality": "its process ended with code -9"}
    assert "is not finished: its process ended with code -9" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_two_runs_do_not_write_the_same_journal(tmp_path, data, capsys):
    with journal.Journal(tmp_path, "causality"):
        assert (
            main(["bench", "paper", "causality", "--data", str(data), "--profile", "smoke", "-o", str(tmp_path)]) == 1
        )
    assert "another run is writing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profile", "quick"], "holds a run with profile 'smoke', not 'quick'"),
        (["--profile", "smoke", "--no-data"], "holds a run on a data folder"),
        (["--profile", "slow"], "profile must be one of 'smoke', 'quick', 'full'; got 'slow'"),
        (["--workers", "0"], "workers must be a whole number"),
        (["nothing"], "study must be one of 'causality'"),
    ],
)
def test_a_folder_of_another_run_and_words_we_do_not_know_are_refused(
    arguments, message, smoke_run, data, capsys, monkeypatch
):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    given = [] if "--no-data" in arguments else ["--data", str(data)]
    rest = [argument for argument in arguments if argument != "--no-data"]
    assert main(["bench", "paper", *rest, *given, "-o", str(smoke_run)]) == 2
    assert message.removesuffix("'causality'") in capsys.readouterr().err


def test_a_run_of_another_version_or_of_other_data_is_refused(smoke_run, data, tmp_path, capsys):
    made = note.read(smoke_run)
    for change, message in (
        ({"enpda": "0.0.1"}, "holds a run with enpda '0.0.1'"),
        ({"data": {**made["data"], "molhiv.csv.gz": "0" * 64}}, "molhiv.csv.gz is"),
    ):
        (tmp_path / "run.json").write_text(json.dumps({**made, **change}), encoding="utf-8")
        assert main(["bench", "paper", "--data", str(data), "--profile", "smoke", "-o", str(tmp_path)]) == 2
        assert message in capsys.readouterr().err


def test_studies_run_without_a_data_folder_as_far_as_they_can(bare_run):
    page = load(bare_run)
    assert any(line.column == "drugs" and line.value is not None for line in page.lines)
    assert all(line.value is not None or line.note for line in page.lines)
    assert page.unfinished == {}
