"""`enpda demo`: the main jobs on drugs that ship with the package, and a page that shows them."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import enpda
from enpda.bulk.pages import clusters_part, hits_part
from enpda.cli.match import text
from enpda.data import drugs
from enpda.errors import InputError
from enpda.files import save
from enpda.view import page
from enpda.view.document import match_html
from enpda.view.sheet import document, note, section, verdict
from enpda.words import counted

T = TypeVar("T")
NEAR = 10
"""Bonds that two drugs of the demo may not share and still belong together."""
HITS = 6


def demo(first: str = "sildenafil", second: str = "vardenafil", /, *, out: Path = Path("demo-output")) -> int:
    """Compare drugs that ship with the package, and write a page about them to open in a browser.

    Example: `enpda demo morphine codeine --out demo-output`

    Parameters
    ----------
    first
        Name of a drug.
    second
        Name of another.
    out
        Folder for `report.html`, and for the pair alone as `match.svg`, `match.json` and `certificate.json`.
    """
    known = drugs()
    for name in (first, second):
        if name not in known:
            raise InputError(f"no drug called {name!r} ships with enpda; there are {', '.join(known)}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror}") from None
    picture, data, proof, report = (
        out / name for name in ("match.svg", "match.json", "certificate.json", "report.html")
    )

    found = _step(1, f"what {first} and {second} have in common", lambda: enpda.match(known[first], known[second]))
    print(f"{text(found)}\n")
    found.draw(str(picture))
    save(data, found.to_json(indent=1), "the result")
    found.certificate.save(proof)
    checked = _step(2, "checking its certificate, from the file alone", lambda: enpda.verify(proof))
    print(f"{checked}\n")
    hits = _step(
        3, f"searching {len(known)} drugs for those like {first}", lambda: enpda.search(found.a, known, k=HITS)
    )
    print(f"{hits}\n")
    matrix = _step(4, "comparing all of them with each other", lambda: enpda.matrix(known))
    groups = enpda.cluster(matrix, max_distance=NEAR)
    _write(report, found, checked, hits, matrix, groups)
    shared, sure = found.in_words()
    print(f"{first} and {second} share {shared} ({sure}); {counted(len(matrix), 'pair')} compared: open {report}")
    return 0 if checked.ok else 1


def _step(number: int, what: str, work: Callable[[], T]) -> T:
    print(f"[{number}/4] {what}", file=sys.stderr, flush=True)
    return work()


def _write(path: Path, found: enpda.Match, checked: Any, hits: Any, matrix: Any, groups: Any) -> None:
    a, b = found.a.name, found.b.name
    code = f'import enpda\nfrom enpda.data import drugs\n\nm = enpda.match(drugs()["{a}"], drugs()["{b}"])'
    body = "".join(
        [
            note("Made by `enpda demo` from fifty drugs that ship with the package. Every answer here is proven."),
            section(f"{a} and {b}", f"<pre>{html.escape(code)}</pre>\n{match_html(found)}"),
            section(
                "Its certificate",
                note(
                    "certificate.json holds the two graphs, the mapping and a proof that no larger one exists; "
                    "`python -m enpda_verify certificate.json` checks it with nothing but Python's integers."
                )
                + verdict(str(checked), checked.ok),
            ),
            section(f"The drugs most like {a}", hits_part(hits)),
            section("All of them", f"<div>{matrix.heatmap()}</div>\n"),
            section(f"Which belong together: at most {NEAR} bonds that are not shared", clusters_part(groups)),
        ]
    )
    document("What drugs have in common", body, page.linking(len(found.index_mapping)), path)
