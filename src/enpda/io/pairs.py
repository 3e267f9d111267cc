"""Pairs in: a table with a molecule on either side of each row."""

from __future__ import annotations

import os
from typing import NamedTuple

from enpda.errors import InputError
from enpda.files import path_of
from enpda.graph import Graph
from enpda.io import Oddity, Reject, blame
from enpda.io.columns import Columns, find, found
from enpda.io.source import reason_of
from enpda.io.table import rows_of

SUFFIXES = (".csv", ".tsv")


class Pairs(NamedTuple):
    """The pairs of a table, the rows that hold none, and the molecules that RDKit cannot sanitise."""

    pairs: list[tuple[Graph, Graph]]
    rejects: list[Reject]
    oddities: list[Oddity]


def read_pairs(path: str | os.PathLike[str]) -> Pairs:
    r"""Read a table of pairs with a header.

    The SMILES are in the columns `a` and `b` (or `smiles_a` and `smiles_b`), names, if any, in `name_a` and `name_b`.

    Parameters
    ----------
    path : str or path-like
        A `.csv` or `.tsv` file.

    Returns
    -------
    Pairs
        In the order of the file; a bad row is a `Reject`.

    Raises
    ------
    InputError
        When the file as a whole cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.csv")
    >>> _ = path.write_text("a,b,name_a\nCCO,CCN,ethanol\nCC,C1C,x\n")
    >>> pairs, rejects, oddities = read_pairs(path)
    >>> pairs, [(reject.line, reject.reason) for reject in rejects]
    ([(Graph('ethanol', 3 nodes, 2 edges), Graph(3 nodes, 2 edges))], [(3, "b: not a SMILES: 'C1C'")])
    """
    where = path_of(path)
    suffix = os.path.splitext(where)[1].lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{where}: unknown suffix; pairs are read from {' and '.join(SUFFIXES)}")
    result = Pairs([], [], [])
    try:
        with open(where, "rb") as file:
            header, rows = rows_of(file, suffix)
            sides = {side: _columns(header, side) for side in "ab"}
            for line, row in rows:
                try:
                    if isinstance(row, InputError):
                        raise row
                    a, b = (_graph(side, columns, row) for side, columns in sides.items())
                except (ValueError, RuntimeError) as error:
                    result.rejects.append(Reject(where, line, reason_of(error)))
                    continue
                result.pairs.append((a, b))
                for side, graph in (("a", a), ("b", b)):
                    if graph.oddity is not None:
                        result.oddities.append(Oddity(where, line, reason_of(f"{side}: {graph.oddity}")))
    except (InputError, OSError) as error:
        raise blame(where, error) from None
    return result


def _columns(header: list[str], side: str) -> Columns:
    smiles = find(header, None, (side, f"smiles_{side}", f"{side}_smiles"))
    if smiles is None:
        raise InputError(f"no column with SMILES called {side} or smiles_{side}; {found(header)}")
    return Columns(smiles, find(header, None, (f"name_{side}", f"{side}_name")))


def _graph(side: str, columns: Columns, row: list[str]) -> Graph:
    try:
        return columns.graph(row)
    except InputError as error:
        raise InputError(f"{side}: {error}") from None
