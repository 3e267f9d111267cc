"""How far calls overrun their time limits: all methods, rules, constraints and bounds, on graphs of every shape."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from tqdm import tqdm

import enpda
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.solve.budget import PRESETS
from enpda.solve.options import Bound
from enpda.view.table import Table
from enpda_bench import Settings, datasets

CALLS = 5_000
SHORTEST, LONGEST = 1e-3, 1.0
SIZES = (60, 500, 2_000, 5_000)
"""Nodes of the graphs that are made here."""
WORST = 12
"""Calls that are listed, each repeated three times."""

Pair = tuple[Graph, Graph]
ENDLESS = replace(PRESETS["solver"], discrete=1_000)

METHODS: dict[str, dict[str, Any]] = {
    **{name: {"method": name} for name in ("auto", "exact", "analytic", "core", "fast", "paper-fast", "paper-solver")},
    "endless search": {"method": "solver", "budget": ENDLESS},
    "two threads": {"method": "solver", "budget": ENDLESS, "threads": 2},
    "most nodes": {"most_nodes": True},
    "threshold": {"min_similarity": 0.4},
}
BOUNDS: tuple[Bound | None, ...] = (None, None, None, *get_args(Bound))
"""None, the method's own, is drawn more often than the others."""
CONSTRAINTS: dict[str, Constraints | None] = {
    "": None,
    "connected": Constraints(connected=True),
    "fragments": Constraints(max_fragments=3, min_fragment=4),
    "rings": Constraints(rings="all"),
    "connected rings": Constraints(rings="all", connected=True),
    "aromatic rings": Constraints(rings="aromatic"),
    "stereo": Constraints(stereo=True),
}
RULES: dict[str, Callable[[Graph, Graph], Rules | None]] = {
    "": lambda a, b: None,
    "any atom and bond": lambda a, b: Rules(atoms="any", bonds="any"),
    "ring bonds": lambda a, b: Rules(ring_bonds=True),
    "degrees": lambda a, b: Rules(atoms="element+degree+ring"),
    "forbidden": lambda a, b: Rules(forbidden=[(0, 0), (1, 1)]),
    "compatible": lambda a, b: Rules(compatible=np.add.outer(np.arange(len(a)), np.arange(len(b))) % 3 > 0),
    "weights": lambda a, b: Rules(weights={int(x): 1 + k % 5 for k, x in enumerate(_labels(a, b))}),
    "hydrogens": lambda a, b: Rules(atoms="element+hydrogens+charge"),
}


@dataclass(frozen=True)
class Call:
    """One call of `match`, so that it can be made again."""

    kind: str
    pair: Pair
    method: str
    bound: Bound | None
    rule: str
    constraint: str
    limit: float
    seed: int

    def __str__(self) -> str:
        parts = [self.method, self.bound, self.rule and f"rules: {self.rule}", self.constraint]
        return ", ".join(part for part in parts if part)

    def overrun(self) -> tuple[float, str]:
        """Make the call with graphs that nothing is known of yet; return milliseconds over the limit, and its end."""
        a, b = (Graph(g.labels, g.edges, g.edge_labels, mol=g.mol) for g in self.pair)
        options = METHODS[self.method]
        rules = RULES[self.rule](a, b)
        begin = time.perf_counter()
        try:
            found = enpda.match(
                a,
                b,
                time_limit=self.limit,
                seed=self.seed,
                bound=self.bound,
                rules=rules,
                constraints=CONSTRAINTS[self.constraint],
                **options,
            )
            end = str(found.status)
        except InputError:  # as prompt as an answer
            end = "refused"
        over = 1e3 * (time.perf_counter() - begin - self.limit)
        if end == "interrupted":
            raise KeyboardInterrupt
        return over, end


def run(settings: Settings) -> list[Table]:
    """Call with limits drawn log-uniformly from 1 ms to 1 s, and everything else at random by a fixed seed.

    Reports what passes beyond the limit, in milliseconds of wall time around the call: for a quiet machine. The graphs
    of each call are new, as far as the library knows.
    """
    kinds = _kinds(settings)
    rng = np.random.default_rng(0)
    names = list(kinds)
    groups: dict[str, dict[str, list[float]]] = {"pairs": {}, "method": {}, "bound": {}, "rules": {}, "constraint": {}}
    made: list[tuple[float, str, Call]] = []
    for k in tqdm(range(settings.count or CALLS), desc="calls", leave=False, disable=None):
        call = _drawn(rng, names[k % len(names)], kinds, k)
        over, end = call.overrun()
        made.append((over, end, call))
        for group, name in (
            ("pairs", call.kind),
            ("method", call.method),
            ("bound", call.bound or "the method's"),
            ("rules", call.rule or "none"),
            ("constraint", call.constraint or "none"),
        ):
            groups[group].setdefault(name, []).append(over)
    table = Table(
        "overrun of the time limit, ms (wall clock around the call)", ["by", "of", "calls", "p50", "p99", "max"]
    )
    for group, parts in groups.items():
        table.rows += [[group, name, *_row(values)] for name, values in parts.items()]
    table.rows.append(["all", "", *_row([over for over, _, _ in made])])
    table.notes.append("A call that ends early, because its mapping is proven optimal, overruns by a negative time.")
    worst = Table(
        "the worst calls, and the least of three repetitions", ["ms", "again", "limit", "pairs", "call", "end"]
    )
    for over, end, call in sorted(made, key=lambda entry: -entry[0])[:WORST]:
        again = min(call.overrun()[0] for _ in range(3))
        worst.rows.append([over, again, 1e3 * call.limit, f"{call.kind}, {len(call.pair[0])}", str(call), end])
    return [table, worst]


