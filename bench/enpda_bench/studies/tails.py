"""Where RASCAL is not done: the pairs that it leaves open at 60 s, and the solvers on them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from enpda.view.table import machine
from enpda_bench.outcomes import asked, matched
from enpda_bench.portfolio import solver
from enpda_bench.scope import NATIVE, Scope
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import completed, difference, failures, mean, pooled, pooled_blocks, possible

ACCURACY, RUNTIME = "rascal-tail", "tail-runtime"
OURS = {"paper solver": "ENPDA", "exact": "exact"}
SELECTION = 60.0
SETS = ("aids", "molhiv", "mcf7")


@cache
def tail(name: str) -> list[int]:
    """Return the positions of the pairs of a set that RASCAL left open; the file says how they were found."""
    text = (files(__package__) / "tails.json").read_text(encoding="utf-8")
    positions: list[int] = json.loads(text)["positions"][name]
    return positions


class TailsStudy(Study):
    """Accuracy and time of RASCAL at two limits and of our solvers, on RASCAL's own hard pairs."""

    name = "tails"
    title = "Where RASCAL is not done"
    shapes = (
        Shape(
            ACCURACY,
            "Pairs that RASCAL leaves open: % of the optimum",
            plain=("Pairs",),
            contrasts=("Difference", "exact - RASCAL"),
            ours=tuple(OURS.values()),
        ),
        Shape(
            RUNTIME,
            "Pairs that RASCAL leaves open: seconds",
            lower=tuple(f"{who}, {what}" for who in ("RASCAL", *OURS.values()) for what in ("mean", "P95")),
            ours=tuple(f"{who}, {what}" for who in OURS.values() for what in ("mean", "P95")),
        ),
    )

    @property
    def limits(self) -> dict[str, float]:
        """Seconds of RASCAL that stand for the paper's two."""
        return self.scope.pick({"60": 1.0, "900": 1.0}, {"60": 1.0, "900": 5.0}, {"60": 60.0, "900": 900.0})

    @property
    def sets(self) -> Sequence[str]:
        """The sets that take part; drug pairs have no tail."""
        return self.scope.pick(SETS[:1], SETS, SETS) if self.scope.data else ()

    def trials(self) -> Iterable[Trial]:
        """RASCAL at both limits and our solvers on every pair of the tail."""
        for name in self.sets:
            places = tail(name)[: self.scope.pick(1, 5, None)]
            for pair in places:
                yield from (Trial(f"rascal {limit}", name, pair) for limit in self.limits)
                yield from (Trial("paper solver", name, pair, seed) for seed in self.scope.seeds)
                yield Trial("exact", name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Run one program; ours have the second limit."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "paper solver":
            return solver(pair, trial.seed, self.limits["900"])
        if trial.arm == "exact":
            return matched(pair, "exact", self.limits["900"])
        return asked(self.scope, "rascal", pair, self.limits[trial.arm.split()[1]])

    def cells(self, records: Records) -> list[Cell]:
        """At the first limit all pairs; at the second those that RASCAL leaves open then, too."""
        out = []
        for limit in self.limits:
            arm = f"rascal {limit}"
            closed = {(r.trial.set, r.trial.pair) for r in records if r.trial.arm == arm and r.outcome.proven}
            left = records if limit == "60" else [r for r in records if (r.trial.set, r.trial.pair) not in closed]
            had = {(r.trial.set, r.trial.pair) for r in records if r.trial.arm == arm}
            left = [r for r in left if (r.trial.set, r.trial.pair) in had]
            every = {**{NATIVE[name]: [name] for name in self.sets}, "All": list(self.sets)}
            for column, names in every.items():
                mine = Records(r for r in left if r.trial.set in names)
                why = f"RASCAL solves all of them in {self.limits[limit]:g} s" if had else "not measured yet"
                out += self._row(f"{limit} s, {column}", arm, [n for n in names if mine.positions(n)], mine, why)
        return completed(self.scope, self.shapes, out)

    def _row(self, row: str, arm: str, names: Sequence[str], records: Records, why: str) -> list[Cell]:
        limit = self.limits[arm.split()[1]]
        pairs = sum(len(records.positions(name)) for name in names)
        note = f"RASCAL had {limit:g} s; the tail was chosen at {SELECTION:g} s"
        out = [Cell(ACCURACY, row, "Pairs", pairs, note=note)]
        if not pairs:
            out += [Cell(ACCURACY, row, column, note=why) for column in ("Difference", "RASCAL", "ENPDA")]
            return out + [
                Cell(RUNTIME, row, f"{who}, {x}", note=why) for who in ("RASCAL", "ENPDA") for x in ("mean", "P95")
            ]
        groups, most = pooled_blocks(self.scope, records, names), possible(self.scope, records, names)
        theirs = pooled(self.scope, records, arm, names)
        out.append(mean(ACCURACY, row, "RASCAL", theirs, failures(Records(r for r in records if r.trial.arm == arm))))
        for mine, column in OURS.items():
            ours = pooled(self.scope, records, mine, names)
            out.append(mean(ACCURACY, row, column, ours))
            change = "Difference" if column == "ENPDA" else f"{column} - RASCAL"
            out.append(difference(ACCURACY, row, change, ours, theirs, groups, note, most))
        for who, column in {arm: "RASCAL", **OURS}.items():
            spent = np.array([r.outcome.seconds for r in records if r.trial.arm == who])
            out.append(Cell(RUNTIME, row, f"{column}, mean", float(spent.mean()), note=note))
            out.append(Cell(RUNTIME, row, f"{column}, P95", float(np.percentile(spent, 95)), note=note))
        return out


def unresolved(scope: Scope, seconds: float = SELECTION) -> dict[str, list[int]]:
    """Return the positions of the fixed pairs that RASCAL does not prove within a limit."""
    return {
        name: [k for k, pair in enumerate(scope.pairs(name)) if not scope.ask("rascal", pair, seconds).proven]
        for name in SETS
    }


if __name__ == "__main__":
    chosen = Scope("full", Path(sys.argv[1]))
    how = f"unproven by RASCAL after {SELECTION:g} s: python -m enpda_bench.studies.tails DATA"
    print(json.dumps({"how": how, "machine": machine(), "positions": unresolved(chosen)}))
    chosen.close()
