"""Checks certificates of common edge subgraphs: plain integers, no code of the solver, only the standard library.

A certificate says: these two graphs share `size` edges by this mapping, and no mapping shares more than `upper`. The
mapping is counted again, and the bound follows again from its witness:

- `edge`: the smaller number of edges.
- `histogram`: edges by label and end labels, the smaller count of each kind.
- `potentials`: integers r, c >= 0 with r[i] + c[j] >= scale * w[i][j] wherever labels agree, where w is half the
  overlap of the labelled edges around i and around j. A mapping shares at most the sum of w over its pairs, so at most
  (sum r + sum c) / scale edges.
- `rlt`: one or more stages. A stage splits each edge of the association graph, worth one `unit`, between its two ends,
  so choosing i -> j earns at most the best matching of the edges around i with those around j by their shares; and
  potentials with r[i] + c[j] at least that bound every mapping by (sum r + sum c) / unit. An association edge may be
  missing from the next stage when no mapping with more than `known` edges can use it: the sum, less the slack of both
  ends and less what both matchings lose by using it, is below known + 1 units. So no mapping has more edges than the
  larger of `known` and what any stage allows.
- `tree`: such stages for every node of a tree. A node decides one line (a node of one graph): each child maps it to one
  node of the other graph, or leaves it unmatched. A cell of the line needs no child of its own when its association
  edges are gone, or when an automorphism of the other graph, one that leaves alone what was decided before, takes it to
  a cell that has a child or whose edges are gone. A child that was not finished is as good as its parent's bound.

`terms` may forbid pairs of nodes, and give pairs of edge labels another worth than 1 for equal ones. Sizes and bounds
then add up worths, and an association edge is as many units as it is worth.

A `constraint` may ask for whole rings (the marked edges of either graph count only in a ring that is preserved as a
whole, onto a ring) and limit the number and size of the fragments. What a mapping then counts is counted by that
definition. An association edge between marked edges exists only where a ring can be laid across it; it may be missing
later when no such ring is left, and so may everything that cannot become part of a fragment that is allowed: what is
too small, and what does not hang together with a decision when decisions make as many fragments as there may be. A node
of a tree in which nothing is left to choose counts what its one mapping counts.

`python -m enpda_verify FILE` prints the verdict.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = "enpda-certificate/1"
MAX_BYTES = 256 * 1024 * 1024
MAX_CELLS = 64_000_000
MAX_ASSOCIATION = 5_000_000

Arc = tuple[int, int]
"""Two cells i * |b| + j: the end that owns the share, and the other end."""


class CertificateError(Exception):
    """Why a certificate does not hold."""


@dataclass
class Report:
    """The verdict on a certificate.

    Attributes
    ----------
    ok : bool
        Whether everything it claims was re-derived.
    reasons : list of str
        Why not; empty when ok.
    size, upper : int or None
        What was re-derived.
    kind : str or None
        The kind of bound.
    weighted : bool
        Whether edges count by worth, so that size and upper are sums of worths.
    notes : list of str
        What a reader should know all the same, such as numerical bounds that integers cannot confirm.
    """

    ok: bool = False
    reasons: list[str] = field(default_factory=list)
    size: int | None = None
    upper: int | None = None
    kind: str | None = None
    weighted: bool = False
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.ok:
            return "REFUSED: " + "; ".join(self.reasons)
        sure = "optimal" if self.size == self.upper else f"at most {self.upper}"
        size = f"weight {self.size}" if self.weighted else f"{self.size} edges"
        return "\n".join([f"VALID: {size}, {sure} (bound: {self.kind})", *self.notes])


def verify(certificate: Any, graphs: Any = None) -> Report:
    """Check a certificate.

    Parameters
    ----------
    certificate : path, bytes or dict
        A JSON file (gzip or plain), its content, or the parsed content.
    graphs : pair of dict, optional
        The two graphs (`labels`, `edges`, `edge_labels`), for certificates that hold digests only.

    Returns
    -------
    Report
        Never raises for a bad certificate; a file that cannot be opened raises OSError.
    """
    report = Report()
    try:
        _check(load(certificate), graphs, report)
        report.ok = True
    except CertificateError as refusal:
        report.reasons.append(str(refusal))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError) as error:
        report.reasons.append(f"malformed: {type(error).__name__}: {str(error)[:200]}")
    return report


def load(certificate: Any) -> dict[str, Any]:
    """Return the content of a certificate, however it is given."""
    if isinstance(certificate, dict):
        return certificate
    if isinstance(certificate, (str, Path)):
        with open(certificate, "rb") as file:
            certificate = file.read(MAX_BYTES + 1)
    if certificate[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(certificate)) as unpacked:
                certificate = unpacked.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise CertificateError(f"damaged gzip file: {error}") from None
    if len(certificate) > MAX_BYTES:
        raise CertificateError(f"more than {MAX_BYTES} bytes")
    content = json.loads(certificate.decode("utf-8"), parse_constant=_no_constant)
    if not isinstance(content, dict):
        raise CertificateError("not a JSON object")
    return content


def seal(content: dict[str, Any]) -> str:
    """SHA-256 over everything but the seal itself: tells damage, and proves nothing."""
    rest = {key: value for key, value in content.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _no_constant(name: str) -> None:
    raise CertificateError(f"{name} is no number of a certificate")


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise CertificateError(reason)


def _whole(value: Any, what: str) -> int:
    if type(value) is not int:
        raise CertificateError(f"{what} must be a whole number; got {str(value)[:40]!r}")
    return value


def _wholes(values: Any, what: str) -> list[int]:
    _need(isinstance(values, list), f"{what} must be a list")
    for value in values:
        if type(value) is not int:
            raise CertificateError(f"{what} must hold whole numbers; got {str(value)[:40]!r}")
    return list(values)


# -- the graphs and the mapping ------------------------------------------------------------------------------


class _Graph:
    def __init__(self, content: Any, what: str) -> None:
        _need(isinstance(content, dict), f"graph {what} must be an object")
        self.labels = _wholes(content["labels"], f"labels of graph {what}")
        ends = [_wholes(end, f"edges of graph {what}") for end in content["edges"]]
        labels = _wholes(content["edge_labels"], f"edge labels of graph {what}")
        _need(len(ends) == len(labels), f"graph {what} has {len(ends)} edges and {len(labels)} edge labels")
        self.near: list[dict[int, int]] = [{} for _ in self.labels]
        self.edges: list[tuple[int, int, int]] = []
        for end, label in zip(ends, labels, strict=True):
            _need(len(end) == 2, f"an edge of graph {what} does not have two ends")
            u, v = end
            _need(0 <= u < v < len(self.labels), f"graph {what} has no edge {u}-{v}")
            _need(v not in self.near[u], f"graph {what} has the edge {u}-{v} twice")
            self.near[u][v] = self.near[v][u] = label
            self.edges.append((u, v, label))

    def digest(self) -> str:
        content = {"nodes": self.labels, "edges": sorted([u, v, label] for u, v, label in self.edges)}
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()

    def around(self, v: int) -> Counter[tuple[int, int]]:
        """Edges at v by edge label and label of the other end."""
        return Counter((label, self.labels[w]) for w, label in self.near[v].items())


Ring = frozenset[tuple[int, int]]
"""The edges of a ring."""


class _Constraint:
    """Whole rings, and number and size of fragments."""

    def __init__(self, a: _Graph, b: _Graph, content: Any) -> None:
        self.rings: list[list[list[int]]] = [[], []]
        self.edges: list[set[Ring]] = [set(), set()]
        self.marked: list[set[tuple[int, int]]] = [set(), set()]
        for side, g in enumerate((a, b)):
            for e in _wholes(content["marked"][side], "marked"):
                _need(0 <= e < len(g.edges), f"there is no edge {e} to be marked")
                self.marked[side].add(g.edges[e][:2])
            for listed in content["rings"][side]:
                ring = _wholes(listed, "ring")
                _need(len(set(ring)) == len(ring) > 2, "a ring has a node twice, or too few")
                edges = around(ring)
                _need(all(0 <= u < v < len(g.labels) and v in g.near[u] for u, v in edges), "a ring is no cycle")
                self.rings[side].append(ring)
                self.edges[side].add(edges)
        labels = [{g.near[u][v] for u, v in marked} for g, marked in zip((a, b), self.marked, strict=True)]
        plain = [
            {label for u, v, label in g.edges if (u, v) not in marked}
            for g, marked in zip((a, b), self.marked, strict=True)
        ]
        _need(not labels[0] & plain[1] and not labels[1] & plain[0], "edge labels do not tell marked edges from others")
        self.most = _whole(content["max_fragments"], "max_fragments")
        self.least = _whole(content["min_fragment"], "min_fragment")
        _need(self.most >= 0 and self.least >= 0, "fragments cannot be limited by negative numbers")

    def retained(self, image: dict[int, int], kept: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return what counts of the preserved edges of a mapping, by the definition."""
        whole: set[tuple[int, int]] = set()
        for ring in self.rings[0]:
            if around(ring) <= kept.keys() and around([image[v] for v in ring]) in self.edges[1]:
                whole |= around(ring)
        kept = {edge: worth for edge, worth in kept.items() if edge in whole or edge not in self.marked[0]}
        fragments = []
        for nodes in parts(kept):
            edges = [edge for edge in kept if edge[0] in nodes]
            if len(nodes) >= self.least:
                fragments.append((sum(kept[edge] for edge in edges), len(nodes), edges))
        fragments.sort(key=lambda fragment: fragment[:2], reverse=True)
        return {edge: kept[edge] for *_, edges in fragments[: self.most or None] for edge in edges}

    def alignments(self, both: _Pair) -> list[frozenset[Arc]]:
        """All ways to lay a ring onto a ring, as association edges."""
        m = len(both.b.labels)
        result = []
        for ring in self.rings[0]:
            for other in self.rings[1]:
                size = len(ring)
                if len(other) != size:
                    continue
                for shift in range(size):
                    for direction in (1, -1):
                        image = [other[(shift + direction * k) % size] for k in range(size)]
                        if all(both.may_meet(i, j) for i, j in zip(ring, image, strict=True)):
                            cells = [i * m + j for i, j in zip(ring, image, strict=True)]
                            result.append(around(cells))
        return result

    def unusable(self, live: set[Arc], m: int, taking_part: list[int], open_rings: list[frozenset[Arc]]) -> set[Arc]:
        """Return the association edges that no mapping under the constraint can use, given what is live."""
        left = set(live)
        while True:
            before = len(left)
            if self.marked[0]:
                closed = {edge for ring in open_rings if ring <= left for edge in ring}
                left = {
                    (c, d)
                    for c, d in left
                    if (c, d) in closed or (min(c // m, d // m), max(c // m, d // m)) not in self.marked[0]
                }
            if (self.most and taking_part) or self.least > 2:
                pieces = parts(left)
                if self.most and taking_part:
                    occupied = [cells for cells in pieces if not cells.isdisjoint(taking_part)]
                    inside = sum(len(cells.intersection(taking_part)) for cells in occupied)
                    if inside < len(set(taking_part)) or len(occupied) > self.most:
                        pieces = []
                    elif len(occupied) == self.most:
                        pieces = occupied
                kept = {
                    cell
                    for cells in pieces
                    if min(len({c // m for c in cells}), len({c % m for c in cells})) >= self.least
                    for cell in cells
                }
                left = {edge for edge in left if edge[0] in kept}
            if len(left) == before:
                return live - left


def around(ring: list[int]) -> Ring:
    """Return the edges of a ring."""
    return frozenset((min(p, q), max(p, q)) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))


def parts(edges: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return what hangs together by edges."""
    near: dict[int, set[int]] = {}
    for u, v in edges:
        near.setdefault(u, set()).add(v)
        near.setdefault(v, set()).add(u)
    result = []
    while near:
        part, waiting = set(), [next(iter(near))]
        while waiting:
            v = waiting.pop()
            if v not in part:
                part.add(v)
                waiting += near.pop(v)
        result.append(part)
    return result


class _Pair:
    """The two graphs, which of their nodes may meet, and what their edges are worth together."""

    def __init__(self, a: _Graph, b: _Graph, terms: Any, constraint: Any) -> None:
        self.a, self.b = a, b
        self.constraint = None if constraint is None else _Constraint(a, b, constraint)
        self.closed: set[tuple[int, int]] = set()
        self.table: dict[tuple[int, int], int] | None = None
        if terms is not None:
            _need(set(terms) == {"forbidden", "worth"}, "terms have the keys forbidden and worth")
            for pair in terms["forbidden"]:
                i, j = _wholes(pair, "forbidden")
                _need(0 <= i < len(a.labels) and 0 <= j < len(b.labels), f"forbidden has {i} -> {j}: no such nodes")
                self.closed.add((i, j))
            if terms["worth"] is not None:
                self.table = {}
                for entry in terms["worth"]:
                    x, y, value = _wholes(entry, "worth")
                    _need((x, y) not in self.table and value > 0, "worth has an entry twice, or one without worth")
                    self.table[x, y] = value

    def may_meet(self, i: int, j: int) -> bool:
        return self.a.labels[i] == self.b.labels[j] and (i, j) not in self.closed

    def worth(self, x: int, y: int | None) -> int:
        """Of an edge label of a and one of b; 0 for none."""
        if y is None:
            return 0
        return int(x == y) if self.table is None else self.table.get((x, y), 0)

    def counted(self, image: dict[int, int]) -> dict[tuple[int, int], int]:
        """Return the edges of a that count under a mapping, and what each is worth."""
        kept = {}
        for u, v, label in self.a.edges:
            worth = self.worth(label, self.b.near[image[u]].get(image[v])) if u in image and v in image else 0
            if worth > 0:
                kept[u, v] = worth
        return kept if self.constraint is None else self.constraint.retained(image, kept)

    def most(self) -> int:
        """Return what all edges of the poorer graph could get at most."""
        if self.table is None:
            return min(len(self.a.edges), len(self.b.edges))
        labels_a, labels_b = ({label for *_, label in g.edges} for g in (self.a, self.b))
        best_a = {x: max((self.worth(x, y) for y in labels_b), default=0) for x in labels_a}
        best_b = {y: max((self.worth(x, y) for x in labels_a), default=0) for y in labels_b}
        return min(sum(best_a[label] for *_, label in self.a.edges), sum(best_b[label] for *_, label in self.b.edges))

    def plain(self, kind: str) -> None:
        _need(self.table is None, f"the bound {kind} does not know worths")


KEYS = {"schema", "seal", "a", "b", "mapping", "size", "nodes", "upper", "optimal", "bound", "numerical", "made_by"}


def _check(content: dict[str, Any], graphs: Any, report: Report) -> None:
    _need(content.get("schema") == SCHEMA, f"schema is {str(content.get('schema'))[:60]!r}, not {SCHEMA!r}")
    keys = set(content) - {"terms", "constraint"}
    _need(keys == KEYS, f"keys missing or unknown: {sorted(map(str, keys ^ KEYS))[:5]}")
    _need(content["seal"] == seal(content), "the seal does not fit the content: it was changed or damaged")
    a, b = _graphs(content, graphs)
    _need(len(a.labels) * len(b.labels) <= MAX_CELLS, "the graphs are too large")
    pair = _Pair(a, b, content.get("terms"), content.get("constraint"))

    size = _whole(content["size"], "size")
    found, nodes = _count(pair, content["mapping"])
    _need(found == size, f"the mapping preserves {found} {'edges' if pair.table is None else 'in worth'}, not {size}")
    _need(nodes == _whole(content["nodes"], "nodes"), f"the mapping has {nodes} nodes, not {content['nodes']}")

    bound = content["bound"]
    kind = str(bound["kind"])
    _need(kind in BOUNDS, f"unknown kind of bound {kind[:40]!r}")
    upper = BOUNDS[kind](pair, bound)
    _need(upper == _whole(content["upper"], "upper"), f"the witness proves at most {upper}, not {content['upper']}")
    _need(size <= upper, f"size {size} is above the bound {upper}: one of the two is wrong")
    _need(content["optimal"] is (size == upper), f"optimal is {content['optimal']}, but size {size}, upper {upper}")
    report.size, report.upper, report.kind = size, upper, kind
    report.weighted = pair.table is not None
    for name, value in content["numerical"].items():
        number = value["value"]
        _need(isinstance(number, (int, float)) and math.isfinite(number), f"{name} is not a number")
        _need(number >= size, f"the numerical bound {name} = {number} is below the size {size}")
        report.notes.append(f"numerical, not re-derived: {name} {number:.6g} (HiGHS: {value['status']})")


def _graphs(content: dict[str, Any], given: Any) -> tuple[_Graph, _Graph]:
    result = []
    for k, what in enumerate("ab"):
        entry = content[what]
        inside = entry.get("graph")
        source = inside if given is None else given[k]
        _need(source is not None, f"graph {what} is not in the certificate: give it, it holds the digest only")
        graph = _Graph(source, what)
        _need(graph.digest() == entry["digest"], f"the digest of graph {what} does not fit the graph")
        result.append(graph)
    return result[0], result[1]


def _count(both: _Pair, mapping: Any) -> tuple[int, int]:
    a, b = both.a, both.b
    image: dict[int, int] = {}
    for pair in mapping:
        i, j = _wholes(pair, "mapping")
        _need(0 <= i < len(a.labels) and 0 <= j < len(b.labels), f"the mapping has {i} -> {j}: no such nodes")
        _need(i not in image, f"the mapping maps node {i} twice")
        _need(a.labels[i] == b.labels[j], f"the mapping has {i} -> {j} with different labels")
        _need(both.may_meet(i, j), f"the mapping has {i} -> {j}, which the terms forbid")
        image[i] = j
    _need(len(set(image.values())) == len(image), "the mapping is not injective")
    kept = both.counted(image)
    ends = {v for edge in kept for v in edge}
    _need(ends == set(image), "the mapping has a node without a preserved edge")
    return sum(kept.values()), len(ends)


# -- the bounds ----------------------------------------------------------------------------------------------


def _edge(both: _Pair, bound: dict[str, Any]) -> int:
    return both.most()


def _histogram(both: _Pair, bound: dict[str, Any]) -> int:
    both.plain("histogram")

    def kinds(g: _Graph) -> Counter[tuple[int, int, int]]:
        ends = ((label, *sorted((g.labels[u], g.labels[v]))) for u, v, label in g.edges)
        return Counter((label, low, high) for label, low, high in ends)

    counts_a, counts_b = kinds(both.a), kinds(both.b)
    table = [[*kind, counts_a[kind], counts_b[kind]] for kind in sorted(counts_a.keys() & counts_b.keys())]
    _need(bound["histogram"] == table, "the histogram is not that of the graphs")
    return sum(min(row[3], row[4]) for row in table)


def _line(values: Any, length: int, what: str) -> list[int]:
    line = _wholes(values, what)
    _need(len(line) == length, f"{what} has {len(line)} entries, not {length}")
    _need(min(line, default=0) >= 0, f"{what} has a negative entry")
    return line


def _potentials(both: _Pair, bound: dict[str, Any]) -> int:
    both.plain("potentials")
    a, b = both.a, both.b
    scale = _whole(bound["scale"], "scale")
    _need(scale > 0 and scale % 2 == 0, f"scale must be positive and even; got {scale}")
    row = _line(bound["row"], len(a.labels), "row potentials")
    column = _line(bound["column"], len(b.labels), "column potentials")
    around_b = [b.around(j) for j in range(len(b.labels))]
    for i in range(len(a.labels)):
        around = a.around(i)
        for j in range(len(b.labels)):
            if both.may_meet(i, j):
                overlap = sum(min(count, around_b[j][kind]) for kind, count in around.items())
                _need(row[i] + column[j] >= overlap * scale // 2, f"the potentials do not cover {i} -> {j}")
    return (sum(row) + sum(column)) // scale


def _unit_and_known(bound: dict[str, Any]) -> tuple[int, int]:
    unit = _whole(bound["unit"], "unit")
    _need(unit > 0, "unit must be positive")
    return unit, _whole(bound["known"], "known")


def _rlt(both: _Pair, bound: dict[str, Any]) -> int:
    unit, known = _unit_and_known(bound)
    worth, rings = association_edges(both)
    stages = _chain(both, bound["stages"], worth, rings, [], set(worth), None, unit, known, "")
    return max(known, min(stage.total for stage in stages) // unit)


def _chain(
    both: _Pair,
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
    _need(isinstance(contents, list) and len(contents) > 0, f"{where}the bound has no stage")
    stages: list[_Stage] = []
    for number, content in enumerate(contents):
        what = f"{where}stage {number}"
        stage = _Stage(both, content, worth, unit, what)
        _need(stage.live <= live, f"{what} has an association edge that is not there")
        gone = live - stage.live
        if both.constraint is not None and gone:
            # What costs too much may go, and then whatever has become useless by that.
            dear = set() if before is None else {edge for edge in gone if before.too_dear(edge, (known + 1) * unit)}
            gone -= dear | both.constraint.unusable(live - dear, len(both.b.labels), taking_part, rings)
            _need(not gone, f"{what}: an association edge is missing without a reason")
        elif before is None:
            _need(not gone, f"{what} lacks association edges")
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


def _tree(both: _Pair, bound: dict[str, Any]) -> int:
    unit, known = _unit_and_known(bound)
    worth, rings = association_edges(both)
    nodes = bound["nodes"]
    _need(isinstance(nodes, list) and len(nodes) > 0, "the tree has no node")
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
                _need(number < child < len(nodes) and child not in waiting, f"{where}a child is no later node")
                waiting[child] = inherited
    _need(not waiting, "the tree lacks nodes")
    return upper


def _children(
    both: _Pair,
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
    cells = [(_whole(c["row"], "row"), _whole(c["column"], "column")) for c in contents]
    by_row = cells[-1][1] < 0
    line = cells[-1][0] if by_row else cells[-1][1]
    side, decided = (a, branch.rows) if by_row else (b, branch.columns)
    other, fixed = (b, branch.columns) if by_row else (a, branch.rows)
    unmatched = (line, -1) if by_row else (-1, line)
    _need(cells[-1] == unmatched and 0 <= line < len(side.labels), f"{where}the last child must leave a line unmatched")
    _need(line not in decided, f"{where}the line was decided before")
    across = [column if by_row else row for row, column in cells[:-1]]
    along = [row if by_row else column for row, column in cells[:-1]]
    _need(all(x == line for x in along) and len(set(across)) == len(across), f"{where}children of several lines")
    _need(all(0 <= y < len(other.labels) for y in across), f"{where}a child is outside the grid")

    place = dict(zip(across, contents, strict=False))
    _need("like" not in contents[-1], f"{where}the unmatched child cannot be left out")
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
            y, like = (column if by_row else row), _whole(child["like"], "like")
            _need(like in models or like not in place, f"{where}{y} is like {like}, which is left out itself")
            image = _wholes(child["automorphism"], "automorphism")
            _automorphism(other, image, fixed, y, like, where)
            moved = {(i, image[j]) if by_row else (image[i], j) for i, j in both.closed}
            _need(moved == both.closed, f"{where}the automorphism changes who may meet")
            if both.constraint is not None:
                own = both.constraint.rings[1 if by_row else 0]
                same = all(around([image[v] for v in r]) in both.constraint.edges[1 if by_row else 0] for r in own)
                _need(same, f"{where}the automorphism breaks rings")
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
        result.append((_whole(child["node"], "node"), _Branch(live, last, rows, columns, value, part)))
    return result


def _automorphism(g: _Graph, image: list[int], fixed: dict[int, int], y: int, like: int, where: str) -> None:
    _need(sorted(image) == list(range(len(g.labels))), f"{where}not a permutation")
    _need(image[y] == like, f"{where}the automorphism does not take {y} to {like}")
    _need(all(g.labels[image[v]] == label for v, label in enumerate(g.labels)), f"{where}not an automorphism")
    _need(
        all(g.near[image[u]].get(image[v]) == label for u, v, label in g.edges),
        f"{where}not an automorphism",
    )
    _need(all(fixed.get(image[v]) == mark for v, mark in fixed.items()), f"{where}the automorphism moves a decision")


def _only_mapping(live: set[Arc], m: int) -> dict[int, int] | None:
    """Return the mapping of all live cells when there is no choice among them."""
    cells = {cell for edge in live for cell in edge}
    image = {cell // m: cell % m for cell in cells}
    return image if len(image) == len(set(image.values())) == len(cells) else None


def association_edges(both: _Pair) -> tuple[dict[Arc, int], list[frozenset[Arc]]]:
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
    _need(count <= MAX_ASSOCIATION, f"the association graph has {count} edges, more than {MAX_ASSOCIATION}")
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

    def __init__(self, both: _Pair, content: Any, worth: dict[Arc, int], unit: int, what: str) -> None:
        a, b = both.a, both.b
        self.m = len(b.labels)
        first, second = _wholes(content["a"], what), _wholes(content["b"], what)
        shares = _wholes(content["share"], what)
        _need(len(first) == len(second) == len(shares), f"{what}: lists of different lengths")
        self.row = _line(content["row"], len(a.labels), f"{what}: row potentials")
        self.column = _line(content["column"], len(b.labels), f"{what}: column potentials")
        self.total = sum(self.row) + sum(self.column)
        self.live: set[Arc] = set()
        # Per cell, its shares by the source node and the target node that an association edge leads to.
        self.shares: dict[int, dict[int, dict[int, int]]] = {}
        for c, d, share in zip(first, second, shares, strict=True):
            edge = (min(c, d), max(c, d))
            _need(edge not in self.live, f"{what} has an association edge twice")
            _need(edge in worth, f"{what} has an association edge that is not there")
            self.live.add(edge)
            for own, other, part in ((c, d, share), (d, c, unit * worth[edge] - share)):
                self.shares.setdefault(own, {}).setdefault(other // self.m, {})[other % self.m] = part
        self.value = {cell: best_matching(list(table.values())) for cell, table in self.shares.items()}
        for cell, value in self.value.items():
            i, j = divmod(cell, self.m)
            _need(0 <= i < len(a.labels), f"{what} has a cell {cell} outside the grid")
            _need(self.row[i] + self.column[j] >= value, f"{what}: the potentials do not cover {i} -> {j}")

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
            _need(self.too_dear(edge, least), f"{what}: an association edge is missing without a reason")


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


BOUNDS = {"edge": _edge, "histogram": _histogram, "potentials": _potentials, "rlt": _rlt, "tree": _tree}
