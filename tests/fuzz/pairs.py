"""Random pairs under rules, constraints, methods and thresholds: what `match` says against brute force."""

from __future__ import annotations

import json
import random
from typing import Any

import enpda
from enpda import Constraints, Graph, InputError, Match, Rules
from enpda.result.match import CAPS

from . import cases, judge
from .campaign import Case, Found, Tally

CERTIFIED, CERTIFIED_PROOFS = 0.1, 0.5
"""Part of the matches whose certificate is verified; and of those among them that rest on more than a cap."""


def need(condition: bool, what: str, *about: Any) -> None:
    """Raise a finding unless a condition holds."""
    if not condition:
        raise Found(f"{what}: {about}")


def make() -> Case:
    """Return one case."""
    return case


def case(rng: random.Random, tally: Tally) -> None:
    """Match a random pair once and judge the answer."""
    a, b = cases.pair(rng)
    kind = rng.random()
    rules = cases.rules(rng, a, b) if kind < 0.35 or 0.65 < kind < 0.8 else None
    constraints = cases.constraints(rng, a, b) if 0.35 < kind < 0.8 else None
    if rules is not None and rules.pinned and not _fits(a, b, rules):
        rules = None  # pins that other rules keep apart are refused, which is tested elsewhere
    weighted = rules is not None and rules.weights is not None
    options = cases.options(rng, a, b, weighted, constraints is not None)
    question = (_shown(a), _shown(b), rules, constraints, options)
    try:
        match = enpda.match(a, b, rules=rules, constraints=constraints, **options)
    except InputError as error:
        raise Found(f"a good question is refused: {error}: {question}") from None
    except RuntimeError as error:
        raise Found(f"{error}: {question}") from None
    tally.counts[f"method {options['method']}"] += 1
    tally.counts["under rules"] += rules is not None
    tally.counts["under constraints"] += constraints is not None
    tally.counts["threshold questions"] += bool({"min_size", "min_similarity", "max_distance"} & options.keys())
    problem = judge.bare(a, b, rules, constraints)
    best = judge.brute_force(problem)
    _judge(match, problem, best, options, question)
    tally.counts["proven optimal"] += match.optimal
    if rng.random() < 0.03:
        _other_doors(rng, match, problem, best, options, question)
        tally.counts["also by match_many and certify"] += 1
    proven = min(match.bounds.values()) < min(match.bounds[name] for name in match.bounds if name in CAPS)
    if rng.random() < (CERTIFIED_PROOFS if proven else CERTIFIED):
        _certificate(rng, match, a, b, rules, constraints, tally, question)


def _fits(a: Graph, b: Graph, rules: Rules) -> bool:
    """Tell whether the other rules let pinned nodes meet."""
    kinds = judge.kinds(a, rules), judge.kinds(b, rules)
    return all(kinds[0][i] == kinds[1][j] for i, j in rules.pinned)


def _shown(graph: Graph) -> str:
    parts = (graph.labels.tolist(), graph.edges.tolist(), graph.edge_labels.tolist())
    if graph.mol is not None:
        from rdkit import Chem, rdBase

        with rdBase.BlockLogs():
            return f"Graph{parts} of {Chem.MolToCXSmiles(graph.mol)}"
    return f"Graph{parts}"


def _judge(match: Match, problem: judge.BareProblem, best: judge.Optimum, options: dict[str, Any], about: Any) -> None:
    image = judge.image_of(match.mapping, len(match.a))
    need(judge.bare_score(problem, image) == (match.size, match.nodes), "the mapping counts otherwise", match, about)
    need(match.size <= best[0] <= match.upper, f"size <= {best[0]} <= upper fails", match, match.bounds, about)
    for name, bound in match.numerical.items():
        need(bound.value >= best[0] - 1e-6, f"the bound {name} is below {best[0]}", bound, about)
    need(all(value >= best[0] for value in match.bounds.values()), f"a bound is below {best}", match.bounds, about)
    need(match.stopped is None, "stopped without a limit", match.status, about)
    if match.size == best[0]:
        need(
            match.nodes <= best[1] <= match.nodes_upper, f"nodes <= {best[1]} <= upper fails", match.nodes_upper, about
        )
    asked = bool({"min_size", "min_similarity", "max_distance"} & options.keys())
    proves = options["method"] == "exact" and options.get("bound") in (None, "branch")
    if proves and not asked:
        need(match.optimal, "exact ends without a proof", match, about)
        if options.get("most_nodes"):
            need(match.nodes == match.nodes_upper == best[1], f"most nodes is {best[1]}", match.nodes_upper, about)
    if asked:
        _threshold(match, best, options, proves, about)


