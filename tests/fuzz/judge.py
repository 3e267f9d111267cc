"""Bare problems for the brute force: derived from a question by the words of the documentation, or from a certificate.

Nothing here asks `enpda` what a rule or a constraint means: a mistake there must not be made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from enpda import Constraints, Graph, Rules
from enpda._core import BareProblem, bare_score, brute_force  # noqa: F401 - campaigns take them from here

HALVES = {1: 2, 2: 4, 3: 6, 12: 3}
"""Bond orders in halves, by RDKit's bond type."""

Optimum = tuple[int, int]
"""The most worth, and the most nodes among mappings of so much worth."""


def bare(a: Graph, b: Graph, rules: Rules | None, constraints: Constraints | None) -> BareProblem:
    """Pose the problem of two graphs."""
    rules, constraints = rules or Rules(), constraints or Constraints()
    kinds_a, kinds_b = kinds(a, rules), kinds(b, rules)
    allowed = [[x == y for y in kinds_b] for x in kinds_a]
    given = rules.compatible
    if given is not None:
        for i, line in enumerate(allowed):
            for j in range(len(line)):
                line[j] = line[j] and bool(given(i, j) if callable(given) else given[i][j])
    for i, j in rules.pinned:
        for k, line in enumerate(allowed):
            for other in range(len(line)):
                line[other] = line[other] and ((k == i) == (other == j))
    for i, j in rules.forbidden:
        allowed[i][j] = False

    edges_a, edges_b = ([tuple(edge) for edge in g.edges.tolist()] for g in (a, b))
    rings_a, marked_a = _rings(a, edges_a, constraints.rings)
    rings_b, marked_b = _rings(b, edges_b, constraints.rings)
    circle_a, circle_b = (_circles(g, edges) for g, edges in ((a, edges_a), (b, edges_b)))
    weight = _weight(rules)
    worth = []
    for label, mark, circle in zip(a.edge_labels.tolist(), marked_a, circle_a, strict=True):
        for other, its_mark, its_circle in zip(b.edge_labels.tolist(), marked_b, circle_b, strict=True):
            same = rules.bonds == "any" or label == other
            same &= mark == its_mark and (not rules.ring_bonds or circle == its_circle)
            worth.append(min(weight(label), weight(other)) if same else 0)
    result = BareProblem(len(a), len(b), [int(x) for line in allowed for x in line], edges_a, edges_b, worth)
    result.rings_a, result.rings_b, result.marked_a, result.marked_b = rings_a, rings_b, marked_a, marked_b
    result.max_fragments = 1 if constraints.connected else constraints.max_fragments or 0
    result.min_fragment = constraints.min_fragment
    return result


def _weight(rules: Rules) -> Callable[[int], int]:
    if rules.weights is None:
        return lambda label: 1
    table = HALVES if rules.weights == "order" else dict(rules.weights)
    return lambda label: table[label]


def kinds(graph: Graph, rules: Rules) -> list[Any]:
    """Return what two nodes share that may meet."""
    if rules.atoms == ("element",) and not rules.equivalent:
        return graph.labels.tolist()
    edges = graph.edges.tolist()
    circles = _circles(graph, [tuple(edge) for edge in edges])
    looks: dict[str, Callable[[int], Any]] = {
        "element": lambda v: int(graph.labels[v]),
        "degree": lambda v: sum(v in edge for edge in edges),
        "ring": lambda v: any(v in edge and circle for edge, circle in zip(edges, circles, strict=True)),
    }
    if graph.mol is not None:
        from rdkit import Chem

        atom = graph.mol.GetAtomWithIdx
        patterns = [Chem.MolFromSmarts(pattern) for pattern in rules.equivalent]
        hits = [{hit[0] for hit in graph.mol.GetSubstructMatches(pattern)} for pattern in patterns]

        def element(v: int) -> Any:
            return next((f"like {k}" for k, hit in enumerate(hits) if v in hit), atom(v).GetAtomicNum())

        looks |= {
            "element": element,
            "charge": lambda v: atom(v).GetFormalCharge(),
            "isotope": lambda v: atom(v).GetIsotope(),
            "hydrogens": lambda v: atom(v).GetTotalNumHs(True),
            "aromatic": lambda v: atom(v).GetIsAromatic(),
            "valence": lambda v: atom(v).GetTotalValence(),
        }
    return [tuple(looks[name](v) for name in rules.atoms) for v in range(len(graph))]


