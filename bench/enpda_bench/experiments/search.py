"""The frontier: what each amount of search is worth, with other programs on the same pairs and labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from tqdm import tqdm

import enpda
from enpda.checks import choice
from enpda.solve.budget import PRESETS
from enpda.solve.options import Method
from enpda.view.table import Table
from enpda_bench import Settings, datasets
from enpda_bench.baselines import BASELINES, Worker
from enpda_bench.datasets import BenchPair

BUDGETS = {"1 ms": 1e-3, "10 ms": 1e-2, "100 ms": 1e-1, "1 s": 1.0}
PEER_LIMIT = 10.0

Run = Callable[[BenchPair], tuple[int, bool, float]]
"""Size, whether proven, seconds."""


def run(settings: Settings) -> list[Table]:
    """Mean % of the optimum, optima reached and proven, mean and p99 milliseconds, per method and dataset."""
    sets = datasets.pair_sets(settings)
    tables = [
        Table(
            f"search on {len(pairs)} pairs of {name}, one thread",
            ["method", "%", "optima", "proven", "mean ms", "p99 ms", "max ms"],
        )
        for name, pairs in sets.items()
    ]
    ours = _ours()
    if settings.only is not None:
        choice("only", settings.only, tuple(ours))
        ours = {settings.only: ours[settings.only]}
    for label, method in ours.items():
        for table, pairs in zip(tables, sets.values(), strict=True):
            table.rows.append(_row(label, pairs, method))
    for module, label in BASELINES.items() if settings.peers and settings.only is None else ():
        with Worker(module) as worker:
            for table, pairs in zip(tables, sets.values(), strict=True):

                def peer(p: BenchPair, worker: Worker = worker) -> tuple[int, bool, float]:
                    answer = worker(p.a, p.b, PEER_LIMIT)
                    return answer.size, answer.proven, answer.seconds

                table.rows.append(_row(f"{label}, {PEER_LIMIT:g} s", pairs, peer))
    for table in tables:
        table.notes.append(
            "'10 ms': that much search after one proposal. Optima: pairs whose best known size was reached; proven: "
            "by the cheap caps (ours) or by the program itself."
        )
    return tables


def _ours() -> dict[str, Run]:
    # More restarts than the preset's, so that the clock and nothing else ends a timed run.
    patient = replace(PRESETS["solver"], discrete=200)

    def preset(method: Method) -> Run:
        return lambda p: _checked(p, enpda.match(p.a, p.b, method))

    def timed(seconds: float) -> Run:
        def run_timed(p: BenchPair) -> tuple[int, bool, float]:
            proposal = enpda.match(p.a, p.b, "analytic")
            limit = proposal.seconds + seconds
            return _checked(p, enpda.match(p.a, p.b, "solver", time_limit=limit, budget=patient))

        return run_timed

    methods: dict[str, Run] = {"analytic": preset("analytic")}
    methods |= {label: timed(seconds) for label, seconds in BUDGETS.items()}
    return methods | {name: preset(name) for name in ("fast", "solver", "paper-fast", "paper-solver")}


def _checked(pair: BenchPair, found: enpda.Match) -> tuple[int, bool, float]:
    datasets.check(pair, found)
    return found.size, found.optimal, found.seconds


def _row(label: str, pairs: list[BenchPair], method: Run) -> list[object]:
    results = [method(p) for p in tqdm(pairs, desc=label, leave=False, disable=None)]
    sizes, proven, seconds = zip(*results, strict=True)
    accuracy = np.mean([datasets.accuracy(p, size) for p, size in zip(pairs, sizes, strict=True)])
    reached = sum(size >= p.size for p, size in zip(pairs, sizes, strict=True))
    ms = 1e3 * np.array(seconds)
    return [
        label,
        float(accuracy),
        reached,
        sum(proven),
        float(ms.mean()),
        float(np.quantile(ms, 0.99)),
        float(ms.max()),
    ]
