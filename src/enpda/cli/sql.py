"""`enpda sql`: questions to a matrix."""

from __future__ import annotations

import csv
import json as json_module
import sys
from typing import Annotated

from cyclopts import Parameter

from enpda.bulk.sql import sql as asked
from enpda.cli.tables import harmless

MOST_ROWS = 50


def sql(
    out: str,
    query: str,
    /,
    *,
    json: Annotated[bool, Parameter(negative=())] = False,
    as_csv: Annotated[bool, Parameter(name="--csv", negative=())] = False,
) -> int:
    """Ask the folder of a matrix in SQL, over the tables pairs, items and rejects (needs DuckDB).

    Example: `enpda sql drugs-matrix "select * from pairs order by similarity desc limit 5"`

    Parameters
    ----------
    out
        The folder that `enpda matrix` wrote.
    query
        In DuckDB's SQL.
    json
        Print all rows as JSON, one a line.
    as_csv
        Print all rows as CSV; text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    table = asked(out, query)
    names = table.column_names
    if json:
        for row in table.to_pylist():
            print(json_module.dumps(row, default=str))
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(map(harmless, names))
        writer.writerows([harmless(row[name]) for name in names] for row in table.to_pylist())
    else:
        rows = [[_cell(row[name]) for name in names] for row in table.slice(0, MOST_ROWS).to_pylist()]
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        for line in (names, *rows):
            print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
        if table.num_rows > MOST_ROWS:
            print(f"... {table.num_rows - MOST_ROWS} more rows; --csv or --json prints all")
    return 0


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
