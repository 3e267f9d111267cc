"""A bad file is one InputError, whatever is wrong with it, and costs no more than its limits."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
import zipfile

import pytest

from enpda import InputError
from enpda.io import FORMATS, parquet, read, source
from enpda.limits import LIMITS
from file_formats import (
    EXPECTED,
    MAKERS,
    PATH,
    TRIANGLE,
    drain,
    drugs_parquet,
    gml,
    graphml,
    sdf,
    smi,
    tu_members,
    zipped,
)


@pytest.mark.parametrize("name", ["a.doc", "a", "a.gz", "a.smi.bz2", "a.zip.gz", "a.parquet.gz"])
def test_an_unknown_suffix_is_an_error_that_lists_the_known_ones(put, name):
    with pytest.raises(InputError) as caught:
        read(put(name, b"CCO\n"))
    assert all(suffix in str(caught.value) for suffix in FORMATS)


def test_files_that_cannot_be_opened_are_errors_at_the_call(tmp_path, put):
    (tmp_path / "folder.smi").mkdir()
    for path, reason in (
        (tmp_path / "none.smi", "No such file"),
        (tmp_path / "none.csv.gz", "No such file"),
        (tmp_path / "folder.smi", "directory"),
        (f"{tmp_path}/a\0.smi", "that a file can have"),
        (7, "got 7"),
        (b"a.smi", "got b'a.smi'"),
    ):
        with pytest.raises(InputError, match=reason):
            read(path)


@pytest.mark.parametrize("options", [{"smiles": -1}, {"smiles": 1.5}, {"name": ()}, {"node": 3}, {"edge": b"x"}])
def test_an_option_of_the_wrong_type_is_an_error_that_shows_it(put, options):
    (value,) = options.values()
    with pytest.raises(InputError) as caught:
        read(put("a.smi", smi()), **options)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.csv", b"", "0 columns"),
        ("a.csv", b'"smiles\nCCO\n', "header"),
        ("a.csv", b"smiles\xff\nCCO\n", "UTF-8"),
        ("a.smi.gz", b"CCO\n", "gzip"),
        ("a.parquet", b"CCO\n", "Parquet"),
        ("a.parquet", drugs_parquet()[:-20], "Parquet"),
        ("a.zip", b"CCO\n", "zip"),
        ("a.zip", zipped({"readme.txt": "hello"}), "this zip has 0"),
        ("a.zip", zipped(tu_members(PATH) | tu_members(PATH, name="X")), "this zip has 2"),
    ],
)
def test_a_damaged_file_is_an_error_at_the_call_that_names_the_file(put, name, data, reason):
    path = put(name, data)
    with pytest.raises(InputError, match=reason) as caught:
        read(path)
    assert str(path) in str(caught.value)


def with_member(name: str, text: str) -> bytes:
    return zipped(tu_members(TRIANGLE) | {f"TOY_{name}.txt": text})


def test_a_named_column_must_be_in_the_first_line_of_a_smiles_file(put):
    with pytest.raises(InputError, match=r"no column 'structure'.*'CCO', 'x'"):
        read(put("a.smi", "CCO x\n"), smiles="structure")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.zip", with_member("A", "1, x\n"), "' x'"),
        ("a.zip", with_member("A", "1\n"), "TOY_A.txt"),
        ("a.zip", with_member("A", "1, 9\n"), "vertex 9; the vertices are 1 to 3"),
        ("a.zip", with_member("A", "0, 1\n"), "vertex 0"),
        ("a.zip", with_member("A", "1, 99999999999999999999\n"), "TOY_A.txt"),
        ("a.zip", with_member("graph_indicator", "0\n0\n0\n"), "graph 0"),
        ("a.zip", with_member("graph_indicator", "1\n1\n1.5\n"), "1.5"),
        ("a.zip", with_member("node_labels", "1\n"), "1 labels for 3 vertices"),
        ("a.zip", with_member("A", "1," * 1_000_000), "a line is longer than"),
        ("a.zip", with_member("edge_labels", ""), "0 labels for 6 edges"),
        ("a.zip", zipped(tu_members(TRIANGLE), compression=zipfile.ZIP_STORED).replace(b"1, 2", b"1, 3"), "CRC"),
        ("a.gml", b"graph [ node [ id 1 ]", "GML"),
        ("a.gml", b"nothing 1", "no graph"),
        ("a.gml", b"graph [ ] graph [ ]", "more than one graph"),
        ("a.gml", b"graph [ \0 ]", "NUL"),
        ("a.gml", b"\xff", "UTF-8"),
        ("a.gml", b"a [ " * 5000, "GML"),
        ("a.graphml", graphml(TRIANGLE)[:-20], "GraphML"),
        ("a.graphml", b"", "GraphML"),
        ("a.graphml", b"<html/>", "no graph"),
        ("a.graphml", graphml(TRIANGLE).replace(b'"int"', b'"complex"'), "complex"),
        ("a.graphml", graphml(TRIANGLE).decode().encode("utf-16"), "NUL"),
        ("a.graphml", graphml(TRIANGLE).decode().encode("utf-16-le"), "NUL"),
    ],
)
def test_a_file_damaged_further_down_is_an_error_during_the_iteration(put, name, data, reason):
    path = put(name, data)
    reader = read(path)
    with pytest.raises(InputError, match=reason) as caught:
        next(reader)
    assert str(path) in str(caught.value)
    assert list(reader) == []


def test_graphs_before_the_damage_are_given_before_the_error(put):
    rows = [f"{'C' * (k % 50 + 1)}{'NO'[k % 2]} drug{k}\n" for k in range(1000)]
    table = "smiles,name\n" + "".join(rows).replace(" ", ",")
    for name, text in (("a.smi", "".join(rows)), ("a.csv", table), ("a.sdf", sdf().decode() * 50)):
        packed = gzip.compress(text.encode())
        reader = read(put(f"{name}.gz", packed[: len(packed) // 2]))
        given = [next(reader)]
        with pytest.raises(InputError, match="end-of-stream"):
            given.extend(reader)
        assert len(given) > 10
        assert reader.rejects == []


def test_a_parquet_file_is_read_batch_by_batch(put, monkeypatch):
    monkeypatch.setattr(parquet, "BATCH", 2)
    graphs, rejects = drain(put("a.parquet", drugs_parquet()))
    assert (graphs, rejects) == (EXPECTED, [])


@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_without_networkx_the_error_says_how_to_get_it(put, monkeypatch, suffix):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(InputError, match="pip install networkx"):
        read(put(f"a{suffix}", MAKERS[suffix]()))


# -- limits ------------------------------------------------------------------------------------------------


def test_a_document_is_read_up_to_its_limit(put, monkeypatch):
    path = put("a.gml.gz", gzip.compress(gml(TRIANGLE)))
    monkeypatch.setattr(LIMITS, "document", len(gml(TRIANGLE)))
    assert drain(path)[0] == [TRIANGLE]
    monkeypatch.setattr(LIMITS, "document", len(gml(TRIANGLE)) - 1)
    with pytest.raises(InputError, match="longer than"):
        drain(path)


def test_a_zip_member_over_the_limit_is_refused_before_it_is_read(put, monkeypatch):
    path = put("a.zip", zipped(tu_members(TRIANGLE)))
    monkeypatch.setattr(LIMITS, "member", 30)  # six lines of five bytes
    assert drain(path)[0] == [TRIANGLE]
    monkeypatch.setattr(LIMITS, "member", 29)
    with pytest.raises(InputError, match="at most 29"):
        drain(path)


def test_a_zip_member_that_lies_about_its_size_is_not_read_beyond_it(put):
    bomb = "1, 2\n" * 4_000_000
    data = zipped(tu_members(TRIANGLE) | {"TOY_A.txt": bomb})
    size = len(bomb).to_bytes(4, "little")
    assert data.count(size) >= 2  # in the local header and in the directory
    path = put("a.zip", data.replace(size, (1000).to_bytes(4, "little")))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"TOY_A\.txt"):
        drain(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("suffix", [".smi", ".csv", ".sdf"])
def test_a_compressed_endless_line_costs_little_memory(put, suffix):
    data = MAKERS[suffix]() + b"C" * 30_000_000 + b"\n"
    path = put(f"a{suffix}.gz", gzip.compress(data, 1))
    assert path.stat().st_size < 200_000
    del data
    drain(put(f"warm{suffix}", MAKERS[suffix]()))
    tracemalloc.start()
    graphs, rejects = drain(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (graphs, len(rejects)) == (EXPECTED, 1)
    assert peak < 5 * source.MAX_RECORD


@pytest.mark.parametrize("declaration", ["<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", "<!doctype x>", "<!ENTITY a 'b'>"])
def test_entity_declarations_are_refused_before_parsing(put, declaration):
    data = graphml(TRIANGLE).replace(b"<graphml ", f"{declaration}<graphml ".encode())
    with pytest.raises(InputError, match="refused"):
        drain(put("a.graphml", data))
