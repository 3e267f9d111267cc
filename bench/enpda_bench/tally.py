"""From records to cells: accuracies, means, paired differences with intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from enpda_bench import paper
from enpda_bench.arms import ANY_ORDER
from enpda_bench.bootstrap import blocks, interval
from enpda_bench.datasets import accuracy
from enpda_bench.scope import NATIVE, Scope
from enpda_bench.study import Cell, Floats, Record, Records, Shape


def accuracies(scope: Scope, records: Records, arm: str, name: str) -> Floats:
    """Return % of the best known size as (seeds, pairs); no answer counts as 0."""
    pairs = scope.pairs(name)
    return records.grid(arm, name, lambda r: accuracy(pairs[r.trial.pair], r.outcome.size or 0))


def mean(table: str, row: str, column: str, values: Floats, note: str = "") -> Cell:
    """Return the mean as a cell."""
    return Cell(table, row, column, float(values.mean()), note=note)


def difference(
    table: str,
    row: str,
    column: str,
    one: Floats,
    other: Floats,
    groups: Sequence[Sequence[int]],
    note: str = "",
    most: Floats | None = None,
) -> Cell:
    """Return the mean paired difference with its interval: groups of pairs and paired seeds are drawn.

    `most` is what no method can exceed, which leaves a limit to the gain over the other.
    """
    change = one - other  # a single seed stands beside each of many
    if len(groups) == 1:
        note = "; ".join(filter(None, (note, "all pairs are connected by shared graphs: only seeds are drawn")))
    ceiling = None if most is None else float((most - other).mean())
    return Cell(table, row, column, float(change.mean()), *interval(change, groups), note=note, ceiling=ceiling)


def possible(scope: Scope, records: Records, names: Sequence[str]) -> Floats:
    """Return the proven bounds in % of the best known sizes, as (1, pairs): 100 where the optimum is proven."""
    pairs = [scope.pairs(name)[k] for name in names for k in records.positions(name)]
    return np.array([[accuracy(pair, pair.upper) for pair in pairs]])


def by_set(
    scope: Scope,
    records: Records,
    table: str,
    rows: Mapping[str, str],
    contrasts: Mapping[str, tuple[str, str]] | None = None,
    any_order: Collection[str] | None = None,
) -> list[Cell]:
    """Return the accuracy of each arm in its row, one column a native set, and rows of differences between arms.

    Each arm, or those in `any_order`, has a second row: its mean over random orders of rows and columns.
    """
    out = []
    for name in scope.native:
        why = {arm: absent(records.pick(arm, name)) for arm in rows}
        percent = {arm: accuracies(scope, records, arm, name) for arm in rows if not why[arm]}
        for arm, row in rows.items():
            cell = Cell(table, row, NATIVE[name], note=why[arm])
            out.append(cell if why[arm] else mean(table, row, NATIVE[name], percent[arm]))
            if not why[arm] and (any_order is None or arm in any_order):
                out.append(in_any_order(scope, records, table, arm, name, f"{row}, any order"))
        groups, most = scope.blocks(name, records.positions(name)), possible(scope, records, [name])
        for row, (one, other) in (contrasts or {}).items():
            if reason := why[one] or why[other]:
                out.append(Cell(table, row, NATIVE[name], note=reason))
                continue
            out.append(difference(table, row, NATIVE[name], percent[one], percent[other], groups, most=most))
    return out


def in_any_order(scope: Scope, records: Records, table: str, arm: str, name: str, row: str, column: str = "") -> Cell:
    """Return the accuracy of one projection, on average over random orders of rows and columns."""
    pairs = scope.pairs(name)
    percent = records.grid(arm, name, lambda r: 100.0 * r.outcome.values[ANY_ORDER] / max(pairs[r.trial.pair].size, 1))
    note = "rows and columns shuffled before the projection: how equal bids are broken does not count"
    return mean(table, row, column or NATIVE[name], percent, note)


def missing(table: str, row: str, columns: Iterable[str], note: str) -> list[Cell]:
    """Return cells without a number, and why."""
    return [Cell(table, row, column, note=note) for column in columns]


def sizes(records: Records, arm: str, name: str) -> Floats:
    """Return edges as (seeds, pairs); no answer counts as 0."""
    return records.grid(arm, name, lambda r: r.outcome.size or 0)


def pooled(scope: Scope, records: Records, arm: str, names: Sequence[str]) -> Floats:
    """Return the accuracies of several sets side by side, as (seeds, pairs)."""
    return np.concatenate([accuracies(scope, records, arm, name) for name in names], axis=1)


def pooled_blocks(scope: Scope, records: Records, names: Sequence[str]) -> list[list[int]]:
    """Group the pairs of several sets, side by side, by shared graphs."""
    return blocks([scope.pairs(name)[k] for name in names for k in records.positions(name)])


def unmeasured(scope: Scope) -> str:
    """Say why something has no record."""
    return f"not in the profile {scope.profile!r}" if scope.data else "needs the data folder"


def completed(scope: Scope, shapes: Iterable[Shape], cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells and, for every number of the paper's tables that none answers, an empty one that says why."""
    there = {(cell.table, cell.row, cell.column) for cell in cells}
    wanted = [cell for shape in shapes for cell in paper.table(shape.label)]
    missing = [cell for cell in wanted if (cell.table, cell.row, cell.column) not in there]
    return [*cells, *(Cell(c.table, c.row, c.column, note=unmeasured(scope)) for c in missing)]


def absent(records: Sequence[Record]) -> str:
    """Return why a program has no answer to any pair; nothing where it has one."""
    if any(r.outcome.size is not None for r in records):
        return ""
    return records[0].outcome.status if records else "not measured in this run"


def failures(records: Records) -> str:
    """Say how many have no answer and why, the most frequent reason; empty when all have one."""
    reasons = [r.outcome.status for r in records if r.outcome.size is None]
    if not reasons:
        return ""
    return f"{len(reasons)} of {len(records)} without an answer: {max(reasons, key=reasons.count)}"
