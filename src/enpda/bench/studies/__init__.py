"""The experiments of the paper, one module each; every module has a class `TheStudy`."""

from __future__ import annotations

from importlib import import_module

from enpda.bench.study import Study
from enpda.budget import choice

STUDIES = {
    "causality": "five arms of four rounds and one projection, three seeds: what learning and prices add",
    "retrieval": "three pools of look-alikes for twenty queries: size, WL, three networks, ENPDA-Fast, exact search",
}
"""Module of this package -> what it asks, in the order of the paper."""


def study(name: str) -> type[Study]:
    """Return a study by name."""
    choice("study", name, tuple(STUDIES))
    found: type[Study] = import_module(f"enpda.bench.studies.{name}").TheStudy
    return found
