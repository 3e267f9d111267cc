"""Two runs side by side: the cells that differ, largest change first."""

from __future__ import annotations

from collections.abc import Sequence

from enpda.view.table import Table
from enpda_bench.pages.grid import number
from enpda_bench.pages.lines import Line, shapes_of
from enpda_bench.pages.verdict import timed


def compare(one: Sequence[Line], other: Sequence[Line]) -> Table:
    """Return the cells whose numbers differ, with the paper's beside them; what depends on time is marked."""
    first, second = ({line.key: line for line in lines} for lines in (one, other))
    shapes = shapes_of([*one, *other])
    changed = []
    for key in dict.fromkeys((*first, *second)):
        a, b = first.get(key), second.get(key)
        x, y = (line.value if line else None for line in (a, b))
        line = b or a
        if line is None or x == y:
            continue
        change = None if x is None or y is None else (y - x) / max(abs(x), 1e-12)
        digits = shapes[line.table].digits + 1
        shown = "only B" if x is None else "only A" if y is None else f"{100 * (change or 0):+.1f} %"
        numbers = [number(value, digits, fine=True) for value in (x, y, line.paper)]
        noisy = "noisy" if timed(shapes[line.table], line) else ""
        changed.append((float("inf") if change is None else abs(change), [*key, *numbers, shown, noisy]))
    changed.sort(key=lambda entry: -entry[0])
    same = sum(first[key].value == second[key].value is not None for key in first.keys() & second.keys())
    columns = ["table", "row", "column", "A", "B", "paper", "change", ""]
    return Table(f"{len(changed)} cells differ, {same} do not", columns, [row for _, row in changed])
