"""The tables of the retrieval study: metrics with bounds, seconds, labels beside RASCAL's, what rivals learned."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Floats, Records, Shape
from enpda_bench.tally import missing

LEARNED = ("SimGNN", "GMN", "NeuroMatch")
FAST, OWN, EXACT, TOP = "ENPDA-Fast", "enpda fast", "enpda exact", "enpda exact, top 10"
METHODS = ("Size", "WL", *LEARNED, FAST, OWN, EXACT)
REFERENCE, RASCAL, TRAIN = "reference", "RASCAL", "train "
METRICS = ("MRR", "P@10", "MAP")
PARTS = {"full": "retrieval-main", "hard": "retrieval-hard"}
"""Pools with and without the variants of the query, and their tables."""
OURS = tuple(f"{name}, {method}" for name in NATIVE.values() for method in (FAST, OWN, EXACT, TOP))
WALL, WORK = "Wall s/query", "Worker s/query"
TIMEOUTS = "Timeouts / 10k"
ALONE = ("Relevant for us only", "Relevant for RASCAL only")

_JUDGES = tuple(f"{name}, {REFERENCE}" for name in NATIVE.values())

SHAPES = (
    Shape("retrieval-main", "Full-pool retrieval, with bounds for unproven labels", plain=_JUDGES, ours=OURS, digits=3),
    Shape("retrieval-hard", "Hard-only retrieval, with bounds for unproven labels", plain=_JUDGES, ours=OURS, digits=3),
    Shape(
        "retrieval-timing",
        "Seconds of ENPDA-Fast for a pool, and labels that the reference leaves open",
        lower=(WALL, WORK, TIMEOUTS, f"{WALL}, hard-only", f"{WORK}, hard-only"),
        ours=tuple(f"{name}, seed {seed}" for name in NATIVE.values() for seed in range(3)),
    ),
    Shape(
        "retrieval-methods",
        "Seconds of every method for a pool",
        lower=(WALL, WORK, f"{WALL}, hard-only", f"{WORK}, hard-only"),
        ours=OURS,
        digits=3,
    ),
    Shape(
        "retrieval-labels",
        "Labels of the reference, and RASCAL's on a sample",
        plain=("Pairs", "Open", "Relevant", "Sample", "Same label", *ALONE, "Open by RASCAL"),
        lower=("Reference s/pair", "RASCAL s/pair"),
        digits=3,
    ),
    Shape(
        "retrieval-training",
        "What rivals learned: mean squared error of the similarity on held-out pairs",
        plain=("Pairs", "Epochs", "First epoch", "Best epoch", "Seconds"),
        digits=4,
    ),
)


def cells(records: Records, name: str, note: str) -> list[Cell]:
    """Return all cells of one dataset; the note stands in the first row of each table of metrics."""
    return [
        *_metrics(records, name, note),
        *_timing(records, name),
        *_methods(records, name),
        *_labels(records, name),
        *_training(records, name),
    ]


def precisions(records: Records, names: Iterable[str]) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Return MAP with its bounds by pool and method, for a picture."""
    return {
        f"{NATIVE[name]}, {part}": {
            method: _bounded(records, method, name, f"{part} MAP")
            for method in METHODS
            if not _failure(records, method, name)
        }
        for part in PARTS
        for name in names
    }


def _metrics(records: Records, name: str, note: str) -> list[Cell]:
    notes = {
        METHODS[0]: note,
        EXACT: "its edges are proven, its nodes are not: that is what separates it from the reference",
        REFERENCE: "the best there is: ties, and queries without a relevant candidate, cost the rest",
    }
    out = []
    for part, method in product(PARTS, (*METHODS, REFERENCE)):
        table, row = PARTS[part], f"{NATIVE[name]}, {method}"
        if why := _failure(records, method, name):
            out += missing(table, row, METRICS, why)
            continue
        for metric in METRICS:
            note = notes.get(method, "") if metric == METRICS[0] else ""
            out.append(Cell(table, row, metric, *_bounded(records, method, name, f"{part} {metric}"), note=note))
    return out


