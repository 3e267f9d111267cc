"""Runs of every study of the paper, made once: whoever looks at one shares it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from enpda.cli import main
from enpda_bench import journal
from enpda_bench.scope import Scope
from enpda_bench.studies import study
from enpda_bench.study import Cell, Records, Study

Done = Callable[[str], tuple[Study, Records, dict[tuple[str, str, str], Cell]]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if {"smoke_run", "bare_run"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def smoke_run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run at the profile `smoke`, through the command line."""
    return shared("run", tmp_path_factory, "--data", str(data))


@pytest.fixture(scope="session")
def bare_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without a data folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ENPDA_DATA", raising=False)
        return shared("bare", tmp_path_factory)


def shared(name: str, places: pytest.TempPathFactory, *arguments: str) -> Path:
    """A copy of the run that one process of pytest-xdist makes while others wait; some tests write into theirs."""
    above = places.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else places.getbasetemp()
    made, own = above / f"studies-{name}", places.mktemp("studies") / name
    with (above / f"studies-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            run = places.mktemp("first") / name
            assert main(["bench", "paper", "--profile", "smoke", "-o", str(run), "--workers", "2", *arguments]) == 0
            run.rename(made)
        shutil.copytree(made, own)
    return own


@pytest.fixture(scope="session")
def scope(data: Path, smoke_run: Path) -> Scope:
    return Scope("smoke", data, smoke_run)


@pytest.fixture(scope="session")
def done(scope: Scope) -> Done:
    """A study by its name, its records, and its cells by table, row and column."""
    return looked_at(scope)


@pytest.fixture(scope="session")
def done_bare(bare_run: Path) -> Done:
    """The same without a data folder."""
    return looked_at(Scope("smoke", folder=bare_run))


def looked_at(scope: Scope) -> Done:
    @cache
    def look(name: str) -> tuple[Study, Records, dict[tuple[str, str, str], Cell]]:
        it, records = study(name)(scope), journal.read(scope.folder, name)
        cells = it.cells(records)
        found = {(c.table, c.row, c.column): c for c in cells}
        assert len(found) == len(cells)
        assert {c.table for c in cells} <= {shape.label for shape in it.shapes}
        assert all(c.value is not None or c.note for c in cells)
        return it, records, found

    return look
