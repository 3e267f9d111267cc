"""Why a cell of ours is below the paper's, or that this was not tested: `causes.csv`, first match counts."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from enpda_bench.pages.lines import Line


@dataclass(frozen=True)
class Cause:
    """What is known of a reason, for the cells whose table, row and column match three patterns (`*` for any text)."""

    table: str
    row: str
    column: str
    cause: str

    def covers(self, line: Line) -> bool:
        """Say whether this is about a cell."""
        patterns = zip((line.table, line.row, line.column), (self.table, self.row, self.column), strict=True)
        return all(fnmatchcase(text, pattern) for text, pattern in patterns)


@cache
def causes() -> Sequence[Cause]:
    """Return all reasons."""
    with (files(__package__) / "causes.csv").open(encoding="utf-8") as file:
        return [Cause(**row) for row in csv.DictReader(file)]


def cause(line: Line) -> str:
    """Return what is known of the reason for a cell; nothing where no line covers it."""
    return next((one.cause for one in causes() if one.covers(line)), "")
