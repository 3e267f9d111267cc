"""All cells of a run, ours and the paper's side by side: `cells.csv`, one line a cell."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from enpda.errors import InputError
from enpda.files import replacing
from enpda_bench import journal, note, paper
from enpda_bench.portion import portion, usable
from enpda_bench.scope import Scope
from enpda_bench.studies import STUDIES, study
from enpda_bench.study import Cell, Shape


@dataclass(frozen=True)
class Line:
    """One number of a table as we measured it, and as the paper has it."""

    study: str
    table: str
    row: str
    column: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    paper: float | None = None
    paper_low: float | None = None
    paper_high: float | None = None
    ceiling: float | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What names a cell."""
        return self.table, self.row, self.column


NOT_YET = "not measured yet: a table begins when each arm has one pair of each set"
WORDS = ("study", "table", "row", "column", "note")
NAMES = tuple(field.name for field in fields(Line))


def compute(folder: Path, scope: Scope) -> tuple[list[Line], dict[str, dict[str, str]]]:
    """Return the lines and the figures of every study of a run, from its records.

    Of an unfinished study, how much there is goes into the note of the run.
    """
    lines: dict[tuple[str, str, str], Line] = {}
    figures = {}
    scope.folder = folder
    for name in STUDIES:
        if not journal.begun(folder, name):
            continue
        todo, records = study(name)(scope), journal.read(folder, name)
        missing = "not in this run" if scope.data else "not in this run, which had no data folder"
        if not _finished(folder, name):
            trials = list(todo.trials())
            note.measure(folder, name, portion(name, trials, records))
            records, missing = usable(name, trials, records), NOT_YET
        cells = todo.cells(records) if records else []
        figures[name] = todo.figures(records) if records else {}
        for line in _beside(name, todo.shapes, cells, missing):
            if line.key not in lines or lines[line.key].value is None:
                lines[line.key] = line
    return in_order(lines.values()), figures


def _finished(folder: Path, name: str) -> bool:
    found = note.measured(note.read(folder), name)
    return journal.sealed(folder, name) and (found is None or found.whole)


def _beside(name: str, shapes: Sequence[Shape], cells: Iterable[Cell], missing: str) -> Iterable[Line]:
    theirs = {(c.table, c.row, c.column): c for shape in shapes for c in paper.table(shape.label)}
    ours = {(c.table, c.row, c.column): c for c in cells}
    for key in (*theirs, *(key for key in ours if key not in theirs)):
        cell, other = ours.get(key) or Cell(*key, note=missing), theirs.get(key) or Cell(*key)
        paper_s = (other.value, other.low, other.high)
        yield Line(name, *key, cell.value, cell.low, cell.high, cell.note, *paper_s, cell.ceiling)


def in_order(lines: Iterable[Line]) -> list[Line]:
    """Sort lines by the paper's order of tables; what the paper does not have follows the same study's last table."""
    lines = list(lines)
    rank = {label: float(k) for k, label in enumerate(paper.TABLES)}
    last: dict[str, float] = {}
    for line in lines:
        last[line.study] = max(last.get(line.study, -1.0), rank.get(line.table, -1.0))
    after = {name: k + 0.5 if k >= 0 else float(len(rank)) for name, k in last.items()}
    for line in lines:
        rank.setdefault(line.table, after[line.study])
    return sorted(lines, key=lambda line: rank[line.table])


def shapes_of(lines: Iterable[Line]) -> dict[str, Shape]:
    """Return the shape of every table that has lines; studies that share a table add up."""
    names = dict.fromkeys(line.study for line in lines)
    labels = dict.fromkeys(line.table for line in lines)
    found: dict[str, Shape] = {}
    for shape in (shape for name in names if name in STUDIES for shape in study(name).shapes):
        old = found.get(shape.label)
        found[shape.label] = shape if old is None else _joined(old, shape)
    return {label: found.get(label) or Shape(label, label) for label in labels}


def _joined(one: Shape, other: Shape) -> Shape:
    parts = ("lower", "plain", "contrasts", "ours", "theirs")
    both: dict[str, Any] = {part: tuple(dict.fromkeys((*getattr(one, part), *getattr(other, part)))) for part in parts}
    return replace(one, **both)


def write(lines: Iterable[Line], path: Path) -> None:
    """Write `cells.csv`."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(NAMES)
        for line in lines:
            out.writerow(_text(getattr(line, name)) for name in NAMES)


def read(path: Path) -> list[Line]:
    """Read `cells.csv`, or that of a run's folder."""
    path = path / "cells.csv" if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"there is no {path}; `enpda bench report DIR` writes it")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and set(NAMES) - rows[0].keys():
        raise InputError(f"{path} is no file of cells: its columns must be {', '.join(NAMES)}")
    return [_line(row) for row in rows]


def _line(row: dict[str, Any]) -> Line:
    values: dict[str, Any] = {name: row[name] if name in WORDS else _number(row[name]) for name in NAMES}
    return Line(**values)


def _text(value: str | float | None) -> str:
    return f"{value:.8g}" if isinstance(value, (int, float)) else value or ""


def _number(text: str) -> float | None:
    return float(text) if text else None
