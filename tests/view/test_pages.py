"""Many matches, files and the notebook."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import enpda
from enpda import Graph, InputError
from enpda.result.match import Match
from enpda.view import graph_svg, grid, match_html, match_svg, report, save
from enpda.view.raster import png
from pictures import (
    ASPIRIN,
    HOSTILE,
    PARACETAMOL,
    SVG,
    ZOO,
    aspirin_paracetamol,
    house,
    identity,
    matched,
    positions,
    shared,
    side,
    tree,
    triangle_and_path,
)

# -- many matches, and files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "columns", "size"), [(1, 2, (300, 200)), (3, 2, (600, 400)), (5, 1, (300, 1000))])
def test_a_grid_has_a_cell_for_every_match(count: int, columns: int, size: tuple[int, int]) -> None:
    root = tree(grid([aspirin_paracetamol()] * count, columns, width=300, height=200))
    assert (root.get("width"), root.get("height")) == tuple(map(str, size))
    cells = [e for e in root.iter(f"{SVG}g") if e.get("class") == "pair"]
    assert len({e.get("transform") for e in cells}) == len(cells) == count
    assert len(shared(cells[-1])[0]) == 2 * 9


@pytest.mark.parametrize(
    ("matches", "columns", "message"),
    [
        ([], 2, "at least one match"),
        (3, 2, "several matches are needed"),
        (["CCO"], 2, "must be enpda.Match; got 'CCO'"),
        ([triangle_and_path()], 0, "columns must be a whole number"),
        ([triangle_and_path()], 1.5, "columns must be a whole number"),
    ],
)
def test_impossible_grids_are_refused(matches: object, columns: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        grid(matches, columns)  # type: ignore[arg-type]


def test_a_report_lists_every_match_and_shows_it() -> None:
    one, other = aspirin_paracetamol(), matched(house(), house(), identity(house()), upper=9)
    text = report([one, other], title="Two")
    body = ET.fromstring(text[text.index("<body>") : text.index("</body>") + 7])
    summary = next(e for e in body.iter("table") if e.get("class") == "summary")
    rows = [["".join(cell.itertext()) for cell in row] for row in summary.iter("tr")]
    assert rows[0] == ["pair", "A", "B", "size", "upper", "proven", "similarity", "distance", "seconds"]
    assert rows[1] == ["1", "aspirin", "paracetamol", "9", "9", "yes", f"{one.similarity:.3f}", "6", "0.012"]
    assert rows[2][3:6] == ["7", "9", "no"]
    assert len(list(body.iter("section"))) == len(list(body.iter(f"{SVG}svg"))) == 2
    assert {e.get("href") for e in body.iter("a")} == {f"#{e.get('id')}" for e in body.iter("section")}
    assert "2 pairs, 1 proven optimal." in text


def test_a_report_of_nothing_is_a_page(tmp_path: Path) -> None:
    text = report([], tmp_path / "empty.html")
    assert "0 pairs, 0 proven optimal." in text
    assert (tmp_path / "empty.html").read_text(encoding="utf-8") == text
    with pytest.raises(InputError, match="title must be a string"):
        report([], title=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="path must be a string or a path that a file can have; got 3"):
        report([], 3)  # type: ignore[arg-type]


def pixels(image: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB")).astype(int)


@pytest.mark.parametrize("make", [aspirin_paracetamol, triangle_and_path])
def test_a_png_shows_what_the_svg_shows(make: Callable[[], Match], tmp_path: Path) -> None:
    match = make()
    svg = match.draw(tmp_path / "pair.png")
    image = (tmp_path / "pair.png").read_bytes()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert image == png(svg)
    seen = pixels(image)
    assert seen.shape == (780, 1640, 3)
    highlight = np.abs(seen - [0x86, 0xD3, 0xC3]).sum(2) < 12
    for letter, left in (("a", 0), ("b", 820)):
        for x, y in positions(match, letter):  # every matched node lies on its highlight
            row, column = round(2 * (y + 30)), left + round(2 * x)
            assert highlight[row - 22 : row + 23, column - 22 : column + 23].sum() > 100
    amber = np.abs(seen - [0xF2, 0xB8, 0x4B]).sum(2) < 12
    assert amber[:, :820].sum() > 100  # both first graphs have an edge that is not shared
    dark = seen.sum(2) < 250
    assert dark[:60].sum() > 30  # names
    assert dark[720:].sum() > 200  # caption


def test_letters_with_holes_keep_them_in_a_png() -> None:
    seen = pixels(png(graph_svg(Graph.from_smiles("O=C=O"), width=100, height=64)))
    red = (seen[:, :, 0] > 200) & (seen[:, :, 1:].max(2) < 80)
    columns = np.flatnonzero(red.any(0))
    letter = red[:, : columns[0] + np.flatnonzero(np.diff(columns) > 1)[0] + 1]  # up to the gap before the bond
    rows, columns = np.nonzero(letter)
    assert seen[(rows.min() + rows.max()) // 2, (columns.min() + columns.max()) // 2].min() > 250


def test_every_cell_of_a_grid_is_in_its_png() -> None:
    seen = pixels(png(grid([triangle_and_path()] * 3, width=300, height=200)))
    assert seen.shape == (800, 1200, 3)
    first = seen[8:392, 8:592]
    assert (first.sum(2) < 250).sum() > 200
    np.testing.assert_array_equal(seen[8:392, 608:1192], first)
    np.testing.assert_array_equal(seen[408:792, 8:592], first)
    assert (seen[408:792, 608:1192] == 255).all()


@pytest.mark.parametrize("name", ["empty", "salts", "stereo", "unsanitised", "components", "too large"])
def test_every_graph_can_be_a_png(name: str) -> None:
    hostile = Graph([1, 1], [(0, 1)], name=HOSTILE + "<sub>漢字é</lit>")
    for svg in (graph_svg(ZOO[name]), match_svg(matched(ZOO[name], hostile, {}))):
        assert png(svg).startswith(b"\x89PNG")


def test_pictures_are_written_by_their_suffix(tmp_path: Path) -> None:
    match = triangle_and_path()
    svg = match.draw(str(tmp_path / "x.SVG"))
    assert (tmp_path / "x.SVG").read_text(encoding="utf-8") == svg
    with pytest.raises(InputError, match="path must be a string or a path that a file can have; got 3"):
        match.draw(3)  # type: ignore[arg-type]
    for name in ("x", "x.pdf", "x.svg.gz"):
        with pytest.raises(InputError, match=r"written as \.svg or \.png"):
            match.draw(tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(InputError, match=r"too large.*use \.svg"):
        save(graph_svg(house(), width=20_000, height=2_000), tmp_path / "x.png")


# -- the notebook ---------------------------------------------------------------------------------------------


def test_the_table_holds_the_numbers_and_the_map() -> None:
    match = aspirin_paracetamol()
    root = tree(match_html(match))
    tables = [[[cell.text for cell in row] for row in table.iter("tr")] for table in root.iter("table")]
    assert tables[0] == [
        ["shared bonds", "9 of at most 9 (proven optimal)"],
        ["shared atoms", "10"],
        ["Johnson similarity", f"{match.similarity:.3f}"],
        ["distance", "6"],
        ["method", "core"],
        ["time", "12.3 ms"],
    ]
    assert tables[1][0] == ["number", "aspirin", "paracetamol"]
    assert tables[1][4] == ["4", "O 3", "O 8"]
    assert [e.text for e in root.iter("summary")] == ["Atom map (10)"]


def test_an_unproven_match_shows_its_gap_and_an_empty_one_no_map() -> None:
    match = aspirin_paracetamol()
    assert "9 of at most 12 (gap 25.0%, bounded)" in match_html(matched(match.a, match.b, match.mapping, upper=12))
    assert "<details>" not in match_html(matched(Graph([1]), Graph([2]), {}))


def test_results_show_themselves() -> None:
    match = enpda.match(ASPIRIN, PARACETAMOL)
    bands, discs = shared(side(match._repr_svg_(), "b"))
    assert (len(bands), len(discs)) == (match.size, match.nodes)
    assert match.draw() in match._repr_html_()
