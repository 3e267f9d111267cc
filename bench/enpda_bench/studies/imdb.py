"""Does learning help on pairs that nobody planted? Unedited IMDB-BINARY pairs, optima known as intervals."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

import enpda
from enpda.solve.lifted import lifted
from enpda_bench.arms import measured
from enpda_bench.datasets import BenchPair
from enpda_bench.natural import degree_cap, densest
from enpda_bench.outcomes import asked, image_of, matched
from enpda_bench.ranges import accuracy_range, effects, safe_interval
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import absent, completed, missing, sizes

TABLE, OPTIMA = "natural-imdb-accuracy", "natural-imdb-optima"
CORE = "ENPDA-Core"
POLICIES = {"Analytic-Core": "analytic", CORE: "full"}
MCSPLIT = {"McSplit-0.10s": 0.10, "McSplit-0.16s": 0.16, "McSplit-0.60s": 0.60, "McSplit-matched": None}
OURS = {"ENPDA auto, 0.1 s": 0.1}
ACCURACY = ("Accuracy, least (%)", "Accuracy, most (%)")
TIMES = ("Mean ms", "P95 ms")
GAIN = ("Gain CI, low", "Gain CI, high")


class IMDBStudy(Study):
    """Accuracy ranges over all pairs, with intervals that hold wherever the unresolved optima lie."""

    name = "imdb"
    title = "Unedited IMDB-BINARY pairs"
    shapes = (
        Shape(
            TABLE,
            "Natural IMDB-BINARY pairs: % of the optimum, which is an interval where nobody proved it",
            lower=TIMES,
            contrasts=GAIN,
            ours=(CORE, *OURS),
        ),
        Shape(
            OPTIMA,
            "Natural IMDB-BINARY pairs: optima that are known",
            lower=("Unresolved",),
            plain=("Pairs", "Components", "Largest component"),
            digits=0,
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """List an oracle for every pair, the arms of the policy, McSplit, and our default method."""
        if self.scope.data is None:
            return
        for pair in self.scope.positions("imdb", self.scope.pick(3, None, None)):
            yield Trial("oracle", "imdb", pair)
            if self.scope.profile == "full":
                yield Trial("integer programme", "imdb", pair)
            for row, arm in POLICIES.items():
                for seed in self.scope.seeds if arm == "full" else (0,):
                    yield Trial(row, "imdb", pair, seed)
            for row in (*MCSPLIT, *OURS):
                yield Trial(row, "imdb", pair)

    def run(self, trial: Trial) -> Outcome:
        """Measure one method, or bound the optimum."""
        pair = self.scope.pairs("imdb")[trial.pair]
        if trial.arm == "oracle":
            return self._oracle(pair)
        if trial.arm == "integer programme":
            solved = lifted(pair.a, pair.b, integral=True, time_limit=60.0)
            return Outcome(upper=solved.upper, seconds=solved.seconds, status=solved.status)
        if trial.arm in OURS:
            return matched(pair, "auto", OURS[trial.arm])
        if trial.arm in MCSPLIT:
            limit = MCSPLIT[trial.arm]
            return asked(
                self.scope, "mcsplit", pair, measured(pair, POLICIES[CORE], 0).seconds if limit is None else limit
            )
        return measured(pair, POLICIES[trial.arm], trial.seed)

    def _oracle(self, pair: BenchPair) -> Outcome:
        """Prove what can be proven; then degrees, and the densest part where one graph is complete."""
        begin = time.perf_counter()
        found = enpda.match(pair.a, pair.b, "exact", time_limit=self.scope.pick(0.2, 1.0, 60.0))
        known = densest(pair.a, pair.b)
        caps = [found.upper, degree_cap(pair.a, pair.b), *([] if known is None else [known])]
        seconds = time.perf_counter() - begin
        return Outcome(image_of(found), found.size, found.nodes, min(caps), min(caps) == found.size, seconds)

    def cells(self, records: Records) -> list[Cell]:
        """Ranges and gains of every method whose program is here."""
        columns = (*ACCURACY, *TIMES, *GAIN)
        rows = (*POLICIES, *MCSPLIT, *OURS)
        positions = records.positions("imdb")
        if not positions:
            return completed(self.scope, self.shapes, [])
        bounded = [r for r in records if r.outcome.upper is not None]
        upper = np.array([min(r.outcome.upper or 0 for r in bounded if r.trial.pair == k) for k in positions], float)
        found = [r for r in records if r.outcome.size is not None]
        lower = np.array([max(r.outcome.size or 0 for r in found if r.trial.pair == k) for k in positions], float)
        groups = self.scope.blocks("imdb", positions)
        core = sizes(records, CORE, "imdb")
        out = [
            Cell(OPTIMA, "all", "Pairs", len(positions)),
            Cell(OPTIMA, "all", "Resolved", int((lower == upper).sum())),
            Cell(OPTIMA, "all", "Unresolved", int((lower < upper).sum())),
            Cell(OPTIMA, "all", "Components", len(groups)),
            Cell(OPTIMA, "all", "Largest component", max(map(len, groups))),
        ]
        for row in rows:
            mine = records.pick(row, "imdb")
            if why := absent(mine):
                out += missing(TABLE, row, columns, why)
                continue
            edges = sizes(records, row, "imdb")
            ms = 1e3 * np.array([r.outcome.seconds for r in mine])
            values = [*accuracy_range(edges, lower, upper), float(ms.mean()), float(np.quantile(ms, 0.95))]
            out += [Cell(TABLE, row, c, v) for c, v in zip((*ACCURACY, *TIMES), values, strict=True)]
            if row == CORE:
                continue
            least, most = effects(core, edges, lower, upper)
            note = f"mean gain of Core between {least.mean():.2f} and {most.mean():.2f}"
            ends = safe_interval(least, most, groups)
            out += [Cell(TABLE, row, c, v, note=note) for c, v in zip(GAIN, ends, strict=True)]
        return out
