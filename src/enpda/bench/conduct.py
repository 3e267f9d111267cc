"""Run studies into a folder: records as they come, resumed where they stopped, with a note of what was run on what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

import enpda
from enpda.bench.journal import Journal
from enpda.bench.report import machine
from enpda.bench.scope import Scope
from enpda.bench.studies import study
from enpda.errors import InputError


def conduct(names: Sequence[str], scope: Scope, folder: Path) -> None:
    """Run what is missing of these studies."""
    _claim(scope, folder)
    scope.work = folder / "work"
    for name in names:
        todo = study(name)(scope)
        trials = list(todo.trials())
        with Journal(folder, name) as journal:
            left = [t for t in trials if t not in journal.done]
            try:
                for trial in tqdm(left, desc=name, leave=False, disable=None):
                    journal.add(trial, todo.run(trial))
            finally:
                scope.close()
            journal.seal()


def _claim(scope: Scope, folder: Path) -> None:
    """Write what this run is, or check that the folder holds the same kind of run."""
    path = folder / "run.json"
    mine = {"profile": scope.profile, "enpda": enpda.__version__, "data": scope.data is not None}
    if path.exists():
        theirs = json.loads(path.read_text(encoding="utf-8"))
        for key, value in mine.items():
            if theirs.get(key) != value:
                raise InputError(f"{folder} holds a run with {key} {theirs.get(key)!r}, not {value!r}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**mine, "machine": machine()}, indent=1) + "\n", encoding="utf-8")
