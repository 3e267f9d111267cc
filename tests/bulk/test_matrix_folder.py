"""A matrix in a folder: what is there, what goes on, and what is refused."""

import json
import subprocess
import sys
import time

import duckdb
import fsspec
import numpy as np
import pytest

import enpda
from enpda import Graph, InputError, Matrix, Rules, matrix
from enpda.bulk.store import Store
from enpda.bulk.tables import pairs_schema
from matrices import DRUGS, SMALL, rows_of

ODD = [Graph([], []), Graph([1], []), Graph([1, 1], []), Graph([], []), Graph([1, 1], [(0, 1)]), Graph([1], [])]


# -- in a folder ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"min_similarity": 0.5}, {"rules": Rules(bonds="any")}], ids=str)
def test_a_folder_holds_what_memory_holds(options, tmp_path):
    for other in (None, DRUGS[:3]):
        out = tmp_path / str(other is None)
        here, there = matrix(SMALL, other, **options), matrix(SMALL, other, out=out, threads=2, **options)
        assert rows_of(here, "method") == rows_of(there, "method") == rows_of(Matrix.open(out), "method")
        assert here.table.drop("seconds").equals(there.table.drop("seconds"))
        assert there.table.schema.equals(pairs_schema(), check_metadata=True)
        for column in ("similarity", "size", "optimal"):
            np.testing.assert_array_equal(here.dense(column), Matrix.open(out).dense(column))


def test_the_files_are_parquet_that_others_read(tmp_path):
    m = matrix(SMALL, out=tmp_path)
    count, total = duckdb.sql(f"select count(*), sum(size) from '{tmp_path}/pairs/*.parquet'").fetchall()[0]
    assert (count, total) == (len(m), sum(m.table["size"].to_pylist()))
    items = duckdb.sql(f"select id, smiles, nodes, edges from '{tmp_path}/items.parquet'").fetchall()
    assert items[1] == ("1", "CCN", 3, 2)
    assert json.loads((tmp_path / "job.json").read_text())["question"]["options"]["method"] == "auto"


def test_a_folder_with_another_job_is_refused_and_says_what_differs(tmp_path):
    matrix(SMALL, out=tmp_path, min_similarity=0.5)
    with pytest.raises(InputError, match=r"holds another job \(there -> here\): min_similarity: 0\.5 -> None"):
        matrix(SMALL, out=tmp_path)
    with pytest.raises(InputError, match=r"items: other graphs"):
        matrix(SMALL[:-1], out=tmp_path, min_similarity=0.5)
    with pytest.raises(InputError, match=r"other: None -> "):
        matrix(SMALL, SMALL, out=tmp_path, min_similarity=0.5)
    with pytest.raises(InputError, match=r"already holds a job"):
        matrix(SMALL, out=tmp_path, min_similarity=0.5, resume=False)
    with pytest.raises(InputError, match=r"is a file; a folder is needed"):
        matrix(SMALL, out=tmp_path / "job.json")
    with pytest.raises(InputError, match=r"no job\.json"):
        Matrix.open(tmp_path / "pairs")


def test_numbers_of_numpys_can_be_written_down(tmp_path):
    options = {"max_distance": np.int64(4), "seed": np.int32(1), "time_limit": np.float32(2)}
    matrix(SMALL, out=tmp_path, **options)
    assert rows_of(matrix(SMALL, out=tmp_path, **options)) == rows_of(matrix(SMALL, max_distance=4, seed=1))
    with pytest.raises(InputError, match="budget of one's own cannot be written down"):
        matrix(SMALL, out=tmp_path / "b", budget=enpda.Budget())


def test_pieces_add_up_to_the_whole(tmp_path):
    items = [Graph([k % 7, k % 11, k % 3], [(0, 1), (1, 2)]) for k in range(70)]
    whole = matrix(items)
    count = len(whole.job)
    assert count == 6
    for low in range(0, count, 2):
        part = matrix(items, out=tmp_path, chunks=(low, low + 2))
        assert part.complete == (low + 2 >= count)
        assert len(part) == sum(whole.job.pairs_of(k) for k in range(low + 2))
    assert part.table.drop("seconds").equals(whole.table.drop("seconds"))
    assert matrix(items, out=tmp_path, chunks=(90, 99)).complete  # beyond the last there is nothing to do
    some = matrix(items, chunks=(0, 1))
    assert not some.complete
    assert len(some) == whole.job.pairs_of(0)
    assert np.isnan(some.dense()).any()


@pytest.mark.slow
def test_processes_may_begin_the_same_job_at_the_same_moment(tmp_path):
    code = """
import sys, time, enpda
out, part, at = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
items = [enpda.Graph([k % 7, k % 11, k % 3], [(0, 1), (1, 2)]) for k in range(70)]
time.sleep(max(at - time.time(), 0))
enpda.matrix(items, out=out, chunks=(2 * part, 2 * part + 2), threads=1)
"""
    at = str(time.time() + 1.5)
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(part), at], stderr=subprocess.PIPE)
        for part in range(3)
    ]
    assert [(process.communicate()[1], process.returncode) for process in processes] == [(b"", 0)] * 3
    assert Matrix.open(tmp_path).complete
    items = [Graph([k % 7, k % 11, k % 3], [(0, 1), (1, 2)]) for k in range(70)]
    assert rows_of(Matrix.open(tmp_path)) == rows_of(matrix(items))
    assert not list(tmp_path.rglob("*.part"))


def test_of_two_jobs_that_begin_in_one_folder_one_is_refused(tmp_path, monkeypatch):
    real = Store.read

    def late(self, name):  # the other one writes job.json after we looked
        if name == "job.json" and not (tmp_path / "job.json").exists():
            monkeypatch.setattr(Store, "read", real)
            matrix(SMALL[:3], out=tmp_path)
            return None
        return real(self, name)

    monkeypatch.setattr(Store, "read", late)
    with pytest.raises(InputError, match="items: other graphs, or in another order"):
        matrix(SMALL, out=tmp_path)
    assert rows_of(Matrix.open(tmp_path)) == rows_of(matrix(SMALL[:3]))


def test_storage_behind_a_url_works_like_a_folder():
    url = "memory://enpda-test/job"
    matrix(SMALL, out=url, chunks=(0, 0))
    assert not Matrix.open(url).complete
    m = matrix(SMALL, out=url)
    assert rows_of(Matrix.open(url)) == rows_of(m) == rows_of(matrix(SMALL))
    with pytest.raises(InputError, match="holds another job"):
        matrix(SMALL[1:], out=url)
    fsspec.filesystem("memory").rm("/enpda-test", recursive=True)
    with pytest.raises(InputError, match="nowhere"):
        matrix(SMALL, out="nowhere://x")


def test_a_file_url_is_a_folder(tmp_path):
    matrix(SMALL, out=f"file://{tmp_path}/job")
    assert rows_of(Matrix.open(tmp_path / "job")) == rows_of(matrix(SMALL))