def _row(values: list[float]) -> list[float]:
    return [len(values), *(float(x) for x in np.quantile(values, (0.5, 0.99, 1.0)))]


def _drawn(rng: np.random.Generator, kind: str, kinds: dict[str, list[Pair]], number: int) -> Call:
    """Draw a call; one that the options or these graphs cannot have is drawn again."""
    pair = kinds[kind][rng.integers(len(kinds[kind]))]
    limit = float(np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST))))

    def one(choices: Any) -> Any:
        # Half of all calls ask nothing special: the first choice.
        return list(choices)[rng.integers(len(choices)) if rng.random() < 0.5 else 0]

    while True:
        method, bound = list(METHODS)[rng.integers(len(METHODS))], BOUNDS[rng.integers(len(BOUNDS))]
        rule, constraint = one(RULES), one(CONSTRAINTS)
        lifted = bound is not None and bound.endswith(("lp", "milp"))
        chemical = rule == "hydrogens" or constraint in ("aromatic rings", "stereo")
        if (lifted and constraint) or (chemical and any(g.mol is None for g in pair)):
            continue
        if (method == "threshold" and rule == "weights") or (bound == "caps" and method == "most nodes"):
            continue
        return Call(kind, pair, method, bound, rule, constraint, limit, number)


def _labels(a: Graph, b: Graph) -> list[int]:
    return [int(x) for x in np.unique(np.concatenate([a.edge_labels, b.edge_labels]))]


def _kinds(settings: Settings) -> dict[str, list[Pair]]:
    kinds: dict[str, list[Pair]] = {
        name: [(p.a, p.b) for p in pairs] for name, pairs in datasets.pair_sets(replace(settings, count=None)).items()
    }
    if settings.data:
        proteins = [g for g in enpda.read(settings.data / "tu" / "DD.zip") if 450 <= len(g) <= 550]
        kinds["proteins"] = list(zip(proteins[::2], proteins[1::2], strict=False))
    for name, make in SHAPES.items():
        kinds[name] = [(make(n, 0), make(n - n // 50, 1)) for n in SIZES]
    kinds["large molecules"] = [
        (Graph.from_smiles("CC(c1ccccc1)" * k), Graph.from_smiles("OC(c1ccncc1)C1CC1" * (k - 1))) for k in (8, 60, 250)
    ]
    return kinds


def _plain(nodes: int, edges: Any, labels: Any = 0) -> Graph:
    return Graph(np.broadcast_to(np.asarray(labels), nodes), edges)


def _star(n: int, seed: int) -> Graph:
    return _plain(n, [(0, k) for k in range(1, n)])


def _path(n: int, seed: int) -> Graph:
    return _plain(n, [(k, k + 1) for k in range(n - 1)])


def _ring(n: int, seed: int) -> Graph:
    return _plain(n, [(k, (k + 1) % n) for k in range(n)])


def _grid(n: int, seed: int) -> Graph:
    side = int(n**0.5)
    at = np.arange(side * side).reshape(side, side)
    across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    down = np.column_stack([at[:-1].ravel(), at[1:].ravel()])
    return _plain(side * side, np.concatenate([across, down]))


def _tree(n: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    return _plain(n, [(k, int(rng.integers(k))) for k in range(1, n)], rng.integers(0, 3, n))


def _random(n: int, seed: int, degree: float = 4.0) -> Graph:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (int(degree * n / 2), 2))
    return _plain(n, np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0))


def _dense(n: int, seed: int) -> Graph:
    return _random(n, seed, min(n / 4, 60.0))


def _labelled(n: int, seed: int) -> Graph:
    plain = _random(n, seed, 6.0)
    rng = np.random.default_rng(seed)
    return Graph(rng.integers(0, 4, n), plain.edges, rng.integers(0, 3, plain.size))


def _distinct(n: int, seed: int) -> Graph:
    return _plain(n, _random(n, seed, 10.0).edges, np.arange(n))


def _small_rings(n: int, seed: int) -> Graph:
    """Triangles in a chain."""
    count = n // 3
    ring = [(3 * k + i, 3 * k + (i + 1) % 3) for k in range(count) for i in range(3)]
    return _plain(3 * count, ring + [(3 * k + 2, 3 * k + 3) for k in range(count - 1)])


def _hexagons(n: int, seed: int) -> Graph:
    """Six-rings side by side, each sharing an edge with the next."""
    half = n // 2
    rows = [(side * half + k, side * half + k + 1) for side in (0, 1) for k in range(half - 1)]
    return _plain(2 * half, rows + [(k, half + k) for k in range(0, half, 2)])


SHAPES: dict[str, Callable[[int, int], Graph]] = {
    "stars": _star,
    "paths": _path,
    "rings": _ring,
    "grids": _grid,
    "labelled trees": _tree,
    "sparse, no labels": _random,
    "dense, no labels": _dense,
    "labelled": _labelled,
    "all labels differ": _distinct,
    "many small rings": _small_rings,
    "fused rings": _hexagons,
}
