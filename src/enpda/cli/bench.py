"""`enpda bench NAME`: measure, with the data you have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from enpda.bench import EXPERIMENTS
from enpda.errors import InputError


def bench(
    name: str = "core",
    /,
    *,
    data: Path | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Run one experiment and print its table.

    Example: `enpda bench core --data DIR`

    Parameters
    ----------
    name
        Which experiment: `core` (accuracy and time of one proposal).
    data
        Folder with the public data sets (see the documentation); default: the variable ENPDA_DATA, and without
        it sixty pairs of drugs that ship with the package.
    json
        Print JSON instead of a table.
    """
    if name not in EXPERIMENTS:
        raise InputError(f"no experiment called {name!r}; there are {', '.join(EXPERIMENTS)}")
    folder = data or (Path(os.environ["ENPDA_DATA"]) if os.environ.get("ENPDA_DATA") else None)
    table = EXPERIMENTS[name](folder)
    print(table.to_json() if json else table)
    return 0
