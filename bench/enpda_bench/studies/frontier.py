"""How long does the head start of a learned proposal last? The same seeded search after either proposal."""

from __future__ import annotations

import math
from collections.abc import Iterable

import enpda
from enpda.solve.options import MAX_SAMPLES
from enpda.view.plots import lines
from enpda_bench.datasets import accuracy
from enpda_bench.outcomes import from_match
from enpda_bench.portfolio import FOUR, checkpoint
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Floats, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import difference, mean, possible

BUDGETS = (0.0, 0.001, 0.01, 0.1, 1.0, 5.0, 30.0)
"""Additional seconds; the paper's are 0, 1, 5 and 30, its operators being some thousand times slower."""
STREAM = FOUR.with_streams(MAX_SAMPLES)
"""The paper's one stream and then, as it takes us some 25 ms, one perturbed stream after the other until time is up."""
PROPOSAL = 0.1
"""Seconds that a proposal may take at most; search counts from its end."""
COLUMNS = {"analytic": "Analytic", "full": "ENPDA"}
EXACT = "exact, all included"


class FrontierStudy(Study):
    """Accuracy after each amount of search from an analytic and from a learned proposal, and their difference.

    The number of edges after any budget is read off the trace of one run. A run ends early when it holds the proven
    optimum, since nothing can change after that.
    """

    name = "frontier"
    title = "What is a learned proposal worth when search follows?"
    shapes = (
        Shape(
            "enpda-search-frontier",
            "Search after one proposal of four rounds: % of the optimum by additional seconds",
            contrasts=("Difference",),
            ours=("ENPDA", EXACT),
        ),
    )

    @property
    def budgets(self) -> tuple[float, ...]:
        """The budgets that take part."""
        longest = self.scope.pick(0.1, 1.0, 30.0)
        return tuple(b for b in BUDGETS if b <= longest)

    def trials(self) -> Iterable[Trial]:
        """Both proposals with every seed, and our exact method, on every pair."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(3, 40, None)):
                yield Trial("exact", name, pair)
                for seed in self.scope.seeds:
                    for arm in COLUMNS:
                        yield Trial(arm, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """Search once for the longest budget."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        longest = self.budgets[-1]
        if trial.arm == "exact":
            found = enpda.match(pair.a, pair.b, "exact", longest, trace=True)
            begin = 0.0
        else:
            found = enpda.match(
                pair.a,
                pair.b,
                "solver",
                longest + PROPOSAL,
                trial.seed,
                budget=STREAM,
                policy=checkpoint(trial.seed) if trial.arm == "full" else None,
                min_size=pair.size,
                trace=True,
            )
            begin = found.trace[0].seconds if found.trace else 0.0
        reached = {
            f"{b:g} s": max((e.size for e in found.trace if e.seconds <= begin + b), default=0) for b in self.budgets
        }
        return from_match(pair, found, **reached)

    def cells(self, records: Records) -> list[Cell]:
        """Means and differences of each budget."""
        out = []
        for name in self.scope.native:
            groups = self.scope.blocks(name, records.positions(name))
            most = possible(self.scope, records, [name])
            for budget in BUDGETS:
                row = f"{NATIVE[name]}, {budget:g} s"
                if budget not in self.budgets:
                    reason = f"the profile {self.scope.profile} ends at {self.budgets[-1]:g} s"
                    columns = ("Difference", *COLUMNS.values(), EXACT)
                    out += [Cell("enpda-search-frontier", row, column, note=reason) for column in columns]
                    continue
                plain, learned = (self._percent(records, arm, name, budget) for arm in COLUMNS)
                out.append(difference("enpda-search-frontier", row, "Difference", learned, plain, groups, most=most))
                out.append(mean("enpda-search-frontier", row, "Analytic", plain))
                out.append(mean("enpda-search-frontier", row, "ENPDA", learned))
                if budget:
                    exact = self._percent(records, "exact", name, budget)
                    out.append(mean("enpda-search-frontier", row, EXACT, exact, "its first proposal counts as well"))
                else:
                    out.append(Cell("enpda-search-frontier", row, EXACT, note="has no answer before it begins"))
        return out

    def figures(self, records: Records) -> dict[str, str]:
        """One picture a set: accuracy over the logarithm of the search time."""
        out = {}
        for name in self.scope.native:
            curves = {
                column: [
                    (math.log10(b), float(self._percent(records, arm, name, b).mean())) for b in self.budgets if b > 0
                ]
                for arm, column in {**COLUMNS, "exact": EXACT}.items()
            }
            title = f"Search after one proposal, {NATIVE[name]}: % of the optimum"
            out[title] = lines(curves, title, "additional search, log10 of seconds")
        return out

    def _percent(self, records: Records, arm: str, name: str, budget: float) -> Floats:
        pairs = self.scope.pairs(name)
        return records.grid(arm, name, lambda r: accuracy(pairs[r.trial.pair], int(r.outcome.values[f"{budget:g} s"])))
