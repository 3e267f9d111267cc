"""Baselines in a process of their own: programs hang, crash, or are not installed, and a study must go on."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from enpda.errors import InputError
from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, Baseline
from enpda_bench.needs import needed


class Workshop:
    """One process that runs any baseline, `module` or `module:function`, loaded when it is first asked for.

    What hangs is killed at `patience` times its limit, or ten minutes after it, but never before `LEAST` seconds, and
    has failed.
    """

    LEAST, MOST = 10.0, 600.0

    def __init__(self, patience: float = 20.0) -> None:
        self._patience = patience
        self._failed: dict[str, str] = {}
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _one_thread():
            self._process.start()
        theirs.close()
        self._loaded: set[str] = set()

    def _restart(self) -> None:
        self.close()
        self._start()

    def load(self, name: str) -> str:
        """Import a baseline and run it once, so that this does not count; return why it cannot run, if so."""
        if name not in self._loaded and name not in self._failed:
            self._pipe.send(name)
            try:
                reason: str = self._pipe.recv()
            except EOFError:
                reason = "its process ended while it was loaded"
                self._restart()
            if reason:
                self._failed[name] = reason
            else:
                self._loaded.add(name)
        return self._failed.get(name, "")

    def ask(self, name: str, a: Graph, b: Graph, seconds: float, **more: Any) -> Answer:
        """Run a baseline once; `more` is for those that have a `seed`."""
        if reason := self.load(name):
            return Answer(0, False, 0.0, failure=reason)
        self._pipe.send((name, a, b, seconds, more))
        patience = max(min(self._patience * seconds, seconds + self.MOST), self.LEAST)
        try:
            if self._pipe.poll(patience):
                answer: Answer = self._pipe.recv()
                return answer
            reason = f"still running after {patience:g} s with a limit of {seconds:g} s; killed"
        except EOFError:
            patience, reason = 0.0, "its process died"
        self._restart()
        return Answer(0, False, patience, failure=reason)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


class Worker:
    """One baseline, in a workshop of its own unless one is given. It must be installed."""

    def __init__(self, name: str, patience: float = 20.0, shop: Workshop | None = None) -> None:
        self._name, self._own = name, shop is None
        self._shop = shop or Workshop(patience)
        if reason := self._shop.load(name):
            self.close()
            raise InputError(f"the baseline {name} does not start: {reason}")

    def __call__(self, a: Graph, b: Graph, seconds: float, **more: Any) -> Answer:
        """Run the baseline once."""
        return self._shop.ask(self._name, a, b, seconds, **more)

    def close(self) -> None:
        """End the process."""
        if self._own:
            self._shop.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that start meanwhile have linear algebra on one thread, like everything that they are beside."""
    before = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _serve(pipe: Connection) -> None:
    """Answer until the pipe closes: a name loads a baseline, a tuple runs one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks
    known: dict[str, Any] = {}
    while True:
        try:
            wish = pipe.recv()
        except EOFError:  # whoever asked is gone
            return
        if isinstance(wish, str):
            try:
                known[wish] = _loaded(wish)
                pipe.send("")
            except Exception as error:
                pipe.send(_reason(error))
            continue
        name, a, b, seconds, more = wish
        try:
            pipe.send(known[name](a, b, seconds, **more))
        except Exception as error:
            pipe.send(Answer(0, False, 0.0, failure=_reason(error)))


def _loaded(name: str) -> Baseline:
    module, _, function = name.partition(":")
    run: Baseline = getattr(import_module(f"enpda_bench.baselines.{module}"), function or "run")
    tiny = Graph([6, 6, 6], [(0, 1), (1, 2)], [1, 1])
    run(tiny, tiny, 0.05)
    return run


def _reason(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return needed(error)
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
