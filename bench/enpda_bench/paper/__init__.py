"""The paper's own numbers: one file a table, named by the table's label; columns row, column, value, low, high."""

from __future__ import annotations

import csv
from importlib.resources import files

from enpda_bench.study import Cell

TABLES = (
    "native-accuracy",
    "literature-accuracy",
    "components-transfer-main",
    "aromatic-cycles",
    "native-identity-audit",
    "checkpoint-selection",
    "train-once-sinkhorn",
    "core-causality",
    "deterministic-core",
    "enpda-component-ablation",
    "enpda-round-ablation",
    "enpda-round-latency",
    "native-controls",
    "native-mse",
    "enpda-search-frontier",
    "enpda-stream-selection",
    "short-classical",
    "short-classical-matched",
    "enpda-nonmolecular-ood",
    "enpda-protein-ood",
    "natural-imdb-accuracy",
    "enpda-dd-scaling",
    "enpda-rascal-cap60",
    "rascal-tail",
    "tail-runtime",
    "aromatic-cycle-details",
    "amortized-cost",
    "price-source-ablation-detail",
    "price-source-contrasts",
    "price-certificate-detail",
    "long-certificate-enpda",
    "retrieval-main",
    "retrieval-hard",
    "retrieval-timing",
)
"""The labels of the paper's tables of numbers, in its order."""


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
