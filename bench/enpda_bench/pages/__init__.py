"""Pages about a run: `report.html`, `report.md`, `report.json`, `cells.csv`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from enpda.files import save
from enpda_bench.audit import audit
from enpda_bench.pages import lines as cells
from enpda_bench.pages.html import html
from enpda_bench.pages.markdown import markdown
from enpda_bench.pages.page import Page, keep_figures, load
from enpda_bench.scope import Scope

__all__ = ["load", "renew", "write"]


def renew(folder: Path, scope: Scope) -> None:
    """Compute cells and figures from the records, and audit them."""
    lines, figures = cells.compute(folder, scope)
    cells.write(lines, folder / "cells.csv")
    keep_figures(folder, figures)
    audit(folder, scope)


def write(folder: Path) -> Page:
    """Write the pages from cells, figures and notes."""
    page = load(folder)
    save(folder / "report.html", html(page))
    save(folder / "report.md", markdown(page))
    paper, peers = page.losses
    facts = {
        "run": page.note,
        "audit": {name: asdict(count) for name, count in page.counts.items()},
        "bars": [
            {
                "figure": one.bar.figure,
                "cell": one.bar.key,
                "ours": one.line.value,
                "bar": one.least,
                "told": page.bar(one),
            }
            for one in page.bars
        ],
        "worse than the paper": [asdict(loss) for loss in paper],
        "worse than another method": [asdict(loss) for loss in peers],
        "others worse than in the paper": [asdict(loss) for loss in page.weaker],
        "not made": page.unmade,
        "unfinished": page.unfinished,
    }
    save(folder / "report.json", json.dumps(facts, indent=1) + "\n")
    return page
