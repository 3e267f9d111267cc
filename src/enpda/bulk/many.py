"""`match_many` and `match_stream`: many pairs, by threads of the compiled core or in batches on a GPU."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from enpda import _core
from enpda.budget import whole
from enpda.errors import InputError, brief
from enpda.graph import Graph, as_graph
from enpda.matching import concluded, match
from enpda.options import LIFTED, MAX_THREADS, Method, Options
from enpda.problem import problem_of
from enpda.result import Match
from enpda.rules import Rules

WINDOW = 64
"""Pairs a thread that are under way at most: what bounds the memory of a stream."""


def match_many(
    pairs: Iterable[tuple[Any, Any]],
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    *,
    threads: int | None = None,
    device: str | None = None,
    progress: bool = False,
    rules: Rules | None = None,
    **options: Any,
) -> list[Match]:
    """Match many pairs.

    Parameters
    ----------
    pairs : iterable of pairs
        Of what `match` takes: Graph, SMILES, rdkit Mol or networkx.Graph.
    method, time_limit, seed
        As in `match`; the limit is for each pair.
    threads : int, optional
        Pairs at a time (default: one a processor). The answers do not depend on it.
    device : str, optional
        Run the rounds of `core` or `analytic` in batches on a device of PyTorch's, such as `cuda` (extra `train`);
        mappings and bounds are the compiled core's. Bids agree with the CPU's to 1e-3, and so do mappings wherever no
        two choices are closer than that; time limits are not looked at.
    progress : bool
        Whether to show a bar on stderr.
    rules : Rules, optional
        As in `match`, for every pair; not with `device`.
    **options
        Further keywords of `match`.

    Returns
    -------
    list of Match
        In the order of the pairs.

    Examples
    --------
    >>> import enpda
    >>> [m.size for m in enpda.match_many([("CCO", "CCN"), ("c1ccccc1", "Cc1ccccc1")])]
    [1, 6]
    """
    from tqdm import tqdm  # half of the package's import time

    threads = thread_count(threads)
    if device is not None:
        graphs = [_pair(k, pair) for k, pair in enumerate(pairs)]
        return _on_device(graphs, Options(method, time_limit, seed, rules=rules, **options), device, threads, progress)
    given = pairs if isinstance(pairs, (list, tuple)) else list(pairs)
    stream = match_stream(given, method, time_limit, seed, threads=threads, rules=rules, **options)
    return list(tqdm(stream, total=len(given), desc="pairs", disable=not progress))


def match_stream(
    pairs: Iterable[tuple[Any, Any]],
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    *,
    threads: int | None = None,
    rules: Rules | None = None,
    trace: bool = False,
    **options: Any,
) -> Iterator[Match]:
    """Match pairs as they come, and give the matches back one by one.

    Pairs are taken from the iterable only a little ahead of the work, so that neither they nor the matches need to fit
    in memory. Of those under way the largest is begun first.

    Parameters
    ----------
    pairs : iterable of pairs
        Of what `match` takes; may be endless.
    method, time_limit, seed, threads, rules, trace, **options
        As in `match_many`.

    Yields
    ------
    Match
        In the order of the pairs.

    Examples
    --------
    >>> import enpda
    >>> [m.size for m in enpda.match_stream((("CCO", "CCN"), ("CCO", "CCCO")))]
    [1, 2]
    """
    threads = thread_count(threads)
    listener = options.pop("on_improve", None)
    asked = Options(method, time_limit, seed, rules=rules, **options)
    graphs = (_pair(k, pair) for k, pair in enumerate(pairs))
    stereo = asked.constraints is not None and asked.constraints.stereo
    if stereo or listener is not None or asked.bound in LIFTED:  # work above the compiled core
        keywords = {"rules": rules, "trace": trace, "on_improve": listener, **options}
        return _by_executor(graphs, (method, time_limit, seed), keywords, threads)
    return _by_pool(graphs, asked, threads, trace)


def _by_pool(graphs: Iterator[tuple[Graph, Graph]], asked: Options, threads: int, trace: bool) -> Iterator[Match]:
    pool = _core.Pool(threads)
    limit = -1.0 if asked.time_limit is None else float(asked.time_limit)
    posed: deque[Any] = deque()

    def fill() -> None:
        for a, b in islice(graphs, WINDOW * threads - len(posed)):
            problem = problem_of(a, b, asked.rules, asked.constraints)
            posed.append((a, b, problem))
            pool.submit(problem.a.core, problem.b.core, asked.core(problem), limit)

    fill()
    while posed:
        found = pool.next()
        a, b, problem = posed.popleft()
        fill()
        yield concluded(a, b, problem, asked, found, trace=trace)


def _by_executor(
    graphs: Iterator[tuple[Graph, Graph]], arguments: tuple[Any, ...], keywords: dict[str, Any], threads: int
) -> Iterator[Match]:
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as executor:
        waiting: deque[Future[Match]] = deque()
        try:
            for a, b in graphs:
                waiting.append(executor.submit(match, a, b, *arguments, **keywords))
                if len(waiting) >= WINDOW * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BaseException:
            executor.shutdown(cancel_futures=True)
            raise


def thread_count(threads: int | None) -> int:
    """Return the number of threads: as given, or one a processor of this process."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    whole("threads", threads, 1, MAX_THREADS)
    return int(threads)


def _pair(k: int, pair: Any) -> tuple[Graph, Graph]:
    try:
        a, b = pair
    except (TypeError, ValueError):
        raise InputError(f"pair {k} must be two graphs; got {brief(pair)}") from None
    try:
        return as_graph(a), as_graph(b)
    except InputError as error:
        raise InputError(f"pair {k}: {error}") from None


def _on_device(
    pairs: list[tuple[Graph, Graph]], options: Options, device: str, threads: int, progress: bool
) -> list[Match]:
    from tqdm import tqdm

    try:
        from enpda.learn.device import match_batches
    except ModuleNotFoundError as error:
        raise InputError(f"device needs PyTorch: pip install 'enpda[train]' ({error})") from None
    found = dict(tqdm(match_batches(pairs, options, device, threads), total=len(pairs), disable=not progress))
    return [found[k] for k in range(len(pairs))]
