"""Do the learned updates improve proposals? Five arms of four rounds and one projection, no search."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from enpda.bench.arms import ARMS, projection, trajectory
from enpda.bench.scope import NATIVE
from enpda.bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda.bench.tally import accuracies, difference, mean

ROWS = {
    "analytic": "Analytic",
    "trained without prices": "Retrained no-price",
    "full, prices off": "Full, prices removed",
    "analytic, no prices": "Analytic, no prices",
    "full": "ENPDA-Core",
}
CONTRASTS = {
    "full - analytic": ("full", "analytic"),
    "full - retrained no-price": ("full", "trained without prices"),
    "full - prices removed": ("full", "full, prices off"),
    "analytic - no prices": ("analytic", "analytic, no prices"),
}
SECONDS = {"analytic": "Analytic seconds/pair", "full": "Full seconds/pair"}


class TheStudy(Study):
    """Accuracy of each arm, the contrasts with intervals, and seconds per pair."""

    name = "causality"
    title = "Do the learned updates improve proposals?"
    shapes = (
        Shape(
            "core-causality",
            "Four rounds and one projection, no search: % of the optimum",
            lower=tuple(SECONDS.values()),
            plain=tuple(CONTRASTS),
            ours=("ENPDA-Core", "Full seconds/pair"),
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm on every pair; weights have seeds, analytic arms have one."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(3, None, None)):
                for arm in ROWS:
                    for seed in self.scope.seeds if ARMS[arm][0] else (0,):
                        yield Trial(arm, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """One trajectory, one projection."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        begin = time.perf_counter()
        found = projection(pair, *trajectory(pair, trial.arm, trial.seed))
        return Outcome(image=found.image, size=found.size, seconds=time.perf_counter() - begin)

    def cells(self, records: Records) -> list[Cell]:
        """Means, contrasts, seconds."""
        out = []
        for name in self.scope.native:
            column = NATIVE[name]
            percent = {arm: accuracies(self.scope, records, arm, name) for arm in ROWS}
            out += [mean("core-causality", row, column, percent[arm]) for arm, row in ROWS.items()]
            groups = self.scope.blocks(name, records.positions(name))
            for row, (one, other) in CONTRASTS.items():
                out.append(difference("core-causality", row, column, percent[one], percent[other], groups))
            for arm, row in SECONDS.items():
                seconds = np.array([r.outcome.seconds for r in records.pick(arm, name)])
                out.append(Cell("core-causality", row, column, float(seconds.mean())))
        return out
