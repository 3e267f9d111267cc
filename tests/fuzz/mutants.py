"""Honest certificates with something changed at random, sealed anew: none may be accepted that claims what is false."""

from __future__ import annotations

import json
import random
from typing import Any

from . import documents, judge
from .campaign import Case, Tally

LOWERED = 0.75
"""Part of the mutants that claim less than the optimum, so that nothing but the proof stands between them and a lie."""


def make(certificates: int = 150) -> Case:
    """Return a case over a pool of so many honest certificates."""
    pool = documents.pool(certificates, 6, 4000)
    texts = [json.dumps(content) for content in pool]
    optima = [[judge.brute_force(problem) for problem in judge.readings(content)] for content in pool]

    def case(rng: random.Random, tally: Tally) -> None:
        number = rng.randrange(len(texts))
        content = json.loads(texts[number])
        other = pool[rng.randrange(len(pool))]
        untouched = _problem(content)
        lowered = rng.random() < LOWERED and content["upper"] > 0
        if lowered:
            content["upper"] -= rng.choice([1, 1, 1, content["upper"]])
            if "known" in content["bound"] and rng.random() < 0.7:
                content["bound"]["known"] = content["upper"] - rng.choice([0, 0, 0, 1])
        for _ in range(rng.choice([1, 1, 2, 3, 5])):
            mutate(rng, content, other)
        try:
            documents.in_order(rng, content)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
            tally.counts["beyond order"] += 1
        documents.seal(content)
        kind = kind_of(content)
        tally.counts[f"kind {kind}"] += 1
        same = _problem(content) == untouched
        documents.judged(content, tally, f"kind {kind}", (lambda: optima[number]) if same else None)

    return case


def kind_of(content: documents.Content) -> str:
    """Return the kind of bound, if it still has one."""
    bound = content.get("bound")
    kind = bound.get("kind") if isinstance(bound, dict) else None
    return kind if kind in ("edge", "histogram", "potentials", "rlt", "tree") else "none"


def _problem(content: documents.Content) -> str:
    parts = [content.get(side, {}) for side in "ab"]
    graphs = [part.get("graph") if isinstance(part, dict) else None for part in parts]
    return json.dumps([graphs, content.get("terms"), content.get("constraint")])


PROOF_FIRST = ("bound", "bound", "bound", "bound", "bound", "terms", "constraint", "a", "b", "mapping")


def mutate(rng: random.Random, content: documents.Content, other: documents.Content) -> None:
    """Change one thing somewhere; in a certificate most likely in the proof."""
    places = [key for key in PROOF_FIRST if key in content] if rng.random() < 0.98 else []
    key: Any = rng.choice(places or sorted(content))
    holder: Any = content
    donor: Any = other.get(key)
    depth = 0
    while isinstance(holder[key], (dict, list)) and holder[key] and (depth < 2 or rng.random() < 0.9):
        holder = holder[key]
        names = sorted(set(holder) - {"kind", "name"}) if isinstance(holder, dict) else range(len(holder))
        key = rng.choice(names or sorted(holder))
        depth += 1
        try:
            donor = donor[key] if isinstance(donor, dict) else donor[key % len(donor)]
        except (KeyError, TypeError, ZeroDivisionError):
            donor = None
    value = holder[key]
    if donor is not None and rng.random() < 0.1:
        holder[key] = documents.copied(donor) if isinstance(donor, (dict, list)) else donor
    elif isinstance(value, list) and value and rng.random() < 0.8:
        _change_list(rng, value)
    elif isinstance(value, dict) and value and rng.random() < 0.7:
        names = sorted(value)
        if rng.random() < 0.4:
            del value[rng.choice(names)]
        else:
            x, y = rng.choice(names), rng.choice(names)
            value[x], value[y] = value[y], value[x]
    elif isinstance(holder, list) and rng.random() < 0.35:
        _change_list(rng, holder)
    elif type(value) is int:
        holder[key] = _number(rng, value, holder)
    else:
        holder[key] = rng.choice([None, [], {}, 0, -1, "a", True, 1.0, 2**70, [0], [[0, 1]]])


def _change_list(rng: random.Random, values: list[Any]) -> None:
    i, j = rng.randrange(len(values)), rng.randrange(len(values))
    kind = rng.randrange(7)
    if kind == 0:
        del values[i]
    elif kind == 1:
        values.insert(j, json.loads(json.dumps(values[i])))
    elif kind in (2, 3):
        values[i], values[j] = values[j], values[i]
    elif kind == 4:
        values[i] = json.loads(json.dumps(values[j]))
    elif kind == 5:
        values.reverse()
    else:
        del values[i : i + rng.choice([1, 2, 100])]


def _number(rng: random.Random, value: int, holder: Any) -> Any:
    kind = rng.randrange(10)
    if kind < 4:
        return value + rng.choice([-1, 1, -2, 2])
    if kind < 6:
        return value + rng.choice([-1, 1]) * rng.choice([64, 1024, 4096, 65536, abs(value), abs(value) // 2])
    if kind == 6 and isinstance(holder, list):
        return rng.choice(holder)
    return rng.choice(
        [0, -1, 1, 2, 3, 5, -value, 2**31, 2**63, 2**200, True, float(value) if abs(value) < 2**53 else 0]
    )
