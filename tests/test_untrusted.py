"""What comes from outside is refused with an InputError when it is damaged, tampered with, or made to do harm."""

import csv
import json
import os
from contextlib import suppress
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import enpda
from enpda import Constraints, Graph, InputError, Library, Match, Matrix, Rules
from enpda.bulk.sql import sql
from enpda.cli import main
from enpda.documents import MAX_DEPTH, load, parsed

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"
LONE = "\ud800"
HUGE = 10**5000


def kind(value):
    return type(value).__name__


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


# -- JSON ----------------------------------------------------------------------------------------------------

BAD_JSON = [
    ("deep lists", "[" * 200_000, "nested more than 64 deep"),
    ("deep objects", '{"a":' * 200_000, "nested more than 64 deep"),
    ("a little too deep", "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested more than 64 deep"),
    ("a long integer", "9" * 5_000, "4300 digits"),
    ("not a number", "NaN", "NaN is no number of JSON's"),
    ("infinity", "[-Infinity]", "-Infinity is no number of JSON's"),
    ("a float beyond all", "[1e999]", "'1e999' is no finite number"),
    ("a key twice", '{"size": 1, "a": 2, "size": 3}', "the key 'size' is given twice"),
    ("half a pair, escaped", r'["\uD800"]', "lone surrogate"),
    ("half a pair in a key", r'{"\udfff": 1}', "lone surrogate"),
    ("half a pair as it is", f'["{LONE}"]', "lone surrogates"),
    ("bytes that are no UTF-8", b'["\xff"]', "not UTF-8 at byte 2"),
    ("UTF-16", '["x"]'.encode("utf-16"), "not UTF-8 at byte 0"),
    ("nothing", "", "Expecting value"),
    ("two documents", "1 2", "Extra data"),
    ("no text", 5, "must be JSON as a string; got 5"),
]


@pytest.mark.parametrize(("text", "message"), [case[1:] for case in BAD_JSON], ids=[case[0] for case in BAD_JSON])
def test_json_that_cannot_be_used_is_refused_and_its_source_named(text, message):
    with pytest.raises(InputError, match=r"^job\.json (is not JSON that can be used|must be JSON)") as failure:
        parsed(text, "job.json")
    assert message in str(failure.value)
    with pytest.raises(InputError):
        Match.from_json(text)


def test_json_within_the_limits_is_read_as_it_is():
    for value in (nested(MAX_DEPTH), {"a": [1, 2.5, None, True, "\N{GRINNING FACE} \u00e9"]}, [{}, []], "x", -(2**70)):
        assert parsed(json.dumps(value)) == value
        assert parsed(json.dumps(value, ensure_ascii=False).encode()) == value


def test_a_json_file_that_is_none_is_an_input_error(tmp_path):
    for path, message in ((tmp_path, "Is a directory"), (tmp_path / "none", "No such file"), (5, "path must be")):
        with pytest.raises(InputError, match=message):
            load(path)


# -- graphs, rules, constraints ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [None, True, -1, 1.5, "x", LONE, [[]], [True] * 3, [HUGE], HUGE, {"x": 1}, [None]], ids=kind
)
def test_no_value_under_any_key_of_a_graph_raises_anything_but_an_input_error(value):
    data = Graph.from_smiles("CCO").to_dict()
    for name in data:
        changed = {**data, name: value}
        with suppress(InputError):
            assert Graph.from_dict(changed) == Graph.from_smiles("CCO")  # no name, say, or no SMILES


@pytest.mark.parametrize(
    "value", [None, 5, LONE, [LONE], [[HUGE]], nested(3_000), np.nan, [[np.nan], [0]], b"x"], ids=kind
)
def test_no_array_raises_anything_but_an_input_error(value, tmp_path):
    graph = nx.Graph([(0, 1)])
    graph.add_node(0, label=value)
    graph.add_node(1, label=1)
    for make in (
        lambda: Graph(value),
        lambda: Graph([1], value),
        lambda: Graph.from_networkx(graph),
        lambda: Graph.from_pyg(SimpleNamespace(edge_index=value)),
        lambda: Graph.from_pyg(SimpleNamespace(edge_index=np.zeros((2, 0)), x=value, num_nodes=value)),
        lambda: Library.loads(value),
        lambda: Library.merge(value, tmp_path / "library.arrow"),
        lambda: enpda.match_many(value),
        lambda: list(enpda.match_stream(value)),
    ):
        with suppress(InputError):  # None is no label, and a list of none is one of no graphs
            make()


