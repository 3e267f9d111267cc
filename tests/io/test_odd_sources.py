"""Sources as they come: pipes that are slow, lists with bad records, frames with odd titles."""

import io
import os
import threading
import time

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from rdkit import Chem

from enpda import InputError, Library
from enpda.cli import main
from enpda.io import read
from file_formats import DRUGS, csv, sdf


@pytest.mark.parametrize(
    ("items", "ids", "rejects"),
    [
        ([("B", "CCO"), ("C", "C1CC")], ["B"], [2]),
        ([("CCO", "ethanol"), ("C1CC", "bad"), ("CCN", "CN")], ["ethanol", "CN"], [2]),
        ([("CCO", "CCN"), ("CCC", "CCCC")], ["CCO", "CCC"], []),
        ([("one", "CCO"), ("two", "CCN"), ("CCCl", "three")], ["one", "two"], [3]),
    ],
)
def test_whether_names_come_first_is_decided_by_what_only_makes_sense_so(items, ids, rejects):
    found = Library.of(items)
    assert found.ids == ids
    assert [reject.line for reject in found.rejects] == rejects


def test_numbers_of_nameless_items_are_their_places_even_where_others_are_left_out(tmp_path):
    assert Library.of(["CCO", "bad!", "CCN"]).ids == ["0", "2"]
    assert Library.build(["CCO", "bad!", "CCN"], tmp_path / "library.arrow").ids == ["0", "2"]
    assert Library.of(pd.Series(["CCO", None, "CCN"])).ids == ["0", "2"]


@pytest.mark.parametrize("data", [csv(), sdf()], ids=["csv", "sdf"])
def test_a_pipe_is_recognised_however_slowly_it_comes(data):
    way_out, way_in = os.pipe()

    def write():
        with open(way_in, "wb", buffering=0) as file:
            for part in (data[:2], data[2:100], data[100:]):
                file.write(part)
                time.sleep(0.05)

    writer = threading.Thread(target=write)
    writer.start()
    with open(way_out, "rb") as file:
        assert [graph.name for graph in read(file)] == list(DRUGS)
    writer.join()


def test_titles_that_are_numbers_are_titles():
    frame = pd.DataFrame({1: ["ethanol"], 0: ["CCO"], 2020: ["CCN"]})
    assert Library.of(frame, smiles=0, name=1).ids == ["ethanol"]
    assert Library.of(frame, smiles=2020).cores[0].size == 2


def test_a_column_of_molecules_may_begin_with_a_gap():
    frame = pd.DataFrame({"name": ["a", "b"], "ROMol": [None, Chem.MolFromSmiles("CCO")]})
    assert Library.of(frame).ids == ["b"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name;smiles;note, x\ne;CCO;1,5\n", ["e"]),
        ("name\tsmiles\tnote, x\ne\tCCO\t1,5\n", ["e"]),
        ("CCO,e\nCCN,a\n", ["e", "a"]),
        ("id,mol,SMILES string\ne,ethanol,CCO\n", ["e"]),
    ],
)
def test_tables_as_spreadsheets_write_them(put, text, names):
    graphs = list(read(put("a.csv", text)))
    assert [graph.name for graph in graphs] == names
    assert len(graphs[0]) == 3


def test_when_nothing_can_be_used_the_column_is_named(put):
    with pytest.raises(InputError, match=r"no record can be used \(molecules from column 'mol', no names\)"):
        Library.of(put("a.csv", "mol,x\naspirin,1\n"))


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (np.array("CCO"), "is needed; got array"),
        (pl.LazyFrame({"smiles": ["CCO"]}), r"\.collect\(\)"),
        (networkx.path_graph(3), "put it into a list"),
        (io.BytesIO(b""), "there is no record in it"),
    ],
    ids=["one text in an array", "lazy frame", "one graph", "empty stream"],
)
def test_what_holds_no_graphs_is_refused_with_what_to_do(items, reason):
    with pytest.raises(InputError, match=reason):
        Library.of(items)


def test_a_format_that_is_none_and_a_file_that_was_read_are_refused():
    with pytest.raises(InputError, match="format must be a suffix"):
        read(io.BytesIO(b"CCO a\n"), format=5)
    file = io.BytesIO(b"CCO a\n")
    assert len(list(read(file))) == 1
    with pytest.raises(InputError, match="it can be read once"):
        read(file)


@pytest.mark.parametrize(
    ("start", "names"), [(b"graphene c1ccccc1\n", ["graphene"]), (b"PK c1ccccc1\nPL CCO\n", ["PK", "PL"])]
)
def test_lines_that_begin_like_another_format_are_lines(start, names):
    with read(io.BytesIO(start), smiles=1) as reader:
        assert [graph.name for graph in reader] == names


def test_a_folder_that_is_called_like_a_molecule_is_not_meant(tmp_path, monkeypatch, capsys):
    (tmp_path / "CCO").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["match", "CCO", "CCN"]) == 0
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert main(["demo", "--out", "taken"]) == 2
    assert "cannot make the folder taken" in capsys.readouterr().err
