"""What a page about a run says, whatever it is written in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from enpda import documents
from enpda.files import save
from enpda_bench import audit, note, paper
from enpda_bench.audit import Counts
from enpda_bench.note import Note
from enpda_bench.pages import lines as cells
from enpda_bench.pages.bars import Standing, standings
from enpda_bench.pages.causes import cause
from enpda_bench.pages.grid import Grid, Shown, grid, number
from enpda_bench.pages.lines import Line
from enpda_bench.pages.verdict import Loss, judged, timed, worse_than_paper, worse_than_peers
from enpda_bench.portion import Portion
from enpda_bench.scope import PROFILES
from enpda_bench.study import Shape


@dataclass(frozen=True)
class Figure:
    """A picture of a study, and the file below the folder that holds it."""

    study: str
    title: str
    file: str
    svg: str = ""


@dataclass(frozen=True)
class Page:
    """Everything that was found in the folder of a run."""

    note: Note
    lines: list[Line]
    counts: Counts
    figures: list[Figure]

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """The shape of each table, in order."""
        return cells.shapes_of(self.lines)

    @cached_property
    def by_key(self) -> dict[tuple[str, str, str], Line]:
        """Each cell by what names it."""
        return {line.key: line for line in self.lines}

    @cached_property
    def grids(self) -> dict[str, Grid]:
        """Each table, laid out, in order."""
        return {label: grid(shape, [x for x in self.lines if x.table == label]) for label, shape in self.shapes.items()}

    @cached_property
    def losses(self) -> tuple[list[Loss], list[Loss]]:
        """Where the paper beats us, and where another program of the run does."""
        return worse_than_paper(self.lines, self.shapes), worse_than_peers(self.lines, self.shapes)

    @cached_property
    def weaker(self) -> list[Loss]:
        """Where another method of this run stays below what the paper reports for it."""
        return worse_than_paper(self.lines, self.shapes, ours=False)

    @cached_property
    def judged(self) -> int:
        """How many cells of ours the paper has a number for."""
        return len(judged(self.lines, self.shapes))

    @property
    def worse(self) -> str:
        """Say how many cells are below the paper's, and how many of these mean little."""
        paper = self.losses[0]
        same, beyond = sum(bool(loss.within) for loss in paper), sum(loss.out_of_reach for loss in paper)
        return (
            f"{len(paper)} of {self.judged} cells of ours that the paper has a number for are worse than the paper's; "
            f"in {same} of them one value lies in the other's interval, and {beyond} are proven to be out of reach."
        )

    @cached_property
    def bars(self) -> list[Standing]:
        """The figures by which all is judged, those below their bar first."""
        return standings(self.by_key, self.shapes)

    @property
    def reached(self) -> str:
        """Say how many of these figures are what they should be."""
        good = sum(one.line.value is not None and one.loss is None for one in self.bars)
        return (
            f"{good} of {len(self.bars)} figures that were chosen beforehand reach their bar: the paper's number, "
            "with all digits that it has, or 1 where nothing better is possible. Those that do not come first."
        )

    @property
    def profile(self) -> str:
        """What the profile of the run means."""
        return f"{self.note['profile']}: {PROFILES.get(self.note['profile'], '')}"

    @property
    def premise(self) -> str:
        """What a reader must know before any number."""
        return f"{PREMISE} {PARTIAL}" if any(not found.whole for found in self.measured.values()) else PREMISE

    @cached_property
    def measured(self) -> dict[str, Portion]:
        """How much of a study there is, where that is worth saying: of an unfinished one, or at full size."""
        found = {name: note.measured(self.note, name) for name in self.note["studies"]}
        return {name: some for name, some in found.items() if some is not None}

    @property
    def unmade(self) -> list[str]:
        """Tables of the paper that no study of this run fills."""
        return [label for label in paper.TABLES if label not in self.shapes]

    @property
    def unfinished(self) -> dict[str, str]:
        """Studies that did not come to their end, and why."""
        sessions = {name: entry["sessions"][-1] for name, entry in self.note["studies"].items()}
        torn = {name: session for name, session in sessions.items() if session["failure"] or session["end"] is None}
        return {name: session["failure"] or "interrupted" for name, session in torn.items()}

    def studies_of(self, label: str) -> list[str]:
        """Return the studies that fill a table."""
        return list(dict.fromkeys(line.study for line in self.lines if line.table == label))

    def commands(self, label: str) -> list[str]:
        """Return the commands that make a table."""
        return [
            self.note["studies"][name]["command"] for name in self.studies_of(label) if name in self.note["studies"]
        ]

    def origins(self, label: str) -> list[str]:
        """Say of each study that fills a table at which commits it ran and, where that was noted, how much there is."""
        return [self._origin(name) for name in self.studies_of(label) if name in self.note["studies"]]

    def _origin(self, name: str) -> str:
        commits = [note.short(commit) for commit in note.commits(self.note, name)] or ["unknown"]
        parts = [f"Study {name}, commit{'s' * (len(commits) > 1)} {' and '.join(commits)}"]
        if found := self.measured.get(name):
            parts.append(f"profile {self.note['profile']}{'' if found.whole else ' so far'}: {found}")
        return "; ".join(parts) + "."

    def figures_after(self, label: str) -> list[Figure]:
        """Return the figures of the studies whose last table this is; those without a table come last of all."""
        last = {line.study: line.table for line in self.lines}
        end = list(self.shapes)[-1]
        return [figure for figure in self.figures if last.get(figure.study, end) == label]

    def shown(self, line: Line) -> Shown:
        """Return a cell as its table shows it."""
        return self.grids[line.table].cells[line.row, line.column]

    def told(self, loss: Loss) -> list[str]:
        """Return a line about a loss: where, ours, theirs, by how much, what to think of it."""
        line = loss.line
        shape, mine = self.shapes[line.table], self.shown(line)
        theirs = number(loss.theirs, shape.digits, fine=True) if loss.who else mine.paper
        where = [line.table, line.row, line.column]
        return [*where, _ours(mine), *([loss.who] if loss.who else []), theirs, self.remarks(loss)]

    def remarks(self, loss: Loss) -> str:
        """Say what is known of a loss."""
        line, shape = loss.line, self.shapes[loss.line.table]
        remarks = (
            self.so_far(line),
            loss.within,
            f"out of reach: {number(line.ceiling, shape.digits)} is proven to be the most" if loss.out_of_reach else "",
            "depends on the machine" if timed(shape, line) else "",
            "" if loss.who or loss.out_of_reach else cause(loss, self.by_key, self.shapes),
        )
        return "; ".join(filter(None, remarks))

    def so_far(self, line: Line) -> str:
        """Say how many pairs a cell is made of, where they are not all."""
        found = self.measured.get(line.study)
        if found is None or found.pairs == found.all_pairs:
            return ""
        return f"so far on {found.pairs:,} of {found.all_pairs:,} pairs"

    def bar(self, one: Standing) -> list[str]:
        """Return a line about a figure and its bar: what it is, where, ours, the bar, what to think of it."""
        line, shape, mine = one.line, self.shapes[one.line.table], self.shown(one.line)
        least = number(one.least, shape.digits) if line.paper is None else mine.paper
        remark = "; ".join(filter(None, ("reached", self.so_far(line)))) if one.loss is None else self.remarks(one.loss)
        if line.value is None:
            remark = line.note or "not measured in this run"
        return [one.bar.figure, one.bar.on, _ours(mine), least, remark]

    def seconds(self) -> dict[str, float]:
        """Return the wall time of each study."""
        return {name: note.seconds(self.note, name) for name in self.note["studies"]}


