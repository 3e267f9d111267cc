"""What comes out of files: every format gives its graphs, in order, with their names."""

from __future__ import annotations

import gzip
import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enpda import Graph, InputError
from enpda.io import FORMATS, graph_files, read, source, tu
from file_formats import (
    DRUGS,
    EXPECTED,
    GRAPHS,
    MAKERS,
    NAMES,
    PATH,
    TEXT,
    TRIANGLE,
    csv,
    drain,
    gml,
    graphml,
    mol_block,
    names_of,
    parquet_of,
    smi,
    tu_members,
    zipped,
)


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_gives_its_graphs_in_order_with_their_names(put, suffix):
    graphs, rejects = drain(put(f"file{suffix}", MAKERS[suffix]()))
    assert graphs == GRAPHS.get(suffix, EXPECTED)
    assert [graph.name for graph in graphs] == NAMES.get(suffix, list(DRUGS))
    assert rejects == []


@pytest.mark.parametrize("suffix", TEXT)
def test_a_compressed_text_file_reads_like_the_plain_one(put, suffix):
    data = MAKERS[suffix]()
    plain, packed = drain(put(f"a{suffix}", data)), drain(put(f"a{suffix}.gz", gzip.compress(data)))
    assert plain == packed
    assert plain[0]


def test_the_case_of_the_suffix_does_not_matter_and_a_string_is_a_path(put):
    assert drain(str(put("A.SMI.GZ", gzip.compress(smi()))))[0] == EXPECTED


def test_an_empty_file_of_smiles_lines_holds_no_graphs(put):
    assert drain(put("a.smi", b"")) == ([], [])


def test_blank_lines_and_comments_are_skipped_but_counted(put):
    graphs, rejects = drain(put("a.smi", "# drugs\n\nCCO\r\n   \n#CCN x\nnonsense\nCCN"))
    assert graphs == [Graph.from_smiles("CCO"), Graph.from_smiles("CCN")]
    assert [reject.line for reject in rejects] == [6]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("CCO\n", [None]),
        ("CCO ethanol\n", ["ethanol"]),
        ("CCO ethyl alcohol\n", ["ethyl alcohol"]),
        ("CCO\tethyl alcohol\t46.07\n", ["ethyl alcohol"]),
        ("CCO\t\n", [None]),
        ("\ufeffCCO éthanol\n", ["éthanol"]),
        ("SMILES Name\nCCO ethyl alcohol\n", ["ethyl alcohol"]),
        ("smiles\nCCO\n", [None]),
        ("ID Canonical_SMILES\ne1 CCO\n", ["e1"]),
        ("SMILES ID mass\nCCO e1 46.07\n", ["e1"]),
        ("Canonical SMILES\tCompound\nCCO\te1\n", ["e1"]),
    ],
)
def test_smiles_lines_name_their_molecules(put, text, names):
    path = put("a.smi", text)
    assert names_of(path) == names
    assert drain(path)[0] == [Graph.from_smiles("CCO")]


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("e1 CCO\n", {"smiles": 1}, "e1"),
        ("e1 CCO\n", {"name": 0}, "e1"),
        ("e1 CCO 46.07\n", {"smiles": 1, "name": 0}, "e1"),
        ("46.07 CCO e1\n", {"smiles": 1, "name": 2}, "e1"),
        ("id smiles\ne1 CCO\n", {"smiles": 1, "name": 0}, "e1"),
        ("mass what structure\n46.07 e1 CCO\n", {"smiles": "structure", "name": "What"}, "e1"),
    ],
)
def test_columns_of_smiles_lines_can_be_chosen(put, text, options, name):
    graphs, rejects = drain(put("a.smi", text), **options)
    assert (graphs, rejects) == ([Graph.from_smiles("CCO")], [])
    assert graphs[0].name == name


def test_names_before_smiles_are_noticed_even_when_a_molecule_among_them_is_bad(put):
    graphs, rejects = drain(put("a.smi", b"x1\tnonsense\n" + smi("name")))
    assert graphs == EXPECTED
    assert [graph.name for graph in graphs] == list(DRUGS)
    assert [reject.line for reject in rejects] == [1]


def test_names_that_happen_to_be_smiles_do_not_turn_a_file_round(put):
    # Two bad molecules called CO and CN, then a good one: the good one decides.
    graphs, rejects = drain(put("a.smi", "C1CC CO\nC1CCC CN\nCCO x\n"))
    assert [graph.name for graph in graphs] == ["x"]
    assert [reject.line for reject in rejects] == [1, 2]


