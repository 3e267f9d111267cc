"""Many pairs: random ones of a whole library, thresholds, search, threads and workers, memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import enpda
from enpda.bulk.evaluate import evaluate
from enpda.bulk.library import Library
from enpda.bulk.question import Question
from enpda.bulk.rows import Rows
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.solve.options import Options
from enpda.view.table import Table
from enpda_bench import Section, Settings, by_section
from enpda_bench.baselines import Answer, Worker

SEED = 20261120
LIMIT = 10.0
RANDOM, RASCAL = 20_000, 2_000
"""Random pairs, and how many of the first of them RASCAL gets."""
THRESHOLD_ITEMS, THRESHOLD = 3_000, 0.7
QUERIES, BRUTE = 50, 2
MASSSPECGYM = 31_587
"""Compounds of the public project whose 499 million pairs were estimated at 30,000 node-hours."""


def run(settings: Settings) -> list[Table]:
    """One table a question; `--only` asks one of them."""
    return by_section(settings, SECTIONS)


@lru_cache(maxsize=1)
def library(data: Path | None) -> Library:
    """Return the molecules of MassSpecGym; without data those that ship."""
    if data is None:
        from enpda.data import drugs

        return Library.of(drugs().values())
    path = data / "massspecgym.smi.gz"
    if not path.is_file():
        raise InputError(f"{path} does not exist; docs/data.md says where it comes from")
    return Library.of(path, progress=sys.stderr.isatty())


def random_pairs(count: int, items: int, seed: int = SEED) -> npt.NDArray[np.int64]:
    """Draw pairs of different items."""
    rng = np.random.default_rng(seed)
    first = rng.integers(items, size=count)
    second = (first + rng.integers(1, items, size=count)) % items
    return np.column_stack([first, second]).astype(np.int64)


def answered(pairs: npt.NDArray[np.int64], items: Library, ask: Question, threads: int = 1, block: int = 250) -> Rows:
    """Evaluate pairs block by block, with a bar."""
    blocks = range(0, len(pairs), block)
    bar = tqdm(blocks, desc="pairs", leave=False, disable=None)
    return Rows.concatenated([evaluate(pairs[k : k + block], items, items, ask, threads) for k in bar])


def random_table(settings: Settings, rascal: int = RASCAL) -> Table:
    """Return random pairs of the whole library, with RASCAL on the first of them."""
    items = library(settings.data)
    pairs = random_pairs(settings.count or RANDOM, len(items))
    rows = answered(pairs, items, Question(Options(time_limit=LIMIT)))
    table = Table(
        f"{len(pairs)} random pairs of {len(items)} molecules, one thread, {LIMIT:g} s a pair",
        ["program", "pairs", "proven", "mean ms", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"],
    )

    def add(label: str, seconds: npt.NDArray[np.float64], proven: int) -> None:
        quantiles = np.quantile(seconds, (0.5, 0.9, 0.99, 0.999, 1.0))
        table.rows.append([label, len(seconds), proven, *(float(1e3 * x) for x in (seconds.mean(), *quantiles))])

    add("enpda", rows.seconds, int(rows.optimal.sum()))
    first = min(rascal, len(pairs))
    add("enpda, the pairs of RASCAL", rows.seconds[:first], int(rows.optimal[:first].sum()))
    if settings.peers:
        theirs = _others("rascal_molecules:whole", items, pairs[:first])
        seconds = np.array([answer.seconds for answer in theirs])
        add(f"RASCAL, {LIMIT:g} s", seconds, sum(answer.proven for answer in theirs))
        size = np.array([answer.size for answer in theirs])
        ours = rows.size[:first]
        table.notes.append(
            f"RASCAL takes {seconds.sum() / rows.seconds[:first].sum():.0f} times as long. It finds more than enpda on "
            f"{int((size > ours).sum())} pairs and less on {int((size < ours).sum())}."
        )
    for k in np.flatnonzero(~rows.optimal):
        table.notes.append(
            f"Not proven: items {pairs[k, 0]} and {pairs[k, 1]}, {rows.size[k]} to {rows.upper[k]} edges."
        )
    every = MASSSPECGYM * (MASSSPECGYM - 1) // 2
    hours, wide = _hours(rows.seconds, every)
    table.notes.append(
        f"All {every:,} pairs of {MASSSPECGYM:,} such molecules: {hours:.0f} core-hours [{wide[0]:.0f}, {wide[1]:.0f}]."
    )
    return table


def _hours(seconds: npt.NDArray[np.float64], pairs: int) -> tuple[float, tuple[float, float]]:
    rng = np.random.default_rng(SEED)
    means = [seconds[rng.integers(len(seconds), size=len(seconds))].mean() for _ in range(1_000)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(seconds.mean()) * pairs / 3600, (float(low) * pairs / 3600, float(high) * pairs / 3600)


def _others(baseline: str, items: Library, pairs: npt.NDArray[np.int64]) -> list[Answer]:
    graphs: dict[int, Graph] = {k: items[k] for k in np.unique(pairs).tolist()}
    with Worker(baseline) as ask:
        bar = tqdm(pairs.tolist(), desc=baseline, leave=False, disable=None)
        return [ask(graphs[i], graphs[j], LIMIT) for i, j in bar]


def _threshold(settings: Settings) -> list[Table]:
    """All pairs above a similarity, and RASCAL on a sample of all pairs and of those found."""
    every = library(settings.data)
    count = min(settings.count or THRESHOLD_ITEMS, len(every))
    chosen = np.sort(np.random.default_rng(SEED).choice(len(every), count, replace=False))
    items = Library.of([every[k] for k in chosen.tolist()])
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        found = enpda.matrix(items, min_similarity=THRESHOLD, out=folder, threads=1, progress=sys.stderr.isatty())
        spent = time.perf_counter() - begin
        hits = {(int(i), int(j)): bool(sure) for i, j, sure in zip(*found.entries("optimal"), strict=True)}
        loose = int((found.entries("similarity")[2] < THRESHOLD).sum())
    table = Table(
        f"pairs of {count} molecules with similarity at least {THRESHOLD:g}, one thread",
        ["program", "pairs", "found", "seconds", "us a pair", "seconds for all pairs"],
    )
    pairs = found.job.pairs
    table.rows.append(["enpda", pairs, len(hits), spent, 1e6 * spent / pairs, spent])
    table.notes.append(
        f"{sum(hits.values())} of the {len(hits)} rows are proven optimal; on {loose} of them the mapping is below the "
        "threshold, but the bound on its nodes is not."
    )
    if settings.peers:
        sample = random_pairs(min(RANDOM, 4 * pairs), count, SEED + 1)
        theirs = _others("rascal_molecules:similar", items, sample)
        seconds = sum(answer.seconds for answer in theirs)
        more, less = _compared(sample, theirs, hits)
        each, cut = seconds / len(sample), sum(not answer.proven for answer in theirs)
        label = f"RASCAL, random sample, {LIMIT:g} s"
        near = sum(answer.size for answer in theirs)
        table.rows.append([label, len(sample), near, seconds, 1e6 * each, each * pairs])
        table.notes.append(
            f"RASCAL takes {each * pairs / spent:.0f} times as long. On the sample it finds {more} pairs that enpda "
            f"does not list, and misses {less}; it was cut short on {cut}."
        )
        listed = np.array(list(hits)[:: max(len(hits) // 500, 1)])
        missed = [answer for answer in _others("rascal_molecules:similar", items, listed) if not answer.size]
        table.notes.append(
            f"Of {len(listed)} pairs that enpda lists RASCAL finds all but {len(missed)}, of which it was cut short on "
            f"{sum(not answer.proven for answer in missed)}."
        )
    return [table]


def _compared(
    sample: npt.NDArray[np.int64], theirs: list[Answer], hits: dict[tuple[int, int], bool]
) -> tuple[int, int]:
    """Count pairs that only they find, and that only we find."""
    ours = [(min(i, j), max(i, j)) in hits for i, j in sample.tolist()]
    more = sum(bool(a.size) and not mine for a, mine in zip(theirs, ours, strict=True))
    less = sum(mine and not a.size for a, mine in zip(theirs, ours, strict=True))
    return more, less


def _search(settings: Settings) -> list[Table]:
    """Exact top-10 searches, and brute force for the first of them."""
    items = library(settings.data)
    count = min(settings.count or QUERIES, len(items))
    queries = np.random.default_rng(SEED + 2).choice(len(items), count, replace=False).tolist()
    _ = items.screen, items.classes  # prepared once a library
    hits = [
        enpda.search(items[k], items, 10, threads=2) for k in tqdm(queries, desc="queries", leave=False, disable=None)
    ]
    seconds = np.array([found.seconds for found in hits])
    table = Table(
        f"top 10 of {len(items)} molecules by similarity, {count} queries, two threads",
        ["what", "mean", "p50", "p90", "max"],
    )

    def add(label: str, values: Any) -> None:
        table.rows.append([label, *(float(x) for x in (np.mean(values), *np.quantile(values, (0.5, 0.9, 1.0))))])

    add("seconds a query", seconds)
    add("excluded by counts", [found.screened for found in hits])
    add("excluded by a bound", [found.excluded for found in hits])
    add("matched", [found.evaluated for found in hits])
    table.notes.append(f"{sum(found.exact for found in hits)} of {count} answers are proven to be the top 10.")
    wrong = 0
    for k, found in list(zip(queries, hits, strict=True))[: BRUTE if settings.peers else 0]:
        pairs = np.column_stack([np.full(len(items), k), np.arange(len(items))]).astype(np.int64)
        rows = answered(pairs, items, Question(Options(time_limit=LIMIT)), threads=2)
        best = np.lexsort((rows.b, -rows.similarity))[:10].tolist()
        wrong += [hit.index for hit in found] != [int(rows.b[p]) for p in best]
    if settings.peers:
        table.notes.append(f"Brute force over all molecules gives another top 10 for {wrong} of {BRUTE} queries.")
    return [table]


def _scaling(settings: Settings) -> list[Table]:
    """Threads against threads, workers against workers, on the same pairs."""
    items = library(settings.data)
    pairs = random_pairs(settings.count or 6_000, len(items), SEED + 3)
    ask = Question(Options(time_limit=1.0))
    table = Table(f"{len(pairs)} random pairs: wall seconds", ["who", "one", "two", "ratio"])
    seconds = []
    for threads in (1, 2):
        answered(pairs[:200], items, ask, threads)  # warm
        begin = time.perf_counter()
        answered(pairs, items, ask, threads, block=3_000)
        seconds.append(time.perf_counter() - begin)
    table.rows.append(["threads", *seconds, seconds[0] / seconds[1]])
    if settings.peers:
        count = min(settings.count or 200, len(items))
        drawn = np.random.default_rng(SEED + 4).choice(len(items), count, replace=False)
        chosen = [items[k] for k in drawn.tolist()]
        times = [_by_dask(chosen, workers) for workers in (1, 2)]
        table.rows.append([f"Dask workers, all pairs of {len(chosen)}", *times, times[0] / times[1]])
    return [table]


def _by_dask(items: list[Graph], workers: int) -> float:
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise InputError("pip install 'enpda[bulk]' for Dask, or use --no-peers") from None
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
        tempfile.TemporaryDirectory() as folder,
    ):
        enpda.matrix(items[:20], time_limit=1.0, engine="dask", client=client, out=f"{folder}/warm")
        begin = time.perf_counter()
        enpda.matrix(items, time_limit=1.0, engine="dask", client=client, out=f"{folder}/job")
        return time.perf_counter() - begin


MEMORY = """
import re, sys, time
import enpda
begin = time.perf_counter()
found = enpda.matrix(sys.argv[1], min_similarity=float(sys.argv[2]), out=sys.argv[3], threads=2)
seconds = time.perf_counter() - begin
# What getrusage says of a child begins with the memory of its parent.
peak = re.search("VmHWM: *([0-9]+)", open("/proc/self/status").read().replace("\\t", " "))
print(found.job.pairs, seconds, int(peak[1]) / 1024)
"""


HELD = """
import re, sys
import enpda
def now():
    return int(re.search("VmRSS: *([0-9]+)", open("/proc/self/status").read().replace("\\t", " "))[1]) / 1024