def _timing(records: Records, name: str) -> list[Cell]:
    out = []
    for seed in sorted({r.trial.seed for r in records.pick(FAST, name)}):
        mine = Records(r for r in records if r.trial.seed == seed)
        row = f"{NATIVE[name]}, seed {seed}"
        opened = _total(mine, REFERENCE, name, "open") / _total(mine, REFERENCE, name, "pairs")
        out.append(Cell("retrieval-timing", row, TIMEOUTS, 1e4 * opened, note="labels that our reference leaves open"))
        out += _seconds("retrieval-timing", row, mine, FAST, name)
    return out


def _methods(records: Records, name: str) -> list[Cell]:
    out = []
    for method in (*METHODS, TOP):
        out += _seconds("retrieval-methods", f"{NATIVE[name]}, {method}", records, method, name)
    return out


def _seconds(table: str, row: str, records: Records, method: str, name: str) -> list[Cell]:
    notes = {"WL": "bags of labels are ready, as in a library", TOP: "of the ten that are returned"}
    work = notes.get(method, "")
    if why := _failure(records, method, name):
        return missing(table, row, (WALL, WORK, f"{WALL}, hard-only", f"{WORK}, hard-only"), why)
    return [
        Cell(table, row, WALL, _mean(records, method, name, ""), note=notes["WL"] if method == "WL" else ""),
        Cell(table, row, WORK, _mean(records, method, name, "work full"), note=work),
        Cell(table, row, f"{WALL}, hard-only", _mean(records, method, name, "wall hard")),
        Cell(table, row, f"{WORK}, hard-only", _mean(records, method, name, "work hard"), note=work),
    ]


def _labels(records: Records, name: str) -> list[Cell]:
    table, row, pairs = "retrieval-labels", NATIVE[name], _total(records, REFERENCE, name, "pairs")
    out = [Cell(table, row, "Pairs", pairs)]
    out += [
        Cell(table, row, column, _total(records, REFERENCE, name, column.lower())) for column in ("Open", "Relevant")
    ]
    out.append(Cell(table, row, "Reference s/pair", _total(records, REFERENCE, name, "") / pairs))
    counts = {
        "Sample": "pairs",
        "Same label": "same",
        ALONE[0]: "only ours",
        ALONE[1]: "only RASCAL",
        "Open by RASCAL": "RASCAL open",
    }
    if why := _failure(records, RASCAL, name):
        return [*out, *missing(table, row, (*counts, "RASCAL s/pair"), why)]
    for column, value in counts.items():
        total = _total(records, RASCAL, name, value)
        note = (
            "RASCAL stops at the most bonds, and takes the atoms as they come" if column == ALONE[0] and total else ""
        )
        out.append(Cell(table, row, column, total, note=note))
    sample = _total(records, RASCAL, name, "pairs")
    return [*out, Cell(table, row, "RASCAL s/pair", _total(records, RASCAL, name, "") / sample)]


def _training(records: Records, name: str) -> list[Cell]:
    columns = {
        "Pairs": "pairs",
        "Epochs": "epochs",
        "First epoch": "first error",
        "Best epoch": "best error",
        "Seconds": "",
    }
    out = []
    for kind in LEARNED:
        row = f"{NATIVE[name]}, {kind}"
        if why := _failure(records, TRAIN + kind, name):
            out += missing("retrieval-training", row, columns, why)
            continue
        for column, value in columns.items():
            out.append(Cell("retrieval-training", row, column, _mean(records, TRAIN + kind, name, value)))
    return out


def _failure(records: Records, arm: str, name: str) -> str:
    """Return why a method has no number; nothing where it has one."""
    mine = records.pick(arm, name)
    return next((r.outcome.status for r in mine if r.outcome.status), "") if mine else "not measured yet"


def _grid(records: Records, arm: str, name: str, value: str) -> Floats:
    """Return a value of all records as (pools, queries); "" stands for the seconds."""
    return records.grid(arm, name, lambda r: r.outcome.values[value] if value else r.outcome.seconds)


def _mean(records: Records, arm: str, name: str, value: str) -> float:
    """Average within pools, then over pools."""
    return float(np.nanmean(_grid(records, arm, name, value), axis=1).mean())


def _total(records: Records, arm: str, name: str, value: str) -> float:
    return float(np.nansum(_grid(records, arm, name, value)))


def _bounded(records: Records, arm: str, name: str, value: str) -> tuple[float, float, float]:
    """Return a value with its bounds."""
    low, high = (_mean(records, arm, name, f"{value} {end}") for end in ("low", "high"))
    return _mean(records, arm, name, value), low, high
