"""What do the initial part, the dynamic part and the prices add? The same weights with parts switched off."""

from __future__ import annotations

from collections.abc import Iterable

from enpda_bench.arms import measured, trials_of
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import by_set

ROWS = {
    "analytic": "Analytic",
    "initial part only": "Initializer only",
    "dynamic part only": "Dynamics only",
    "full, prices off": "Full without prices",
    "full": "Full",
}
CONTRASTS = {
    "Initializer - analytic": ("initial part only", "analytic"),
    "Dynamics - analytic": ("dynamic part only", "analytic"),
    "No-price full - analytic": ("full, prices off", "analytic"),
    "Full - no-price full": ("full", "full, prices off"),
    "Full - initializer": ("full", "initial part only"),
    "Full - dynamics": ("full", "dynamic part only"),
}


class ComponentsStudy(Study):
    """Accuracy of each arm after four rounds and one projection, and the contrasts."""

    name = "components"
    title = "What do the parts of the policy add?"
    shapes = (
        Shape(
            "enpda-component-ablation",
            "Parts of the policy switched off, four rounds and one projection: % of the optimum",
            contrasts=tuple(CONTRASTS),
            ours=("Full", "Full, any order"),
        ),
        Shape(
            "components-transfer-main",
            "The same in the main text: % of the optimum",
            ours=("ENPDA (full)", "ENPDA (full), any order"),
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm on every pair."""
        return trials_of(self.scope, ROWS, self.scope.pick(3, None, None))

    def run(self, trial: Trial) -> Outcome:
        """One trajectory, one projection."""
        return measured(self.scope.pairs(trial.set)[trial.pair], trial.arm, trial.seed)

    def cells(self, records: Records) -> list[Cell]:
        """Means and contrasts, and the means once more as the main text names them."""
        main = {**ROWS, "full": "ENPDA (full)"}
        return [
            *by_set(self.scope, records, "enpda-component-ablation", ROWS, CONTRASTS),
            *by_set(self.scope, records, "components-transfer-main", main),
        ]
