"""Pages and their parts: one look for whatever is written as HTML, light or dark as the reader has it.

Parts (cards, tables, notes) are fragments with their style in them, for notebooks; a page is a document around them
that loads nothing from elsewhere.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence

from enpda.errors import InputError, brief
from enpda.files import save
from enpda.view import page

# What a page is allowed to load is: nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
WHOLE = 20_000
"""Characters of a SMILES that is shown."""
LINE = "rgba(128,138,148,.35)"
"""Rules and borders, to be seen on white and on black."""

UNBROKEN = 20
"""Characters of a cell that stay on one line."""

STYLE = f""":root{{color-scheme:light dark;--ink:{page.INK};--paper:#fff;--link:{page.NUMBER}}}
@media (prefers-color-scheme:dark){{:root{{--ink:#dfe6ea;--paper:#14191d;--link:{page.SHARED}}}}}
body{{margin:24px auto;max-width:970px;padding:0 12px;
font:15px/1.45 'DejaVu Sans',Helvetica,Arial,sans-serif;color:var(--ink);background:var(--paper)}}
h1{{font-size:26px}}
h2{{font-size:18px;overflow-wrap:anywhere}}
.summary{{border-collapse:collapse;width:100%;font-size:13px}}
.summary th,.summary td{{padding:3px 8px;border-bottom:1px solid {LINE};text-align:left;overflow-wrap:anywhere}}
.summary .whole{{white-space:nowrap}}
.summary button{{font:inherit;font-weight:bold;color:inherit;border:0;background:none;padding:0;white-space:nowrap;
cursor:pointer}}
.summary th[aria-sort=ascending] button::after{{content:" \\25B4"}}
.summary th[aria-sort=descending] button::after{{content:" \\25BE"}}
section{{margin-top:36px;content-visibility:auto;contain-intrinsic-size:auto 620px}}
svg{{height:auto}}
a{{color:var(--link)}}
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


def escaped(words: str, most: int = page.LONGEST) -> str:
    """Return untrusted text as HTML, cut to so many characters."""
    return html.escape(page.clean(words, most))


def code(words: str) -> str:
    """Return SMILES and the like, which nobody should copy in part, as HTML."""
    return escaped(words, WHOLE)


def document(title: str, body: str, head: str = "", path: str | os.PathLike[str] | None = None) -> str:
    """Return a page that loads nothing from elsewhere, around a body of HTML; also written to `path`.

    Parameters
    ----------
    title : str
        Its heading, as plain text.
    body, head : str
        HTML; of untrusted text, what `escaped` returns.
    path : str or path-like, optional
        A file to write the page to.
    """
    if not isinstance(title, str):
        raise InputError(f"title must be a string; got {brief(title)}")
    heading = escaped(title)
    text = (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
        f"<title>{heading}</title>\n<style>\n{STYLE}</style>\n{head}</head>\n<body>\n"
        f"<h1>{heading}</h1>\n{body}<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
    if path is not None:
        save(path, text, "the page")
    return text


def note(words: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{escaped(words)}</p>\n"


def section(title: str, body: str) -> str:
    """Return a part of a page under a heading of its own."""
    return f"<section>\n<h2>{escaped(title)}</h2>\n{body}</section>\n"


def verdict(words: str, ok: bool) -> str:
    """Return a box for the verdict on a certificate, such as `str(enpda.verify(certificate))`; its first line is bold.

    Examples
    --------
    >>> import enpda
    >>> report = enpda.verify(enpda.match("CCO", "CCN").certificate)
    >>> verdict(str(report), report.ok).count("VALID")
    1
    """
    first, *rest = words.splitlines() or [""]
    lines = "".join(f"<div>{escaped(line)}</div>" for line in rest)
    style = f"border-left:5px solid {page.SHARED if ok else page.POINTED};padding:4px 12px;font-size:13px"
    return f"<div style='{style}'><b>{escaped(first)}</b>{lines}</div>\n"


def card(picture: str, name: str, facts: Sequence[str] = ()) -> str:
    """Return a picture (SVG) with a name and a few short lines under it, as plain text."""
    lines = "".join(f"<div>{escaped(fact)}</div>" for fact in facts)
    return (
        "<div style='width:232px;font-size:12px;line-height:1.4;overflow-wrap:anywhere'>"
        f"<div style='border:1px solid {LINE};border-radius:6px;background:#fff;line-height:0'>{picture}</div>"
        f"<div style='font-weight:bold;margin-top:3px'>{escaped(name)}</div>{lines}</div>\n"
    )


def cards(parts: Iterable[str]) -> str:
    """Return cards beside each other, as many a row as there is room for."""
    return f"<div style='display:flex;flex-wrap:wrap;gap:14px 12px'>\n{''.join(parts)}</div>\n"


def rows(head: Sequence[tuple[str, str]], lines: Iterable[Iterable[str]]) -> str:
    """Return a table that a click on a heading sorts.

    Parameters
    ----------
    head : sequence of (str, str)
        Each column's name, as plain text, and its kind: "number" or "text".
    lines : iterable of iterables of str
        Cells, `<td>` included, as HTML.
    """
    top = "".join(f"<th data-kind='{kind}'><button type='button'>{escaped(name)}</button></th>" for name, kind in head)
    body = "".join(f"<tr>{''.join(cells)}</tr>\n" for cells in lines)
    return f"<table class='summary'>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def cell(words: str, value: float | None = None) -> str:
    """Return a cell of plain text; `value` is what it is sorted by."""
    key = "" if value is None else f" data-value='{value!r}'"
    whole = " class='whole'" if len(words) <= UNBROKEN else ""
    return f"<td{whole}{key}>{escaped(words)}</td>"
