"""Pictures that show themselves, and text that lies in every direction."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import enpda
from enpda import Graph, InputError
from enpda.view import Picture, graph_svg, grid, page
from enpda.view.raster import png
from pictures import ASPIRIN, HOSTILE, PARACETAMOL, aspirin_paracetamol, tree


def test_a_picture_is_its_svg_and_says_in_one_line_what_it_shows() -> None:
    picture = aspirin_paracetamol().draw()
    assert isinstance(picture, str)
    assert isinstance(picture, Picture)
    assert type(picture.svg) is type(str(picture)) is str
    assert picture == picture.svg == picture._repr_svg_()
    assert repr(picture) == "<Picture 820 x 390: aspirin and paracetamol: 9 bonds in common, proven optimal>"
    assert picture.size == (820, 390)


def test_all_drawings_are_pictures() -> None:
    match = aspirin_paracetamol()
    assert isinstance(graph_svg(match.a), Picture)
    assert isinstance(grid([match, match]), Picture)
    assert isinstance(enpda.matrix(["CCO", "CCN"]).heatmap(), Picture)
    assert type(match._repr_svg_()) is str  # what goes to the notebook is plain


def test_a_picture_saves_itself(tmp_path: Path) -> None:
    picture = enpda.match(ASPIRIN, PARACETAMOL).draw()
    picture.save(tmp_path / "x.svg")
    picture.save(tmp_path / "x.png")
    assert (tmp_path / "x.svg").read_text(encoding="utf-8") == picture
    assert (tmp_path / "x.png").read_bytes() == picture.png()
    with pytest.raises(InputError, match=r"written as \.svg or \.png"):
        picture.save(tmp_path / "x.gif")


def test_a_hostile_name_stays_text_in_the_one_line() -> None:
    picture = graph_svg(Graph([1], name=HOSTILE))
    assert "<script" not in picture
    assert "\x1b" not in repr(picture)
    assert "\n" not in repr(picture)
    assert Picture("<svg></svg>").size == (0, 0)


def dark(svg: str) -> np.ndarray:
    from PIL import Image

    image = np.asarray(Image.open(io.BytesIO(png(svg, 1.0))).convert("RGB")).astype(int)
    rows, columns = np.nonzero(image.sum(2) < 400)
    return np.array([[columns.min(), rows.min()], [columns.max(), rows.max()]])


@pytest.mark.parametrize(
    ("anchor", "upright", "box"),
    [
        ("start", False, ((96, 90), (200, 102))),
        ("end", False, ((0, 90), (104, 102))),
        ("middle", False, ((50, 90), (150, 102))),
        ("middle", True, ((90, 0), (102, 104))),
    ],
)
def test_a_png_has_its_text_where_the_svg_has_it(anchor: str, upright: bool, box: tuple[tuple[int, int], ...]) -> None:
    body = page.text("caffeine", 100.0, 100.0, 12.0, 90.0, anchor=anchor, upright=upright)
    svg = page.frame(body, 200, 200, "text")
    (left, top), (right, bottom) = dark(svg)
    (x, y), (xx, yy) = box
    assert x <= left < right <= xx
    assert y <= top < bottom <= yy
    long, short = (bottom - top, right - left) if upright else (right - left, bottom - top)
    assert long > 2 * short
    assert ("rotate(-90,100.0,100.0)" in (tree(svg)[-1].get("transform") or "")) == upright
