"""Claims about reading files: every format, every way to be bad, and nothing but InputError."""

from __future__ import annotations

import gc
import gzip
import io
import itertools
import re
import subprocess
import sys
import tempfile
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from enpda import Graph, InputError
from enpda.io import FORMATS, Reader, Reject, graph_files, parquet, read, source, tu
from enpda.io.pairs import read_pairs
from enpda.limits import LIMITS

DRUGS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "caffeine": "Cn1c(=O)c2c(ncn2C)n(C)c1=O",
    "paracetamol": "CC(=O)Nc1ccc(O)cc1",
    "ibuprofen": "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
}
EXPECTED = [Graph.from_smiles(smiles) for smiles in DRUGS.values()]
TRIANGLE = Graph([6, 7, 8], [(0, 1), (1, 2), (0, 2)], [1, 2, 1])
PATH = Graph([1, 1, 2, 3], [(0, 1), (1, 2), (2, 3)], [5, 5, 6])


# -- files in each format ------------------------------------------------------------------------------------


def smi(first: str = "smiles") -> bytes:
    rows = DRUGS.items() if first == "name" else ((smiles, name) for name, smiles in DRUGS.items())
    return "".join(f"{a}\t{b}\n" for a, b in rows).encode()


def csv(separator: str = ",", header: tuple[str, str] = ("Name", "SMILES")) -> bytes:
    rows = [header, *DRUGS.items()]
    return "".join(f"{i}{separator}{a}{separator}{b}\n" for i, (a, b) in enumerate(rows)).encode()


def mol_block(smiles: str, title: str = "") -> str:
    from rdkit import Chem

    mol = Chem.MolFromSmiles(smiles)
    mol.SetProp("_Name", title)
    return str(Chem.MolToMolBlock(mol))


def sdf() -> bytes:
    fields = ">  <note>\nfree text\n\n$$$$\n"
    return "".join(mol_block(smiles, name) + fields for name, smiles in DRUGS.items()).encode()


def gml(graph: Graph, quote: str = "", flags: str = "") -> bytes:
    nodes = "".join(f"  node [ id {k} label {quote}{label}{quote} ]\n" for k, label in enumerate(graph.labels))
    edges = "".join(
        f"  edge [ source {u} target {v} label {label} ]\n"
        for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels, strict=True)
    )
    return f'Creator "us"\n\ngraph [\n  {flags}\n  name "tiny"\n{nodes}{edges}]\n'.encode()


def graphml(*graphs: Graph, kind: str = "int", mode: str = "undirected") -> bytes:
    bodies = []
    for graph in graphs:
        nodes = [f'<node id="n{k}"><data key="a">{label}</data></node>' for k, label in enumerate(graph.labels)]
        edges = [
            f'<edge source="n{u}" target="n{v}"><data key="b">{label}</data></edge>'
            for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels, strict=True)
        ]
        name = '<data key="c">tiny</data>'
        bodies.append("\n".join([f'<graph edgedefault="{mode}">', name, *nodes, *edges, "</graph>"]))
    keys = "".join(
        f'<key id="{key}" for="{what}" attr.name="{title}" attr.type="{kind}"/>\n'
        for key, what, title, kind in (
            ("a", "node", "label", kind),
            ("b", "edge", "label", "int"),
            ("c", "graph", "name", "string"),
        )
    )
    body = "\n".join(bodies)
    return f'<?xml version="1.0"?>\n<graphml xmlns="{graph_files.NAMESPACE}">\n{keys}{body}\n</graphml>\n'.encode()


def tu_members(*graphs: Graph, name: str = "TOY") -> dict[str, str]:
    """Lay the graphs out as the TU collection does: vertices from 1, both directions of each edge."""
    starts = np.cumsum([1] + [len(graph) for graph in graphs]).tolist()
    ends = [graph.edges + start for graph, start in zip(graphs, starts, strict=False)]
    both = [(u, v) for rows in ends for a, b in rows.tolist() for u, v in ((a, b), (b, a))]
    return {
        f"{name}_A.txt": "".join(f"{u}, {v}\n" for u, v in both),
        f"{name}_graph_indicator.txt": "".join(f"{k + 1}\n" * len(graph) for k, graph in enumerate(graphs)),
        f"{name}_node_labels.txt": "".join(f"{label}\n" for graph in graphs for label in graph.labels),
        f"{name}_edge_labels.txt": "".join(f"{x}\n{x}\n" for graph in graphs for x in graph.edge_labels),
        f"{name}_graph_labels.txt": "1\n" * len(graphs),
    }


def zipped(members: dict[str, str], folder: str = "TOY/", compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, text in members.items():
            archive.writestr(folder + name, text)
    return data.getvalue()


def parquet_of(columns: dict[str, object]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    data = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), data)
    return data.getvalue()


def drugs_parquet() -> bytes:
    return parquet_of({"id": list(DRUGS), "mass": [1.0] * len(DRUGS), "Smiles": list(DRUGS.values())})


MAKERS = {
    ".smi": smi,
    ".smiles": smi,
    ".txt": smi,
    ".csv": csv,
    ".tsv": lambda: csv("\t"),
    ".sdf": sdf,
    ".parquet": drugs_parquet,
    ".gml": lambda: gml(TRIANGLE),
    ".graphml": lambda: graphml(TRIANGLE, PATH),
    ".zip": lambda: zipped(tu_members(TRIANGLE, PATH)),
}
GRAPHS = {".gml": [TRIANGLE], ".graphml": [TRIANGLE, PATH], ".zip": [TRIANGLE, PATH]}
NAMES = {".gml": ["tiny"], ".graphml": ["tiny", "tiny"], ".zip": ["TOY/0", "TOY/1"]}
TEXT = [suffix for suffix in FORMATS if suffix not in (".parquet", ".zip")]


@pytest.fixture
def put(tmp_path):
    """Write bytes (or text) under a name and return the path."""

    def write(name: str, data: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write


def drain(path: Path, **options: str | int | None) -> tuple[list[Graph], list[Reject]]:
    reader = read(path, **options)  # type: ignore[arg-type]
    return list(reader), reader.rejects


def names_of(path: Path, **options: str | int | None) -> list[str | None]:
    graphs, rejects = drain(path, **options)
    assert rejects == []
    return [graph.name for graph in graphs]


# -- what comes out ------------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("smiles", ["structure", "STRUCTURE", 1])
@pytest.mark.parametrize("name", ["code", 2])
def test_columns_of_a_table_are_chosen_by_title_or_number(put, suffix, smiles, name):
    columns = {"n": [7, 8], "structure": ["CCO", "CCN"], "code": ["e", "a"]}
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
    path = put(f"a{suffix}", text if suffix == ".csv" else parquet_of(columns))
    assert names_of(path, smiles=smiles, name=name) == ["e", "a"]
    assert drain(path, smiles=smiles)[0] == [Graph.from_smiles("CCO"), Graph.from_smiles("CCN")]
    assert names_of(path, smiles=smiles) == [None, None]
    with pytest.raises(InputError, match=r"SMILES.*3 columns found are \['n', 'structure', 'code'\]"):
        read(path)
    for missing in ("nope", 3):
        with pytest.raises(InputError, match=r"no column .*structure"):
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


# -- bad records are rejects -----------------------------------------------------------------------------------

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
        (1502, "not a SMILES: 'C1CC'"),
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
        (gml(TRIANGLE).replace(b"label 7", b'label "N"'), "whole numbers"),
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


# -- bad files are one InputError ------------------------------------------------------------------------------


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
