"""Do learned prices bound better? One incumbent and one repair; only the prices change."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from enpda.view.plots import lines
from enpda_bench.bounds import closed, gap, price_bound, prices_of
from enpda_bench.portfolio import solver
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Floats, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import completed, difference

DETAIL, CONTRASTS = "price-source-ablation-detail", "price-source-contrasts"
ARMS = {"zero": "Zero", "analytic": "Analytic", "full": "Neural"}
SCALES = ("", ", best scale")
"""The paper's grid of scales, and the best scale, which costs nothing more."""


class PricesStudy(Study):
    """Gaps to the mapping of the paper's Solver, of the same seed."""

    name = "prices"
    title = "Where prices come from, and how tight they bound"
    shapes = (
        Shape(
            DETAIL,
            "Price bound: gap in % to the paper's Solver, and pairs proven",
            lower=("Mean gap", "Median gap"),
            plain=("Closed", "Records"),
            ours=tuple(f"{column}, Neural{scale}" for column in NATIVE.values() for scale in SCALES),
        ),
        Shape(CONTRASTS, "Change of the gap, in points", lower=("Neural - analytic", "Neural - zero")),
    )

    def trials(self) -> Iterable[Trial]:
        """One incumbent a seed, and every kind of prices against it."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(2, None, None)):
                for seed in self.scope.seeds:
                    yield Trial("incumbent", name, pair, seed)
                    for arm in ARMS:
                        yield Trial(arm, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """Search, or bound."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "incumbent":
            return solver(pair, trial.seed)
        begin = time.perf_counter()
        prices = prices_of(pair, trial.arm, trial.seed)
        values = {f"bound{scale}": price_bound(pair, prices, bool(scale))[0] for scale in SCALES}
        if min(values.values()) < pair.size:
            raise RuntimeError(f"the price bounds {values} are below the known {pair.size} edges")
        return Outcome(upper=int(min(values.values())), seconds=time.perf_counter() - begin, values=values)

    def _gaps(self, records: Records, arm: str, name: str, scale: str = "") -> tuple[Floats, Floats]:
        upper = records.grid(arm, name, lambda r: r.outcome.values[f"bound{scale}"])
        lower = records.grid("incumbent", name, lambda r: r.outcome.size or 0)
        return np.vectorize(gap)(upper, lower), np.vectorize(closed)(upper, lower)

    def cells(self, records: Records) -> list[Cell]:
        """Gaps, proofs, and paired changes."""
        out: list[Cell] = []
        for name in self.scope.native:
            column = NATIVE[name]
            gaps = {}
            for arm, word in ARMS.items():
                for scale in SCALES:
                    gaps[arm + scale], proven = self._gaps(records, arm, name, scale)
                    row = f"{column}, {word}{scale}"
                    found = gaps[arm + scale]
                    out += [
                        Cell(DETAIL, row, "Mean gap", float(found.mean())),
                        Cell(DETAIL, row, "Median gap", float(np.median(found))),
                        Cell(DETAIL, row, "Closed", int(proven.sum())),
                        Cell(DETAIL, row, "Closed %", 100.0 * float(proven.mean())),
                        Cell(DETAIL, row, "Records", found.size),
                    ]
            groups = self.scope.blocks(name, records.positions(name))
            for scale in SCALES:
                for other, what in (("analytic", "Neural - analytic"), ("zero", "Neural - zero")):
                    row = column + scale
                    out.append(difference(CONTRASTS, row, what, gaps["full" + scale], gaps[other + scale], groups))
        return completed(self.scope, self.shapes, out)

    def figures(self, records: Records) -> dict[str, str]:
        """Sorted gaps of each kind of prices, all sets together."""
        curves = {}
        for arm, word in ARMS.items():
            gaps = np.sort(np.concatenate([self._gaps(records, arm, name)[0].ravel() for name in self.scope.native]))
            share = np.arange(1, len(gaps) + 1) / len(gaps)
            curves[word] = list(zip(gaps.tolist(), (100 * share).tolist(), strict=True))
        return {"Price bounds": lines(curves, "% of records within a price-only gap", "gap, %")}
