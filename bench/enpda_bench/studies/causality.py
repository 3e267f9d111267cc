"""Do the learned updates improve proposals? Five arms of four rounds and one projection, no search."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from enpda.view.plots import lines
from enpda_bench.arms import measured, trials_of
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import accuracies, by_set, mean

ROWS = {
    "analytic": "Analytic",
    "trained without prices": "Retrained no-price",
    "full, prices off": "Full, prices removed",
    "analytic, no prices": "Analytic, no prices",
    "full": "ENPDA-Core",
    "plus": "paper-plus",
}
CONTRASTS = {
    "full - analytic": ("full", "analytic"),
    "full - retrained no-price": ("full", "trained without prices"),
    "full - prices removed": ("full", "full, prices off"),
    "analytic - no prices": ("analytic", "analytic, no prices"),
}
SECONDS = {"analytic": "Analytic seconds/pair", "full": "Full seconds/pair"}


class CausalityStudy(Study):
    """Accuracy of each arm, the contrasts with intervals, and seconds per pair."""

    name = "causality"
    title = "Do the learned updates improve proposals?"
    shapes = (
        Shape(
            "core-causality",
            "Four rounds and one projection, no search: % of the optimum",
            lower=tuple(SECONDS.values()),
            plain=("analytic - no prices",),
            contrasts=tuple(CONTRASTS)[:3],
            ours=("ENPDA-Core", "ENPDA-Core, any order", "paper-plus", "paper-plus, any order", "Full seconds/pair"),
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm on every pair."""
        return trials_of(self.scope, ROWS, self.scope.pick(3, None, None))

    def run(self, trial: Trial) -> Outcome:
        """One trajectory, one projection."""
        return measured(self.scope.pairs(trial.set)[trial.pair], trial.arm, trial.seed)

    def cells(self, records: Records) -> list[Cell]:
        """Means, contrasts, seconds."""
        out = by_set(self.scope, records, "core-causality", ROWS, CONTRASTS)
        for name in self.scope.native:
            for arm, row in SECONDS.items():
                seconds = records.grid(arm, name, lambda r: r.outcome.seconds)
                out.append(mean("core-causality", row, NATIVE[name], seconds))
        return out

    def figures(self, records: Records) -> dict[str, str]:
        """Draw what learning gains on each pair, on average over the seeds, sorted; a curve a set."""
        curves = {}
        for name in self.scope.native:
            learned, plain = (accuracies(self.scope, records, arm, name).mean(0) for arm in ("full", "analytic"))
            gains = np.sort(learned - plain)
            share = 100.0 * np.arange(1, len(gains) + 1) / len(gains)
            curves[NATIVE[name]] = list(zip(share.tolist(), gains.tolist(), strict=True))
        title = "ENPDA-Core less analytic Core on each pair, points of the optimum"
        return {title: lines(curves, title, "% of pairs, sorted by gain")}
