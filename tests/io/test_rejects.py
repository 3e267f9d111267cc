"""A bad record is a reject with its place and a reason, an odd molecule is read and told, and reading goes on."""

from __future__ import annotations

import re

import pytest

from enpda import Graph
from enpda.io import read, source
from enpda.io.pairs import read_pairs
from file_formats import (
    EXPECTED,
    MAKERS,
    PATH,
    TRIANGLE,
    drain,
    gml,
    graphml,
    mol_block,
    names_of,
    parquet_of,
    tu_members,
    zipped,
)

BROKEN_SDF = mol_block("CCO").replace("  3  2  0", "  9  2  0")
PENTAVALENT = (
    mol_block("CCCCO").replace(" O  ", " C  ").replace("  1  2  1  0", "  1  2  3  0").replace("  1  0", "  3  0")
)


@pytest.mark.parametrize(
    ("suffix", "bad", "reason"),
    [
        (".smi", b"C1CC open", "not a SMILES: 'C1CC'"),
        (".smi", b"\tname only", "empty"),
        (".smi", b"CC\0O nul", "NUL"),
        (".smi", b"CCO caf\xe9", "not UTF-8 text: byte 0xe9 at position 7"),
        (".smi", b"C" * 5001, "longer than 5000 bytes"),
        (".smi", b"C" * 20001, "longer than 5000 bytes"),
        (".csv", b"9,x,C1CC", "not a SMILES"),
        (".csv", b"9,x", "missing: it should be field 3 of 2"),
        (".csv", b"9,x,", "empty"),
        (".csv", b'9,"x"y,CCO', "expected after"),
        (".csv", b"9,x\0,CCO", "NUL"),
        (".csv", b"9,\xff,CCO", "not UTF-8"),
        (".csv", b"9,x,CC\rO", "new-line character"),
        (".csv", b"9,x,CCO," + b"y" * 5000, "longer than 5000 bytes"),
        (".sdf", BROKEN_SDF.encode() + b"$$$$", "mol block"),
        (".sdf", b"$$$$", "mol block"),
        (".sdf", b"a\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$", "no atoms"),
        (".sdf", b"caf\xe9\n" + mol_block("CCO").encode() + b"$$$$", "not UTF-8"),
        (".sdf", b"x\n" * 4000 + b"$$$$", "longer than 5000 bytes"),
    ],
)
def test_a_bad_record_is_a_reject_with_its_line_and_reason_and_reading_goes_on(
    put, monkeypatch, capfd, suffix, bad, reason
):
    monkeypatch.setattr(source, "MAX_RECORD", 5000)
    data = MAKERS[suffix]()
    path = put(f"a{suffix}", data + bad + b"\n" + (data if suffix != ".csv" else data.split(b"\n", 1)[1]))
    graphs, rejects = drain(path)
    assert graphs == EXPECTED * 2
    assert [(reject.file, reject.line) for reject in rejects] == [(str(path), data.count(b"\n") + 1)]
    assert reason in rejects[0].reason
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_reason_is_one_short_line(put):
    with read(put("a.smi", "C" * 19_999 + "(\nCN(C)(C)C\n" + "C" * 19_000 + "N(C)(C)C\n")) as reader:
        assert [len(graph) for graph in reader] == [5, 19_004]
    notes = [*reader.rejects, *reader.oddities]
    assert [note.line for note in notes] == [1, 2, 3]
    assert all(len(note.reason) <= 300 and note.reason.isprintable() for note in notes)


# -- odd molecules are read, and told --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "odd", "reason"),
    [
        (".smi", b"CN(C)(C)C valence", "Explicit valence for atom # 1 N, 4"),
        (".smi", b"c1cccc1C kekule", "Can't kekulize"),
        (".csv", b"9,x,CN(C)(C)C", "Explicit valence for atom # 1 N, 4"),
        (".sdf", PENTAVALENT.encode() + b"$$$$", "the mol block is not a valid molecule.*Explicit valence"),
    ],
)
def test_a_molecule_that_does_not_sanitise_is_read_and_listed(put, capfd, suffix, odd, reason):
    data = MAKERS[suffix]()
    path = put(f"a{suffix}", data + odd + b"\n" + (data if suffix != ".csv" else data.split(b"\n", 1)[1]))
    with read(path) as reader:
        graphs = list(reader)
    assert graphs[:4] == graphs[5:] == EXPECTED
    assert [at for at, graph in enumerate(graphs) if graph.oddity is not None] == [4]
    assert graphs[4].mol is not None
    assert graphs[4].size >= 4
    assert reader.rejects == []
    assert [(oddity.file, oddity.line) for oddity in reader.oddities] == [(str(path), data.count(b"\n") + 1)]
    assert re.search(reason, reader.oddities[0].reason)
    assert capfd.readouterr() == ("", "")


def test_odd_molecules_of_parquet_and_of_pairs_are_listed(put):
    with read(put("a.parquet", parquet_of({"smiles": ["CCO", "CN(C)(C)C"]}))) as reader:
        assert [len(graph) for graph in reader] == [3, 5]
    assert [oddity.line for oddity in reader.oddities] == [2]
    pairs, rejects, oddities = read_pairs(put("a.csv", "a,b\nCCO,CCN\nCCO,CN(C)(C)C\nc1cccc1,cc\nC1C,cc\n"))
    assert len(pairs) == 3
    assert [reject.line for reject in rejects] == [5]
    assert [(oddity.line, oddity.reason[:2]) for oddity in oddities] == [(3, "b:"), (4, "a:"), (4, "b:")]


