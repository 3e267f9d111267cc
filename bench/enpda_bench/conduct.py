"""Run studies into a folder: records as they come, resumed where they stopped, one after the other or side by side."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from tqdm import tqdm

from enpda.errors import InputError
from enpda_bench import note
from enpda_bench.journal import Journal, finished
from enpda_bench.scope import Scope
from enpda_bench.studies import study


def conduct(names: Sequence[str], scope: Scope, folder: Path) -> None:
    """Run what is missing of these studies; the first that fails ends it."""
    note.claim(scope, folder)
    try:
        for name in names:
            _run(name, scope, folder)
    finally:
        scope.close()


def conduct_all(names: Sequence[str], scope: Scope, folder: Path, workers: int = 1) -> dict[str, str]:
    """Run studies whatever becomes of the others, up to `workers` at a time; return what failed, and why."""
    note.claim(scope, folder)
    if workers > 1:
        return _Crew(scope, folder, min(workers, len(names))).run(names)
    try:
        return {name: failure for name in names if (failure := _conduct_or_explain(name, scope, folder))}
    finally:
        scope.close()


def command(name: str, scope: Scope, workers: int = 1) -> str:
    """Return the command that runs a study like this; folders are the reader's own."""
    parts = ["enpda bench paper", name, "--data DIR" if scope.data else "", f"--profile {scope.profile}", "-o RUN"]
    return " ".join([*filter(None, parts), *([f"--workers {workers}"] if workers > 1 else [])])


def _run(name: str, scope: Scope, folder: Path, workers: int = 1, bar: int = 0) -> bool:
    """Run what is missing of a study; returns whether anything was."""
    whole = finished(folder, name)
    scope.folder = folder
    with Journal(folder, name) as journal:
        note.begin(folder, name, command(name, scope, workers), workers)
        try:
            todo = study(name)(scope)
            left = [trial for trial in todo.trials() if trial not in journal.done]
            for trial in tqdm(left, desc=name, leave=False, disable=None, position=bar):
                journal.add(trial, todo.run(trial))
        except BaseException as error:
            note.end(folder, name, repr(error))
            raise
        worked = bool(left) or not whole
        note.end(folder, name, keep=worked)
        journal.seal()
    return worked


def _conduct_or_explain(name: str, scope: Scope, folder: Path, workers: int = 1, bar: int = 0) -> str:
    """Run a study, say how it went, and return why it failed, if it did."""
    try:
        if _run(name, scope, folder, workers, bar):
            print(f"{name}: {note.seconds(note.read(folder), name):.1f} s", file=sys.stderr, flush=True)
        else:
            print(f"{name}: done before", file=sys.stderr, flush=True)
        return ""
    except InputError as error:
        failure = str(error)
    except Exception as error:
        traceback.print_exc()
        failure = f"{type(error).__name__}: {error}"
    print(f"{name}: failed: {failure}", file=sys.stderr, flush=True)
    return failure


class _Crew:
    """Processes that each take the next study; journals are a study's own, so nothing is shared but the note."""

    def __init__(self, scope: Scope, folder: Path, count: int) -> None:
        self._scope, self._folder, self._count = scope, folder, count
        self._members: dict[Connection, SpawnProcess] = {}

    def run(self, names: Sequence[str]) -> dict[str, str]:
        """Give out the studies in order, and collect what failed."""
        left, busy, failures = list(reversed(names)), dict[Connection, str](), dict[str, str]()
        try:
            for bar in range(self._count):
                name = left.pop()
                busy[self._hire(name, bar)] = name
            while busy:
                for pipe in wait(list(busy)):
                    assert isinstance(pipe, Connection)
                    name = busy.pop(pipe)
                    try:
                        failure: str = pipe.recv()
                        if left:
                            busy[pipe] = left.pop()
                            pipe.send(busy[pipe])
                    except EOFError:
                        failure = f"its process ended with code {self._dismiss(pipe)}"
                        note.end(self._folder, name, failure)
                        if left:
                            following = left.pop()
                            busy[self._hire(following, len(busy))] = following
                    if failure:
                        failures[name] = failure
            for pipe, member in self._members.items():
                pipe.send("")
                member.join()
        finally:
            for pipe in list(self._members):
                self._dismiss(pipe)
        return failures

    def _hire(self, name: str, bar: int) -> Connection:
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        member = context.Process(
            target=_serve, args=(theirs, self._scope.profile, self._scope.data, self._folder, self._count, bar)
        )
        member.start()
        theirs.close()
        self._members[pipe] = member
        pipe.send(name)
        return pipe

    def _dismiss(self, pipe: Connection) -> int | None:
        member = self._members.pop(pipe)
        pipe.close()
        member.terminate()
        member.join()
        return member.exitcode


def _serve(pipe: Connection, profile: str, data: Path | None, folder: Path, workers: int, bar: int) -> None:
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
        while name := pipe.recv():
            pipe.send(_conduct_or_explain(name, scope, folder, workers, bar))
    finally:
        scope.close()
