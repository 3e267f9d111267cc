"""Results about many items show themselves: in a notebook and as pages."""

from __future__ import annotations

import pickle
import re
import xml.etree.ElementTree as ET
from html import escape

import pytest

import enpda
from enpda import Graph
from enpda.bulk.matches import Matches
from enpda.bulk.pages import clusters_page, hits_page, matrix_page, rgroups_page
from enpda.data import drugs
from pictures import HOSTILE, PEPTIDE, SVG

SERIES = ["Oc1ccccc1", "Cc1ccc(O)cc1", "CCc1ccc(O)cc1", "CCCCCC", "CCCCCCC"]
ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def pictures(html: str) -> list[ET.Element]:
    return [ET.fromstring(text) for text in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


def highlighted(svg: ET.Element) -> int:
    return sum(e.get("class") == "shared-edge" for e in svg.iter(f"{SVG}path"))


def test_many_matches_are_a_list_that_shows_itself():
    found = enpda.match_many([(SERIES[0], other) for other in SERIES])
    assert isinstance(found, list)
    assert type(found) is type(found[1:3]) is Matches
    assert found == list(found)
    assert [m.size for m in pickle.loads(pickle.dumps(found))] == [m.size for m in found]
    shown = pictures(found._repr_html_())
    assert [highlighted(svg) for svg in shown] == [0, *(m.size for m in found)]  # the query first
    assert "5 pairs, 5 proven optimal" in found._repr_html_()
    pairs = enpda.match_many([("CCO", "CCN"), ("CO", "CN")])
    assert [highlighted(svg) for svg in pictures(pairs._repr_html_())] == [2 * m.size for m in pairs]  # both sides
    assert "0 pairs" in enpda.match_many([])._repr_html_()


def test_a_long_list_of_matches_shows_the_first():
    found = Matches([enpda.match("CCO", "CCN")] * 20)
    assert len(pictures(found._repr_html_())) == 13
    assert "and 8 more" in found._repr_html_()


def test_hits_show_what_they_share_with_the_query():
    hits = enpda.search(SERIES[0], SERIES, 3)
    assert [highlighted(svg) for svg in pictures(hits._repr_html_())] == [0, *(hit.size for hit in hits)]
    assert [m.size for m in hits.matches()] == [hit.size for hit in hits]
    several = enpda.search(SERIES[:2], SERIES, 2)
    assert isinstance(several, list)
    assert len(pictures(several._repr_html_())) == 6
    assert several._repr_html_().count("<section") == 2


def test_an_sd_file_of_hits_has_their_numbers(tmp_path):
    from rdkit import Chem

    hits = enpda.search(ASPIRIN, list(drugs().values()), 3)
    hits.to_sdf(tmp_path / "hits.sdf")
    for hit, mol in zip(hits, Chem.SDMolSupplier(str(tmp_path / "hits.sdf")), strict=True):
        assert (mol.GetProp("id"), int(mol.GetProp("rank"))) == (hit.id, hit.rank)
        assert float(mol.GetProp("similarity")) == hit.similarity
    found = enpda.match_many([(ASPIRIN, "CCO")])
    assert found.to_sdf().count("$$$$") == 1


@pytest.mark.parametrize("algorithm", ["components", "butina"])
def test_clusters_show_their_members_turned_to_the_first(algorithm):
    found = enpda.cluster(SERIES, min_similarity=0.5, algorithm=algorithm)
    html = found._repr_html_()
    assert len(pictures(html)) == sum(len(some) for some in found.clusters if len(some) > 1)
    first = found.members[0]
    sizes = [enpda.match(SERIES[first[0]], SERIES[k]).size for k in first[1:]]
    assert [highlighted(svg) for svg in pictures(found.cards(0))] == [0, *sizes]
    assert ("the centroid" in html) == (algorithm == "butina")


def test_clusters_of_a_matrix_show_themselves_too():
    found = enpda.cluster(enpda.matrix(SERIES), min_similarity=0.5)
    assert len(pictures(found._repr_html_())) == 5


def pages() -> dict[str, str]:
    named = [Graph.from_smiles(smiles, name=f"{k}{HOSTILE}") for k, smiles in enumerate(SERIES)]
    title = "<b>Title</b>"
    return {
        "hits": hits_page(enpda.search(named[0], named), title=title),
        "searches": hits_page(enpda.search(named[:2], named), title=title),
        "clusters": clusters_page(enpda.cluster(named, min_similarity=0.5), title=title),
        "matrix": matrix_page(enpda.matrix(named), title=title),
        "two lists": matrix_page(enpda.matrix(named, named[:2], min_similarity=0.9), title=title),
        "rgroups": rgroups_page(enpda.rgroups("c1ccccc1", named), title=title),
        "pair": enpda.view.match_page(enpda.match(named[0], named[1]), title=title),
        "report": enpda.match_many([(named[0], named[1])]).report(title=title),
    }


def test_a_page_loads_nothing_escapes_names_and_is_light_or_dark():
    for name, html in pages().items():
        assert html.startswith("<!DOCTYPE html>"), name
        assert html.count("<script") == 1, name  # our own
        assert "<b>Title" not in html, name
        assert "alert('x')" not in html, name
        assert not re.search(r"url\(|@import|<link|<image| src=|href='[^#]", html), name
        assert set(re.findall(r"https?://[^'\"]*", html)) == {"http://www.w3.org/2000/svg"}, name
        assert "prefers-color-scheme:dark" in html, name
        body = html[html.index("<body>") : html.index("<script>")]
        ET.fromstring(f"{body}</body>")  # well formed


def test_pages_are_written_where_they_should_be(tmp_path):
    for k, found in enumerate(
        (
            enpda.search("CCO", ["CCN"]),
            enpda.cluster(["CCO", "CCN"]),
            enpda.matrix(["CCO", "CCN"]),
            enpda.rgroups("CC", ["CCO"]),
            enpda.match_many([("CCO", "CCN")]),
        )
    ):
        html = found.report(tmp_path / f"{k}.html", title="A page")
        assert "<h1>A page</h1>" in html
        assert (tmp_path / f"{k}.html").read_text(encoding="utf-8") == html


def test_pages_of_nothing_are_pages():
    hits = enpda.search("CCO", ["FF"], min_similarity=0.99)
    assert len(hits) == 0
    assert len(pictures(hits_page(hits))) == 1
    assert "<svg" in matrix_page(enpda.matrix([]))
    assert "0 clusters of 1 item, 1 alone" in clusters_page(enpda.cluster(["CCO"]))


def test_a_long_smiles_is_whole_on_a_page():
    hits = enpda.search(PEPTIDE, [PEPTIDE])
    smiles = hits[0].smiles
    assert len(smiles) > 300
    assert escape(smiles) in hits.report()
