"""`enpda verify`: check certificates without trusting the solver."""

from __future__ import annotations

import json as json_module
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, graph_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.errors import InputError
from enpda_verify import printable


def verify(
    files: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    graphs: Annotated[tuple[str, str] | None, Parameter(negative=())] = None,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
    max_steps: int | None = None,
    max_bytes: int | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Check certificates: derive everything they claim again, in plain integers.

    Exit code 0 when all hold, 1 when one is refused, 2 when one cannot be read. Each report says which question the
    certificate answers. To be sure that it answers yours, name the two graphs with `--graphs`, and the same rules and
    constraints as when you asked: an answer to another question is refused.

    Example: `enpda verify pair.json --graphs "CC(=O)Oc1ccccc1C(=O)O" "CC(=O)Nc1ccc(O)cc1" --connected`

    Parameters
    ----------
    files
        Certificates, plain or `.gz`.
    graphs
        The two graphs asked about, as SMILES or files, in the certificate's order.
    rules
        With graphs: what counts as the same.
    constraints
        With graphs: what the common part must be.
    reading
        How files are read.
    max_steps
        Give up after so many steps of about a tenth of a microsecond; by default some minutes.
    max_bytes
        Give up beyond so much memory; by default 4 GB.
    json
        Print the reports as JSON, one a line.
    """
    pair = None if graphs is None else [graph_argument(text, reading) for text in graphs]
    code = 0
    for file in files:
        try:
            report = enpda.verify(
                file, pair, rules.rules(), constraints.constraints(), max_steps=max_steps, max_bytes=max_bytes
            )
        except InputError as error:
            if len(files) == 1:
                raise
            print(f"enpda: {printable(str(error))}", file=sys.stderr)  # the others are checked all the same
            code = 2
            continue
        code = max(code, 0 if report.ok else 1)
        line = json_module.dumps({"file": str(file), **asdict(report)}) if json else f"{printable(str(file))}: {report}"
        print(line)
    return code
