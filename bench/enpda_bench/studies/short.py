"""What do classical programs reach in the time of a proposal? FMCS, McSplit and SMSD at short limits, beside Core."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from enpda_bench.arms import measured
from enpda_bench.outcomes import asked, matched
from enpda_bench.scope import NATIVE, Scope
from enpda_bench.study import Cell, Floats, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import accuracies, completed, difference, failures, mean

TABLE, MATCHED = "short-classical", "short-classical-matched"
CORES = {"analytic": "Analytic-Core", "full": "ENPDA-Core"}
LIMITS = {"0.10s": 0.10, "0.16s": 0.16, "0.60s": 0.60}
PROGRAMS = {"FMCS": "fmcs:labels", "McSplit": "mcsplit", "SMSD": "smsd", "auto": ""}
"""Our `auto` takes the same limits, in this process."""
LATE = 1e-3
"""Seconds above a limit that count as late."""
ORDER_SEED = 20260917


class ShortStudy(Study):
    """Accuracy and time of every program at every limit, one of them the pair's own latency of Core."""

    name = "short"
    title = "What do classical programs reach in the time of a proposal?"
    shapes = (
        Shape(
            TABLE,
            "Short limits: % of the optimum, and mean milliseconds",
            lower=tuple(f"{column} ms" for column in NATIVE.values()),
            ours=(*CORES.values(), *(f"auto-{limit}" for limit in (*LIMITS, "matched"))),
        ),
        Shape(
            MATCHED,
            "The pair's own latency of Core as the limit: Core's gain in points, time, and lateness",
            plain=("P95 ms",),
            contrasts=("Gain",),
            lower=("Overrun ms", "Over %"),
            theirs=("Overrun ms", "Over %"),
        ),
    )

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._latencies: dict[tuple[str, int], list[float]] = {}

    def trials(self) -> Iterable[Trial]:
        """Core first, since its latency is a limit; then programs and limits in an order drawn for the pair."""
        arms = [f"{program}-{limit}" for program in PROGRAMS for limit in (*LIMITS, "matched")]
        for name in self.scope.slow:
            for pair in self.scope.positions(name, self.scope.pick(1, 40, None)):
                for arm in CORES:
                    for seed in self.scope.seeds if arm == "full" else (0,):
                        yield Trial(arm, name, pair, seed)
                for k in np.random.default_rng([ORDER_SEED, pair]).permutation(len(arms)):
                    yield Trial(arms[k], name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Time one program, what it makes of the graphs for itself included."""
        if trial.arm in CORES:
            return self._core(trial)
        pair = self.scope.pairs(trial.set)[trial.pair]
        program, _, limit = trial.arm.partition("-")
        seconds = self._latency(trial.set, trial.pair) if limit == "matched" else LIMITS[limit]
        worker = PROGRAMS[program]
        found = asked(self.scope, worker, pair, seconds) if worker else matched(pair, "auto", seconds)
        return replace(found, values={"limit": seconds})

    def _core(self, trial: Trial) -> Outcome:
        found = measured(self.scope.pairs(trial.set)[trial.pair], trial.arm, trial.seed)
        if trial.arm == "full":
            self._latencies.setdefault((trial.set, trial.pair), []).append(found.seconds)
        return found

    def _latency(self, name: str, pair: int) -> float:
        """Mean seconds of Core's seeds on a pair, measured again when a run was resumed in the middle of one."""
        while len(self._latencies.get((name, pair), [])) < len(self.scope.seeds):
            self._core(Trial("full", name, pair, self.scope.seeds[0]))
        return float(np.mean(self._latencies[name, pair]))

    def cells(self, records: Records) -> list[Cell]:
        """Both tables."""
        out = []
        for name in self.scope.slow:
            column, groups = NATIVE[name], self.scope.blocks(name, records.positions(name))
            percent: dict[str, Floats] = {}
            for arm in (*CORES, *(f"{program}-{limit}" for program in PROGRAMS for limit in (*LIMITS, "matched"))):
                mine, row = records.pick(arm, name), CORES.get(arm, arm)
                if all(r.outcome.size is None for r in mine):
                    out += [Cell(TABLE, row, f"{column} {unit}", note=failures(mine)) for unit in ("%", "ms")]
                    continue
                percent[arm] = accuracies(self.scope, records, arm, name)
                out.append(mean(TABLE, row, f"{column} %", percent[arm], failures(mine)))
                spent = 1e3 * np.array([r.outcome.seconds for r in mine])
                out.append(Cell(TABLE, row, f"{column} ms", float(spent.mean())))
            for program in PROGRAMS:
                arm, row = f"{program}-matched", f"{column}, {program}"
                if arm not in percent:
                    why = failures(records.pick(arm, name))
                    out += [Cell(MATCHED, row, what, note=why) for what in ("Gain", "P95 ms", "Overrun ms", "Over %")]
                    continue
                out.append(difference(MATCHED, row, "Gain", percent["full"], percent[arm], groups))
                out += _lateness(row, records.pick(arm, name))
        return completed(self.scope, self.shapes, out)


def _lateness(row: str, records: Records) -> list[Cell]:
    spent = np.array([r.outcome.seconds for r in records])
    late = spent - np.array([r.outcome.values["limit"] for r in records])
    note = f"mean limit {1e3 * (spent - late).mean():.3g} ms"
    return [
        Cell(MATCHED, row, "P95 ms", float(1e3 * np.percentile(spent, 95)), note=note),
        Cell(MATCHED, row, "Overrun ms", float(1e3 * np.maximum(late, 0).mean())),
        Cell(MATCHED, row, "Over %", float(100 * (late > LATE).mean())),
    ]