CAPTION = "An empty place is a cell that neither the paper nor we have; a dash has its reason below the table."
PREMISE = (
    "The planted pairs, the natural pairs of IMDB-BINARY and the pairs of D&D are the paper's own: counts, components, "
    "medians and grids are the same. Its pairs of molecules cannot be had: ours are other pairs of the same datasets "
    "with the same kind of labels, and accuracy is the share of the proven optimum, where the paper takes the best "
    "that was known."
)
PARTIAL = "Not everything is measured yet: the line below each table says how much of it there is."
WEAKER = "Cells of other methods that stay below what the paper reports for them, so that a comparison flatters us: {}."
BAR = ("figure", "on", "ours", "bar", "remark")
PAPER_LOSS = ("table", "row", "column", "ours", "paper", "remark")
PEER_LOSS = ("table", "our best", "in", "ours", "better", "theirs", "remark")


def load(folder: Path) -> Page:
    """Read the page's content from the files of a run."""
    return Page(note.read(folder), cells.read(folder), audit.read(folder), _figures(folder))


def keep_figures(folder: Path, figures: dict[str, dict[str, str]]) -> None:
    """Write figures as SVG files, with an index of their titles."""
    place = folder / "figures"
    for old in place.glob("*.svg"):
        old.unlink()
    index = []
    for name, some in figures.items():
        for k, (title, svg) in enumerate(some.items(), 1):
            place.mkdir(exist_ok=True)
            save(place / f"{name}-{k}.svg", svg)
            index.append({"study": name, "title": title, "file": f"figures/{name}-{k}.svg"})
    save(folder / "figures.json", json.dumps(index, indent=1) + "\n")


def _ours(shown: Shown) -> str:
    return f"{shown.value} {shown.interval}".strip()


def _figures(folder: Path) -> list[Figure]:
    path = folder / "figures.json"
    index = documents.load(path) if path.is_file() else []
    return [Figure(**entry, svg=(folder / entry["file"]).read_text(encoding="utf-8")) for entry in index]
