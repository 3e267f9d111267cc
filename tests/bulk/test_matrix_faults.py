"""Whatever happens to an all-pairs job, what is finished stays, nothing is half-written, and the job can go on."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import enpda
from enpda import Graph, InputError, Library, Matrix, matrix
from enpda.bulk import tables
from enpda.bulk.job import Job
from enpda.bulk.store import STALE, Store
from processes import ended
from strategies import random_graph

HERE = [str(folder) for folder in Path(__file__).parents[:2]]


def items(count=100):
    rng = np.random.default_rng(0)
    return [random_graph(rng, int(rng.integers(4, 14)), 0.25, 3, 2) for _ in range(count)]


def begin(out, count=100, **options):
    return matrix(items(count), out=out, **{"method": "analytic", "threads": 2} | options)


def state(out):
    """The files of the finished chunks."""
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in Path(out, "pairs").glob("*.parquet")}


def rows(m):
    return m.table.drop("seconds")


def in_a_process(call, *arguments, prefix=()):
    """Run a function of this file in a new process; it prints JSON."""
    code = f"import sys; sys.path[:0] = {HERE!r}; from test_matrix_faults import *; {call}(*sys.argv[1:])"
    return [*prefix, sys.executable, "-c", code, *map(str, arguments)]


# -- kill -9 -------------------------------------------------------------------------------------------------


def kill_at_random_moments(folder, count):
    """Kill a job, go on with it, compare; in a process of its own that can be forked without threads."""
    import pyarrow as pa
    import pyarrow.parquet

    pa.array(np.zeros(1))  # imports are made once, instead of once a child
    folder = Path(folder)
    rng = random.Random(0)
    found = []

    def in_a_child(out):
        child = os.fork()
        if child == 0:
            try:
                begin(out)
            finally:
                os._exit(0)
        return child

    started = time.perf_counter()
    os.waitpid(in_a_child(folder / "undisturbed"), 0)
    seconds = time.perf_counter() - started
    for k in range(int(count)):
        out = folder / str(k)
        child = in_a_child(out)
        time.sleep(rng.uniform(0, seconds))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        before = state(out)
        child = in_a_child(out)
        os.waitpid(child, 0)
        after = state(out)
        found.append(
            {
                "finished": len(before),
                "untouched": all(after[name] == before[name] for name in before),
                "chunks": len(after),
            }
        )
    print(json.dumps(found))


@pytest.mark.slow
def test_a_job_that_is_killed_at_any_moment_goes_on_where_it_was(tmp_path):
    done = subprocess.run(in_a_process("kill_at_random_moments", tmp_path, 20), stdout=subprocess.PIPE, check=True)
    whole = Matrix.open(tmp_path / "undisturbed")
    assert whole.complete
    found = json.loads(done.stdout)
    assert len(found) == 20
    assert any(0 < kill["finished"] < len(whole.job) for kill in found)  # the moments were worth something
    for k, kill in enumerate(found):
        assert kill["untouched"]
        assert kill["chunks"] == len(whole.job)
        assert rows(Matrix.open(tmp_path / str(k))).equals(rows(whole))


def endless(out):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without job control has it ignored
    rng = np.random.default_rng(0)
    hard = [random_graph(rng, 60, 0.5, 1, 1) for _ in range(4)]
    print("go", flush=True)
    matrix(hard, method="exact", time_limit=None, out=out, threads=2)


@pytest.mark.slow
def test_ctrl_c_ends_a_job_and_leaves_a_folder_to_go_on_with(tmp_path):
    with subprocess.Popen(
        in_a_process("endless", tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "go\n"
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        _, said = ended(process)
    assert "KeyboardInterrupt" in said
    assert not state(tmp_path)
    assert not list(tmp_path.rglob("*.part"))


def test_what_killed_writers_left_is_swept_when_nobody_can_be_writing_it(tmp_path):
    begin(tmp_path)
    old, new = tmp_path / "pairs" / ".00000000.parquet.x.part", tmp_path / ".items.arrow.y.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 2 * STALE,) * 2)
    assert begin(tmp_path).complete
    assert not old.exists()
    assert new.exists()


# -- no room -------------------------------------------------------------------------------------------------


def job_on_a_small_disk(folder):
    folder = Path(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], check=True)
    begin(folder, chunks=(0, 2))
    room = os.statvfs(folder)
    full = (room.f_blocks - room.f_bfree + 1) * room.f_frsize
    subprocess.run(["mount", "-o", f"remount,size={full}", str(folder)], check=True)
    try:
        begin(folder)
    except OSError as error:
        said, number = str(error), error.errno
    before = state(folder)
    left = [path.name for path in folder.rglob("*.part")]
    subprocess.run(["mount", "-o", "remount,size=8m", str(folder)], check=True)
    m = begin(folder)
    untouched = all(state(folder)[name] == before[name] for name in before)
    print(json.dumps([said, number, len(before), left, untouched, len(m.job), rows(m).equals(rows(begin(None)))]))


@pytest.mark.slow
def test_a_full_disk_is_an_error_that_names_the_file_and_leaves_whole_files_only(tmp_path):
    # A disk that is full is a small one of the test's own, mounted where nobody else sees it: as root, or as the root
    # of a namespace for oneself, which most systems allow to everybody.
    ways = [["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]]
    possible = (way for way in ways if subprocess.run([*way, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).returncode == 0)
    alone = next(possible, None) if shutil.which("unshare") else None
    if alone is None:
        pytest.skip("this system lets nobody mount a disk, not even a program in a namespace of its own")
    done = subprocess.run(in_a_process("job_on_a_small_disk", tmp_path, prefix=alone), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, number, before, left, untouched, chunks, equal = json.loads(done.stdout)
    assert number == errno.ENOSPC
    assert str(tmp_path) in said
    assert before == 2 < chunks
    assert (left, untouched, equal) == ([], True, True)


def job_with_small_files(folder):
    begin(folder, chunks=(0, 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
    try:
        begin(folder)
    except OSError as error:
        print(json.dumps([str(error), error.errno]))


@pytest.mark.slow
def test_a_file_that_may_not_grow_is_an_error_too(tmp_path):
    done = subprocess.run(in_a_process("job_with_small_files", tmp_path), capture_output=True, text=True, check=True)
    said, number = json.loads(done.stdout)
    assert number == errno.EFBIG
    assert "00000002.parquet" in said
    assert len(state(tmp_path)) == 2
    assert not list(tmp_path.rglob("*.part"))
    assert rows(begin(tmp_path)).equals(rows(begin(None)))


# -- damage --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("finished")
    begin(out)
    return out


@pytest.fixture
def job(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "job")
    return tmp_path / "job"


def chunk(out, number=3):
    return out / "pairs" / f"{number:08d}.parquet"


def test_every_byte_of_a_chunk_is_under_its_seal(job):
    data = chunk(job).read_bytes()
    place = f"{Job.opened(Store(job)).key} 3"
    assert tables.intact(data, place)
    for at in range(0, len(data), 11):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        assert not tables.intact(bytes(damaged), place)
    for end in range(0, len(data), 97):
        assert not tables.intact(data[:end], place)
    assert not tables.intact(data, place[:-1] + "4")


def another_parquet(out):
    import pyarrow as pa

    chunk(out).write_bytes(tables.parquet(pa.table({"x": [1]})))


def another_chunk(out):
    shutil.copy(chunk(out, 4), chunk(out))


def another_jobs_chunk(out):
    other = begin(out.parent / "other", method="core", chunks=(3, 4))
    shutil.copy(chunk(Path(other.job.store.root)), chunk(out))


def flipped(out):
    data = bytearray(chunk(out).read_bytes())
    data[len(data) // 2] ^= 4
    chunk(out).write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        flipped,
        lambda out: os.truncate(chunk(out), 1_000),
        lambda out: os.truncate(chunk(out), 0),
        lambda out: chunk(out).unlink(),
        another_parquet,
        another_chunk,
        another_jobs_chunk,
    ],
    ids=["flipped", "truncated", "emptied", "removed", "another parquet", "another chunk", "another job's chunk"],
)
def test_a_damaged_chunk_is_found_and_done_anew_and_no_other(damage, job, finished):
    before = state(job)
    damage(job)
    if chunk(job).exists():
        with pytest.raises(InputError, match="chunk 3 is damaged; repeat the call"):
            _ = Matrix.open(job).table
    m = begin(job)
    after = state(job)
    assert rows(m).equals(rows(Matrix.open(finished)))
    assert {name for name in before if after[name] != before[name]} == {chunk(job).name}


def test_strange_files_in_the_folder_do_no_harm(job, finished):
    for name in ("99999999.parquet", "notes.txt", "x.parquet", "3.parquet"):
        (job / "pairs" / name).write_bytes(b"?")
    assert rows(begin(job)).equals(rows(Matrix.open(finished)))
    assert (job / "pairs" / "notes.txt").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        "{}",
        '{"format": "enpda-matrix-0"}',
        '{"format": "enpda-matrix-1"}',
        '{"format": "enpda-matrix-1", "question": {"options": 5}, "items": "x", "other": null, "tiles": {}}',
        b"\xff\xfe",
    ],
)
def test_a_damaged_job_file_is_an_input_error(text, job):
    (job / "job.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=r"job\.json"):
        Matrix.open(job)
    with pytest.raises(InputError, match=r"job\.json|holds another job"):
        begin(job)


@pytest.mark.parametrize("tiles", [{"count": 1, "other": None, "side": 0}, {"count": 3, "other": None, "side": 4}, 5])
def test_a_job_file_with_impossible_tiles_is_an_input_error(tiles, job):
    described = json.loads((job / "job.json").read_text()) | {"tiles": tiles}
    (job / "job.json").write_text(json.dumps(described))
    for attempt in (Matrix.open, begin):
        with pytest.raises(InputError, match=r"side must be|as its file says|damaged"):
            attempt(job)


def test_a_flipped_bit_of_the_items_is_noticed_or_does_not_matter(job):
    whole = (job / "items.arrow").read_bytes()
    expected = Library.open(job / "items.arrow").digest
    rng = random.Random(0)
    noticed = []
    for _ in range(150):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (job / "items.arrow").unlink()  # the file may still be mapped
        (job / "items.arrow").write_bytes(data)
        try:
            assert Matrix.open(job).items.digest == expected
        except InputError as error:
            noticed.append(str(error))
    assert len(noticed) > 30
    assert all("items.arrow" in said for said in noticed)


@pytest.mark.parametrize("damage", [b"", b"ARROW1", None])
def test_items_that_are_damaged_or_gone_are_an_input_error_and_are_written_anew_by_the_call(damage, job, finished):
    (job / "items.arrow").unlink()
    if damage is not None:
        (job / "items.arrow").write_bytes(damage)
    with pytest.raises(InputError, match=r"items\.arrow"):
        Matrix.open(job)
    begin(job)
    assert rows(Matrix.open(job)).equals(rows(Matrix.open(finished)))


def test_the_rejects_can_be_lost_without_losing_the_table(job):
    (job / "rejects.parquet").write_bytes(b"gone")
    m = Matrix.open(job)
    assert len(m) == 4950
    with pytest.raises(InputError, match=r"rejects\.parquet is missing or damaged"):
        _ = m.rejects


def test_two_writers_of_a_chunk_leave_one_file(tmp_path):
    begin(tmp_path, chunks=(0, 1))
    job = Job.opened(Store(tmp_path))
    job.finish(0, 1)
    job.finish(0, 1)
    assert list(state(tmp_path)) == ["00000000.parquet"]
    assert begin(tmp_path).table.num_rows == 4950


def test_an_unusable_folder_is_an_error_at_once(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        matrix([Graph([1], [])], out=tmp_path / "file")
    with pytest.raises(OSError, match="file"):
        matrix([Graph([1], [])], out=tmp_path / "file" / "below")
    assert enpda.matrix([Graph([1], [])], out=tmp_path / "new" / "below").complete
