"""Does one projection do as well as rounds with prices? Sinkhorn controls with weights of their own."""

from __future__ import annotations

import time
from collections.abc import Iterable

from enpda import _core
from enpda_bench.arms import measured
from enpda_bench.needs import without_torch
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import absent, by_set, mean, missing

ROWS = {"sinkhorn": "Sinkhorn", "gumbel": "Gumbel-Sinkhorn (10)", "full": "ENPDA-Core"}
CONTRASTS = {"Full - Sinkhorn": ("full", "sinkhorn"), "Full - Gumbel-Sinkhorn": ("full", "gumbel")}
SECONDS = {"sinkhorn": "Sinkhorn time (s)", "gumbel": "Gumbel time (s)", "full": "Core time (s)"}


class SinkhornStudy(Study):
    """Accuracy of the trained controls beside four rounds, contrasts, and seconds per pair."""

    name = "sinkhorn"
    title = "Does one projection do as well as rounds?"
    shapes = (
        Shape(
            "train-once-sinkhorn",
            "Controls trained on the same pairs and teacher, no search: % of the optimum",
            lower=tuple(SECONDS.values()),
            contrasts=tuple(CONTRASTS),
            ours=("ENPDA-Core", "ENPDA-Core, any order", "Core time (s)"),
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm on every pair, all with seeds."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(3, None, None)):
                for seed in self.scope.seeds:
                    for arm in ROWS:
                        yield Trial(arm, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """One projection of four rounds, one of the control's logits, or ten noisy ones."""
        if trial.arm != "full" and (why := without_torch()):
            return Outcome(status=why)
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "full":
            return measured(pair, trial.arm, trial.seed)
        from enpda_bench.controls import gumbel, network, sinkhorn, sinkhorn_in_any_order

        network(trial.seed)
        begin = time.perf_counter()
        noisy = trial.arm == "gumbel"
        image = gumbel(pair.a, pair.b, trial.seed, trial.pair) if noisy else sinkhorn(pair.a, pair.b, trial.seed)
        size, _ = _core.check(pair.a.core, pair.b.core, image)
        seconds = time.perf_counter() - begin
        values = {} if noisy else sinkhorn_in_any_order(pair.a, pair.b, trial.seed)
        return Outcome(image=image, size=size, seconds=seconds, values=values)

    def cells(self, records: Records) -> list[Cell]:
        """Means, contrasts, seconds."""
        out = by_set(self.scope, records, "train-once-sinkhorn", ROWS, CONTRASTS, any_order=("sinkhorn", "full"))
        for name in self.scope.native:
            for arm, row in SECONDS.items():
                if why := absent(records.pick(arm, name)):
                    out += missing("train-once-sinkhorn", row, [NATIVE[name]], why)
                    continue
                seconds = records.grid(arm, name, lambda r: r.outcome.seconds)
                note = "the compiled core" if arm == "full" else "PyTorch, one thread"
                out.append(mean("train-once-sinkhorn", row, NATIVE[name], seconds, note))
        return out
