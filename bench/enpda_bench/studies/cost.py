"""What does an answer cost? Training included; and when has training paid for itself."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from enpda.solve.policy import card, shipped
from enpda_bench import fits
from enpda_bench.outcomes import matched
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import absent, missing

STARTUP, BREAK_EVEN = "amortized-cost", "break-even"
STAGES = {
    "Reference pretraining": "reference matcher",
    "Teacher generation": "teacher maps",
    "Student optimization": "student",
    "Setup overhead": "split",
}
"""Row -> what the card of the weights calls it."""
COMPLETE = "Complete startup"
SEEDS = (0, 1, 2)
CORE, THREE = "Core seconds a query", "NGA seconds a query, three fits"
QUERIES, OURS, THEIRS = "Queries to break even", "Hours for 291 queries, Core", "Hours for 291 queries, NGA"
AUTO = "Auto seconds a query, no training"
ALL = 291
COLUMN = "Mean"


class CostStudy(Study):
    """Seconds of training come from the cards of the weights, seconds of answers are measured."""

    name = "cost"
    title = "Cost of training and of answers"
    shapes = (
        Shape(
            STARTUP,
            "Training of one policy: seconds, and hours on average; on one GPU in the paper, where ours says below",
            lower=(*STAGES, COMPLETE),
            ours=(*STAGES, COMPLETE),
            digits=4,
        ),
        Shape(
            BREAK_EVEN,
            "Answers, training included",
            lower=(CORE, THREE, QUERIES, OURS, THEIRS, AUTO),
            ours=(CORE, QUERIES, OURS, AUTO),
            digits=5,
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Read the cards, and answer pairs; the fits of NGA are those of the study of that name."""
        for seed in SEEDS:
            yield Trial("card", "weights", 0, seed)
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(2, None, None)):
                yield Trial("core", name, pair)
                yield Trial("auto", name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Read or answer."""
        if trial.arm == "card":
            return Outcome(values=card(shipped(f"full-{trial.seed}"))["seconds"])
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "core":
            return matched(pair, "core", 10.0, decoder="hungarian", policy=shipped("full-0"))
        return matched(pair, "auto", 10.0)

    def cells(self, records: Records) -> list[Cell]:
        """Stages, sums and the crossing."""
        out: list[Cell] = []
        made = card(shipped("full-0"))["made_with"]
        note = ", ".join(str(made[key]) for key in ("device", "note") if key in made)
        cards = [r.outcome.values for r in records if r.trial.arm == "card"]
        stages = {row: [values.get(key, 0.0) for values in cards] for row, key in STAGES.items()}
        stages[COMPLETE] = [sum(values) for values in zip(*stages.values(), strict=True)]
        for row, seconds in stages.items():
            out += [Cell(STARTUP, row, f"Seed {seed} s", seconds[seed], note=note) for seed in SEEDS]
            out.append(Cell(STARTUP, row, "Mean GPUh", float(np.mean(seconds)) / 3600, note=note))
        startup = float(np.mean(stages[COMPLETE]))
        core, auto = (
            float(np.mean([r.outcome.seconds for r in records if r.trial.arm == a])) for a in ("core", "auto")
        )
        out += [
            Cell(BREAK_EVEN, CORE, COLUMN, core, note="one processor core, no GPU"),
            Cell(BREAK_EVEN, AUTO, COLUMN, auto, note="one processor core, no GPU"),
            Cell(BREAK_EVEN, OURS, COLUMN, (startup + ALL * core) / 3600),
        ]
        three = fits.taken(self.scope)
        if why := absent(three) if three else fits.said(three):
            return out + [cell for row in (THREE, QUERIES, THEIRS) for cell in missing(BREAK_EVEN, row, [COLUMN], why)]
        theirs = float(np.mean([r.outcome.seconds for r in three if r.outcome.size is not None]))
        said = fits.said(three)
        crossing = math.ceil(startup / (theirs - core)) if theirs > core else None
        return [
            *out,
            Cell(BREAK_EVEN, THREE, COLUMN, theirs, note=said),
            Cell(BREAK_EVEN, QUERIES, COLUMN, crossing, note=said if crossing else "NGA is faster: never"),
            Cell(BREAK_EVEN, THEIRS, COLUMN, ALL * theirs / 3600, note=said),
        ]
