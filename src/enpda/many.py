"""`match_many`: many pairs, by threads or in batches on a GPU."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from enpda.budget import whole
from enpda.errors import InputError, brief
from enpda.graph import Graph, as_graph
from enpda.matching import match
from enpda.options import MAX_THREADS, Method, Options
from enpda.result import Match
from enpda.rules import Rules


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
    from concurrent.futures import ThreadPoolExecutor  # together with tqdm half of the package's import time

    from tqdm import tqdm

    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    whole("threads", threads, 1, MAX_THREADS)
    graphs = [_pair(k, pair) for k, pair in enumerate(pairs)]
    if device is not None:
        return _on_device(graphs, Options(method, time_limit, seed, rules=rules, **options), device, threads, progress)
    checked = {k: v for k, v in options.items() if k not in ("trace", "on_improve")}
    Options(method, time_limit, seed, rules=rules, **checked)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(match, a, b, method, time_limit, seed, rules=rules, **options) for a, b in graphs]
        try:
            return [future.result() for future in tqdm(futures, desc="pairs", disable=not progress)]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


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
