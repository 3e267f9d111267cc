"""`enpda bench speed` and `instructions`: what is measured, and counts that repeat; no test looks at a time."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from enpda import Graph
from enpda.cli import main
from enpda_bench import instructions
from enpda_bench.baselines import calls
from enpda_bench.baselines.answer import Answer, shared_classes
from enpda_bench.experiments import slope, speed
from enpda_bench.instructions import Count, Counts
from enpda_bench.molecular import NEIGHBOURS, molecular

PROGRAMS = {"enpda": calls.enpda_call, "rascal": calls.rascal, "smsd": calls.smsd}
ASPIRIN, SALICYLIC = Graph.from_smiles("CC(=O)Oc1ccccc1C(=O)O"), Graph.from_smiles("OC(=O)c1ccccc1O")
PAIR = instructions.PAIRS[0]


@pytest.fixture
def drugs_only(monkeypatch):
    """No data: the drugs that ship."""
    monkeypatch.delenv("ENPDA_DATA", raising=False)


def tables(capsys, *arguments):
    assert main(["bench", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def rows(found):
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


@pytest.mark.parametrize("kind", calls.KINDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_timed_call_answers_what_was_asked(name, kind):
    answer = PROGRAMS[name](ASPIRIN, SALICYLIC, 5.0, kind=kind)
    assert answer.proven
    assert answer.size == 10  # all of salicylic acid
    assert answer.seconds > 0


def test_a_call_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="kind must be one of 'prepared', 'new', 'smiles'"):
        calls.enpda_call(ASPIRIN, SALICYLIC, 1.0, kind="warm")


def test_classes_of_labels_are_alike_in_any_number_of_graphs():
    graphs = [Graph([6, 8], [(0, 1)], [2]), Graph([7, 6], [(0, 1)], [1]), Graph([16])]
    assert shared_classes(*graphs) == ({6: 0, 7: 1, 8: 2, 16: 3}, {1: 0, 2: 1})


@pytest.mark.slow
@pytest.mark.parametrize("kind", calls.KINDS)
def test_programs_take_turns_on_the_same_pairs(kind, drugs_only, capsys):
    [found] = tables(capsys, "speed", "--only", kind, "--count", "4")
    assert "4 random pairs of 50 molecules, one thread, 10 s at most" in found["title"]
    ours, rascal, smsd = rows(found)
    assert [ours["program"], rascal["program"], smsd["program"]] == ["enpda", "RASCAL", "SMSD"]
    for row in (ours, rascal, smsd):
        assert row["finished"] + row["at the limit"] + row["failed"] == 4
        for name in ("p50", "p90", "p99", "mean"):
            assert row[f"{name} ratio"] == pytest.approx(row[f"{name} ms"] / ours[f"{name} ms"])
    assert any(note.startswith(calls.KINDS[kind]) for note in found["notes"])
    both = [note for note in found["notes"] if note.startswith("Of ")]
    assert len(both) == 2
    assert "RASCAL shares more on 0" in both[0]


def test_our_calls_alone_need_no_other_program(drugs_only, capsys):
    [found] = tables(capsys, "speed", "--only", "new", "--count", "2", "--no-peers")
    [row] = rows(found)
    assert (row["program"], row["finished"], row["mean ratio"]) == ("enpda", 2, 1.0)


def test_calls_that_meet_the_limit_or_fail_are_counted():
    ours = [Answer(5, True, 0.5), Answer(4, True, 1.5), Answer(3, True, 1.0)]
    theirs = [Answer(5, True, 1.0), Answer(3, False, 10.0), Answer(0, False, 9.0, failure="its process died")]
    found = speed._table("new", 3, {"enpda": ours, "RASCAL": theirs}).to_dict()
    _, row = rows(found)
    assert (row["finished"], row["at the limit"], row["failed"]) == (1, 1, 1)
    assert (row["p50 ms"], row["p50 ratio"]) == (9_000, 9.0)
    assert (row["mean ms"], row["mean ratio"]) == (pytest.approx(20_000 / 3), pytest.approx(20 / 3))
    assert "Of 1 pairs that both finish RASCAL shares more on 0, fewer on 0." in found["notes"]
    assert "RASCAL failed: its process died" in found["notes"]


def test_tables_are_of_the_same_pairs(drugs_only, capsys):
    [found] = tables(capsys, "speed", "--only", "tables", "--count", "12")
    distance, similarity = rows(found)
    assert (distance["question"], similarity["question"]) == ("max_distance=10", "min_similarity=0.7")
    assert distance["pairs"] == similarity["pairs"] == 66
    assert distance["open"] == similarity["open"] == 0
    assert similarity["ratio to distance"] == pytest.approx(similarity["seconds"] / distance["seconds"])


@pytest.mark.slow
@pytest.mark.plain
def test_memory_is_that_of_a_process_of_its_own(drugs_only, capsys):
    [found] = tables(capsys, "speed", "--only", "memory", "--count", "40")
    made, searched = rows(found)
    assert found["title"] == "memory of `Library.of` of 40 molecules"
    for row in (made, searched):
        assert row["more, MB"] == pytest.approx(row["VmRSS, MB"] - row["VmRSS before, MB"])
        assert row["bytes a molecule"] == round(1e6 * row["more, MB"] / 40)


def test_cost_is_told_by_size_with_its_slope(drugs_only, capsys, monkeypatch):
    monkeypatch.setattr(slope, "NODES", (10, 18, 32))
    [found] = tables(capsys, "speed", "--only", "size", "--count", "2")
    assert [row["n x m"] for row in rows(found)] == [100, 324, 1024]
    assert all(row["proven by auto"] == "2 of 2" and row["at the limit"] == 0 for row in rows(found))
    assert all(f"`{method}`" in found["notes"][0] for method in slope.METHODS)


def test_a_slope_is_that_of_the_powers_it_is_made_of():
    points = [(10.0**k, 3e-6 * 10 ** (1.5 * k)) for k in range(2, 7)]
    assert slope._slope(points) == pytest.approx(1.5)


def test_a_method_at_its_limit_is_not_asked_about_larger_pairs(monkeypatch):
    asked = []

    def call(nodes, seed, method):
        asked.append((nodes, method))
        return 0.1 * nodes, method == "auto" and nodes > 10, False

    monkeypatch.setattr(slope, "_call", call)
    monkeypatch.setattr(slope, "NODES", (10, 20, 30))
    [found] = slope.slope(speed.Settings(count=3))
    last = dict(zip(found.columns, found.rows[-1], strict=True))
    assert (last["auto"], last["core"], last["at the limit"]) == ("", 3_000, 0)
    assert found.rows[1][-1] == 3
    assert (30, "auto") not in asked
    assert "`auto`" not in found.notes[0]


@pytest.mark.parametrize("nodes", [1, 2, 7, 56, 400])
def test_generated_graphs_are_like_molecules(nodes):
    graph = molecular(nodes, 3)
    assert len(graph) == nodes
    assert len(graph.components()) == 1
    assert np.bincount(graph.edges.ravel(), minlength=1).max() <= NEIGHBOURS
    assert graph == molecular(nodes, 3)
    if nodes > 50:
        assert graph != molecular(nodes, 4)
        assert graph.size > nodes  # rings
        assert set(graph.edge_labels.tolist()) == {1, 2, 12}


def test_lines_of_a_count_are_added_up_by_where_code_lies(tmp_path):
    # The lines of what a call took stand after `calls=`, and are told again where that code lies.
    text = """events: Ir
