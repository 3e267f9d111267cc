"""The page as Markdown."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from enpda_bench import audit
from enpda_bench.pages.grid import Grid, Shown
from enpda_bench.pages.page import BAR, CAPTION, PAPER_LOSS, PEER_LOSS, WEAKER, Page


def markdown(page: Page) -> str:
    """Write the page: first what should be reached, and where we are worse, then the tables, then how it was made."""
    parts = ["# The paper's tables", f"Profile {page.profile}.", page.premise, *_bars(page), *_worse(page)]
    parts.append(f"## Tables\n\nOurs [95 % interval] (paper's). {CAPTION}")
    for label, table in page.grids.items():
        parts += [f"### {table.shape.title}\n\n`{label}`", _grid(table), *_notes(table)]
        parts += [f"    {command}" for command in page.commands(label)]
        parts += map(_safe, page.origins(label))
        parts += [f"![{_safe(figure.title)}]({figure.file})" for figure in page.figures_after(label)]
    parts += _made(page)
    return "\n\n".join(parts) + "\n"


def rows(head: Sequence[str], body: Iterable[Sequence[str]], words: Container[int] = (0,)) -> str:
    """Write a table; columns that hold no words are aligned at the right."""
    shown = [[_safe(cell) for cell in row] for row in (head, *body)]
    widths = [max(3, *(len(row[k]) for row in shown)) for k in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = (
            text.ljust(width) if k in words else text.rjust(width)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        return "| " + " | ".join(cells) + " |"

    rule = "|".join("-" * (w + 2) if k in words else "-" * (w + 1) + ":" for k, w in enumerate(widths))
    return "\n".join([line(shown[0]), f"|{rule}|", *map(line, shown[1:])])


def cell(shown: Shown | None) -> str:
    """Write a cell in one line."""
    if shown is None:
        return ""
    paper = f"({shown.paper}{' ' * bool(shown.paper_interval)}{shown.paper_interval})" if shown.paper else ""
    note = f"^{shown.note}" if shown.note else ""
    return " ".join(filter(None, (shown.value, shown.interval, paper, note)))


def _bars(page: Page) -> Iterable[str]:
    if page.bars:
        yield "## What should be reached"
        yield page.reached
        yield rows(BAR, map(page.bar, page.bars), words=(0, 1, 4))


def _worse(page: Page) -> Iterable[str]:
    paper, peers = page.losses
    yield "## Where we are worse"
    yield page.worse
    if paper:
        yield rows(PAPER_LOSS, map(page.told, paper), words=(0, 1, 2, 5))
    yield f"Columns in which another method of the same run beats our best: {len(peers)}."
    if peers:
        yield rows(PEER_LOSS, map(page.told, peers), words=(0, 1, 2, 4, 6))
    if page.weaker:
        yield WEAKER.format(len(page.weaker))
        yield rows(PAPER_LOSS, map(page.told, page.weaker), words=(0, 1, 2, 5))


def _grid(table: Grid) -> str:
    body = ([row, *(cell(table.cells.get((row, column))) for column in table.columns)] for row in table.rows)
    return rows(["", *table.columns], body)


def _notes(table: Grid) -> Iterable[str]:
    if table.notes:
        yield "\n".join(f"- ^{k} {_safe(note)}" for k, note in enumerate(table.notes, 1))


def _made(page: Page) -> Iterable[str]:
    yield "## How it was made"
    if page.unmade:
        yield "Tables of the paper that no study of this run fills: " + ", ".join(f"`{x}`" for x in page.unmade) + "."
    for name, why in page.unfinished.items():
        yield f"Study `{name}` is not finished: {why}."
    for environment in page.note["environments"]:
        packages = ", ".join(f"{name} {version}" for name, version in environment["packages"].items())
        commit = f", commit `{environment['commit']}`" if environment["commit"] else ""
        where = f"{environment['machine']}; Python {environment['python']}"
        yield f"enpda {page.note['enpda']}{commit}; {where}; {packages}."
    entries = page.note["studies"]
    times = ((name, f"{seconds:,.1f}", f"`{entries[name]['command']}`") for name, seconds in page.seconds().items())
    yield rows(("study", "seconds", "command"), times, words=(0, 2))
    if page.counts:
        checked = audit.table(page.counts)
        yield checked.title + "."
        yield rows(checked.columns, ([str(value) for value in row] for row in checked.rows))
    if page.note["data"]:
        yield rows(("data", "SHA-256"), page.note["data"].items(), words=(0, 1))


def _safe(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
