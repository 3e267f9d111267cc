"""`enpda bench NAME`: measure, with the data you have."""

from __future__ import annotations

import json as json_module
import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from enpda.bench import Settings, run


def bench(
    name: str = "core",
    /,
    *,
    data: Path | None = None,
    peers: bool = True,
    count: int | None = None,
    only: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Run one experiment and print its tables.

    Example: `enpda bench search --data DIR --no-peers`

    Parameters
    ----------
    name
        `core` (accuracy and time of one proposal), `search` (the frontier, with RASCAL and SMSD beside it), `bounds`
        (every upper bound, and certificates), `exact` (proofs, beside RASCAL and SMSD), `policy` (what learning
        adds), `chemistry` (rings, connected parts, myopic distances), `bulk` (all pairs and searches of thousands of
        molecules) or `deadlines` (overrun of time limits).
    data
        Folder with the public data sets (see docs/data.md); default: the variable ENPDA_DATA. Without either,
        sixty pairs of drugs that ship with the package are used.
    peers
        Whether the slow rows run: other programs (`pip install "enpda[bench]"` for SMSD), integer programmes, what
        needs PyTorch (`enpda[train]`).
    count
        Pairs of each set, or calls, instead of all.
    only
        Run this one of our rows of `search`, such as `solver` or `10 ms`, and no other program; or one part of
        `exact` (`test`, `random` or `hard`), of `policy` (`accuracy`, `planted`, `prices`, `time`, `scaling`
        or `gpu`), of `chemistry` (`rings`, `connected` or `myopic`) or of `bulk` (`random`, `threshold`, `search`,
        `scaling` or `memory`).
    json
        Print JSON instead of tables.
    """
    folder = data or (Path(os.environ["ENPDA_DATA"]) if os.environ.get("ENPDA_DATA") else None)
    tables = run(name, Settings(folder, peers, count, only))
    if json:
        print(json_module.dumps([table.to_dict() for table in tables]))
    else:
        print("\n\n".join(map(str, tables)))
    return 0
