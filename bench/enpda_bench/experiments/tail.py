"""The slowest of very many random pairs: how much of all time they take, which stay open, and what they are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from enpda.bulk.library import Library
from enpda.bulk.question import Question
from enpda.bulk.rows import Rows
from enpda.solve.options import Options
from enpda.view.table import Table
from enpda_bench.experiments.bulk import answered

LIMIT = 10.0
SHARES = (0.001, 0.01, 0.1)
LISTED = 10
KINDS = {
    "peptide": ("[NX3][CX4][CX3](=O)[NX3][CX4][CX3](=O)", 1),
    "sugar": ("[OX2;r5,r6]1[CX4][CX4]([OX2])[CX4]([OX2])[CX4,OX2]~[CX4,OX2]1", 1),
    "polyphenol, three OH at least": ("[OX2H]c", 3),
    "chain of eight CH2 at least": ("[CH2][CH2][CH2][CH2][CH2][CH2][CH2][CH2]", 1),
    "three benzene rings at least": ("c1ccccc1", 3),
    "six atoms or more in several rings": ("[R2,R3,R4]", 6),
}
"""What a molecule is like -> a pattern, and how often it has to be there."""


def tail(items: Library, pairs: npt.NDArray[np.int64]) -> list[Table]:
    """Match pairs, and tell the slowest from all of them."""
    rows = answered(pairs, items, Question(Options(time_limit=LIMIT)), block=1_000)
    order = np.argsort(-rows.seconds, kind="stable")
    return [_shares(items, rows, order), _slowest(items, rows, order), _kinds(items, rows, order)]


def _shares(items: Library, rows: Rows, order: npt.NDArray[np.int64]) -> Table:
    table = Table(
        f"{len(rows)} random pairs of {len(items)} molecules, one thread, {LIMIT:g} s at most",
        ["pairs", "proven", "open", "p50 ms", "p90 ms", "p99 ms", "longest ms", "mean ms", *map(_named, SHARES)],
    )
    seconds = rows.seconds[order]
    quantiles = np.quantile(seconds, (0.5, 0.9, 0.99, 1.0))
    part = [100 * float(seconds[: _first(share, len(rows))].sum() / seconds.sum()) for share in SHARES]
    proven = int(rows.optimal.sum())
    ms = [float(1e3 * x) for x in (*quantiles, seconds.mean())]
    table.rows.append([len(rows), proven, len(rows) - proven, *ms, *part])
    table.notes.append(
        "Seconds of the core, on graphs of which others of these pairs have seen some. Shares: of all time, in percent."
    )
    return table


def _slowest(items: Library, rows: Rows, order: npt.NDArray[np.int64]) -> Table:
    table = Table("those that took longest, and all that stay open", ["items", "atoms", "size", "upper", "seconds"])
    for k in dict.fromkeys([*order[:LISTED].tolist(), *np.flatnonzero(~rows.optimal).tolist()]):
        a, b = int(rows.a[k]), int(rows.b[k])
        atoms = f"{items.nodes[a]}, {items.nodes[b]}"
        table.rows.append([f"{a}, {b}", atoms, int(rows.size[k]), int(rows.upper[k]), float(rows.seconds[k])])
    table.notes.append("Items: numbers of molecules in the library.")
    return table


def _kinds(items: Library, rows: Rows, order: npt.NDArray[np.int64]) -> Table:
    """Compare the slowest percent with all pairs; a pair is of a kind when both of its molecules are."""
    slow = order[: _first(0.01, len(rows))]
    table = Table(
        f"what the slowest percent is: {len(slow)} pairs",
        ["both molecules", "of all pairs %", "of the slowest %", "times as often", "of all time %"],
    )
    kinds = _kinds_of(items, np.unique([rows.a, rows.b]))
    whole = rows.seconds.sum()
    for name, mine in kinds.items():
        both = mine[rows.a] & mine[rows.b]
        share, slowly = 100 * float(both.mean()), 100 * float(both[slow].mean())
        often = slowly / share if share else float("nan")
        table.rows.append([name, share, slowly, often, 100 * float(rows.seconds[both].sum() / whole)])
    cells = items.nodes[rows.a] * items.nodes[rows.b]
    table.notes.append(
        f"Median atoms x atoms: {np.median(cells):.0f} of all pairs, {np.median(cells[slow]):.0f} of the slowest."
    )
    return table


def _kinds_of(items: Library, chosen: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.bool_]]:
    """Return which of the chosen molecules are of each kind, by their numbers."""
    from rdkit import Chem

    patterns = {name: (Chem.MolFromSmarts(smarts), least) for name, (smarts, least) in KINDS.items()}
    found = {name: np.zeros(len(items), dtype=np.bool_) for name in patterns}
    for k in chosen.tolist():
        molecule = items[k].to_mol()
        for name, (pattern, least) in patterns.items():
            found[name][k] = len(molecule.GetSubstructMatches(pattern, maxMatches=least)) >= least
    return found


def _first(share: float, count: int) -> int:
    return max(1, round(share * count))


def _named(share: float) -> str:
    return f"the slowest {100 * share:g} %"
