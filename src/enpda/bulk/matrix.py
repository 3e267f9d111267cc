"""`matrix`: all pairs of a list, or of two lists, as a table that can be stopped and gone on with at any time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from enpda.bulk import engines
from enpda.bulk.engines import Engine
from enpda.bulk.job import PAIRS, Job
from enpda.bulk.keywords import options_of
from enpda.bulk.library import Library
from enpda.bulk.many import thread_count
from enpda.bulk.question import Question, Screened
from enpda.bulk.rows import Rows
from enpda.bulk.store import Store
from enpda.bulk.tables import frame, pairs_schema
from enpda.checks import choice
from enpda.errors import InputError, brief
from enpda.graph import Graph
from enpda.io import Reject
from enpda.io.parquet import table_of
from enpda.problem.problem import problem_of
from enpda.problem.thresholds import similarity
from enpda.solve.options import Method
from enpda.words import counted

if TYPE_CHECKING:
    from enpda.view.figure import Picture

Order = Literal["clustered", "given"]

COLUMNS = ("similarity", "distance", "size", "upper", "nodes", "optimal", "seconds")
"""What `dense` and `sparse` can show."""

MOST_CELLS = 25_000_000
"""Of an array that is made without being asked for, by a notebook."""
MOST_ORDERED = 5_000
"""Items of a list that are put in order beside another list; more stay as they are."""


def matrix(
    items: Any,
    other: Any = None,
    *,
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    min_similarity: float | None = None,
    max_distance: int | None = None,
    screened: Screened = "drop",
    threads: int | None = None,
    engine: Engine = "threads",
    client: Any = None,
    retries: int = 3,
    device: str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = True,
    chunks: tuple[int, int] | None = None,
    progress: bool | None = None,
    smiles: str | int | None = None,
    name: str | int | None = None,
    **options: Any,
) -> Matrix:
    """Compare all pairs of a list, or every item of one list with every item of another.

    Parameters
    ----------
    items, other : file, Library or iterable
        Graphs or molecules; a file is one that `enpda.read` or `Library.open` takes. What cannot be read is listed in
        `Matrix.rejects`. Isomorphic items are compared once.
    method, time_limit, seed, **options
        As in `match`; the limit is for each question about a pair: one or two under a threshold, then the match. Rows
        are those of `match`.
    min_similarity, max_distance : float, int, optional
        Only pairs with at least that similarity and at most that distance are of interest: the others are excluded by
        counts, millions a second, or by a bound.
    screened : {"drop", "keep"}
        Whether the other pairs have no row, or one with status `below_threshold` and what is known of their size.
    threads : int, optional
        Threads of the compiled core in every process (default: one a processor; with Dask one).
    engine : {"threads", "dask"}
        `threads`: threads of this process. `dask`: the workers of a Dask cluster, for more than one machine; then `out`
        must be a folder that all of them see.
    client : dask.distributed Client or address, optional
        The cluster; by default the current client, else a new one on this machine.
    retries : int
        How often a chunk may fail on a cluster before the call does.
    device : str, optional
        As in `match_many`.
    out : str or path-like, optional
        Folder (or fsspec URL) for the result; without one it is kept in memory.
    resume : bool
        Whether to go on with the same job that `out` already holds; its finished chunks are not computed again.
    chunks : (int, int), optional
        Do only the chunks from the first number up to but not including the second, such as one task of a job array.
    progress : bool, optional
        Whether to show a bar on stderr; by default with Dask on a terminal.
    smiles, name : str or int, optional
        Columns of a table, as for `enpda.read`.

    Returns
    -------
    Matrix

    Examples
    --------
    >>> import enpda
    >>> m = enpda.matrix(["CCO", "CCN", "CCCO"])
    >>> m.dense("size")
    array([[2, 1, 2],
           [1, 2, 1],
           [2, 1, 3]])
    """
    engines.check(engine, retries)
    asked = options_of(matrix, {"method": method, "time_limit": time_limit, "seed": seed, **options})
    question = Question(asked, min_similarity, max_distance, screened, device)
    if progress is None:
        progress = engine == "dask" and sys.stderr.isatty()
    first = Library.of(items, progress, smiles=smiles, name=name)
    second = None if other is None else Library.of(other, progress, "other", smiles=smiles, name=name)
    if engine == "dask" and out is None:
        raise InputError("engine 'dask' needs out: a folder or URL that all workers see")
    count = thread_count(1 if engine == "dask" and threads is None else threads)
    job = Job(first, second, question) if out is None else Job.prepared(first, second, question, Store(out), resume)
    return matrix_as(job, count, progress, chunks, engine, client, retries)


def matrix_as(
    job: Job,
    threads: int,
    progress: bool = False,
    chunks: tuple[int, int] | None = None,
    engine: Engine = "threads",
    client: Any = None,
    retries: int = 3,
) -> Matrix:
    """Do what `matrix` does for a job that is already there."""
    from tqdm import tqdm

    wanted = range(*_bounds(chunks, len(job)))
    total = job.pairs if chunks is None else sum(map(job.pairs_of, wanted))
    with tqdm(total=total, desc="pairs", unit="", unit_scale=True, disable=not progress) as bar:
        if job.store is None:
            parts: list[Rows] = []
            for chunk in wanted:
                parts.append(job.rows(chunk, threads))
                bar.update(job.pairs_of(chunk))
            return Matrix(job, Rows.concatenated(parts), len(wanted) == len(job))
        for folder in ("", PAIRS):
            job.store.sweep(folder)
        known = job.finished(wanted)
        bar.update(sum(job.pairs_of(chunk) for chunk in wanted if chunk in known))
        left = [chunk for chunk in wanted if chunk not in known]
        engines.run(job, left, threads, engine, client, retries, lambda chunk: bar.update(job.pairs_of(chunk)))
    return Matrix(job)


def _bounds(chunks: tuple[int, int] | None, count: int) -> tuple[int, int]:
    if chunks is None:
        return 0, count
    try:
        low, high = (int(k) for k in chunks)
    except (TypeError, ValueError):
        raise InputError(f"chunks must be two whole numbers; got {brief(chunks)}") from None
    if not 0 <= low <= high:
        raise InputError(f"chunks must be two numbers that rise from 0; got {brief(chunks)}")
    return min(low, count), min(high, count)


class Matrix:
    """The result of `matrix`: a table of pairs, and ways to look at it.

    Attributes
    ----------
    items, other : Library, Library or None
        What was compared.
    job : Job
        What was asked.
    """

    def __init__(self, job: Job, rows: Rows | None = None, complete: bool = True) -> None:
        self.job, self._rows, self._complete = job, rows, complete
        self.items, self.other = job.first, job.second

    @classmethod
    def open(cls, out: str | os.PathLike[str]) -> Matrix:
        """Open the folder of a matrix, finished or not."""
        return cls(Job.opened(Store(out)))

    # -- rows ----------------------------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Whether all chunks are done."""
        if self._rows is not None:
            return self._complete
        return len(self.job.finished(verify=False)) == len(self.job)

    def tables(self) -> Iterator[Any]:
        """Yield the finished chunks as Arrow tables, in order; never all of them at once."""
        if self._rows is not None:
            yield self.job.table(self._rows)
            return
        for chunk in sorted(self.job.finished(verify=False)):
            table = self.job.read(chunk)
            if table is None:
                where = self.job.store.url if self.job.store is not None else ""
                raise InputError(f"{where}: chunk {chunk} is damaged; repeat the call, which does it anew")
            yield table

    @cached_property
    def table(self) -> Any:
        """All finished rows as one Arrow table."""
        import pyarrow as pa

        return pa.concat_tables([pairs_schema().empty_table(), *self.tables()])

    @cached_property
    def rows(self) -> Rows:
        """All finished rows as arrays, with numbers of items in place of ids."""
        return self.job.rows_of(self.table) if self._rows is None else self._rows

    def to_pandas(self) -> Any:
        """Return all finished rows as a pandas data frame."""
        return frame(self.table)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def rejects(self) -> list[Reject]:
        """What could not be read."""
        import pyarrow as pa

        store = self.job.store
        if store is None:
            return [*self.items.rejects, *(self.other.rejects if self.other is not None else ())]
        try:
            return [Reject(**row) for row in table_of(store.read("rejects.parquet") or b"").to_pylist()]
        except (OSError, TypeError, pa.ArrowException):
            raise InputError(f"{store.url}: rejects.parquet is missing or damaged") from None

    # -- arrays --------------------------------------------------------------------------------------------

    def dense(self, column: str = "similarity", fill: float | None = None) -> npt.NDArray[Any]:
        """Return one column as an array, items by items (or by others).

        Parameters
        ----------
        column : {"similarity", "distance", "size", "upper", "nodes", "optimal", "seconds"}
            Which.
        fill : float, optional
            What pairs without a row get; by default NaN, which makes an array of floats.
        """
        i, j, values = self.entries(column)
        n, m = len(self.items), len(self.other if self.other is not None else self.items)
        full = len(i) == self.job.pairs
        kind = values.dtype if full or fill is not None else np.float64
        result = np.full((n, m), 0 if full else np.nan if fill is None else fill, dtype=kind)
        result[i, j] = values
        if self.other is None:
            result[j, i] = values
            np.fill_diagonal(result, self._diagonal(column))
        return result

    def sparse(self, column: str = "similarity") -> Any:
        """Return one column as a scipy.sparse array; pairs without a row have no entry."""
        try:
            from scipy import sparse
        except ModuleNotFoundError:
            raise InputError("sparse needs SciPy: pip install 'enpda[bulk]'") from None
        i, j, values = self.entries(column)
        n, m = len(self.items), len(self.other if self.other is not None else self.items)
        if self.other is None:
            k = np.arange(n)
            own = self._diagonal(column)
            i, j, values = np.concatenate([i, j, k]), np.concatenate([j, i, k]), np.concatenate([values, values, own])
        return sparse.csr_array((values, (i, j)), shape=(n, m))

    def entries(self, column: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Return numbers of items, numbers of items (or others), and one column of their rows."""
        if column not in COLUMNS:
            raise InputError(f"column must be one of {', '.join(COLUMNS)}; got {brief(column)}")
        values = getattr(self.rows, column)
        return self.rows.a, self.rows.b, values.astype(np.int64) if values.dtype == np.int32 else values

    def _diagonal(self, column: str) -> npt.NDArray[Any]:
        """Return what a comparison of each item with itself gives."""
        n = len(self.items)
        if column == "optimal":
            return np.ones(n, dtype=np.bool_)
        if column == "seconds":
            return np.zeros(n)
        return np.array([own[column] for own in self._own], dtype=np.float64 if column == "similarity" else np.int64)

    @cached_property
    def _own(self) -> list[dict[str, float]]:
        """What the identity keeps of each item, under the rules and constraints of the job."""
        options = self.job.question.options

        def kept(graph: Graph) -> dict[str, float]:
            problem = problem_of(graph, graph, options.rules, options.constraints)
            _, edges, size, nodes = problem.retained(np.arange(len(graph), dtype=np.int32))
            return {
                "size": size,
                "upper": size,
                "nodes": nodes,
                "distance": sum(problem.total) - 2 * size,
                "similarity": similarity(nodes + len(edges), graph, graph),
            }

        return [kept(graph) for graph in self.items]

    # -- pictures and words --------------------------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        """Return counts, the proven share, distributions and the tail of the times, ready for JSON."""
        table = self.table
        rows = table.num_rows
        result: dict[str, Any] = {
            "items": len(self.items),
            "other": None if self.other is None else len(self.other),
            "pairs": self.job.pairs,
            "rows": rows,
            "rejects": len(self.rejects),
            "chunks": len(self.job),
            "complete": self.complete,
        }
        if rows:
            seconds = table["seconds"].to_numpy()
            statuses = table["status"].value_counts().to_pylist()
            result |= {
                "proven": float(np.mean(table["optimal"].to_numpy())),
                "status": {entry["values"]: entry["counts"] for entry in statuses},
                "similarity": _quantiles(table["similarity"].to_numpy()),
                "distance": _quantiles(table["distance"].to_numpy()),
                "seconds": {**_quantiles(seconds), "mean": float(seconds.mean()), "total": float(seconds.sum())},
            }
        return result

    def heatmap(
        self, path: str | os.PathLike[str] | None = None, column: str = "similarity", order: Order = "clustered"
    ) -> Picture:
        """Draw a column as a picture, with names where there is room; more than 200 items are averaged in blocks.

        Parameters
        ----------
        path : str or path-like, optional
            A `.svg` or `.png` to write it to as well.
        column : {"similarity", "distance", "size", "upper", "nodes", "optimal", "seconds"}
            What is shown.
        order : {"clustered", "given"}
            Similar items beside each other (average linkage), or all in the order of the items, as always beyond 25
            million pairs.
        """
        from enpda.view.heat import heat_svg

        choice("order", order, get_args(Order))
        values, ids = self.dense(column), (self.items.ids, (self.items if self.other is None else self.other).ids)
        ordered = order == "clustered" and values.size <= MOST_CELLS
        rows, columns = self._clustered() if ordered else map(np.arange, values.shape)
        names = ([own[k] for k in chosen] for own, chosen in zip(ids, (rows.tolist(), columns.tolist()), strict=True))
        picture = heat_svg(values[np.ix_(rows, columns)], column, *names)
        if path is not None:
            picture.save(path)
        return picture

    def report(self, path: str | os.PathLike[str] | None = None, title: str = "Matrix") -> str:
        """Write a page of the map, the most similar pairs and the numbers; see `enpda.bulk.pages.matrix_page`."""
        from enpda.bulk.pages import matrix_page

        return matrix_page(self, path, title)

    def _clustered(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return items, and items or others, in an order that puts similar ones beside each other."""
        from enpda.view.heat import clustered

        near = self.dense("similarity").astype(np.float64)
        if self.other is None:
            rows = clustered(near)
            return rows, rows
        known = np.where(np.isfinite(near), near, 0.0)

        def alike(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
            if len(vectors) > MOST_ORDERED:
                return np.arange(len(vectors))
            length = (vectors**2).sum(1)
            return clustered(2 * vectors @ vectors.T - length[:, None] - length)

        return alike(known), alike(known.T)

    def __repr__(self) -> str:
        some = counted(len(self.items), "item")
        some = some if self.other is None else f"{len(self.items):,} x {counted(len(self.other), 'item')}"
        return f"Matrix({some}, {counted(self.job.pairs, 'pair')})"

    def _repr_html_(self) -> str:
        from html import escape

        words = "".join(
            f"<tr><th style='text-align:left'>{escape(k)}</th><td>{escape(shown(v))}</td></tr>"
            for k, v in self.summary().items()
        )
        picture = self.heatmap() if len(self.items) * len(self.other or self.items) <= MOST_CELLS else ""
        return f"<table>{words}</table>{picture}"


def _quantiles(values: npt.NDArray[Any]) -> dict[str, float]:
    names = {"min": 0, "p10": 10, "median": 50, "p90": 90, "p99": 99, "max": 100}
    return {name: float(x) for name, x in zip(names, np.percentile(values, list(names.values())), strict=True)}


def shown(value: Any) -> str:
    """Show an entry of a summary in one line."""
    if isinstance(value, dict):
        return ", ".join(f"{k} {shown(v)}" for k, v in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
