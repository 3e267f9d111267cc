"""Run studies into a folder: records as they come, resumed where they stopped, one after the other or side by side."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from tqdm import tqdm

from enpda.errors import InputError
from enpda_bench import note
from enpda_bench.journal import Journal, read, sealed
from enpda_bench.order import Task, tasks
from enpda_bench.portion import Portion, portion
from enpda_bench.scope import Scope
from enpda_bench.studies import study


def conduct(names: Sequence[str], scope: Scope, folder: Path) -> None:
    """Run what is missing of these studies; the first that fails ends it."""
    note.claim(scope, folder)
    try:
        for name in names:
            _run(Task(name), scope, folder)
    finally:
        scope.close()


def conduct_all(
    names: Sequence[str], scope: Scope, folder: Path, workers: int = 1, seconds: float | None = None
) -> dict[str, str]:
    """Run studies whatever becomes of the others, up to `workers` at a time; return what failed, and why.

    With a limit in seconds they run by turns, as `enpda_bench.order` says, and no measurement begins after the limit.
    """
    until = None if seconds is None else time.monotonic() + seconds
    todo = [Task(name) for name in names] if until is None else tasks(names)
    note.claim(scope, folder)
    if workers > 1:
        return _Crew(scope, folder, min(workers, len(names)), until).run(todo)
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


def _run(
    task: Task, scope: Scope, folder: Path, until: float | None = None, workers: int = 1, bar: int = 0
) -> Portion | None:
    """Run what is missing of a study's turn, unless time is up; returns how much there is if anything was done."""
    name, whole = task.study, sealed(folder, task.study)
    scope.folder = folder
    with Journal(folder, name) as journal:
        note.begin(folder, name, command(name, scope, workers), workers)
        try:
            todo = study(name)(scope)
            trials = list(todo.trials())
            before = len(journal.done)
            left = [trial for trial in task.of(trials) if trial not in journal.done]
            for trial in tqdm(left, desc=name, leave=False, disable=None, position=bar):
                if _late(until):
                    break
                journal.add(trial, todo.run(trial))
        except BaseException as error:
            note.end(folder, name, repr(error))
            raise
        worked = len(journal.done) > before or not whole
        note.end(folder, name, keep=worked)
        found = portion(name, trials, journal.records)
        note.measure(folder, name, found)
        journal.seal(trials)
    return found if worked else None


def _late(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def _conduct_or_explain(
    task: Task, scope: Scope, folder: Path, until: float | None = None, workers: int = 1, bar: int = 0
) -> str:
    """Run a study's turn, say how it went, and return why it failed, if it did."""
    if _late(until):
        return ""
    name = task.study
    try:
        found = _run(task, scope, folder, until, workers, bar)
        spent = note.seconds(note.read(folder), name)
        if found is None:
            said = "done before"
        else:
            said = f"{spent:.1f} s" if until is None else f"{found}; {spent:.1f} s so far"
        print(f"{task}: {said}", file=sys.stderr, flush=True)
        return ""
    except InputError as error:
        failure = str(error)
    except Exception as error:
        traceback.print_exc()
        failure = f"{type(error).__name__}: {error}"
    print(f"{name}: failed: {failure}", file=sys.stderr, flush=True)
    return failure


class _Crew:
    """Processes that each take the next turn of a study that no other has; only the note is shared by all."""

    def __init__(self, scope: Scope, folder: Path, count: int, until: float | None) -> None:
        self._scope, self._folder, self._count, self._until = scope, folder, count, until
        self._members: dict[Connection, SpawnProcess] = {}

    def run(self, todo: Sequence[Task]) -> dict[str, str]:
        """Give out the turns in order, and collect what failed."""
        left, busy, failures = list(todo), dict[Connection, Task](), dict[str, str]()
        try:
            while left or busy:
                for task in self._free(left, busy):
                    left.remove(task)
                    busy[self._give(task, busy)] = task
                for pipe in wait(list(busy)):
                    assert isinstance(pipe, Connection)
                    name = busy.pop(pipe).study
                    try:
                        failure: str = pipe.recv()
                    except EOFError:
                        failure = f"its process ended with code {self._dismiss(pipe)}"
                        note.end(self._folder, name, failure)
                    if failure:
                        failures[name] = failure
                        left = [task for task in left if task.study != name]
            for pipe, member in self._members.items():
                pipe.send(None)
                member.join()
        finally:
            for pipe in list(self._members):
                self._dismiss(pipe)
        return failures

    def _free(self, left: Sequence[Task], busy: Mapping[Connection, Task]) -> list[Task]:
        """Return the next turns, one a study and none of a study at work, for as many processes as are free."""
        working = {task.study for task in busy.values()}
        first = {task.study: task for task in reversed(left) if task.study not in working}
        return [task for task in left if first.get(task.study) is task][: self._count - len(busy)]

    def _give(self, task: Task, busy: Mapping[Connection, Task]) -> Connection:
        """Let a process that waits do this, or a new one."""
        pipe = next((pipe for pipe in self._members if pipe not in busy), None) or self._hire()
        pipe.send(task)
        return pipe

    def _hire(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        scope, bar = self._scope, len(self._members)
        member = context.Process(
            target=_serve, args=(theirs, scope.profile, scope.data, self._folder, self._until, self._count, bar)
        )
        member.start()
        theirs.close()
        self._members[pipe] = member
        return pipe

    def _dismiss(self, pipe: Connection) -> int | None:
        member = self._members.pop(pipe)
        pipe.close()
        member.terminate()
        member.join()
        return member.exitcode


def _serve(
    pipe: Connection,
    profile: str,
    data: Path | None,
    folder: Path,
    until: float | None,
    workers: int,
    bar: int,
) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None

    def leave() -> None:
        parent.join()
        os._exit(1)  # nobody would hear how the study went, and the next run must not meet this one

    threading.Thread(target=leave, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    tqdm.set_lock(threading.RLock())  # a semaphore would be left behind when this process is ended
    scope = Scope(profile, data)
    try:
        while task := pipe.recv():
            pipe.send(_conduct_or_explain(task, scope, folder, until, workers, bar))
    finally:
        scope.close()
