"""`enpda split`: folds of a file with no near pair across two of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda.bulk.cluster import in_words
from enpda.bulk.near import what_decides
from enpda.bulk.partition import FRACTIONS, Split
from enpda.cli.cluster import pairs_in_words
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, library_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.cli.tables import check_suffix, save
from enpda.errors import InputError, brief
from enpda.solve.options import Options
from enpda.words import counted

DEFAULT = Options()


def split(
    file: str,
    /,
    *,
    fractions: str = ",".join(map(str, FRACTIONS.values())),
    max_distance: int | None = None,
    min_similarity: float | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    verify: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
    threads: int | None = None,
    effort: EffortOptions = DEFAULT_EFFORT,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
) -> int:
    """Deal the graphs of a file out to folds, so that no two in different folds are near.

    Example: `enpda split molecules.smi --max-distance 10 --fractions 0.8,0.1,0.1 -o folds.csv`

    Parameters
    ----------
    file
        Graphs or molecules: anything that `enpda.read` reads, or a library.
    fractions
        The share of each fold, joined by commas; with names as in `train:0.8,test:0.2`.
    max_distance
        Pairs with at most this distance are near (10 when there is no threshold).
    min_similarity
        Instead: pairs with at least this similarity are near.
    out
        Also write a table with id, SMILES and fold to this file: `.csv` or `.parquet`.
    verify
        Compare all pairs across folds again; a near one ends with exit code 1.
    json
        Print the whole result as JSON.
    threads
        Pairs at a time; default: one a processor.
    effort
        How to work on each pair, and for how long.
    rules
        What counts as the same.
    constraints
        What the common part must be.
    reading
        How files are read.
    """
    check_suffix(out)
    progress = sys.stderr.isatty()
    found = enpda.split(
        library_argument(file, reading),
        _fractions(fractions),
        min_similarity=min_similarity,
        max_distance=max_distance,
        **effort.keywords(),
        threads=threads,
        rules=rules.rules(),
        constraints=constraints.constraints(),
        progress=progress,
    )
    if found.warning is not None:
        print(f"enpda: {found.warning}", file=sys.stderr)
    if out is not None:
        save(found.table(), out)
    print(found.to_json() if json else text(found, what_decides(found.question.options)))
    leaks = len(found.verify(threads, progress)) if verify else 0
    if leaks:
        print(f"enpda: {leaks} pairs across folds are near or undecided", file=sys.stderr)
    return 1 if leaks else 0


def text(found: Split, advice: str) -> str:
    """Show folds in a terminal."""
    near = in_words(found.question.min_similarity, found.question.max_distance)
    lines = [
        *(
            f"{name:<11} {counted(len(fold), 'item')}, {found.fractions[name]:.1%} ({found.targets[name]:.1%} wanted)"
            for name, fold in found.folds.items()
        ),
        f"near        {near}; the largest component has {counted(found.largest, 'item')}",
        f"pairs       {pairs_in_words(found.pairs)}",
        *([f"undecided   {counted(len(found.undecided), 'pair')}, taken as near; {advice}"] if found.undecided else []),
        f"seconds     {found.seconds:.2f}",
    ]
    return "\n".join(lines)


def _fractions(given: str) -> dict[str, float] | list[float]:
    parts = [part.rpartition(":") for part in given.split(",")]
    try:
        values = [float(value) for _, _, value in parts]
    except ValueError:
        raise InputError(
            f"--fractions takes numbers as in 0.8,0.1,0.1 or train:0.8,test:0.2; got {brief(given)}"
        ) from None
    names = [name for name, _, _ in parts]
    if not any(names):
        return values
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"--fractions needs a name of its own for every fold, or none at all; got {brief(given)}")
    return dict(zip(names, values, strict=True))
