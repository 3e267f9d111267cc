"""Certificates made to deceive: claims below the optimum, with proofs that are nearly right."""

from __future__ import annotations

import json
import random

import enpda_verify

from . import documents, problems
from .campaign import Case, Tally
from .documents import Content
from .liars import LIES, Liar
from .mutants import mutate


def make(certificates: int = 150) -> Case:
    """Return a case: a liar's tree, a stage or cap of its own, or an honest proof of another problem."""
    pool = [json.dumps(content) for content in documents.pool(certificates, 6, 4000)]

    def case(rng: random.Random, tally: Tally) -> None:
        kind = rng.random()
        if kind < 0.5:
            found = _lie(rng)
        elif kind < 0.6:
            found = _cap(rng)
        else:
            found = _transplant(rng, json.loads(rng.choice(pool)), json.loads(rng.choice(pool)))
        if found is None:
            tally.counts["nothing to deny"] += 1
            return
        what, content = found
        if rng.random() < 0.05:
            mutate(rng, content, content)
            what += " and changed"
        try:
            documents.in_order(rng, content)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
            tally.counts["beyond order"] += 1
        documents.seal(content)
        tally.counts[f"forgeries {what}"] += 1
        documents.judged(content, tally, what)

    return case


def _problem(rng: random.Random) -> tuple[Content, int] | None:
    """Draw a problem with something to deny, and its optimum."""
    for _ in range(20):
        content = problems.problem(rng)
        best = problems.best_under(content, [])
        if best > 0:
            return _claims(content, best - rng.choice([1, 1, 1, best])), best
    return None


def _claims(content: Content, upper: int) -> Content:
    return {
        "schema": enpda_verify.SCHEMA,
        "made_by": {"enpda": "0", "method": "liar", "seed": 0},
        "size": 0,
        "nodes": 0,
        "upper": upper,
        "optimal": upper == 0,
        "numerical": {},
        **content,
    }


def _lie(rng: random.Random) -> tuple[str, Content] | None:
    drawn = _problem(rng)
    if drawn is None:
        return None
    content, _ = drawn
    lie = rng.choice(LIES)
    content["bound"] = Liar(rng, content, content["upper"], lie).tree()
    nodes = content["bound"]["nodes"]
    if len(nodes) == 1 and not nodes[0]["children"]:
        rest = {key: content["bound"][key] for key in ("unit", "known")}
        content["bound"] = {"name": "rlt", "kind": "rlt", **rest, "stages": nodes[0]["stages"]}
    return f"{content['bound']['kind']} by {lie}", content


def _cap(rng: random.Random) -> tuple[str, Content] | None:
    """Claim too little by a cap, or by potentials that are too low."""
    drawn = _problem(rng)
    if drawn is None:
        return None
    content, _ = drawn
    a, b = (content[side]["graph"] for side in "ab")
    kind = rng.choice(["edge", "histogram", "potentials"])
    bound: Content = {"name": kind, "kind": kind}
    if kind == "histogram":
        counts: dict[tuple[int, ...], list[int]] = {}
        for side, g in enumerate((a, b)):
            for (u, v), label in zip(g["edges"], g["edge_labels"], strict=True):
                ends = sorted((g["labels"][u], g["labels"][v]))
                counts.setdefault((label, *ends), [0, 0])[side] += 1
        table = [[*key, *both] for key, both in sorted(counts.items()) if min(both)]
        if table and rng.random() < 0.7:
            table[rng.randrange(len(table))][rng.choice([3, 4])] -= 1
        bound["histogram"] = table
    elif kind == "potentials":
        scale = rng.choice([2, 2, 4, 1, 1000])
        total = content["upper"] * scale + scale - 1
        row, column = [0] * len(a["labels"]), [0] * len(b["labels"])
        for _ in range(total if total < 50 else 0):
            line = rng.choice([row, row, column])
            line[rng.randrange(len(line))] += 1
        bound |= {"name": "assignment", "scale": scale, "row": row, "column": column}
    content["bound"] = bound
    return f"{kind} too low", content