def test_names_that_read_as_odd_molecules_are_still_names(put):
    path = put("a.txt", "c1 CCO\ncc CCN\nFF(F)F CCC\n")
    assert names_of(path) == ["c1", "cc", "FF(F)F"]


def test_an_open_quote_tells_which_lines_it_swallowed(put):
    graphs, rejects = drain(put("a.csv", 'smiles,name\nCCO,e\nCCN,"oops\nCCC,p\nCCCC,b\n'))
    assert [graph.name for graph in graphs] == ["e"]
    assert [reject.line for reject in rejects] == [3]
    assert "lines 3 to 5 are left out" in rejects[0].reason


def test_a_row_that_never_ends_is_cut_at_the_limit_and_the_rows_after_it_are_read(put, monkeypatch):
    monkeypatch.setattr(source, "MAX_RECORD", 100)
    graphs, rejects = drain(put("a.csv", 'smiles,name\nCCO,"' + '\n","' * 40 + "\nCCN,a\n"))
    assert graphs[-1] == Graph.from_smiles("CCN")
    assert (rejects[0].line, "longer than 100 bytes" in rejects[0].reason) == (2, True)


def test_bad_rows_of_parquet_are_rejects_with_their_row(put):
    import pyarrow

    not_utf8 = pyarrow.array([b"C", b"\xff", b"N"]).view(pyarrow.string())
    graphs, rejects = drain(put("a.parquet", parquet_of({"smiles": not_utf8})))
    assert graphs == [Graph.from_smiles("C"), Graph.from_smiles("N")]
    assert [reject.line for reject in rejects] == [2]

    rows = ["C"] * 1500 + [None, "C1CC", "N"]
    graphs, rejects = drain(put("b.parquet", parquet_of({"smiles": rows})))
    assert len(graphs) == 1501
    assert [(reject.line, reject.reason) for reject in rejects] == [
        (1501, "the SMILES is missing"),
        (1502, "not a SMILES: 'C1CC' (unclosed ring)"),
    ]

    graphs, rejects = drain(put("c.parquet", parquet_of({"smiles": [1.5]})))
    assert (graphs, rejects[0].reason) == ([], "a SMILES must be a string; got 1.5")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gml(TRIANGLE, flags="multigraph 1")[:-2] + b"edge [ source 1 target 0 label 9 ]\n]\n", "label"),
        (gml(TRIANGLE)[:-2] + b"edge [ source 1 target 0 label 9 ]\n]\n", "duplicated"),
        (gml(TRIANGLE)[:-2] + b"edge [ source 1 target 7 label 9 ]\n]\n", "undefined target 7"),
        (gml(TRIANGLE, flags="directed 1"), "directed"),
        (gml(TRIANGLE).replace(b"label 7", b"label 1.5"), "whole numbers"),
        (gml(TRIANGLE).replace(b"label 7", b"label " + b"9" * 30), "64 bits"),
        (gml(TRIANGLE).replace(b"label 7", b""), "no attribute 'label'"),
    ],
)
def test_a_graph_that_gml_describes_wrongly_is_a_reject_at_its_first_line(put, data, reason):
    graphs, rejects = drain(put("a.gml", data))
    assert graphs == []
    assert [reject.line for reject in rejects] == [3]
    assert reason in rejects[0].reason


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"</graph>", b'<edge source="n1" target="n0"><data key="b">9</data></edge></graph>', "label"),
        (b"</graph>", b"<hyperedge/></graph>", "hyperedges"),
        (b'"undirected"', b'"directed"', "directed"),
        (b">7<", b">N<", "invalid literal"),
        (b'<data key="a">7</data>', b"", "no attribute 'label'"),
    ],
)
def test_one_bad_graph_of_several_in_graphml_is_a_reject_at_its_line(put, old, new, reason):
    bad = graphml(TRIANGLE).replace(old, new).split(b"<graph ")[1].split(b"</graphml>")[0]
    data = graphml(PATH, TRIANGLE).replace(b"</graphml>", b"<graph " + bad + graphml(PATH).split(b"/>\n")[-1])
    graphs, rejects = drain(put("a.graphml", data))
    assert graphs == [PATH, TRIANGLE, PATH]
    assert [reject.line for reject in rejects] == [data[: data.index(bad)].count(b"\n") + 1]
    assert reason in rejects[0].reason


def test_a_bad_graph_of_a_tu_zip_is_a_reject_with_its_number(put):
    members = tu_members(TRIANGLE, TRIANGLE, PATH)
    members["TOY_edge_labels.txt"] = members["TOY_edge_labels.txt"].replace("1\n1", "1\n4", 1)
    graphs, rejects = drain(put("a.zip", zipped(members)))
    assert [graph.name for graph in graphs] == ["TOY/1", "TOY/2"]
    assert [reject.line for reject in rejects] == [1]

    members = tu_members(TRIANGLE, PATH, TRIANGLE)
    members["TOY_A.txt"] += "1, 8\n"
    members["TOY_edge_labels.txt"] += "1\n"
    graphs, rejects = drain(put("b.zip", zipped(members)))
    assert graphs == [PATH]
    assert [(reject.line, "another graph" in reject.reason) for reject in rejects] == [(1, True), (3, True)]


def test_a_graph_inside_a_node_is_a_reject(put):
    inner = b'<node id="n0"><graph id="inner"><node id="x"/></graph></node>'
    graphs, rejects = drain(put("a.graphml", graphml(TRIANGLE).replace(b"</graph>", inner + b"</graph>", 1)))
    assert graphs == []
    assert "nested graphs are not read" in rejects[0].reason
