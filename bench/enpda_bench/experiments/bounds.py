"""Every bound on the same pairs: how many it closes, how far it stays away, what it costs; and certificates."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tqdm import tqdm

import enpda
from enpda import _core
from enpda.result.proof import MANY
from enpda.solve.lifted import Form, lifted
from enpda.view.table import Table
from enpda_bench import Settings, datasets
from enpda_bench.datasets import BenchPair

LP_SECONDS = 10.0
MILP_SECONDS: dict[Form, float] = {"aggregated": 60.0, "mccormick": 5.0}
SAMPLE = 25
"""Pairs per dataset for the slow rows, evenly spaced."""

Bound = Callable[[BenchPair], int]


def run(settings: Settings) -> list[Table]:
    """Tables of the bounds, of the integer programmes on a fixed sample, and of certificates."""
    sets = datasets.pair_sets(settings)
    pairs = [p for members in sets.values() for p in members]
    sample = [p for members in sets.values() for p in _spaced(members)]
    tables = [_bounds(sets), _distance(sample), _certificates(pairs)]
    return [*tables, _milp(sample)] if settings.peers else tables


def _spaced(pairs: list[BenchPair]) -> list[BenchPair]:
    count = min(SAMPLE, len(pairs))
    return [pairs[int(k)] for k in np.rint(np.linspace(0, len(pairs) - 1, count))]


def _bounds(sets: dict[str, list[BenchPair]]) -> Table:
    total = sum(map(len, sets.values()))
    table = Table(
        f"upper bounds on {total} pairs, one thread",
        ["bound", *(f"closed {name}" for name in sets), "closed", "median gap", "mean gap", "mean ms", "max ms"],
    )
    for label, bound in _rows().items():
        closed: list[int] = []
        gaps: list[int] = []
        times: list[float] = []
        for members in sets.values():
            closed.append(0)
            for p in tqdm(members, desc=label, leave=False, disable=None):
                begin = time.perf_counter()
                upper = bound(p)
                times.append(1e3 * (time.perf_counter() - begin))
                if upper < p.size:
                    raise RuntimeError(f"{label} says {upper}, but {p.a} / {p.b} share {p.size}")
                closed[-1] += upper == p.size
                gaps.append(upper - p.size)
        statistics = [float(np.median(gaps)), float(np.mean(gaps)), float(np.mean(times)), float(np.max(times))]
        table.rows.append([label, *closed, sum(closed), *statistics])
    table.notes.append(
        "Closed: the bound, in whole edges, equals the best known size. Gap: bound less that size, in edges. "
        "RLT-1 takes the size that `fast` found for known; its time is its own."
    )
    return table


def _rows() -> dict[str, Bound]:
    known: dict[int, int] = {}  # what `fast` found

    def analytic(scales: _core.Scales) -> Bound:
        def bound(p: BenchPair) -> int:
            a, b = _oriented(p)
            prices = _core.run_rounds(a, b, 4).prices
            return int(_core.repaired_prices(a, b, prices, scales)[0])

        return bound

    def zero(p: BenchPair) -> int:
        a, b = _oriented(p)
        return int(_core.repaired_prices(a, b, np.zeros(len(b), dtype=np.float32), _core.Scales.exact)[0])

    def programme(form: Form) -> Bound:
        return lambda p: lifted(p.a, p.b, form=form, time_limit=LP_SECONDS).upper

    def search(p: BenchPair) -> int:
        found = enpda.match(p.a, p.b, "fast")
        known[id(p)] = found.size
        return found.upper

    return {
        "edge cap": lambda p: min(p.a.size, p.b.size),
        "histogram cap": lambda p: _core.caps(p.a.core, p.b.core)["histogram"],
        "zero prices": zero,
        "analytic prices, paper's grid": analytic(_core.Scales.grid),
        "analytic prices, best scale": analytic(_core.Scales.exact),
        "assignment cap": lambda p: _core.caps(p.a.core, p.b.core)["assignment"],
        "combined caps": lambda p: min(_core.caps(p.a.core, p.b.core).values()),
        "combined caps, `fast` search included": search,
        "RLT-1": lambda p: _ascent(p, known[id(p)]).upper,  # rows run in this order
        f"aggregated LP, {LP_SECONDS:g} s (numerical)": programme("aggregated"),
        f"McCormick LP, {LP_SECONDS:g} s (numerical)": programme("mccormick"),
    }


def _oriented(p: BenchPair) -> tuple[_core.Graph, _core.Graph]:
    """Return the smaller graph first, as the paper has it."""
    return (p.a.core, p.b.core) if len(p.a) <= len(p.b) else (p.b.core, p.a.core)


def _ascent(p: BenchPair, known: int, options: _core.RltOptions | None = None, most: int = MANY) -> _core.Proven:
    return _core.prove(*_oriented(p), known, options or _core.RltOptions(), most, _core.BranchOptions(), 0, -1.0)


def _distance(sample: list[BenchPair]) -> Table:
    """Compare the ascent, with nothing deleted, with the linear programme that it approaches."""
    table = Table(
        f"RLT-1 without deletions against the aggregated LP, {len(sample)} pairs",
        ["iterations", "mean distance", "median", "max", "mean ms"],
    )
    exact = [lifted(p.a, p.b, time_limit=None).value for p in tqdm(sample, desc="LP", leave=False, disable=None)]
    for iterations in (50, 200, 1_000, 5_000):
        options = _core.RltOptions()
        options.worth_fixing, options.patience = 2.0, 0
        distances, times = [], []
        for p, value in zip(sample, exact, strict=True):
            begin = time.perf_counter()
            bound = _ascent(p, p.size, options, iterations).bound / _core.RLT_UNIT
            times.append(1e3 * (time.perf_counter() - begin))
            # An ascent that has proven the optimum stops, wherever it is.
            distances.append(bound - value if bound >= p.size + 1 else 0.0)
            if bound < value - 1e-4 and bound >= p.size + 1:
                raise RuntimeError(f"the ascent says {bound}, below the programme's {value}")
        statistics = [np.mean(distances), np.median(distances), np.max(distances), np.mean(times)]
        table.rows.append([iterations, *map(float, statistics)])
    table.notes.append("Distance in edges; 0 where the ascent stopped because its bound proved the optimum.")
    return table


def _certificates(pairs: list[BenchPair]) -> Table:
    """Write, read and verify the certificate of every pair."""
    kinds: dict[str, list[tuple[bool, float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for k, p in enumerate(tqdm(pairs, desc="certificates", leave=False, disable=None)):
            found = enpda.match(p.a, p.b)
            datasets.check(p, found)
            file = Path(folder) / f"{k}.json.gz"
            found.certificate.save(file)
            begin = time.perf_counter()
            report = enpda.verify(file)
            if not report.ok or (report.size, report.upper) != (found.size, found.upper):
                raise RuntimeError(f"the certificate of {found} was refused: {report}")
            seconds = time.perf_counter() - begin
            kinds.setdefault(str(report.kind), []).append((found.optimal, file.stat().st_size / 1e3, 1e3 * seconds))
    table = Table(
        f"certificates of `match` on {len(pairs)} pairs: written, read, verified",
        ["witness", "verified", "optimal", "mean kB", "max kB", "mean ms", "max ms"],
    )
    for kind, rows in kinds.items():
        optimal, size, ms = (np.array(column) for column in zip(*rows, strict=True))
        statistics = [size.mean(), size.max(), ms.mean(), ms.max()]
        table.rows.append([kind, len(rows), int(optimal.sum()), *map(float, statistics)])
    table.notes.append("A refused certificate would have ended the run. Times are those of the verifier, plain Python.")
    return table


def _milp(sample: list[BenchPair]) -> Table:
    table = Table(
        f"integer programmes on {len(sample)} pairs, one thread, starting from `solver`'s mapping",
        ["form", "limit s", "proven", "mean s", "max s", "statuses"],
    )
    for form, limit in MILP_SECONDS.items():
        proven, seconds = 0, []
        statuses: dict[str, int] = {}
        for p in tqdm(sample, desc=f"{form} MILP", leave=False, disable=None):
            start = enpda.match(p.a, p.b, "solver")
            solved = lifted(p.a, p.b, form=form, integral=True, mapping=start.index_mapping, time_limit=limit)
            if solved.upper < p.size:
                raise RuntimeError(f"{form} says {solved.value}, but {p.a} / {p.b} share {p.size}")
            proven += solved.upper == p.size
            seconds.append(solved.seconds)
            statuses[solved.status] = statuses.get(solved.status, 0) + 1
        said = ", ".join(f"{name} {count}" for name, count in statuses.items())
        table.rows.append([form, limit, proven, float(np.mean(seconds)), float(np.max(seconds)), said])
    return table
