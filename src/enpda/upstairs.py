"""Methods that lead upstairs: what a graph or a match can do by means of rooms that know graphs and matches.

A room only imports rooms below it. `Graph` and `Match` are used everywhere, so what people expect of them (a picture,
all optima) lies above them; it is looked up here, by name, when somebody calls it, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

ROOMS = {
    "graph_svg": "enpda.view",
    "match_svg": "enpda.view",
    "match_html": "enpda.view",
    "enumerate_optima": "enpda.solve.optima",
    "match_of": "enpda.solve.loading",
}
"""Function -> the module that has it."""


def upstairs(name: str) -> Callable[..., Any]:
    """Return a function of `ROOMS`."""
    found: Callable[..., Any] = getattr(import_module(ROOMS[name]), name)
    return found
