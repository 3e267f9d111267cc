"""A library gives back what went into it, and refuses what it did not write."""

import json

import networkx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from enpda import Graph, InputError, Library
from enpda.cli import main
from enpda.data import drugs
from enpda.graph import read_text
from strategies import graphs, random_graph, reordered

pytestmark = pytest.mark.native

ODD = ["C(C)(C)(C)(C)C", "c1cccc1", "[Na+].[Cl-]", "[2H]C", "CC->[Fe]", "C"]
"""Five bonds, no Kekulé form, two components, an isotope, a dative bond, one atom."""


def same(a: Graph, b: Graph) -> bool:
    return a == b and a.name == b.name and a.oddity == b.oddity and a.to_dict() == b.to_dict()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "library.arrow"


def test_molecules_come_back_as_they_went_in(file):
    items = [*drugs().values(), *(read_text(smiles, smiles) for smiles in ODD)]
    library = Library.build(items, file)
    assert len(library) == len(items)
    assert library.ids == [graph.name for graph in items]
    assert all(same(*both) for both in zip(items, library, strict=True))
    assert [len(core) for core in library.cores] == library.nodes.tolist() == [len(graph) for graph in items]
    assert library.edges.tolist() == [graph.size for graph in items]
    assert library.molecules == len(items)
    assert library.odd == sum(graph.oddity is not None for graph in items) == len(library.oddities) > 0
    assert library.smiles == [library.smiles_of(k) for k in range(len(items))] == Library.of(items).smiles
    assert library.digest == Library.of(items).digest


@pytest.mark.slow
@given(items=st.lists(graphs(), max_size=8))
def test_graphs_come_back_as_they_went_in(items, tmp_path_factory):
    file = tmp_path_factory.mktemp("library") / "library.arrow"
    library = Library.build(iter(items), file)
    assert all(same(*both) for both in zip(items, library, strict=True))
    assert same_cores(library, Library.of(items))
    assert Library.loads(file.read_bytes()).digest == library.digest == Library.of(items).digest
    assert library.molecules == library.odd == 0
    assert library.smiles == [None] * len(items)


def same_cores(a: Library, b: Library) -> bool:
    return all(
        np.array_equal(x.labels(), y.labels())
        and np.array_equal(x.edges(), y.edges())
        and np.array_equal(x.edge_labels(), y.edge_labels())
        for x, y in zip(a.cores, b.cores, strict=True)
    )


def test_large_libraries_are_written_in_batches(file):
    rng = np.random.default_rng(1)
    some = [random_graph(rng, 3, 0.7, 3, 2) for _ in range(40)]
    items = [some[k % 40] for k in range(4_100)]
    library = Library.build(items, file)
    assert len(library) == len(library.cores) == 4_100
    assert library[4_099] == items[4_099] == library[-1]
    assert library[4_095:4_098] == items[4_095:4_098]
    assert library[7] is library[7]  # made once
    with pytest.raises(IndexError):
        library[4_100]


def test_ids_are_names_where_these_are_new():
    names = ["a", "a", None, "3", None, "", "a#1"]
    library = Library.of([Graph([0], name=name) for name in names])
    assert library.ids == ["a", "a#1", "2", "3", "4", "5", "a#1#6"]
    assert len(set(library.ids)) == len(names)
    assert [graph.name for graph in library] == names


def test_classes_name_the_first_isomorphic_graph():
    rng = np.random.default_rng(5)
    a, b = random_graph(rng, 7, 0.4, 2, 2), random_graph(rng, 7, 0.4, 2, 2)
    items = [a, b, reordered(a, rng.permutation(7)), reordered(b, rng.permutation(7)), a]
    assert Library.of(items).classes.tolist() == [0, 1, 0, 1, 0]


def test_what_cannot_be_read_is_listed(file):
    library = Library.build(["CCO", "not a molecule", 7, "C(C)(C)(C)(C)C"], file)
    assert len(library) == 2
    assert [reject.line for reject in library.rejects] == [2, 3]
    assert "not a SMILES" in library.rejects[0].reason
    assert [oddity.line for oddity in library.oddities] == [4]
    with pytest.raises(InputError, match="a data frame, a dictionary by name or an iterable"):
        Library.of(7)


def test_append_adds_at_the_end_and_merge_puts_together(file, tmp_path):
    library = Library.build(["CCO", "CCN"], file)
    longer = library.append(["CCC", "CCO", "bad!"])
    assert longer.ids == ["0", "1", "2", "3"]
    assert len(longer.rejects) == 1
    assert Library.open(file).smiles == ["CCO", "CCN", "CCC", "CCO"]
    assert len(library) == 2  # what was opened before stays as it was
    assert library[1].size == 2
    other = Library.build([Graph([1, 1], [(0, 1)], name="0")], tmp_path / "other.arrow")
    both = Library.merge([other, file], tmp_path / "both.arrow")
    assert both.ids == ["0", "0#1", "1", "2", "3"]
    assert both[0] == other[0]
    assert Library.open(file).append(tmp_path / "other.arrow").ids == ["0", "1", "2", "3", "0#4"]
    with pytest.raises(InputError, match=r"only a library in a file can be appended to; use Library\.build"):
        Library.of(["C"]).append(["C"])


def test_an_empty_library_is_a_library(file):
    library = Library.build([], file)
    assert len(library) == len(library.cores) == len(library.classes) == 0
    assert list(Library.open(file)) == []
    assert repr(library) == f"Library(0 graphs, {file})"


