"""`match_table`: many pairs in, numbers out, one column each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from enpda.bulk.evaluate import gates_of
from enpda.bulk.gates import PairGates
from enpda.bulk.keywords import options_of
from enpda.bulk.library import Library
from enpda.bulk.many import iterable, numbered, thread_count, two_of
from enpda.bulk.question import Question
from enpda.bulk.rows import STATUSES
from enpda.errors import InputError
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.problem import comparable
from enpda.problem.rules import Rules
from enpda.solve.options import Method

if TYPE_CHECKING:
    import pyarrow


def match_table(
    pairs: Iterable[tuple[Any, Any]],
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    *,
    threads: int | None = None,
    device: str | None = None,
    rules: Rules | None = None,
    **options: Any,
) -> pyarrow.Table:
    """Match many pairs and return numbers only, as an Arrow table with a row a pair.

    The numbers are those of `match_many`. Where labels alone say what matches, the compiled core does everything and
    Python makes no object a pair; with rules, constraints, a lifted bound or a device each pair goes through a `Match`.
    Columns are named like the attributes of `Match`: `size`, `nodes`, `upper`, `nodes_upper`, `gap`, `optimal`,
    `similarity`, `distance`, `status` and `seconds`.

    Parameters
    ----------
    pairs : iterable of pairs
        Of what `match` takes. An object, or a text, that occurs in several pairs is read once.
    method, time_limit, seed, threads, device, rules
        As in `match_many`, but rules must not speak of the nodes of one pair.
    **options
        Further keywords of `match`, such as `min_size`, `min_similarity` and `max_distance`; not `trace` and
        `on_improve`.

    Returns
    -------
    pyarrow.Table
        Rows in the order of the pairs.

    Raises
    ------
    InputError
        When an option or a pair cannot be used, with the number of the pair.

    Examples
    --------
    >>> import enpda
    >>> table = enpda.match_table([("CCO", "CCN"), ("c1ccccc1", "Cc1ccccc1")])
    >>> table["size"].to_pylist(), table["status"].to_pylist()
    ([1, 6], ['optimal', 'optimal'])
    """
    threads = thread_count(threads)
    same: dict[str, Any] = {"method": method, "time_limit": time_limit, "seed": seed, "rules": rules}
    asked = options_of(match_table, {**same, **options})
    question = Question(replace(asked, min_size=None, min_similarity=None, max_distance=None), device=device)
    graphs, numbers = _read(pairs)
    library = Library([str(k) for k in range(len(graphs))], graphs)
    gates = gates_of(numbers, library, library, question, threads)
    gates.as_asked(asked)
    return _table(gates)


def _read(pairs: Iterable[Any]) -> tuple[list[Graph], npt.NDArray[np.int64]]:
    """Read every graph once, and return the pairs as numbers of graphs."""
    graphs: list[Graph] = []
    seen: dict[str | int, tuple[int, Any]] = {}  # with the object itself: an address alone may be given away

    def number(item: Any) -> int:
        key = item if isinstance(item, str) else id(item)
        if key not in seen:
            graphs.append(as_graph(item))
            seen[key] = len(graphs) - 1, item
        return seen[key][0]

    flat: list[int] = []
    for k, pair in enumerate(iterable(pairs)):
        try:
            a, b = map(number, two_of(pair))
            comparable(graphs[a], graphs[b])
        except InputError as error:
            raise numbered(k, error) from None
        flat += a, b
    return graphs, np.array(flat, dtype=np.int64).reshape(-1, 2)


def _table(gates: PairGates) -> pyarrow.Table:
    import pyarrow as pa

    rows = gates.rows
    columns = {
        "size": rows.size,
        "nodes": rows.nodes,
        "upper": rows.upper,
        "nodes_upper": gates.nodes_upper().astype(np.int32),
        "gap": (rows.upper - rows.size) / np.maximum(rows.upper, 1),
        "optimal": rows.optimal,
        "similarity": rows.similarity,
        "distance": rows.distance,
        "status": pa.array(STATUSES).take(pa.array(rows.status)),
        "seconds": rows.seconds,
    }
    return pa.table(columns)
