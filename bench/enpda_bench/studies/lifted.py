"""How far does an integer programme get? HiGHS on the lifted programmes, 25 fixed pairs a set, beside RLT-1."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

import enpda
from enpda import _core
from enpda.result.proof import MANY
from enpda.solve.lifted import lifted
from enpda_bench.arms import oriented
from enpda_bench.bounds import closed, gap
from enpda_bench.portfolio import solver
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Record, Records, Shape, Study, Trial
from enpda_bench.tally import completed, missing

TABLE = "long-certificate-enpda"
BUDGETS = (10, 300, 1800)
COLUMNS = ("Pairs", "Closed", "Closed %", "Median gap", "Mean gap", "Mean s")
LP, RLT = "Aggregated LP", "RLT-1"


class LiftedStudy(Study):
    """Bounds against the mapping of the paper's Solver, seed 0; better mappings that HiGHS finds do not count."""

    name = "lifted"
    title = "Lifted programmes"
    shapes = (
        Shape(
            TABLE,
            "McCormick programme by HiGHS, best bound so far; below it the aggregated LP and RLT-1: gap in %",
            lower=("Median gap", "Mean gap", "Mean s"),
            plain=("Pairs", "Closed"),
            ours=tuple(
                f"{label}, {column}"
                for label in (*(f"{budget} s" for budget in BUDGETS), LP, RLT)
                for column in (*NATIVE.values(), "All")
            ),
        ),
    )

    @property
    def _sets(self) -> tuple[str, ...]:
        """Sets that take part; one is enough for a smoke test."""
        every = self.scope.native
        return self.scope.pick(every[-1:], every, every)

    @property
    def _budgets(self) -> tuple[int, ...]:
        return self.scope.pick((1,), BUDGETS[:1], BUDGETS)

    def trials(self) -> Iterable[Trial]:
        """Incumbent, cheap bounds, then the integer programme at each budget."""
        for name in self._sets:
            for pair in self.scope.positions(name, self.scope.pick(1, 6, 25)):
                for arm in ("incumbent", RLT, LP):
                    yield Trial(arm, name, pair)
        for budget in self._budgets:
            for name in self._sets:
                for pair in self.scope.positions(name, self.scope.pick(1, 6, 25)):
                    yield Trial(f"{budget} s", name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Bound one pair."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "incumbent":
            return solver(pair, 0)
        begin = time.perf_counter()
        if trial.arm == RLT:
            known = enpda.match(pair.a, pair.b, "fast").size
            rlt, tree = _core.RltOptions(), _core.BranchOptions()
            value = float(_core.prove(*oriented(pair), known, rlt, MANY, tree, 0, 60.0).upper)
            status = ""
        elif trial.arm == LP:
            solved = lifted(pair.a, pair.b, time_limit=self.scope.pick(1.0, 10.0, 60.0))
            value, status = solved.value, solved.status
        else:
            limit = float(trial.arm.removesuffix(" s"))
            solved = lifted(pair.a, pair.b, form="mccormick", integral=True, time_limit=limit)
            value, status = solved.value, solved.status
        if value < pair.size:
            raise RuntimeError(f"{trial.arm} bounds {pair.a} / {pair.b} by {value}, but they share {pair.size} edges")
        seconds = time.perf_counter() - begin
        return Outcome(upper=int(value), seconds=seconds, status=status, values={"bound": value})

    def cells(self, records: Records) -> list[Cell]:
        """Count closed pairs and gaps by bound and set; a budget's bound is the least of those up to it."""
        out: list[Cell] = []
        for place, budget in enumerate(self._budgets):
            out += self._rows(records, f"{budget} s", [f"{b} s" for b in self._budgets[: place + 1]])
        out += self._rows(records, LP, [LP]) + self._rows(records, RLT, [RLT])
        return completed(self.scope, self.shapes, out)

    def _rows(self, records: Records, label: str, arms: list[str]) -> list[Cell]:
        out: list[Cell] = []
        for name in (*self._sets, "All"):
            row = f"{label}, {NATIVE.get(name, name)}"
            mine = Records(r for r in records if name in (r.trial.set, "All"))
            last = {(r.trial.set, r.trial.pair) for r in mine if r.trial.arm == arms[-1]}
            known = [r for r in mine if r.trial.arm == "incumbent" and (r.trial.set, r.trial.pair) in last]
            if not known:
                out += missing(TABLE, row, COLUMNS, "not measured yet")
                continue
            found = [(self._envelope(mine, arms, r), r.outcome.size or 0) for r in known]
            gaps = [gap(bound, size) for bound, size in found]
            seconds = [r.outcome.seconds for r in mine if r.trial.arm == arms[-1]]
            proven = sum(closed(bound, size) for bound, size in found)
            values = (
                len(found),
                proven,
                100.0 * proven / len(found),
                float(np.median(gaps)),
                float(np.mean(gaps)),
                float(np.mean(seconds)),
            )
            out += [Cell(TABLE, row, column, value) for column, value in zip(COLUMNS, values, strict=True)]
        return out

    def _envelope(self, records: Records, arms: list[str], incumbent: Record) -> float:
        """Return the least bound of some arms on the incumbent's pair; no more than the edges that there are."""
        trial = incumbent.trial
        pair = self.scope.pairs(trial.set)[trial.pair]
        same = [r for r in records if r.trial.arm in arms and (r.trial.set, r.trial.pair) == (trial.set, trial.pair)]
        return min(float(min(pair.a.size, pair.b.size)), *(r.outcome.values["bound"] for r in same))
