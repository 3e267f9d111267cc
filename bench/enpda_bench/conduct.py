"""Run studies into a folder: records as they come, resumed where they stopped, one after the other or side by side."""

from __future__ import annotations

import sys
import time
import traceback
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from enpda.errors import InputError
from enpda_bench import note
from enpda_bench.journal import Journal, read, sealed
from enpda_bench.order import Task, tasks
from enpda_bench.portion import Portion, portion
from enpda_bench.scope import Scope
from enpda_bench.studies import study
from enpda_bench.study import Outcome, Trial


def conduct(names: Sequence[str], scope: Scope, folder: Path) -> None:
    """Run what is missing of these studies; the first that fails ends it."""
    note.claim(scope, folder)
    try:
        for name in names:
            _run(Turn(Task(name), scope, folder), scope)
    finally:
        scope.close()


def conduct_all(
    names: Sequence[str], scope: Scope, folder: Path, workers: int = 1, seconds: float | None = None
) -> dict[str, str]:
    """Run studies whatever becomes of the others, on `workers` processes; return what failed, and why.

    With a limit in seconds they run by turns, as `enpda_bench.order` says, and no measurement begins after the limit.
    """
    until = None if seconds is None else time.monotonic() + seconds
    todo = [Task(name) for name in names] if until is None else tasks(names)
    note.claim(scope, folder)
    if workers > 1:
        from enpda_bench.crew import Crew

        return Crew(scope, folder, workers, until).run(todo)
    failures: dict[str, str] = {}
    try:
        for task in todo:
            if task.study not in failures and (failure := _conduct_or_explain(task, scope, folder, until)):
                failures[task.study] = failure
    finally:
        scope.close()
    return failures


def prospect(names: Sequence[str], scope: Scope, folder: Path) -> str:
    """Say how far the studies of a run are, and what the same command goes on with."""
    scope.folder = folder
    trials = {name: list(study(name)(scope).trials()) for name in names}
    done = {name: {r.trial for r in read(folder, name)} for name in names}
    left = {name: [t for t in trials[name] if t not in done[name]] for name in names}
    total, missing = (sum(map(len, some.values())) for some in (trials, left))
    finished = sum(not some for some in left.values())
    said = f"{total - missing:,} of {total:,} records are there, {finished} of {len(names)} studies are finished"
    following = next(
        (task for task in tasks(names) if not done[task.study].issuperset(task.of(trials[task.study]))), None
    )
    return said + (f"; the same command goes on with {following}" if following else "")


def command(name: str, scope: Scope, workers: int = 1) -> str:
    """Return the command that runs a study like this; folders are the reader's own."""
    parts = ["enpda bench paper", name, "--data DIR" if scope.data else "", f"--profile {scope.profile}", "-o RUN"]
    return " ".join([*filter(None, parts), *([f"--workers {workers}"] if workers > 1 else [])])


class Turn:
    """A study's turn in a folder: what is left of it, and its records while they come in."""

    def __init__(self, task: Task, scope: Scope, folder: Path, workers: int = 1) -> None:
        self.task, self.name, self._folder = task, task.study, folder
        self._whole = sealed(folder, self.name)
        scope.folder = folder
        self._journal = Journal(folder, self.name)
        try:
            note.begin(folder, self.name, command(self.name, scope, workers), workers)
            self._trials = list(study(self.name)(scope).trials())
        except BaseException as error:
            self.fail(repr(error))
            raise
        self._before = len(self._journal.done)
        self.left = deque(trial for trial in task.of(self._trials) if trial not in self._journal.done)

    def add(self, trial: Trial, outcome: Outcome) -> None:
        """Keep what was measured."""
        self._journal.add(trial, outcome)

    def fail(self, reason: str) -> None:
        """End before the end; what was measured stays."""
        note.end(self._folder, self.name, reason)
        self._journal.close()

    def end(self) -> str:
        """End in good order, and say how far the study is."""
        worked = len(self._journal.done) > self._before or not self._whole
        note.end(self._folder, self.name, keep=worked)
        found = portion(self.name, self._trials, self._journal.records)
        note.measure(self._folder, self.name, found)
        self._journal.seal(self._trials)
        return self._said(found) if worked else "done before"

    def _said(self, found: Portion) -> str:
        spent = note.seconds(note.read(self._folder), self.name)
        return f"{spent:.1f} s" if found.whole else f"{found}; {spent:.1f} s so far"


def late(until: float | None) -> bool:
    """Say whether time is up."""
    return until is not None and time.monotonic() >= until


def explained(error: Exception) -> str:
    """Return why a study failed, and show where unless that is said."""
    if isinstance(error, InputError):
        return str(error)
    traceback.print_exception(error)
    return f"{type(error).__name__}: {error}"


def say(task: Task, how: str) -> None:
    """Tell people on stderr how a turn went."""
    print(f"{task}: {how}", file=sys.stderr, flush=True)


def _run(turn: Turn, scope: Scope, until: float | None = None) -> str:
    """Run what is missing of a study's turn, unless time is up; says how far the study is."""
    try:
        todo = study(turn.name)(scope)
        for trial in tqdm(turn.left, desc=turn.name, leave=False, disable=None):
            if late(until):
                break
            turn.add(trial, todo.run(trial))
    except BaseException as error:
        turn.fail(repr(error))
        raise
    return turn.end()


def _conduct_or_explain(task: Task, scope: Scope, folder: Path, until: float | None) -> str:
    """Run a study's turn, say how it went, and return why it failed, if it did."""
    if late(until):
        return ""
    try:
        say(task, _run(Turn(task, scope, folder), scope, until))
    except Exception as error:
        failure = explained(error)
        say(task, f"failed: {failure}")
        return failure
    return ""
