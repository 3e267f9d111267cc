"""`enpda matrix`: all pairs of a file, or of two files."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from enpda.bulk.engines import Engine
from enpda.bulk.estimate import estimate as estimated
from enpda.bulk.job import Job
from enpda.bulk.matrix import Matrix, Order, shown
from enpda.bulk.matrix import matrix as compare
from enpda.bulk.question import Question, Screened
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, library_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.errors import InputError, brief
from enpda.solve.options import Options

DEFAULT = Options()


def matrix(
    file: str,
    other: str | None = None,
    /,
    *,
    out: Annotated[str | None, Parameter(name=("--out", "-o"))] = None,
    min_similarity: float | None = None,
    max_distance: int | None = None,
    most_nodes: Annotated[bool, Parameter(negative=())] = False,
    screened: Screened = "drop",
    effort: EffortOptions = DEFAULT_EFFORT,
    threads: int | None = None,
    engine: Engine = "threads",
    client: str | None = None,
    retries: int = 3,
    device: str | None = None,
    chunks: str | None = None,
    resume: bool = True,
    heatmap: Path | None = None,
    order: Order = "clustered",
    html: Path | None = None,
    estimate: Annotated[bool, Parameter(negative=())] = False,
    sample_seconds: float = 20.0,
    json: Annotated[bool, Parameter(negative=())] = False,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
) -> int:
    """Compare all pairs of the graphs of a file, or every graph of one file with every graph of another.

    The folder `--out` holds the table as Parquet (`pairs/`), the items, what could not be read, and the job. The same
    command again goes on where it stopped, after Ctrl-C, a crash or a lost machine.

    Example: `enpda matrix drugs.smi -o drugs-matrix --min-similarity 0.7`

    Parameters
    ----------
    file
        SMILES, tables, SDF, graphs (see `enpda.read`), or a library.
    other
        A second file: then every graph of the first is compared with every one of this.
    out
        Folder, or fsspec URL, for the result.
    min_similarity
        Only pairs that are at least so similar are of interest.
    max_distance
        Only pairs that are at most so far apart are of interest.
    most_nodes
        Look for the most nodes of each pair as well, once its most edges are proven.
    screened
        Whether the other pairs are left out or stored with the bound that excludes them.
    effort
        How to work on each pair, and for how long.
    threads
        Threads of every process; default: one a processor, with Dask one.
    engine
        `threads` of this process, or the workers of a `dask` cluster.
    client
        Address of the cluster's scheduler; default: a new cluster on this machine.
    retries
        How often a chunk may fail on a cluster.
    device
        Run the rounds of `core` or `analytic` in batches on this device of PyTorch's, such as `cuda`.
    chunks
        `A:B`: only the chunks from A up to but not including B, such as one task of a job array.
    resume
        Whether to go on with a job that the folder already holds.
    heatmap
        Also draw the similarities into this `.svg` or `.png`.
    order
        Of the rows of that picture: similar ones beside each other, or as in the file.
    html
        Also write a page to this file: the picture, the most similar pairs and the numbers.
    estimate
        Only sample pairs, and say what the whole job would take.
    sample_seconds
        Time for that sample.
    json
        Print the summary as JSON.
    reading
        How files are read.
    """
    keywords: dict[str, Any] = {
        "rules": rules.rules(),
        "constraints": constraints.constraints(),
        "most_nodes": most_nodes,
    }
    bar = sys.stderr.isatty()
    first = library_argument(file, reading)
    second = None if other is None else library_argument(other, reading)
    if estimate:
        question = Question(Options(**effort.keywords(), **keywords), min_similarity, max_distance, screened, device)
        guess = estimated(Job(first, second, question), sample_seconds, effort.seed)
        print(json_module.dumps(guess.to_dict()) if json else guess)
        return 0
    if out is None:
        raise InputError("say where the table goes: --out DIR (or ask for an --estimate)")
    try:
        found = compare(
            first,
            second,
            **effort.keywords(),
            min_similarity=min_similarity,
            max_distance=max_distance,
            screened=screened,
            threads=threads,
            engine=engine,
            client=client,
            retries=retries,
            device=device,
            out=out,
            resume=resume,
            chunks=None if chunks is None else _range(chunks),
            progress=bar,
            **keywords,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped; the same command goes on from here") from None
    if heatmap is not None:
        found.heatmap(heatmap, order=order)
    if html is not None:
        files = " and ".join(Path(name).name for name in (file, other) if name is not None)
        found.report(html, f"Matrix of {files}")
    _tell(found, json)
    return 0


def _range(text: str) -> tuple[int, int]:
    low, colon, high = text.partition(":")
    try:
        if colon:
            return int(low), int(high)
    except ValueError:
        pass
    raise InputError(f"--chunks takes two whole numbers as in 0:100; got {brief(text)}")


def _tell(found: Matrix, json: bool) -> None:
    summary = found.summary()
    if json:
        print(json_module.dumps(summary))
        return
    for name, value in summary.items():
        if value is not None:
            print(f"{name:<12}{shown(value)}")
