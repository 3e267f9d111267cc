"""Certificates as documents: honest ones to start from, putting one in order again, and the verdict on a verdict."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import enpda
import enpda_verify
from enpda import Graph

from . import cases, judge
from .campaign import Found, Tally

SLOWEST = 20.0
"""Seconds of processor time that a verifier may spend on so small a certificate."""

Content = dict[str, Any]


def digest(graph: Content) -> str:
    """SHA-256 of labels and sorted edges."""
    edges = sorted([u, v, label] for (u, v), label in zip(graph["edges"], graph["edge_labels"], strict=True))
    text = json.dumps({"nodes": graph["labels"], "edges": edges}, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def in_order(rng: random.Random, content: Content) -> None:
    """Make everything agree but the proof: digests, a legal mapping within the claimed bound, its counts."""
    for side in "ab":
        content[side]["digest"] = digest(content[side]["graph"])
    problem = judge.of_certificate(content)
    rows = len(content["a"]["graph"]["labels"])
    mapping = [[i, j] for i, j in content["mapping"]]

    def score(pairs: list[list[int]]) -> tuple[int, int]:
        return judge.bare_score(problem, judge.image_of(pairs, rows))

    while mapping and not 0 <= score(mapping)[0] <= content["upper"]:
        mapping.pop(rng.randrange(len(mapping)))
    for pair in list(mapping):
        rest = [other for other in mapping if other is not pair]
        if score(rest) == score(mapping):
            mapping = rest
    content["mapping"] = mapping
    content["size"], content["nodes"] = score(mapping)
    content["optimal"] = content["size"] == content["upper"]


def seal(content: Content) -> None:
    """Seal a document anew."""
    content["seal"] = enpda_verify.seal(content)


def copied(content: Content) -> Content:
    """Return a deep copy, by way of JSON."""
    return json.loads(json.dumps(content))


def honest(rng: random.Random, most: int) -> Content:
    """Make a certificate of a random question that caps do not answer often, of the best mapping or of none."""
    if rng.random() < 0.1:
        a, b = cases.molecule(rng), cases.molecule(rng)
    else:
        kinds = rng.choice([(1, 1), (1, 1), (2, 1), (1, 2)])
        a, b = (Graph(*cases.plain(rng, most, kinds)) for _ in range(2))
    rules = cases.rules(rng, a, b) if rng.random() < 0.4 else None
    constraints = cases.constraints(rng, a, b) if rng.random() < 0.6 else None
    if rules is not None and rules.pinned:
        rules = None
    if rng.random() < 0.5:
        match = enpda.certify(a, b, {}, rules=rules, constraints=constraints)
    else:
        match = enpda.match(a, b, "exact", rules=rules, constraints=constraints)
    return copied(match.certificate.content)


@lru_cache
def pool(count: int, most: int, longest: int) -> list[Content]:
    """Make honest certificates of every kind that verify, each with the optimum, above 0, for its bound."""
    rng = random.Random("pool")
    wanted = {"edge": 0.04, "histogram": 0.06, "potentials": 0.1, "rlt": 0.4, "tree": 0.4}
    left = {kind: int(part * count) for kind, part in wanted.items()}
    result = []
    while any(left.values()):
        content = honest(rng, most)
        kind = content["bound"]["kind"]
        if not left[kind] or content["upper"] == 0 or len(json.dumps(content)) > longest:
            continue
        if enpda_verify.verify(content).ok and judge.brute_force(judge.of_certificate(content))[0] == content["upper"]:
            left[kind] -= 1
            result.append(content)
    return result


def judged(content: Content, tally: Tally, what: str, best: Callable[[], list[judge.Optimum]] | None = None) -> None:
    """Verify a document that may be false; raise a finding when a false one is accepted.

    `best` gives the optimum under each reading of the problem; by default they are derived from the document.
    """
    optima = None
    try:
        optima = best() if best is not None else [judge.brute_force(problem) for problem in judge.readings(content)]
        false = all(content["upper"] < optimum[0] for optimum in optima)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        false = False  # it poses no problem, or claims nothing
    tally.counts["false claims"] += false
    tally.counts[f"false claims {what}"] += false
    begin = time.process_time()
    report = enpda_verify.verify(content)
    spent = time.process_time() - begin
    tally.most("slowest verification, s", spent)
    if spent > SLOWEST:
        raise Found(f"{what}: verifying took {spent:.1f} s: {json.dumps(content)}")
    if not report.ok:
        tally.counts["gave up"] += bool(getattr(report, "gave_up", False))
        return
    if optima is None:
        raise Found(f"{what}: accepted, but it poses no problem: {json.dumps(content)}")
    rows = len(content["a"]["graph"]["labels"])
    for problem, optimum in zip(judge.readings(content), optima, strict=True):
        counted = judge.bare_score(problem, judge.image_of(content["mapping"], rows))
        if counted == (content["size"], content["nodes"]) and content["size"] <= optimum[0] <= content["upper"]:
            tally.counts["accepted, rightly"] += 1
            return
    claims = {key: content[key] for key in ("size", "nodes", "upper")}
    raise Found(
        f"{what}: a false certificate is accepted: {claims}, but the optimum is {optima}: {json.dumps(content)}"
    )
