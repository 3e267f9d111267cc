"""What sharing profit out by a network adds: a certificate in a few steps, a proposal, a start of proofs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import enpda
from enpda import _core
from enpda.graph import Graph
from enpda.learn.planted import SETS, planted_pairs
from enpda.problem.problem import problem_of
from enpda.result.match import Match
from enpda.solve.matching import concluded
from enpda.solve.options import Options
from enpda.solve.policy import load, shipped
from enpda.view.table import Table
from enpda_bench import Settings, datasets
from enpda_bench.arms import oriented
from enpda_bench.bootstrap import blocks, interval
from enpda_bench.bounds import prices_of
from enpda_bench.datasets import BenchPair
from enpda_bench.experiments.bulk import library, random_pairs

SEEDS = (0, 1, 2)
ITERATIONS = (10, 50, 100, 200)
STEPS = (6, 8, 10, 12)
SAMPLES = (16, 32, 64, 128)
"""Noisy copies of analytic rounds."""
LIMIT = 10.0
BUDGETS = (0.001, 0.01, 0.1, 1.0)
RANDOM, RANDOM_SEED = 500, 1010
"""Random pairs of MassSpecGym, and the seed that draws them."""
Numbers = npt.NDArray[np.float64]
Sets = Mapping[str, Sequence[BenchPair]]


def certificates(settings: Settings) -> list[Table]:
    """Bounds without any mapping known: caps, prices, the ascent from the even shares, and the network's steps."""
    sets = datasets.pair_sets(settings)
    table = Table(
        "upper bounds when no mapping is known: pairs closed, mean edges above the best known size, mean ms",
        ["bound", *(f"{name} closed" for name in sets), *(f"{name} gap" for name in sets), "mean ms"],
    )

    def add(label: str, bound: Callable[[BenchPair, int], int], seeds: Sequence[int] = (0,)) -> None:
        closed, gaps, seconds = [], [], []
        for pairs in sets.values():
            rows = []
            for seed in seeds:
                for p in pairs:
                    begin = time.perf_counter()
                    upper = bound(p, seed)
                    seconds.append(time.perf_counter() - begin)
                    if upper < p.size:
                        raise RuntimeError(f"{label}: a bound of {upper} is below the known {p.size} edges")
                    rows.append(upper - p.size)
            closed.append(sum(gap == 0 for gap in rows) / len(seeds))
            gaps.append(float(np.mean(rows)))
        counts = [f"{x:.4g} of {len(p)}" for x, p in zip(closed, sets.values(), strict=True)]
        table.rows.append([label, *counts, *gaps, 1e3 * float(np.mean(seconds))])

    def ascent(iterations: int, sweeps: int | None = None, steps: int = 0) -> Callable[[BenchPair, int], int]:
        def bound(p: BenchPair, seed: int) -> int:
            options = _core.RltOptions()
            options.patience = 0
            if sweeps is not None:
                options.first_sweeps = sweeps
            if steps:
                options.network, options.learned_steps = splitter(seed), steps
            return _core.prove(*oriented(p), -1, options, iterations, _core.BranchOptions(), 0, -1.0).upper

        return bound

    def prices(arm: str) -> Callable[[BenchPair, int], int]:
        return lambda p, seed: _core.repaired_prices(*oriented(p), prices_of(p, arm, seed), _core.Scales.exact)[0]

    for seed in SEEDS:
        splitter(seed)
    add("zero prices", prices("zero"))
    add("analytic prices", prices("analytic"))
    add("learned prices", prices("full"), SEEDS)
    add("assignment cap", lambda p, _: min(_core.caps(p.a.core, p.b.core).values()))
    add("even shares", ascent(0))
    for iterations in ITERATIONS:
        add(f"ascent, {iterations} iterations", ascent(iterations))
    for steps in STEPS:
        add(f"{steps} learned steps", ascent(0, 0, steps), SEEDS)
    sweeps = _core.RltOptions().first_sweeps
    for steps in STEPS:
        add(f"{sweeps} sweeps, {steps} learned steps", ascent(sweeps, sweeps, steps), SEEDS)
    table.notes.append(
        f"Learned rows are means over {len(SEEDS)} seeds. An iteration may be one of {sweeps} first sweeps."
    )
    return [table]


