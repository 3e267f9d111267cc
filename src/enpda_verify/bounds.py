"""Upper bounds, each derived again from its witness."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from enpda_verify.problem import Arc, Graph, Pair, around, need, whole, wholes

MAX_ASSOCIATION = 5_000_000


def _edge(both: Pair, bound: dict[str, Any]) -> int:
    return both.most()


def _histogram(both: Pair, bound: dict[str, Any]) -> int:
    both.plain("histogram")

    def kinds(g: Graph) -> Counter[tuple[int, int, int]]:
        ends = ((label, *sorted((g.labels[u], g.labels[v]))) for u, v, label in g.edges)
        return Counter((label, low, high) for label, low, high in ends)

    counts_a, counts_b = kinds(both.a), kinds(both.b)
    table = [[*kind, counts_a[kind], counts_b[kind]] for kind in sorted(counts_a.keys() & counts_b.keys())]
    need(bound["histogram"] == table, "the histogram is not that of the graphs")
    return sum(min(row[3], row[4]) for row in table)


def _line(values: Any, length: int, what: str) -> list[int]:
    line = wholes(values, what)
    need(len(line) == length, f"{what} has {len(line)} entries, not {length}")
    need(min(line, default=0) >= 0, f"{what} has a negative entry")
    return line


def _potentials(both: Pair, bound: dict[str, Any]) -> int:
    both.plain("potentials")
    a, b = both.a, both.b
    scale = whole(bound["scale"], "scale")
    need(scale > 0 and scale % 2 == 0, f"scale must be positive and even; got {scale}")
    row = _line(bound["row"], len(a.labels), "row potentials")
    column = _line(bound["column"], len(b.labels), "column potentials")
    around_b = [b.around(j) for j in range(len(b.labels))]
    for i in range(len(a.labels)):
        around = a.around(i)
        for j in range(len(b.labels)):
            if both.may_meet(i, j):
                overlap = sum(min(count, around_b[j][kind]) for kind, count in around.items())
                need(row[i] + column[j] >= overlap * scale // 2, f"the potentials do not cover {i} -> {j}")
    return (sum(row) + sum(column)) // scale


def _unit_and_known(bound: dict[str, Any]) -> tuple[int, int]:
    unit = whole(bound["unit"], "unit")
    need(unit > 0, "unit must be positive")
    return unit, whole(bound["known"], "known")


def _rlt(both: Pair, bound: dict[str, Any]) -> int:
    unit, known = _unit_and_known(bound)
    worth, rings = association_edges(both)
    stages = _chain(both, bound["stages"], worth, rings, [], set(worth), None, unit, known, "")
    return max(known, min(stage.total for stage in stages) // unit)


def _chain(
    both: Pair,
    contents: Any,
    worth: dict[Arc, int],
    rings: list[frozenset[Arc]],
    taking_part: list[int],
    live: set[Arc],
    before: _Stage | None,
    unit: int,
    known: int,
    where: str,
) -> list[_Stage]:
    """Check the stages of one node; what is missing in each must be justified by the one before."""
    need(isinstance(contents, list) and len(contents) > 0, f"{where}the bound has no stage")
    stages: list[_Stage] = []
    for number, content in enumerate(contents):
        what = f"{where}stage {number}"
        stage = _Stage(both, content, worth, unit, what)
        need(stage.live <= live, f"{what} has an association edge that is not there")
        gone = live - stage.live
        if both.constraint is not None and gone:
            # What costs too much may go, and then whatever has become useless by that.
            dear = set() if before is None else {edge for edge in gone if before.too_dear(edge, (known + 1) * unit)}
            gone -= dear | both.constraint.unusable(live - dear, len(both.b.labels), taking_part, rings)
            need(not gone, f"{what}: an association edge is missing without a reason")
        elif before is None:
            need(not gone, f"{what} lacks association edges")
        else:
            before.justify(gone, (known + 1) * unit, what)
        live, before = stage.live, stage
        stages.append(stage)
    return stages


@dataclass
class _Branch:
    """What a child inherits: live edges, the stage that justifies what it lacks, decisions, and the bound."""

    live: set[Arc]
    before: _Stage | None
    rows: dict[int, int]
    columns: dict[int, int]
    bound: int
    taking_part: list[int]


def _tree(both: Pair, bound: dict[str, Any]) -> int:
    unit, known = _unit_and_known(bound)
    worth, rings = association_edges(both)
    nodes = bound["nodes"]
    need(isinstance(nodes, list) and len(nodes) > 0, "the tree has no node")
    waiting: dict[int, _Branch] = {0: _Branch(set(worth), None, {}, {}, both.most(), [])}
    upper = known
    # Children come after their parents, so one pass sees every node with what it inherits.
    for number, content in enumerate(nodes):
        if number not in waiting:
            continue  # below a node that is closed without it
        branch = waiting.pop(number)
        where = f"node {number}, "
        stages = _chain(
            both, content["stages"], worth, rings, branch.taking_part, branch.live, branch.before, unit, known, where
        )
        value = min(branch.bound, min(stage.total for stage in stages) // unit)
        if both.constraint is not None and (image := _only_mapping(stages[-1].live, len(both.b.labels))) is not None:
            value = min(value, sum(both.counted(image).values()))
        if value <= known:
            continue
        if not content["children"]:
            upper = max(upper, value)
            continue
        for child, inherited in _children(
            both, rings, content["children"], branch, stages[-1], value, unit, known, where
        ):
            if child < 0:
                upper = max(upper, value)  # not finished
            else:
                need(number < child < len(nodes) and child not in waiting, f"{where}a child is no later node")
                waiting[child] = inherited
    need(not waiting, "the tree lacks nodes")
    return upper


def _children(
    both: Pair,
    rings: list[frozenset[Arc]],
    contents: Any,
    branch: _Branch,
    last: _Stage,
    value: int,
    unit: int,
    known: int,
    where: str,
) -> list[tuple[int, _Branch]]:
    """Check that the children cover every mapping of the node; return their numbers and what they inherit."""
    a, b = both.a, both.b
    m = len(b.labels)
    cells = [(whole(c["row"], "row"), whole(c["column"], "column")) for c in contents]
    by_row = cells[-1][1] < 0
    line = cells[-1][0] if by_row else cells[-1][1]
    side, decided = (a, branch.rows) if by_row else (b, branch.columns)
    other, fixed = (b, branch.columns) if by_row else (a, branch.rows)
    unmatched = (line, -1) if by_row else (-1, line)
    need(cells[-1] == unmatched and 0 <= line < len(side.labels), f"{where}the last child must leave a line unmatched")
    need(line not in decided, f"{where}the line was decided before")
    across = [column if by_row else row for row, column in cells[:-1]]
    along = [row if by_row else column for row, column in cells[:-1]]
    need(all(x == line for x in along) and len(set(across)) == len(across), f"{where}children of several lines")
    need(all(0 <= y < len(other.labels) for y in across), f"{where}a child is outside the grid")

    place = dict(zip(across, contents, strict=False))
    need("like" not in contents[-1], f"{where}the unmatched child cannot be left out")
    models = {y for y, child in place.items() if child.get("like") is None}
    missing = set()
    for edge in last.live:
        for cell in edge:
            row, column = divmod(cell, m)
            if (row if by_row else column) == line and (column if by_row else row) not in place:
                missing.add(edge)
    if both.constraint is not None and missing:
        dear = {edge for edge in last.live if last.too_dear(edge, (known + 1) * unit)}
        missing -= dear | both.constraint.unusable(last.live - dear, m, branch.taking_part, rings)
    last.justify(missing, (known + 1) * unit, f"{where}children")
    result = []
    for (row, column), child in zip(cells, contents, strict=True):
        if child.get("like") is not None:
            y, like = (column if by_row else row), whole(child["like"], "like")
            need(like in models or like not in place, f"{where}{y} is like {like}, which is left out itself")
            image = wholes(child["automorphism"], "automorphism")
            _automorphism(other, image, fixed, y, like, where)
            moved = {(i, image[j]) if by_row else (image[i], j) for i, j in both.closed}
            need(moved == both.closed, f"{where}the automorphism changes who may meet")
            if both.constraint is not None:
                own = both.constraint.rings[1 if by_row else 0]
                same = all(around([image[v] for v in r]) in both.constraint.edges[1 if by_row else 0] for r in own)
                need(same, f"{where}the automorphism breaks rings")
            continue
        live = {
            edge
            for edge in last.live
            if all(
                (cell // m == row) == (cell % m == column)
                if row >= 0 and column >= 0
                else cell // m != row and cell % m != column
                for cell in edge
            )
        }
        depth = len(branch.rows) + len(branch.columns) + 1
        rows = {**branch.rows, row: depth if column >= 0 else -1} if row >= 0 else branch.rows
        columns = {**branch.columns, column: depth if row >= 0 else -1} if column >= 0 else branch.columns
        part = [*branch.taking_part, row * m + column] if row >= 0 and column >= 0 else branch.taking_part
        result.append((whole(child["node"], "node"), _Branch(live, last, rows, columns, value, part)))
    return result


def _automorphism(g: Graph, image: list[int], fixed: dict[int, int], y: int, like: int, where: str) -> None:
    need(sorted(image) == list(range(len(g.labels))), f"{where}not a permutation")
    need(image[y] == like, f"{where}the automorphism does not take {y} to {like}")
    need(all(g.labels[image[v]] == label for v, label in enumerate(g.labels)), f"{where}not an automorphism")
    need(
        all(g.near[image[u]].get(image[v]) == label for u, v, label in g.edges),
        f"{where}not an automorphism",
    )
    need(all(fixed.get(image[v]) == mark for v, mark in fixed.items()), f"{where}the automorphism moves a decision")


def _only_mapping(live: set[Arc], m: int) -> dict[int, int] | None:
    """Return the mapping of all live cells when there is no choice among them."""
    cells = {cell for edge in live for cell in edge}
    image = {cell // m: cell % m for cell in cells}
    return image if len(image) == len(set(image.values())) == len(cells) else None


def association_edges(both: Pair) -> tuple[dict[Arc, int], list[frozenset[Arc]]]:
    """All pairs of cells c < d such that choosing both preserves an edge and what that is worth; and rings of them."""
    a, b = both.a, both.b
    m = len(b.labels)
    by_kind: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for u, v, label in b.edges:
        by_kind.setdefault((label, b.labels[u], b.labels[v]), []).append((u, v))
        by_kind.setdefault((label, b.labels[v], b.labels[u]), []).append((v, u))
    like = {x: [y for y in {label for *_, label in b.edges} if both.worth(x, y)] for x in {x for *_, x in a.edges}}
    # Refuse before building what cannot be held; a stage would have to list every one of them.
    count = sum(len(by_kind.get((y, a.labels[i], a.labels[k]), ())) for i, k, label in a.edges for y in like[label])
    need(count <= MAX_ASSOCIATION, f"the association graph has {count} edges, more than {MAX_ASSOCIATION}")
    result = {}
    for i, k, label in a.edges:
        for y in like[label]:
            for j, opposite in by_kind.get((y, a.labels[i], a.labels[k]), ()):
                if both.may_meet(i, j) and both.may_meet(k, opposite):
                    c, d = i * m + j, k * m + opposite
                    result[min(c, d), max(c, d)] = both.worth(label, y)
    if both.constraint is None:
        return result, []
    rings = [ring for ring in both.constraint.alignments(both) if ring <= result.keys()]
    closed = {edge for ring in rings for edge in ring}
    marked = both.constraint.marked[0]
    for c, d in list(result):
        if (c, d) not in closed and (min(c // m, d // m), max(c // m, d // m)) in marked:
            del result[c, d]
    return result, rings


class _Stage:
    """One split and its potentials: feasible, or refused."""

    def __init__(self, both: Pair, content: Any, worth: dict[Arc, int], unit: int, what: str) -> None:
        a, b = both.a, both.b
        self.m = len(b.labels)
        first, second = wholes(content["a"], what), wholes(content["b"], what)
        shares = wholes(content["share"], what)
        need(len(first) == len(second) == len(shares), f"{what}: lists of different lengths")
        self.row = _line(content["row"], len(a.labels), f"{what}: row potentials")
        self.column = _line(content["column"], len(b.labels), f"{what}: column potentials")
        self.total = sum(self.row) + sum(self.column)
        prices = self.prices(both, content.get("pieces", []), what)
        self.live: set[Arc] = set()
        # Per cell, its shares by the source node and the target node that an association edge leads to.
        self.shares: dict[int, dict[int, dict[int, int]]] = {}
        for c, d, share in zip(first, second, shares, strict=True):
            edge = (min(c, d), max(c, d))
            need(edge not in self.live, f"{what} has an association edge twice")
            need(edge in worth, f"{what} has an association edge that is not there")
            self.live.add(edge)
            (i, j), (k, w) = divmod(c, self.m), divmod(d, self.m)
            price = prices[0].get((min(i, k), max(i, k)), 0) + prices[1].get((min(j, w), max(j, w)), 0)
            for own, other, part in ((c, d, share), (d, c, unit * worth[edge] - price - share)):
                self.shares.setdefault(own, {}).setdefault(other // self.m, {})[other % self.m] = part
        self.value = {cell: best_matching(list(table.values())) for cell, table in self.shares.items()}
        for cell, value in self.value.items():
            i, j = divmod(cell, self.m)
            need(0 <= i < len(a.labels), f"{what} has a cell {cell} outside the grid")
            need(self.row[i] + self.column[j] >= value, f"{what}: the potentials do not cover {i} -> {j}")

    def prices(self, both: Pair, contents: Any, what: str) -> list[dict[tuple[int, int], int]]:
        """Check that pieces do not occur in the other graph; return prices by edge of a and of b, and pay for them."""
        prices: list[dict[tuple[int, int], int]] = [{}, {}]
        need(isinstance(contents, list), f"{what}: pieces must be a list")
        for content in contents:
            need(content["graph"] in ("a", "b"), f"{what}: a piece of no graph")
            side = ("a", "b").index(content["graph"])
            g = (both.a, both.b)[side]
            price, edges = whole(content["price"], "price"), tuple(wholes(content["edges"], "edges of a piece"))
            need(price >= 0, f"{what}: a piece with a negative price")
            need(len(set(edges)) == len(edges) > 0, f"{what}: a piece has an edge twice, or none")
            need(all(0 <= e < len(g.edges) for e in edges), f"{what}: a piece has an edge that is not there")
            need(not both.occurs(side, edges), f"{what}: a piece occurs in the other graph")
            self.total += price * (len(edges) - 1)
            for e in edges:
                u, v, _ = g.edges[e]
                prices[side][u, v] = prices[side].get((u, v), 0) + price
        return prices

    def slack(self, cell: int) -> int:
        i, j = divmod(cell, self.m)
        return self.row[i] + self.column[j] - self.value[cell]

    def loss(self, own: int, other: int) -> int:
        """Return what the matching of a cell loses by using one association edge."""
        i, j = divmod(other, self.m)
        table = self.shares[own]
        rest = [{q: s for q, s in line.items() if q != j} for p, line in table.items() if p != i]
        return self.value[own] - table[i][j] - best_matching(rest)

    def too_dear(self, edge: Arc, least: int) -> bool:
        """Tell whether no mapping worth `least` can use an edge."""
        c, d = edge
        if edge not in self.live:
            return False
        left = self.total - self.slack(c) - self.slack(d)
        if left >= least:
            left -= self.loss(c, d) + self.loss(d, c)
        return left < least

    def justify(self, gone: set[Arc], least: int, what: str) -> None:
        """Refuse unless no mapping worth `least` can use any of the edges."""
        for edge in gone:
            need(self.too_dear(edge, least), f"{what}: an association edge is missing without a reason")


def best_matching(lines: list[dict[int, int]]) -> int:
    """Value of the best matching of lines with columns; negative entries are never taken."""
    lines = [{q: s for q, s in line.items() if s > 0} for line in lines]
    lines = [line for line in lines if line]
    columns = sorted({q for line in lines for q in line})
    if min(len(lines), len(columns)) <= 1:
        return max((s for line in lines for s in line.values()), default=0)
    if len(columns) > 8:
        return _hungarian(lines, columns)
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


BOUNDS: dict[str, Callable[[Pair, dict[str, Any]], int]] = {
    "edge": _edge,
    "histogram": _histogram,
    "potentials": _potentials,
    "rlt": _rlt,
    "tree": _tree,
}
