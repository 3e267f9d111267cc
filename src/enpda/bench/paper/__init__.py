"""The paper's own numbers: one file a table, named by the table's label; columns row, column, value, low, high."""

from __future__ import annotations

import csv
from importlib.resources import files

from enpda.bench.study import Cell


def table(label: str) -> list[Cell]:
    """Return the paper's cells of one table, in its order; none for a table that the paper does not have."""
    path = files(__package__) / f"{label}.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        Cell(label, r["row"], r["column"], _number(r["value"]), _number(r["low"]), _number(r["high"])) for r in rows
    ]


def _number(text: str) -> float | None:
    return float(text) if text else None
