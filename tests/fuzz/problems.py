"""Small problems as certificates hold them, with everything that may break a symmetry; and what a proof is made of."""

from __future__ import annotations

import itertools
import random

from . import judge
from .documents import Content, digest

Arc = tuple[int, int]
"""Two cells i * |b| + j that preserve an edge together, in ascending order."""


def _graph(rng: random.Random, kinds: int, edge_labels: list[int], alike: bool) -> Content:
    """Draw a graph, mostly one with symmetries."""
    n = rng.choice([2, 3, 3, 4, 4, 4, 5])
    pairs = list(itertools.combinations(range(n), 2))
    shapes = ["matching", "star", "path", "ring", "clique", "two", "random", "random"]
    shape = rng.choice(shapes[:6] if alike else shapes)
    if shape == "matching":
        edges = [(v, v + 1) for v in range(0, n - 1, 2)]
    elif shape == "star":
        edges = [(0, v) for v in range(1, n)]
    elif shape == "path":
        edges = [(v, v + 1) for v in range(n - 1)]
    elif shape == "ring":
        edges = [(v, v + 1) for v in range(n - 1)] + ([(0, n - 1)] if n > 2 else [])
    elif shape == "clique":
        edges = pairs[: 8 if n == 5 else None]
    elif shape == "two":
        edges = [pair for pair in pairs if (pair[0] < n // 2) == (pair[1] < n // 2)]
    else:
        edges = [pair for pair in pairs if rng.random() < 0.5]
    alike = alike or rng.random() < 0.3
    labels = [0 if alike else rng.randrange(kinds) for _ in range(n)]
    one = rng.choice(edge_labels)
    of_edges = [one if alike else rng.choice(edge_labels) for _ in edges]
    return {"labels": labels, "edges": [list(edge) for edge in sorted(edges)], "edge_labels": of_edges}


def cycles(graph: Content) -> list[list[int]]:
    """Return all cycles, each once, as nodes in order."""
    near: dict[int, set[int]] = {v: set() for v in range(len(graph["labels"]))}
    for u, v in graph["edges"]:
        near[u].add(v)
        near[v].add(u)
    result = []

    def walk(path: list[int]) -> None:
        for w in near[path[-1]]:
            if w == path[0] and len(path) > 2 and path[1] < path[-1]:
                result.append(list(path))
            if w > path[0] and w not in path:
                walk([*path, w])

    for v in near:
        walk([v])
    return result


def problem(rng: random.Random) -> Content:
    """Draw a certificate without a proof: graphs, terms and constraint, and a mapping to be put in order."""
    kinds = rng.choice([1, 1, 2])
    valued = rng.random() < 0.6
    broken = rng.choice(["marks", "rings", "forbidden"]) if rng.random() < 0.5 else None  # what breaks a symmetry
    own_a, own_b = ([3, 4][: rng.choice([1, 1, 2])], [5, 6][: rng.choice([1, 1, 2])]) if valued else ([0], [0])
    a, b = (_graph(rng, kinds, own, broken is not None) for own in (own_a, own_b))
    content: Content = {"a": {"graph": a}, "b": {"graph": b}}
    worth = None
    if valued:
        table = [[x, y, rng.choice([1, 1, 1, 2, 3])] for x in own_a for y in own_b if rng.random() < 0.85]
        worth = table or [[own_a[0], own_b[0], 1]]
    elif broken is None and rng.random() < 0.5:
        for graph in (a, b):
            graph["edge_labels"] = [rng.randrange(2) for _ in graph["edges"]]
    cells = [[i, j] for i in range(len(a["labels"])) for j in range(len(b["labels"]))]
    forbidden: list[list[int]] = []
    if broken is None:
        if rng.random() < 0.6:
            content["constraint"] = _constraint(rng, a, b, valued)
        if rng.random() < 0.4:
            forbidden = [cell for cell in cells if rng.random() < rng.choice([0.1, 0.3])]
    elif broken == "forbidden":
        forbidden = rng.sample(cells, min(rng.choice([1, 1, 2]), len(cells)))
    else:
        content["constraint"] = _uneven(rng, a, b, broken == "rings", valued)
    if valued or forbidden:
        content["terms"] = {"forbidden": forbidden, "worth": worth}
    columns = list(range(len(b["labels"])))
    rng.shuffle(columns)
    content["mapping"] = [[i, j] for i, j in zip(range(len(a["labels"])), columns, strict=False)]
    for side in "ab":
        content[side]["digest"] = digest(content[side]["graph"])
    return content


def _uneven(rng: random.Random, a: Content, b: Content, rings: bool, valued: bool) -> Content:
    """Draw a constraint that some edges or rings are under, and others like them are not."""
    result: Content = {"rings": [[], []], "marked": [[], []], "max_fragments": rng.choice([0, 0, 1]), "min_fragment": 0}
    for side, graph in enumerate((a, b)):
        edges = list(range(len(graph["edges"])))
        if rings:
            own = cycles(graph)
            result["rings"][side] = rng.sample(own, rng.choice([min(1, len(own)), len(own)]))
            inside = set().union(*map(judge.around, own)) if own else set()
            result["marked"][side] = [e for e in edges if tuple(graph["edges"][e]) in inside]
        elif edges and rng.random() < 0.7:
            result["marked"][side] = sorted(rng.sample(edges, rng.choice([1, 1, len(edges) // 2])))
        if not valued:
            graph["edge_labels"] = [2 * x + (e in result["marked"][side]) for e, x in enumerate(graph["edge_labels"])]
    return result


def _constraint(rng: random.Random, a: Content, b: Content, valued: bool) -> Content:
    rings, marked = [], []
    circles = rng.random() < 0.7
    for graph in (a, b):
        own = [ring for ring in cycles(graph) if circles and rng.random() < 0.7]
        inside = set().union(*map(judge.around, own)) if own else set()
        marks = [e for e, edge in enumerate(graph["edges"]) if tuple(edge) in inside or rng.random() < 0.15]
        if not circles and rng.random() < 0.6:
            marks = []
        if not valued:  # labels have to tell marked edges from others
            for e in range(len(graph["edges"])):
                graph["edge_labels"][e] = 2 * graph["edge_labels"][e] + (e in marks)
        rings.append(own)
        marked.append(marks)
    return {
        "rings": rings,
        "marked": marked,
        "max_fragments": rng.choice([0, 0, 1, 1, 2]),
        "min_fragment": rng.choice([0, 0, 0, 2, 3, 4]),
    }


def association(content: Content) -> dict[Arc, int]:
    """Return what preserves an edge, and its worth; between marked edges only where a ring can be laid."""
    a, b, m = content["a"]["graph"], content["b"]["graph"], len(content["b"]["graph"]["labels"])
    allowed, worth = _allowed(content), {}
    table = judge.worth_table(content)
    for e, (u, v) in enumerate(a["edges"]):
        for f, (x, y) in enumerate(b["edges"]):
            value = table[e * len(b["edges"]) + f]
            for p, q in ((x, y), (y, x)):
                if value > 0 and allowed[u][p] and allowed[v][q]:
                    c, d = u * m + p, v * m + q
                    worth[min(c, d), max(c, d)] = value
    constraint = content.get("constraint")
    if constraint is None:
        return worth
    laid: set[Arc] = set()
    for ring, other in itertools.product(*constraint["rings"]):
        size = len(ring)
        for shift, step in itertools.product(range(size), (1, -1)):
            if len(other) == size:
                cells = [i * m + other[(shift + step * k) % size] for k, i in enumerate(ring)]
                arcs = judge.around(cells)
                if arcs <= worth.keys():
                    laid |= arcs
    marks = {tuple(a["edges"][e]) for e in constraint["marked"][0]}
    return {
        (c, d): value
        for (c, d), value in worth.items()
        if (c, d) in laid or (min(c // m, d // m), max(c // m, d // m)) not in marks
    }


def _allowed(content: Content) -> list[list[bool]]:
    closed = {tuple(pair) for pair in (content.get("terms") or {}).get("forbidden", ())}
    a, b = content["a"]["graph"]["labels"], content["b"]["graph"]["labels"]
    return [[x == y and (i, j) not in closed for j, y in enumerate(b)] for i, x in enumerate(a)]


def best_matching(lines: list[dict[int, int]]) -> int:
    """Return the best matching of lines with columns."""
    best: dict[frozenset[int], int] = {frozenset(): 0}
    for line in lines:
        for used, value in list(best.items()):
            for column, share in line.items():
                if share > 0 and column not in used:
                    key = used | {column}
                    best[key] = max(best.get(key, 0), value + share)
    return max(best.values())


def stage(rng: random.Random, live: dict[Arc, int], shape: tuple[int, int], unit: int) -> Content:
    """Return an honest stage: profit split somehow, and potentials that cover it, by rows or by columns."""
    n, m = shape
    arcs = sorted(live)
    even = rng.random() < 0.7
    first, second, shares = [], [], []
    tables: dict[int, dict[int, dict[int, int]]] = {}
    for c, d in arcs:
        profit = unit * live[c, d]
        share = profit // 2 if even else rng.randrange(profit + 1)
        own, other = (c, d) if rng.random() < 0.5 else (d, c)
        first.append(own)
        second.append(other)
        shares.append(share)
        for cell, to, part in ((own, other, share), (other, own, profit - share)):
            tables.setdefault(cell, {}).setdefault(to // m, {})[to % m] = part
    value = {cell: best_matching(list(table.values())) for cell, table in tables.items()}
    rows = [max((v for cell, v in value.items() if cell // m == i), default=0) for i in range(n)]
    columns = [max((v for cell, v in value.items() if cell % m == j), default=0) for j in range(m)]
    if sum(rows) <= sum(columns):
        columns = [0] * m
    else:
        rows = [0] * n
    return {"a": first, "b": second, "share": shares, "row": rows, "column": columns}


def automorphisms(rng: random.Random, graph: Content, care: float) -> list[list[int]]:
    """Return permutations: with care they keep labels and edges, with less only labels, with none nothing."""
    n = len(graph["labels"])
    near = {tuple(edge): label for edge, label in zip(graph["edges"], graph["edge_labels"], strict=True)}
    result = []
    for image in itertools.permutations(range(n)):
        if care > 0 and any(graph["labels"][v] != graph["labels"][image[v]] for v in range(n)):
            continue
        if care > 0.5:
            moved = {(min(image[u], image[v]), max(image[u], image[v])): label for (u, v), label in near.items()}
            if moved != near:
                continue
        result.append(list(image))
    rng.shuffle(result)
    return result


Decisions = list[tuple[int, int]]
"""Cells (row, column) that were decided, -1 for unmatched."""


def best_under(content: Content, decisions: Decisions) -> int:
    """Return the optimum among mappings that agree with decisions, under the more careful reading."""
    values = []
    for marks_of_b in (True, False):
        bare = judge.of_certificate(content, marks_of_b=marks_of_b, apart=_apart(content, decisions))
        values.append(judge.brute_force(bare)[0])
    return min(values)


def _apart(content: Content, decisions: Decisions) -> set[tuple[int, int]]:
    n, m = (len(content[side]["graph"]["labels"]) for side in "ab")
    closed: set[tuple[int, int]] = set()
    for row, column in decisions:
        for i in range(n):
            for j in range(m):
                if (i == row) != (j == column):
                    closed.add((i, j))
    return closed
