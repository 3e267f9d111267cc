"""`enpda bench`: measure, with the data you have."""

from __future__ import annotations

import json as json_module
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import cyclopts
from cyclopts import Parameter

from enpda.checks import whole
from enpda.errors import InputError
from enpda.learn.datasets import data_folder
from enpda_bench import Settings, run

if TYPE_CHECKING:
    from enpda_bench.scope import Scope

bench = cyclopts.App(
    name="bench",
    help="Run one experiment and print its tables, or the experiments of the paper with one of the commands.\n\n"
    "Example: `enpda bench search --data DIR --no-peers`",
)

Output = Annotated[Path, Parameter(name=["--out", "-o"])]
Flag = Annotated[bool, Parameter(negative=())]


@bench.default
def experiment(
    name: str = "core",
    /,
    *,
    data: Path | None = None,
    peers: bool = True,
    count: int | None = None,
    only: str | None = None,
    json: Flag = False,
) -> int:
    """Run one experiment and print its tables.

    Parameters
    ----------
    name
        `core` (accuracy and time of one proposal), `search` (the frontier, with RASCAL and SMSD beside it), `bounds`
        (every upper bound, and certificates), `exact` (proofs, beside RASCAL and SMSD), `policy` (what learning
        adds), `chemistry` (rings, connected parts, myopic distances), `bulk` (all pairs and searches of thousands of
        molecules), `general` (random graphs, grids, trees and networks), `speed` (whole calls beside RASCAL's and
        SMSD's, tables by threshold, memory a molecule, cost against size, counted instructions) or `deadlines`
        (overrun of time limits by all that a call can be told, and the worst calls).
    data
        Folder with the public data sets (see docs/data.md); default: the variable ENPDA_DATA. Without either,
        sixty pairs of drugs that ship with the package are used.
    peers
        Whether the slow rows run: other programs (`pip install "./bench[peers]"` for SMSD), integer programmes, what
        needs PyTorch (`enpda[train]`).
    count
        Pairs of each set, or calls, instead of all; in `speed` also molecules of a table, pairs of a size.
    only
        Run this one of our rows of `search`, such as `solver` or `10 ms`, and no other program; or one part of
        `exact` (`test`, `random` or `hard`), of `policy` (`accuracy`, `planted`, `prices`, `certificates`,
        `proposals`, `proofs`, `searches`, `ablation`, `time`, `scaling`, `large` or `gpu`), of `chemistry`
        (`rings`, `connected` or `myopic`), of `bulk` (`random`, `threshold`, `search`, `scaling` or `memory`) or of
        `speed` (`prepared`, `new`, `smiles`, `tables`, `memory`, `size` or `instructions`).
    json
        Print JSON instead of tables.
    """
    tables = run(name, Settings(data_folder(data), peers, count, only))
    if json:
        print(json_module.dumps([table.to_dict() for table in tables]))
    else:
        print("\n\n".join(map(str, tables)))
    return 0


@bench.command
def turns(
    python: Path,
    *tasks: str,
    data: Path | None = None,
    turns: int = 3,
    count: int | None = None,
    most: float = 1.25,
) -> int:
    """Compare this build with another one, by turns on the same work; exit code 1 when it is slower or says otherwise.

    Example: `enpda bench turns build/against/.venv/bin/python --data DIR` (`make bench-check` installs the other one)

    Parameters
    ----------
    python
        The Python interpreter that has the other build.
    tasks
        Some of the tasks; default: all.
    data
        Folder with the public data sets (see docs/data.md); default: the variable ENPDA_DATA. Without either, drugs
        that ship with the package are used.
    turns
        How often each build does each task.
    count
        Pairs of each set, instead of all.
    most
        How many times as long a task may take as before.
    """
    from enpda_bench import turns as by_turns

    whole("turns", turns, 1, 1_000)
    found = by_turns.compare(python, data_folder(data), turns, count, tasks or None)
    print(by_turns.table(found))
    return 1 if any(builds.ratio > most or not builds.agree for builds in found.values()) else 0


