"""`match_many` and `match_stream`: many pairs, by threads of the compiled core or in batches on a GPU."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from enpda import _core
from enpda.bulk.keywords import options_of
from enpda.bulk.matches import Matches
from enpda.checks import whole
from enpda.clock import Clock, Late
from enpda.errors import InputError, brief
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.problem import Problem, comparable
from enpda.problem.rules import Rules
from enpda.result.found import Improvement
from enpda.result.match import Match
from enpda.solve.matching import concluded, late, match_as
from enpda.solve.options import LIFTED, MAX_THREADS, Method, Options

Begun = TypeVar("Begun")

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
    trace: bool = False,
    on_improve: Callable[[Improvement], object] | None = None,
    **options: Any,
) -> Matches:
    """Match many pairs.

    Parameters
    ----------
    pairs : iterable of pairs
        Of what `match` takes: Graph, SMILES, rdkit Mol or networkx.Graph.
    method, time_limit, seed : as in `match`
        The limit is for each pair.
    threads : int, optional
        Pairs at a time (default: one a processor). The answers do not depend on it.
    device : str, optional
        Run `core` or `analytic` in batches on a device of PyTorch's, such as `cuda` (extra `train`); time limits are
        not looked at. The default policy makes its steps there without sweeps before; pairs with a node of more than
        four edges, or of more than 65,536 cells, are left to the threads. Rounds of bids and prices (`policy="paper"`,
        `analytic`) agree with the CPU's to 1e-3, and so do mappings wherever no two choices are closer than that.
    progress : bool
        Whether to show a bar on stderr.
    rules : Rules, optional
        As in `match`, for every pair; not with `device`.
    trace, on_improve : as in `match`
        Not with `device`.
    **options
        Further keywords of `match`.

    Returns
    -------
    Matches
        A list of `Match`, in the order of the pairs; a notebook shows it as pictures.

    Examples
    --------
    >>> import enpda
    >>> [m.size for m in enpda.match_many([("CCO", "CCN"), ("c1ccccc1", "Cc1ccccc1")])]
    [1, 6]
    """
    from tqdm import tqdm  # half of the package's import time

    threads = thread_count(threads)
    same: dict[str, Any] = {"method": method, "time_limit": time_limit, "seed": seed, "rules": rules}
    asked = options_of(match_many, {**same, **options})
    if device is not None:
        if trace or on_improve is not None:
            raise InputError("a device tells no improvements: trace and on_improve are for threads")
        return many_on_device(pairs, asked, device, threads, progress)
    given = pairs if isinstance(pairs, (list, tuple)) else list(iterable(pairs))
    stream = stream_as(given, asked, threads, trace, on_improve)
    return Matches(tqdm(stream, total=len(given), desc="pairs", disable=not progress))


def match_stream(
    pairs: Iterable[tuple[Any, Any]],
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    *,
    threads: int | None = None,
    rules: Rules | None = None,
    trace: bool = False,
    on_improve: Callable[[Improvement], object] | None = None,
    **options: Any,
) -> Iterator[Match]:
    """Match pairs as they come, and give the matches back one by one.

    Pairs are taken from the iterable only a little ahead of the work, so that neither they nor the matches need to fit
    in memory. Of those under way the largest is begun first.

    Parameters
    ----------
    pairs : iterable of pairs
        Of what `match` takes; may be endless.
    method, time_limit, seed, threads, rules, trace, on_improve, **options
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
    same = {"method": method, "time_limit": time_limit, "seed": seed, "rules": rules}
    return stream_as(pairs, options_of(match_stream, {**same, **options}), threads, trace, on_improve)


def stream_as(
    pairs: Iterable[Any],
    options: Options,
    threads: int,
    trace: bool = False,
    on_improve: Callable[[Improvement], object] | None = None,
) -> Iterator[Match]:
    """Do what `match_stream` does, as options that are already there say, but for threads: each pair has one."""
    own = options if options.threads == 1 else replace(options, threads=1)
    stereo = options.constraints is not None and options.constraints.stereo
    if stereo or on_improve is not None or options.bound in LIFTED:  # work above the compiled core
        return _by_executor(pairs, lambda a, b: match_as(a, b, own, trace, on_improve), threads)
    return _by_pool(pairs, own, threads, trace)


