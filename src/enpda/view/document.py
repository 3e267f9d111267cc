"""Matches as HTML: one in a notebook, or many in a report."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable

from enpda.errors import InputError, brief
from enpda.files import save
from enpda.view import page
from enpda.view.picture import MatchLike, listed, match_svg, molecular, name_of, names, node_of

COLUMNS = ("pair", "A", "B", "size", "upper", "proven", "similarity", "distance", "seconds")

# What the report is allowed to load is: nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

STYLE = f"""body{{margin:24px auto;max-width:900px;padding:0 12px;
font:15px/1.45 'DejaVu Sans',Helvetica,Arial,sans-serif;color:{page.INK};background:#fff}}
.summary{{border-collapse:collapse;width:100%;font-size:13px}}
.summary th,.summary td{{padding:3px 8px;border-bottom:1px solid #dde2e6;text-align:left;overflow-wrap:anywhere}}
.summary button{{font:inherit;font-weight:bold;color:inherit;border:0;background:none;padding:0;cursor:pointer}}
.summary th[aria-sort=ascending] button::after{{content:" \\25B4"}}
.summary th[aria-sort=descending] button::after{{content:" \\25BE"}}
section{{margin-top:36px;content-visibility:auto;contain-intrinsic-size:auto 620px}}
a{{color:{page.NUMBER}}}
"""

# A click on a heading sorts by it, another turns the order; equal rows keep theirs.
SCRIPT = """for (const table of document.querySelectorAll("table.summary")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, k) => head.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    const key = row => row.cells[k].dataset.value ?? row.cells[k].textContent;
    const rows = [...body.rows].sort((x, y) => (up ? 1 : -1) * (head.dataset.kind === "number"
      ? Number(key(x)) - Number(key(y)) : key(x).localeCompare(key(y))));
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...rows);
  }));
}
"""


def match_html(match: MatchLike) -> str:
    """Show a match in a notebook: the picture, a table of its numbers and, folded away, the map of its nodes.

    Pointing at a matched node, or at its row of the map, lights up both partners.
    """
    return _shown(match, page.linking(len(match.index_mapping)))


def report(matches: Iterable[MatchLike], path: str | os.PathLike[str] | None = None, title: str = "Matches") -> str:
    """Write a page about a set of pairs: a table that can be sorted, and every picture.

    Parameters
    ----------
    matches : iterable of Match
        In the order of the page.
    path : str or path-like, optional
        A file to write the page to.
    title : str
        Its heading.

    Returns
    -------
    str
        An HTML document that loads nothing from elsewhere.

    Examples
    --------
    >>> import enpda
    >>> page = enpda.view.report(enpda.match_many([("CCO", "CCN"), ("CO", "CO")]), title="Alcohols")
    >>> page.count("<section"), "<h1>Alcohols</h1>" in page
    (2, True)
    """
    if not isinstance(title, str):
        raise InputError(f"title must be a string; got {brief(title)}")
    found = listed(matches)
    heading = _escaped(title)
    proven = sum(match.optimal for match in found)
    sections = "".join(
        f"<section id='match-{number}'>\n<h2>{number}. {_escaped(names(match))}</h2>\n{_shown(match)}</section>\n"
        for number, match in enumerate(found, 1)
    )
    most = max((len(match.index_mapping) for match in found), default=0)
    text = (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
        f"<title>{heading}</title>\n<style>\n{STYLE}</style>\n{page.linking(most)}</head>\n<body>\n"
        f"<h1>{heading}</h1>\n<p>{len(found)} pair{'s' * (len(found) != 1)}, {proven} proven optimal.</p>\n"
        f"{_summary(found)}{sections}<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
    if path is not None:
        save(path, text, "the page")
    return text


def _shown(match: MatchLike, style: str = "") -> str:
    sure = "proven optimal" if match.optimal else f"gap {match.gap:.1%}, {match.status.replace('_', ' ')}"
    numbers = page.table(
        [
            *([("shared edges", f"{len(match.index_edges)}")] if match.weighted else []),
            ("shared weight" if match.weighted else "shared edges", f"{match.size} of at most {match.upper} ({sure})"),
            ("shared nodes", f"{match.nodes}"),
            ("Johnson similarity", f"{match.similarity:.3f}"),
            ("distance", f"{match.distance}"),
            ("method", match.method),
            ("time", f"{1000 * match.seconds:,.1f} ms"),
        ]
    )
    rows = [
        (str(number), node_of(match.a, i), node_of(match.b, match.index_mapping[i]))
        for number, i in enumerate(sorted(match.index_mapping), 1)
    ]
    kind = "Atom" if molecular(match) else "Node"
    atoms = page.table(rows, ("number", name_of(match.a, 0), name_of(match.b, 1)), linked=True)
    details = f"<details><summary>{kind} map ({len(rows)})</summary>\n{atoms}</details>\n" if rows else ""
    return f"<div class='enpda-match'>\n{style}{match_svg(match)}{numbers}{details}</div>\n"


def _escaped(words: str) -> str:
    return html.escape(page.clean(words))


def _summary(found: list[MatchLike]) -> str:
    words = ("A", "B", "proven")
    head = "".join(
        f"<th data-kind='{'text' if name in words else 'number'}'><button type='button'>{name}</button></th>"
        for name in COLUMNS
    )
    lines = []
    for number, match in enumerate(found, 1):
        cells = [
            f"<td data-value='{number}'><a href='#match-{number}'>{number}</a></td>",
            f"<td>{_escaped(name_of(match.a, 0))}</td><td>{_escaped(name_of(match.b, 1))}</td>",
            f"<td>{match.size}</td><td>{match.upper}</td><td>{'yes' if match.optimal else 'no'}</td>",
            f"<td data-value='{match.similarity!r}'>{match.similarity:.3f}</td><td>{match.distance}</td>",
            f"<td data-value='{match.seconds!r}'>{match.seconds:.3f}</td>",
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>\n")
    return f"<table class='summary'>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table>\n"
