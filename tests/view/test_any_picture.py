"""Whatever the graph, the canvas or the name, the picture is sound."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enpda import Graph, InputError
from enpda.view import graph_svg, grid, match_html, match_svg, report
from enpda.view.layout import onto, place
from pictures import (
    HOSTILE,
    SVG,
    ZOO,
    aspirin_paracetamol,
    house,
    identity,
    matched,
    tree,
    triangle_and_path,
    words,
)


@pytest.mark.parametrize("name", ZOO)
def test_every_graph_gives_well_formed_pictures(name: str) -> None:
    graph = ZOO[name]
    assert tree(graph_svg(graph)).tag == f"{SVG}svg"
    match = matched(graph, graph, identity(graph))
    root = tree(match_svg(match))
    assert (root.get("width"), root.get("height")) == ("820", "390")
    tree(match_html(match))
    tree(match_svg(matched(graph, Graph([6, 6], [(0, 1)]), {})))
    tree(match_svg(matched(ZOO["salts"], graph, {})))


@pytest.mark.parametrize("size", [(64, 64), (2000, 64), (64, 2000)])
def test_odd_canvases_are_filled_without_failing(size: tuple[int, int]) -> None:
    match = aspirin_paracetamol()
    tree(match_svg(match, width=size[0], height=size[1]))
    tree(graph_svg(house(), width=size[0], height=size[1]))


@pytest.mark.parametrize("wrong", [0, 63, 10**9, 3.5, "wide", None, True])
def test_impossible_canvases_are_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="width must be a whole number from 64"):
        graph_svg(Graph([1]), width=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="height must be a whole number from 64"):
        match_svg(triangle_and_path(), height=wrong)  # type: ignore[arg-type]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    labels = draw(st.lists(st.integers(-3, 3), min_size=1, max_size=14))
    node = st.integers(0, len(labels) - 1)
    return Graph(labels, draw(st.lists(st.tuples(node, node), max_size=25)))


@given(graphs(), st.integers(64, 500), st.integers(64, 500))
@settings(max_examples=40, deadline=None)
def test_every_node_is_drawn_inside_the_canvas(graph: Graph, width: int, height: int) -> None:
    discs = list(tree(graph_svg(graph, width=width, height=height)).iter(f"{SVG}circle"))
    assert len(discs) == len(graph)
    for disc in discs:
        radius = float(disc.get("r", ""))
        assert radius <= float(disc.get("cx", "")) <= width - radius
        assert radius <= float(disc.get("cy", "")) <= height - radius


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_nodes_never_coincide(graph: Graph) -> None:
    points = place(graph.components(), graph.edges)
    assert np.isfinite(points).all()
    gaps = np.hypot(*(points.T[:, :, None] - points.T[:, None, :])) + 9 * np.eye(len(points))
    assert gaps.min() > 0.1


@given(st.floats(-3, 3), st.booleans(), st.integers(2, 9))
@settings(max_examples=40, deadline=None)
def test_rigid_alignment_undoes_turns_shifts_and_reflections(angle: float, mirrored: bool, held: int) -> None:
    points = np.random.default_rng(0).normal(size=(9, 2))
    moved = points * [1, -1 if mirrored else 1]
    moved = moved @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + [3, -4]
    back = onto(moved, {v: tuple(points[v]) for v in range(held)})
    np.testing.assert_allclose(back[:held], points[:held], atol=1e-9)
    if held > 2:
        np.testing.assert_allclose(back, points, atol=1e-9)


# -- untrusted names ------------------------------------------------------------------------------------------


def test_names_cannot_become_markup() -> None:
    a, b = Graph([1, 1], [(0, 1)], name=HOSTILE), Graph.from_smiles("CC", name=HOSTILE)
    match = matched(a, b, {})
    pictures = [graph_svg(a), graph_svg(b), match_svg(match), grid([match]), match_html(matched(a, a, {0: 0, 1: 1}))]
    for text in pictures:
        root = tree(text)
        assert "<script" not in text
        assert not [e for e in root.iter() if "script" in e.tag]
        assert any("<script>alert('x')" in (e.text or "") for e in root.iter())
        text.encode("utf-8")


def test_names_and_titles_cannot_become_markup_in_a_report() -> None:
    a = Graph([1, 1], [(0, 1)], name=HOSTILE)
    text = report([matched(a, a, {0: 0, 1: 1})], title=HOSTILE)
    assert text.count("<script") == 1
    assert text.count("</title>") == 1 + 1 + 4  # the page's, the picture's and those of four nodes
    body = ET.fromstring(text[text.index("<body>") : text.index("</body>") + 7])
    assert [e.tag for e in body.iter() if "script" in e.tag] == ["script"]
    heading = body.find("h1")
    assert heading is not None
    assert (heading.text or "").startswith("</title><script>alert('x')</script>&")
    text.encode("utf-8")


def test_long_names_are_cut() -> None:
    graph = Graph([1], name="long " * 20_000)
    assert len(graph_svg(graph)) < 2_000
    assert len(words(tree(graph_svg(graph)))[-1]) < 60
