"""Why a cell of ours is below the paper's: `causes.csv` says which other cell of the run tells, the run says what.

A cause is a comparison that the run itself makes, so that it cannot go stale: with a method in which nothing is learned
(`without`), which shows how far the pairs alone account for a loss, or with one that has more of something (`with`),
which shows what it takes. `said` is for what was looked into by other means. The first line that holds counts.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from enpda_bench.pages.lines import Line
from enpda_bench.pages.verdict import Loss, sign
from enpda_bench.study import Shape

Key = tuple[str, str, str]
UNTESTED = "cause not tested"


@dataclass(frozen=True)
class Cause:
    """What is known of a reason, for the cells whose table, row and column match three patterns (`*` for any text).

    Attributes
    ----------
    table, row, column : str
        Patterns.
    kind : {"without", "with", "said"}
    other : str
        `TABLE|ROW|COLUMN` of the cell that tells; an empty part is that of the loss.
    text : str
        What is different there, or all that is said.
    """

    table: str
    row: str
    column: str
    kind: Literal["without", "with", "said"]
    other: str
    text: str

    def covers(self, line: Line) -> bool:
        """Say whether this is about a cell."""
        patterns = zip(line.key, (self.table, self.row, self.column), strict=True)
        return all(fnmatchcase(text, pattern) for text, pattern in patterns)

    def told(self, loss: Loss, lines: Mapping[Key, Line], shapes: Mapping[str, Shape]) -> str:
        """Return what the run says of a loss; nothing where it says nothing."""
        if self.kind == "said":
            return self.text
        table, row, column = (mine or own for mine, own in zip(self.other.split("|"), loss.line.key, strict=True))
        other = lines.get((table, row, column))
        if other is None or other.value is None or loss.line.value is None:
            return ""
        if self.kind == "with":
            way = sign(shapes[loss.line.table], loss.line)
            reached = way * (other.value - loss.theirs) >= 0
            nearer = way * (other.value - loss.line.value) > 0
            much = "enough" if reached else "part of it"
            return f"{self.text}: {row} has {other.value:.4g}, {much}" if nearer else ""
        if other.paper is None:
            return ""
        way = sign(shapes[table], other)
        mine, theirs = abs(loss.theirs - loss.line.value), way * (other.paper - other.value)
        if theirs <= 0:
            return ""
        much = "all" if theirs >= mine else f"{theirs:.2g} of {mine:.2g}"
        return f"{self.text}: {row} is {theirs:.2g} below the paper's here, too ({much} of the loss)"


@cache
def causes() -> Sequence[Cause]:
    """Return all reasons."""
    with (files(__package__) / "causes.csv").open(encoding="utf-8") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    return [Cause(**row) for row in rows]


def cause(loss: Loss, lines: Mapping[Key, Line], shapes: Mapping[str, Shape]) -> str:
    """Return what is known of the reason for a loss."""
    told = (one.told(loss, lines, shapes) for one in causes() if one.covers(loss.line))
    return next(filter(None, told), UNTESTED)
