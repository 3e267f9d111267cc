"""Runs of every study of the paper, made once: whoever looks at one shares it."""

from __future__ import annotations

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that look at a run are slow, and one process runs them all."""
    for item in items:
        if {"smoke_run", "bare_run"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("studies"))


def run(folder: Path, *arguments: str) -> Path:
    assert main(["bench", "paper", "--profile", "smoke", "-o", str(folder), "--workers", "2", *arguments]) == 0
    return folder


@pytest.fixture(scope="session")
def smoke_run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run at the profile `smoke`, through the command line."""
    return run(tmp_path_factory.mktemp("paper") / "run", "--data", str(data))


@pytest.fixture(scope="session")
def bare_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without a data folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ENPDA_DATA", raising=False)
        return run(tmp_path_factory.mktemp("paper") / "bare")


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