def test_one_line_is_too_little_to_turn_a_file_round(put):
    graphs, rejects = drain(put("a.smi", "C1CC CO\n"))
    assert graphs == []
    assert "C1CC" in rejects[0].reason


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("smiles", ["shape", "SHAPE", 1])
@pytest.mark.parametrize("name", ["code", 2])
def test_columns_of_a_table_are_chosen_by_title_or_number(put, suffix, smiles, name):
    columns = {"n": [7, 8], "shape": ["CCO", "CCN"], "code": ["e", "a"]}
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
    path = put(f"a{suffix}", text if suffix == ".csv" else parquet_of(columns))
    assert names_of(path, smiles=smiles, name=name) == ["e", "a"]
    assert drain(path, smiles=smiles)[0] == [Graph.from_smiles("CCO"), Graph.from_smiles("CCN")]
    assert names_of(path, smiles=smiles) == [None, None]
    with pytest.raises(InputError, match=r"SMILES.*3 columns found are \['n', 'shape', 'code'\]"):
        read(path)
    for missing in ("nope", 3):
        with pytest.raises(InputError, match=r"no column .*shape"):
            read(path, smiles=smiles, name=missing)


@pytest.mark.parametrize("title", ["smiles", "SMILES", " Smiles ", "canonical_smiles", "Canonical SMILES"])
def test_the_usual_titles_of_a_smiles_column_are_found(put, title):
    assert drain(put("a.csv", csv(header=("id", title))))[0] == EXPECTED


def test_quoted_fields_may_hold_separators_and_line_ends(put):
    text = '\ufeffsmiles,note,name\nCCO,"two\nlines, one comma",e\n\nnonsense,,x\nCCN,"""q""",a\n'
    graphs, rejects = drain(put("a.csv", text))
    assert [graph.name for graph in graphs] == ["e", "a"]
    assert [reject.line for reject in rejects] == [5]


def test_numbers_in_a_parquet_name_column_become_strings(put):
    assert names_of(put("a.parquet", parquet_of({"smiles": ["C", "N"], "id": [7, None]}))) == ["7", None]


def test_sd_files_in_the_v3000_style_and_without_a_last_delimiter_are_read(put):
    from rdkit import Chem

    v3000 = Chem.MolToV3KMolBlock(Chem.MolFromSmiles("CCO"))
    text = f"{v3000}$$$$\n{mol_block('CCN', 'amine')}".replace("\n", "\r\n")
    graphs, rejects = drain(put("a.sdf", text))
    assert graphs == [Graph.from_smiles("CCO"), Graph.from_smiles("CCN")]
    assert [graph.name for graph in graphs] == [None, "amine"]
    assert rejects == []


def test_data_fields_of_an_sd_file_may_hold_anything(put, monkeypatch):
    monkeypatch.setattr(source, "MAX_RECORD", 2000)
    fields = b">  <latin>\n\xe9\0\n" + b"x" * 5000 + b"\n\n$$$$\n"
    data = mol_block("CCO").encode() + fields + mol_block("CCN").encode() + fields
    assert drain(put("a.sdf", data)) == ([Graph.from_smiles("CCO"), Graph.from_smiles("CCN")], [])


@pytest.mark.parametrize("data", [gml(TRIANGLE, quote='"'), graphml(TRIANGLE, kind="string")])
def test_labels_written_as_strings_of_digits_are_integers(put, data):
    suffix = ".gml" if data.startswith(b"Creator") else ".graphml"
    assert drain(put(f"a{suffix}", data)) == ([TRIANGLE], [])


@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_the_attributes_that_hold_labels_can_be_chosen_or_ignored(put, suffix):
    data = MAKERS[suffix]().replace(b"label", b"colour")
    path = put(f"a{suffix}", data)
    assert drain(path, node="colour", edge="colour")[0][0] == TRIANGLE
    assert drain(path, node=None, edge=None)[0][0] == Graph([0, 0, 0], TRIANGLE.edges)


def test_a_default_of_graphml_holds_where_a_node_says_nothing(put):
    key = b'<key id="a" for="node" attr.name="label" attr.type="int"'
    data = graphml(TRIANGLE).replace(key + b"/>", key + b"><default>6</default></key>")
    data = data.replace(b'<data key="a">6</data>', b"")
    assert drain(put("a.graphml", data)) == ([TRIANGLE], [])


