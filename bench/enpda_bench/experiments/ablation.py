"""The default policy with one thing changed at a time: nothing is trained again."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from safetensors.numpy import load_file
from tqdm import tqdm

from enpda import _core
from enpda.graph import Graph
from enpda.problem.problem import problem_of
from enpda.result.match import Match
from enpda.solve.matching import concluded
from enpda.solve.options import Options
from enpda.solve.policy import locate, shipped
from enpda.view.table import Table
from enpda_bench import Settings, datasets
from enpda_bench.datasets import BenchPair

LIMIT = 1.0
"""Seconds of `exact` for a pair: the few that take longer would hide all others."""
ENDLESS = float("inf")
Change = Callable[[_core.SolveOptions], None]


@dataclass(frozen=True)
class Row:
    """What a row changes, and whether that makes sense for one proposal and for a proof."""

    label: str
    change: Change
    policy: str | None = None
    core: bool = True
    exact: bool = True


def _nothing(options: _core.SolveOptions) -> None:
    pass


def _weights(**blank: slice | int) -> Change:
    """Let the network not see, hear or remember something: inputs of a matrix (`embed`, `gather`, `arc`) count 0."""

    def change(options: _core.SolveOptions) -> None:
        options.rlt.network = changed

    weights = {name: value.copy() for name, value in load_file(locate("default")).items()}
    for name, columns in blank.items():
        for tensor in weights:
            if tensor.removeprefix("last_").startswith(name) and tensor.endswith("weight"):
                weights[tensor][:, columns] = 0
    changed = _core.ShareNetwork(weights)
    return change


def _set(**values: object) -> Change:
    def change(options: _core.SolveOptions) -> None:
        for name, value in values.items():
            setattr(options.rlt, name, value)

    return change


def _growth_to_assignment(options: _core.SolveOptions) -> None:
    searches = list(options.searches)
    for search in searches:
        search.decoder = _core.Decoder.hungarian
    options.searches = searches


def _rows() -> list[Row]:
    width = len(load_file(locate("default"))["embed.bias"])
    return [
        Row("default: 12 sweeps, 10 steps (`exact`: 8)", _nothing),
        Row("no network", _nothing, "none", core=False),
        Row("no sweeps before", _first_sweeps(0)),
        Row("5 steps", _set(learned_steps=5)),
        Row("15 steps", _set(learned_steps=15)),
        Row("candidates remember nothing", _weights(embed=slice(0, width))),
        Row("what was chosen and used of late is not seen", _weights(embed=width + 9, arc=5)),
        Row("no messages along association edges", _weights(gather=slice(width, 2 * width))),
        Row("no means of rows and columns", _weights(gather=slice(2 * width, 4 * width))),
        Row("searches do not hear it", _set(propose=False), core=False),
        Row("growth without margin", _set(margin=ENDLESS)),
        Row("one assignment instead of growth", _growth_to_assignment, exact=False),
        Row("seed 0", _nothing, str(shipped("shares-0")), exact=False),
        Row("seed 2", _nothing, str(shipped("shares-2")), exact=False),
    ]


def _first_sweeps(count: int) -> Change:
    def change(options: _core.SolveOptions) -> None:
        options.rlt.first_sweeps = count

    return change


def ablation(settings: Settings) -> list[Table]:
    """One proposal, and a proof within a second, on the test pairs; rows by turns on each pair."""
    sets = datasets.pair_sets(settings)
    rows = _rows()
    table = Table(
        "the default policy, one change a row: `core` (% of the optimum, pairs closed, ms), and `exact` "
        f"within {LIMIT:g} s",
        [
            "change",
            *(f"{name} %" for name in sets),
            *(f"{name} closed" for name in sets),
            "core ms",
            "exact proven",
            "exact total s",
            "exact geometric mean ms",
        ],
    )
    found: dict[tuple[str, str, str], list[tuple[Match, float]]] = defaultdict(list)
    for name, pairs in sets.items():
        for k, p in enumerate(tqdm(pairs, desc=name, leave=False, disable=None)):
            for row in rows[k % len(rows) :] + rows[: k % len(rows)]:
                if row.core:
                    found[row.label, "core", name].append(_solved(p, "core", row))
                if row.exact:
                    found[row.label, "exact", name].append(_solved(p, "exact", row))
    for row in rows:
        cells: list[object] = [row.label]
        if row.core:
            core = {name: found[row.label, "core", name] for name in sets}
            for name, pairs in sets.items():
                kept = [datasets.accuracy(p, m.size) for p, (m, _) in zip(pairs, core[name], strict=True)]
                cells.append(float(np.mean(kept)))
            for name, pairs in sets.items():
                cells.append(sum(m.upper == p.size for p, (m, _) in zip(pairs, core[name], strict=True)))
            cells.append(1e3 * float(np.mean([seconds for some in core.values() for _, seconds in some])))
        else:
            cells += [""] * (2 * len(sets) + 1)
        if row.exact:
            proofs = [x for name in sets for x in found[row.label, "exact", name]]
            times = np.array([seconds for _, seconds in proofs])
            cells += [sum(m.optimal for m, _ in proofs), float(times.sum()), 1e3 * float(np.exp(np.log(times).mean()))]
        else:
            cells += [""] * 3
        table.rows.append(cells)
    table.notes.append(
        "Weights are set to 0 and not trained again: a network that grew up without would make up for some."
    )
    return [table]


def _solved(pair: BenchPair, method: Literal["core", "exact"], row: Row) -> tuple[Match, float]:
    """Return a checked match and its seconds."""
    left, right = (Graph(g.labels, g.edges, g.edge_labels) for g in (pair.a, pair.b))  # nothing computed before
    options = Options(method, LIMIT, policy=row.policy)
    problem = problem_of(left, right, None, None)
    asked = options.core(problem)
    row.change(asked)
    begin = time.perf_counter()
    solution = _core.solve(problem.a.core, problem.b.core, asked, LIMIT)
    seconds = time.perf_counter() - begin
    match = concluded(left, right, problem, options, solution)
    datasets.check(pair, match)
    return match, seconds
