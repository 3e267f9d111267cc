"""Heat maps: names, a scale of colours, and an order that shows what belongs together."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from enpda import InputError
from enpda.view.heat import clustered, heat_svg
from pictures import HOSTILE, SVG, tree, words

SERIES = ["Cc1ccccc1", "CCCCCC", "CCc1ccccc1", "CCCCCCC", "Oc1ccccc1", "CCCCCO"]


def squares(svg: str) -> list[ET.Element]:
    return [e for e in tree(svg).iter(f"{SVG}rect") if e.get("rx") is None]


def test_every_row_and_column_has_its_name_when_there_is_room() -> None:
    names = [f"item {k}" for k in range(60)]
    shown = words(tree(heat_svg(np.eye(60), "similarity", names, names)))
    assert shown[0] == "similarity"
    assert [shown.count(name) for name in names] == [2] * 60


def test_names_that_have_no_room_are_left_out_evenly() -> None:
    names = [f"item {k}" for k in range(150)]
    shown = words(tree(heat_svg(np.eye(150), "similarity", names, names)))
    kept = [int(word.removeprefix("item ")) for word in shown if word.startswith("item")]
    assert 20 < len(kept) // 2 < 60
    assert len(set(np.diff(kept[: len(kept) // 2]))) == 1


def test_a_long_name_is_cut_and_a_hostile_one_is_text() -> None:
    svg = heat_svg(np.eye(2), "similarity", ["x" * 300, HOSTILE], ["a", "b"])
    assert any(word.endswith("…") for word in words(tree(svg)))
    assert "<script" not in svg


def test_the_scale_tells_the_least_and_the_largest_value() -> None:
    svg = heat_svg(np.array([[0.25, 0.5], [np.nan, 1.0]]), "similarity")
    assert {"0.25", "0.625", "1", "no value"} <= set(words(tree(svg)))
    assert [e.get("fill") for e in squares(svg)] == ["#f7fcf5", "#abdda7", "#eeeeee", "#00441b"]
    assert "no value" not in words(tree(heat_svg(np.eye(3), "similarity")))


def test_a_square_says_which_pair_it_is() -> None:
    m = enpda.matrix(["CCO", "CCN"])
    titles = [e.findtext(f"{SVG}title") for e in squares(m.heatmap(order="given"))]
    assert titles == ["0 and 0: 1", "0 and 1: 0.36", "1 and 0: 0.36", "1 and 1: 1"]


def test_a_square_of_a_pair_that_was_left_out_says_so_in_words() -> None:
    for column in ("similarity", "distance", "seconds"):
        svg = enpda.matrix(["CCO", "c1ccccc1"], max_distance=3).heatmap(column=column, order="given")
        titles = [e.findtext(f"{SVG}title") or "" for e in squares(svg)]
        assert titles[1:3] == [
            f"{pair}: not near enough to be listed, or not compared yet" for pair in ("0 and 1", "1 and 0")
        ]
        assert "nan" not in svg


def test_rows_come_in_the_order_of_a_clustering_unless_the_given_one_is_wanted() -> None:
    m = enpda.matrix(SERIES)
    given_order = [w for w in words(tree(m.heatmap(order="given"))) if w in m.items.ids][:6]
    assert given_order == ["0", "1", "2", "3", "4", "5"]
    own = [w for w in words(tree(m.heatmap())) if w in m.items.ids][:6]
    assert {frozenset(own[:3]), frozenset(own[3:])} == {frozenset("024"), frozenset("135")}
    with pytest.raises(InputError, match="order must be one of 'clustered', 'given'"):
        m.heatmap(order="any")  # type: ignore[arg-type]


def test_two_lists_are_ordered_each_for_itself() -> None:
    m = enpda.matrix(SERIES, SERIES[:4], min_similarity=0.3)
    dense = m.dense("similarity")
    rows, columns = m._clustered()
    assert sorted(rows.tolist()) == list(range(6))
    assert sorted(columns.tolist()) == list(range(4))
    shown = len(squares(m.heatmap()))
    assert shown == dense.size


@given(st.integers(0, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_an_order_has_every_item_once_and_blocks_stay_together(n: int, seed: int, gaps: bool) -> None:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    near = 0.1 * rng.random((n, n)) + (group[:, None] == group)
    near = (near + near.T) / 2
    if gaps:
        near = np.where(group[:, None] == group, near, np.nan)
    order = clustered(near)
    assert sorted(order.tolist()) == list(range(n))
    assert np.count_nonzero(np.diff(group[order])) == max(len(set(group.tolist())) - 1, 0)


def test_an_array_of_nothing_is_a_picture() -> None:
    for shape in ((0, 0), (0, 3), (3, 0)):
        assert heat_svg(np.zeros(shape), "similarity").startswith("<svg")
    assert "0.5" in words(tree(heat_svg(np.full((2, 2), 0.5), "similarity")))
