"""Slow, plain judges of the clever code; they share nothing with it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from enpda import Graph


def adjacency(graph: Graph) -> list[dict[int, int]]:
    result: list[dict[int, int]] = [{} for _ in range(len(graph))]
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        result[u][v] = label
        result[v][u] = label
    return result


def brute_force(a: Graph, b: Graph, allowed=None, worth=None) -> tuple[int, int]:
    """The most preserved edges of any mapping, and the most nodes among those mappings.

    `allowed[i][j]` says which nodes may meet besides having equal labels, `worth(x, y)` what a pair of edge labels is
    worth.
    """
    worth = worth or (lambda x, y: int(x == y))
    left, right = adjacency(a), adjacency(b)
    la, lb = a.labels.tolist(), b.labels.tolist()
    most = max((worth(x, y) for x in set(a.edge_labels.tolist()) for y in set(b.edge_labels.tolist())), default=0)
    # Edges of a that could still be gained once rows 0..i-1 are decided: those with an end at i or later.
    open_edges = [most * sum(1 for u, v in a.edges.tolist() if max(u, v) >= i) for i in range(len(a) + 1)]
    best = (0, 0)
    image: list[int] = []
    used = [False] * len(b)
    touched = Counter()

    def go(i: int, edges: int) -> None:
        nonlocal best
        if edges + open_edges[i] < best[0]:
            return
        if i == len(a):
            best = max(best, (edges, sum(1 for count in touched.values() if count)))
            return
        image.append(-1)
        go(i + 1, edges)
        for j in range(len(b)):
            if used[j] or la[i] != lb[j] or (allowed is not None and not allowed[i][j]):
                continue
            won = {
                k: worth(e, right[j][image[k]])
                for k, e in left[i].items()
                if k < i and image[k] >= 0 and image[k] in right[j]
            }
            gained = [k for k, value in won.items() if value > 0]
            used[j] = True
            image[i] = j
            touched.update([*gained, *([i] * len(gained))])
            go(i + 1, edges + sum(won.values()))
            touched.subtract([*gained, *([i] * len(gained))])
            used[j] = False
        image.pop()

    go(0, 0)
    return best


def brute_force_of_molecules(a: Graph, b: Graph, alike, worth) -> int:
    """The best size, where `alike` compares two RDKit atoms and `worth` values two RDKit bonds."""

    def bare(graph: Graph) -> Graph:
        ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in graph.mol.GetBonds()]
        return Graph([0] * len(graph), ends, range(len(ends)))

    allowed = [[alike(x, y) for y in b.mol.GetAtoms()] for x in a.mol.GetAtoms()]
    of_a, of_b = a.mol.GetBondWithIdx, b.mol.GetBondWithIdx
    return brute_force(bare(a), bare(b), allowed, lambda x, y: worth(of_a(x), of_b(y)))[0]


def association_edges(a: Graph, b: Graph) -> set[tuple[int, int]]:
    left, right, m = adjacency(a), adjacency(b), len(b)
    la, lb = a.labels.tolist(), b.labels.tolist()
    result = set()
    for i in range(len(a)):
        for k, label in left[i].items():
            for j in range(m):
                for opposite, other in right[j].items():
                    if label == other and la[i] == lb[j] and la[k] == lb[opposite]:
                        c, d = i * m + j, k * m + opposite
                        result.add((min(c, d), max(c, d)))
    return result


def _histograms(graph: Graph) -> list[tuple[int, Counter, Counter, Counter, Counter]]:
    near, label = adjacency(graph), graph.labels.tolist()
    result = []
    for r in range(len(graph)):
        two: Counter = Counter()
        three: Counter = Counter()
        for x, e in near[r].items():
            for y, f in near[x].items():
                if y == r:
                    continue
                two[e, label[x], f, label[y]] += 1
                for z, g in near[y].items():
                    if z not in (r, x):
                        three[e, label[x], f, label[y], g, label[z]] += 1
        result.append((len(near[r]), Counter(label[x] for x in near[r]), Counter(near[r].values()), two, three))
    return result


def _jaccard(x: Counter, y: Counter) -> float:
    either = sum((x | y).values())
    return sum((x & y).values()) / either if either else 1.0


def features(a: Graph, b: Graph) -> list[list[list[float]]]:
    """The six features, [feature][i][j]."""
    ha, hb = _histograms(a), _histograms(b)
    la, lb = a.labels.tolist(), b.labels.tolist()
    planes = [
        [[float(x == y) for y in lb] for x in la],
        [[1 / (1 + abs(x[0] - y[0])) for y in hb] for x in ha],
    ]
    return planes + [[[_jaccard(x[k], y[k]) for y in hb] for x in ha] for k in (1, 2, 3, 4)]


def doubled_incident_weights(a: Graph, b: Graph) -> np.ndarray:
    """Overlap of incident (edge label, opposite label) on compatible cells, -1 elsewhere."""

    def around(graph: Graph) -> list[Counter]:
        labels = graph.labels.tolist()
        return [Counter((e, labels[w]) for w, e in near.items()) for near in adjacency(graph)]

    left, right = around(a), around(b)
    result = np.full((len(a), len(b)), -1)
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            if a.labels[i] == b.labels[j]:
                result[i, j] = sum((x & y).values())
    return result


def retained(a: Graph, b: Graph, image, rings_a=(), rings_b=(), marked_a=None, max_fragments=0, min_fragment=0):
    """Edges of a that a mapping keeps under a constraint, by the definition, in sets."""
    right = adjacency(b)
    kept = set()
    for (u, v), label in zip(a.edges.tolist(), a.edge_labels.tolist(), strict=True):
        both = image[u] >= 0 and image[v] >= 0
        alike = both and a.labels[u] == b.labels[image[u]] and a.labels[v] == b.labels[image[v]]
        if alike and right[image[u]].get(image[v]) == label:
            kept.add((u, v))

    def around(ring):
        return frozenset((min(p, q), max(p, q)) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))

    if marked_a is not None:
        bound = {tuple(edge) for edge, mark in zip(a.edges.tolist(), marked_a, strict=True) if mark}
        targets = {around(ring) for ring in rings_b}
        whole = set()
        for ring in rings_a:
            if around(ring) <= kept and around([image[v] for v in ring]) in targets:
                whole |= around(ring)
        kept = (kept - bound) | (kept & whole)
    pieces: list[set[tuple[int, int]]] = []
    for edge in kept:
        touching = [piece for piece in pieces if any(set(edge) & set(other) for other in piece)]
        pieces = [piece for piece in pieces if piece not in touching] + [{edge}.union(*touching)]
    pieces = [piece for piece in pieces if len({v for edge in piece for v in edge}) >= min_fragment]
    pieces.sort(key=lambda piece: (len(piece), len({v for edge in piece for v in edge})), reverse=True)
    return set().union(*pieces[: max_fragments or None])


def most_retained(a: Graph, b: Graph, **constraint) -> int:
    """The most edges that any mapping keeps under a constraint."""
    best = 0
    image: list[int] = []

    def go(i: int) -> None:
        nonlocal best
        if i == len(a):
            best = max(best, len(retained(a, b, image, **constraint)))
            return
        for j in (-1, *range(len(b))):
            if j < 0 or (j not in image and a.labels[i] == b.labels[j]):
                image.append(j)
                go(i + 1)
                image.pop()

    go(0)
    return best


def counted(pair, image):
    """The edges that an image preserves, by the definition."""
    there = {frozenset(e): x for e, x in zip(pair.b.edges.tolist(), pair.b.edge_labels.tolist(), strict=True)}
    mapped = {i: j for i, j in enumerate(image.tolist()) if j >= 0}
    assert len(set(mapped.values())) == len(mapped)
    assert all(pair.a.labels[i] == pair.b.labels[j] for i, j in mapped.items())
    kinds = zip(pair.a.edges.tolist(), pair.a.edge_labels.tolist(), strict=True)
    return sum(there.get(frozenset((mapped.get(u, -1), mapped.get(v, -2)))) == x for (u, v), x in kinds)


def most_total(a: Graph, b: Graph) -> int:
    """The most preserved edges and their endpoints, counted together, of any mapping."""
    left, right = adjacency(a), adjacency(b)
    best = 0

    def go(i: int, image: dict[int, int]) -> None:
        nonlocal best
        if i == len(a):
            kept = [
                (u, v)
                for u in image
                for v in image
                if u < v and v in left[u] and left[u][v] == right[image[u]].get(image[v])
            ]
            best = max(best, len(kept) + len({node for edge in kept for node in edge}))
            return
        go(i + 1, image)
        for j in range(len(b)):
            if j not in image.values() and a.labels[i] == b.labels[j]:
                go(i + 1, {**image, i: j})

    go(0, {})
    return best
