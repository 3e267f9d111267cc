"""Pages about a run: `report.html`, `report.md`, `report.json`, `cells.csv`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from enpda.bench.audit import audit
from enpda.bench.pages import lines as cells
from enpda.bench.pages.html import html
from enpda.bench.pages.markdown import markdown
from enpda.bench.pages.page import Page, keep_figures, load
from enpda.bench.scope import Scope
from enpda.files import save

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
        "worse than the paper": [asdict(loss) for loss in paper],
        "worse than another method": [asdict(loss) for loss in peers],
        "others worse than in the paper": [asdict(loss) for loss in page.weaker],
        "not made": page.unmade,
        "unfinished": page.unfinished,
    }
    save(folder / "report.json", json.dumps(facts, indent=1) + "\n")
    return page
