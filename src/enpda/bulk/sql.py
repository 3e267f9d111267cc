"""Questions to a finished matrix in SQL, through DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from enpda.bulk.job import PAIRS, Job
from enpda.bulk.store import Store
from enpda.bulk.tables import pairs_schema
from enpda.errors import InputError, unicode_text


def sql(out: str | os.PathLike[str], query: str) -> Any:
    """Ask the folder of a matrix in SQL.

    Parameters
    ----------
    out : str or path-like
        The folder, on this machine; the job may still be running.
    query : str
        In DuckDB's SQL, over the tables `pairs`, `items`, `other` (if there is one) and `rejects`.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    InputError
        When there is no such folder, or DuckDB refuses the query.

    Examples
    --------
    >>> import enpda, tempfile
    >>> from enpda.bulk.sql import sql
    >>> folder = tempfile.mkdtemp()
    >>> _ = enpda.matrix(["CCO", "CCN", "CCCO"], out=folder)
    >>> sql(folder, "select count(*) as n from pairs where similarity > 0.5").to_pylist()
    [{'n': 1}]
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise InputError("sql needs DuckDB: pip install 'enpda[bulk]'") from None
    import pyarrow as pa

    store = Store(out)
    if store.remote is not None:
        raise InputError(f"{store.url}: sql reads folders of this machine; copy the matrix here")
    job = Job.opened(store)
    unicode_text("query", query)
    unicode_text("a folder for DuckDB", store.root)
    with duckdb.connect() as connection, _as_input_error(duckdb.Error):
        for name in ("items", "rejects", *(["other"] if job.second is not None else [])):
            _view(connection, name, f"{store.root}/{name}.parquet")
        if job.finished(verify=False):
            _view(connection, "pairs", f"{store.root}/{PAIRS}/*.parquet")
        else:
            connection.register("pairs", pairs_schema().empty_table())
        relation = connection.sql(query)
        return pa.table({}) if relation is None else relation.to_arrow_table()


@contextmanager
def _as_input_error(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kind as error:
        raise InputError(f"DuckDB: {error}") from None


def _view(connection: Any, name: str, path: str) -> None:
    quoted = path.replace("'", "''")
    connection.execute(f"create view {name} as select * from read_parquet('{quoted}')")
