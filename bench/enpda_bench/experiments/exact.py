"""Proofs: how many pairs, how fast, beside RASCAL and SMSD on the same labels; with certificates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tqdm import tqdm

import enpda
from enpda.checks import choice
from enpda.errors import InputError
from enpda.files import save
from enpda.view.plots import cactus
from enpda.view.table import Table
from enpda_bench import Settings, datasets
from enpda_bench.baselines import BASELINES, Answer, Worker
from enpda_bench.datasets import BenchPair

LIMIT, TAIL_LIMIT = 10.0, 60.0
"""Seconds for every program, and for each on the test pairs that it leaves open."""
SECTIONS = ("test", "kekule", "random", "hard")
RANDOM_PAIRS, HARD_PAIRS = 1_000, 200
MOLHIV_ROWS = 41_127


def run(settings: Settings) -> list[Table]:
    """Tables for the test pairs, with RDKit's bonds and with Kekulé ones, and for random MOLHIV pairs of two sizes."""
    if settings.data is None:
        return [_table(f"{len(datasets.drug_pairs())} pairs of drugs", datasets.drug_pairs(), settings)]
    if settings.only is not None:
        choice("only", settings.only, SECTIONS)
    wanted = [settings.only] if settings.only else SECTIONS
    tables = []
    for section in wanted:
        if section == "test":
            tables.append(table_of_test_pairs(settings))
        elif section == "kekule":
            sets = datasets.fixed_pairs(settings.data, datasets.KEKULE)
            pairs = [p for members in sets.values() for p in members[: settings.count]]
            tables.append(_table(f"{len(pairs)} test pairs of AIDS and MCF-7 with Kekulé bonds", pairs, settings, True))
        elif section == "random":
            pairs = random_pairs(settings.data, settings.count or RANDOM_PAIRS, 15, 40, seed=20261116)
            tables.append(_table(f"{len(pairs)} random MOLHIV pairs of 15 to 40 atoms", pairs, settings))
        else:
            pairs = random_pairs(settings.data, settings.count or HARD_PAIRS, 35, 60, seed=20261117)
            title = f"{len(pairs)} random MOLHIV pairs of 35 to 60 atoms"
            tables.append(_table(title, pairs, settings, plot=Path("cactus.svg")))
    return tables


def table_of_test_pairs(settings: Settings, tails: bool = True) -> Table:
    """Return the table of the test pairs; with `tails`, what each program leaves open gets more time."""
    pairs = [p for members in datasets.pair_sets(settings).values() for p in members]
    return _table(f"{len(pairs)} test pairs", pairs, settings, tails)


def random_pairs(data: Path, count: int, low: int, high: int, seed: int) -> list[BenchPair]:
    """Draw pairs of molecules within a range of atoms; nothing is known about their optima."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(MOLHIV_ROWS)[: 40 * count + 200]
    graphs = [g for g in datasets.molhiv_graphs(data, rows.tolist()) if low <= len(g) <= high][: 2 * count]
    if len(graphs) < 2 * count:
        raise InputError(f"only {len(graphs)} molecules of {low} to {high} atoms for {count} pairs")
    return [BenchPair(a, b, 0, min(a.size, b.size)) for a, b in zip(graphs[::2], graphs[1::2], strict=True)]


def _table(
    title: str, pairs: list[BenchPair], settings: Settings, tails: bool = False, plot: Path | None = None
) -> Table:
    quantiles = (0.5, 0.9, 0.99, 1.0)
    table = Table(
        f"proofs on {title}, one thread",
        ["program", "proven", "in 50 ms", "in 1 s", "total s", "mean ms", "p50 ms", "p90 ms", "p99 ms", "max ms"],
    )
    curves: dict[str, list[float]] = {}

    def add(label: str, answers: list[Answer]) -> None:
        seconds = np.array([answer.seconds for answer in answers])
        proven = np.array([answer.proven for answer in answers])
        within = [int((proven & (seconds <= limit)).sum()) for limit in (0.05, 1.0)]
        ms = [float(1e3 * x) for x in (seconds.mean(), *np.quantile(seconds, quantiles))]
        table.rows.append([label, int(proven.sum()), *within, float(seconds.sum()), *ms])
        curves[label] = sorted(seconds[proven].tolist())

    # Every program in a process of its own: reading the data leaves a heap on which all are slower.
    ours: list[Answer] = []
    for module, label in {"ours": "enpda exact", **(BASELINES if settings.peers else {})}.items():
        with Worker(module) as ask:
            answers = [ask(p.a, p.b, LIMIT) for p in tqdm(pairs, desc=label, leave=False, disable=None)]
            add(f"{label}, {LIMIT:g} s", answers)
            if module == "ours":
                ours = answers
                _verify(pairs, ours, table)
            else:
                _compare(label, pairs, ours, answers, table)
            if tails:
                left = [p for p, answer in zip(pairs, answers, strict=True) if not answer.proven]
                again = tqdm(left, desc=f"{label}, tail", leave=False, disable=None)
                more = sum(ask(p.a, p.b, TAIL_LIMIT).proven for p in again)
                table.notes.append(f"{label} with {TAIL_LIMIT:g} s proves {more} of the {len(left)} that it left open.")
    if plot is not None:
        save(plot, cactus(curves, f"{title}: pairs proven within a time"))
        table.notes.append(f"Cactus plot: {plot}")
    return table


def _verify(pairs: list[BenchPair], answers: list[Answer], table: Table) -> None:
    """Count every mapping anew and check every certificate."""
    for p, answer in zip(pairs, tqdm(answers, desc="certificates", leave=False, disable=None), strict=True):
        found = answer.match
        if found is None:  # the process died
            raise RuntimeError(f"no answer for {p.a} / {p.b}")
        datasets.check(p, found)
        report = enpda.verify(found.certificate)
        if not report.ok or (report.size, report.upper) != (found.size, found.upper):
            raise RuntimeError(f"the certificate of {found} was refused: {report}")
    table.notes.append(f"The certificates of all {len(pairs)} answers verify.")


def _compare(label: str, pairs: list[BenchPair], ours: list[Answer], theirs: list[Answer], table: Table) -> None:
    """Compare proven sizes; a peer that proves more than we do stops everything."""
    both = differ = 0
    for p, we, they in zip(pairs, ours, theirs, strict=True):
        if they.size > we.size and we.proven:
            raise RuntimeError(f"{label} found {they.size} edges for {p.a} / {p.b}, but {we.size} was called optimal")
        both += we.proven and they.proven
        differ += we.proven and they.proven and we.size != they.size
    ratio = sum(they.seconds for they in theirs) / sum(we.seconds for we in ours)
    table.notes.append(f"{label} took {ratio:.1f} times as long altogether.")
    table.notes.append(f"{label} and enpda both call {both} proven; on {differ} of these {label}'s size is smaller.")
