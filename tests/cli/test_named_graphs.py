"""Files whose nodes have names and whose labels are words, on the command line."""

import json

import networkx as nx
import pytest

import enpda
from enpda import Match
from enpda.cli import main


@pytest.fixture
def files(tmp_path):
    """Two graphs in which each kind of node comes once, in different orders."""
    for file, names in (("a.graphml", "pqr"), ("b.graphml", "zyx")):
        graph = nx.Graph()
        kinds = ["C", "N", "O"] if file == "a.graphml" else ["O", "N", "C"]
        graph.add_nodes_from((name, {"label": kind}) for name, kind in zip(names, kinds, strict=True))
        nx.add_path(graph, names, label="single")
        nx.write_graphml_xml(graph, tmp_path / file)
    return str(tmp_path / "a.graphml"), str(tmp_path / "b.graphml")


def test_a_match_of_files_is_printed_by_name(files, capsys):
    assert main(["match", *files]) == 0
    assert "p→x q→y r→z" in capsys.readouterr().out


def test_json_goes_by_number_with_names_beside_and_comes_back(files, capsys):
    assert main(["match", *files, "--json"]) == 0
    text = capsys.readouterr().out
    assert json.loads(text)["mapping"] == {"0": 2, "1": 1, "2": 0}
    assert json.loads(text)["named_mapping"] == [["p", "x"], ["q", "y"], ["r", "z"]]
    assert Match.from_json(text).mapping == {"p": "x", "q": "y", "r": "z"}


def test_a_mapping_that_match_printed_can_be_certified(files, capsys, tmp_path):
    assert main(["match", *files, "--json"]) == 0
    printed = tmp_path / "match.json"
    printed.write_text(capsys.readouterr().out, encoding="utf-8")
    out = tmp_path / "certificate.json"
    assert main(["certify", *files, "--mapping", str(printed), "--output", str(out)]) == 0
    report = enpda.verify(out)
    assert (report.ok, report.size) == (True, 2)
    capsys.readouterr()
    printed.write_text('{"0": 7}', encoding="utf-8")
    assert main(["certify", *files, "--mapping", str(printed)]) == 2
    assert "speaks of 7, which is the name of no node" in capsys.readouterr().err
