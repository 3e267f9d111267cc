"""How good are the mappings? Proposals, the paper's solver, our own methods and other programs on the fixed pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from enpda_bench import fits
from enpda_bench.arms import ARMS, measured
from enpda_bench.baselines import PEERS
from enpda_bench.outcomes import asked, matched
from enpda_bench.portfolio import LONG, analytic_solver, nominal_solver, solver
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import (
    accuracies,
    completed,
    difference,
    failures,
    mean,
    pooled,
    pooled_blocks,
    possible,
    unmeasured,
)

TABLE, LITERATURE, NOMINAL = "native-accuracy", "literature-accuracy", "enpda-rascal-cap60"

EVERYWHERE = {
    "analytic": "Analytic Core",
    "full": "ENPDA-Core",
    "plus": "paper-plus Core",
    "analytic solver": "Analytic Solver",
    "paper solver": "ENPDA-Solver",
    "long solver": "ENPDA-Solver, annealing x 4",
    "fast": "fast",
    "auto": "auto",
    "exact": "exact",
}
"""Our arms, on every pair."""
SEEDED = ("full", "plus", "paper solver", "long solver", "nominal")
AT_LIMIT = {"rascal": "RASCAL", "nominal": "ENPDA"}
"""Arms with the paper's nominal limit."""
OTHERS = (
    *("smsd", "fmcs:labels", "mcsplit", "myopic", "ga", "rrwm", "rrwm:ipfp", "rrwm:ngm"),
    *("highs", "highs:mccormick", "sinkhorn", "sinkhorn:gumbel"),
)
REPORTED = {"rascal": "RASCAL", "fmcs:labels": "FMCS", "mcsplit": "McSplit", "ga": "GA", fits.THREE: "NGA"}
"""What of the NGA study's list runs here, by its names there."""
NOT_RUN = {
    "GLSearch": "its code and trained weights are in no package index",
    "NGM": f"its trained weights are a download; without them see '{PEERS['rrwm:ngm']}' in {TABLE}",
    "GANN-GM": "its network is in no package index; pygmtools has its graduated assignment of many graphs only",
    "Gurobi": f"a commercial licence; the same programmes by HiGHS are in {TABLE}",
}