def splitter(seed: int) -> _core.ShareNetwork:
    """Return the shipped network of a seed."""
    found = load(shipped(f"shares-{seed}"))
    assert isinstance(found, _core.ShareNetwork)
    return found


def proposals(settings: Settings) -> list[Table]:
    """One trajectory and one decode, and the best of several, beside as much time for analytic ones."""
    sets: dict[str, Sequence[BenchPair]] = dict(datasets.pair_sets(settings))
    if settings.data is not None:
        sets |= {name: planted_pairs(settings.data, name)[: settings.count] for name in SETS}
    table = Table(
        f"proposals without search: mean % of the optimum over {len(SEEDS)} seeds, and mean ms",
        ["proposal", *(f"{name} {what}" for name in sets for what in ("%", "ms"))],
    )
    rows: list[tuple[str, dict[str, Any], bool]] = [
        ("analytic", {"method": "analytic"}, False),
        ("paper's policy", {"method": "core", "policy": "paper"}, False),
        ("core", {"method": "core"}, True),
        *((f"analytic, best of {n}", {"method": "analytic", "samples": n}, False) for n in SAMPLES),
        ("core, best of 4", {"method": "core", "samples": 4}, True),
        ("core, best of 16", {"method": "core", "samples": 16}, True),
    ]
    accuracies: dict[tuple[str, str], Numbers] = {}
    times: dict[tuple[str, str], float] = {}
    for label, options, learned in rows:
        row: list[object] = [label]
        for name, pairs in sets.items():
            weights = [{"policy": shipped(f"shares-{seed}")} for seed in SEEDS] if learned else [{}]
            found = [_matched(pairs, options | own, f"{label} {name}") for own in weights]
            accuracies[label, name] = np.array(
                [[datasets.accuracy(p, m.size) for p, m in zip(pairs, some, strict=True)] for some in found]
            )
            times[label, name] = 1e3 * float(np.mean([m.seconds for some in found for m in some]))
            row += [float(accuracies[label, name].mean()), times[label, name]]
        table.rows.append(row)
    gains = Table(
        "learned - analytic: mean % and its 95 % interval, with the time that both took",
        [
            "set",
            "core - analytic",
            "core best of 16 - analytic best of 16",
            "core best of 16 - analytic at equal time",
            "best of",
            "ms of core, best of 16",
            "ms of analytic",
        ],
    )
    for name, pairs in sets.items():
        groups = blocks(pairs)

        def gain(one: str, other: str, name: str = name, groups: Sequence[Sequence[int]] = groups) -> str:
            difference = accuracies[one, name] - accuracies[other, name]
            low, high = interval(difference, groups)
            return f"{difference.mean():+.2f} [{low:+.2f}, {high:+.2f}]"

        # As many noisy copies as take at least as long.
        mine = times["core, best of 16", name]
        count = next((n for n in SAMPLES if times[f"analytic, best of {n}", name] >= mine), SAMPLES[-1])
        row = [name, gain("core", "analytic")]
        row += [gain("core, best of 16", f"analytic, best of {n}") for n in (16, count)]
        gains.rows.append([*row, count, mine, times[f"analytic, best of {count}", name]])
    return [table, gains]


def _matched(pairs: Sequence[BenchPair], options: Mapping[str, Any], label: str) -> list[Match]:
    found = []
    for p in tqdm(pairs, desc=label, leave=False, disable=None):
        found.append(enpda.match(p.a, p.b, **options))
        datasets.check(p, found[-1])
    return found


