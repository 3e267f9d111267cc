"""Branch and bound: stages for every node of a tree whose children cover every mapping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from enpda_verify.constraint import Arc
from enpda_verify.problem import Problem
from enpda_verify.reading import need, objects, whole, wholes
from enpda_verify.relaxation import Association, Stage, association, chain


@dataclass
class _Decisions:
    """What was decided above a node: nodes of a, nodes of b (each with a number of its own, -1: unmatched), cells."""

    rows: dict[int, int] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    taking_part: list[int] = field(default_factory=list)

    def with_cell(self, row: int, column: int, m: int) -> _Decisions:
        depth = len(self.rows) + len(self.columns) + 1
        matched = row >= 0 and column >= 0
        mark = depth if matched else -1
        return _Decisions(
            {**self.rows, row: mark} if row >= 0 else self.rows,
            {**self.columns, column: mark} if column >= 0 else self.columns,
            [*self.taking_part, row * m + column] if matched else self.taking_part,
        )


@dataclass
class _Parent:
    """A node with children that wait: they begin with what is live in its last stage."""

    last: Stage
    decisions: _Decisions
    bound: int
    waiting: int


def tree(both: Problem, bound: dict[str, Any]) -> int:
    """Check a tree; return what no mapping exceeds."""
    unit, known = whole(bound["unit"], "unit"), whole(bound["known"], "known")
    need(unit > 0, "unit must be positive")
    space = association(both, unit, known)
    nodes = objects(bound["nodes"], "nodes of the tree")
    need(len(nodes) > 0, "the tree has no node")
    m = len(both.b.labels)
    upper = known
    reached = {0}
    waiting: list[tuple[int, _Parent | None, int, int]] = [(0, None, -1, -1)]
    while waiting:
        number, parent, row, column = waiting.pop()
        where = f"node {number}, "
        live, before, decisions, inherited = _begin(space, parent, row, column, m)
        last, proven = chain(space, nodes[number]["stages"], live, before, decisions.taking_part, where)
        value = min(inherited, proven)
        if both.constraint is not None and (image := _only_mapping(last.live, m)) is not None:
            value = min(value, sum(both.counted(image).values()))
        if parent is not None:
            parent.waiting -= 1
            both.budget.hold(0 if parent.waiting else -parent.last.size)
        if value <= known:
            continue
        contents = objects(nodes[number]["children"], f"{where}children")
        if not contents:
            upper = max(upper, value)
            continue
        children = _children(space, contents, decisions, last, where)
        own = _Parent(last, decisions, value, sum(child >= 0 for child, *_ in children))
        both.budget.hold(own.last.size if own.waiting else 0)
        for child, child_row, child_column in children:
            if child < 0:
                upper = max(upper, value)  # not finished
                continue
            need(child < len(nodes) and child not in reached, f"{where}a child is no node of its own")
            reached.add(child)
            waiting.append((child, own, child_row, child_column))
    return upper


def _begin(
    space: Association, parent: _Parent | None, row: int, column: int, m: int
) -> tuple[set[Arc], Stage | None, _Decisions, int]:
    """Return what a node inherits: live edges, the stage that justifies what it lacks, decisions, and the bound."""
    if parent is None:
        return set(space.worth), None, _Decisions(), space.both.most()
    space.both.budget.spend(10 * len(parent.last.live))

    def agrees(cell: int) -> bool:
        i, j = divmod(cell, m)
        return (i == row) == (j == column) if row >= 0 and column >= 0 else i != row and j != column

    live = {(c, d) for c, d in parent.last.live if agrees(c) and agrees(d)}
    return live, parent.last, parent.decisions.with_cell(row, column, m), parent.bound


def _children(
    space: Association, contents: list[dict[str, Any]], decisions: _Decisions, last: Stage, where: str
) -> list[tuple[int, int, int]]:
    """Check that the children cover every mapping of the node; return (node, row, column) of those that have one."""
    both = space.both
    m = len(both.b.labels)
    cells = [(whole(c["row"], "row"), whole(c["column"], "column")) for c in contents]
    by_row = cells[-1][1] < 0
    line = cells[-1][0] if by_row else cells[-1][1]
    side, decided = (both.a, decisions.rows) if by_row else (both.b, decisions.columns)
    other, fixed = (both.b, decisions.columns) if by_row else (both.a, decisions.rows)
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
    both.budget.spend(10 * len(last.live))

    def uncovered(cell: int) -> bool:
        row, column = divmod(cell, m)
        return (row if by_row else column) == line and (column if by_row else row) not in place

    missing = {(c, d) for c, d in last.live if uncovered(c) or uncovered(d)}
    dear = space.dear(missing if both.constraint is None else last.live, last) if missing else set()
    fine = space.useless(missing, last.live, dear, decisions.taking_part)
    need(fine, f"{where}children: an association edge is missing without a reason")
    result = []
    for (row, column), child in zip(cells, contents, strict=True):
        if child.get("like") is None:
            result.append((whole(child["node"], "node"), row, column))
            continue
        y, like = (column if by_row else row), whole(child["like"], "like")
        need(like in models or like not in place, f"{where}{y} is like {like}, which is left out itself")
        image = tuple(wholes(child["automorphism"], "automorphism"))
        both.need_symmetry(1 if by_row else 0, image, where)
        need(image[y] == like, f"{where}the automorphism does not take {y} to {like}")
        both.budget.spend(len(fixed))
        need(all(fixed.get(image[v]) == mark for v, mark in fixed.items()), f"{where}the automorphism moves a decision")
    return result


def _only_mapping(live: set[Arc], m: int) -> dict[int, int] | None:
    """Return the mapping of all live cells when there is no choice among them."""
    cells = {cell for edge in live for cell in edge}
    image = {cell // m: cell % m for cell in cells}
    return image if len(image) == len(set(image.values())) == len(cells) else None