class NativeStudy(Study):
    """Accuracy of every method, the nominal limit of 60 s with realised times, and what the literature reports."""

    name = "native"
    title = "How good are the mappings?"
    shapes = (
        Shape(TABLE, "% of the optimum", ours=(*EVERYWHERE.values(), "ENPDA")),
        Shape(
            LITERATURE,
            "% of the optimum, beside what the NGA study reports on its own pairs",
            theirs=tuple(NATIVE.values()),
        ),
        Shape(
            NOMINAL,
            "The same limit for RASCAL and ENPDA: % of the optimum, and seconds",
            lower=("Mean seconds, RASCAL", "Mean seconds, ENPDA", "Mean seconds, exact"),
            contrasts=("Difference", "exact - RASCAL"),
            ours=("ENPDA", "exact", "Mean seconds, ENPDA", "Mean seconds, exact"),
        ),
    )

    @property
    def limit(self) -> float:
        """Seconds of RASCAL, ENPDA, `auto`, `exact` and the other programs; 60 in the paper."""
        return self.scope.pick(0.2, 2.0, 60.0)

    def trials(self) -> Iterable[Trial]:
        """Our arms on every pair; arms with long limits and other programs on some."""
        for name in self.scope.native:
            some = set(self.scope.positions(name, self.scope.pick(1, 20, None))) if name in self.scope.slow else set()
            for pair in self.scope.positions(name, self.scope.pick(1, None, None)):
                others = [*AT_LIMIT, *OTHERS] if pair in some else []
                for arm in [*EVERYWHERE, *others]:
                    for seed in self.scope.seeds if arm in SEEDED else (0,):
                        yield Trial(arm, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """Run one method once."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        arm, seed = trial.arm, trial.seed
        if arm in ARMS:
            return measured(pair, arm, seed)
        if arm in ("fast", "auto", "exact"):
            return matched(pair, arm, self.limit)  # type: ignore[arg-type]
        if arm == "analytic solver":
            return analytic_solver(pair, seconds=self.limit)
        if arm == "paper solver":
            return solver(pair, seed, self.limit)
        if arm == "long solver":
            return solver(pair, seed, self.limit, budget=LONG)
        if arm == "nominal":
            return nominal_solver(pair, seed, self.limit, seed + fits.PAIR_SEED * trial.pair)
        return asked(self.scope, arm, pair, self.limit)

    def cells(self, records: Records) -> list[Cell]:
        """All three tables; the fits of NGA are those of the study of that name."""
        records = Records([*records, *fits.taken(self.scope)])
        out = []
        for name in self.scope.native:
            for arm, row in {
                **EVERYWHERE,
                **AT_LIMIT,
                fits.THREE: "NGA",
                **{arm: PEERS[arm] for arm in OTHERS},
            }.items():
                out.append(self._accuracy(TABLE, row, arm, name, records))
            for arm, row in REPORTED.items():
                out.append(self._accuracy(LITERATURE, row, arm, name, records))
            for row, why in NOT_RUN.items():
                note = f"reported by the NGA study; not run here: {why}"
                out.append(Cell(LITERATURE, row, NATIVE[name], note=note))
            out += self._nominal(NATIVE[name], [name], records)
        out += self._nominal("All", self.scope.native, records)
        return completed(self.scope, self.shapes, out)

    def _accuracy(self, table: str, row: str, arm: str, name: str, records: Records) -> Cell:
        mine = records.pick(arm, name)
        if not mine:
            why = fits.said(mine) if arm == fits.THREE else unmeasured(self.scope)
            return Cell(table, row, NATIVE[name], note=why)
        if all(r.outcome.size is None for r in mine):
            return Cell(table, row, NATIVE[name], note=failures(mine))
        pairs, total = len({r.trial.pair for r in mine}), len(self.scope.pairs(name))
        notes = [f"{pairs} of {total} pairs"] if pairs < total else []
        if arm in (fits.THREE, *AT_LIMIT, *OTHERS):
            notes.append(fits.said(mine) if arm == fits.THREE else f"limit {self.limit:g} s")
            notes.append(f"mean {np.mean([r.outcome.seconds for r in mine]):.2g} s")
        notes += [failures(mine)] if failures(mine) else []
        return mean(table, row, NATIVE[name], accuracies(self.scope, records, arm, name), "; ".join(notes))

    def _nominal(self, row: str, names: Sequence[str], records: Records) -> list[Cell]:
        """Compare on the pairs that RASCAL had."""
        had = {name: set(records.pick("rascal", name).positions(name)) for name in names}
        names = [name for name in names if had[name]]
        if not names:
            return []
        shared = Records(r for r in records if r.trial.pair in had.get(r.trial.set, ()))
        arms = {**AT_LIMIT, "exact": "exact"}
        percent = {arm: pooled(self.scope, shared, arm, names) for arm in arms}
        groups, most = pooled_blocks(self.scope, shared, names), possible(self.scope, shared, names)
        note = f"limit {self.limit:g} s, {percent['rascal'].shape[1]} pairs"
        out = [
            difference(NOMINAL, row, "Difference", percent["nominal"], percent["rascal"], groups, note, most),
            difference(NOMINAL, row, "exact - RASCAL", percent["exact"], percent["rascal"], groups, note, most),
        ]
        for arm, column in arms.items():
            seconds = np.array([r.outcome.seconds for name in names for r in shared.pick(arm, name)])
            out.append(Cell(NOMINAL, row, f"Mean seconds, {column}", float(seconds.mean()), note=note))
            out.append(mean(NOMINAL, row, column, percent[arm], note))
        return out
