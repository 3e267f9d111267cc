"""What stands between records and readers: pages, comparisons, generated blocks."""

import csv
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from enpda.cli import main
from enpda.view import plots
from enpda_bench.note import own_scope
from enpda_bench.pages import lines as cells
from enpda_bench.pages import load
from enpda_bench.pages.compare import compare
from enpda_bench.pages.grid import grid, number
from enpda_bench.pages.headline import HEADLINES, ORDER_LIST, REPORT, STUDY_LIST, headlines, order_list, study_list
from enpda_bench.pages.html import html
from enpda_bench.pages.lines import Line
from enpda_bench.pages.markdown import markdown
from enpda_bench.pages.page import Figure, Page
from enpda_bench.paper import TABLES
from enpda_bench.study import Shape
from report_lines import line

REPOSITORY = Path(__file__).parents[2]
COMMITTED = REPOSITORY / "benchmarks" / "paper"


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
    assert main(["bench", "report", str(smoke_run), "--readme", str(tmp_path / "none.md")]) == 2
    assert "there is no file" in capsys.readouterr().err


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
