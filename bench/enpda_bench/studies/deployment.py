"""What does each way of deployment give, and cost? Proposals, the paper's Solver, NGA, and our own methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from enpda.problem.thresholds import similarity
from enpda_bench import fits
from enpda_bench.arms import measured
from enpda_bench.datasets import BenchPair, accuracy
from enpda_bench.outcomes import matched
from enpda_bench.portfolio import STREAMS, analytic_solver, solver
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Floats, Outcome, Record, Records, Shape, Study, Trial
from enpda_bench.tally import difference, mean, possible

CONTROLS, ERRORS, SELECTED = "native-controls", "native-mse", "enpda-stream-selection"
NAMES = {
    "analytic": "Analytic Core",
    "full": "ENPDA-Core",
    "analytic solver": "Analytic Solver",
    fits.THREE: "NGA, three fits",
    "solver": "ENPDA-Solver",
    "enpda solver": "enpda solver",
    "exact": "enpda exact",
}
"""Arm -> what its rows begin with; the last two are our own methods."""
SEEDED = ("full", "analytic solver", "solver")
CONTRASTS = {"Solver - analytic": ("solver", "analytic solver"), "Solver - NGA": ("solver", fits.THREE)}
SECONDS = tuple(f"{name} {what}" for name in NAMES.values() for what in ("mean s", "P95 s"))
JOHNSON = {
    fits.THREE: "NGA (paired)",
    "analytic solver": "Analytic Solver",
    "solver": "ENPDA-Solver",
    "enpda solver": "enpda solver",
    "exact": "enpda exact",
}
REPORTED = ("NeuroMatch", "SimGNN", "GMN", "XMCS", "INFMCS", "NGA (literature)")


class DeploymentStudy(Study):
    """Accuracy and time of each way; from the same runs the error of the similarity and the streams that won."""

    name = "deployment"
    title = "What does each way of deployment give, and cost?"
    shapes = (
        Shape(
            CONTROLS,
            "Proposals, Solver, NGA and our own methods: % of the optimum and seconds a pair",
            lower=SECONDS,
            plain=tuple(f"{row} (s)" for row in CONTRASTS),
            contrasts=tuple(f"{row} (pp)" for row in CONTRASTS),
            ours=tuple(
                f"{NAMES[arm]} {what}"
                for arm in ("full", "solver", "enpda solver", "exact")
                for what in ("accuracy", "mean s", "P95 s")
            ),
        ),
        Shape(
            ERRORS,
            "Mean squared error of the Johnson similarity, x 1e-3, against proven optima",
            lower=(*REPORTED, *JOHNSON.values()),
            ours=("ENPDA-Solver", "enpda solver", "enpda exact"),
            digits=3,
        ),
        Shape(
            SELECTED,
            "Which of the Solver's streams gave the answer, over all seeds; ties go to the first",
            plain=STREAMS,
            digits=0,
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every arm on every pair; the fits of NGA are those of the study of that name."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(3, None, None)):
                for arm in NAMES:
                    if arm != fits.THREE:
                        for seed in self.scope.seeds if arm in SEEDED else (0,):
                            yield Trial(arm, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """One proposal, one portfolio, or three fits."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm in ("analytic", "full"):
            return measured(pair, trial.arm, trial.seed)
        if trial.arm == "solver":
            return solver(pair, trial.seed)
        if trial.arm == "analytic solver":
            return analytic_solver(pair, trial.seed)
        limit = self.scope.pick(1.0, 10.0, 60.0)
        if trial.arm == "exact":
            return matched(pair, "exact", limit, seed=trial.seed, most_nodes=True)
        return matched(pair, "solver", limit, seed=trial.seed)

    def cells(self, records: Records) -> list[Cell]:
        """Fill all three tables."""
        mine = {(r.trial.set, r.trial.pair) for r in records}
        fitted = [r for r in fits.taken(self.scope) if (r.trial.set, r.trial.pair) in mine]
        records = Records([*records, *fitted])
        out = []
        for name in self.scope.native:
            out += self._controls(records, name)
            out += self._johnson(records, name)
            chosen = [int(r.outcome.values["stream"]) for r in records.pick("solver", name)]
            out += [Cell(SELECTED, NATIVE[name], stream, chosen.count(k)) for k, stream in enumerate(STREAMS)]
        return out

    def _controls(self, records: Records, name: str) -> list[Cell]:
        column, out = NATIVE[name], []
        for arm, label in NAMES.items():
            rows = [f"{label} {what}" for what in ("accuracy", "mean s", "P95 s")]
            mine = records.pick(arm, name)
            if failure := _failure(mine):
                out += [Cell(CONTROLS, row, column, note=failure) for row in rows]
                continue
            percent, seconds = self._percent(mine, name), np.array([r.outcome.seconds for r in mine])
            note = self._note(arm, mine)
            values = (float(percent.mean()), float(seconds.mean()), float(np.percentile(seconds, 95)))
            out += [Cell(CONTROLS, row, column, value, note=note) for row, value in zip(rows, values, strict=True)]
        for label, (one, other) in CONTRASTS.items():
            theirs = records.pick(other, name)
            ours = _on(records.pick(one, name), theirs)
            if failure := _failure(theirs):
                out += [Cell(CONTROLS, f"{label} ({unit})", column, note=failure) for unit in ("pp", "s")]
                continue
            groups = self.scope.blocks(name, theirs.positions(name))
            measures: dict[str, Callable[[Records], Floats]] = {
                "pp": lambda some: self._percent(some, name),
                "s": lambda some: some.grid(some[0].trial.arm, name, lambda r: r.outcome.seconds),
            }
            for unit, of in measures.items():
                row, note = f"{label} ({unit})", self._note(other, theirs)
                most = possible(self.scope, theirs, [name]) if unit == "pp" else None
                out.append(difference(CONTROLS, row, column, of(ours), of(theirs), groups, note, most))
        return out

    def _johnson(self, records: Records, name: str) -> list[Cell]:
        """Squared errors of the similarity.

        The truth is the similarity of the largest mapping of all arms, and among those with the proven optimal number
        of edges of the one with most nodes, which `exact` looks for here.
        """
        column = NATIVE[name]
        out = [Cell(ERRORS, row, column, note="reported elsewhere; not a program that we run") for row in REPORTED]
        truth: dict[int, tuple[int, int]] = {}
        for r in records:
            if r.trial.set == name and r.outcome.nodes is not None:
                truth[r.trial.pair] = max(truth.get(r.trial.pair, (0, 0)), (r.outcome.size or 0, r.outcome.nodes))
        missed = sum(size != self.scope.pairs(name)[pair].size for pair, (size, _) in truth.items())
        late = f"{missed} true values are below the optimum" if missed else ""
        for arm, row in JOHNSON.items():
            mine = records.pick(arm, name)
            if failure := _failure(mine):
                out.append(Cell(ERRORS, row, column, note=failure))
                continue
            errors = []
            for r in mine:
                pair = self._pair(r)
                found = (r.outcome.size or 0) + (r.outcome.nodes or 0)
                errors.append(similarity(found, pair.a, pair.b) - similarity(sum(truth[r.trial.pair]), pair.a, pair.b))
            out.append(mean(ERRORS, row, column, 1e3 * np.square(errors), self._note(arm, mine) or late))
        return out

    def _percent(self, mine: Records, name: str) -> Floats:
        return mine.grid(mine[0].trial.arm, name, lambda r: accuracy(self._pair(r), r.outcome.size or 0))

    def _pair(self, record: Record) -> BenchPair:
        return self.scope.pairs(record.trial.set)[record.trial.pair]

    def _note(self, arm: str, mine: Sequence[Record]) -> str:
        if arm != fits.THREE:
            return ""
        failed = sum(bool(r.outcome.status) for r in mine)
        return fits.said(mine) + (f", {failed} without an answer" if failed else "")


def _failure(mine: Sequence[Record]) -> str:
    """Why an arm has nothing to show, if so."""
    if not mine:
        return fits.said(mine)
    return mine[0].outcome.status if all(r.outcome.status for r in mine) else ""


def _on(ours: Records, theirs: Records) -> Records:
    """Keep what is about the same pairs."""
    pairs = {r.trial.pair for r in theirs}
    return Records(r for r in ours if r.trial.pair in pairs)
