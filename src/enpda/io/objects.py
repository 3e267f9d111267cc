"""What people have in memory: data frames, series, dictionaries, RDKit's suppliers, lists of whatever is a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from numbers import Real
from typing import Any, cast

from enpda.errors import InputError, brief
from enpda.given import as_graph
from enpda.graph import Graph, read_text
from enpda.io.columns import choose, is_molecule
from enpda.io.source import Options, Record, Records

LOOK_AHEAD = 10
"""Items that may decide that names come second."""


def called(items: Any) -> str:
    """Return how rejects name what they come from."""
    return type(items).__name__ if _is_table(items) or _is_series(items) or isinstance(items, Mapping) else "items"


def records(items: Any, options: Options) -> Iterator[Record]:
    """Read what a caller has; raises InputError where it holds no graphs."""
    if hasattr(items, "collect_schema") and hasattr(items, "collect"):
        raise InputError("a lazy frame holds no rows yet: give what its .collect() returns")
    if _is_table(items):
        return _table(items, options)
    if _is_series(items):
        return _numbered(items, _index(items))
    if isinstance(items, Mapping):
        return _numbered(items.values(), items.keys())
    if hasattr(items, "GetAtoms") or isinstance(items, Graph) or (hasattr(items, "nodes") and hasattr(items, "edges")):
        raise InputError(f"one graph is not many: put it into a list; got {brief(items)}")
    if not isinstance(items, Iterable) or isinstance(items, (str, bytes)) or getattr(items, "ndim", 1) == 0:
        raise InputError(
            "the path of a file, a library, a data frame, a dictionary by name or an iterable of molecules or graphs "
            "is needed; "
            f"got {brief(items)}"
        )
    return _listed(item for item in items)  # RDKit's suppliers begin anew whenever they are asked for an iterator


# -- tables ------------------------------------------------------------------------------------------------


def _is_table(items: Any) -> bool:
    """Whether this is a data frame of pandas or polars, or an Arrow table, without importing any of them."""
    return hasattr(items, "columns") and any(hasattr(items, name) for name in ("iloc", "to_series", "column_names"))


def _is_series(items: Any) -> bool:
    return type(items).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow") and hasattr(items, "__iter__")


def _table(items: Any, options: Options) -> Records:
    titles = list(getattr(items, "column_names", None) or items.columns)
    header = [str(title) for title in titles]
    options = replace(options, smiles=_place(options.smiles, titles), name=_place(options.name, titles))
    some = (islice(_column(items, k), LOOK_AHEAD) for k in range(len(header)))
    molecules = next((k for k, cells in enumerate(some) if any(hasattr(cell, "GetAtoms") for cell in cells)), None)
    if options.smiles is None and molecules is not None:
        options = replace(options, smiles=molecules)
    columns = choose(header, options)
    names = _index(items) if columns.name is None else _column(items, columns.name)
    return Records(_numbered(_column(items, columns.smiles), names), str(columns))


def _place(wanted: str | int | None, titles: list[Any]) -> str | int | None:
    """Return a column as asked for; a title that is a number is meant before the column of that number."""
    return titles.index(wanted) if isinstance(wanted, int) and wanted in titles else wanted


def _column(items: Any, k: int) -> Iterable[Any]:
    """Return the cells of column number k, whatever its title (pandas allows the same one twice)."""
    if hasattr(items, "iloc"):
        return items.iloc[:, k]  # type: ignore[no-any-return]
    if hasattr(items, "to_series"):
        return items.to_series(k)  # type: ignore[no-any-return]
    return (cell.as_py() for cell in items.column(k))


def _index(items: Any) -> Iterable[Any]:
    """Return pandas' labels of rows, unless they only count."""
    index = getattr(items, "index", None)
    if not hasattr(index, "inferred_type") or (getattr(index, "start", 1), getattr(index, "step", 1)) == (0, 1):
        return ()
    return cast(Iterable[Any], index)


# -- lists -------------------------------------------------------------------------------------------------


def _listed(items: Iterator[Any]) -> Iterator[Record]:
    head = list(islice(items, LOOK_AHEAD))
    swapped = _names_second([item for item in head if _is_named(item)])
    for line, item in enumerate(chain(head, items), 1):
        if _is_named(item):
            name, molecule = reversed(item) if swapped else item
            yield line, partial(_named, molecule, name)
        else:
            yield line, partial(_item, item)


def _is_named(item: Any) -> bool:
    """Whether this is a tuple or list of a name and a molecule."""
    return isinstance(item, (tuple, list)) and len(item) == 2 and isinstance(item[0], str)


def _names_second(pairs: list[Any]) -> bool:
    """Whether more pairs only make sense as (molecule, name) than as (name, molecule); one or two atoms say nothing."""
    votes = 0
    for first, second in pairs:
        if isinstance(second, str) and is_molecule(first) != is_molecule(second):
            votes += (is_molecule(first) and len(first) > 2) - is_molecule(second)
    return votes > 0


def _item(item: Any) -> Graph:
    if item is None:  # as RDKit's suppliers say it
        raise InputError("there is no molecule: None (RDKit's readers give that for a record they cannot read)")
    return _quietly(item)


def _quietly(item: Any) -> Graph:
    """Make a graph without a warning when it is odd; that is listed instead."""
    if isinstance(item, str):
        return read_text(item)
    graph = as_graph(item)
    return graph if graph is item else graph.written()


def _numbered(cells: Iterable[Any], names: Iterable[Any] = ()) -> Iterator[Record]:
    given = iter(names)
    for line, cell in enumerate(cells, 1):
        yield line, partial(_named, cell, next(given, None))


def _named(cell: Any, name: Any) -> Graph:
    graph = _cell(cell)
    label = "" if _missing(name) else str(_plain(name)).strip()
    return graph.named(label) if label else graph


def _cell(cell: Any) -> Graph:
    if _missing(cell):
        raise InputError("the molecule is missing")
    return _quietly(_plain(cell))


def _plain(cell: Any) -> Any:
    """Return the value of an Arrow scalar, and anything else as it is."""
    return cell.as_py() if hasattr(cell, "as_py") else cell


def _missing(cell: Any) -> bool:
    """Whether this is None, NaN, an empty text or what pandas has instead."""
    cell = _plain(cell)
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return not cell.strip() if isinstance(cell, str) else isinstance(cell, Real) and cell != cell
