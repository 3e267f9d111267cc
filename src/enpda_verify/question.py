"""Which question a certificate answers: in words, and whether it is the one that was asked."""

from __future__ import annotations

from enpda_verify.constraint import NOTHING, Constraint
from enpda_verify.problem import Problem
from enpda_verify.reading import many


def in_words(problem: Problem) -> str:
    """Say what two graphs were asked to share."""
    sizes = [f"{many(len(g.labels), 'node')} and {many(len(g.edges), 'edge')}" for g in (problem.a, problem.b)]
    words = [f"graphs of {sizes[0]}, and of {sizes[1]}"]
    words.append("nodes match where their labels are equal")
    if apart := _apart(problem):
        words[-1] += f", but for {many(len(apart), 'pair')} that may not meet"
    if problem.table is None:
        words.append("edges match where their labels are equal, and count 1")
    else:
        table = ", ".join(f"{x}-{y}: {value}" for (x, y), value in sorted(problem.table.items())[:8])
        more = ", ..." if len(problem.table) > 8 else ""
        words.append(f"edges match and count by a table of their labels ({table}{more})")
    words += (problem.constraint.words() if problem.constraint is not None else []) or ["no constraint"]
    return "; ".join(words)


def difference(asked: Problem, answered: Problem) -> str | None:
    """Say in what a certificate answers another question than the one asked; None when it is the same."""
    for what, g, h in (("a", asked.a, answered.a), ("b", asked.b, answered.b)):
        if (g.labels, g.edges) != (h.labels, h.edges):
            return f"graph {what} is another one"
    if _apart(asked) != _apart(answered):
        return f"{len(_apart(answered))} pairs of nodes may not meet there, {len(_apart(asked))} in the question asked"
    if _worths(asked) != _worths(answered):
        return "edges count otherwise there"
    there = _conditions(answered)
    for name, own in _conditions(asked).items():
        if there[name] != own:
            return f"{name} differ" + (
                f": {there[name]} there, {own} in the question asked" if type(own) is int else ""
            )
    return None


def _apart(problem: Problem) -> set[tuple[int, int]]:
    """Return the pairs that only the terms keep apart."""
    return {(i, j) for i, j in problem.apart if problem.a.labels[i] == problem.b.labels[j]}


def _worths(problem: Problem) -> dict[tuple[int, int], int]:
    labels_a, labels_b = ({label for *_, label in g.edges} for g in (problem.a, problem.b))
    problem.budget.spend(len(labels_a) * len(labels_b))
    return {(x, y): worth for x in labels_a for y in labels_b if (worth := problem.worth(x, y))}


def _conditions(problem: Problem) -> dict[str, object]:
    """Return a constraint as plain values, where every way to say the same thing has the same value."""
    asked = problem.constraint or Constraint(problem.a, problem.b, NOTHING, problem.budget)
    return asked.values()