def _other_doors(
    rng: random.Random,
    match: Match,
    problem: judge.BareProblem,
    best: judge.Optimum,
    options: dict[str, Any],
    about: Any,
) -> None:
    """Question `match_many` the same, and `certify` about some mapping."""
    a, b, rules, constraints = match.a, match.b, match.rules, match.constraints
    again = {**options, "threads": 2}
    for other in enpda.match_many([(a, b)] * 2, rules=rules, constraints=constraints, **again):
        same = (other.size, other.nodes, other.status) == (match.size, match.nodes, match.status)
        need(same and other.mapping == match.mapping, "match_many says otherwise", other, match, about)
    rows, columns = list(range(len(a))), list(range(len(b)))
    rng.shuffle(rows)
    rng.shuffle(columns)
    mapping = {i: j for i, j in zip(rows, columns, strict=False) if problem.allowed[i * len(b) + j]}
    counted = judge.bare_score(problem, judge.image_of(mapping, len(a)))
    given = enpda.certify(a, b, mapping, time_limit=None, rules=rules, constraints=constraints)
    need((given.size, given.nodes) == counted, f"certify counts otherwise than {counted}", given, mapping, about)
    need(given.size <= best[0] <= given.upper, f"a certified bound is below {best}", given, mapping, about)
    report = enpda.verify(given.certificate)
    need(report.ok, "an honest certificate of a given mapping is refused", report.reasons, mapping, about)


def _threshold(match: Match, best: judge.Optimum, options: dict[str, Any], proves: bool, about: Any) -> None:
    size = max(options.get("min_size", 0), 0)
    if "max_distance" in options:
        size = max(size, -(-(sum(match.problem.total) - options["max_distance"]) // 2))
    below = match.status == "below_threshold"
    if "min_similarity" not in options:
        need(not below or best[0] < size, f"a mapping of {best[0]} is denied", match, about)
        need(not proves or below or match.size >= size, "the question stays open", match, about)
        return
    wanted = options["min_similarity"]
    whole = (len(match.a) + match.a.size) * (len(match.b) + match.b.size)
    most = (sum(best) ** 2 / whole) if whole else float(len(match.a) == len(match.b))
    need(not below or most < wanted, f"a similarity of {most} is denied", match, about)
    if proves and most >= wanted:
        need(match.similarity >= wanted, f"a similarity of {most} is missed", match, about)


def _certificate(
    rng: random.Random,
    match: Match,
    a: Graph,
    b: Graph,
    rules: Rules | None,
    constraints: Constraints | None,
    tally: Tally,
    about: Any,
) -> None:
    certificate = enpda.Certificate(json.loads(match.certificate.to_json()))
    tally.counts["certificates"] += 1
    tally.counts[f"certificates {certificate.kind}"] += 1
    report = enpda.verify(certificate)
    need(report.ok, "an honest certificate is refused", report.reasons, about)
    need((report.size, report.upper) == (match.size, match.upper), "the report says otherwise", str(report), about)
    report = enpda.verify(certificate, (a, b), rules=rules, constraints=constraints)
    need(report.ok, "an honest certificate is refused for its own question", report.reasons, about)
    # Another question: when it is taken for an answer to that, it must be one.
    kind = rng.random()
    if kind < 0.4:
        other: tuple[Rules | None, Constraints | None] = rules, cases.constraints(rng, a, b)
    elif kind < 0.8:
        other = cases.rules(rng, a, b), constraints
    else:
        other = None, None
    if other[0] is not None and other[0].pinned and not _fits(a, b, other[0]):
        return
    tally.counts["certificates for another question"] += 1
    report = enpda.verify(certificate, (a, b), rules=other[0], constraints=other[1])
    if report.ok:
        problem = judge.bare(a, b, *other)
        best = judge.brute_force(problem)
        counted = judge.bare_score(problem, judge.image_of(match.mapping, len(a)))
        right = report.size == counted[0] and report.size <= best[0] <= report.upper
        need(right, f"accepted for another question, whose optimum is {best}", str(report), other, about)
        tally.counts["certificates that answer another question as well"] += 1
