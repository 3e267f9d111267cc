"""`enpda rgroups`: a series of molecules as a core and what hangs on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, library_argument
from enpda.cli.tables import check_suffix, save


def rgroups(
    core: str,
    file: str,
    /,
    *,
    time_limit: float = 1.0,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    reading: InputOptions = DEFAULT_INPUT,
) -> int:
    """Take a series of molecules apart into a core and the groups that hang on it.

    Example: `enpda rgroups "c1ccc2ncncc2c1" series.smi -o table.csv`

    Parameters
    ----------
    core
        SMILES or, where it is none, SMARTS. Dummy atoms are attachment points: `[*:1]c1ccccc1` has R1 there.
    file
        Molecules: anything that `enpda.read` reads, or a library.
    time_limit
        Seconds for each molecule without the core, to find out what it lacks.
    out
        Also write the table to this file, `.csv` or `.parquet`, or a page with pictures, `.html`.
    json
        Print the whole result as JSON.
    reading
        How files are read.
    """
    check_suffix(out, (".html",))
    found = enpda.rgroups(core, library_argument(file, reading), time_limit=time_limit)
    if out is not None and out.suffix.lower() == ".html":
        found.report(out, f"R-groups of {Path(file).name}")
    elif out is not None:
        save(found.table(), out)
    print(found.to_json(indent=2) if json else f"{found}\n\n{found.in_words()}")
    return 0