def _circles(graph: Graph, edges: Sequence[tuple[int, int]]) -> list[bool]:
    """Tell of each edge whether its ends stay connected without it."""
    result = []
    for edge in edges:
        reached, grown = {edge[0]}, True
        while grown:
            more = {w for e in edges if e != edge for v, w in (e, e[::-1]) if v in reached} - reached
            reached |= more
            grown = bool(more)
        result.append(edge[1] in reached)
    return result


def _rings(graph: Graph, edges: Sequence[tuple[int, int]], kind: str) -> tuple[list[list[int]], list[int]]:
    if kind == "none":
        return [], [0] * len(edges)
    from rdkit import Chem

    mol = graph.mol
    if mol is None:
        mol = Chem.RWMol()
        for _ in range(len(graph)):
            mol.AddAtom(Chem.Atom(6))
        for u, v in edges:
            mol.AddBond(u, v, Chem.BondType.SINGLE)
    rings = [list(ring) for ring in Chem.GetSymmSSSR(Chem.Mol(mol))]
    if kind == "aromatic":
        marked = [mol.GetBondBetweenAtoms(u, v).GetIsAromatic() for u, v in edges]
        aromatic = {edge for edge, mark in zip(edges, marked, strict=True) if mark}
        rings = [ring for ring in rings if around(ring) <= aromatic]
    else:
        inside = {edge for ring in rings for edge in around(ring)}
        marked = [edge in inside for edge in edges]
    return rings, [int(mark) for mark in marked]


def around(ring: Sequence[int]) -> set[tuple[int, int]]:
    """Return the edges of a ring."""
    return {(min(p, q), max(p, q)) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True)}


def worth_table(content: dict[str, Any]) -> list[int]:
    """Return what each edge of a is worth on each edge of b, in a certificate."""
    table = (content.get("terms") or {}).get("worth")
    value = None if table is None else {(x, y): w for x, y, w in table}
    labels = [content[side]["graph"]["edge_labels"] for side in "ab"]
    return [int(x == y) if value is None else value.get((x, y), 0) for x in labels[0] for y in labels[1]]


def of_certificate(
    content: dict[str, Any], *, marks_of_b: bool = True, apart: Iterable[tuple[int, int]] = ()
) -> BareProblem:
    """Pose the problem that a certificate speaks of; raises where it poses none.

    Marked edges of either graph count in whole rings only. The verifier may take the marks of a alone where labels
    tell no difference; `marks_of_b=False` is that reading. Pairs in `apart` do not meet either.
    """
    a, b = content["a"]["graph"], content["b"]["graph"]
    closed = {(i, j) for i, j in (content.get("terms") or {}).get("forbidden", ())} | set(apart)
    allowed = [
        int(x == y and (i, j) not in closed) for i, x in enumerate(a["labels"]) for j, y in enumerate(b["labels"])
    ]
    edges = [[tuple(edge) for edge in g["edges"]] for g in (a, b)]
    result = BareProblem(len(a["labels"]), len(b["labels"]), allowed, *edges, worth_table(content))
    constraint = content.get("constraint")
    if constraint is not None:
        result.rings_a, result.rings_b = (list(constraint["rings"][side]) for side in (0, 1))
        marks = [[int(e in constraint["marked"][side]) for e in range(len(edges[side]))] for side in (0, 1)]
        result.marked_a = marks[0]
        if marks_of_b:
            result.marked_b = marks[1]
        result.max_fragments = min(constraint["max_fragments"], 1000)  # there are not so many nodes
        result.min_fragment = min(constraint["min_fragment"], 1000)
    return result


def readings(content: dict[str, Any]) -> list[BareProblem]:
    """Return the one or two problems that a certificate may be taken to speak of."""
    result = [of_certificate(content)]
    if any((content.get("constraint") or {}).get("marked", ())):
        result.append(of_certificate(content, marks_of_b=False))
    return result


def image_of(mapping: Any, rows: int) -> list[int]:
    """Return pairs, or a dict, as a list over a's nodes."""
    result = [-1] * rows
    for i, j in mapping.items() if isinstance(mapping, dict) else mapping:
        result[i] = j
    return result