ob=(1) /somewhere/libpython3.so
fn=(1) one
16 100
cob=(2) /here/enpda/_core.abi3.so
cfn=(2) solve
calls=1 0
+2 5000
* 7
ob=(2)
fn=(2)
0 4000
-1 500
ob=(3) /there/numpy/_core/_multiarray_umath.so
fn=(3) add
0 30
ob=(4) /usr/lib/libc.so.6
fn=(4) malloc
0 900
totals: 5537
"""
    path = tmp_path / "counted.1"
    path.write_text(text)
    assert instructions.counted_in(path) == Count(call=4637, core=4500)


def test_more_instructions_than_before_fail(capsys, monkeypatch):
    before, after = ({PAIR: Counts(Count(n, n // 2), Count(n, n // 2))} for n in (1_000_000, 1_100_000))
    monkeypatch.setattr(instructions, "count", lambda python, count: after if python == instructions.here() else before)
    assert main(["bench", "instructions", "other/python"]) == 1
    assert "1.1000 times as many" in capsys.readouterr().out
    assert main(["bench", "instructions", "other/python", "--most", "1.2"]) == 0
    capsys.readouterr()
    assert main(["bench", "instructions"]) == 0
    assert "more" not in capsys.readouterr().out


def test_without_valgrind_the_count_says_what_to_install(drugs_only, capsys, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    for arguments in (["instructions"], ["speed", "--only", "instructions"]):
        assert main(["bench", *arguments]) == 2
        assert "apt install valgrind" in capsys.readouterr().err
    [told] = speed.SECTIONS["instructions"](speed.Settings())
    assert "apt install valgrind" in str(told)


def test_a_build_that_does_not_exist_is_an_error(capsys, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/valgrind")
    assert main(["bench", "instructions", "nowhere/python"]) == 2
    assert "give the Python interpreter" in capsys.readouterr().err
    assert main(["bench", "instructions", "--count", "11"]) == 2
    assert "count must be a whole number from 1 to 10" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.plain
def test_instructions_of_the_same_build_repeat():
    if shutil.which("valgrind") is None:
        pytest.skip(instructions.NEEDED)
    one, other = (instructions.count(Path(sys.executable), 2) for _ in range(2))
    assert list(one) == list(other) == list(instructions.PAIRS[:2])
    for pair in one:
        for first, second in ((one[pair].new, other[pair].new), (one[pair].again, other[pair].again)):
            assert first.call == pytest.approx(second.call, rel=1e-3)
            assert first.core == pytest.approx(second.core, rel=1e-4)
            assert 0.2 * first.call < first.core < first.call
        assert one[pair].again.core < one[pair].new.core
    assert instructions.ratio(one, other) == pytest.approx(1, rel=1e-3)


def test_the_worker_knows_public_names_and_the_standard_library_only():
    imported = [line for line in instructions.WORKER.read_text().splitlines() if line.startswith(("import", "from"))]
    names = {line.split()[1].split(".")[0] for line in imported}
    assert names <= {"enpda", *sys.stdlib_module_names}
    assert importlib.util.find_spec("enpda_bench.instructions.worker") is not None
