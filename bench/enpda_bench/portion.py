"""How much of a study is measured, and which of its records a table may be made of before all are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enpda_bench.order import ORDER
from enpda_bench.scope import PAIR_SETS
from enpda_bench.study import Records, Trial


@dataclass(frozen=True)
class Portion:
    """Records that there are and that the profile has; pairs that tables are made of and that the profile has."""

    records: int
    all_records: int
    pairs: int
    all_pairs: int

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self.records == self.all_records

    def __str__(self) -> str:
        if self.whole:
            return f"all {self.all_records:,} records, all {self.all_pairs:,} pairs"
        return f"{self.records:,} of {self.all_records:,} records, {self.pairs:,} of {self.all_pairs:,} pairs"


def portion(study: str, trials: Sequence[Trial], records: Records) -> Portion:
    """Say how much of a study's trials has been measured."""
    done = {r.trial for r in records}
    shown = {(r.trial.set, r.trial.pair) for r in usable(study, trials, records)}
    every = {(t.set, t.pair) for t in trials if t.set == "drugs" or t.set in PAIR_SETS}
    return Portion(sum(t in done for t in trials), len(trials), len(shown & every), len(every))


def usable(study: str, trials: Sequence[Trial], records: Records) -> Records:
    """Return the records that a table may be made of, in the order of the trials.

    Of an unfinished study these are the pairs that every arm has with every seed, so that arms are compared on the
    same pairs; arms that come later by the stated order may be missing, and count only where the others are there.
    Nothing, before each arm has a pair of each of its sets.
    """
    late, place = ORDER[study].late, {trial: k for k, trial in enumerate(trials)}

    def group(trial: Trial) -> tuple[str, int, int]:
        return trial.set, trial.pair, late.get(trial.arm, 0)

    mine = Records(sorted((r for r in records if r.trial in place), key=lambda r: place[r.trial]))
    torn = {group(trial) for trial in place.keys() - {r.trial for r in mine}}
    kept = Records(r for r in mine if torn.isdisjoint({group(r.trial), (r.trial.set, r.trial.pair, 0)}))
    needed = {(t.arm, t.set) for t in trials if t.arm not in late}
    return kept if needed <= {(r.trial.arm, r.trial.set) for r in kept} else Records()