def test_graphml_without_its_namespace_is_read(put):
    data = graphml(TRIANGLE).replace(f' xmlns="{graph_files.NAMESPACE}"'.encode(), b"")
    assert drain(put("a.graphml", data)) == ([TRIANGLE], [])


def test_networkx_graphs_survive_graphml(put, tmp_path):
    import networkx

    for k, graph in enumerate(EXPECTED):
        networkx.write_graphml_xml(graph.to_networkx(), tmp_path / f"{k}.graphml")
        assert drain(tmp_path / f"{k}.graphml") == ([graph], [])


def people():
    import networkx

    graph = networkx.Graph(name="people")
    graph.add_node("Zoë", kind="dean", age=61, born=1.5)
    graph.add_node("Bob", kind="student", age=24, born=2.25)
    graph.add_node("Ada & Co", kind="student", age=24, born=2.25)
    graph.add_edge("Zoë", "Bob", label="advises", since=2001)
    graph.add_edge("Bob", "Ada & Co", label="knows", since=2010)
    return graph


@pytest.mark.parametrize("node", ["kind", "age", "label", None])
@pytest.mark.parametrize("edge", ["label", "since", None])
def test_gml_and_graphml_that_networkx_wrote_are_the_graph_itself(tmp_path, node, edge):
    import networkx

    expected = Graph.from_networkx(people(), node, edge)
    networkx.write_gml(people(), tmp_path / "a.gml")
    networkx.write_graphml_xml(people(), tmp_path / "a.graphml")
    for suffix in (".gml", ".graphml"):
        (graph,), rejects = drain(tmp_path / f"a{suffix}", node=node, edge=edge)
        assert graph == expected
        assert graph.names == expected.names == ("Zoë", "Bob", "Ada & Co")
        assert graph.label_names == expected.label_names
        assert (graph.name, rejects) == ("people", [])


def test_numbers_that_networkx_wrote_as_text_are_no_names(tmp_path):
    import networkx

    for suffix, write in ((".gml", networkx.write_gml), (".graphml", networkx.write_graphml_xml)):
        write(networkx.path_graph(12), tmp_path / f"a{suffix}")
        (graph,), _ = drain(tmp_path / f"a{suffix}")
        assert graph == Graph([0] * 12, [(k, k + 1) for k in range(11)])
        assert graph.names is None
        write(networkx.path_graph([5, 3, 4]), tmp_path / f"a{suffix}")
        assert drain(tmp_path / f"a{suffix}")[0][0].names == ("5", "3", "4")


@pytest.mark.parametrize(
    "layout",
    [
        'graph [\n  node [ id 1 label "C" ]\n  node [ id 2 label "O" ]\n  edge [ source 1 target 2 label "-" ]\n]\n',
        'Creator "other"\ngraph [\n  node [\n    id 1\n    label "C"\n  ]\n  node [\n    id 2\n    label "O"\n  ]\n'
        '  edge [\n    source 1\n    target 2\n    label "-"\n  ]\n]\n',
    ],
)
def test_a_label_in_gml_that_others_wrote_is_a_label(put, layout):
    (graph,), _ = drain(put("a.gml", layout))
    assert [graph.given_label(x) for x in (*graph.labels.tolist(), *graph.edge_labels.tolist())] == ["C", "O", "-"]
    assert graph.names == (1, 2)
    (graph,), _ = drain(put("a.gml", layout), node=None)
    assert graph.labels.tolist() == [0, 0]
    assert graph.names == ("C", "O")


def test_a_label_that_two_nodes_share_is_no_name_whoever_wrote_it(put):
    text = "graph [\n" + "".join(f'  node [\n    id {k}\n    label "{x}"\n  ]\n' for k, x in enumerate("CCO")) + "]\n"
    (graph,), _ = drain(put("a.gml", text))
    assert [graph.given_label(x) for x in graph.labels.tolist()] == ["C", "C", "O"]
    assert graph.names is None


def test_fractions_in_files_are_rounded_as_asked_or_refused(tmp_path):
    import networkx

    for suffix, write in ((".gml", networkx.write_gml), (".graphml", networkx.write_graphml_xml)):
        write(people(), tmp_path / f"a{suffix}")
        (graph,), _ = drain(tmp_path / f"a{suffix}", node="born", decimals=1)
        assert [graph.given_label(x) for x in graph.labels.tolist()] == [1.5, 2.2, 2.2]
        graphs, rejects = drain(tmp_path / f"a{suffix}", node="born")
        assert graphs == []
        assert "decimals=N" in rejects[0].reason


