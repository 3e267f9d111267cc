"""Why a cell of ours is below the paper's: `causes.csv` says which other cells of the run tell, the run says what.

A cause is a comparison that the run itself makes, so that it cannot go stale. Lines that hold are told in their order,
until one accounts for all of a loss; where none does, that is said, too.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from math import hypot, sqrt
from typing import Any, Literal

from enpda_bench.pages.lines import Line
from enpda_bench.pages.verdict import Loss, sign
from enpda_bench.study import Shape

Key = tuple[str, str, str]
Kind = Literal["without", "with", "again", "most", "chance", "shares", "sides", "said"]
UNTESTED = "cause not tested"
REST = "the rest is not tested"
LIKELY = 1.96
"""Standard errors on either side of an interval of 95 %."""


@dataclass(frozen=True)
class Told:
    """What a cause says of a loss, and whether it accounts for all of it."""

    text: str
    enough: bool = True


@dataclass(frozen=True)
class Cause:
    """What is known of a reason, for the cells whose table, row and column match three patterns (`*` for any text).

    Attributes
    ----------
    table, row, column : str
        Patterns.
    kind : str
        `without`: a method in which nothing is learned, which shows how far the pairs alone account for a loss.
        `with`: one that has more of something, which shows what it takes.
        `again`: the same in another table, where ours is no worse.
        `most`: one that has all that anyone can have.
        `chance`: what two samples of pairs may differ by, from both intervals.
        `shares`: the same for percentages of as many pairs as `other` says, ours and the paper's.
        `sides`: the two parts of a difference, `;` between them.
        `said`: what was looked into by other means.
    other : str
        `TABLE|ROW|COLUMN` of the cell that tells; an empty part is that of the loss.
    text : str
        What is different there, or all that is said.
    """

    table: str
    row: str
    column: str
    kind: Kind
    other: str
    text: str

    def covers(self, line: Line) -> bool:
        """Say whether this is about a cell."""
        patterns = zip(line.key, (self.table, self.row, self.column), strict=True)
        return all(fnmatchcase(text, pattern) for text, pattern in patterns)

    def told(self, loss: Loss, lines: Mapping[Key, Line], shapes: Mapping[str, Shape]) -> Told | None:
        """Return what the run says of a loss; nothing where it says nothing."""
        if self.kind == "said":
            return Told(self.text)
        if self.kind == "shares":
            return _by_shares(self, loss)
        others = [_other(part, loss.line, lines) for part in self.other.split(";")]
        there = [other for other in others if other is not None and other.value is not None and not _partial(other)]
        if len(there) < len(others) or loss.line.value is None:
            return None
        if self.kind == "sides":
            return _by_sides(there, shapes)
        tell = {"without": _without, "with": _with, "again": _again, "most": _most, "chance": _by_chance}[self.kind]
        judge = loss.line if self.kind == "most" else there[0]  # a limit is no method, and is not judged itself
        told = tell(loss, there[0], sign(shapes[judge.table], judge))
        return told and Told(f"{self.text}: {told.text}", told.enough)


def _other(name: str, line: Line, lines: Mapping[Key, Line]) -> Line | None:
    table, row, column = (mine or own for mine, own in zip(name.split("|"), line.key, strict=True))
    return lines.get((table, row, column))


def _partial(line: Line) -> bool:
    """Whether a cell is of some pairs only, which are no measure of the others."""
    return re.match(r"\d+ of \d+ pairs", line.note) is not None


def _differing(line: Line, other: Line) -> str:
    """Return what names a cell beside another."""
    return line.row if line.row != other.row else line.column


def _without(loss: Loss, other: Line, way: int) -> Told | None:
    if other.value is None or other.paper is None or loss.line.value is None:
        return None
    mine, theirs = abs(loss.theirs - loss.line.value), way * (other.paper - other.value)
    if theirs <= 0:
        return None
    much = "all" if theirs >= mine else f"{theirs:.2g} of {mine:.2g}"
    where = "below" if way > 0 else "above"
    name = _differing(other, loss.line)
    return Told(f"{name} is {theirs:.2g} {where} the paper's here, too ({much} of the loss)", theirs >= mine)


def _with(loss: Loss, other: Line, way: int) -> Told | None:
    if other.value is None or loss.line.value is None or way * (other.value - loss.line.value) <= 0:
        return None
    reached = way * (other.value - loss.theirs) >= 0
    much = "enough" if reached else "part of it"
    return Told(f"{_differing(other, loss.line)} has {other.value:.4g}, {much}", reached)


def _again(_: Loss, other: Line, way: int) -> Told | None:
    if other.value is None or other.paper is None or way * (other.paper - other.value) > 0:
        return None
    return Told(f"{other.row}, {other.column} is {other.value:.4g} (paper {other.paper:.4g})")


def _most(loss: Loss, other: Line, way: int) -> Told | None:
    if other.value is None or way * (loss.theirs - other.value) <= 0:
        return None
    return Told(f"{_differing(other, loss.line)} has {other.value:.4g}")


def _by_sides(sides: Sequence[Line], shapes: Mapping[str, Shape]) -> Told | None:
    """Say what the second part of a difference has more than the paper's; the rest is what the first one lacks."""
    one, other = sides
    if one.value is None or one.paper is None or other.value is None or other.paper is None:
        return None
    way = sign(shapes[one.table], one)
    if way * (other.value - other.paper) <= 0:
        return None
    reached = way * (one.value - one.paper) >= 0
    names = _differing(other, one), _differing(one, other)
    more, rest = (f"{name} {x.value:.4g} (paper {x.paper:.4g})" for name, x in zip(names, (other, one), strict=True))
    return Told(f"{'all' if reached else 'partly'} because of what is subtracted: {more}; {rest}", reached)


def _by_chance(_: Loss, line: Line, __: int) -> Told | None:
    """Each interval counts on the side of the other value."""
    if line.value is None or line.paper is None:
        return None
    ends = (line.high, line.paper_low) if line.value < line.paper else (line.low, line.paper_high)
    if ends[0] is None or ends[1] is None:
        return None
    reach = hypot(ends[0] - line.value, ends[1] - line.paper)
    return _near("", abs(line.paper - line.value), reach, "both intervals allow")


def _by_shares(cause: Cause, loss: Loss) -> Told | None:
    shares, counts = (loss.line.value or 0.0, loss.theirs), map(int, cause.other.split("|"))
    reach = LIKELY * sqrt(sum(p * (100 - p) / n for p, n in zip(shares, counts, strict=True)))
    return _near(cause.text, abs(shares[1] - shares[0]), reach, "so few pairs allow")


def _near(text: str, apart: float, reach: float, how: str) -> Told | None:
    told = f"{apart:.2g} apart, where {how} {reach:.2g} by chance"
    return Told(f"{text}: {told}" if text else told) if apart <= reach else None


@cache
def causes() -> Sequence[Cause]:
    """Return all reasons."""
    with (files(__package__) / "causes.csv").open(encoding="utf-8") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    return [Cause(**row) for row in rows]


def cause(loss: Loss, lines: Mapping[Key, Line], shapes: Mapping[str, Shape]) -> str:
    """Return what is known of the reason for a loss."""
    parts = []
    for told in (one.told(loss, lines, shapes) for one in causes() if one.covers(loss.line)):
        if told is not None:
            parts.append(told.text)
            if told.enough:
                return "; ".join(parts)
    return "; ".join([*parts, REST]) if parts else UNTESTED
