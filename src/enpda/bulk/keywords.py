"""Keywords that functions about many pairs hand on to `match`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from enpda.errors import InputError
from enpda.solve.options import Options


def options_of(function: Callable[..., Any], keywords: Mapping[str, Any]) -> Options:
    """Return what a call says about every pair.

    Parameters
    ----------
    function : callable
        The one that was called, which has keywords of its own besides those of `match`.
    keywords : mapping
        Those for `match`.

    Raises
    ------
    InputError
        For a keyword that neither of the two has, with those that they have; and for values that cannot be used.
    """
    known = [entry.name for entry in fields(Options)]
    for name in keywords:
        if name not in known:
            own = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
            accepted = list(dict.fromkeys([*own, *known]))
            near = get_close_matches(name, accepted, 1)
            hint = f" (is {near[0]!r} meant?)" if near else ""
            raise InputError(f"{function.__name__} has no keyword {name!r}{hint}; it takes {', '.join(accepted)}")
    return Options(**keywords)
