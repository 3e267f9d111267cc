"""`enpda library`: files of graphs that were read and checked once."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated

import cyclopts
import numpy as np
import numpy.typing as npt
from cyclopts import Parameter

import enpda
from enpda.bulk.library_file import VERSION
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, say_columns, say_rejects, source_argument

library = cyclopts.App(
    name="library", help="Build, extend and look at libraries: graphs that are ready to be searched."
)

Output = Annotated[Path, Parameter(name=["--out", "-o"])]


@library.command
def build(file: str, /, *, out: Output, reading: InputOptions = DEFAULT_INPUT) -> int:
    """Read a file of graphs and write a library.

    Example: `enpda library build molecules.smi.gz -o library.arrow`

    Parameters
    ----------
    file
        What `enpda` reads: `.smi`, `.csv`, `.tsv`, `.sdf`, `.parquet`, `.gml`, `.graphml`, a TU zip; `-` for standard
        input.
    out
        The library; an old one is replaced.
    reading
        How files are read.
    """
    source, bar = source_argument(file), sys.stderr.isatty()
    return _print_summary(enpda.Library.build(source, out, bar, **reading.keywords()), reading)


@library.command
def append(file: Path, more: str, /, *, reading: InputOptions = DEFAULT_INPUT) -> int:
    """Add the graphs of a file to a library.

    Example: `enpda library append library.arrow more.smi`

    Parameters
    ----------
    file
        The library.
    more
        A file of graphs, as for `build`, or another library.
    reading
        How files are read.
    """
    source, bar = source_argument(more), sys.stderr.isatty()
    return _print_summary(enpda.Library.open(file).append(source, bar, **reading.keywords()), reading)


@library.command
def merge(first: Path, *files: Path, out: Output) -> int:
    """Write the graphs of several libraries, one after the other, into a new one.

    Example: `enpda library merge first.arrow second.arrow -o both.arrow`

    Parameters
    ----------
    first
        A library, or a file of graphs.
    files
        More of them.
    out
        The new library.
    """
    return _print_summary(enpda.Library.merge((first, *files), out))


@library.command
def info(file: Path, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> int:
    """Show what a library holds.

    Example: `enpda library info library.arrow --json`

    Parameters
    ----------
    file
        The library.
    json
        Print JSON.
    """
    opened = enpda.Library.open(file)
    facts = {
        "path": str(file),
        "version": VERSION,
        "bytes": file.stat().st_size,
        "graphs": len(opened),
        "distinct": len(np.unique(opened.classes)),
        "molecules": opened.molecules,
        "odd": opened.odd,
        "nodes": _range(opened.nodes),
        "edges": _range(opened.edges),
        "digest": opened.digest,
    }
    if json:
        print(json_module.dumps(facts, indent=2))
    else:
        for name, value in facts.items():
            shown = ", ".join(f"{k} {v:g}" for k, v in value.items()) if isinstance(value, dict) else value
            print(f"{name:12s}{shown}")
    return 0


def _print_summary(written: enpda.Library, reading: InputOptions = DEFAULT_INPUT) -> int:
    """Say what became of a library."""
    say_columns(written.columns, reading)
    say_rejects(written)
    print(f"{written.path}: {len(written)} graph{'' if len(written) == 1 else 's'}")
    return 0


def _range(values: npt.NDArray[np.int64]) -> dict[str, float]:
    if not len(values):
        return {}
    return {"min": float(values.min()), "median": float(np.median(values)), "max": float(values.max())}
