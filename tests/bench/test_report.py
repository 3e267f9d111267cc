"""What stands between records and readers: intervals, the audit, verdicts, pages, comparisons, generated blocks."""

import csv
import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from enpda.cli import main
from enpda.view import plots
from enpda_bench import tally
from enpda_bench.note import own_scope
from enpda_bench.pages import bars, causes, load
from enpda_bench.pages import lines as cells
from enpda_bench.pages.causes import Cause
from enpda_bench.pages.compare import compare
from enpda_bench.pages.grid import grid, number
from enpda_bench.pages.headline import HEADLINES, ORDER_LIST, REPORT, STUDY_LIST, headlines, order_list, study_list
from enpda_bench.pages.html import html
from enpda_bench.pages.lines import Line
from enpda_bench.pages.markdown import markdown
from enpda_bench.pages.page import Figure, Page
from enpda_bench.pages.verdict import timed, worse_than_paper, worse_than_peers
from enpda_bench.paper import TABLES
from enpda_bench.study import Shape

REPOSITORY = Path(__file__).parents[2]
COMMITTED = REPOSITORY / "benchmarks" / "paper"


# Verdicts


def line(row, column, value, paper=None, table="t", **more):
    return Line("study", table, row, column, value, paper=paper, **more)


SHAPE = Shape("t", "Accuracy", lower=("seconds", "slow"), plain=("pairs",), ours=("ours", "ours too"))


def test_a_cell_is_worse_by_the_direction_of_its_table():
    lines = [
        line("ours", "AIDS", 90.0, 91.0, low=89.0, high=92.0),
        line("ours", "MOLHIV", 92.0, 91.0),
        line("ours", "seconds", 3.0, 2.0),
        line("ours", "pairs", 90.0, 100.0),
        line("theirs", "AIDS", 80.0, 85.0),
        line("ours too", "AIDS", None, 85.0, note="not run"),
        line("ours too", "seconds", 1.0, 2.0),
    ]
    losses = worse_than_paper(lines, {"t": SHAPE})
    assert [(loss.line.column, loss.theirs, loss.within) for loss in losses] == [
        ("AIDS", 91.0, "theirs lies in our interval"),
        ("seconds", 2.0, ""),
    ]
    everything = replace(SHAPE, ours=())
    assert len(worse_than_paper(lines, {"t": everything})) == 3
    assert len(worse_than_paper(lines, {"t": replace(everything, theirs=("theirs",))})) == 2
    weaker = worse_than_paper(lines, {"t": SHAPE}, ours=False)
    assert [(loss.line.row, loss.theirs) for loss in weaker] == [("theirs", 85.0)]


def test_contrasts_are_held_against_the_papers_intervals_and_against_no_method():
    shape = Shape("t", "% of the optimum", contrasts=("gain",), ours=("ours",))
    inside = replace(line("gain", "AIDS", 7.0, 8.0, low=5.0, high=9.0), paper_low=6.5, paper_high=9.5)
    below = replace(line("gain", "MOLHIV", 2.0, 8.0, low=1.0, high=3.0), paper_low=6.5, paper_high=9.5)
    above = replace(line("gain", "MCF-7", 9.0, 8.0), paper_low=6.5, paper_high=9.5)
    partly = replace(line("gain", "drugs", 7.0, 8.0, low=6.9, high=7.1), paper_low=6.5, paper_high=9.5)
    losses = worse_than_paper([inside, below, above, partly], {"t": shape})
    assert [(loss.line.column, loss.within) for loss in losses] == [
        ("AIDS", "each lies in the other's interval"),
        ("MOLHIV", ""),
        ("drugs", "ours lies in their interval"),
    ]
    assert worse_than_peers([below, line("ours", "MOLHIV", 60.0), line("other", "MOLHIV", 50.0)], {"t": shape}) == []


def test_a_cell_that_is_out_of_reach_says_so():
    (loss,) = worse_than_paper([replace(line("ours", "AIDS", 87.0, 90.0), ceiling=88.0)], {"t": SHAPE})
    assert loss.out_of_reach
    (loss,) = worse_than_paper([replace(line("ours", "AIDS", 87.0, 87.5), ceiling=88.0)], {"t": SHAPE})
    assert not loss.out_of_reach


