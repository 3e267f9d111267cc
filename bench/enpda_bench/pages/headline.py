"""Blocks of other documents that are written from a run: the README's headline figures, the studies, their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from enpda.errors import InputError
from enpda.files import save
from enpda_bench.order import ORDER, PASSES, Turn
from enpda_bench.pages.lines import Line
from enpda_bench.pages.markdown import rows
from enpda_bench.pages.page import Page
from enpda_bench.pages.verdict import sign
from enpda_bench.studies import STUDIES, study

HEADLINES = (
    "native-accuracy",
    "core-causality",
    "enpda-nonmolecular-ood",
    "enpda-protein-ood",
    "enpda-search-frontier",
    "enpda-rascal-cap60",
    "aromatic-cycles",
    "price-certificate-detail",
    "retrieval-main",
)
"""Tables whose rows (or columns) of ours make the headlines."""

WIDTH = 4
"""Numbers in a line."""

FEW = 0.25
"""Share of the pairs of an unfinished study below which its tables make no headlines."""

REPORT, STUDY_LIST, ORDER_LIST = "enpda bench report", "enpda bench studies", "enpda bench order"


def headlines(page: Page) -> str:
    """Return our methods beside the paper's numbers, a few numbers a line."""
    body = [line for label in HEADLINES if label in page.shapes for line in _headlines(page, label)]
    where = "; ".join(dict.fromkeys(environment["machine"] for environment in page.note["environments"]))
    days = sorted(s["start"][:10] for entry in page.note["studies"].values() for s in entry["sessions"])
    foot = f"`enpda bench paper --profile {page.note['profile']}`, {where}, {days[-1]}."
    if any(not found.whole for found in page.measured.values()):
        foot += " Not all of the profile is measured yet: the report says below each table how much of it there is."
    return rows(("table", "method", "on", "ours", "paper"), body, words=(0, 1, 2)) + "\n\n" + foot


def _headlines(page: Page, label: str) -> Iterator[list[str]]:
    """Give lines about our methods in a table: what the paper has too, or everything where it has nothing."""
    shape = page.shapes[label]
    lines = [x for x in page.lines if x.table == label and x.value is not None and sign(shape, x)]
    if any(_few(page, line) for line in lines):
        return
    title = "; ".join(dict.fromkeys([shape.title, *filter(None, map(page.so_far, lines))]))
    for name in shape.ours:
        mine = [x for x in lines if name in (x.row, x.column)]
        mine = [x for x in mine if x.paper is not None] or mine
        for some in (mine[k : k + WIDTH] for k in range(0, len(mine), WIDTH)):
            cells = [page.shown(line) for line in some]
            theirs = [cell.paper for cell in cells if cell.paper] or ["-"]
            parts = [_other(line, name) for line in some], [cell.value for cell in cells], theirs
            yield [title, name, *map(" / ".join, parts)]


def _few(page: Page, line: Line) -> bool:
    """Whether a cell is made of so few of its pairs that it says nothing about the others."""
    found = page.measured.get(line.study)
    return found is not None and found.pairs < FEW * found.all_pairs


def _other(line: Line, name: str) -> str:
    return line.column if line.row == name else line.row


def study_list() -> str:
    """Return what every study asks, and the tables that it fills."""
    body = (
        (f"`{name}`", asks, ", ".join(f"`{shape.label}`" for shape in study(name).shapes))
        for name, asks in STUDIES.items()
    )
    return rows(("study", "asks", "tables of the paper"), body, words=(0, 1, 2))


def order_list() -> str:
    """Return the order of a run with a limit in hours: what the first pass measures, and why a study comes there."""
    body = (
        (f"`{name}`", ("all" if turn.whole else f"{PASSES[0]} pairs a set") + _later(turn), turn.why)
        for name, turn in ORDER.items()
    )
    head = ("study", "first pass", "estimated time at full size on one core, and what it tells")
    return rows(head, body, words=(0, 1, 2))


def _later(turn: Turn) -> str:
    if turn.whole and turn.late:
        return ", but for other programs and longer search" if len(turn.late) > 1 else ", but for longer search"
    return "".join(f"; {arm}: {count} pass{'es' * (count > 1)} later" for arm, count in turn.late.items())


def rewrite(path: Path, page: Page) -> None:
    """Write the marked blocks of a Markdown file anew."""
    if not path.is_file():
        raise InputError(f"there is no file {path} whose blocks could be written anew")
    text = path.read_text(encoding="utf-8")
    blocks = {REPORT: headlines(page), STUDY_LIST: study_list(), ORDER_LIST: order_list()}
    found = [name for name in blocks if _block(name).search(text)]
    if not found:
        raise InputError(f"{path} has no place for figures: the lines {_marks(REPORT)[0]} and {_marks(REPORT)[1]}")
    for name in found:
        text = replaced(text, name, blocks[name])
    save(path, text)


def replaced(text: str, name: str, block: str) -> str:
    """Return a document with the block of this name replaced."""
    begin, end = _marks(name)
    return _block(name).sub(lambda _: f"{begin}\n\n{block}\n\n{end}", text)


def _block(name: str) -> re.Pattern[str]:
    begin, end = map(re.escape, _marks(name))
    return re.compile(rf"^{begin}$.*?^{end}$", re.MULTILINE | re.DOTALL)


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
