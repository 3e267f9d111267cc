"""Who does the chunks of a job: the threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, get_args

from enpda.budget import choice, whole
from enpda.bulk import job as jobs
from enpda.bulk.job import Job
from enpda.errors import InputError, brief

Engine = Literal["threads", "dask"]

AHEAD = 4
"""Chunks that are given to a cluster in advance, per thread of it: what a scheduler must remember stays small."""


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
        Who works.
    client : dask.distributed Client or address, optional
        The cluster; by default the current client, else a new local one.
    retries : int
        How often a chunk may fail on a cluster.
    done : callable
        Called with every finished chunk.
    """
    choice("engine", engine, get_args(Engine))
    whole("retries", retries, 0, 1_000)
    if engine == "threads":
        for chunk in chunks:
            job.finish(chunk, threads)
            done(chunk)
        return
    for chunk in _by_dask(job, chunks, threads, client, retries):
        done(chunk)


def _by_dask(job: Job, chunks: Iterable[int], threads: int, client: Any, retries: int) -> Iterator[int]:
    """Yield chunks as a cluster finishes them."""
    try:
        from distributed import Client, as_completed, default_client
    except ModuleNotFoundError:
        raise InputError("engine 'dask' needs dask.distributed: pip install 'enpda[bulk]'") from None
    assert job.store is not None
    own = None
    if client is None:
        try:
            client = default_client()
        except ValueError:
            client = own = Client()
    elif isinstance(client, str):
        client = own = Client(client)
    elif not isinstance(client, Client):
        raise InputError(f"client must be a dask.distributed Client or an address; got {brief(client)}")
    try:
        waiting = iter(chunks)
        url = job.store.url if job.store.remote is not None else job.store.root

        def submitted(count: int) -> list[Any]:
            return [
                client.submit(finished, url, chunk, threads, retries=retries, pure=False)
                for chunk in islice(waiting, count)
            ]

        slots = max(sum(client.nthreads().values()), 1)
        under_way = as_completed(submitted(AHEAD * slots))
        for future in under_way:
            yield future.result()
            for fresh in submitted(1):
                under_way.add(fresh)
    finally:
        if own is not None:
            own.close()


def finished(url: str, chunk: int, threads: int) -> int:
    """Finish one chunk of the job in a folder, on whatever machine this runs; returns its number."""
    jobs.opened(url).finish(chunk, threads)
    return chunk
