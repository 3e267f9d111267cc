"""Proof trees that are right everywhere but where they hide what they deny: each way of cheating is one liar."""

from __future__ import annotations

import random
from typing import Any

from . import problems
from .documents import Content
from .problems import Arc, Decisions

UNITS = [2, 2, 64, 65536]
MOST_NODES = 60
LIES = ("like", "like", "like", "omit", "repeat", "open", "lack", "lack", "lack", "low", "piece", "mixed", "mixed")


class Liar:
    """Builds the proof that no mapping of a problem is worth more than `target`, which is below the optimum.

    Parameters
    ----------
    rng : random.Random
        Where choices come from.
    content : dict
        The problem.
    target : int
        What the proof claims.
    lie : str
        How it cheats wherever honesty would end in more than `target`.
    """

    def __init__(self, rng: random.Random, content: Content, target: int, lie: str) -> None:
        self.rng, self.content, self.target, self.way = rng, content, target, lie
        self.shape = tuple(len(content[side]["graph"]["labels"]) for side in "ab")
        self.unit = rng.choice(UNITS)
        self.nodes: list[Any] = []
        self.early = rng.random() < 0.6  # whether it cheats as soon as it can, or as late as it can

    @property
    def lie(self) -> str:
        """How it cheats this time."""
        return self.rng.choice(LIES[:-2]) if self.way == "mixed" else self.way

    def tree(self) -> Content:
        """Return the witness."""
        live = problems.association(self.content)
        self.build(live, [])
        known = self.target - self.rng.choice([0, 0, 0, 0, 0, 1])
        return {"name": "branch", "kind": "tree", "unit": self.unit, "known": known, "nodes": self.nodes}

    def build(self, live: dict[Arc, int], decided: Decisions) -> int:
        """Add a node, and what is below it; return its number."""
        number = len(self.nodes)
        stage = problems.stage(self.rng, live, self.shape, self.unit)
        node: Content = {"stages": [stage], "children": []}
        self.nodes.append(node)
        value = (sum(stage["row"]) + sum(stage["column"])) // self.unit
        if value <= self.target or len(self.nodes) > MOST_NODES:
            return number
        lines = self.lines(live, decided)
        false = problems.best_under(self.content, decided) > self.target
        if not lines or (false and self.lie in ("lack", "low", "piece") and (self.early or self.rng.random() < 0.3)):
            if false:
                self.cheat(node, live, decided)
            return number
        node["children"] = self.children(live, decided, *self.rng.choice(lines))
        return number

    def lines(self, live: dict[Arc, int], decided: Decisions) -> list[tuple[bool, int]]:
        """Return the rows (True) and columns that can be decided."""
        m = self.shape[1]
        rows, columns = {row for row, _ in decided}, {column for _, column in decided}
        cells = {cell for arc in live for cell in arc}
        result = {(True, cell // m) for cell in cells if cell // m not in rows}
        return sorted(result | {(False, cell % m) for cell in cells if cell % m not in columns})

    def children(self, live: dict[Arc, int], decided: Decisions, by_row: bool, line: int) -> list[Any]:
        """Return the children of a node, all but those that would tell the truth."""
        m = self.shape[1]
        cells = sorted({cell for arc in live for cell in arc if (cell // m if by_row else cell % m) == line})
        places = [divmod(cell, m) for cell in cells]
        if self.rng.random() < 0.5:
            self.rng.shuffle(places)
        truth = {p: problems.best_under(self.content, [*decided, p]) > self.target for p in places}
        result: list[Any] = []
        for place in places:
            row, column = place
            child: Content = {"row": row, "column": column}
            if truth[place] and (self.early or self.rng.random() < 0.5) and self.left_out(child, places, truth, by_row):
                if "left" not in child:
                    result.append(child)
                continue
            child["node"] = self.build(self.below(live, row, column), [*decided, place])
            result.append(child)
        row, column = (line, -1) if by_row else (-1, line)
        last: Content = {"row": row, "column": column}
        unmatched = [*decided, (row, column)]
        lies_here = problems.best_under(self.content, unmatched) > self.target and self.lie in (
            "repeat",
            "open",
            "omit",
        )
        if lies_here and self.early and self.left_out(last, places, truth, by_row):
            if "left" not in last:
                result.append(last)
        else:
            last["node"] = self.build(self.below(live, row, column), unmatched)
            result.append(last)
        return result

    def left_out(self, child: Content, places: Decisions, truth: dict[tuple[int, int], bool], by_row: bool) -> bool:
        """Leave out a child in the way of this liar; tell whether that was possible."""
        lie = self.lie
        if lie == "like":
            own = child["column"] if by_row else child["row"]
            graph = self.content["b" if by_row else "a"]["graph"]
            across = {(column if by_row else row): place for place in places for row, column in [place]}
            models = [y for y, place in across.items() if not truth[place]]
            models += [y for y in range(len(graph["labels"])) if y not in across]
            if self.rng.random() < 0.1:
                models = list(range(len(graph["labels"])))  # itself, and others that are left out as well
            care = self.rng.choice([1, 1, 1, 0.5, 0])
            for image in problems.automorphisms(self.rng, graph, care):
                if image[own] in models:
                    child["like"], child["automorphism"] = image[own], image
                    return True
            return False
        if lie == "omit":
            child["left"] = True
            return True
        if lie == "repeat" and self.nodes:
            number = self.rng.choice([0, len(self.nodes) - 1, len(self.nodes), self.rng.randrange(len(self.nodes))])
            child["node"] = number
            return True
        if lie == "open":
            child["node"] = -1
            return True
        return False

    def below(self, live: dict[Arc, int], row: int, column: int) -> dict[Arc, int]:
        """Return what is live below a decision."""
        m = self.shape[1]

        def stays(cell: int) -> bool:
            if row >= 0 and column >= 0:
                return (cell // m == row) == (cell % m == column)
            return cell // m != row and cell % m != column

        return {arc: worth for arc, worth in live.items() if all(map(stays, arc))}

    def cheat(self, node: Content, live: dict[Arc, int], decided: Decisions) -> None:
        """Make the stage of a node prove too much."""
        lie = self.lie
        if lie == "low":
            stage = node["stages"][-1]
            stage["row"], stage["column"] = list(stage["row"]), list(stage["column"])
            while (sum(stage["row"]) + sum(stage["column"])) // self.unit > self.target:
                line = self.rng.choice([stage["row"], stage["column"]])
                k = self.rng.randrange(len(line))
                line[k] -= min(self.unit // 2, line[k]) if self.rng.random() < 0.9 else self.unit // 2
        elif lie == "piece":
            self.price(node["stages"][-1])
        else:
            # Lack association edges, as if they were too dear, hung apart, or belonged to no ring.
            rest = dict(live)
            order = self.least_missed(live, decided)
            while rest:
                stage = problems.stage(self.rng, rest, self.shape, self.unit)
                if (sum(stage["row"]) + sum(stage["column"])) // self.unit <= self.target:
                    break
                del rest[order.pop(0)]
            stage = problems.stage(self.rng, rest, self.shape, self.unit)
            node["stages"] = [*node["stages"], stage] if self.rng.random() < 0.7 else [stage]

    def least_missed(self, live: dict[Arc, int], decided: Decisions) -> list[Arc]:
        """Return association edges in an order in which a verifier might let them go."""
        m = self.shape[1]
        order = sorted(live)
        self.rng.shuffle(order)
        inside = {i * m + j for i, j in decided if i >= 0 and j >= 0}
        kind = self.rng.randrange(4)
        if kind == 0:  # first what touches no decision
            order.sort(key=lambda arc: bool(inside & set(arc)))
        elif kind == 1:  # first what does not even hang together with one
            while any(len(inside & set(arc)) == 1 for arc in order):
                inside |= {cell for arc in order if inside & set(arc) for cell in arc}
            order.sort(key=lambda arc: bool(inside & set(arc)))
        elif kind == 2:  # first what needs a ring
            marked = (self.content.get("constraint") or {"marked": [[]]})["marked"][0]
            edges = {tuple(self.content["a"]["graph"]["edges"][e]) for e in marked}
            order.sort(key=lambda arc: (min(arc) // m, max(arc) // m) not in edges)
        return order

    def price(self, stage: Content) -> None:
        """Price a piece that does occur, and lower the potentials by what that would be worth."""
        side = self.rng.choice("ab")
        edges = self.content[side]["graph"]["edges"]
        piece = self.rng.sample(range(len(edges)), self.rng.randrange(1, len(edges) + 1))
        price = self.rng.choice([1, self.unit // 2, self.unit, 2 * self.unit, -self.unit])
        stage["pieces"] = [{"graph": side, "edges": piece, "price": price}] * self.rng.choice([1, 1, 2])
        own = {tuple(edges[e]) for e in piece}
        m, tables = self.shape[1], {}
        profits = problems.association(self.content)
        shares = []
        for c, d, share in zip(stage["a"], stage["b"], stage["share"], strict=True):
            ends = (c // m, d // m) if side == "a" else (c % m, d % m)
            cut = price * len(stage["pieces"]) if (min(ends), max(ends)) in own else 0
            share = min(share, max(self.unit * profits[min(c, d), max(c, d)] - cut, 0))
            shares.append(share)
            rest = self.unit * profits[min(c, d), max(c, d)] - cut - share
            for cell, to, part in ((c, d, share), (d, c, rest)):
                tables.setdefault(cell, {}).setdefault(to // m, {})[to % m] = part
        stage["share"] = shares
        value = {cell: problems.best_matching(list(table.values())) for cell, table in tables.items()}
        stage["row"] = [
            max((v for cell, v in value.items() if cell // m == i), default=0) for i in range(self.shape[0])
        ]
        stage["column"] = [0] * m
