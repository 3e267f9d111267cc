"""Who does the chunks of a job: the threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Literal, get_args

from enpda.bulk import job as jobs
from enpda.bulk.job import Job
from enpda.checks import choice, whole
from enpda.errors import InputError, brief

Engine = Literal["threads", "dask"]

AHEAD = 4
"""Chunks that are given to a cluster in advance, per thread of it: what a scheduler must remember stays small."""


def check(engine: Engine, retries: int) -> None:
    """Raise InputError unless these can be used."""
    choice("engine", engine, get_args(Engine))
    whole("retries", retries, 0, 1_000)


def run(
    job: Job,
    chunks: Sequence[int],
    threads: int,
    engine: Engine = "threads",
    client: Any = None,
    retries: int = 3,
    done: Callable[[int], object] = lambda chunk: None,
) -> None:
    """Finish chunks of a job that is in a folder.

    Parameters
    ----------
    job : Job
    chunks : sequence of int
        Those to do.
    threads : int
        Threads of the compiled core, in every process.
    engine : {"threads", "dask"}
        `threads`: threads of this process. `dask`: the workers of a cluster, for more than one machine.
    client : dask.distributed Client or address, optional
        The cluster; by default the current client, else a new local one.
    retries : int
        How often a chunk may fail on a cluster.
    done : callable
        Called with every finished chunk.
    """
    check(engine, retries)
    if not chunks:  # no cluster is started for nothing
        return
    if engine == "threads":
        for chunk in chunks:
            job.finish(chunk, threads)
            done(chunk)
        return
    for chunk in _by_dask(job, chunks, threads, client, retries):
        done(chunk)


def _by_dask(job: Job, chunks: Iterable[int], threads: int, client: Any, retries: int) -> Iterator[int]:
    """Yield chunks as a cluster finishes them."""
    from concurrent.futures import CancelledError

    try:
        from distributed import as_completed
        from distributed.comm import CommClosedError
    except ModuleNotFoundError:
        raise InputError("engine 'dask' needs dask.distributed: pip install 'enpda[bulk]'") from None
    assert job.store is not None
    url = job.store.url if job.store.remote is not None else job.store.root
    with _connected(client) as cluster:
        waiting = iter(chunks)

        def submitted(count: int) -> list[Any]:
            return [
                cluster.submit(finished, url, job.key, chunk, threads, retries=retries, pure=False)
                for chunk in islice(waiting, count)
            ]

        slots = max(sum(cluster.nthreads().values()), 1)
        under_way = set(submitted(AHEAD * slots))
        arrivals = as_completed(under_way, loop=cluster.loop)  # of this client, not the default one
        try:
            for future in arrivals:
                chunk = future.result()
                under_way.discard(future)
                yield chunk
                for fresh in submitted(1):
                    under_way.add(fresh)
                    arrivals.add(fresh)
        except (CancelledError, CommClosedError):  # a scheduler that is gone takes its futures along
            raise ConnectionError(
                f"the cluster was lost, or cancelled the work; what is finished is in {job.store.url}: repeat the call "
                "to go on"
            ) from None
        finally:
            if cluster.status == "running":
                cluster.cancel(list(under_way))


@contextmanager
def _connected(client: Any) -> Iterator[Any]:
    """Give the caller's client, the current one, or one of our own that is closed in the end."""
    from distributed import Client, default_client

    if client is None:
        try:
            client = default_client()
        except ValueError:
            with Client(dashboard_address=":0") as own:
                yield own
            return
    if isinstance(client, str):
        with Client(client) as own:
            yield own
        return
    if not isinstance(client, Client):
        raise InputError(f"client must be a dask.distributed Client or an address; got {brief(client)}")
    yield client


def finished(url: str, key: str, chunk: int, threads: int) -> int:
    """Finish one chunk of the job in a folder, on whatever machine this runs; returns its number."""
    jobs.opened(url, key).finish(chunk, threads)
    return chunk