def test_files_that_are_no_libraries_are_refused(file, tmp_path):
    with pytest.raises(InputError, match="not a library"):
        Library.open(tmp_path / "missing")
    file.write_text("CCO\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a library"):
        Library.open(file)
    foreign = written(pa.table({"id": ["a"], "labels": [[1, 2]]}), file)
    with pytest.raises(InputError, match="a library of version ''; this is version 2"):
        Library.open(foreign)


def written(table, beside):
    """A table as an Arrow file of its own: the one beside it may be mapped into memory."""
    path = beside.with_suffix(".table")
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return path


def test_libraries_of_another_version_are_refused(file):
    table = Library.build(["CCO"], file)._table
    other = written(table.replace_schema_metadata({"enpda-library": "1"}), file)
    with pytest.raises(InputError, match="a library of version '1'; this is version 2"):
        Library.open(other)


def test_half_a_file_is_refused(file):
    Library.build(drugs().values(), file)
    data = file.read_bytes()
    for length in (3, 100, len(data) // 2, len(data) - 1):
        file.write_bytes(data[:length])
        with pytest.raises(InputError, match="not a library"):
            Library.open(file)


def test_graphs_that_are_wrong_are_refused(file):
    table = Library.build([Graph([1, 1], [(0, 1)])], file)._table
    wrong = table.set_column(table.schema.get_field_index("ends"), table.schema.field("ends"), [[[0, 7]]])
    library = Library.open(written(wrong, file))
    with pytest.raises(InputError, match="7"):
        library[0]
    with pytest.raises(InputError, match="7"):
        _ = library.cores


def test_a_failed_build_leaves_the_old_library(file):
    Library.build(["CCO"], file)

    def items():
        yield "CCN"
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        Library.build(items(), file)
    assert Library.open(file).smiles == ["CCO"]
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    with pytest.raises(InputError, match="No such file"):
        Library.build(["C"], file.parent / "nowhere" / "x.arrow")


# -- the command line ----------------------------------------------------------------------------------------


def test_commands_build_append_merge_and_show(tmp_path, capsys):
    text, library, both = tmp_path / "some.smi", tmp_path / "some.arrow", tmp_path / "both.arrow"
    text.write_text("CCO ethanol\nbad!\nCCN\n", encoding="utf-8")
    assert main(["library", "build", str(text), "-o", str(library)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{library}: 2 graphs\n"
    assert "records that are left out, because they cannot be read: 1; the first: " in err
    assert "line 2: not a SMILES: 'bad!'" in err
    assert main(["library", "append", str(library), str(text)]) == 0
    assert main(["library", "merge", str(library), str(text), "-o", str(both)]) == 0
    capsys.readouterr()
    assert main(["library", "info", str(both), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["graphs"], facts["distinct"], facts["molecules"], facts["odd"]) == (6, 2, 6, 0)
    assert facts["nodes"] == {"min": 3, "median": 3, "max": 3}
    assert Library.open(both).ids == ["ethanol", "1", "ethanol#2", "3", "ethanol#4", "1#5"]
    assert main(["library", "info", str(both)]) == 0
    assert "distinct    2" in capsys.readouterr().out
    assert main(["match", f"{both}:1", "CCN"]) == 0
    assert "2 bonds" in capsys.readouterr().out


def put_smiles(folder):
    path = folder / "good.smi"
    path.write_text("CCO\n", encoding="utf-8")
    return path


def test_commands_refuse_what_they_cannot_use(tmp_path, capsys):
    text, library = tmp_path / "some.smi", tmp_path / "some.arrow"
    text.write_text("bad!\n", encoding="utf-8")
    assert main(["library", "info", str(text)]) == 2
    assert main(["library", "build", str(tmp_path / "no.smi"), "-o", str(library)]) == 2
    assert main(["library", "append", str(library), str(text)]) == 2
    assert main(["library", "build", str(text), "-o", str(library)]) == 2  # nothing of it could be read
    assert not library.exists()
    assert main(["library", "build", str(put_smiles(tmp_path)), "-o", str(library)]) == 0
    assert main(["library", "frobnicate"]) == 2
    assert main(["match", f"{library}:7", "CCN"]) == 2
    out, err = capsys.readouterr()
    assert "has no graph number 7" in err
    assert "no record can be used\n  line 1: not a SMILES: 'bad!'" in err
    assert "Traceback" not in out + err


@pytest.mark.parametrize("command", ["build", "append", "merge", "info"])
def test_help_has_an_example(command, capsys):
    assert main(["library", command, "--help"]) == 0
    assert f"enpda library {command}" in capsys.readouterr().out.split("Example")[1]


@pytest.mark.slow
def test_a_library_of_real_molecules(data, file):
    library = Library.build(data / "chembl_1907596.smi", file)
    with enpda.read(data / "chembl_1907596.smi") as reader:
        assert all(same(*both) for both in zip(reader, library, strict=True))


def test_a_version_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "library.arrow"
    Library.build(["CCO"], path)
    data = path.read_bytes()
    own = b"2\0\0\0\r\0\0\0enpda-library"
    path.write_bytes(data.replace(own, b"\xff" + own[1:]))
    assert path.read_bytes() != data
    with pytest.raises(InputError, match="this is version 2"):
        Library.open(path)


def test_words_of_labels_and_names_of_nodes_are_kept(tmp_path):
    graph = networkx.Graph(name="tiny")
    graph.add_node("left", label="red")
    graph.add_node(("right", 1), label="blue")
    graph.add_edge("left", ("right", 1), label="thin")
    [kept] = Library.build([graph], tmp_path / "library.arrow")
    assert kept == Graph.from_networkx(graph)
    assert kept.names == ("left", ("right", 1))
    assert sorted(kept.label_names.values()) == ["blue", "red", "thin"]