def proofs(settings: Settings) -> list[Table]:
    """`exact` with and without the network, by turns on every pair."""
    table = Table(
        f"exact, {LIMIT:g} s a pair, without and with the network, by turns on each pair",
        ["set", "pairs", "network", "proven", "total s", "mean ms", "p50 ms", "p90 ms", "p99 ms", "nodes of trees"],
    )
    for name, pairs in _proof_sets(settings).items():
        runs: dict[str, list[tuple[Match, float, int]]] = {"none": [], "default": []}
        for k, (a, b) in enumerate(tqdm(pairs, desc=name, leave=False, disable=None)):
            order = list(runs) if k % 2 else list(runs)[::-1]
            for policy in order:
                options = Options("exact", LIMIT, policy=None if policy == "default" else policy)
                # Fresh graphs: whoever comes second must not find what the first computed.
                left, right = (Graph(g.labels, g.edges, g.edge_labels) for g in (a, b))
                problem = problem_of(left, right, None, None)
                begin = time.perf_counter()
                found = _core.solve(problem.a.core, problem.b.core, options.core(problem), LIMIT)
                seconds = time.perf_counter() - begin
                runs[policy].append((concluded(left, right, problem, options, found), seconds, found.nodes))
        sizes = {policy: [m.size for m, _, _ in some if m.optimal] for policy, some in runs.items()}
        for (one, _, _), (other, _, _) in zip(*runs.values(), strict=True):
            if one.optimal and other.optimal and one.size != other.size:
                raise RuntimeError(f"two proofs disagree: {one} and {other}")
        for policy, some in runs.items():
            ms = 1e3 * np.array([seconds for _, seconds, _ in some])
            quantiles = [float(x) for x in np.quantile(ms, (0.5, 0.9, 0.99))]
            row = [name, len(pairs), "no" if policy == "none" else "yes", len(sizes[policy])]
            row += [float(ms.sum() / 1e3), float(ms.mean()), *quantiles, sum(nodes for _, _, nodes in some)]
            table.rows.append(row)
        none, default = (sum(seconds for _, seconds, _ in runs[policy]) for policy in ("none", "default"))
        table.notes.append(f"{name}: {none / default:.2f} times as long without the network.")
    return [table]


def _proof_sets(settings: Settings) -> dict[str, list[tuple[Graph, Graph]]]:
    sets = {name: [(p.a, p.b) for p in pairs] for name, pairs in datasets.pair_sets(settings).items()}
    if settings.data is not None:
        items = library(settings.data)
        drawn = random_pairs(settings.count or RANDOM, len(items), RANDOM_SEED)
        sets["random MassSpecGym"] = [(items[i], items[j]) for i, j in drawn.tolist()]
        if settings.peers:
            for name in SETS:
                sets[name] = [(p.a, p.b) for p in planted_pairs(settings.data, name)[: min(settings.count or 20, 20)]]
    return sets


def searches(settings: Settings) -> list[Table]:
    """Give a search from an analytic proposal and one from a learned proposal the same time."""
    sets = datasets.pair_sets(settings)
    table = Table(
        "search within a time limit, proposal included: mean % of the optimum",
        ["limit", *(f"{name} {what}" for name in sets for what in ("analytic", "learned", "learned - analytic"))],
    )
    for limit in BUDGETS:
        row: list[object] = [f"{limit:g} s"]
        for name, pairs in sets.items():
            values = []
            for policy in (None, "default"):
                options = {"method": "solver", "time_limit": limit, "policy": policy}
                found = _matched(pairs, options, f"{limit:g} s {name}")
                values.append(np.array([datasets.accuracy(p, m.size) for p, m in zip(pairs, found, strict=True)]))
            low, high = interval((values[1] - values[0])[None], blocks(pairs))
            row += [
                *(float(v.mean()) for v in values),
                f"{(values[1] - values[0]).mean():+.2f} [{low:+.2f}, {high:+.2f}]",
            ]
        table.rows.append(row)
    return [table]
