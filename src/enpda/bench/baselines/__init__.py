"""Other people's programs on the same pairs and labels, behind one interface: (a, b, seconds) -> Answer."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from types import TracebackType

import numpy as np
import numpy.typing as npt

from enpda.errors import InputError
from enpda.graph import Graph
from enpda.result import Match


@dataclass(frozen=True)
class Answer:
    """The number of shared edges, whether the program calls that proven, the seconds it took.

    `image` maps the first graph's nodes, -1 for none, where a program says which; `failure` says why there is no
    answer; `match` is our own method's.
    """

    size: int
    proven: bool
    seconds: float
    match: Match | None = None
    image: npt.NDArray[np.int32] | None = None
    failure: str = ""


Baseline = Callable[[Graph, Graph, float], Answer]

BASELINES = {"rascal": "RASCAL", "smsd": "SMSD 8"}
"""Module of this package -> the name people know."""


def shared_classes(a: Graph, b: Graph) -> tuple[dict[int, int], dict[int, int]]:
    """Give the node labels and the edge labels of two graphs numbers from 0, alike in both."""
    nodes = sorted({*a.labels.tolist(), *b.labels.tolist()})
    edges = sorted({*a.edge_labels.tolist(), *b.edge_labels.tolist()})
    return {label: k for k, label in enumerate(nodes)}, {label: k for k, label in enumerate(edges)}


class Worker:
    """A baseline, `module` or `module:function`, in a process of its own.

    What hangs is killed at `patience` times its limit and has failed.
    """

    def __init__(self, name: str, patience: float = 20.0) -> None:
        self._name, self._patience = name, patience
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._name, theirs), daemon=True)
        self._process.start()
        theirs.close()
        try:
            self._pipe.recv()  # imports are done: they do not count
        except EOFError:
            raise InputError(
                f"the baseline {self._name} does not start; is it installed? (`pip install {self._name}`)"
            ) from None

    def __call__(self, a: Graph, b: Graph, seconds: float) -> Answer:
        """Run the baseline once."""
        self._pipe.send((a, b, seconds))
        patience = self._patience * seconds
        try:
            if self._pipe.poll(patience):
                answer: Answer = self._pipe.recv()
                return answer
        except EOFError:  # it died
            patience = 0.0
        self.close()
        self._start()
        return Answer(0, False, patience)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _serve(name: str, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks
    module, _, function = name.partition(":")
    run: Baseline = getattr(import_module(f"enpda.bench.baselines.{module}"), function or "run")
    tiny = Graph([6, 6, 6], [(0, 1), (1, 2)], [1, 1])
    run(tiny, tiny, 1.0)
    pipe.send("ready")
    with suppress(EOFError, BrokenPipeError):  # whoever asked is gone
        while True:
            a, b, seconds = pipe.recv()
            pipe.send(run(a, b, seconds))
