"""A Dask cluster makes the table that threads make; who dies on the way costs only what it was doing."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import distributed
import numpy as np
import pytest

from enpda import Graph, InputError, Library, Matrix, Rules, matrix
from enpda.bulk import engines
from enpda.bulk.job import Job
from enpda.bulk.question import Question
from enpda.bulk.store import Store
from enpda.solve.options import Options
from strategies import random_graph

ANALYTIC = Question(Options("analytic"))


def items(count=100, seed=0):
    rng = np.random.default_rng(seed)
    return [random_graph(rng, int(rng.integers(4, 14)), 0.25, 3, 2) for _ in range(count)]


def rows(m):
    return m.table.drop("seconds")


def state(out):
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in Path(out, "pairs").glob("*.parquet")}


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def inside():
    """A cluster of threads in this process, which can be patched."""
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


# -- the same table ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "options"),
    [
        (None, {}),
        (items(40, seed=1), {"seed": 5}),
        (None, {"min_similarity": 0.8, "screened": "keep"}),
        (items(20, seed=1), {"rules": Rules(atoms="any")}),
    ],
    ids=["triangle", "rectangle", "threshold", "rules"],
)
def test_a_cluster_makes_the_table_that_threads_make(other, options, client, tmp_path):
    options = {"method": "analytic"} | options
    m = matrix(items(), other, engine="dask", client=client, out=tmp_path, **options)
    assert m.complete
    assert rows(m).equals(rows(matrix(items(), other, **options)))


def test_an_address_or_the_current_client_will_do(cluster, tmp_path):
    expected = rows(matrix(items(), method="analytic"))
    by_address = matrix(
        items(), method="analytic", engine="dask", client=cluster.scheduler_address, out=tmp_path / "address"
    )
    with distributed.Client(cluster):
        by_default = matrix(items(), method="analytic", engine="dask", out=tmp_path / "default", threads=2)
    assert rows(by_address).equals(expected)
    assert rows(by_default).equals(expected)


@pytest.mark.slow
def test_without_a_client_a_local_one_is_made_and_closed(tmp_path):
    before = {process.pid for process in children()}
    m = matrix(items(40), method="analytic", engine="dask", out=tmp_path)
    assert rows(m).equals(rows(matrix(items(40), method="analytic")))
    assert {process.pid for process in children()} <= before
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def children():
    import multiprocessing

    return multiprocessing.active_children()


def test_a_cluster_goes_on_where_threads_stopped(client, tmp_path):
    matrix(items(), method="analytic", out=tmp_path, chunks=(0, 4))
    before = state(tmp_path)
    m = matrix(items(), method="analytic", engine="dask", client=client, out=tmp_path)
    assert rows(m).equals(rows(matrix(items(), method="analytic")))
    assert {name: state(tmp_path)[name] for name in before} == before


@pytest.mark.slow
def test_a_worker_does_not_take_a_new_job_for_the_old_one_of_the_same_folder(client, tmp_path):
    import shutil

    for seed in (0, 1):
        out = tmp_path / "job"
        m = matrix(items(seed=seed), method="analytic", engine="dask", client=client, out=out)
        assert rows(m).equals(rows(matrix(items(seed=seed), method="analytic")))
        assert rows(Matrix.open(out)).equals(rows(m))
        shutil.rmtree(out)


def test_a_finished_job_needs_no_cluster(tmp_path):
    matrix(items(40), method="analytic", out=tmp_path)
    assert matrix(items(40), method="analytic", engine="dask", client="tcp://127.0.0.1:1", out=tmp_path).complete


def test_every_chunk_is_reported_once(client, tmp_path):
    job = Job.prepared(Library.of(items(140)), None, ANALYTIC, Store(tmp_path))
    assert len(job) > engines.AHEAD * 2  # some are submitted later
    done = []
    engines.run(job, range(len(job)), 1, "dask", client, done=done.append)
    assert Counter(done) == Counter(range(len(job)))


# -- what goes wrong -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_only_its_chunks(tmp_path):
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        job = Job.prepared(Library.of(items(220)), None, ANALYTIC, Store(tmp_path))
        done, known = [], {}

        def kill_one(chunk):
            done.append(chunk)
            if len(done) == 4:
                known.update({name: state(tmp_path)[name] for name in (f"{k:08d}.parquet" for k in done)})
                os.kill(client.run(os.getpid)[next(iter(client.nthreads()))], signal.SIGKILL)

        engines.run(job, range(len(job)), 1, "dask", client, done=kill_one)
    assert Counter(done) == Counter(range(len(job)))
    after = state(tmp_path)
    assert {name: after[name] for name in known} == known
    assert len(after) == len(job)
    assert rows(Matrix.open(tmp_path)).equals(rows(matrix(items(220), method="analytic")))


def started(*arguments):
    return subprocess.Popen([sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def waited_for(what):
    """Ask until there is an answer; for two minutes or more, which only a hang takes."""
    for _ in range(2400):
        if found := what():
            return found
        time.sleep(0.05)
    pytest.fail("nothing happened")


def address_in(file):
    try:
        return json.loads(file.read_text())["address"]
    except (OSError, ValueError):
        return None


@pytest.fixture
def fragile(tmp_path):
    """A scheduler and a worker as processes of their own."""
    file = tmp_path / "scheduler.json"
    scheduler = started(
        "distributed.cli.dask_scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard", f"--scheduler-file={file}"
    )
    worker = started(
        "distributed.cli.dask_worker", f"--scheduler-file={file}", "--nthreads=1", "--no-dashboard", "--no-nanny"
    )
    try:
        yield scheduler, waited_for(lambda: address_in(file))
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_an_error_and_the_job_goes_on_without_it(fragile, tmp_path):
    scheduler, address = fragile
    out = tmp_path / "job"
    options = {"method": "analytic", "out": out}

    def kill():
        while len(list(out.glob("pairs/*.parquet"))) < 2:
            time.sleep(0.01)
        scheduler.kill()

    watcher = threading.Thread(target=kill)
    watcher.start()
    with pytest.raises(ConnectionError, match=r"the cluster was lost.*job: repeat the call"):
        matrix(items(300), engine="dask", client=address, **options)
    watcher.join()
    before = state(out)
    m = matrix(items(300), **options)
    assert rows(m).equals(rows(matrix(items(300), method="analytic")))
    assert 2 <= len(before) < len(m.job)
    assert {name: state(out)[name] for name in before} == before


def test_a_chunk_that_fails_is_tried_again_as_often_as_is_said(inside, tmp_path, monkeypatch):
    real, tries = Job.finish, {"once": Counter(), "again": Counter()}

    def shaky(self, chunk, threads):
        own = tries[Path(self.store.root).name]
        own[chunk] += 1
        if chunk == 2 and own[chunk] <= 2:
            raise OSError(28, "No space left on device", "somewhere")
        return real(self, chunk, threads)

    monkeypatch.setattr(Job, "finish", shaky)
    with pytest.raises(OSError, match="No space left on device"):
        matrix(items(), method="analytic", engine="dask", client=inside, out=tmp_path / "once", retries=1)
    assert tries["once"][2] == 2
    m = matrix(items(), method="analytic", engine="dask", client=inside, out=tmp_path / "again", retries=2)
    assert m.complete
    assert tries["again"] == Counter({k: 3 if k == 2 else 1 for k in range(len(m.job))})


def test_after_a_failure_nothing_is_left_on_the_cluster(inside, tmp_path, monkeypatch):
    def failing(self, chunk, threads):
        time.sleep(0.05)
        raise RuntimeError("no")

    monkeypatch.setattr(Job, "finish", failing)
    with pytest.raises(RuntimeError, match="no"):
        matrix(items(140), method="analytic", engine="dask", client=inside, out=tmp_path, retries=0)
    waited_for(lambda: not inside.cluster.scheduler.tasks)


def test_a_folder_whose_job_was_replaced_meanwhile_is_refused(tmp_path):
    matrix(items(40), method="analytic", out=tmp_path)
    with pytest.raises(InputError, match="holds another job than the one that was begun there"):
        engines.finished(str(tmp_path), "another key", 0, 1)


def test_what_is_no_client_is_refused(tmp_path):
    with pytest.raises(InputError, match="client must be a"):
        matrix([Graph([1], [])] * 2, engine="dask", client=5, out=tmp_path)
    with pytest.raises(InputError, match="retries must be"):
        matrix([Graph([1], [])] * 2, engine="dask", client=5, out=tmp_path, retries=-1)
