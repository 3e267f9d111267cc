"""Runs with a limit in hours: the stated order, tables of what there is, and the same end as without a limit."""

import json
import math
from collections import deque
from dataclasses import replace
from itertools import pairwise

import pytest
from tqdm import tqdm

from enpda.cli import main
from enpda_bench import conduct, journal, note
from enpda_bench.crew import Open
from enpda_bench.order import ORDER, PASSES, passes, spread, tasks
from enpda_bench.pages import load
from enpda_bench.portion import portion, usable
from enpda_bench.scope import Scope
from enpda_bench.studies import STUDIES, study
from enpda_bench.study import Outcome, Record, Records, Trial


def stop_after(monkeypatch, records):
    """Let time be up after so many measurements, whatever they take."""
    write, written = journal.Journal.add, []

    def add(self, trial, outcome):
        written.append(trial)
        write(self, trial, outcome)

    monkeypatch.setattr(conduct, "late", lambda until: until is not None and len(written) >= records)
    monkeypatch.setattr(journal.Journal, "add", add)


def paper(folder, *arguments):
    return main(["bench", "paper", *arguments, "--profile", "smoke", "-o", str(folder)])


# The order


@pytest.mark.parametrize("count", [0, 1, 2, 3, 20, 91, 100])
def test_every_beginning_of_the_order_is_evenly_spaced(count):
    order = spread(count)
    assert sorted(order) == list(range(count))
    for k in range(2, count):
        some = sorted(order[:k])
        assert some[0] == 0
        assert some[-1] == count - 1
        assert max(b - a for a, b in pairwise(some)) <= 2 * (count - 1) / (k - 1) + 1


def test_every_study_has_a_turn_with_a_reason():
    assert set(ORDER) == set(STUDIES)
    assert all(turn.why for turn in ORDER.values())
    turns = tasks(list(STUDIES))
    assert [task.study for task in turns[: len(ORDER)]] == list(ORDER)
    assert len(turns) == sum(1 if turn.whole and not turn.late else len(PASSES) for turn in ORDER.values())


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("profile", ["smoke", "full"])
def test_passes_hold_every_trial_once_and_all_arms_of_a_pair_together(name, profile):
    trials = list(study(name)(Scope(profile)).trials())
    found = passes(name, trials)
    assert sorted(map(str, trials)) == sorted(str(trial) for some in found for trial in some)
    late = ORDER[name].late
    places = {}
    for place, some in enumerate(found):
        for trial in some:
            if trial.arm not in late:
                places.setdefault((trial.set, trial.pair), set()).add(place)
    assert all(len(some) == 1 for some in places.values())
    if not ORDER[name].whole:
        for most, some in zip(PASSES[:-1], found, strict=False):
            assert len({(t.set, t.pair) for t in some if t.arm not in late}) <= most * len({t.set for t in trials})


def test_arms_that_come_later_are_arms_of_the_full_profile(data):
    for name, turn in ORDER.items():
        if turn.late:
            assert set(turn.late) <= {trial.arm for trial in study(name)(Scope("full", data)).trials()}


# What a table is made of


def records_of(trials):
    return Records(Record(trial, Outcome(size=1)) for trial in trials)


def test_arms_are_compared_on_the_pairs_that_all_of_them_have():
    trials = [Trial(arm, "drugs", pair, seed) for pair in range(3) for arm in "ab" for seed in (0, 1)]
    order = [trial for some in passes("short", trials) for trial in some]
    assert [trial.pair for trial in order[::4]] == [0, 2, 1]
    for count in range(len(trials) + 1):
        kept = usable("short", trials, records_of(order[:count]))
        whole = count // 4
        assert [r.trial for r in kept] == [t for t in trials if t.pair in [0, 2, 1][:whole]]
        found = portion("short", trials, records_of(order[:count]))
        assert (found.records, found.all_records, found.pairs, found.all_pairs) == (count, 12, whole, 3)
        assert found.whole == (count == 12)


def test_an_arm_that_comes_later_does_not_count_where_the_others_are_missing():
    arms = ("oracle", "integer programme", "ENPDA-Core")
    assert set(ORDER["imdb"].late) == {"integer programme"}
    trials = [Trial(arm, "imdb", pair) for pair in range(3) for arm in arms]
    kept = usable("imdb", trials, records_of([*trials[:3], *trials[3:5]]))
    assert [r.trial for r in kept] == trials[:3]
    kept = usable("imdb", trials, records_of([trials[0], trials[2]]))
    assert [r.trial.arm for r in kept] == ["oracle", "ENPDA-Core"]


def test_no_table_begins_before_each_set_has_a_pair():
    trials = [Trial("a", name, pair) for name in ("aids", "mcf7") for pair in range(3)]
    order = [trial for some in passes("short", trials) for trial in some]
    assert [trial.set for trial in order[:4]] == ["aids", "mcf7", "aids", "mcf7"]
    assert not usable("short", trials, records_of(order[:1]))
    assert len(usable("short", trials, records_of(order[:2]))) == 2