def test_booleans_are_no_numbers():
    for make in (
        lambda: Graph([True, False]),
        lambda: Graph(np.array([True])),
        lambda: Graph([1, 2], [(0, True)]),
        lambda: Graph([1, 2], [(0, 1)], [True]),
        lambda: Graph.from_dict(
            {"labels": [6], "edges": [], "molecule": {"atoms": [[6, 0, 0, 4, 0, True]], "bonds": []}}
        ),
        lambda: Rules(pinned=[(0, True)]),
        lambda: Constraints(min_fragment=True),
        lambda: enpda.certify("CCO", "CCN", {0: 0, 1: True}),
        lambda: Match(*2 * [Graph([0, 0], [(0, 1)])], {0: True}, bounds={"edge": 1}, method="x"),
    ):
        with pytest.raises(InputError):
            make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Graph([1], name=LONE),
        lambda: Graph.from_smiles("C" + LONE),
        lambda: Graph.from_smiles("C", name=LONE),
        lambda: enpda.match("C" + LONE, "C"),
        lambda: enpda.match_many([("C" + LONE, "C")]),
        lambda: enpda.search("C" + LONE, ["C"]),
        lambda: Rules(equivalent=[LONE]),
        lambda: enpda.match("CC", "CC", "core", policy=LONE),
        lambda: enpda.read(LONE + ".smi"),
        lambda: Library.open(LONE),
        lambda: Library.build(["C"], LONE),
        lambda: Matrix.open(LONE),
        lambda: enpda.matrix(["C", "CC"], out=LONE),
        lambda: enpda.match("CC", "CC").draw(LONE + ".svg"),
        lambda: enpda.match("CC", "CC").certificate.save(LONE),
        lambda: enpda.Certificate.load(LONE),
    ],
)
def test_half_a_surrogate_pair_is_refused_at_every_door(make):
    with pytest.raises(InputError):
        make()


@pytest.mark.parametrize("path", [5, None, b"x.svg", "a\0.svg", ""])
def test_what_is_no_path_is_refused_at_every_door(path):
    found = enpda.match("CC", "CC")
    for use in (
        enpda.read,
        Library.open,
        Matrix.open,
        enpda.Certificate.load,
        found.certificate.save,
        lambda p: enpda.view.save(found.draw(), p),
        lambda p: enpda.view.report([found], p) if p is not None else enpda.read(p),
        lambda p: Library.build(["C"], p),
    ):
        with pytest.raises(InputError, match="path"):
            use(path)


def test_a_value_that_cannot_be_shown_is_told_by_its_kind():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    for value, message in ((HUGE, "int that cannot be shown"), (Mute(), "Mute that cannot be shown")):
        with pytest.raises(InputError, match=message):
            enpda.match("CC", "CC", seed=value)
    deep = nested(5_000)
    for make in (lambda: Graph(deep), lambda: Graph([1], deep), lambda: Rules(atoms=deep)):
        with pytest.raises(InputError):
            make()


# -- files of a job and of a library -------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[" * 200_000, '{"format": NaN}', '{"format": 1, "format": 2}', "9" * 5_000, b"\xff"])
def test_a_hostile_job_file_is_an_input_error_for_all_that_read_it(text, tmp_path, capsys):
    file = tmp_path / "some.smi"
    file.write_text("CCO a\nCCN b\n")
    out = tmp_path / "job"
    enpda.matrix(["CCO", "CCN"], out=out)
    (out / "job.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    for use in (Matrix.open, lambda o: sql(o, "select 1"), lambda o: enpda.matrix(["CCO", "CCN"], out=o)):
        with pytest.raises(InputError, match=r"job\.json"):
            use(out)
    assert main(["matrix", str(file), "-o", str(out)]) == 2
    assert "job.json" in capsys.readouterr().err


def test_a_job_file_with_a_flag_for_a_number_is_refused(tmp_path):
    enpda.matrix(["CCO", "CCN"], out=tmp_path)
    described = json.loads((tmp_path / "job.json").read_text())
    for change in ({"tiles": {**described["tiles"], "side": True}}, {"tiles": {**described["tiles"], "count": True}}):
        (tmp_path / "job.json").write_text(json.dumps({**described, **change}))
        with pytest.raises(InputError, match="whole number"):
            Matrix.open(tmp_path)


def test_a_molecule_in_a_library_that_is_hostile_json_is_an_input_error(tmp_path):
    import pyarrow as pa

    path = tmp_path / "library.arrow"
    Library.build(["CCO"], path)
    table = pa.ipc.open_file(path.read_bytes()).read_all()
    for text in ("[" * 200_000, "NaN", '{"atoms": [[true]], "bonds": []}'):
        for name, value in (("smiles", None), ("smiles_order", None), ("molecule", text)):
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.schema.field(at), pa.array([value], table.schema.field(at).type))
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        with pytest.raises(InputError, match="molecule"):
            _ = Library.open(path)[0]


