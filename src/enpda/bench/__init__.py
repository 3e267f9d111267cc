"""Measurements: each experiment takes a data folder (or None) and returns a table."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from enpda.bench.report import Table


def _experiment(name: str) -> Callable[[Path | None], Table]:
    def run(data: Path | None) -> Table:
        result: Table = import_module(f"enpda.bench.experiments.{name}").run(data)
        return result

    return run


EXPERIMENTS = {name: _experiment(name) for name in ("core",)}
