"""`enpda verify`: check certificates without trusting the solver."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.inputs import graph_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions


def verify(
    files: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    graphs: tuple[str, str] | None = None,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Re-derive what certificates claim, in plain integers; exit code 1 when one does not hold.

    Example: `enpda verify pair.json`

    Parameters
    ----------
    files
        Certificates, plain or `.gz`.
    graphs
        The two graphs (SMILES or files), for certificates that hold digests only.
    rules
        With graphs: the rules that the certificate was made under.
    constraints
        With graphs: its constraints.
    json
        Print the reports as JSON, one a line.
    """
    pair = None if graphs is None else [graph_argument(text) for text in graphs]
    good = True
    for file in files:
        report = enpda.verify(file, pair, rules.rules(), constraints.constraints())
        good = good and report.ok
        print(json_module.dumps({"file": str(file), **asdict(report)}) if json else f"{file}: {report}")
    return 0 if good else 1
