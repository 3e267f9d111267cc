"""Matches as HTML: one in a notebook, or many in a report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from enpda.result.chemistry import nouns, told
from enpda.view import page
from enpda.view.picture import MatchLike, listed, match_svg, name_of, names, node_of
from enpda.view.sheet import cell, code, document, escaped, rows
from enpda.words import counted

TEXTS = ("A", "B", "proven")
COLUMNS = ("pair", "A", "B", "size", "upper", "proven", "similarity", "distance", "seconds")


def match_html(match: MatchLike) -> str:
    """Show a match in a notebook: the picture, a table of its numbers and, folded away, the map of its nodes.

    Pointing at a matched node, or at its row of the map, lights up both partners.
    """
    return _shown(match, page.linking(len(match.index_mapping)))


def match_page(match: MatchLike, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str:
    """Write a page about one pair: the picture, what is shared, the numbers and the map.

    Returns
    -------
    str
        An HTML document that loads nothing from elsewhere.
    """
    body = _shown(match)
    return document(names(match) if title is None else title, body, page.linking(len(match.index_mapping)), path)


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
    found = listed(matches)
    proven = sum(match.optimal for match in found)
    sections = "".join(
        f"<section id='match-{number}'>\n<h2>{number}. {escaped(names(match))}</h2>\n{_shown(match)}</section>\n"
        for number, match in enumerate(found, 1)
    )
    most = max((len(match.index_mapping) for match in found), default=0)
    body = f"<p>{counted(len(found), 'pair')}, {proven} proven optimal.</p>\n{_summary(found)}{sections}"
    return document(title, body, page.linking(most), path)


def _shown(match: MatchLike, style: str = "") -> str:
    sure = "proven optimal" if match.optimal else f"gap {match.gap:.1%}, {match.status.replace('_', ' ')}"
    node, edge = nouns(match)
    numbers = page.table(
        [
            *([(f"shared {edge}s", f"{len(match.index_edges)}")] if match.weighted else []),
            (
                "shared weight" if match.weighted else f"shared {edge}s",
                f"{match.size} of at most {match.upper} ({sure})",
            ),
            (f"shared {node}s", f"{match.nodes}"),
            ("Johnson similarity", f"{match.similarity:.3f}"),
            ("distance", f"{match.distance}"),
            ("method", match.method),
            ("time", f"{1000 * match.seconds:,.1f} ms"),
        ]
    )
    lines = [
        (str(number), node_of(match.a, i), node_of(match.b, match.index_mapping[i]))
        for number, i in enumerate(sorted(match.index_mapping), 1)
    ]
    atoms = page.table(lines, ("number", name_of(match.a, 0), name_of(match.b, 1)), linked=True)
    details = f"<details><summary>{node.title()} map ({len(lines)})</summary>\n{atoms}</details>\n" if lines else ""
    return f"<div class='enpda-match'>\n{style}{match_svg(match)}{_chemistry(match)}{numbers}{details}</div>\n"


def _chemistry(match: MatchLike) -> str:
    """Return the common part and the change as text to copy, where there is any."""
    words = {name: value for name in ("smarts", "transformation") if (value := told(match, name))}
    if not words:
        return ""
    called = {"smarts": "common part", "transformation": "A to B"}
    lines = "".join(
        f"<div style='margin-top:4px'>{called[name]} <code style='overflow-wrap:anywhere'>{code(value)}</code></div>\n"
        for name, value in words.items()
    )
    return f"<div style='font-size:13px;margin-bottom:8px'>\n{lines}</div>\n"


def _summary(found: Sequence[MatchLike]) -> str:
    """Return a table of matches that can be sorted, linked to the sections of a report."""

    def line(number: int, match: MatchLike) -> Iterator[str]:
        yield f"<td data-value='{number}'><a href='#match-{number}'>{number}</a></td>"
        yield from (cell(name_of(match.a, 0)), cell(name_of(match.b, 1)))
        yield from (cell(str(match.size)), cell(str(match.upper)), cell("yes" if match.optimal else "no"))
        yield from (cell(f"{match.similarity:.3f}", match.similarity), cell(str(match.distance)))
        yield cell(f"{match.seconds:.3f}", match.seconds)

    head = [(name, "text" if name in TEXTS else "number") for name in COLUMNS]
    return rows(head, (line(number, match) for number, match in enumerate(found, 1)))
