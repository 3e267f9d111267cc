"""How many pairs does each exact program prove within a time? Ours beside RASCAL, SMSD and HiGHS."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from enpda.view.plots import cactus
from enpda_bench.outcomes import asked
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import absent, missing

TABLE = "cactus"
PROGRAMS = {"ours": "ENPDA exact", "rascal": "RASCAL", "smsd": "SMSD 8", "highs": "HiGHS, aggregated programme"}
WITHIN = (0.01, 0.1, 1.0)
COLUMNS = ("Pairs", "Proven", *(f"Proven in {t:g} s" for t in WITHIN), "Mean s", "Mistaken")


class CactusStudy(Study):
    """Every program in a process of its own, one after the other on the same pair."""

    name = "cactus"
    title = "Proofs within a time"
    shapes = (
        Shape(
            TABLE,
            "Test pairs that a program proves, one thread; mistaken: proven with fewer edges than are known",
            lower=("Mean s", "Mistaken"),
            plain=("Pairs",),
            ours=("ENPDA exact",),
        ),
    )

    @property
    def _sets(self) -> tuple[str, ...]:
        """Sets that take part; one is enough for a smoke test."""
        every = self.scope.native
        return self.scope.pick(every[-1:], every, every)

    @property
    def _limit(self) -> float:
        return self.scope.pick(1.0, 3.0, 60.0)

    def trials(self) -> Iterable[Trial]:
        """Every program on every pair."""
        for name in self._sets:
            for pair in self.scope.positions(name, self.scope.pick(1, 12, None)):
                for program in PROGRAMS:
                    yield Trial(program, name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Ask one program; nobody may prove less than what is known, or find more than can be."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        return asked(self.scope, trial.arm, pair, self._limit)

    def cells(self, records: Records) -> list[Cell]:
        """Count proofs."""
        out: list[Cell] = []
        for program, row in PROGRAMS.items():
            mine = [r for r in records if r.trial.arm == program]
            if why := absent(mine):
                out += missing(TABLE, row, COLUMNS, why)
                continue
            seconds = np.array([r.outcome.seconds for r in mine])
            proven = np.array([r.outcome.proven for r in mine])
            mistaken = sum(r.outcome.size is not None and bool(r.outcome.status) for r in mine)
            within = [int((proven & (seconds <= t)).sum()) for t in WITHIN]
            values = (len(mine), int(proven.sum()), *within, float(seconds.mean()), mistaken)
            note = f"{self._limit:g} s a pair"
            out += [Cell(TABLE, row, c, v, note=note) for c, v in zip(COLUMNS, values, strict=True)]
        return out

    def figures(self, records: Records) -> dict[str, str]:
        """Draw the cactus plot."""
        curves = {
            row: sorted(r.outcome.seconds for r in records if r.trial.arm == program and r.outcome.proven)
            for program, row in PROGRAMS.items()
        }
        return {"Proofs": cactus({row: times for row, times in curves.items() if times}, "Pairs proven within a time")}
