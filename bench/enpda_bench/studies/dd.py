"""How do time and memory grow with the graphs? Pairs of D&D proteins of 40 to 650 nodes, optima unknown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import enpda
from enpda import _core
from enpda.view.plots import lines
from enpda_bench.arms import projection, trajectory
from enpda_bench.datasets import BenchPair
from enpda_bench.memory import peak
from enpda_bench.natural import DD_BINS, DD_PER_BIN
from enpda_bench.outcomes import asked, matched
from enpda_bench.study import Cell, Floats, Outcome, Record, Records, Shape, Study, Trial
from enpda_bench.tally import absent, completed, missing

TABLE, CONTROLS = "enpda-dd-scaling", "dd-controls"
ROWS = tuple(f"{low}-{high} nodes" for low, high in DD_BINS.values())
VALUES = {
    "Nodes": "nodes",
    "Grid (k)": "grid",
    "Compat. (k)": "compatible",
    "ACG edges (k)": "association",
    "Build s": "build",
    "Forward s": "forward",
    "Projection s": "projection",
    "Peak GiB": "peak",
}
"""Column -> what a record calls it; medians of a bin."""
QUALITY = {"full": "L/U0", "growth": "L/U0, grown", "auto": "L/U0, auto"}
"""Of training seed 0, as in the paper."""
BY_SEED: Mapping[str, Callable[[Floats], Any]] = {"L/U0, mean of seeds": np.mean, "L/U0, best seed": np.max}
"""The same of all training seeds: a median of five pairs leaves much to the seed."""
OTHERS = {"sinkhorn": "Sinkhorn", "sinkhorn:gumbel": "Gumbel-Sinkhorn, best of 10"}


class DDStudy(Study):
    """Build, rounds and projection, timed apart; the share of min |E| is a lower bound and no accuracy."""

    name = "dd"
    title = "Scaling on D&D proteins"
    shapes = (
        Shape(
            TABLE,
            "D&D, four learned rounds, medians of a bin",
            lower=("Build s", "Forward s", "Projection s", "Peak GiB"),
            plain=("Nodes", "Grid (k)", "Compat. (k)", "ACG edges (k)"),
            digits=3,
        ),
        Shape(
            CONTROLS,
            "D&D: pairs on which ENPDA shares more, as many or fewer edges than a control",
            plain=("More", "Equal", "Fewer"),
            digits=0,
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """Every method on every pair; the controls where they fit into the profile's time."""
        if self.scope.data is None:
            return
        every = self.scope.positions("dd")
        for pair in self.scope.pick(every[: 2 * DD_PER_BIN : DD_PER_BIN], every, every):
            for arm in QUALITY:
                yield Trial(arm, "dd", pair)
            for seed in self.scope.seeds[1:]:
                yield Trial("full", "dd", pair, seed)
        for pair in self.scope.pick(every[:1], every[: 3 * DD_PER_BIN], every):
            for arm in OTHERS:
                yield Trial(arm, "dd", pair)

    def run(self, trial: Trial) -> Outcome:
        """Measure one method on one pair."""
        pair = self.scope.pairs("dd")[trial.pair]
        if trial.arm == "auto":
            return matched(pair, "auto", self._limit)
        if trial.arm in OTHERS:
            return asked(self.scope, trial.arm, pair, 60.0)
        return _core_run(pair, "growth" if trial.arm == "growth" else "hungarian", trial.seed)

    @property
    def _limit(self) -> float:
        return self.scope.pick(0.2, 1.0, 10.0)

    def cells(self, records: Records) -> list[Cell]:
        """Medians by bin, and how the controls compare."""
        out: list[Cell] = []
        every, records = records, Records(r for r in records if r.trial.seed == self.scope.seeds[0])
        for place, row in enumerate(ROWS):
            inside = Records(r for r in records if r.trial.pair // DD_PER_BIN == place)
            mine = inside.pick("full", "dd")
            if not mine:
                continue
            for column, key in VALUES.items():
                found = [r.outcome.values[key] for r in mine if key in r.outcome.values]
                note = "" if found else "the system does not tell"
                out.append(Cell(TABLE, row, column, float(np.median(found)) if found else None, note=note))
            for arm, column in QUALITY.items():
                some = inside.pick(arm, "dd")
                note = f"{self._limit:g} s of search" if arm == "auto" else ""
                share = float(np.median([self._share(r) for r in some])) if some else None
                out.append(Cell(TABLE, row, column, share, note=note if some else absent(some)))
            same = Records(r for r in every if r.trial.pair // DD_PER_BIN == place)
            shares = np.median(same.grid("full", "dd", self._share), axis=1)
            for column, of in BY_SEED.items():
                out.append(Cell(TABLE, row, column, float(of(shares)), note=f"{len(shares)} training seeds"))
        return completed(self.scope, self.shapes, out + self._controls(records))

    def _share(self, record: Record) -> float:
        pair = self.scope.pairs("dd")[record.trial.pair]
        return (record.outcome.size or 0) / max(pair.upper, 1)

    def _controls(self, records: Records) -> list[Cell]:
        ours = {r.trial.pair: r.outcome.size or 0 for r in records.pick("full", "dd")}
        out: list[Cell] = []
        for arm, row in OTHERS.items():
            theirs = records.pick(arm, "dd")
            if not theirs:
                continue
            if why := absent(theirs):
                out += missing(CONTROLS, row, ("More", "Equal", "Fewer"), why)
                continue
            change = np.array([ours[r.trial.pair] - r.outcome.size for r in theirs if r.outcome.size is not None])
            note = f"{len(change)} pairs"
            for column, count in (("More", change > 0), ("Equal", change == 0), ("Fewer", change < 0)):
                out.append(Cell(CONTROLS, row, column, int(count.sum()), note=note))
        return out

    def figures(self, records: Records) -> dict[str, str]:
        """Draw times and quality against the number of nodes."""
        records = Records(r for r in records if r.trial.seed == self.scope.seeds[0])
        times: dict[str, list[tuple[float, float]]] = {"build": [], "forward": [], "projection": []}
        quality: dict[str, list[tuple[float, float]]] = {column: [] for column in QUALITY.values()}
        for place in range(len(DD_BINS)):
            inside = Records(r for r in records if r.trial.pair // DD_PER_BIN == place)
            mine = inside.pick("full", "dd")
            if not mine:
                continue
            nodes = float(np.median([r.outcome.values["nodes"] for r in mine]))
            for key, curve in times.items():
                curve.append((nodes, float(np.median([r.outcome.values[key] for r in mine]))))
            for arm, column in QUALITY.items():
                if some := inside.pick(arm, "dd"):
                    quality[column].append((nodes, float(np.median([self._share(r) for r in some]))))
        if not times["build"]:
            return {}
        return {
            "D&D: seconds": lines(times, "D&D pairs: median seconds", "nodes"),
            "D&D: share of min |E|": lines(quality, "D&D pairs: edges, share of min |E|", "nodes"),
        }


def _core_run(pair: BenchPair, decoder: str, seed: int = 0) -> Outcome:
    """Time set-up, rounds and projection of a pair that nothing was computed for before."""
    a, b = (enpda.Graph(g.labels, g.edges, g.edge_labels) for g in (pair.a, pair.b))
    fresh = BenchPair(a, b, pair.size, pair.upper)
    begin = time.perf_counter()
    _core.run_rounds(fresh.a.core, fresh.b.core, 0)
    built = time.perf_counter()
    (state, turned), most = peak(lambda: trajectory(fresh, "full", seed))
    ran = time.perf_counter()
    found = projection(fresh, state, turned, decoder)
    ended = time.perf_counter()
    n, m = len(pair.a), len(pair.b)
    values = {
        "nodes": (n + m) / 2,
        "grid": n * m / 1e3,
        "compatible": float((pair.a.labels[:, None] == pair.b.labels[None, :]).sum()) / 1e3,
        "association": len(_core.association_edges(pair.a.core, pair.b.core)) / 1e3,
        "build": built - begin,
        "forward": ran - built,
        "projection": ended - ran,
    }
    if most is not None:
        values["peak"] = most / 2**30
    return Outcome(image=found.image, size=found.size, seconds=ended - built, values=values)
