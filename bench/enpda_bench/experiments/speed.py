"""Speed where users wait: calls beside RASCAL's and SMSD's, the slowest pairs, tables, memory, size, instructions."""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import enpda
from enpda.bulk.library import Library
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.view.table import Table
from enpda_bench import Section, Settings, by_section, instructions
from enpda_bench.baselines import Answer, Worker
from enpda_bench.baselines.calls import KINDS
from enpda_bench.experiments.bulk import library, random_pairs
from enpda_bench.experiments.footprint import footprint
from enpda_bench.experiments.slope import slope
from enpda_bench.experiments.tail import tail

SEED = 20261121
LIMIT = 10.0
PAIRS, TAIL_PAIRS, TABLE_ITEMS, MEMORY_ITEMS = 2_000, 100_000, 1_000, 10_000
PROGRAMS = {"enpda": "calls:enpda_call", "RASCAL": "calls:rascal", "SMSD": "calls:smsd"}
DISTANCE, SIMILARITY = 10, 0.7
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


def run(settings: Settings) -> list[Table]:
    """One table a question; `--only` asks one of them."""
    return by_section(settings, SECTIONS)


def calls(kind: str, settings: Settings) -> list[Table]:
    """Time whole calls on random pairs, programs by turns on each pair, each in a process of its own."""
    items = library(settings.data)
    pairs = random_pairs(settings.count or PAIRS, len(items), SEED)
    programs = PROGRAMS if settings.peers else {"enpda": PROGRAMS["enpda"]}
    answers: dict[str, list[Answer]] = {name: [] for name in programs}
    workers: dict[str, Worker] = {}
    try:
        for name, module in programs.items():
            workers[name] = Worker(module)
        names = list(programs)
        for k, (i, j) in enumerate(tqdm(pairs.tolist(), desc=f"{kind} pairs", leave=False, disable=None)):
            for name in names[k % len(names) :] + names[: k % len(names)]:
                answers[name].append(workers[name](items[i], items[j], LIMIT, kind=kind))
    finally:
        for worker in workers.values():
            worker.close()
    return [_table(kind, len(items), answers)]


def _table(kind: str, items: int, answers: dict[str, list[Answer]]) -> Table:
    columns = [*(f"{name} ms" for name in (*QUANTILES, "mean")), *(f"{name} ratio" for name in (*QUANTILES, "mean"))]
    ours = answers["enpda"]
    table = Table(
        f"wall time of a call, {kind}: {len(ours)} random pairs of {items} molecules, one thread, {LIMIT:g} s at most",
        ["program", "finished", "at the limit", "failed", *columns],
    )
    base = _figures(ours)
    for name, found in answers.items():
        figures = _figures(found)
        failed = sum(bool(answer.failure) for answer in found)
        finished = sum(answer.proven for answer in found)
        row = [name, finished, len(found) - finished - failed, failed]
        table.rows.append([*row, *(1e3 * figures).tolist(), *(figures / base).tolist()])
        both = [(a.size, b.size) for a, b in zip(ours, found, strict=True) if a.proven and b.proven]
        if name != "enpda":
            more, less = sum(b > a for a, b in both), sum(b < a for a, b in both)
            table.notes.append(f"Of {len(both)} pairs that both finish {name} shares more on {more}, fewer on {less}.")
        reasons = sorted({answer.failure for answer in found if answer.failure})
        table.notes += [f"{name} failed: {reason}" for reason in reasons]
    table.notes += [
        f"{KINDS[kind]} Programs take turns on each pair, each in a process of its own that measures the call itself; "
        f"making and checking answers for this table does not count. Seed {SEED}.",
        "Ratios: of this program's figure to enpda's. What meets the limit counts with the time it took, which RASCAL "
        "and SMSD may overrun; a failure, with the time until it ended.",
    ]
    if kind == "smiles":
        table.notes.append(
            "SMSD reads SMILES itself and answers another question then, the nearest that its options offer: aromatic "
            "atoms meet aromatic ones only, so that it shares less. RASCAL's molecules are RDKit's, as ours."
        )
    return table


def _figures(found: list[Answer]) -> npt.NDArray[np.float64]:
    seconds = np.array([answer.seconds for answer in found])
    return np.array([*np.quantile(seconds, list(QUANTILES.values())), seconds.mean()])


def _tail(settings: Settings) -> list[Table]:
    items = library(settings.data)
    return tail(items, random_pairs(settings.count or TAIL_PAIRS, len(items), SEED))


def _tables(settings: Settings) -> list[Table]:
    """All pairs of some molecules, by distance and by similarity, each with graphs that nothing is known of yet."""
    every = library(settings.data)
    count = min(max(settings.count or TABLE_ITEMS, 2), len(every))
    chosen = np.sort(np.random.default_rng(SEED).choice(len(every), count, replace=False)).tolist()
    table = Table(
        f"all pairs of {count} molecules by a threshold, one thread, {LIMIT:g} s a pair",
        ["question", "pairs", "found", "open", "seconds", "us a pair", "ratio to distance"],
    )
    pairs, first = count * (count - 1) // 2, 0.0
    for distance, similarity in ((DISTANCE, None), (None, SIMILARITY)):
        items = Library.of([Graph(g.labels, g.edges, g.edge_labels) for g in (every[k] for k in chosen)])
        begin = time.perf_counter()
        found = enpda.matrix(
            items,
            time_limit=LIMIT,
            threads=1,
            max_distance=distance,
            min_similarity=similarity,
            progress=sys.stderr.isatty(),
        )
        seconds = time.perf_counter() - begin
        first = first or seconds
        name = f"min_similarity={similarity:g}" if distance is None else f"max_distance={distance}"
        proven = found.entries("optimal")[2]
        row = [name, pairs, len(proven), int(len(proven) - proven.sum())]
        table.rows.append([*row, seconds, 1e6 * seconds / pairs, seconds / first])
    table.notes.append(
        "Timed is `matrix` in memory, on a library of new graphs that is there. Open: rows whose size is not proven. "
        f"Seed {SEED}."
    )
    return [table]


def _instructions(settings: Settings) -> list[Table]:
    """Count instructions of fixed pairs; among all parts a machine without Valgrind is told in the table."""
    try:
        found = instructions.count(instructions.here(), settings.count)
    except InputError as error:
        if settings.only:
            raise
        return [Table("instructions of a call", [], notes=[f"Not counted: {error}"])]
    return [instructions.table(found)]


SECTIONS: dict[str, Section] = {
    **{kind: partial(calls, kind) for kind in KINDS},
    "tail": _tail,
    "tables": _tables,
    "memory": lambda settings: [footprint(library(settings.data), settings.count or MEMORY_ITEMS, SEED)],
    "size": slope,
    "instructions": _instructions,
}
