"""Certificates: what a match claims, with a witness from which `enpda_verify` re-derives it."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import enpda_verify
from enpda import _core
from enpda.checks import whole
from enpda.errors import InputError, brief
from enpda.files import path_of, save
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem import stereo
from enpda.problem.constraints import Constraints, record
from enpda.problem.problem import Problem, problem_of
from enpda.problem.rules import Rules
from enpda.result.proof import Proof, prove_again
from enpda_verify import Report

if TYPE_CHECKING:
    from enpda.result.match import Match
    from enpda.result.proof import Child, Stage


class Certificate:
    """A small JSON document that anyone can check without trusting the solver.

    Parameters
    ----------
    content : dict
        The document; see docs/certificates.md for its keys.

    Examples
    --------
    >>> import enpda
    >>> certificate = enpda.match("CCO", "CCN").certificate
    >>> certificate.size, certificate.upper, enpda.verify(certificate).ok
    (1, 1, True)
    """

    def __init__(self, content: dict[str, Any]) -> None:
        missing = {"size", "upper", "bound", "a", "b"} - content.keys() if isinstance(content, dict) else {"content"}
        if missing:
            raise InputError(f"a certificate needs {', '.join(sorted(missing))}; got {brief(content)}")
        self.content = content

    @property
    def size(self) -> int:
        """Edges of the mapping."""
        return int(self.content["size"])

    @property
    def upper(self) -> int:
        """The proven upper bound."""
        return int(self.content["upper"])

    @property
    def kind(self) -> str:
        """The kind of witness."""
        return str(self.content["bound"]["kind"])

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.content, separators=(",", ":"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document; compressed when the path ends in `.gz`."""
        text = (self.to_json() + "\n").encode()
        save(path, gzip.compress(text, mtime=0) if str(path).endswith(".gz") else text, "the certificate")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a saved certificate, plain or compressed; nothing in it is checked before `enpda.verify`."""
        try:
            return cls(enpda_verify.load(path_of(path)))
        except InputError:
            raise
        except OSError as error:
            raise InputError(f"cannot read the certificate: {error}") from None
        except (enpda_verify.CertificateError, enpda_verify.GaveUp, ValueError, RecursionError) as error:
            raise InputError(f"{os.fspath(path)} is not a certificate: {error}") from None

    def without_graphs(self) -> Certificate:
        """Return the certificate with the graphs' digests only; `verify` must then be given the graphs."""
        content = {
            **self.content,
            "a": {**self.content["a"], "graph": None},
            "b": {**self.content["b"], "graph": None},
        }
        return Certificate(_sealed(content))

    def __repr__(self) -> str:
        weighted = (self.content.get("terms") or {}).get("worth") is not None
        size = f"weight {self.size}" if weighted else f"{self.size} edges"
        return f"Certificate({size}, at most {self.upper}, by {self.kind})"