@pytest.mark.parametrize("name", STUDIES)
def test_cells_of_every_beginning_are_numbers_or_reasons(name, done_bare):
    it, records, _ = done_bare(name)
    trials, by_trial = list(it.trials()), {r.trial: r for r in records}
    order = [trial for some in passes(name, trials) for trial in some]
    for count in range(0, len(order) + 1, max(1, len(order) // 6)):
        kept = usable(name, trials, Records(by_trial[trial] for trial in order[:count]))
        if kept:
            it.figures(kept)
            for cell in it.cells(kept):
                assert cell.note or cell.value is not None, cell
                assert cell.value is None or math.isfinite(cell.value), cell


def test_our_rankings_have_numbers_before_rivals_and_labels_of_others_are_there(done_bare):
    it, records, _ = done_bare("retrieval")
    trials, by_trial = list(it.trials()), {r.trial: r for r in records}
    kept = usable("retrieval", trials, Records(by_trial[trial] for trial in passes("retrieval", trials)[0]))
    it.figures(kept)
    cells = {(c.table, c.row, c.column): c for c in it.cells(kept)}
    assert cells["retrieval-main", "drugs, enpda exact", "MAP"].value == 1.0
    assert cells["retrieval-labels", "drugs", "Pairs"].value
    for key in (("retrieval-main", "drugs, GMN", "MAP"), ("retrieval-labels", "drugs", "Sample")):
        assert (cells[key].value, cells[key].note) == (None, "not measured yet")


def first_pass(it):
    """Records of a study's first pass, all optima found in a second, nothing proven."""
    trials = list(it.trials())
    pairs = it.scope.pairs
    kept = [
        Record(t, Outcome(None, p.size, 1, p.upper, False, 1.0, values={"bound": float(p.upper)}))
        for t in passes(it.name, trials)[0]
        for p in [pairs(t.set)[t.pair]]
    ]
    return usable(it.name, trials, Records(kept))


def test_long_limits_that_come_later_say_so():
    it = study("lifted")(Scope("full"))
    cells = {(c.row, c.column): c for c in it.cells(first_pass(it))}
    assert cells["10 s, drugs", "Pairs"].value == PASSES[0]
    for row in ("300 s, drugs", "1800 s, All"):
        assert cells[row, "Mean gap"].value is None
        assert cells[row, "Mean gap"].note == "not measured yet"


def test_the_tail_at_its_long_limit_says_that_it_comes_later(data):
    it = study("tails")(Scope("full", data))
    cells = {(c.table, c.row, c.column): c for c in it.cells(first_pass(it))}
    assert cells["rascal-tail", "60 s, All", "Pairs"].value == 3 * PASSES[0]
    assert cells["rascal-tail", "900 s, All", "RASCAL"].note == "not measured yet"


def test_fits_count_when_all_three_of_a_pair_are_there(tmp_path):
    from enpda_bench import fits

    with journal.Journal(tmp_path, "nga") as half:
        for seed, pair in ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1)):
            half.add(Trial(fits.ARM, "drugs", pair, seed), Outcome(size=seed, seconds=1.0))
    (only,) = fits.taken(Scope("smoke", folder=tmp_path))
    assert (only.trial.pair, only.outcome.size, only.outcome.seconds) == (0, 2, 3.0)


# The command


