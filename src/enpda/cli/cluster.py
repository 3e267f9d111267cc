"""`enpda cluster`: the molecules of a file that belong together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda.bulk.cluster import Algorithm, Clusters, listed
from enpda.bulk.near import Pairs, what_decides
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, library_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.cli.tables import check_suffix, save
from enpda.solve.options import Options
from enpda.words import counted

DEFAULT = Options()
SHOWN = 10


def cluster(
    file: str,
    /,
    *,
    min_similarity: float | None = None,
    max_distance: int | None = None,
    algorithm: Algorithm = "components",
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    threads: int | None = None,
    effort: EffortOptions = DEFAULT_EFFORT,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
) -> int:
    """Put the graphs of a file that are near each other into one cluster.

    Example: `enpda cluster molecules.smi --min-similarity 0.7 -o clusters.csv`

    Parameters
    ----------
    file
        Graphs or molecules: anything that `enpda.read` reads, or a library.
    min_similarity
        Pairs with at least this similarity are near (0.7 when there is no threshold).
    max_distance
        Instead: pairs with at most this distance are near.
    algorithm
        Connected components of near pairs, or Taylor-Butina clusters around centroids.
    out
        Also write a table of all items with their clusters to this file, `.csv` or `.parquet`, or a page
        with pictures of every cluster, `.html`.
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
    check_suffix(out, (".html",))
    found = enpda.cluster(
        library_argument(file, reading),
        min_similarity=min_similarity,
        max_distance=max_distance,
        algorithm=algorithm,
        **effort.keywords(),
        threads=threads,
        rules=rules.rules(),
        constraints=constraints.constraints(),
        progress=sys.stderr.isatty(),
    )
    if out is not None and out.suffix.lower() == ".html":
        found.report(out, f"Clusters of {Path(file).name}")
    elif out is not None:
        save(found.table(), out)
    print(found.to_json() if json else text(found, what_decides(Options(**effort.keywords()))))
    return 0


def text(found: Clusters, advice: str) -> str:
    """Show clusters in a terminal."""
    single = int((found.sizes == 1).sum())
    lines = [
        f"clusters    {len(found)} of {counted(len(found.ids), 'item')} ({found.algorithm}, {found.threshold})",
        f"alone       {single}",
        f"pairs       {pairs_in_words(found.pairs)}",
        *(
            [f"undecided   {counted(len(found.undecided), 'pair')}, taken as not near; {advice}"]
            if found.undecided
            else []
        ),
        f"seconds     {found.seconds:.2f}",
        *(f"{len(some):>9}   {listed(some)}" for some in found.clusters[:SHOWN] if len(some) > 1),
    ]
    return "\n".join(lines)


def pairs_in_words(pairs: Pairs) -> str:
    """Say how pairs were decided."""
    parts = {
        "of isomorphic items": pairs.alike,
        "not near by counts": pairs.by_counts,
        "not near by a bound": pairs.by_bound,
        "already connected": pairs.connected,
        "matched": pairs.evaluated,
    }
    return f"{pairs.all}: " + ", ".join(f"{count} {what}" for what, count in parts.items() if count)