def verify(
    certificate: Certificate | str | os.PathLike[str],
    graphs: Sequence[Any] | None = None,
    rules: Rules | None = None,
    constraints: Constraints | None = None,
    *,
    max_steps: int | None = None,
    max_bytes: int | None = None,
) -> Report:
    """Re-derive everything a certificate claims, in plain integers and without the solver's code.

    Parameters
    ----------
    certificate : Certificate or path
        What to check.
    graphs : pair of Graph, SMILES, Mol or networkx.Graph, optional
        The two graphs asked about, in the certificate's order. Then the question is what these two share under `rules`
        and `constraints`, and a certificate that answers another question is refused. Without graphs the report says
        which question was answered. Needed for certificates that hold digests only.
    rules, constraints : Rules, Constraints, optional
        The rest of the question, as for `match`.
    max_steps, max_bytes : int, optional
        What checking may cost, in steps of about a tenth of a microsecond and in bytes of memory; a report with
        `gave_up` says that this did not suffice. By default some minutes and 4 GB, which honest certificates stay far
        below.

    Returns
    -------
    enpda_verify.Report
        `ok`, and `reasons` when not; `question` in words; `gave_up`.
    """
    steps = enpda_verify.STEPS if max_steps is None else max_steps
    memory = enpda_verify.MEMORY if max_bytes is None else max_bytes
    whole("max_steps", steps, 1, 2**62)
    whole("max_bytes", memory, 1, 2**62)
    budget = enpda_verify.Budget(steps, memory)
    if isinstance(certificate, Certificate):
        given: Any = certificate.content
    elif isinstance(certificate, (str, os.PathLike)):
        given = os.fspath(certificate)
    else:
        raise InputError(f"verify takes a Certificate or a path; got {brief(certificate)}")
    asked = None if graphs is None else _asked(graphs, rules, constraints)
    if asked is None and (rules is not None or constraints is not None):
        raise InputError("rules and constraints are part of a question about two graphs: give the graphs, too")
    try:
        if asked is None:
            return enpda_verify.verify(given, budget=budget)
        question = question_of(asked.problem)
        pair = question.pop("a"), question.pop("b")
        given = enpda_verify.load(given, budget) if asked.stereo else given
        report = enpda_verify.verify(given, pair, **question, budget=budget)
    except OSError as error:
        raise InputError(f"cannot read the certificate: {error}") from None
    except enpda_verify.CertificateError as refusal:
        return Report(reasons=[str(refusal)])
    except (enpda_verify.GaveUp, MemoryError) as end:
        return Report(gave_up=True, reasons=[str(end) or "out of memory"])
    if report.ok and asked.stereo:
        _look_at_stereo(report, asked, given["mapping"])
    if report.ok:
        report.question = f"{report.question}; asked as {asked.words}"
    return report


class _Asked(NamedTuple):
    """A question in the caller's words and as the core sees it."""

    a: Graph
    b: Graph
    problem: Problem
    words: str

    @property
    def stereo(self) -> bool:
        return self.problem.constraints is not None and self.problem.constraints.stereo


def _asked(graphs: Sequence[Any], rules: Rules | None, constraints: Constraints | None) -> _Asked:
    if not isinstance(graphs, Sequence) or isinstance(graphs, str):
        raise InputError(f"verify takes a pair of graphs; got {brief(graphs)}")
    if len(graphs) != 2:
        raise InputError(f"verify takes a pair of graphs; got {len(graphs)}")
    a, b = map(as_graph, graphs)
    words = [repr(part) for part in (rules, constraints) if part is not None] or ["no rules, no constraints"]
    return _Asked(a, b, problem_of(a, b, rules, constraints), ", ".join(words))


def _look_at_stereo(report: Report, asked: _Asked, mapping: Sequence[tuple[int, int]]) -> None:
    """Refuse a mapping that turns something round: certificates know nothing of stereo.

    The bound holds without looking at stereo, so it holds with it.
    """
    try:
        stereo.check(asked.problem, asked.a, asked.b, dict(mapping))
    except InputError as error:
        report.ok = False
        report.reasons.append(f"it answers another question: {error}")
    else:
        report.notes.append(
            "stereo: the mapping keeps it, as `problem.stereo` sees it; certificates do not speak of it"
        )


WITNESSES = {name: kind for name, kind in _core.CAPS if kind}
"""Of the cheap bounds that a certificate can rest on: what the verifier calls their witness."""
WITNESSED = (*WITNESSES, "rlt", "branch")
"""Names of all bounds that a certificate can rest on, the simplest ones first."""
PROOF_MEMORY = 150 << 20
"""Bytes for a proof that was too large to keep while it was found."""