@pytest.mark.parametrize("hours", ["0", "-2", "nan", "inf"])
def test_hours_must_be_above_zero(hours, tmp_path, capsys):
    assert main(["bench", "paper", "causality", "--hours", hours, "-o", str(tmp_path / "run")]) == 2
    assert "hours must be a number above 0, such as 2 or 0.5" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_run_stops_when_time_is_up_and_goes_on_to_the_same_records(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    names = ("frontier", "causality")
    whole, run = tmp_path / "whole", tmp_path / "run"
    assert paper(whole, *names) == 0
    assert "so far" not in (whole / "report.md").read_text(encoding="utf-8")
    capsys.readouterr()
    total = sum(len(journal.read(whole, name)) for name in names)
    with monkeypatch.context() as patch:
        stop_after(patch, 7)
        assert paper(run, *names, "--hours", "2") == 0
    err = capsys.readouterr().err
    assert f"7 of {total} records are there, 0 of 2 studies are finished" in err
    assert err.rstrip().endswith("the same command goes on with causality")
    page = load(run)
    said = (run / "report.md").read_text(encoding="utf-8")
    assert "profile smoke so far: 7 of 18 records, 1 of 3 pairs." in said
    assert "profile smoke so far: 7 of 18 records, 1 of 3 pairs." in (run / "report.html").read_text(encoding="utf-8")
    assert "Not everything is measured yet" in said
    assert page.unfinished == {}
    (first,) = (x for x in page.lines if (x.row, x.column) == ("Analytic", "drugs"))
    (record,) = (r for r in journal.read(run, "causality") if (r.trial.arm, r.trial.pair) == ("analytic", 0))
    assert first.value == pytest.approx(100 * record.outcome.size / Scope().pairs("drugs")[0].size, rel=1e-6)
    with monkeypatch.context() as patch:
        stop_after(patch, 13)
        assert paper(run, *names, "--hours", "2") == 0
    assert "the same command goes on with frontier\n" in capsys.readouterr().err
    assert main(["bench", "publish", str(run), "-o", str(published := tmp_path / "published")]) == 0
    assert paper(published, *names, "--hours", "2") == 0  # goes on, too
    assert f"{total} of {total} records are there" in capsys.readouterr().err
    assert paper(run, *names, "--hours", "2") == 0
    err = capsys.readouterr().err
    assert f"{total} of {total} records are there, 2 of 2 studies are finished" in err
    assert "goes on" not in err
    assert "so far" not in (run / "report.md").read_text(encoding="utf-8")
    trials = [r.trial for r in journal.read(run, "frontier")]
    assert trials == [r.trial for r in journal.read(whole, "frontier")]
    assert sizes(run, "causality") == sizes(whole, "causality")


def sizes(folder, name):
    return [(r.trial, r.outcome.size, r.outcome.image.tolist()) for r in journal.read(folder, name)]


@pytest.mark.slow
def test_an_unfinished_run_can_be_reported_without_a_limit_later_finished_and_published(tmp_path, monkeypatch):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    run, out = tmp_path / "run", tmp_path / "out"
    with monkeypatch.context() as patch:
        stop_after(patch, 7)
        assert paper(run, "causality", "--hours", "2") == 0
    before = (run / "report.md").read_bytes()
    assert main(["bench", "report", str(run)]) == 0
    assert (run / "report.md").read_bytes() == before
    assert main(["bench", "publish", str(run), "-o", str(out)]) == 0
    assert "so far: 7 of 18 records" in (out / "report.md").read_text(encoding="utf-8")
    assert paper(run, "causality") == 0
    assert note.measured(note.read(run), "causality") is None
    assert len(journal.read(run, "causality")) == 18


@pytest.mark.slow
def test_records_of_a_kill_are_reported_as_far_as_they_go(tmp_path, monkeypatch):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    run = tmp_path / "run"
    assert paper(run, "causality") == 0
    records = journal.read(run, "causality")
    (run / "causality.parquet").unlink()
    with journal.Journal(run, "causality") as half:
        for r in records[:7]:
            half.add(r.trial, r.outcome)
    assert main(["bench", "report", str(run)]) == 0
    assert "so far: 7 of 18 records, 1 of 3 pairs" in (run / "report.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_workers_stop_in_time_and_finish_what_they_share(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    names = ("prices", "deployment", "causality")
    nothing, run = tmp_path / "nothing", tmp_path / "run"
    assert paper(nothing, *names, "--workers", "2", "--hours", "1e-9") == 0
    err = capsys.readouterr().err
    assert "enpda: 0 of " in err
    assert err.rstrip().endswith("0 of 3 studies are finished; the same command goes on with causality")
    assert not list(nothing.glob("*.parquet"))
    assert paper(run, *names, "--workers", "3", "--hours", "24") == 0
    assert "3 of 3 studies are finished" in capsys.readouterr().err
    for name in names:
        assert [r.trial for r in journal.read(run, name)] == list(study(name)(Scope("smoke")).trials())


def test_pairs_of_a_study_are_given_out_one_by_one_and_those_that_belong_together_to_one_process(tmp_path):
    trials = [Trial(arm, "drugs", pair) for pair in range(3) for arm in "ab"]

    class Half:
        def __init__(self, name):
            self.name, self.left = name, deque(trials)

    several, alone = (Open(Half(name), tqdm(disable=True)) for name in ("short", "retrieval"))
    here, there = object(), object()
    assert several.part() == trials[:2]
    assert several.wants(here)
    assert several.wants(there)
    alone.only = here
    assert alone.wants(here)
    assert not alone.wants(there)
    several.at_work.add(here)
    assert several.part() + several.part() == trials[2:]
    assert not several.wants(there)
    assert not several.over
    several.at_work.clear()
    assert several.over


@pytest.mark.slow
def test_a_study_that_fails_has_no_more_turns(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    monkeypatch.setattr("enpda_bench.order.PASSES", (1, None))
    kind = study("short")
    tried = []

    def run(self, trial):
        tried.append(trial)
        raise RuntimeError("broken")

    monkeypatch.setattr(kind, "run", run)
    assert paper(tmp_path / "run", "short", "causality", "--hours", "2") == 1
    assert len(tried) == 1
    assert "the study short failed: RuntimeError: broken" in capsys.readouterr().err
    assert len(journal.read(tmp_path / "run", "causality")) == 18


def test_full_size_is_said_of_finished_tables_too(tmp_path):
    made = {"profile": "full", "studies": {"short": {}}, "environments": []}
    (tmp_path / "run.json").write_text(json.dumps(made), encoding="utf-8")
    trials = [Trial("a", "drugs", pair) for pair in range(3)]
    whole = portion("short", trials, records_of(trials))
    note.measure(tmp_path, "short", whole)
    assert note.measured(note.read(tmp_path), "short") == whole
    assert str(whole) == "all 3 records, all 3 pairs"
    assert str(replace(whole, records=1, pairs=1)) == "1 of 3 records, 1 of 3 pairs"