def _by_pool(pairs: Iterable[Any], asked: Options, threads: int, trace: bool) -> Iterator[Match]:
    pool = [_core.Pool(threads)]
    limit = -1.0 if asked.time_limit is None else float(asked.time_limit)
    work = asked.work()

    def begin_plain(a: Graph, b: Graph) -> tuple[Graph, Graph]:
        comparable(a, b)
        pool[0].submit(a.core, b.core, work, limit)
        return a, b

    def end_plain(begun: tuple[Graph, Graph]) -> Match:
        return Match.of(*begun, pool[0].next(), asked.method, int(asked.seed), traced=trace)

    def begin(a: Graph, b: Graph) -> Problem | Match:
        problem = Problem(a, b, asked.rules, asked.constraints)
        if not problem.complete:
            clock = Clock(asked.time_limit)
            try:
                problem.pose(clock)
            except Late:
                return late(problem, asked, clock)
        pool[0].submit(problem.a.core, problem.b.core, asked.core(problem), limit)
        return problem

    def end(begun: Problem | Match) -> Match:
        if isinstance(begun, Match):
            return begun
        return concluded(*begun.given, begun, asked, pool[0].next(), trace=trace)

    try:
        if asked.rules is None and asked.constraints is None and not asked.asks:  # all that is said is said of any pair
            yield from _windowed(pairs, WINDOW * threads, begin_plain, end_plain)
        else:
            yield from _windowed(pairs, WINDOW * threads, begin, end)
    finally:
        pool.clear()  # its threads end here, even if somebody keeps the traceback


def _by_executor(pairs: Iterable[Any], solve: Callable[[Graph, Graph], Match], threads: int) -> Iterator[Match]:
    from concurrent.futures import Future, ThreadPoolExecutor

    executor = ThreadPoolExecutor(threads)
    try:
        yield from _windowed(
            pairs,
            WINDOW * threads,
            lambda a, b: executor.submit(solve, a, b),
            Future.result,
        )
    finally:
        executor.shutdown(wait=False, cancel_futures=True)  # pairs under way end by themselves


def _windowed(
    pairs: Iterable[Any], window: int, begin: Callable[[Graph, Graph], Begun], end: Callable[[Begun], Match]
) -> Iterator[Match]:
    """Begin pairs up to a window ahead and end them in order; an error comes in its pair's turn, under its number."""
    source = enumerate(iterable(pairs))
    waiting: deque[tuple[int, Begun]] = deque()
    failure: Exception | None = None

    def fill() -> None:
        nonlocal failure
        k = -1
        try:
            while failure is None and len(waiting) < window:
                k = -1  # nobody's, while the next pair is not there
                k, pair = next(source)
                waiting.append((k, begin(*_graphs(pair))))
        except StopIteration:
            pass
        except Exception as error:
            failure = numbered(k, error) if k >= 0 else error

    fill()
    while waiting:
        k, begun = waiting.popleft()
        try:
            result = end(begun)
        except InputError as error:
            raise numbered(k, error) from None
        fill()
        yield result
    if failure is not None:
        raise failure


def numbered(k: int, error: Exception) -> Exception:
    """Return an error with the number of its pair, if the pair is to blame."""
    return InputError(f"pair {k}: {error}") if isinstance(error, InputError) else error


def thread_count(threads: int | None) -> int:
    """Return the number of threads: as given, or one a processor of this process."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    whole("threads", threads, 1, MAX_THREADS)
    return int(threads)


def iterable(pairs: Any) -> Iterable[Any]:
    """Take what pairs come from."""
    if not isinstance(pairs, Iterable):
        raise InputError(f"pairs must be an iterable of two graphs each; got {brief(pairs)}")
    return pairs


def two_of(pair: Any) -> tuple[Any, Any]:
    """Take a pair apart."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        raise InputError(f"two graphs are needed; got {brief(pair)}") from None
    return a, b


def _graphs(pair: Any) -> tuple[Graph, Graph]:
    a, b = two_of(pair)
    return as_graph(a), as_graph(b)


def many_on_device(
    given: Iterable[Any], options: Options, device: str, threads: int, progress: bool = False
) -> Matches:
    """Do what `match_many` does on a device, as options that are already there say."""
    from tqdm import tqdm

    try:
        from enpda.gpu.device import match_batches
    except ModuleNotFoundError as error:
        raise InputError(f"device needs PyTorch: pip install 'enpda[train]' ({error})") from None
    pairs = []
    for k, pair in enumerate(iterable(given)):
        try:
            pairs.append(_graphs(pair))
        except InputError as error:
            raise numbered(k, error) from None
    with tqdm(total=len(pairs), disable=not progress) as bar:

        def shown(results: Iterable[tuple[int, Match]]) -> Iterator[tuple[int, Match]]:
            for k, result in results:
                bar.update()
                yield k, result

        found = dict(shown(match_batches(pairs, options, device, threads)))
        rest = [k for k in range(len(pairs)) if k not in found]  # what the device does not take
        others = _by_pool((pairs[k] for k in rest), options, threads, trace=False)
        found |= shown(zip(rest, others, strict=True))
    return Matches(found[k] for k in range(len(pairs)))
