"""A study: one experiment of the paper as a list of trials, each run once, and the cells that its records fill."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from enpda_bench.scope import Scope

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """One thing to measure: what is done (`arm`), to which pair of which set, with which seed."""

    arm: str
    set: str
    pair: int
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came out. `image` maps the first graph's nodes, -1 for none; the audit counts it anew."""

    image: npt.NDArray[np.int32] | None = None
    size: int | None = None
    nodes: int | None = None
    upper: int | None = None
    proven: bool = False
    seconds: float = 0.0
    status: str = ""
    """Why there is no answer, where there is none."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Anything else that is a number."""


@dataclass(frozen=True)
class Record:
    """A trial and its outcome."""

    trial: Trial
    outcome: Outcome


class Records(list[Record]):
    """The records of one study."""

    def pick(self, arm: str, name: str) -> Records:
        """Return those of an arm on a set."""
        return Records(r for r in self if r.trial.arm == arm and r.trial.set == name)

    def positions(self, name: str) -> list[int]:
        """Return the pairs of a set that took part, in order."""
        return sorted({r.trial.pair for r in self if r.trial.set == name})

    def grid(self, arm: str, name: str, value: Callable[[Record], float]) -> Floats:
        """Return a number of every record of an arm on a set as (seeds, pairs), both in order."""
        mine = self.pick(arm, name)
        seeds = sorted({r.trial.seed for r in mine})
        pairs = sorted({r.trial.pair for r in mine})
        out = np.full((len(seeds), len(pairs)), np.nan)
        for r in mine:
            out[seeds.index(r.trial.seed), pairs.index(r.trial.pair)] = value(r)
        return out


@dataclass(frozen=True)
class Cell:
    """One number of a table, with its interval; `note` says why there is none, or what is special."""

    table: str
    row: str
    column: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    ceiling: float | None = None
    """What is proven to be the most that any method could have here."""


@dataclass(frozen=True)
class Shape:
    """How a table is shown and judged. `label` is the paper's own; `paper/LABEL.csv` holds the paper's numbers."""

    label: str
    title: str
    lower: Sequence[str] = ()
    """Rows or columns in which less is better; elsewhere more is."""
    plain: Sequence[str] = ()
    """Rows or columns that describe, and are not judged."""
    contrasts: Sequence[str] = ()
    """Rows or columns that are differences between methods, ours first: judged beside the paper's, and no others."""
    ours: Sequence[str] = ()
    """Rows or columns that are our methods: the page says first where the paper or another program beats them."""
    theirs: Sequence[str] = ()
    """Rows or columns that are other programs, where a table does not name ours."""
    digits: int = 2


class Study(ABC):
    """One experiment. Trials are a pure function of the scope, so that an interrupted run goes on where it was."""

    name: ClassVar[str]
    title: ClassVar[str]
    shapes: ClassVar[Sequence[Shape]]
    draws_data: ClassVar[bool] = False
    """Whether its figures show graphs of the data folder, which are not ours to pass on."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    @abstractmethod
    def trials(self) -> Iterable[Trial]:
        """List everything to be measured, in order."""

    @abstractmethod
    def run(self, trial: Trial) -> Outcome:
        """Measure one trial."""

    @abstractmethod
    def cells(self, records: Records) -> list[Cell]:
        """Turn records into the cells of the tables."""

    def figures(self, records: Records) -> dict[str, str]:
        """Return pictures as SVG, by title."""
        return {}