@bench.command
def instructions(
    python: Path | None = None, /, *, count: int | None = None, most: float = 1.02, json: Flag = False
) -> int:
    """Count instructions of ten fixed calls, and of another build's; exit code 1 when this one takes more.

    Example: `enpda bench instructions build/against/.venv/bin/python` (a part of `make bench-check`; needs Valgrind)

    Parameters
    ----------
    python
        The Python interpreter that has the other build; default: count this build alone.
    count
        The first so many pairs, instead of all ten.
    most
        How many times as many instructions all calls together may take as before, by their geometric mean.
    json
        Print JSON instead of a table.
    """
    from enpda_bench import instructions as counted

    if count is not None:
        whole("count", count, 1, len(counted.PAIRS))
    before = None if python is None else counted.count(python, count)
    found = counted.count(counted.here(), count)
    shown = counted.table(found, before)
    print(json_module.dumps(shown.to_dict()) if json else shown)
    return 1 if before is not None and counted.ratio(found, before) > most else 0


@bench.command
def summary(
    *, data: Path | None = None, count: int | None = None, render: Flag = False, readme: Path = Path("README.md")
) -> int:
    """Measure the figures of the README, proofs and bulk work beside RASCAL and SMSD, and write them into it.

    Example: `enpda bench summary --data DIR` (an hour, nearly all of it the other programs'; run it in a clone)

    Parameters
    ----------
    data
        Folder with the public data sets (see docs/data.md); default: the variable ENPDA_DATA.
    count
        Test pairs of each set, instead of all.
    render
        Measure nothing: only write the committed figures into the README, and whether the code has changed since.
    readme
        The file with the marked block; `benchmarks/summary.json` lies beside it.
    """
    from enpda_bench import summary as figures

    repository = readme.absolute().parent
    path = repository / figures.FILE
    if not render:
        folder = data_folder(data)
        if folder is None:
            raise InputError("the figures of the README need the data sets: --data DIR")
        figures.save(path, figures.run(repository, folder, count))
    figures.rewrite(readme, figures.load(path), figures.digest(repository))
    print(readme)
    return 0


@bench.command
def paper(
    *studies: str,
    out: Output,
    data: Path | None = None,
    profile: str = "quick",
    hours: float | None = None,
    workers: int = 1,
) -> int:
    """Run the experiments of the paper into a folder, audit them, and write a report.

    Example: `enpda bench paper causality --data DIR --profile smoke -o run`

    A run that was stopped, by whatever, goes on where it was when the same command is given again.

    Example: `enpda bench paper --data DIR --profile full --hours 2 -o run` (again and again, until all is measured)

    Parameters
    ----------
    studies
        Some of the studies (docs/benchmarks.md lists them); default: all.
    out
        The folder: records, cells and pages go there.
    data
        Folder with the public data sets (see docs/data.md); default: the variable ENPDA_DATA. Without either, drugs
        that ship with the package stand in where they can.
    profile
        `smoke` (minutes: a few pairs), `quick` (an hour on two cores) or `full` (as the paper did it).
    hours
        Stop after so many hours, such as 2 or 0.5, and write the report of what there is; default: when all is
        measured. What tells most for its time comes first: docs/benchmarks.md lists the order. A measurement that has
        begun is finished, which takes up to half an hour in the profile `full`.
    workers
        Processes that measure side by side. Times are best measured with one.
    """
    from enpda_bench.conduct import conduct_all, prospect
    from enpda_bench.scope import Scope
    from enpda_bench.studies import STUDIES, study

    whole("workers", workers, 1, 1_000)
    if hours is not None and not 0 < hours < math.inf:
        raise InputError(f"hours must be a number above 0, such as 2 or 0.5; got {hours:g}")
    names = list(dict.fromkeys(studies)) or list(STUDIES)
    for name in names:
        study(name)
    scope = Scope(profile, data_folder(data))
    failures = conduct_all(names, scope, out, workers, None if hours is None else 3600 * hours)
    faults = _report(out, scope)
    if hours is not None:
        print(f"enpda: {prospect(names, scope, out)}", file=sys.stderr)
    for name, failure in failures.items():
        print(f"enpda: the study {name} failed: {failure}", file=sys.stderr)
    return 1 if failures or faults else 0


