"""Cost against size: pairs of graphs like molecules, from a hundred cells to a million."""

from __future__ import annotations

import time

import numpy as np
from tqdm import tqdm

import enpda
from enpda.solve.options import Method
from enpda.view.table import Table
from enpda_bench import Settings
from enpda_bench.molecular import molecular

SEED = 20261122
LIMIT = 10.0
NODES = (10, 18, 32, 56, 100, 178, 316, 562, 1_000)
"""Of either graph: cells n x m from 10^2 to 10^6, by half decades."""
PAIRS = 5
METHODS: tuple[Method, ...] = ("analytic", "core", "fast", "auto")


def slope(settings: Settings) -> list[Table]:
    """Time calls on pairs of new graphs of every size, and the slope of log time on log cells."""
    count = settings.count or PAIRS
    table = Table(
        f"median wall time of a call, ms: {count} pairs of generated graphs a size, one thread, {LIMIT:g} s at most",
        ["n x m", "nodes", *METHODS, "proven by auto", "at the limit"],
    )
    points: dict[Method, list[tuple[float, float]]] = {method: [] for method in METHODS}
    over: set[Method] = set()
    for method in METHODS:
        _call(NODES[0], SEED - 2, method)  # what is loaded once does not count
    for nodes in tqdm(NODES, desc="sizes", leave=False, disable=None):
        row: list[float | str] = []
        proven, late = "", 0
        for method in METHODS:
            if method in over:
                row.append("")
                continue
            calls = [_call(nodes, SEED + 2 * k, method) for k in range(count)]
            seconds = float(np.median([spent for spent, _, _ in calls]))
            stopped = sum(cut for _, cut, _ in calls)
            late += stopped
            row.append(1e3 * seconds)
            if method == "auto":
                proven = f"{sum(sure for _, _, sure in calls)} of {count}"
            if stopped == 0:
                points[method].append((nodes * nodes, seconds))
            if stopped == count:
                over.add(method)
        table.rows.append([nodes * nodes, nodes, *row, proven, late])
    slopes = [f"`{method}` {_slope(found):.2f} ({len(found)} sizes)" for method, found in points.items() if found[1:]]
    table.notes += [
        f"Slopes of log time on log cells: {', '.join(slopes) or 'none'}; of sizes at which no call met the limit.",
        f"`auto` ends where a proof is out of reach. A method that meets the limit on all pairs of a size is not asked "
        f"about larger ones. Timed are calls on new graphs; seeds begin at {SEED}.",
    ]
    return [table]


def _call(nodes: int, seed: int, method: Method) -> tuple[float, bool, bool]:
    """Return seconds, whether the time limit struck, and whether the mapping is proven optimal."""
    a, b = molecular(nodes, seed), molecular(nodes, seed + 1)
    begin = time.perf_counter()
    found = enpda.match(a, b, method, LIMIT)
    spent = time.perf_counter() - begin
    if found.stopped == "interrupted":
        raise KeyboardInterrupt
    return spent, found.stopped == "time_limit", found.optimal


def _slope(points: list[tuple[float, float]]) -> float:
    cells, seconds = np.log(np.array(points)).T
    return float(np.polyfit(cells, seconds, 1)[0])
