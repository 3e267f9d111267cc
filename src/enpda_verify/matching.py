"""The value of a best matching, in integers."""

from __future__ import annotations

import math
from collections.abc import Callable


def _unlimited(steps: int) -> None:
    pass


def best_matching(lines: list[dict[int, int]], spend: Callable[[int], None] = _unlimited) -> int:
    """Value of the best matching of lines with columns; negative entries are never taken.

    `spend` hears how many steps it takes.
    """
    spend(10 + sum(map(len, lines)))
    lines = [{q: s for q, s in line.items() if s > 0} for line in lines]
    lines = [line for line in lines if line]
    columns = sorted({q for line in lines for q in line})
    entries = sum(map(len, lines))
    spend(2 * entries)
    if min(len(lines), len(columns)) <= 1:
        return max((s for line in lines for s in line.values()), default=0)
    if len(columns) > 8:
        spend(2 * len(lines) ** 2 * (len(columns) + len(lines)))
        return _hungarian(lines, columns)
    spend(entries << len(columns))
    bit = {q: 1 << k for k, q in enumerate(columns)}
    best = {0: 0}  # columns used -> value
    for line in lines:
        extended = dict(best)
        for used, value in best.items():
            for q, share in line.items():
                if not used & bit[q]:
                    key = used | bit[q]
                    if extended.get(key, -1) < value + share:
                        extended[key] = value + share
        best = extended
    return max(best.values())


def _hungarian(lines: list[dict[int, int]], columns: list[int]) -> int:
    """Shortest augmenting paths with potentials on costs `largest - share`, one spare column per line."""
    largest = max(s for line in lines for s in line.values())
    width = len(columns) + len(lines)
    cost = [[largest - line.get(q, 0) for q in columns] + [largest] * len(lines) for line in lines]
    u, v = [0] * (len(lines) + 1), [0] * (width + 1)
    owner = [0] * (width + 1)
    for start in range(1, len(lines) + 1):
        owner[0], at = start, 0
        distance: list[float] = [math.inf] * (width + 1)
        seen, way = [False] * (width + 1), [0] * (width + 1)
        while owner[at]:
            seen[at] = True
            i, step, nearest = owner[at], 0, -1
            best: float = math.inf
            for j in range(1, width + 1):
                if seen[j]:
                    continue
                reduced = cost[i - 1][j - 1] - u[i] - v[j]
                if reduced < distance[j]:
                    distance[j], way[j] = reduced, at
                if distance[j] < best:
                    best, nearest = distance[j], j
            step = int(best)
            for j in range(width + 1):
                if seen[j]:
                    u[owner[j]] += step
                    v[j] -= step
                elif distance[j] != math.inf:
                    distance[j] -= step
            at = nearest
        while at:
            owner[at] = owner[way[at]]
            at = way[at]
    total = 0
    for j in range(1, len(columns) + 1):
        if owner[j]:
            total += largest - cost[owner[j] - 1][j - 1]
    return total
