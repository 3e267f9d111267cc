"""Do the learned updates improve proposals? Five arms of four rounds and one projection, no search."""

from __future__ import annotations

from collections.abc import Iterable

from enpda_bench.arms import measured, trials_of
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import by_set, mean

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


class CausalityStudy(Study):
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
