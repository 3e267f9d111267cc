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
  larger of `known` and what any stage allows. A stage may have `pieces`: edges of one graph, by number, that do not
  occur together in the other one, so that every mapping loses one of them. At a price p >= 0 every association edge
  along one of them is worth p less, and the sum is more by p times all of them but one.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from enpda_verify.bounds import BOUNDS, best_matching
from enpda_verify.problem import CertificateError, Graph, Pair, need, whole, wholes

__all__ = ["BOUNDS", "MAX_CELLS", "SCHEMA", "CertificateError", "Report", "best_matching", "load", "seal", "verify"]

SCHEMA = "enpda-certificate/1"
MAX_BYTES = 256 * 1024 * 1024
MAX_CELLS = 64_000_000


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


KEYS = {"schema", "seal", "a", "b", "mapping", "size", "nodes", "upper", "optimal", "bound", "numerical", "made_by"}


def _check(content: dict[str, Any], graphs: Any, report: Report) -> None:
    need(content.get("schema") == SCHEMA, f"schema is {str(content.get('schema'))[:60]!r}, not {SCHEMA!r}")
    keys = set(content) - {"terms", "constraint"}
    need(keys == KEYS, f"keys missing or unknown: {sorted(map(str, keys ^ KEYS))[:5]}")
    need(content["seal"] == seal(content), "the seal does not fit the content: it was changed or damaged")
    a, b = _graphs(content, graphs)
    need(len(a.labels) * len(b.labels) <= MAX_CELLS, "the graphs are too large")
    pair = Pair(a, b, content.get("terms"), content.get("constraint"))

    size = whole(content["size"], "size")
    found, nodes = _count(pair, content["mapping"])
    need(found == size, f"the mapping preserves {found} {'edges' if pair.table is None else 'in worth'}, not {size}")
    need(nodes == whole(content["nodes"], "nodes"), f"the mapping has {nodes} nodes, not {content['nodes']}")

    bound = content["bound"]
    kind = str(bound["kind"])
    need(kind in BOUNDS, f"unknown kind of bound {kind[:40]!r}")
    upper = BOUNDS[kind](pair, bound)
    need(upper == whole(content["upper"], "upper"), f"the witness proves at most {upper}, not {content['upper']}")
    need(size <= upper, f"size {size} is above the bound {upper}: one of the two is wrong")
    need(content["optimal"] is (size == upper), f"optimal is {content['optimal']}, but size {size}, upper {upper}")
    report.size, report.upper, report.kind = size, upper, kind
    report.weighted = pair.table is not None
    for name, value in content["numerical"].items():
        number = value["value"]
        need(isinstance(number, (int, float)) and math.isfinite(number), f"{name} is not a number")
        need(number >= size, f"the numerical bound {name} = {number} is below the size {size}")
        report.notes.append(f"numerical, not re-derived: {name} {number:.6g} (HiGHS: {value['status']})")


def _graphs(content: dict[str, Any], given: Any) -> tuple[Graph, Graph]:
    result = []
    for k, what in enumerate("ab"):
        entry = content[what]
        inside = entry.get("graph")
        source = inside if given is None else given[k]
        need(source is not None, f"graph {what} is not in the certificate: give it, it holds the digest only")
        graph = Graph(source, what)
        need(graph.digest() == entry["digest"], f"the digest of graph {what} does not fit the graph")
        result.append(graph)
    return result[0], result[1]


def _count(both: Pair, mapping: Any) -> tuple[int, int]:
    a, b = both.a, both.b
    image: dict[int, int] = {}
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
