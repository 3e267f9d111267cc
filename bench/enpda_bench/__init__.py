"""Measurements: one module an experiment, each with `run(Settings) -> list of Table`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from enpda.checks import choice
from enpda.errors import InputError
from enpda.view.table import Table

EXPERIMENTS = {
    "core": "accuracy and time of one analytic proposal, by decoder and rounds",
    "search": "the frontier: accuracy after 1 ms to 1 s of search, `fast`, `solver`, RASCAL and SMSD",
    "bounds": "every upper bound: pairs closed, gap and time; certificates; integer programmes",
    "exact": "proofs on test, random and hard pairs, beside RASCAL and SMSD; certificates",
    "policy": "what learning adds: arms and controls, transfer, prices; bounds, proposals, proofs and searches; time",
    "chemistry": "whole rings, connected parts and myopic distances, beside RASCAL, FMCS and myopic-mces",
    "bulk": "random pairs, thresholds, library search, threads, Dask and memory on MassSpecGym, beside RASCAL",
    "general": "general graphs with few labels or none: what `fast`, `solver`, `auto` and `exact` find and prove",
    "speed": "whole calls beside RASCAL and SMSD, tables by threshold, memory, cost against size, counted instructions",
    "deadlines": "how far calls overrun their limits: all methods, bounds, rules and constraints, up to 5,000 nodes",
}


@dataclass(frozen=True)
class Settings:
    """What an experiment is told: where the data is, and how much to run."""

    data: Path | None = None
    peers: bool = True
    count: int | None = None
    only: str | None = None


def run(name: str, settings: Settings) -> list[Table]:
    """Run one experiment by name."""
    if name not in EXPERIMENTS:
        raise InputError(f"no experiment called {name!r}; there are {', '.join(EXPERIMENTS)}")
    if settings.count is not None and settings.count < 1:
        raise InputError(f"count must be at least 1; got {settings.count}")
    tables: list[Table] = import_module(f"enpda_bench.experiments.{name}").run(settings)
    return tables


Section = Callable[[Settings], list[Table]]


def by_section(
    settings: Settings, usual: Mapping[str, Section], more: Mapping[str, Section] | None = None
) -> list[Table]:
    """Run the usual sections of an experiment, or the one that `--only` names, which may be one of `more`."""
    every = {**usual, **(more or {})}
    if settings.only is not None:
        choice("only", settings.only, tuple(every))
    tables: list[Table] = []
    for name in [settings.only] if settings.only else usual:
        tables += every[name](settings)
    return tables