def told(lines, shape, *known):
    """Return what some causes say of the first line."""
    (loss,) = [one for one in worse_than_paper(lines, {"t": shape}) if one.line is lines[0]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(causes, "causes", lambda: known)
        return causes.cause(loss, {x.key: x for x in lines}, {"t": shape})


def test_a_cause_is_what_another_cell_of_the_run_shows():
    shape = Shape("t", "Accuracy", ours=("ours", "more", "plain"))
    without = Cause("t", "ours", "*", "without", "|plain|", "other pairs")
    with_more = Cause("t", "ours", "*", "with", "|more|", "more search")
    said = Cause("t", "*", "*", "said", "", "looked into")

    def beside(plain, more, *known):
        lines = [line("ours", "AIDS", 88.0, 90.0), line("plain", "AIDS", plain, 80.0), line("more", "AIDS", more)]
        return told(lines, shape, *known)

    part = "other pairs: plain is 1 below the paper's here, too (1 of 2 of the loss)"
    assert beside(77.0, 0.0, without) == "other pairs: plain is 3 below the paper's here, too (all of the loss)"
    assert beside(79.0, 0.0, without) == f"{part}; the rest is not tested"
    assert beside(81.0, 0.0, without) == causes.UNTESTED
    assert beside(0.0, 91.0, with_more) == "more search: more has 91, enough"
    assert beside(0.0, 89.0, with_more, said) == "more search: more has 89, part of it; looked into"
    assert beside(0.0, 87.0, with_more, said) == "looked into"
    assert beside(79.0, 91.0, without, with_more, said) == f"{part}; more search: more has 91, enough"
    assert beside(0.0, 0.0, Cause("u", "*", "*", "said", "", "another table")) == causes.UNTESTED


def test_a_cell_of_some_pairs_is_no_cause():
    lines = [line("ours", "AIDS", 88.0, 90.0), line("more", "AIDS", 99.0, note="2 of 100 pairs; limit 60 s")]
    shape = Shape("t", "Accuracy", ours=("ours",))
    assert told(lines, shape, Cause("t", "*", "*", "with", "|more|", "more search")) == causes.UNTESTED


def test_chance_is_judged_by_both_intervals():
    chance = Cause("t", "*", "*", "chance", "||", "no difference is shown")

    def of(high, paper_low):
        ours = replace(line("gain", "AIDS", 7.0, 9.0, low=0.0, high=high), paper_low=paper_low, paper_high=20.0)
        return told([ours], Shape("t", "%", contrasts=("gain",), ours=("ours",)), chance)

    assert of(8.5, 7.0) == "no difference is shown: 2 apart, where both intervals allow 2.5 by chance"
    assert of(8.0, 7.5) == causes.UNTESTED  # hypot(1, 1.5) < 2


def test_chance_of_shares_is_that_of_so_many_pairs():
    def of(ours, paper, counts):
        cause = Cause("t", "*", "*", "shares", counts, "no difference is shown")
        return told([line("ours", "AIDS", ours, paper)], SHAPE, cause)

    # 1.96 sqrt(50 x 50 / 100 x 2) = 13.9
    assert of(45.0, 55.0, "100|100") == "no difference is shown: 10 apart, where so few pairs allow 14 by chance"
    assert of(45.0, 55.0, "1000|1000") == causes.UNTESTED


def test_a_difference_may_be_short_because_of_what_is_subtracted():
    sides = Cause("t", "gain", "*", "sides", "|ours|;|plain|", "")
    shape = Shape("t", "%", contrasts=("gain",), ours=("ours",))

    def of(ours, plain):
        lines = [line("gain", "AIDS", ours - plain, 10.0), line("ours", "AIDS", ours, 60.0)]
        return told([*lines, line("plain", "AIDS", plain, 50.0)], shape, sides)

    assert of(61.0, 55.0) == "all because of what is subtracted: plain 55 (paper 50); ours 61 (paper 60)"
    assert of(59.0, 55.0) == (
        "partly because of what is subtracted: plain 55 (paper 50); ours 59 (paper 60); the rest is not tested"
    )
    assert of(58.0, 50.0) == causes.UNTESTED


def test_what_nobody_can_exceed_and_what_another_table_says_are_causes():
    lines = [line("ours", "AIDS", 88.0, 90.0), line("labels", "AIDS", 89.0), line("again", "AIDS", 91.0, 90.5)]
    most = Cause("t", "ours", "*", "most", "|labels|", "out of reach")
    again = Cause("t", "ours", "*", "again", "|again|", "not so by all seeds")
    assert told(lines, SHAPE, most) == "out of reach: labels has 89"
    assert told([lines[0], replace(lines[1], value=90.0)], SHAPE, most) == causes.UNTESTED
    assert told(lines, SHAPE, again) == "not so by all seeds: again, AIDS is 91 (paper 90.5)"
    assert told([lines[0], replace(lines[2], value=90.0)], SHAPE, again) == causes.UNTESTED


def test_the_causes_are_of_known_kinds_and_name_cells_by_three_parts():
    kinds = set(get_args(causes.Kind))
    assert {one.kind for one in causes.causes()} <= kinds
    for one in causes.causes():
        if one.kind not in ("said", "shares"):
            assert {part.count("|") for part in one.other.split(";")} == {2}, one


def test_bars_that_are_not_reached_come_first_with_the_reason():
    page = load(COMMITTED)
    shown = [page.bar(one) for one in page.bars]
    assert len(shown) == len(bars.bars()) == 19
    reached = [row[-1].partition(";")[0] == "reached" for row in shown]
    assert reached == sorted(reached)
    assert all(row[-1] for row in shown)
    assert page.reached.startswith(f"{sum(reached)} of 19 figures")
    text = markdown(page)
    assert text.index("## What should be reached") < text.index("## Where we are worse") < text.index("## Tables")


def test_a_gain_cannot_exceed_what_the_other_method_leaves():
    found = tally.difference(
        "t",
        "gain",
        "AIDS",
        np.full((1, 2), 99.0),
        np.full((1, 2), 98.0),
        [[0], [1]],
        most=np.array([[100.0, 104.0]]),
    )
    assert (found.value, found.ceiling) == (1.0, 4.0)


def test_every_loss_of_the_committed_run_says_its_cause_or_that_none_was_tested():
    page = load(COMMITTED)
    told = [page.told(loss) for loss in page.losses[0]]
    assert [row for row in told if not row[-1]] == []


def test_methods_are_compared_on_the_same_dataset_only():
    lines = [line("AIDS, ours", "MAP", 0.9), line("AIDS, WL", "MAP", 0.8), line("MOLHIV, WL", "MAP", 0.95)]
    assert worse_than_peers(lines, {"t": Shape("t", "MAP", ours=("AIDS, ours",))}) == []


def test_our_best_is_held_against_the_best_other_method_of_each_column():
    lines = [
        line("ours", "AIDS", 90.0),
        line("ours too", "AIDS", 95.0),
        line("RASCAL", "AIDS", 96.0),
        line("FMCS", "AIDS", 94.0),
        line("ours", "MOLHIV", 95.0),
        line("RASCAL", "MOLHIV", 95.0),
        line("ours", "seconds", 2.0),
        line("RASCAL", "seconds", 1.0),
        line("ours", "pairs", 1.0),
        line("RASCAL", "pairs", 2.0),
        line("slow", "AIDS", 1000.0),
    ]
    losses = worse_than_peers(lines, {"t": SHAPE})
    told = [(x.line.row, x.line.column, x.who, x.theirs) for x in losses]
    assert told == [("ours too", "AIDS", "RASCAL", 96.0), ("ours", "seconds", "RASCAL", 1.0)]
    turned = [replace(x, row=x.column, column=x.row) for x in lines]
    assert [(x.line.column, x.line.row, x.who) for x in worse_than_peers(turned, {"t": SHAPE})] == [
        ("ours too", "AIDS", "RASCAL"),
        ("ours", "seconds", "RASCAL"),
    ]


@pytest.mark.parametrize(
    ("text", "noisy"),
    [("Full seconds/pair", True), ("30 s", True), ("Mean ms", True), ("P95", True), ("AIDS", False), ("Closed", False)],
)
def test_what_depends_on_time_is_noisy(text, noisy):
    assert timed(Shape("t", "Accuracy"), line("a", text, 1.0)) is noisy
    assert timed(Shape("t", "The paper's pairs, and seconds beside them"), line(text, "b", 1.0)) is noisy
    assert timed(Shape("t", "Whole runs: seconds"), line("a", "b", 1.0))
    assert timed(Shape("t", "Within 60 s: %"), line("a", "b", 1.0))


# Pages


@pytest.mark.parametrize(
    ("value", "digits", "fine", "text"),
    [
        (98.765, 2, False, "98.77"),
        (12345.6, 0, False, "12,346"),
        (0.247, 2, True, "0.247"),
        (0.0000345, 2, True, "0.0000345"),
        (0.08, 2, False, "0.08"),
        (-0.001, 2, False, "-0.00100"),
        (0.0, 2, True, "0.00"),
        (5728.86, 4, True, "5,728.9"),
        (16.52, 4, True, "16.520"),
        (None, 2, False, "-"),
    ],
)
def test_numbers_keep_digits_that_count(value, digits, fine, text):
    assert number(value, digits, fine) == text


def test_a_table_shows_whole_numbers_as_such_and_numbers_its_reasons():
    shape = Shape("t", "Some", ours=("a",))
    table = grid(
        shape,
        [
            line("a", "pairs", 100.0, 91.0),
            line("a", "gap", 1.25, None, low=1.0, high=1.5),
            line("a", "closed in seconds", 0.0, 31.0),
            line("b", "pairs", 7.0, note="few"),
            line("b", "gap", None, 3.0, note="no licence"),
        ],
    )
    assert table.rows == ["a", "b"]
    assert table.columns == ["pairs", "gap", "closed in seconds"]
    assert (table.cells["a", "closed in seconds"].value, table.cells["a", "closed in seconds"].paper) == ("0", "31")
    assert (table.cells["a", "pairs"].value, table.cells["a", "pairs"].paper) == ("100", "91")
    assert (table.cells["a", "gap"].value, table.cells["a", "gap"].interval) == ("1.25", "[1.00, 1.50]")
    assert (table.cells["b", "gap"].value, table.cells["b", "gap"].note) == ("-", 2)
    assert table.notes == ["few", "no licence"]


class Checker(HTMLParser):
    """Counts the cells of rows, and refuses tags that are closed in a wrong order."""

    VOID = ("meta", "br")

    def __init__(self):
        super().__init__()
        self.open, self.widths, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.widths.append(0)
        elif tag in ("td", "th"):
            self.widths[-1] += int(dict(attributes).get("colspan", 1))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_sound_file_that_loads_nothing(smoke_run):
    text = (smoke_run / "report.html").read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert not {"script", "link", "img", "iframe"} & checker.tags
    assert not re.search(r"""(src|href)=["']?(https?:|//)""", text)
    page = load(smoke_run)
    for label, table in page.grids.items():
        assert f'id="{label}"' in text
        assert all(f"<td>{row}</td>" in text for row in table.rows if not set("<>&'\"") & set(row))
    assert text.index("Where we are worse") < text.index("<h2>Tables")
    assert text.count('class="worse"') == len(page.losses[0])


def small_page(*lines, figures=None):
    session = {"start": "2026-01-01T00:00:00", "end": "2026-01-01T00:00:01", "seconds": 1.0, "failure": ""}
    environment = {"machine": "a <machine>", "python": "3.11", "packages": {}, "commit": ""}
    note = {
        "profile": "smoke",
        "enpda": "0",
        "data": {},
        "environments": [environment],
        "studies": {
            "causality": {"command": "enpda bench paper causality", "sessions": [session]},
            "torn": {"command": "enpda bench paper torn", "sessions": [{**session, "failure": "OSError(28)"}]},
        },
    }
    return Page(note, list(lines), {}, figures or [])


def test_pages_escape_names_say_what_is_missing_and_show_figures():
    svg = plots.lines({"a": [(0.0, 1.0), (1.0, 2.0)]}, "Some", "x")
    first = Line("causality", "core-causality", "a|b <i>", "AIDS & co", 1.0, note="why | not", paper=2.0)
    page = small_page(first, figures=[Figure("causality", "A <figure>", "figures/causality-1.svg", svg)])
    text, web = markdown(page), html(page)
    assert "a\\|b <i>" in text
    assert "why \\| not" in text
    assert "a|b &lt;i&gt;" in web
    assert "AIDS &amp; co" in web
    assert "a &lt;machine&gt;" in web
    assert svg in web
    assert "<figcaption>A &lt;figure&gt;</figcaption>" in web
    assert "![A <figure>](figures/causality-1.svg)" in text
    for shown in (text, web):
        assert re.search("Study `?torn`? is not finished", shown)
        assert "OSError(28)" in shown
        assert "native-accuracy" in shown  # which no study of this run fills


def test_cells_survive_their_file_and_pages_need_no_data(smoke_run, tmp_path, capsys, monkeypatch):
    lines = cells.read(smoke_run)
    cells.write(lines, tmp_path / "cells.csv")
    assert cells.read(tmp_path) == lines
    with (smoke_run / "cells.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(lines)
    copy = tmp_path / "copy"
    shutil.copytree(smoke_run, copy, ignore=shutil.ignore_patterns("*.parquet", "report.*"))
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    assert main(["bench", "report", str(copy)]) == 0
    for name in ("report.html", "report.md", "report.json"):
        assert (copy / name).read_bytes() == (smoke_run / name).read_bytes()
    facts = json.loads((copy / "report.json").read_text(encoding="utf-8"))
    assert set(facts["not made"]) == set(TABLES) - {line.table for line in lines}
    capsys.readouterr()


def test_tables_stand_in_the_papers_order_and_what_it_lacks_beside_their_study():
    lines = [
        Line("two", "beyond", "r", "c"),
        Line("one", "more", "r", "c"),
        Line("one", TABLES[3], "r", "c"),
        Line("three", TABLES[9], "r", "c"),
        Line("one", TABLES[0], "r", "c"),
    ]
    assert [x.table for x in cells.in_order(lines)] == [TABLES[0], TABLES[3], "more", TABLES[9], "beyond"]


def test_files_that_are_no_runs_are_refused(tmp_path, capsys):
    (tmp_path / "cells.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    for arguments, message in (
        (["report", str(tmp_path)], "holds no run"),
        (["audit", str(tmp_path)], "holds no run"),
        (["compare", str(tmp_path), str(tmp_path)], "is no file of cells"),
        (["compare", str(tmp_path / "x"), str(tmp_path)], "there is no"),
    ):
        assert main(["bench", *arguments]) == 2
        assert message in capsys.readouterr().err


# Two runs


def test_compare_lists_what_differs_by_relative_change_and_marks_what_is_noisy(tmp_path, capsys):
    one = [
        line("ours", "AIDS", 90.0, 91.0),
        line("ours", "MOLHIV", 50.0, 91.0),
        line("ours", "seconds", 1.0),
        line("ours", "same", 5.0),
        line("gone", "AIDS", 1.0),
        line("never", "AIDS", None),
    ]
    other = [
        line("ours", "AIDS", 91.0, 91.0),
        line("ours", "MOLHIV", 60.0, 91.0),
        line("ours", "seconds", 3.0),
        line("ours", "same", 5.0),
        line("never", "AIDS", None),
    ]
    table = compare(one, other)
    assert table.title == "4 cells differ, 1 do not"
    assert [row[1:3] + row[6:] for row in table.rows] == [
        ["gone", "AIDS", "only A", ""],
        ["ours", "seconds", "+200.0 %", "noisy"],
        ["ours", "MOLHIV", "+20.0 %", ""],
        ["ours", "AIDS", "+1.1 %", ""],
    ]
    assert table.rows[-1][3:6] == ["90.000", "91.000", "91.000"]
    for name, lines in (("a", one), ("b", other)):
        cells.write(lines, tmp_path / f"{name}.csv")
    assert main(["bench", "compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == table.rows


# Generated blocks


def block(path, name):
    lines = path.read_text(encoding="utf-8").splitlines()
    begin, end = (lines.index(f"<!-- {name}: {mark} -->") for mark in ("begin", "end"))
    return "\n".join(lines[begin + 1 : end]).strip()


def test_report_writes_the_headlines_into_a_readme_and_nothing_else(smoke_run, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    readme = tmp_path / "README.md"
    old = f"# Before\n\n<!-- {REPORT}: begin -->\nold\n<!-- {REPORT}: end -->\n\nafter\n"
    readme.write_text(old, encoding="utf-8")
    assert main(["bench", "report", str(smoke_run), "--readme", str(readme)]) == 0
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("# Before\n\n<!--")
    assert text.endswith("-->\n\nafter\n")
    shown = block(readme, REPORT)
    assert shown == headlines(load(smoke_run))
    core = {x.column: x for x in cells.read(smoke_run) if (x.table, x.row) == ("core-causality", "ENPDA-Core")}
    ours = " / ".join(f"{core[name].value:.2f}" for name in ("AIDS", "MOLHIV", "MCF-7"))
    assert re.search(
        rf"ENPDA-Core +\| AIDS / MOLHIV / MCF-7 +\| +{re.escape(ours)} \| +58.29 / 62.77 / 67.81 \|", shown
    )
    assert "`enpda bench paper --profile smoke`" in shown
    assert main(["bench", "report", str(smoke_run), "--readme", str(readme)]) == 0
    assert readme.read_text(encoding="utf-8") == text
    for bare in ("nothing\n", f"<!-- {REPORT}: begin -->\nno end\n", f"`<!-- {REPORT}: begin -->`\n"):
        (tmp_path / "bare.md").write_text(bare, encoding="utf-8")
        assert main(["bench", "report", str(smoke_run), "--readme", str(tmp_path / "bare.md")]) == 2
        assert "has no place for figures" in capsys.readouterr().err
        assert (tmp_path / "bare.md").read_text(encoding="utf-8") == bare


def test_the_headlines_are_tables_of_the_paper():
    assert set(HEADLINES) <= set(TABLES)


def test_the_figures_show_the_committed_run():
    shown = block(REPOSITORY / "docs" / "figures.md", REPORT)
    assert shown == headlines(load(COMMITTED)), "run `enpda bench report benchmarks/paper --readme docs/figures.md`"


@pytest.mark.slow
def test_the_cells_of_a_run_are_what_its_records_give(smoke_run, data, tmp_path, capsys):
    """Of a fresh run, and of the committed one."""
    for run in (smoke_run, COMMITTED):
        lines, _ = cells.compute(run, own_scope(run, data))
        cells.write(lines, tmp_path / "cells.csv")
        assert cells.read(tmp_path) == cells.read(run)
        copy = tmp_path / run.name
        shutil.copytree(run, copy)
        assert main(["bench", "audit", str(copy), "--data", str(data)]) == 0
    capsys.readouterr()


def test_what_is_published_shows_no_graph_of_the_data(smoke_run, tmp_path, capsys):
    out = tmp_path / "shared"
    for _ in range(2):  # the second time over what was published before
        assert main(["bench", "publish", str(smoke_run), "-o", str(out)]) == 0
    drawn = {path.name.split("-")[0] for path in (smoke_run / "figures").iterdir()}
    kept = {path.name.split("-")[0] for path in (out / "figures").iterdir()}
    assert drawn - kept == {"cases", "aromatic"}
    assert not (out / "work").exists()
    assert cells.read(out) == cells.read(smoke_run)
    assert "The paper's tables" in (out / "report.md").read_text()
    assert main(["bench", "publish", str(smoke_run), "-o", str(tmp_path)]) == 2  # a folder that holds something else
    assert main(["bench", "publish", str(tmp_path), "-o", str(out)]) == 2
    capsys.readouterr()


def test_the_committed_run_shows_no_graph_of_the_data():
    assert COMMITTED.is_dir()
    assert not list((COMMITTED / "figures").glob("cases-*")) + list((COMMITTED / "figures").glob("aromatic-*"))
    assert not (COMMITTED / "work").exists()


def test_the_documentation_lists_every_study():
    shown = block(REPOSITORY / "docs" / "benchmarks.md", STUDY_LIST)
    assert shown == study_list(), "run `enpda bench report RUN --readme docs/benchmarks.md`"


def test_the_documentation_states_the_order_of_a_limited_run():
    shown = block(REPOSITORY / "docs" / "benchmarks.md", ORDER_LIST)
    assert shown == order_list(), "run `enpda bench report RUN --readme docs/benchmarks.md`"


# Pictures