def certificate_of(match: Match) -> Certificate:
    """Write down a match with the witness of its best bound, the simplest one among equals."""
    witnessed = {name: match.bounds[name] for name in WITNESSED if name in match.bounds}
    if not witnessed:
        raise InputError(f"none of the bounds {brief(match.bounds)} has a witness")
    name = min(witnessed, key=lambda name: witnessed[name])
    upper = witnessed[name]  # what stereo adds to a bound has no witness
    question = question_of(match.problem)
    content = {
        "schema": enpda_verify.SCHEMA,
        "made_by": {"enpda": _version(), "method": match.method, "seed": match.seed},
        "size": match.size,
        "upper": upper,
        "nodes": match.nodes,
        "optimal": match.size == upper,
        "a": {"digest": match.problem.a.digest, "graph": question.pop("a")},
        "b": {"digest": match.problem.b.digest, "graph": question.pop("b")},
        "mapping": [[i, j] for i, j in match.index_mapping.items()],
        "bound": {"name": name, **_witness(match, name)},
        "numerical": {key: {"value": bound.value, "status": bound.status} for key, bound in match.numerical.items()},
    }
    content |= {key: value for key, value in question.items() if value is not None}
    return Certificate(_sealed(content))


def question_of(problem: Problem) -> dict[str, Any]:
    """Write down the question that a problem poses: two graphs, terms, and a constraint or None."""
    return {
        "a": _plain(problem.a),
        "b": _plain(problem.b),
        "terms": None if problem.terms.plain else _terms(problem),
        "constraint": None if problem.constraint.none else record(problem.constraint),
    }


def _sealed(content: dict[str, Any]) -> dict[str, Any]:
    return {**content, "seal": enpda_verify.seal(content)}


def _version() -> str:
    from enpda.version import __version__

    return __version__


def _plain(graph: Graph) -> dict[str, Any]:
    return {
        "labels": graph.labels.tolist(),
        "edges": graph.edges.tolist(),
        "edge_labels": graph.edge_labels.tolist(),
    }


def _terms(problem: Problem) -> dict[str, Any]:
    """Say what labels do not: pairs of nodes that may not meet, and worths of pairs of edge labels."""
    worth = None
    if problem.worth is not None:
        left, right = np.unique(problem.a.edge_labels).tolist(), np.unique(problem.b.edge_labels).tolist()
        worth = [
            [x, y, int(problem.worth[i, j])]
            for i, x in enumerate(left)
            for j, y in enumerate(right)
            if problem.worth[i, j] > 0
        ]
    return {"forbidden": problem.apart.tolist(), "worth": worth}


def _witness(match: Match, name: str) -> dict[str, Any]:
    if name in WITNESSES:
        problem = match.problem
        fields = _core.cap_witness(problem.a.core, problem.b.core, name, problem.terms)
        return {"kind": WITNESSES[name], **dict(fields)}
    proof = match.proof or _proof_again(match, name)
    nodes = [
        {"stages": [_stage(s) for s in node.stages], "children": [_child(c) for c in node.children]}
        for node in proof.nodes
    ]
    common = {"unit": _core.RLT_UNIT, "known": proof.known}
    if len(nodes) == 1 and not nodes[0]["children"]:
        return {"kind": "rlt", **common, "stages": nodes[0]["stages"]}
    return {"kind": "tree", **common, "nodes": nodes}


def _proof_again(match: Match, name: str) -> Proof:
    """Derive a proof that was too large to keep."""
    upper = match.bounds[name]
    again = prove_again(match.problem, upper, max(60.0, 4 * match.seconds), PROOF_MEMORY)
    proof = Proof.of(again)
    if proof is None or again.upper > upper:
        raise InputError(f"the proof of {match} is too large for a certificate")
    return proof


def _stage(stage: Stage) -> dict[str, Any]:
    lists = {key: getattr(stage, key).tolist() for key in ("a", "b", "share", "row", "column")}
    if not stage.pieces:
        return lists
    pieces = [{"graph": "a" if first else "b", "edges": edges, "price": price} for first, edges, price in stage.pieces]
    return {**lists, "pieces": pieces}


def _child(child: Child) -> dict[str, Any]:
    place = {"row": child.row, "column": child.column}
    if child.like is None:
        return {**place, "node": child.node}
    return {**place, "like": child.like, "automorphism": child.automorphism.tolist()}