def _transplant(rng: random.Random, content: Content, donor: Content) -> tuple[str, Content] | None:
    """Change the problem under an honest proof, and let the proof speak of what is left of its association graph."""
    a, b = (content[side]["graph"] for side in "ab")
    n, m = len(a["labels"]), len(b["labels"])
    terms, constraint = content.get("terms"), content.get("constraint")
    changes = ["edge", "label", "forbid", "worth", "marks", "rings", "limits", "none"]
    change = rng.choice(changes)
    side = rng.choice([0, 1])
    graph = (a, b)[side]
    if change == "edge":
        missing = [[u, v] for u in range(len(graph["labels"])) for v in range(u + 1, len(graph["labels"]))]
        missing = [edge for edge in missing if edge not in graph["edges"]]
        if not missing or not graph["edges"]:
            return None
        if constraint is None:
            place = rng.randrange(len(graph["edges"]) + 1)
            graph["edges"].insert(place, rng.choice(missing))
            graph["edge_labels"].insert(place, rng.choice(graph["edge_labels"]))
        else:  # numbers of marked edges stay
            graph["edges"].append(rng.choice(missing))
            graph["edge_labels"].append(rng.choice(graph["edge_labels"]))
    elif change == "label":
        labels = graph[rng.choice(["labels", "edge_labels"])]
        if not labels:
            return None
        labels[rng.randrange(len(labels))] = rng.choice(labels)
    elif change == "forbid":
        if terms is None or not terms["forbidden"]:
            return None
        terms["forbidden"] = rng.sample(terms["forbidden"], rng.randrange(len(terms["forbidden"])))
    elif change == "worth":
        if terms is None:
            content["terms"] = terms = {"forbidden": [], "worth": None}
        labels = [sorted(set(g["edge_labels"])) for g in (a, b)]
        if terms["worth"] is None:
            terms["worth"] = [[x, x, 1] for x in labels[0] if x in labels[1]]
        table = {(x, y): value for x, y, value in terms["worth"]}
        for x in labels[0]:
            for y in labels[1]:
                if rng.random() < 0.3:
                    table[x, y] = table.get((x, y), 0) + rng.choice([1, 1, 2])
        terms["worth"] = [[x, y, value] for (x, y), value in table.items()]
    elif change in ("marks", "rings", "limits"):
        if constraint is None:
            constraint = {"rings": [[], []], "marked": [[], []], "max_fragments": 0, "min_fragment": 0}
            content["constraint"] = constraint
        if change == "marks":
            edges = range(len(graph["edges"]))
            constraint["marked"][side] = [e for e in edges if (e in constraint["marked"][side]) != (rng.random() < 0.3)]
        elif change == "rings":
            cycles = [list(ring) for ring in problems.cycles(graph)]
            constraint["rings"][side] = [ring for ring in cycles if rng.random() < 0.6]
        else:
            constraint["max_fragments"] = rng.choice([0, 1, 2, 3])
            constraint["min_fragment"] = rng.choice([0, 1, 2, 3, 4])
    else:  # the proof of another problem
        content["bound"] = donor["bound"]
        content["upper"] = donor["upper"]
    try:
        best = problems.best_under(content, [])
    except (ValueError, IndexError):
        return None
    if best <= content["upper"] and rng.random() < 0.7:
        content["upper"] = max(best - 1, 0)
        if "known" in content["bound"]:
            content["bound"]["known"] = content["upper"]
    if content["bound"]["kind"] in ("rlt", "tree"):
        _filtered(rng, content, problems.association(content))
    if content["bound"]["kind"] == "potentials" and rng.random() < 0.5:
        for key, size in (("row", n), ("column", m)):
            content["bound"][key] = (content["bound"][key] + [0] * size)[:size]
    return f"{content['bound']['kind']} over another {change}", content


def _filtered(rng: random.Random, content: Content, live: dict[problems.Arc, int]) -> None:
    """Let every stage list what is there and nothing else; now and then what is new as well."""
    bound = content["bound"]
    n, m = (len(content[side]["graph"]["labels"]) for side in "ab")
    stages = bound["stages"] if bound["kind"] == "rlt" else [s for node in bound["nodes"] for s in node["stages"]]
    complete = rng.random() < 0.5
    for number, stage in enumerate(stages):
        lists = list(zip(stage["a"], stage["b"], stage["share"], strict=True))
        lists = [entry for entry in lists if (min(entry[:2]), max(entry[:2])) in live]
        if complete and number == 0:
            there = {(min(c, d), max(c, d)) for c, d, _ in lists}
            lists += [(c, d, bound["unit"] // 2) for c, d in sorted(live.keys() - there)]
        stage["a"], stage["b"], stage["share"] = ([entry[k] for entry in lists] for k in range(3))
        for key, size in (("row", n), ("column", m)):
            stage[key] = (stage[key] + [0] * size)[:size]
