"""The experiments of the paper, one module each; every module has a class `TheStudy`."""

from __future__ import annotations

from importlib import import_module

from enpda.bench.study import Study
from enpda.budget import choice

STUDIES = {
    "causality": "five arms of four rounds and one projection, three seeds: what learning and prices add",
    "sinkhorn": "Sinkhorn and Gumbel-Sinkhorn controls with weights of their own beside the rounds",
    "repeat": "the five arms again, bit for bit: second run, new process, two threads",
    "components": "parts of the policy switched off",
    "rounds": "one to eight rounds, and where the time of a proposal goes",
    "deployment": "accuracy and time of proposals, the paper's Solver, NGA and our methods; similarity; streams",
    "frontier": "search after an analytic and a learned proposal, from a millisecond on",
    "cases": "pictures of three answers",
}
"""Module of this package -> what it asks, in the order of the paper."""


def study(name: str) -> type[Study]:
    """Return a study by name."""
    choice("study", name, tuple(STUDIES))
    found: type[Study] = import_module(f"enpda.bench.studies.{name}").TheStudy
    return found
