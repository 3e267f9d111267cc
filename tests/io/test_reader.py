"""The reader's manners, whatever the bytes, and real files."""

from __future__ import annotations

import gc
import gzip
import io
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enpda import Graph, InputError
from enpda.io import FORMATS, Reader, Reject, read
from file_formats import (
    EXPECTED,
    GRAPHS,
    MAKERS,
    drain,
)

# -- manners -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_file_is_closed_at_the_end_on_leaving_and_when_forgotten(put, suffix):
    path = put(f"a{suffix}", MAKERS[suffix]())

    def opened() -> tuple[Reader, io.IOBase]:
        reader = read(path)
        assert next(reader) == GRAPHS.get(suffix, EXPECTED)[0]
        file = reader._file
        assert not file.closed
        return reader, file  # type: ignore[return-value]

    reader, file = opened()
    list(reader)
    assert file.closed
    assert list(reader) == []

    reader, file = opened()
    with reader as same:
        assert same is reader
    assert file.closed
    assert list(reader) == []

    reader, file = opened()
    reader.close()
    reader.close()
    assert file.closed

    reader, file = opened()
    del reader, same
    gc.collect()
    assert file.closed


def test_a_file_is_closed_after_an_error_too(put, monkeypatch):
    path = put("a.graphml", b"<")
    reader = read(path)
    with pytest.raises(InputError):
        next(reader)
    assert reader._file.closed
    with pytest.raises(InputError):
        read(put("a.csv", b"a,b\n"))  # a leak here would be a ResourceWarning, and so an error
    gc.collect()


def test_a_reader_is_an_iterator_and_a_reject_is_immutable(put):
    reader = read(put("a.smi", "CCO\nnonsense\n"))
    assert isinstance(reader, Iterator)
    list(reader)
    with pytest.raises(AttributeError):
        reader.rejects[0].line = 3  # type: ignore[misc]


def test_importing_the_reader_loads_no_heavy_library():
    code = "import sys, enpda.io; print({'rdkit', 'pyarrow', 'networkx'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


# -- anything at all -------------------------------------------------------------------------------------------


def survives(suffix: str, data: bytes) -> None:
    """Read the bytes to the end: graphs and rejects, or one InputError, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        path.write_bytes(data)
        graphs: list[Graph] = []
        rejects: list[Reject] = []
        message = str(path)
        try:
            graphs, rejects = drain(path)
        except InputError as error:
            message = str(error)
    assert str(path) in message
    assert all(isinstance(graph, Graph) for graph in graphs)
    assert all(reject.line > 0 and reject.reason for reject in rejects)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".smi", ".csv", ".sdf", ".gml", ".graphml", ".zip", ".parquet", ".smi.gz"])
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_arbitrary_bytes_are_rejects_or_an_input_error(suffix, data):
    survives(suffix, data)
    if suffix == ".csv":
        survives(suffix, b"smiles,name\n" + data)


@pytest.mark.parametrize("suffix", FORMATS)
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.binary(min_size=1, max_size=4)), max_size=5),
    end=st.floats(0.3, 1.0) | st.just(1.0),
)
def test_a_valid_file_with_damage_is_rejects_or_an_input_error(suffix, edits, end):
    data = bytearray(MAKERS[suffix]())
    for place, gone, new in edits:
        at = int(place * len(data))
        data[at : at + gone] = new
    survives(suffix, bytes(data[: int(end * len(data))]))


# -- real data -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count", "nodes", "edges"),
    [
        ("AIDS", 2000, 15.69, 16.20),
        ("MCF-7_NCI83", 3918, 29.51, 32.17),
        ("DD", 1178, 284.32, 715.66),
        ("IMDB-BINARY", 1000, 19.77, 96.53),
        ("PROTEINS", 1113, 39.06, 72.82),
        ("ENZYMES", 600, 32.63, 62.14),
    ],
)
def test_tu_datasets_have_their_published_counts_and_averages(data, name, count, nodes, edges):
    graphs, rejects = drain(data / "tu" / f"{name}.zip")
    assert (len(graphs), rejects) == (count, [])
    assert round(sum(len(graph) for graph in graphs) / count, 2) == nodes
    assert round(sum(graph.size for graph in graphs) / count, 2) == edges
    assert [graph.name for graph in graphs] == [f"{name}/{k}" for k in range(count)]


@pytest.mark.slow
def test_molecules_of_a_real_table_come_with_the_rows_that_do_not_sanitise(data):
    with read(data / "molhiv.csv.gz") as reader:
        graphs = list(itertools.islice(reader, 2000))
    assert len(graphs) == 2000
    assert reader.rejects == []
    assert [oddity.line for oddity in reader.oddities] == [139, 989]
    assert all("valence" in oddity.reason for oddity in reader.oddities)
    assert [at for at, graph in enumerate(graphs, 2) if graph.oddity is not None] == [139, 989]


@pytest.mark.parametrize(("name", "count"), [("chembl_1907596.smi", 529), ("test_cluster1.smi", 55)])
def test_names_before_smiles_are_noticed_in_real_files(data, name, count):
    graphs, rejects = drain(data / name)
    assert (len(graphs), rejects) == (count, [])
    assert all((graph.name or "").startswith("CHEMBL") for graph in graphs)
    assert (graphs, rejects) == drain(data / name, smiles=1, name=0)


@pytest.mark.parametrize("suffix", [s for s in FORMATS if s not in (".txt", ".smiles", ".inchi", ".mol", ".sd")])
@pytest.mark.parametrize("packed", [False, True])
def test_an_open_file_reads_as_the_file_does_whatever_it_is_called(put, suffix, packed):
    data = MAKERS[suffix]()
    expected = list(read(put(f"a{suffix}", data)))
    source = io.BytesIO(gzip.compress(data) if packed else data)
    given = suffix if suffix in (".smi", ".tsv") else None  # the others show in their beginning
    with read(source, format=given) as reader:
        assert list(reader) == expected
        assert [graph.name for graph in expected] == [graph.name for graph in read(put(f"b{suffix}", data))]


def test_an_open_file_of_text_or_of_damaged_bytes_is_refused():
    with pytest.raises(InputError, match="opened in binary mode"):
        read(io.StringIO("CCO"))
    with pytest.raises(InputError, match="BytesIO"):
        read(io.BytesIO(b"\x1f\x8bnonsense"))
