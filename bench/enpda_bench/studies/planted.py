"""Does a policy that was trained on molecules help on graphs of another kind? Planted optima, frozen weights."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from enpda.learn.planted import SETS
from enpda_bench.arms import measured
from enpda_bench.outcomes import matched
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import absent, accuracies, completed, difference, in_any_order, mean

TABLES = {"IMDB-BINARY": "enpda-nonmolecular-ood", "PROTEINS": "enpda-protein-ood", "ENZYMES": "enpda-protein-ood"}
MAIN, DETAILS = "planted-transfer-main", "planted-details"
COLUMNS = {"analytic": "Analytic", "full": "ENPDA"}
ANY = {"analytic": "Analytic, any order", "full": "ENPDA, any order"}
PLUS, PLUS_GAIN, PLUS_RECOVERY = "paper-plus", "paper-plus - analytic", "paper-plus exact recovery %"
GROWN = {"analytic": "Analytic, grown", "full": "ENPDA, grown"}
AUTO = "ENPDA auto"


class PlantedStudy(Study):
    """Four rounds and one decode on a graph against a copy of itself that lost 30 % of its edges."""

    name = "planted"
    title = "Transfer to graphs of another kind"
    shapes = (
        Shape(
            MAIN,
            "Planted pairs, four rounds, no search: % of the optimum",
            contrasts=(PLUS_GAIN,),
            ours=("ENPDA", GROWN["full"], ANY["full"], PLUS, AUTO),
        ),
        Shape(
            "enpda-nonmolecular-ood",
            "IMDB-BINARY: % of the planted optimum",
            plain=("Pairs",),
            contrasts=("Difference",),
            ours=("ENPDA",),
        ),
        Shape(
            "enpda-protein-ood",
            "Proteins: % of the planted optimum",
            plain=("Pairs",),
            contrasts=("Difference",),
            ours=("ENPDA",),
        ),
        Shape(
            DETAILS,
            "Planted pairs: optima that one projection recovers, and seconds a pair",
            lower=("Analytic seconds", "ENPDA seconds"),
            ours=("ENPDA exact recovery %", PLUS_RECOVERY, "ENPDA seconds"),
            digits=3,
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Both arms with either decoder on every pair, and our default method on some."""
        for name in SETS if self.scope.data else ():
            where = f"planted {name}"
            for pair in self.scope.positions(where, self.scope.pick(2, None, None)):
                for arm in COLUMNS:
                    for seed in self.scope.seeds if arm == "full" else (0,):
                        yield Trial(arm, where, pair, seed)
                        yield Trial(f"{arm}, growth", where, pair, seed)
                for seed in self.scope.seeds:
                    yield Trial("plus", where, pair, seed)
            for pair in self.scope.positions(where, self.scope.pick(2, 20, None)):
                yield Trial("auto", where, pair)

    def run(self, trial: Trial) -> Outcome:
        """One trajectory and one decode; the whole graph is the source, as in the paper."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "auto":
            return matched(pair, "auto", self._limit)
        arm, _, decoder = trial.arm.partition(", ")
        return measured(pair, arm, trial.seed, decoder=decoder or "hungarian", turn=False)

    @property
    def _limit(self) -> float:
        return self.scope.pick(0.2, 1.0, 10.0)

    def cells(self, records: Records) -> list[Cell]:
        """Means, the gain with its interval, and what other decoders and search make of the same pairs."""
        out: list[Cell] = []
        for name, table in TABLES.items():
            where = f"planted {name}"
            if not records.positions(where):
                continue
            percent = {arm: accuracies(self.scope, records, arm, where) for arm in COLUMNS}
            groups = self.scope.blocks(where, records.positions(where))
            out += [
                Cell(table, name, "Pairs", percent["full"].shape[1]),
                difference(table, name, "Difference", percent["full"], percent["analytic"], groups),
            ]
            for arm, column in COLUMNS.items():
                out += [mean(label, name, column, percent[arm]) for label in (table, MAIN)]
                seconds = records.grid(arm, where, lambda r: r.outcome.seconds)
                recovered = np.where(percent[arm] >= 100.0, 100.0, 0.0)
                out += [
                    mean(DETAILS, name, f"{column} exact recovery %", recovered),
                    mean(DETAILS, name, f"{column} seconds", seconds),
                ]
            out += [in_any_order(self.scope, records, MAIN, arm, where, name, column) for arm, column in ANY.items()]
            plus = accuracies(self.scope, records, "plus", where)
            out.append(mean(MAIN, name, PLUS, plus))
            out.append(difference(MAIN, name, PLUS_GAIN, plus, percent["analytic"], groups))
            out.append(mean(DETAILS, name, PLUS_RECOVERY, np.where(plus >= 100.0, 100.0, 0.0)))
            for arm, column in GROWN.items():
                out.append(mean(MAIN, name, column, accuracies(self.scope, records, f"{arm}, growth", where)))
            if why := absent(records.pick("auto", where)):
                out.append(Cell(MAIN, name, AUTO, note=why))
                continue
            auto = accuracies(self.scope, records, "auto", where)
            solved = int(np.sum(auto >= 100.0))
            note = f"{self._limit:g} s on {auto.shape[1]} pairs, {solved} of them solved"
            out.append(mean(MAIN, name, AUTO, auto, note))
        return completed(self.scope, self.shapes, out)
