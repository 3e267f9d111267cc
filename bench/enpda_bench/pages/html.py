"""The page as one HTML file that needs no other."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from html import escape

from enpda_bench import audit
from enpda_bench.pages.grid import Grid, Shown
from enpda_bench.pages.page import BAR, CAPTION, PAPER_LOSS, PEER_LOSS, WEAKER, Page

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 78rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc } h3 { margin: 2rem 0 .3rem }
nav { columns: 3 18rem; font-size: .9rem } nav a { display: block }
a { color: #0b6e4f; text-decoration: none } a:hover { text-decoration: underline }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid #eee }
td { white-space: nowrap }
th { background: #f4f6f5; font-weight: 600 }
th:first-child, td:first-child, td.word, th.word { text-align: left; white-space: normal }
th.span { text-align: center } th.ours { text-align: right }
td.paper, th.paper { color: #667; border-right: 1px solid #dde }
td.worse { background: #fbe9e2 } tr:hover td { background: #f8faf9 } tr:hover td.worse { background: #f7ddd2 }
small { display: block; color: #778; white-space: nowrap; font-size: .78rem }
td { position: relative } sup { color: #c1440e; position: absolute; font-size: .7rem; line-height: 1.3 }
code { background: #f4f6f5; padding: .1rem .3rem; font-size: .85rem; overflow-wrap: anywhere }
ol.notes { font-size: .85rem; color: #445; margin: .2rem 0 .6rem }
figure { margin: 1rem 0 } figure svg { max-width: 100%; height: auto } figcaption { font-size: .9rem; color: #445 }
"""


def html(page: Page) -> str:
    """Write the page: first what should be reached, and where we are worse, then the tables, then how it was made."""
    links = "".join(f'<a href="#{label}">{escape(table.shape.title)}</a>' for label, table in page.grids.items())
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>enpda: the paper's tables, {escape(page.note['profile'])}</title><style>{STYLE}</style></head><body>",
        f"<h1>The paper's tables</h1><p>Profile {escape(page.profile)}.</p><p>{escape(page.premise)}</p>",
        *_bars(page),
        *_worse(page),
        f"<h2>Tables</h2><p>{CAPTION}</p><nav>{links}</nav>",
    ]
    losing = {loss.line.key for loss in page.losses[0]}
    for label, table in page.grids.items():
        commands = "<br>".join(f"<code>{escape(command)}</code>" for command in page.commands(label))
        parts += [f'<h3 id="{label}">{escape(table.shape.title)}</h3>', f"<div>{label}</div>"]
        parts += [_grid(table, losing), *_notes(table), f"<div>{commands}</div>"]
        parts += [f"<div>{escape(origin)}</div>" for origin in page.origins(label)]
        for figure in page.figures_after(label):
            parts.append(f"<figure>{figure.svg}<figcaption>{escape(figure.title)}</figcaption></figure>")
    parts += [*_made(page), "</body></html>\n"]
    return "\n".join(parts)


def _bars(page: Page) -> Iterable[str]:
    if page.bars:
        yield "<h2>What should be reached</h2>"
        yield f"<p>{escape(page.reached, quote=False)}</p>"
        yield _rows(BAR, map(page.bar, page.bars), words=(0, 1, 4))


def _worse(page: Page) -> Iterable[str]:
    paper, peers = page.losses
    yield "<h2>Where we are worse</h2>"
    yield f"<p>{escape(page.worse, quote=False)} They are tinted in the tables below.</p>"
    if paper:
        yield _rows(PAPER_LOSS, map(page.told, paper), words=(0, 1, 2, 5))
    yield f"<p>Columns in which another method of the same run beats our best: {len(peers)}.</p>"
    if peers:
        yield _rows(PEER_LOSS, map(page.told, peers), words=(0, 1, 2, 4, 6))
    if page.weaker:
        yield f"<p>{WEAKER.format(len(page.weaker))}</p>"
        yield _rows(PAPER_LOSS, map(page.told, page.weaker), words=(0, 1, 2, 5))


def _rows(head: Sequence[str], body: Iterable[Sequence[str]], words: Container[int] = (0,)) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kinds = (' class="word"' if k in words else "" for k in range(len(cells)))
        shown = (f"<{tag}{kind}>{escape(text)}</{tag}>" for kind, text in zip(kinds, cells, strict=True))
        return f"<tr>{''.join(shown)}</tr>"

    return f'<div class="scroll"><table>{row(head, "th")}{"".join(row(cells, "td") for cells in body)}</table></div>'


def _grid(table: Grid, losing: set[tuple[str, str, str]]) -> str:
    """Ours and the paper's, where it has any, in two columns each, so that digits stand below digits."""
    names = "".join(
        f'<th colspan="{2 if column in table.paper else 1}" class="span">{escape(column)}</th>'
        for column in table.columns
    )
    kinds = "".join(
        '<th class="ours">ours</th>' + '<th class="paper">paper</th>' * (column in table.paper)
        for column in table.columns
    )
    head = f'<tr><th rowspan="2"></th>{names}</tr><tr>{kinds}</tr>'
    body = []
    for row in table.rows:
        cells = (
            _cell(table.cells.get((row, column)), column in table.paper, (table.shape.label, row, column) in losing)
            for column in table.columns
        )
        body.append(f"<tr><td>{escape(row)}</td>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table>{head}{"".join(body)}</table></div>'


def _cell(shown: Shown | None, paper: bool, worse: bool) -> str:
    if shown is None:
        return "<td></td>" + '<td class="paper"></td>' * paper
    note = f"<sup>{shown.note}</sup>" if shown.note else ""
    kind = ' class="worse"' if worse else ""
    ours = f"<td{kind}>{shown.value}{note}{_small(shown.interval)}</td>"
    return ours + (f'<td class="paper">{shown.paper}{_small(shown.paper_interval)}</td>' if paper else "")


def _small(text: str) -> str:
    return f"<small>{text}</small>" if text else ""


def _notes(table: Grid) -> Iterable[str]:
    if table.notes:
        yield f'<ol class="notes">{"".join(f"<li>{escape(note)}</li>" for note in table.notes)}</ol>'


def _made(page: Page) -> Iterable[str]:
    yield "<h2>How it was made</h2>"
    if page.unmade:
        yield f"<p>Tables of the paper that no study of this run fills: {', '.join(page.unmade)}.</p>"
    for name, why in page.unfinished.items():
        yield f"<p>Study {name} is not finished: {escape(why)}.</p>"
    for environment in page.note["environments"]:
        facts = {"machine": environment["machine"], "Python": environment["python"], "enpda": page.note["enpda"]}
        facts |= {"commit": environment["commit"] or "not in a checkout", **environment["packages"]}
        yield _rows(("what", "which"), facts.items(), words=(0, 1))
    entries = page.note["studies"]
    times = ((name, f"{seconds:,.1f}", entries[name]["command"]) for name, seconds in page.seconds().items())
    yield _rows(("study", "seconds", "command"), times, words=(0, 2))
    if page.counts:
        checked = audit.table(page.counts)
        yield f"<p>{escape(checked.title)}.</p>"
        yield _rows(checked.columns, ([str(value) for value in row] for row in checked.rows))
    if page.note["data"]:
        yield _rows(("data", "SHA-256"), page.note["data"].items(), words=(0, 1))