def test_files_of_directed_graphs_and_of_parallel_edges_that_differ_say_what_to_do(tmp_path):
    import networkx

    several = networkx.MultiGraph()
    several.add_edge("x", "y", label="s")
    several.add_edge("x", "y", label="d")
    for suffix, write in ((".gml", networkx.write_gml), (".graphml", networkx.write_graphml_xml)):
        write(networkx.DiGraph([("x", "y")]), tmp_path / f"a{suffix}")
        assert "to_undirected()" in drain(tmp_path / f"a{suffix}")[1][0].reason
        write(several, tmp_path / f"a{suffix}")
        assert "different labels, s and d" in drain(tmp_path / f"a{suffix}")[1][0].reason


def test_blank_lines_before_a_gml_graph_cost_next_to_nothing(put):
    blank = 300_000  # with the square of their number this would take an hour
    reader = read(put("a.gml", b"\n" * blank + gml(TRIANGLE, flags="directed 1")))
    assert list(reader) == []
    assert reader.rejects[0].line == blank + 3


def test_tu_lines_may_straddle_blocks_and_end_in_any_way(put, monkeypatch):
    members = {
        name: "\ufeff" + text.rstrip("\n").replace("\n", "\r\n") for name, text in tu_members(PATH, PATH).items()
    }
    path = put("a.zip", zipped(members))
    for block in range(5, 12):
        monkeypatch.setattr(tu, "MAX_RECORD", block)
        assert drain(path) == ([PATH, PATH], [])


@pytest.mark.parametrize("folder", ["", "TOY/", "deep/down/"])
def test_a_tu_zip_may_have_any_folder_and_hidden_files(put, folder):
    members = tu_members(TRIANGLE, PATH)
    members |= {f"._{name}": "junk" for name in members}
    assert names_of(put("a.zip", zipped(members, folder))) == ["TOY/0", "TOY/1"]


def test_missing_tu_labels_are_zero_and_of_several_the_first_counts(put):
    members = tu_members(TRIANGLE)
    members["TOY_node_labels.txt"] = "6, 1\n7, 1\n8, 1\n"
    assert drain(put("a.zip", zipped(members)))[0] == [TRIANGLE]
    del members["TOY_node_labels.txt"], members["TOY_edge_labels.txt"]
    assert drain(put("b.zip", zipped(members)))[0] == [Graph([0, 0, 0], TRIANGLE.edges)]


def test_tu_graphs_come_by_number_however_their_vertices_and_edges_are_mixed(put):
    # Graph 7 has vertices 1, 3, 5 (labels 6, 7, 8: the triangle), graph 2 has vertices 2, 4; no other number is used.
    members = {
        "X_A.txt": "5, 3\n4, 2\n1, 3\n2, 4\n3, 5\n1, 5\n",
        "X_graph_indicator.txt": "7\n2\n7\n2\n7\n",
        "X_node_labels.txt": "6\n1\n7\n2\n8\n",
        "X_edge_labels.txt": "2\n9\n1\n9\n2\n1\n",
    }
    path = put("a.zip", zipped(members))
    assert drain(path) == ([Graph([1, 2], [(0, 1)], [9]), TRIANGLE], [])
    assert names_of(path) == ["X/1", "X/6"]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    labels = draw(st.lists(st.integers(-5, 60), min_size=1, max_size=8))
    pairs = list(itertools.combinations(range(len(labels)), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(labels, edges, draw(st.lists(st.integers(0, 3), min_size=len(edges), max_size=len(edges))))


@settings(deadline=None, max_examples=30)
@given(st.lists(graphs(), max_size=6))
def test_any_graphs_survive_the_tu_layout(written):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.zip")
        path.write_bytes(zipped(tu_members(*written)))
        assert drain(path) == (written, [])


@settings(deadline=None, max_examples=30)
@given(graphs())
def test_any_graph_survives_gml_and_graphml(graph):
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("a.gml", gml(graph)), ("a.graphml", graphml(graph))):
            path = Path(folder, name)
            path.write_bytes(data)
            assert drain(path) == ([graph], [])
