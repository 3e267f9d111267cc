"""The figures by which the whole comparison is judged: `bars.csv` names the cells, and what each should reach."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from enpda_bench.pages.causes import Key
from enpda_bench.pages.lines import Line
from enpda_bench.pages.verdict import Loss, sign
from enpda_bench.study import Shape


@dataclass(frozen=True)
class Bar:
    """A cell, what it is, and what it should reach: the paper's number unless there is another (`least`)."""

    figure: str
    on: str
    key: Key
    least: float | None


@dataclass(frozen=True)
class Standing:
    """A bar, and the cell beside it; `loss` where the cell is below."""

    bar: Bar
    line: Line
    least: float
    loss: Loss | None


@cache
def bars() -> tuple[Bar, ...]:
    """Return all bars."""
    with (files(__package__) / "bars.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return tuple(
        Bar(
            row["figure"],
            row["on"],
            (row["table"], row["row"], row["column"]),
            float(row["least"]) if row["least"] else None,
        )
        for row in rows
    )


def standings(lines: Mapping[Key, Line], shapes: Mapping[str, Shape]) -> list[Standing]:
    """Return the bars whose tables a run has: those that are not reached come first."""
    return sorted(_standings(lines, shapes), key=lambda one: one.line.value is not None and one.loss is None)


def _standings(lines: Mapping[Key, Line], shapes: Mapping[str, Shape]) -> Iterator[Standing]:
    for bar in bars():
        line = lines.get(bar.key)
        if line is None:
            continue
        least = line.paper if bar.least is None else bar.least
        if least is None:
            continue
        below = line.value is not None and sign(shapes[line.table], line) * (least - line.value) > 0
        yield Standing(bar, line, least, Loss(line, "", least) if below else None)
