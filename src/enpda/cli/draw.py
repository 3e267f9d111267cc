"""`enpda draw`: pictures of pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

import enpda
from enpda import view
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, graph_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.errors import InputError, brief
from enpda.io.pairs import read_pairs
from enpda.result.match import Match
from enpda.solve.options import Options
from enpda.view.picture import names

if TYPE_CHECKING:
    from enpda.problem.constraints import Constraints
    from enpda.problem.rules import Rules

DEFAULT = Options()
SUFFIXES = (".svg", ".png", ".html")


def draw(
    a: str | None = None,
    b: str | None = None,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    pairs: Path | None = None,
    effort: EffortOptions = DEFAULT_EFFORT,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
    columns: int = 2,
    title: str | None = None,
) -> int:
    """Draw what two graphs share, or what each pair of a table does.

    Example: `enpda draw "CC(=O)Oc1ccccc1C(=O)O" "CC(=O)Nc1ccc(O)cc1" -o pair.png`

    Example: `enpda draw --pairs pairs.csv -o report.html --rings aromatic`

    Parameters
    ----------
    a
        A SMILES or InChI, a file (its first graph; `FILE:NAME` for the one of that name, `FILE:K` for graph K, counted
        from 0), or `-` for standard input.
    b
        The same.
    out
        The file to write: `.svg`, `.png`, or `.html` for a page with numbers and atom maps.
    pairs
        A `.csv` or `.tsv` file instead of A and B: SMILES in the columns `a` and `b`, names, if any, in `name_a` and
        `name_b`. Bad rows are told on stderr and left out, odd molecules told.
    effort
        How to work on each pair, and for how long.
    rules
        What counts as the same.
    constraints
        What the common part must be.
    reading
        How files are read.
    columns
        Pairs beside each other in a picture of many.
    title
        Heading of a page; default: the name of the table, or of the two graphs.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise InputError(f"out must end in {', '.join(SUFFIXES)}; got {brief(str(out))}")
    same, conditions = rules.rules(), constraints.constraints()
    if pairs is None:
        if a is None or b is None:
            raise InputError("two graphs are needed, A and B, or --pairs with a table of them")
        left, right = graph_argument(a, reading), graph_argument(b, reading)
        found = [enpda.match(left, right, **effort.keywords(), rules=same, constraints=conditions)]
        line, heading = view.headline(found[0]), names(found[0])
    else:
        if a is not None:
            raise InputError("either A and B or --pairs; both were given")
        if same is not None and same.of_one_pair:
            raise InputError("--pin and --forbid name atoms of one pair, and --pairs has many")
        found = _table(pairs, effort, same, conditions)
        line, heading = f"{sum(match.optimal for match in found)} of {len(found)} proven optimal", pairs.stem
    if any(match.stopped == "interrupted" for match in found):
        raise KeyboardInterrupt
    if out.suffix.lower() == ".html":
        view.report(found, out, title or heading)
    else:
        view.save(found[0].draw() if pairs is None else view.grid(found, columns), out)
    print(f"{line}\n{out}")
    return 0


def _table(path: Path, effort: EffortOptions, rules: Rules | None, constraints: Constraints | None) -> list[Match]:
    pairs, rejects, oddities = read_pairs(path)
    for reject in rejects:
        print(f"enpda: {reject.file}, line {reject.line} is left out: {reject.reason}", file=sys.stderr)
    for oddity in oddities:
        print(f"enpda: {oddity.file}, line {oddity.line}: {oddity.reason}", file=sys.stderr)
    if not pairs:
        raise InputError(f"{path}: no pair can be read")
    return enpda.match_many(
        pairs, **effort.keywords(), progress=sys.stderr.isatty(), rules=rules, constraints=constraints
    )
