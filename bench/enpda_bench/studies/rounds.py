"""How many rounds? Accuracy after one to eight of them, and where the time of four and of eight goes."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

import enpda
from enpda import _core
from enpda_bench.arms import ARMS, measured, weights
from enpda_bench.datasets import BenchPair
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Floats, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import accuracies, difference, in_any_order, mean

ROUNDS = (1, 2, 4, 8)
TIMED = (4, 8)
REPEATS = 2
COLUMNS = {
    ("analytic", "hungarian"): "Analytic",
    ("full", "hungarian"): "ENPDA",
    ("analytic", "growth"): "Analytic, grown",
    ("full", "growth"): "ENPDA, grown",
}
"""Arm and decoder -> column; the paper projects, our own decoder grows the mapping along preserved edges."""
TIMES = ("Build", "Trajectory", "Projection", "Total")


class RoundsStudy(Study):
    """Accuracy by rounds, and the time of building, rounds and projection."""

    name = "rounds"
    title = "How many rounds?"
    shapes = (
        Shape(
            "enpda-round-ablation",
            "One to eight rounds and one projection: % of the optimum",
            contrasts=("Difference",),
            ours=("ENPDA", "ENPDA, grown", "ENPDA, any order"),
        ),
        Shape("enpda-round-latency", "Where the time of a proposal goes: seconds", lower=TIMES, ours=TIMES, digits=5),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm, decoder and number of rounds on every pair; then the timed runs."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(2, None, None)):
                for arm, decoder in COLUMNS:
                    for seed in self.scope.seeds if ARMS[arm][0] else (0,):
                        for rounds in ROUNDS:
                            yield Trial(_label(arm, decoder, rounds), name, pair, seed)
            for pair in self.scope.positions(name, self.scope.pick(2, 30, None)):
                for seed in self.scope.seeds:
                    yield Trial("timed", name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """One trajectory and one projection, or their times."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "timed":
            return Outcome(values=_times(pair, trial.seed))
        arm, decoder, rounds = trial.arm.split("/")
        return measured(pair, arm, trial.seed, int(rounds), decoder)

    def cells(self, records: Records) -> list[Cell]:
        """Means and contrasts by rounds; mean times."""
        out = []
        for name in self.scope.native:
            percent = {
                (*key, rounds): accuracies(self.scope, records, _label(*key, rounds), name)
                for key in COLUMNS
                for rounds in ROUNDS
            }
            groups = self.scope.blocks(name, records.positions(name))

            def gain(row: str, one: Floats, other: Floats, groups: list[list[int]] = groups) -> Cell:
                return difference("enpda-round-ablation", row, "Difference", one, other, groups)

            for rounds in ROUNDS:
                row = _row(name, rounds)
                out.append(gain(row, percent["full", "hungarian", rounds], percent["analytic", "hungarian", rounds]))
                for key, column in COLUMNS.items():
                    out.append(mean("enpda-round-ablation", row, column, percent[(*key, rounds)]))
                for arm, column in {"analytic": "Analytic, any order", "full": "ENPDA, any order"}.items():
                    label = _label(arm, "hungarian", rounds)
                    out.append(in_any_order(self.scope, records, "enpda-round-ablation", label, name, row, column))
            few, many = (percent["full", "hungarian", rounds] for rounds in TIMED)
            out.append(gain(f"{NATIVE[name]}, 8-4", many, few))
            for rounds in TIMED:
                for column in TIMES:
                    seconds = records.grid("timed", name, lambda r, key=f"{column} {rounds}": r.outcome.values[key])  # type: ignore[misc]
                    out.append(mean("enpda-round-latency", _row(name, rounds), column, seconds, NOTES.get(column, "")))
        return out


NOTES = {
    "Build": "association lists and features, nothing cached",
    "Trajectory": "the rest of the rounds' call: the policy's initial part and its rounds",
    "Projection": "one Hungarian projection and the count; it builds the pair once more, which counts here",
}


def _label(arm: str, decoder: str, rounds: int) -> str:
    return f"{arm}/{decoder}/{rounds}"


def _row(name: str, rounds: int) -> str:
    return f"{NATIVE[name]}, {rounds} round{'s' if rounds > 1 else ''}"


def _times(pair: BenchPair, seed: int) -> dict[str, float]:
    """Mean seconds of each step by rounds, four and eight by turns; graphs are new each time, so nothing is cached."""
    policy = weights("full", seed)
    spent: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        for rounds in TIMED:
            (c, d), (a, b) = _fresh(pair), _fresh(pair)
            marks = [time.perf_counter()]
            _core.run_rounds(c, d, 0)
            marks.append(time.perf_counter())
            state = _core.run_rounds(a, b, rounds, policy=policy)
            marks.append(time.perf_counter())
            _core.decode([(a, b)], state.bids.ravel(), state.unmatched_logit, _core.Decoder.hungarian)
            marks.append(time.perf_counter())
            build, rounds_and_build, projection = np.diff(marks).tolist()
            parts = (build, rounds_and_build - build, projection, rounds_and_build + projection)
            for column, seconds in zip(TIMES, parts, strict=True):
                spent.setdefault(f"{column} {rounds}", []).append(seconds)
    return {key: float(np.mean(values)) for key, values in spent.items()}


def _fresh(pair: BenchPair) -> tuple[_core.Graph, _core.Graph]:
    a, b = (enpda.Graph(g.labels, g.edges, g.edge_labels).core for g in (pair.a, pair.b))
    return (a, b) if _core.source_first(a, b) else (b, a)