@bench.command
def report(
    folder: Path,
    /,
    *,
    data: Path | None = None,
    readme: Annotated[list[Path] | None, Parameter(negative=())] = None,
) -> int:
    """Write the pages about a run anew.

    Example: `enpda bench report run --data DIR --readme README.md`

    Parameters
    ----------
    folder
        The folder of the run.
    data
        The data of the run, to compute its cells anew from the records; default: the variable ENPDA_DATA. Without
        either, the cells are taken as they are.
    readme
        Markdown files whose marked blocks are written anew from the run.
    """
    from enpda_bench import note
    from enpda_bench.pages import load
    from enpda_bench.pages.headline import rewrite

    place = data_folder(data)
    faults = _report(folder, note.own_scope(folder, place) if place or not note.read(folder)["data"] else None)
    for path in readme or []:
        rewrite(path, load(folder))
        print(path)
    return 1 if faults else 0


@bench.command
def audit(folder: Path, /, *, data: Path | None = None) -> int:
    """Count every stored mapping of a run again, from raw graphs; exit code 1 when a record does not hold.

    Example: `enpda bench audit run --data DIR`

    Parameters
    ----------
    folder
        The folder of the run.
    data
        The data of the run; default: the variable ENPDA_DATA.
    """
    from enpda_bench import note
    from enpda_bench.audit import audit as check
    from enpda_bench.audit import table

    counts = check(folder, note.own_scope(folder, data_folder(data)))
    print(table(counts))
    return 1 if _print_faults({name: count.faults for name, count in counts.items()}) else 0


@bench.command
def publish(folder: Path, /, *, out: Output, other_commit: Flag = False) -> int:
    """Copy of a run what may be passed on: indices, numbers and pages, but no picture of a graph from the data.

    Example: `enpda bench publish run -o benchmarks/paper`

    Parameters
    ----------
    folder
        The folder of the run.
    out
        A folder that does not exist yet, or holds what was published before. Inside a repository, its commit must be
        the one that the run was made at, without changes of src, native or bench.
    other_commit
        Publish into a repository although the run was made at another commit; the page names it below every table.
    """
    from enpda_bench.pages.publish import publish as copy

    copy(folder, out, other_commit)
    print(out / "report.html")
    return 0


@bench.command
def compare(one: Path, other: Path, /, *, json: Flag = False) -> int:
    """Show the cells that differ between two runs, the largest change first.

    Example: `enpda bench compare run-a run-b`

    Parameters
    ----------
    one
        The folder of a run, or its `cells.csv`.
    other
        Another.
    json
        Print JSON instead of a table.
    """
    from enpda_bench.pages import lines
    from enpda_bench.pages.compare import compare as differences

    found = differences(lines.read(one), lines.read(other))
    print(json_module.dumps(found.to_dict()) if json else found)
    return 0


def _report(folder: Path, scope: Scope | None) -> int:
    """Write the pages, from the records if there is a scope; returns the number of faults."""
    from enpda_bench.pages import renew, write

    if scope is not None:
        renew(folder, scope)
    page = write(folder)
    print(folder / "report.html")
    return _print_faults({name: count.faults for name, count in page.counts.items()})


def _print_faults(faults: dict[str, list[str]]) -> int:
    """Print what an audit found; returns how much that is."""
    for name, some in faults.items():
        for fault in some:
            print(f"enpda: audit of {name}: {fault}", file=sys.stderr)
    return sum(map(len, faults.values()))
