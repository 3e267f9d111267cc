"""Where we are worse: than the paper, cell by cell, and than the best other program of the same run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from enpda_bench.pages.lines import Line
from enpda_bench.scope import NATIVE
from enpda_bench.study import Shape

TIMED = re.compile(r"second|minute|hour|latency|runtime|speed|(?<!['\w])(time|wall|s|ms|GPUh|P95)\b", re.IGNORECASE)
UNIT = re.compile(r".*: *(mean |median )?(seconds|hours|milliseconds|ms)\b|.*\d m?s\b", re.IGNORECASE)
"""Titles of tables that are all times, or that name a time limit."""


@dataclass(frozen=True)
class Loss:
    """A cell of ours, what beats it (`who` is empty for the paper), and by how much."""

    line: Line
    who: str
    theirs: float

    @property
    def within(self) -> str:
        """Say which value lies in the other's interval."""
        line = self.line
        theirs = _inside(self.theirs, line.low, line.high)
        ours = not self.who and _inside(line.value, line.paper_low, line.paper_high)
        if theirs and ours:
            return "each lies in the other's interval"
        return "theirs lies in our interval" if theirs else "ours lies in their interval" if ours else ""

    @property
    def out_of_reach(self) -> bool:
        """Whether it is proven that nobody could do better here."""
        return self.line.ceiling is not None and self.theirs > self.line.ceiling


def _inside(value: float | None, low: float | None, high: float | None) -> bool:
    return value is not None and low is not None and high is not None and low <= value <= high


def sign(shape: Shape, line: Line) -> int:
    """Return 1 where more is better, -1 where less is, 0 where nothing is judged."""
    ends = (line.row, line.column)
    if any(end in shape.plain for end in ends):
        return 0
    return -1 if any(end in shape.lower for end in ends) else 1


def is_ours(shape: Shape, line: Line) -> bool:
    """Say whether a cell is one of our methods; all are in a table that names none, unless others are named."""
    if line.row in shape.theirs or line.column in shape.theirs:
        return False
    return not shape.ours or any(end in (*shape.ours, *shape.contrasts) for end in (line.row, line.column))


def judged(lines: Iterable[Line], shapes: Mapping[str, Shape], ours: bool = True) -> list[Line]:
    """Return the cells of our methods, or of all others, that the paper has a number for."""
    return [
        line
        for line in lines
        if line.value is not None and line.paper is not None and sign(shapes[line.table], line)
        if is_ours(shapes[line.table], line) == ours
    ]


def worse_than_paper(lines: Iterable[Line], shapes: Mapping[str, Shape], ours: bool = True) -> list[Loss]:
    """Return every cell of our methods that the paper's number beats; or of the others, which may flatter us."""
    return [
        Loss(line, "", line.paper)
        for line in judged(lines, shapes, ours)
        if line.value is not None and line.paper is not None
        if sign(shapes[line.table], line) * (line.paper - line.value) > 0
    ]


def worse_than_peers(lines: Sequence[Line], shapes: Mapping[str, Shape]) -> list[Loss]:
    """Return every column (or row, where methods are columns) whose best is not ours, with our best and theirs."""
    return [loss for label, shape in shapes.items() for loss in _peers([x for x in lines if x.table == label], shape)]


def _peers(lines: Sequence[Line], shape: Shape) -> Iterator[Loss]:
    for method, place in (("row", "column"), ("column", "row")):
        if not {getattr(line, method) for line in lines} & set(shape.ours):
            continue
        groups: dict[tuple[str, str, int], list[Line]] = {}
        for line in lines:
            if line.value is not None and sign(shape, line) and not _contrast(shape, line):
                key = (getattr(line, place), _dataset(getattr(line, method)), sign(shape, line))
                groups.setdefault(key, []).append(line)
        for (_, _, direction), some in groups.items():
            ranked = sorted(some, key=lambda line: -direction * (line.value or 0.0))
            mine = next((line for line in ranked if getattr(line, method) in shape.ours), None)
            best = ranked[0]
            if mine is not None and best.value is not None and best.value != mine.value:
                yield Loss(mine, getattr(best, method), best.value)


def _contrast(shape: Shape, line: Line) -> bool:
    return line.row in shape.contrasts or line.column in shape.contrasts


def _dataset(name: str) -> str:
    """Return the dataset that a row like "MOLHIV, WL" begins with: only methods on the same one are compared."""
    first = name.split(", ")[0]
    return first if first in NATIVE.values() else ""


def timed(shape: Shape, line: Line) -> bool:
    """Say whether a number depends on the speed of a machine: seconds, or what was found within some."""
    return bool(UNIT.match(shape.title) or TIMED.search(line.row) or TIMED.search(line.column))
