"""From records to cells: accuracies, means, paired differences with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from enpda.bench.bootstrap import interval
from enpda.bench.datasets import accuracy
from enpda.bench.scope import Scope
from enpda.bench.study import Cell, Floats, Records


def accuracies(scope: Scope, records: Records, arm: str, name: str) -> Floats:
    """Return % of the best known size as (seeds, pairs); no answer counts as 0."""
    pairs = scope.pairs(name)
    return records.grid(arm, name, lambda r: accuracy(pairs[r.trial.pair], r.outcome.size or 0))


def mean(table: str, row: str, column: str, values: Floats, note: str = "") -> Cell:
    """Return the mean as a cell."""
    return Cell(table, row, column, float(values.mean()), note=note)


def difference(
    table: str, row: str, column: str, one: Floats, other: Floats, groups: Sequence[Sequence[int]], note: str = ""
) -> Cell:
    """Return the mean paired difference with its interval: groups of pairs and paired seeds are drawn."""
    change = one - other  # a single seed stands beside each of many
    if len(groups) == 1:
        note = "; ".join(filter(None, (note, "all pairs are connected by shared graphs: only seeds are drawn")))
    return Cell(table, row, column, float(change.mean()), *interval(change, groups), note=note)
