"""`enpda search`: the nearest items of a library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import enpda
from enpda.bulk.hits import By
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, graph_argument, library_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.cli.tables import check_suffix, save
from enpda.documents import written
from enpda.files import save as save_text
from enpda.solve.options import Options

DEFAULT = Options()


def search(
    query: str,
    library: str,
    /,
    *,
    k: Annotated[int, Parameter(name=["--count", "-k"])] = 10,
    all: Annotated[bool, Parameter(negative=())] = False,
    by: By = "similarity",
    min_similarity: float | None = None,
    max_distance: int | None = None,
    most_nodes: Annotated[bool, Parameter(negative=())] = False,
    effort: EffortOptions = DEFAULT_EFFORT,
    threads: int | None = None,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
    json: Annotated[bool, Parameter(negative=())] = False,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
) -> int:
    """Find the items of a library that are nearest to a query, with a proof that no other is nearer.

    Example: `enpda search "CC(=O)Oc1ccccc1C(=O)O" library.arrow -k 20 --out hits.csv`

    Parameters
    ----------
    query
        A SMILES or InChI, a file (its first graph; `FILE:NAME` for the one of that name, `FILE:K` for graph K, counted
        from 0), or `-` for standard input.
    library
        A file that `enpda library build` wrote, or any file of graphs.
    k
        Hits for each query, at most.
    all
        Search with every graph of the file QUERY.
    by
        What is ranked.
    min_similarity
        Only items with at least this similarity.
    max_distance
        Only items with at most this distance.
    most_nodes
        Rank by the most nodes that the most edges can have, not by those of the first mapping.
    effort
        How to work on each pair, and for how long.
    threads
        Pairs at a time; default: one a processor.
    rules
        What counts as the same.
    constraints
        What the common part must be.
    reading
        How files are read.
    json
        Print the whole result as JSON: an object, or a list of them with `--all`.
    out
        Also write the hits to this file: `.csv` or `.parquet` for a table, `.html` for a page with pictures that are
        turned to the query, `.sdf` for molecules that are laid over it.
    """
    check_suffix(out, (".html", ".sdf"))
    asked = library_argument(query, reading) if all else graph_argument(query, reading)
    found: Any = enpda.search(
        asked,
        library_argument(library, reading),
        k,
        by=by,
        **effort.keywords(),
        threads=threads,
        min_similarity=min_similarity,
        max_distance=max_distance,
        most_nodes=most_nodes,
        rules=rules.rules(),
        constraints=constraints.constraints(),
        progress=sys.stderr.isatty(),
    )
    hits: list[enpda.Hits] = found if all else [found]
    if out is not None:
        _write(hits, out)
    if json:
        print(written([some.to_dict() for some in hits], 2) if all else hits[0].to_json(indent=2))
    else:
        print("\n\n".join(f"{some.id}\n{some}" if all else str(some) for some in hits))
    return 0


def _write(hits: list[enpda.Hits], out: Path) -> None:
    suffix = out.suffix.lower()
    if suffix == ".html":
        from enpda.bulk.pages import hits_page

        hits_page(hits, out, f"Hits for {hits[0].id}" if len(hits) == 1 else f"Hits for {len(hits)} queries")
    elif suffix == ".sdf":
        save_text(out, "".join(some.to_sdf() for some in hits), "the SD file")
    else:
        import pyarrow as pa

        save(pa.concat_tables([some.table() for some in hits]), out)
