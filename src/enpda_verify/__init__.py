"""Checks certificates of common edge subgraphs: plain integers, no code of the solver, only the standard library.

A certificate says: these two graphs share `size` edges by this mapping, and no mapping shares more than `upper`. The
mapping is counted again, and the bound follows again from its witness:

- `edge`: the smaller number of edges.
- `histogram`: edges by label and end labels, the smaller count of each kind.
- `potentials`: integers r, c >= 0 with r[i] + c[j] >= scale * w[i][j] wherever labels agree, where w is half the
  overlap of the labelled edges around i and around j. A mapping shares at most the sum of w over its pairs, so at most
  (sum r + sum c) / scale edges.
- `rlt`: one or more stages. A stage shares each edge of the association graph, worth one `unit`, between its two ends,
  so choosing i -> j earns at most the best matching of the edges around i with those around j by their shares; and
  potentials with r[i] + c[j] at least that bound every mapping by (sum r + sum c) / unit. An association edge may be
  missing from the next stage when no mapping with more than `known` edges can use it: the sum, less the slack of both
  ends and less what both matchings lose by using it, is below known + 1 units. So no mapping has more edges than the
  larger of `known` and what any stage allows. A stage may have `pieces`: edges of one graph, by number, that do not
  occur together in the other one, so that every mapping loses one of them. At a price p >= 0 every association edge
  along one of them is worth p less, and the sum is more by p times all of them but one.
- `tree`: such stages for every node of a tree. A node decides one line (a node of one graph): each child maps it to one
  node of the other graph, or leaves it unmatched. A cell of the line needs no child of its own when its association
  edges are gone, or when a symmetry of the problem takes it to a cell that has a child or whose edges are gone: a
  renaming of the other graph's nodes that changes nothing that the problem says (labels, edges, rings, marks, who may
  meet), nor what was decided before. A child that was not finished is as good as its parent's bound.

`terms` may forbid pairs of nodes, and give pairs of edge labels another worth than 1 for equal ones. Sizes and bounds
then add up worths, and an association edge is as many units as it is worth.

A `constraint` may ask for whole rings (the marked edges of either graph count only in a ring that is preserved as a
whole, onto a ring) and limit the number and size of the fragments. What a mapping then counts is counted by that
definition. An association edge between marked edges exists only where a ring can be laid across it; it may be missing
later when no such ring is left, and so may everything that cannot become part of a fragment that is allowed: what is
too small, and what does not hang together with a decision when decisions make as many fragments as there may be. A node
of a tree (stages alone are a tree's root) in which nothing is left to choose counts what its one mapping counts.

A certificate answers one question: its two graphs, terms and constraint. The report says which in words; whoever asked
something in particular hands it over, and an answer to another question is refused. Checking may cost so many steps
and so much memory; beyond, the answer is `gave up`, which says nothing about the certificate.

`python -m enpda_verify FILE` prints the verdict.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from typing import Any

from enpda_verify.bounds import BOUNDS
from enpda_verify.matching import best_matching
from enpda_verify.problem import MAX_CELLS, Graph, Problem
from enpda_verify.question import difference, in_words
from enpda_verify.reading import (
    MEMORY,
    STEPS,
    Budget,
    CertificateError,
    GaveUp,
    keys,
    load,
    need,
    printable,
    shown,
    whole,
    wholes,
)

__all__ = [
    "BOUNDS",
    "MAX_CELLS",
    "MEMORY",
    "SCHEMA",
    "STEPS",
    "Budget",
    "CertificateError",
    "GaveUp",
    "Report",
    "best_matching",
    "load",
    "printable",
    "seal",
    "verify",
]

SCHEMA = "enpda-certificate/1"


@dataclass
class Report:
    """The verdict on a certificate.

    Attributes
    ----------
    ok : bool
        Whether everything it claims was re-derived.
    reasons : list of str
        Why not; empty when ok.
    gave_up : bool
        Whether checking was ended because it takes too much: neither accepted nor refused.
    size, upper : int or None
        What was re-derived.
    kind : str or None
        The kind of bound.
    weighted : bool
        Whether edges count by worth, so that size and upper are sums of worths.
    question : str or None
        What was asked of which graphs, in words.
    notes : list of str
        What a reader should know all the same, such as numerical bounds that integers cannot confirm.
    """

    ok: bool = False
    reasons: list[str] = field(default_factory=list)
    gave_up: bool = False
    size: int | None = None
    upper: int | None = None
    kind: str | None = None
    weighted: bool = False
    question: str | None = None
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.ok:
            return ("GAVE UP: " if self.gave_up else "REFUSED: ") + "; ".join(self.reasons)
        sure = "optimal" if self.size == self.upper else f"at most {self.upper}"
        size = f"weight {self.size}" if self.weighted else f"{self.size} edge{'' if self.size == 1 else 's'}"
        verdict = f"VALID: {size}, {sure} (bound: {self.kind})"
        return "\n".join([verdict, f"for this question: {self.question}", *self.notes])


def verify(
    certificate: Any,
    graphs: Any = None,
    *,
    terms: Any = None,
    constraint: Any = None,
    budget: Budget | None = None,
) -> Report:
    """Check a certificate.

    Parameters
    ----------
    certificate : path, bytes or dict
        A JSON file (gzip or plain), its content, or the parsed content.
    graphs : pair of dict, optional
        The two graphs asked about (`labels`, `edges`, `edge_labels`). Then the question is theirs, under `terms` and
        `constraint`, and a certificate that answers another one is refused. Needed for certificates that hold digests
        only.
    terms, constraint : dict, optional
        The rest of the question as certificates write it; None for equal labels, and for no constraint.
    budget : Budget, optional
        What checking may cost.

    Returns
    -------
    Report
        Never raises for a bad certificate; a file that cannot be opened raises OSError.
    """
    report = Report()
    try:
        budget = budget or Budget()
        _check(load(certificate, budget), graphs, terms, constraint, budget, report)
        report.ok = True
    except CertificateError as refusal:
        report.reasons.append(str(refusal))
    except (GaveUp, MemoryError) as end:
        report.gave_up = True
        report.reasons.append(str(end) or "out of memory")
    except OSError:
        raise
    except Exception as error:
        report.reasons.append(f"malformed: {type(error).__name__}: {shown(str(error))}")
    return report


def seal(content: dict[str, Any]) -> str:
    """SHA-256 over everything but the seal itself: tells damage, and proves nothing."""
    rest = {key: value for key, value in content.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


KEYS = {"schema", "seal", "a", "b", "mapping", "size", "nodes", "upper", "optimal", "bound", "numerical", "made_by"}


def _check(content: dict[str, Any], graphs: Any, terms: Any, constraint: Any, budget: Budget, report: Report) -> None:
    need(content.get("schema") == SCHEMA, f"schema is {shown(content.get('schema'))}, not {SCHEMA!r}")
    keys(content, KEYS | (content.keys() & {"terms", "constraint"}), "certificate")
    need(content["seal"] == seal(content), "the seal does not fit the content: it was changed or damaged")
    pair = Problem(*_graphs(content, graphs, budget), content.get("terms"), content.get("constraint"), budget)
    report.question = in_words(pair)
    if graphs is not None:
        other = difference(Problem(pair.a, pair.b, terms, constraint, budget), pair)
        need(other is None, f"it answers another question: {other}. It is about {report.question}")

    size = whole(content["size"], "size")
    found, nodes = _count(pair, content["mapping"])
    need(found == size, f"the mapping preserves {found} {'edges' if pair.table is None else 'in worth'}, not {size}")
    need(nodes == whole(content["nodes"], "nodes"), f"the mapping has {nodes} nodes, not {content['nodes']}")

    bound = content["bound"]
    kind = bound["kind"]
    need(isinstance(kind, str) and kind in BOUNDS, f"unknown kind of bound {shown(kind)}")
    proven, upper = BOUNDS[kind](pair, bound), whole(content["upper"], "upper")
    need(proven <= upper, f"the witness proves at most {proven}, not {upper}")
    need(size <= upper, f"size {size} is above the bound {upper}: one of the two is wrong")
    need(content["optimal"] is (size == upper), f"optimal is {shown(content['optimal'])}: size {size}, upper {upper}")
    report.size, report.upper, report.kind = size, upper, kind
    report.weighted = pair.table is not None
    report.notes += [_numerical(name, value, size) for name, value in content["numerical"].items()]


def _numerical(name: Any, content: Any, size: int) -> str:
    """Return a note on a bound that integers cannot confirm."""
    content = keys(content, {"value", "status"}, "a numerical bound")
    number, status = content["value"], content["status"]
    label, said = shown(name)[1:-1], shown(status)[1:-1]
    need(isinstance(status, str), "the status of a numerical bound must be text")
    need(type(number) in (int, float) and math.isfinite(number), f"the numerical bound {label} is not a number")
    need(number >= size, f"the numerical bound {label} = {number} is below the size {size}")
    return f"numerical, not re-derived: {label} {number:.6g} (HiGHS: {said})"


def _graphs(content: dict[str, Any], given: Any, budget: Budget) -> tuple[Graph, Graph]:
    result = []
    for k, what in enumerate("ab"):
        entry = keys(content[what], {"digest", "graph"}, f"entry {what}")
        source = entry["graph"] if given is None else given[k]
        need(source is not None, f"graph {what} is not in the certificate: give it, it holds the digest only")
        graph = Graph(source, what, budget)
        another = "" if given is None else "it answers another question: "
        need(graph.digest() == entry["digest"], f"{another}the digest of graph {what} does not fit the graph")
        if entry["graph"] is not None and given is not None:
            need(
                Graph(entry["graph"], what, budget).digest() == entry["digest"], f"graph {what} does not fit its digest"
            )
        result.append(graph)
    return result[0], result[1]


def _count(both: Problem, mapping: Any) -> tuple[int, int]:
    a, b = both.a, both.b
    image: dict[int, int] = {}
    need(isinstance(mapping, list), "malformed: mapping must be a list")
    for pair in mapping:
        i, j = wholes(pair, "mapping")
        need(0 <= i < len(a.labels) and 0 <= j < len(b.labels), f"the mapping has {i} -> {j}: no such nodes")
        need(i not in image, f"the mapping maps node {i} twice")
        need(a.labels[i] == b.labels[j], f"the mapping has {i} -> {j} with different labels")
        need(both.may_meet(i, j), f"the mapping has {i} -> {j}, which the terms forbid")
        image[i] = j
    need(len(set(image.values())) == len(image), "the mapping is not injective")
    kept = both.counted(image)
    ends = {v for edge in kept for v in edge}
    need(ends == set(image), "the mapping has a node without a preserved edge")
    return sum(kept.values()), len(ends)
