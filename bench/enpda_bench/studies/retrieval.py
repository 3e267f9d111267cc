"""Which method finds the most similar molecules among look-alikes? Three pools of two datasets, full and hard-only."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from enpda.view.plots import bars
from enpda_bench.needs import without_torch
from enpda_bench.retrieval import tables
from enpda_bench.retrieval.bank import Bank, bank
from enpda_bench.retrieval.metrics import measures
from enpda_bench.retrieval.pools import SEEDS, Pool, Pools, Sizes
from enpda_bench.retrieval.rankers import Ranker, by_search, by_size, by_wl, own_fast, paper_fast, rank
from enpda_bench.retrieval.tables import EXACT, FAST, LEARNED, METHODS, OWN, RASCAL, REFERENCE, TOP, TRAIN
from enpda_bench.retrieval.truth import Truth, truth
from enpda_bench.scope import Scope
from enpda_bench.study import Cell, Floats, Outcome, Records, Study, Trial
from enpda_bench.tally import completed

if TYPE_CHECKING:
    from enpda_bench.retrieval.training import Student

PLAIN: dict[str, Ranker] = {"Size": by_size, "WL": by_wl}


class RetrievalStudy(Study):
    """A trial is one query of one pool, ranked by one method; training a rival is one, too.

    Query k of a set is its `pair`; pool and model have the same seed, 0 to 2. The paper's pools have 20 queries with
    500 candidates each. `quick` trains rivals on fewer graphs for fewer epochs and lets RASCAL label the candidates of
    fewer queries; `smoke`, and any run without a data folder, takes small pools of drugs.
    """

    name = "retrieval"
    title = "Which method finds the most similar molecules among look-alikes?"
    shapes = tables.SHAPES

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        real = scope.data is not None and scope.profile != "smoke"
        self.sets = ("molhiv", "mcf7") if real else ("drugs",)
        self.sizes = Sizes() if real else Sizes(parents=25, queries=2, hard=20, variants=4)
        self.queries = self.sizes.queries
        self.labelled = scope.pick(self.queries, 5, self.queries)
        """Queries of a pool whose candidates RASCAL labels, too."""
        self.graphs, self.epochs = scope.pick((12, 2), (150, 12), (800, 30))
        self.limit, self.patience = scope.pick((1.0, 1.0), (1.0, 1.0), (10.0, 60.0))
        """Seconds a pair: ours, and RASCAL's."""
        self.bank = lru_cache(maxsize=len(self.sets))(self._bank)
        self.pools = lru_cache(maxsize=len(self.sets) * len(scope.seeds))(self._pools)
        self.pool = lru_cache(maxsize=1)(self._pool)
        self.student = lru_cache(maxsize=len(LEARNED))(self._student)

    def trials(self) -> Iterable[Trial]:
        """Train, then rank the pools, each query by every method; RASCAL labels a sample."""
        for name in self.sets:
            for seed in self.scope.seeds:
                for kind in LEARNED:
                    yield Trial(TRAIN + kind, name, 0, seed)
                for query in range(self.queries):
                    for arm in (REFERENCE, *METHODS, TOP, *((RASCAL,) if query < self.labelled else ())):
                        yield Trial(arm, name, query, seed)

    def run(self, trial: Trial) -> Outcome:
        """Rank one pool, and measure that by the reference similarities."""
        if trial.arm.removeprefix(TRAIN) in LEARNED and (why := without_torch()):
            return Outcome(status=why)
        if trial.arm.startswith(TRAIN):
            return self._train(trial)
        pool = self.pool(trial.set, trial.seed, trial.pair)
        if trial.arm == REFERENCE:
            return self._refer(trial, pool)
        known = self._truth(trial, pool)
        if trial.arm == RASCAL:
            return self._compare(pool, known)
        ranked = rank(pool, self._ranker(trial))
        values = {"wall hard": ranked.wall[0], "work hard": ranked.work[0], "work full": ranked.work[1]}
        return Outcome(seconds=ranked.wall[1], values={**values, **_measured(pool, ranked.scores, known)})

    def cells(self, records: Records) -> list[Cell]:
        """Averages within pools, then over pools."""
        note = f"{self.queries} queries a pool, {self.sizes.hard + self.sizes.variants} candidates each"
        found = [cell for name in self.sets for cell in tables.cells(records, name, note)]
        return completed(self.scope, self.shapes, found)

    def figures(self, records: Records) -> dict[str, str]:
        """Draw MAP with its bounds."""
        title = "Retrieval MAP on identical candidate pools"
        return {title: bars(tables.precisions(records, self.sets), title)}

    # -- one trial -----------------------------------------------------------------------------------------

    def _ranker(self, trial: Trial) -> Ranker:
        if trial.arm in PLAIN:
            return PLAIN[trial.arm]
        if trial.arm in LEARNED:
            return self.student(trial.set, trial.seed, trial.arm).scores
        return {
            FAST: paper_fast(trial.seed),
            OWN: own_fast(trial.seed),
            EXACT: by_search(self.limit),
            TOP: by_search(self.limit, 10),
        }[trial.arm]

    def _train(self, trial: Trial) -> Outcome:
        student = self.student(trial.set, trial.seed, trial.arm.removeprefix(TRAIN))
        _, errors, seconds = zip(*student.history, strict=True)
        values = {"first error": errors[0], "best error": min(errors), "epochs": len(errors)}
        return Outcome(seconds=sum(seconds), values={**values, "pairs": student.lessons.count})

    def _refer(self, trial: Trial, pool: Pool) -> Outcome:
        begin = time.perf_counter()
        known = self._truth(trial, pool)
        seconds = time.perf_counter() - begin
        labels = known.relevant
        values = {"pairs": len(labels), "open": int((labels < 0).sum()), "relevant": int((labels == 1).sum())}
        best = _measured(pool, known.low, known)
        return Outcome(seconds=seconds, proven=not values["open"], values={**values, **best})

    def _compare(self, pool: Pool, known: Truth) -> Outcome:
        """Let RASCAL label some candidates, evenly spaced in the pool."""
        chosen = np.unique(np.linspace(0, len(pool.candidates) - 1, self.scope.pick(3, 10, 10)).astype(int))
        worker, seconds = self.scope.worker("rascal:relevant"), 0.0
        counts = {"same": 0, "only ours": 0, "only RASCAL": 0, "RASCAL open": 0, "open": 0}
        for k in chosen.tolist():
            answer = worker(pool.query, pool.candidates[k], self.patience)
            seconds += answer.seconds
            ours = int(known.relevant[k])
            agreed = ("only RASCAL", "same", "only ours")[ours - answer.size + 1]
            counts["RASCAL open" if not answer.proven else "open" if ours < 0 else agreed] += 1
        return Outcome(seconds=seconds, values={**counts, "pairs": len(chosen)})

    # -- what trials share ---------------------------------------------------------------------------------

    def _bank(self, name: str) -> Bank:
        return bank(self.scope.data, name)

    def _pools(self, name: str, seed: int) -> Pools:
        return Pools(self.bank(name), SEEDS[seed], self.sizes)

    def _pool(self, name: str, seed: int, query: int) -> Pool:
        return self.pools(name, seed).pool(query)

    def _folder(self, name: str) -> Path:
        folder = self.scope.work / self.name / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _truth(self, trial: Trial, pool: Pool) -> Truth:
        path = self._folder(trial.set) / f"truth-{trial.seed}-{trial.pair}.npy"
        if not path.is_file():
            truth(pool, self.limit).save(path)
        return Truth.load(path)

    def _student(self, name: str, seed: int, kind: str) -> Student:
        import torch

        from enpda_bench.retrieval.lessons import lessons
        from enpda_bench.retrieval.training import trained

        folder = self._folder(name)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return trained(
            kind, lessons(self.bank(name), self.graphs, folder), seed, self.epochs, folder / f"{kind}-{seed}.pt", device
        )


def _measured(pool: Pool, scores: Floats, known: Truth) -> dict[str, float]:
    """Return every metric with its bounds, for the full pool and without the variants."""
    values = {}
    for part, chosen in (("full", np.ones_like(pool.variant)), ("hard", ~pool.variant)):
        for metric, measure in measures(scores[chosen], known.take(chosen)).items():
            values[f"{part} {metric}"] = measure.value
            values[f"{part} {metric} low"], values[f"{part} {metric} high"] = measure.low, measure.high
    return values
