"""Did anything of the test pairs reach training? Graphs of the split, their identities, and the chosen epochs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property

from enpda.learn.split import PAPER, PURPOSES, Identities, pair_count, positions
from enpda.learn.split import shipped as shipped_splits
from enpda.solve.policy import card, shipped
from enpda_bench import datasets
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Records, Shape, Study, Trial
from enpda_bench.tally import completed

AUDIT, EPOCHS = "native-identity-audit", "checkpoint-selection"
COUNTS = {"Train": "train", "Validation": "validation"}
EVERY = {"Train, all weights": "every train", "Validation, all weights": "every validation"}
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
            plain=(*COUNTS, *EVERY, "Test", "Test clusters"),
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
            values = {p: float(PAPER[p][trial.set]) for p in PURPOSES}
            for p in PURPOSES:
                values[f"every {p}"] = float(sum(pair_count(m, trial.set, p) for m in shipped_splits().values()))
        else:
            values = self._compared(trial.set)
        return Outcome(values=values, seconds=time.perf_counter() - begin)

    @cached_property
    def _classes(self) -> list[dict[str, dict[str, set[int]]]]:
        """For every split: purpose -> dataset -> classes of its graphs; relatives were made of these graphs, too."""
        assert self.scope.data is not None
        known, tested = Identities(), {}
        splits: list[dict[str, dict[str, set[int]]]] = [{p: {} for p in PURPOSES} for _ in shipped_splits()]
        for name in datasets.DATASETS:
            tested[name] = {known.of(g) for p in self.scope.pairs(name) for g in (p.a, p.b)}
            used = [{p: positions(manifest, name, p) for p in PURPOSES} for manifest in shipped_splits().values()]
            wanted = set().union(*(some for one in used for some in one.values()))
            classes = {k: known.of(graph) for k, graph in datasets.graphs_of(self.scope.data, name, wanted)}
            for split, one in zip(splits, used, strict=True):
                for purpose, some in one.items():
                    split[purpose][name] = {classes[k] for k in some if k in classes}
        return [{**split, "test": tested} for split in splits]

    def _compared(self, name: str) -> dict[str, float]:
        """Count classes of this dataset's graphs that occur for another purpose, in any dataset, split by split."""
        pairs = self.scope.pairs(name)
        out = {"Test": float(len(pairs)), "Test clusters": float(len(self.scope.blocks(name, range(len(pairs)))))}
        out |= dict.fromkeys(SHARED, 0.0)
        for split in self._classes:
            every = {purpose: set().union(*by_name.values()) for purpose, by_name in split.items()}
            out["Train with test"] += len(split["train"][name] & every["test"])
            out["Validation with test"] += len(split["validation"][name] & every["test"])
            out["Train with validation"] += len(split["train"][name] & every["validation"])
        return out

    def cells(self, records: Records) -> list[Cell]:
        """Put the counts into their tables."""
        out: list[Cell] = []
        for name in datasets.DATASETS:
            row = NATIVE[name]
            for r in records.pick("counts", name):
                out += [Cell(AUDIT, row, column, r.outcome.values[key]) for column, key in {**COUNTS, **EVERY}.items()]
            for r in records.pick("identities", name):
                out += [Cell(AUDIT, row, column, r.outcome.values[column]) for column in TESTED]
        for arm, column in ARMS.items():
            for r in records.pick(f"card of {arm}", "weights"):
                out.append(Cell(EPOCHS, f"Seed {r.trial.seed}", column, r.outcome.values["epoch"]))
        return completed(self.scope, self.shapes, out)
