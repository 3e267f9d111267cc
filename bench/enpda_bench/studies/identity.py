"""Did anything of the test pairs reach training? Graphs of the split, their identities, and the chosen epochs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from enpda.learn.split import Identities
from enpda.solve.policy import card, shipped
from enpda_bench import datasets
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import completed

AUDIT, EPOCHS = "native-identity-audit", "checkpoint-selection"
PURPOSES = ("train", "validation")
COUNTS = {"Train": "train", "Validation": "validation"}
SHARED = ("Train with test", "Validation with test", "Train with validation")
TESTED = ("Test", "Test clusters", *SHARED)
ARMS = {"no-price": "Retrained no-price", "full": "ENPDA (full)"}
SEEDS = (0, 1, 2)


class IdentityStudy(Study):
    """Counts come from the split that ships with the weights; identities are looked for again in the graphs."""

    name = "identity"
    title = "What was trained on, and what was chosen"
    shapes = (
        Shape(
            AUDIT,
            "Pairs of molecules by purpose, and graphs that two purposes share",
            lower=SHARED,
            plain=("Train", "Validation", "Test", "Test clusters"),
            digits=0,
        ),
        Shape(EPOCHS, "Epoch that the validation pairs chose, of 12", plain=tuple(ARMS.values()), digits=0),
    )

    def trials(self) -> Iterable[Trial]:
        """One trial a dataset, one a file of weights."""
        for name in datasets.DATASETS:
            yield Trial("counts", name, 0)
            if self.scope.data:
                yield Trial("identities", name, 0)
        for arm in ARMS:
            for seed in SEEDS:
                yield Trial(f"card of {arm}", "weights", 0, seed)

    def run(self, trial: Trial) -> Outcome:
        """Count, compare or read."""
        begin = time.perf_counter()
        if trial.set == "weights":
            arm = trial.arm.removeprefix("card of ")
            values = {"epoch": float(card(shipped(f"{arm}-{trial.seed}"))["epoch"])}
        elif trial.arm == "counts":
            values = {p: float(len(self._split["pairs"][f"{trial.set}_{p}"]["indices"])) for p in PURPOSES}
        else:
            values = self._compared(trial.set)
        return Outcome(values=values, seconds=time.perf_counter() - begin)

    @cached_property
    def _split(self) -> dict[str, Any]:
        path = shipped("full-0").with_name("split.json")
        return dict(json.loads(path.read_text(encoding="utf-8")))

    @cached_property
    def _classes(self) -> dict[str, dict[str, set[int]]]:
        """Purpose -> dataset -> classes of its graphs; relatives were made of these graphs, too."""
        known = Identities()
        found: dict[str, dict[str, set[int]]] = {"test": {}, "train": {}, "validation": {}}
        assert self.scope.data is not None
        for name in datasets.DATASETS:
            found["test"][name] = {known.of(g) for p in self.scope.pairs(name) for g in (p.a, p.b)}
            used = {}
            for purpose in PURPOSES:
                used[purpose] = {k for pair in self._split["pairs"][f"{name}_{purpose}"]["indices"] for k in pair}
                used[purpose] |= {recipe[0] for recipe in self._split["relatives"][f"{name}_{purpose}"]}
            graphs = dict(datasets.graphs_of(self.scope.data, name, used["train"] | used["validation"]))
            for purpose in PURPOSES:
                found[purpose][name] = {known.of(graphs[k]) for k in used[purpose]}
        return found

    def _compared(self, name: str) -> dict[str, float]:
        """Count classes of this dataset's graphs that occur for another purpose, in any dataset."""
        every = {purpose: set().union(*by_name.values()) for purpose, by_name in self._classes.items()}
        mine = {purpose: by_name[name] for purpose, by_name in self._classes.items()}
        pairs = self.scope.pairs(name)
        return {
            "Test": len(pairs),
            "Test clusters": len(self.scope.blocks(name, range(len(pairs)))),
            "Train with test": len(mine["train"] & every["test"]),
            "Validation with test": len(mine["validation"] & every["test"]),
            "Train with validation": len(mine["train"] & every["validation"]),
        }

    def cells(self, records: Records) -> list[Cell]:
        """Put the counts into their tables."""
        out: list[Cell] = []
        for name in datasets.DATASETS:
            row = NATIVE[name]
            for r in records.pick("counts", name):
                out += [Cell(AUDIT, row, column, r.outcome.values[key]) for column, key in COUNTS.items()]
            for r in records.pick("identities", name):
                out += [Cell(AUDIT, row, column, r.outcome.values[column]) for column in TESTED]
        for arm, column in ARMS.items():
            for r in records.pick(f"card of {arm}", "weights"):
                out.append(Cell(EPOCHS, f"Seed {r.trial.seed}", column, r.outcome.values["epoch"]))
        return completed(self.scope, self.shapes, out)