def test_sql_on_a_folder_with_a_lost_table_is_an_input_error(tmp_path):
    enpda.matrix(["CCO", "CCN"], out=tmp_path)
    (tmp_path / "rejects.parquet").unlink()
    with pytest.raises(InputError, match=r"rejects\.parquet"):
        sql(tmp_path, "select 1")
    with pytest.raises(InputError, match="Unicode"):
        sql(tmp_path, LONE)


def test_a_file_whose_name_is_no_utf8_is_read_and_its_rejects_are_kept(tmp_path):
    file = os.fsdecode(os.fsencode(tmp_path) + b"/some\xff.smi")
    with open(file, "w") as out:
        out.write("CCO a\nCCN b\nC1 c\n")
    m = enpda.matrix(file, out=tmp_path / "job")
    assert [(reject.line, reject.file.endswith("some\\udcff.smi")) for reject in m.rejects] == [(3, True)]
    library = Library.build(file, file + ".arrow")
    assert len(Library.open(file + ".arrow")) == len(library) == 2


# -- keywords ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: enpda.matrix(["C"], tme_limit=3),
            r"^matrix has no keyword 'tme_limit' \(is 'time_limit' meant\?\); it",
        ),
        (lambda: enpda.search("C", ["C"], thread=1), r"^search has no keyword 'thread' \(is 'threads' meant\?\)"),
        (lambda: enpda.match_many([], policies=1), r"^match_many has no keyword 'policies'"),
        (lambda: enpda.match_stream([], constraint=1), r"^match_stream has .* \(is 'constraints' meant\?\)"),
        (
            lambda: enpda.cluster(["C"], max_distance=1, xyz=1),
            r"^cluster has no keyword 'xyz'; it takes items, .*rounds",
        ),
        (lambda: enpda.split(["C"], screened="keep"), r"^split has no keyword 'screened'"),
    ],
)
def test_a_keyword_that_nobody_has_is_told_with_those_there_are(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_match_many_takes_trace_and_on_improve():
    seen = []
    found = enpda.match_many([(ASPIRIN, PARACETAMOL)], "fast", trace=True, on_improve=seen.append)
    assert [step[1:4] for step in seen] == [step[1:4] for step in found[0].trace]
    assert seen[-1].mapping == found[0].index_mapping
    assert found[0].trace
    with pytest.raises(InputError, match="a device tells no improvements"):
        enpda.match_many([("C", "C")], "core", device="cpu", trace=True)


# -- spreadsheets --------------------------------------------------------------------------------------------

FORMULAS = ["=1+1", "+1", "-1", "@x", "'quoted", "plain", "a=b"]


def cells(text):
    return {cell for row in csv.reader(text.splitlines()) for cell in row}


def test_a_name_that_looks_like_a_formula_is_text_in_csv_and_itself_in_parquet(tmp_path, capsys):
    from enpda.io.parquet import table_of

    file = tmp_path / "some.smi"
    file.write_text("".join(f"{'C' * (k + 2)}O\t{name}\n" for k, name in enumerate(FORMULAS)))
    expected = {"'=1+1", "'+1", "'-1", "'@x", "'quoted", "plain", "a=b"}
    for command in (["search", "CCO", str(file)], ["cluster", str(file), "--max-distance", "3"], ["split", str(file)]):
        text, parquet = tmp_path / "out.csv", tmp_path / "out.parquet"
        for out in (text, parquet):
            assert main([*command, "--out", str(out)]) == 0
        assert expected <= cells(text.read_text())
        assert not cells(text.read_text()) & {"=1+1", "+1", "-1", "@x"}
        assert set(table_of(parquet)["id"].to_pylist()) == set(FORMULAS)
    enpda.matrix(file, out=tmp_path / "job")
    capsys.readouterr()
    assert main(["sql", str(tmp_path / "job"), "select id, -5 as n from items", "--csv"]) == 0
    assert cells(capsys.readouterr().out) == {*expected, "id", "n", "-5"}
