"""Does a second run give the same? Every arm twice, in a new process, and with two threads."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import numpy.typing as npt

import enpda
from enpda import _core
from enpda_bench.arms import projection, trajectory, trials_of
from enpda_bench.datasets import BenchPair
from enpda_bench.portfolio import checkpoint
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import by_set

ROWS = {
    "analytic": "Analytic",
    "trained without prices": "Retrained no-price",
    "full, prices off": "Full, prices removed",
    "analytic, no prices": "Analytic, no prices",
    "full": "Full",
}
CONTRASTS = {
    "Full - analytic": ("full", "analytic"),
    "Full - retrained no-price": ("full", "trained without prices"),
    "Full - prices removed": ("full", "full, prices off"),
    "Analytic - no prices": ("analytic", "analytic, no prices"),
}
DIFFERING = {
    "states": "Differing states, second run",
    "maps": "Differing maps, second run",
    "process": "Differing states, new process",
    "threads": "Differing maps, two threads",
}
PARTS = ("bids", "soft", "unmatched_logit", "unmatched", "prices", "demand")
Arrays = list[npt.NDArray[np.float32]]


class RepeatStudy(Study):
    """The accuracies and contrasts of a second run, and how much differs from the first: nothing should."""

    name = "repeat"
    title = "Does a second run give the same?"
    shapes = (
        Shape(
            "deterministic-core",
            "Five arms, run again: % of the optimum, and the number of records that differ",
            lower=tuple(DIFFERING.values()),
            plain=("Analytic - no prices",),
            contrasts=tuple(CONTRASTS)[:3],
            ours=("Full", *DIFFERING.values()),
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm on every pair; then every set as a whole, in another process and by two threads."""
        yield from trials_of(self.scope, ROWS, self._count)
        for name in self.scope.native:
            for seed in self.scope.seeds:
                yield Trial("process", name, 0, seed)
                yield Trial("threads", name, 0, seed)

    @property
    def _count(self) -> int | None:
        return self.scope.pick(3, None, None)

    def run(self, trial: Trial) -> Outcome:
        """Run an arm twice and compare, or compare a whole set."""
        pairs = self.scope.pairs(trial.set)
        some = [pairs[k] for k in self.scope.positions(trial.set, self._count)]
        if trial.arm == "process":
            return Outcome(values={"process": _other_process(some, trial.seed)})
        if trial.arm == "threads":
            return Outcome(values={"threads": _two_threads(some, trial.seed)})
        pair = pairs[trial.pair]
        (first, turned), (second, _) = (trajectory(pair, trial.arm, trial.seed) for _ in range(2))
        before, after = (projection(pair, state, turned) for state in (first, second))
        return Outcome(
            image=after.image,
            size=after.size,
            values={
                "states": not _same(_arrays(first), _arrays(second)),
                "maps": not np.array_equal(np.asarray(before.image), np.asarray(after.image)),
            },
        )

    def cells(self, records: Records) -> list[Cell]:
        """Means and contrasts of the second run, and counts of what differs."""
        arms = Records(r for r in records if r.trial.arm in ROWS)
        out = by_set(self.scope, arms, "deterministic-core", ROWS, CONTRASTS, any_order=())
        for name in self.scope.native:
            for key, row in DIFFERING.items():
                values = [r.outcome.values[key] for r in records if r.trial.set == name and key in r.outcome.values]
                note = NOTES.get(key, f"of {len(values)}; kernels follow the processor and cannot be chosen")
                out.append(Cell("deterministic-core", row, NATIVE[name], sum(values), note=note))
        return out


NOTES = {"process": "the arm Full, every pair and seed", "threads": "the arm Full by match_many, every pair and seed"}


def _arrays(state: _core.State) -> Arrays:
    return [getattr(state, part) for part in PARTS]


def _same(one: Arrays, other: Arrays) -> bool:
    """Bit for bit."""
    return all(x.tobytes() == y.tobytes() for x, y in zip(one, other, strict=True))


def _states(pairs: list[BenchPair], seed: int) -> list[Arrays]:
    return [_arrays(trajectory(p, "full", seed)[0]) for p in pairs]


def _other_process(pairs: list[BenchPair], seed: int) -> int:
    """Count the states that a fresh process computes differently."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        theirs = other.submit(_states, pairs, seed).result()
    return sum(not _same(*both) for both in zip(_states(pairs, seed), theirs, strict=True))


def _two_threads(pairs: list[BenchPair], seed: int) -> int:
    """Count the mappings that depend on the number of threads."""
    both = [(p.a, p.b) for p in pairs]
    one, two = (
        enpda.match_many(both, "core", None, policy=checkpoint(seed), decoder="hungarian", threads=threads)
        for threads in (1, 2)
    )
    return sum(x.index_mapping != y.index_mapping for x, y in zip(one, two, strict=True))
