"""A table as it is shown: rows, columns, numbers with the right digits, and numbered notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from enpda_bench.pages.lines import Line
from enpda_bench.pages.verdict import sign
from enpda_bench.study import Shape


@dataclass(frozen=True)
class Shown:
    """One cell in words: ours and the paper's with their intervals, the number of its note."""

    value: str
    interval: str = ""
    paper: str = ""
    paper_interval: str = ""
    note: int | None = None


@dataclass(frozen=True)
class Grid:
    """One table of the paper, filled."""

    shape: Shape
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], Shown]
    notes: list[str]
    paper: set[str]
    """Columns in which the paper has numbers."""


def grid(shape: Shape, lines: Sequence[Line]) -> Grid:
    """Lay out the lines of one table."""
    notes = list(dict.fromkeys(line.note for line in lines if line.note))
    whole = {end for end, some in _ends(lines) if all(value == round(value) for value in _values(some))}
    cells = {}
    for line in lines:
        counts = bool({("row", line.row), ("column", line.column)} & whole)
        digits = 0 if counts else shape.digits
        fine = not counts and sign(shape, line) < 0
        cells[line.row, line.column] = Shown(
            number(line.value, digits, fine),
            _interval(line.low, line.high, digits, fine),
            "" if line.paper is None else number(line.paper, digits, fine),
            _interval(line.paper_low, line.paper_high, digits, fine),
            notes.index(line.note) + 1 if line.note else None,
        )
    rows, columns = ([*dict.fromkeys(getattr(line, end) for line in lines)] for end in ("row", "column"))
    return Grid(shape, rows, columns, cells, notes, {line.column for line in lines if line.paper is not None})


def number(value: float | None, digits: int, fine: bool = False) -> str:
    """Write a number with some digits after the point, five that count at most; small ones keep three of those.

    `fine` ones, such as times and gaps, count as small sooner.
    """
    if value is None:
        return "-"
    if 0 < abs(value) < (10.0 ** (2 - digits) if fine else 0.5 * 10.0**-digits):
        return format(Decimal(f"{value:.2e}"), "f")
    whole = len(f"{abs(value):.0f}")
    return f"{value:,.{max(min(digits, 5 - whole), 0)}f}"


def _interval(low: float | None, high: float | None, digits: int, fine: bool) -> str:
    return "" if low is None or high is None else f"[{number(low, digits, fine)}, {number(high, digits, fine)}]"


def _ends(lines: Sequence[Line]) -> Iterable[tuple[tuple[str, str], list[Line]]]:
    for end in ("row", "column"):
        for name in dict.fromkeys(getattr(line, end) for line in lines):
            yield (end, name), [line for line in lines if getattr(line, end) == name]


def _values(lines: Iterable[Line]) -> list[float]:
    return [value for line in lines for value in (line.value, line.low, line.high, line.paper) if value is not None]
