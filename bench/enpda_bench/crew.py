"""Studies side by side: processes that measure, a pair at a time, and one that gives out the work and keeps records."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from tqdm import tqdm

from enpda_bench.conduct import Turn, explained, late, say
from enpda_bench.order import ORDER, Task
from enpda_bench.scope import Scope
from enpda_bench.studies import study
from enpda_bench.study import Outcome, Study, Trial

DONE = ""
"""What a process says when its trials are measured, or time is up; any other text is why it could not."""


@dataclass
class Open:
    """A turn that is under way."""

    turn: Turn
    bar: tqdm[None]
    at_work: set[Connection] = field(default_factory=set)
    only: Connection | None = None
    """The process that has all of it, where the study goes alone."""
    failure: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing is left to give out or to wait for."""
        return not self.at_work and (not self.turn.left or bool(self.failure))

    def wants(self, who: Connection | None) -> bool:
        """Whether a process can have some of it."""
        mine = not ORDER[self.turn.name].alone or self.only in (None, who)
        return mine and bool(self.turn.left) and not self.failure

    def part(self) -> list[Trial]:
        """Take the next trials off, all those of one pair."""
        left = self.turn.left
        out = [left.popleft()]
        while left and (left[0].set, left[0].pair) == (out[0].set, out[0].pair):
            out.append(left.popleft())
        return out


class Crew:
    """Processes that measure the pairs of all turns in their order; studies whose pairs belong together have one each.

    A study has one turn at a time, and only this process writes.
    """

    def __init__(self, scope: Scope, folder: Path, count: int, until: float | None) -> None:
        self._scope, self._folder, self._count, self._until = scope, folder, count, until
        self._members: dict[Connection, SpawnProcess] = {}
        self._open: dict[str, Open] = {}
        self._failures: dict[str, str] = {}

    def run(self, todo: Sequence[Task]) -> dict[str, str]:
        """Measure these turns; return what failed, and why."""
        left = list(todo)
        busy: dict[Connection, Open] = {}
        try:
            while True:
                while len(busy) < self._count and (found := self._next(left, busy)):
                    pipe, one = found
                    one.at_work.add(pipe)
                    if ORDER[one.turn.name].alone:
                        one.only = pipe
                    pipe.send((one.turn.name, one.part()))
                    busy[pipe] = one
                if not busy:
                    break
                for ready in wait(list(busy)):
                    assert isinstance(ready, Connection)
                    if not self._hear(ready, busy[ready]):
                        busy.pop(ready).at_work.discard(ready)
                self._settle()
            for pipe, member in self._members.items():
                pipe.send(None)
                member.join()
        except BaseException as error:
            for one in self._open.values():
                one.bar.close()
                one.turn.fail(repr(error))
            raise
        finally:
            for pipe in list(self._members):
                self._dismiss(pipe)
            self._scope.close()
        return self._failures

    def _next(self, left: list[Task], busy: dict[Connection, Open]) -> tuple[Connection, Open] | None:
        """Return a process that is free and the first turn that it can go on with; turns are opened as needed."""
        if late(self._until):
            return None
        free = [pipe for pipe in self._members if pipe not in busy]
        for one in self._offers(left):
            if one.only in free:
                return one.only, one
            if one.only is None and one.wants(None):
                return (free[0] if free else self._hire()), one
        return None

    def _offers(self, left: list[Task]) -> Iterator[Open]:
        """Give the turns that want somebody: those under way, then further ones of studies that have none under way."""
        yield from (one for one in self._open.values() if one.wants(one.only))
        for task in list(left):
            if task.study in self._failures:
                left.remove(task)
            elif task.study not in self._open:
                left.remove(task)
                if (one := self._begin(task)) and one.wants(None):
                    yield one

    def _begin(self, task: Task) -> Open | None:
        try:
            turn = Turn(task, self._scope, self._folder, self._count)
        except Exception as error:
            self._fail(task, explained(error))
            return None
        bar: tqdm[None] = tqdm(total=len(turn.left), desc=turn.name, leave=False, disable=None)
        one = self._open[turn.name] = Open(turn, bar)
        if not turn.left:
            self._settle()
        return one

    def _hear(self, pipe: Connection, one: Open) -> bool:
        """Take in what a process says; returns whether it goes on with what it has."""
        try:
            said: tuple[Trial, Outcome] | str = pipe.recv()
        except EOFError:
            one.failure = one.failure or f"its process ended with code {self._dismiss(pipe)}"
            return False
        if isinstance(said, str):
            one.failure = one.failure or said
            return False
        one.turn.add(*said)
        one.bar.update()
        return True

    def _settle(self) -> None:
        """End the turns that are over, or that time has run out for."""
        for name, one in list(self._open.items()):
            if one.over or (late(self._until) and not one.at_work):
                del self._open[name]
                one.bar.close()
                if one.failure:
                    one.turn.fail(one.failure)
                    self._fail(one.turn.task, one.failure)
                else:
                    say(one.turn.task, one.turn.end())

    def _fail(self, task: Task, reason: str) -> None:
        self._failures[task.study] = reason
        say(task, f"failed: {reason}")

    def _hire(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        scope = self._scope
        member = context.Process(target=_serve, args=(theirs, scope.profile, scope.data, self._folder, self._until))
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


def _serve(pipe: Connection, profile: str, data: Path | None, folder: Path, until: float | None) -> None:
    """Measure what comes through the pipe, and send every outcome as it is there."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def leave() -> None:
        parent.join()
        os._exit(1)  # nobody would hear of what is measured, and the next run must not meet this one

    threading.Thread(target=leave, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    scope, studies = Scope(profile, data, folder), dict[str, Study]()
    try:
        while part := pipe.recv():
            name, trials = part
            try:
                if name not in studies:
                    studies[name] = study(name)(scope)
                for trial in trials:
                    if late(until):
                        break
                    pipe.send((trial, studies[name].run(trial)))
                pipe.send(DONE)
            except Exception as error:
                pipe.send(explained(error) or repr(error))
    finally:
        scope.close()
