"""Matrices of similarities and distances in the shape that scikit-learn takes as `metric="precomputed"`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda.bulk.many import match_many
from enpda.errors import InputError, warn
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.rules import Rules
from enpda.result.match import Match
from enpda.solve.options import Method

FloatArray = npt.NDArray[np.float64]

AT_ONCE = 1_024
"""Matches that are held at a time: proofs need memory."""


def pairwise_similarities(
    X: Iterable[Any],  # noqa: N803 (scikit-learn's name)
    Y: Iterable[Any] | None = None,  # noqa: N803
    *,
    rules: Rules | None = None,
    method: Method = "auto",
    time_limit: float | None = 10.0,
    threads: int | None = None,
) -> FloatArray:
    """Return the Johnson similarities of all pairs.

    Parameters
    ----------
    X, Y : iterables of Graph, SMILES, rdkit Mol or networkx.Graph
        Rows and columns. Without Y, X with itself: symmetric, and every pair is matched once.
    rules : Rules, optional
        As in `match`, without those that speak of particular atoms.
    method, time_limit : as in `match`
        The limit is for each pair. Pairs without a proof give lower bounds, and a warning says so.
    threads : int, optional
        Pairs at a time (default: one a processor).

    Returns
    -------
    ndarray of shape (|X|, |Y|)

    Examples
    --------
    >>> from enpda.compat.sklearn import pairwise_similarities
    >>> pairwise_similarities(["CCO", "CCN", "CCCC"]).round(2)
    array([[1.  , 0.36, 0.26],
           [0.36, 1.  , 0.26],
           [0.26, 0.26, 1.  ]])
    """
    return _matrix(X, Y, "similarity", rules, method, time_limit, threads)


def pairwise_distances(
    X: Iterable[Any],  # noqa: N803
    Y: Iterable[Any] | None = None,  # noqa: N803
    *,
    rules: Rules | None = None,
    method: Method = "auto",
    time_limit: float | None = 10.0,
    threads: int | None = None,
) -> FloatArray:
    """Return the distances of all pairs: edges that are not shared or, with weights, what they weigh.

    Parameters
    ----------
    X, Y, rules, method, time_limit, threads : as in `pairwise_similarities`
        Pairs without a proof give upper bounds.

    Returns
    -------
    ndarray of shape (|X|, |Y|)

    Examples
    --------
    >>> from enpda.compat.sklearn import pairwise_distances
    >>> pairwise_distances(["CCO", "CCN"], ["CCCC"])
    array([[3.],
           [3.]])
    """
    return _matrix(X, Y, "distance", rules, method, time_limit, threads)


def _matrix(
    x: Iterable[Any],
    y: Iterable[Any] | None,
    what: str,
    rules: Rules | None,
    method: Method,
    time_limit: float | None,
    threads: int | None,
) -> FloatArray:
    if isinstance(rules, Rules) and rules.of_one_pair:
        raise InputError("compatible, pinned and forbidden speak of one pair of graphs; a matrix takes the other rules")
    rows = _graphs("X", x)
    columns = rows if y is None else _graphs("Y", y)
    result = np.zeros((len(rows), len(columns)))
    cells = ((i, j) for i in range(len(rows)) for j in range(i if y is None else 0, len(columns)))
    open_pairs = 0
    for part in _parts(cells):
        pairs = [(rows[i], columns[j]) for i, j in part]
        found: list[Match] = match_many(pairs, method, time_limit, threads=threads, rules=rules)
        for (i, j), m in zip(part, found, strict=True):
            result[i, j] = getattr(m, what)
            open_pairs += not m.optimal
    if open_pairs:
        warn(f"{open_pairs} of the pairs are not proven optimal: their values are bounds", UserWarning)
    if y is None:
        lower = np.tril_indices(len(rows), -1)
        result[lower] = result.T[lower]
    return result


def _parts(cells: Iterator[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    while part := list(islice(cells, AT_ONCE)):
        yield part


def _graphs(name: str, items: Iterable[Any]) -> list[Graph]:
    if isinstance(items, str):
        raise InputError(f"{name} must be a sequence of graphs, not one string")
    result = []
    for k, item in enumerate(items):
        try:
            result.append(as_graph(item))
        except InputError as error:
            raise InputError(f"{name}[{k}]: {error}") from None
    return result
