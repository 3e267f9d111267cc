"""Neural graduated assignment: what a network finds that is fitted to each pair anew, and in what time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from enpda_bench import fits
from enpda_bench.baselines import Answer
from enpda_bench.outcomes import asked, from_answer
from enpda_bench.scope import NATIVE, Scope
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import absent, accuracies, mean, missing

TABLE = "nga-fits"
COLUMNS = ("Pairs", "One fit %", "Three fits %", "Seconds a fit")


class NGAStudy(Study):
    """Three fits of every pair on a GPU, or of a few on a processor; other studies compare with them.

    A GPU fits all pairs of a set side by side, when the first of them is asked for.
    """

    name = "nga"
    title = "Fitting a network to each pair (NGA)"
    shapes = (Shape(TABLE, "Our own NGA: % of the optimum, and seconds", lower=COLUMNS[-1:], plain=("Pairs",)),)

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._found: dict[tuple[str, int], list[Answer]] = {}

    def trials(self) -> Iterable[Trial]:
        """One trial a fit: what three fits reach is the best of them."""
        count = self.scope.pick(1, None if fits.on_gpu() else 2, None)
        for name in self.scope.native:
            for pair in self.scope.positions(name, count):
                for seed in range(fits.FITS):
                    yield Trial(fits.ARM, name, pair, seed)

    def run(self, trial: Trial) -> Outcome:
        """Fit once."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if fits.on_gpu():
            found = self._side_by_side(trial.set, trial.seed)
            return fits.noted(from_answer(pair, found[trial.pair]), at_once=len(found))
        limit = self.scope.pick(0.2, 60.0, 60.0)  # the paper's; a processor does not come to an end of it
        seed = fits.PAIR_SEED * trial.pair + trial.seed
        return fits.noted(asked(self.scope, "nga", pair, limit, seed=seed), limit)

    def _side_by_side(self, name: str, seed: int) -> list[Answer]:
        if (name, seed) not in self._found:
            from enpda_bench.baselines import nga

            pairs = [(pair.a, pair.b) for pair in self.scope.pairs(name)]
            seeds = [fits.PAIR_SEED * k + seed for k in range(len(pairs))]
            self._found[name, seed] = nga.together(pairs, seeds, "cuda")
        return self._found[name, seed]

    def cells(self, records: Records) -> list[Cell]:
        """Show one fit, and the best of three."""
        out: list[Cell] = []
        three = fits.best(records)
        for name in self.scope.native:
            mine, row = records.pick(fits.ARM, name), NATIVE[name]
            if why := absent(mine):
                out += missing(TABLE, row, COLUMNS, why)
                continue
            note = fits.said(three.pick(fits.THREE, name))
            out += [
                Cell(TABLE, row, "Pairs", len(mine.positions(name)), note=note),
                mean(TABLE, row, "One fit %", accuracies(self.scope, records, fits.ARM, name), note),
                mean(TABLE, row, "Three fits %", accuracies(self.scope, three, fits.THREE, name), note),
                Cell(TABLE, row, COLUMNS[-1], float(np.mean([r.outcome.seconds for r in mine])), note=note),
            ]
        return out
