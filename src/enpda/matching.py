"""`match`: two graphs in, one checked `Match` out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from enpda import _core
from enpda.budget import PRESETS, Budget, Decoder, choice, whole
from enpda.errors import InputError, brief
from enpda.graph import as_graph
from enpda.result import CAPS, Improvement, Match

Method = Literal["auto", "analytic", "fast", "solver", "paper-fast", "paper-solver"]

MAX_ROUNDS = 10_000
MAX_SAMPLES = 100_000
MAX_THREADS = 1_024
AUTO_SOLVER_CELLS = 10_000
"""Up to this many cells (100 x 100 nodes) `auto` is `solver`; beyond, where that takes seconds, it is `fast`."""


@dataclass(frozen=True)
class Options:
    """Everything `match` can be told, validated in one place; see `match` for the meaning."""

    method: Method = "auto"
    time_limit: float | None = 10.0
    seed: int = 0
    rounds: int = 4
    decoder: Decoder | None = None
    samples: int | None = None
    budget: Budget | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        choice("method", self.method, get_args(Method))
        whole("rounds", self.rounds, 0, MAX_ROUNDS)
        whole("seed", self.seed, 0, 2**64 - 1)
        whole("threads", self.threads, 1, MAX_THREADS)
        if self.decoder is not None:
            choice("decoder", self.decoder, get_args(Decoder))
        if self.samples is not None:
            whole("samples", self.samples, 1, MAX_SAMPLES)
        if self.budget is not None and not isinstance(self.budget, Budget):
            raise InputError(f"budget must be an enpda.Budget; got {brief(self.budget)}")
        limit = self.time_limit
        if limit is not None and (
            isinstance(limit, bool) or not isinstance(limit, (int, float, np.number)) or not limit > 0
        ):
            raise InputError(f"time_limit must be seconds above 0, or None for no limit; got {brief(limit)}")

    def preset(self, cells: int) -> str:
        """Return the preset that the method stands for on a pair of so many cells."""
        if self.method != "auto":
            return self.method
        return "solver" if cells <= AUTO_SOLVER_CELLS else "fast"

    def resolved(self, preset: str) -> Budget:
        """Return the preset's budget, or the caller's, with the caller's decoder and number of samples."""
        budget = self.budget or PRESETS[preset]
        if self.samples is not None:
            budget = budget.with_streams(self.samples)
        return budget if self.decoder is None else replace(budget, decoder=self.decoder)


def match(
    a: Any,
    b: Any,
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    *,
    rounds: int = 4,
    decoder: Decoder | None = None,
    samples: int | None = None,
    budget: Budget | None = None,
    threads: int = 1,
    trace: bool = False,
    on_improve: Callable[[Improvement], object] | None = None,
) -> Match:
    """Find the edges that two graphs share.

    Parameters
    ----------
    a, b : Graph, str, rdkit Mol or networkx.Graph
        A string is a SMILES.
    method : {"auto", "analytic", "fast", "solver", "paper-fast", "paper-solver"}
        `analytic`: primal-dual rounds without a learned policy and one decode, well under a millisecond. `fast` and
        `solver` search on from there, for about 4 ms and about 0.4 s of work on drug-sized pairs; both stop as soon
        as a bound proves the mapping optimal. `paper-fast` and `paper-solver` spend the paper's budgets. `auto` (the
        default) is `solver` up to 100 x 100 nodes and `fast` beyond.
    time_limit : float, optional
        Seconds for everything, set-up included (default 10); None for no limit. A call that is cut short returns
        the best mapping and bound so far with status `time_limit`, and after Ctrl-C with status `interrupted`.
    seed : int
        Seed of all randomness: same build, input, options and seed give the same answer, for any number of threads.
    rounds : int
        Primal-dual rounds (default 4).
    decoder : {"growth", "hungarian"}, optional
        How bids become a first mapping: grown along preserved edges, or by the paper's one projection. Default:
        the method's own, which is `growth` except for the paper's presets.
    samples : int, optional
        Proposals (streams), all but the first with Gumbel noise on their bids. Default: the method's own.
    budget : Budget, optional
        What to spend instead of the method's preset.
    threads : int
        Threads that share the streams (default 1).
    trace : bool
        Whether the result records every improvement in `Match.trace`.
    on_improve : callable, optional
        Called with each `Improvement` while the search runs; an exception from it ends the search and is raised.

    Returns
    -------
    Match

    Raises
    ------
    InputError
        When a graph or an option cannot be used.

    Examples
    --------
    >>> import enpda
    >>> m = enpda.match("CCO", "CCN")
    >>> m.size, m.mapping
    (1, {0: 0, 1: 1})
    """
    begin = time.perf_counter()
    options = Options(method, time_limit, seed, rounds, decoder, samples, budget, threads)
    if on_improve is not None and not callable(on_improve):
        raise InputError(f"on_improve must be callable; got {brief(on_improve)}")
    left, right = as_graph(a), as_graph(b)
    preset = options.preset(len(left) * len(right))
    listener = None
    if on_improve is not None:

        def listener(seconds: float, size: int, operator: _core.Operator, stream: int) -> None:
            on_improve(Improvement(seconds, size, operator.name, stream))

    converted = time.perf_counter() - begin  # reading a SMILES counts, too
    found = _core.search(
        left.core,
        right.core,
        options.resolved(preset).options(int(rounds), int(seed), int(threads)),
        -1.0 if time_limit is None else max(float(time_limit) - converted, 0.0),
        listener,
    )
    image = found.image
    rows = np.flatnonzero(image >= 0)
    caps = zip(CAPS, found.caps, strict=True)
    return Match(
        left,
        right,
        dict(zip(rows.tolist(), image[rows].tolist(), strict=True)),
        bounds={name: cap for name, cap in caps if cap >= 0},
        method=preset,
        seconds=converted + found.seconds,
        seed=int(seed),
        stopped="interrupted" if found.interrupted else "time_limit" if found.time_limit else None,
        prices=found.prices,
        trace=[Improvement(seconds, size, operator.name, stream) for seconds, size, operator, stream in found.trace]
        if trace
        else (),
    )