enpda.search("CCO", ["CCN"])
before = now()
library = enpda.Library.of(sys.argv[1])
held = now()
enpda.search(library[len(library) // 2], library)
print(len(library), before, held, now())
"""


def _held(settings: Settings) -> Table:
    """Measure what molecules take in a library in memory, after one search of it."""
    every = library(settings.data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "items.smi")
        texts = [every.smiles_of(k) for k in range(min(settings.count or len(every), len(every)))]
        path.write_text("".join(f"{text}\n" for text in texts if text is not None))
        arguments = [sys.executable, "-c", HELD, str(path)]
        printed = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    count, before, held, after = (float(x) for x in printed.split())
    columns = ["molecules", "MB before", "MB with them", "MB after a search", "kB a molecule"]
    table = Table("molecules in a library in memory", columns)
    table.rows.append([int(count), before, held, after, (after - before) * 1024 / count])
    return table


def _memory(settings: Settings) -> list[Table]:
    """Peak memory of a process that does ten million pairs of a library file, and what a library in memory takes."""
    every = library(settings.data)
    chosen = np.random.default_rng(SEED).choice(len(every), min(settings.count or 4_473, len(every)), replace=False)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/items.arrow"
        Library.build([every[k] for k in chosen.tolist()], path)
        arguments = [sys.executable, "-c", MEMORY, path, str(THRESHOLD), f"{folder}/job"]
        printed = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    pairs, seconds, peak = (float(x) for x in printed.split())
    columns = ["pairs", "seconds", "pairs/s", "peak memory MB"]
    table = Table(f"one process, two threads, similarity at least {THRESHOLD:g}", columns)
    table.rows.append([int(pairs), seconds, pairs / seconds, peak])
    return [table, _held(settings)]


SECTIONS: dict[str, Section] = {
    "random": lambda settings: [random_table(settings)],
    "threshold": _threshold,
    "search": _search,
    "scaling": _scaling,
    "memory": _memory,
}
