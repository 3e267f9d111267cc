"""Matrices as pictures: one coloured square a pair, or a block of pairs, with names, in the order of a clustering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from enpda.view import page
from enpda.view.figure import Picture

Reals = npt.NDArray[np.float64]

MOST, CELL, LARGEST, SIDE = 200, 3, 26, 560
"""Squares a side, pixels of a square at least and at most, and of the map where it has room."""
LINE = 13  # pixels of a square that has room for a name
TOP, EDGE, LETTER = 34, 14, 11.0
"""Heights of the title and of the margin, and size of the names."""
NAMES = 150.0  # pixels for a name at most
TOLD = 60  # items up to which every square says what it is
RAMP = np.array([[247, 252, 245], [199, 233, 192], [116, 196, 118], [35, 139, 69], [0, 68, 27]], dtype=np.float64)
EMPTY = "#eeeeee"
UNLISTED = "not near enough to be listed, or not compared yet"
STEPS = 40  # of the colour bar


def heat_svg(
    values: npt.NDArray[np.generic],
    title: str,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> Picture:
    """Draw an array from light (its least value) to dark (its largest); what is NaN has no value and is grey.

    Parameters
    ----------
    values : ndarray, shape (rows, columns)
        More than 200 a side are averaged in blocks.
    title : str
        What the values are.
    rows, columns : sequence of str
        Names; as many are written as there is room for. Of a block, the first.
    """
    step = -(-max(*values.shape, 1) // MOST)
    shown = _blocks(values.astype(np.float64), step)
    height, width = shown.shape
    size = max(CELL, min(LARGEST, SIDE // max(height, width, 1)))
    size = max(size, LINE) if max(height, width) <= TOLD else size
    known = shown[np.isfinite(shown)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    every = -(-LINE // size)  # so that names do not touch
    left_names, top_names = (_named(names, step, every) for names in (rows, columns))
    left = EDGE + _room(left_names)
    top = TOP + _room(top_names)
    right, bottom = left + width * size, top + height * size
    tall = max(bottom - top, 90.0)
    total = int(max(right + 90.0, 320.0)), int(max(bottom, top + tall) + EDGE)
    body = page.text(title, total[0] / 2, 20.0, 14.0, total[0] - 16.0, extra="font-weight='bold'")
    told = step == 1 and max(height, width) <= TOLD and bool(rows and columns)
    for i in range(height):
        for j in range(width):
            value = shown[i, j]
            colour = _colour((value - low) / ((high - low) or 1)) if np.isfinite(value) else EMPTY
            x, y = left + j * size, top + i * size
            box = f"<rect x='{page.px(x)}' y='{page.px(y)}' width='{size}' height='{size}' fill='{colour}'"
            words = f"{rows[i]} and {columns[j]}: {f'{value:.3g}' if np.isfinite(value) else UNLISTED}" if told else ""
            body += f"{box}>{page.hint(words)}</rect>\n" if told else f"{box}/>\n"
    for k, name in left_names:
        body += page.text(name, left - 5.0, top + (k + 0.5) * size + 0.36 * LETTER, LETTER, NAMES, anchor="end")
    for k, name in top_names:
        body += page.text(name, left + (k + 0.5) * size + 0.36 * LETTER, top - 5.0, LETTER, NAMES, upright=True)
    body += _bar(right + 18.0, top, tall, low, high)
    if known.size < shown.size:
        body += _square(right + 18.0, top + tall - 12.0, EMPTY) + page.text(
            "no value", right + 36.0, top + tall - 2.0, LETTER, 60.0, anchor="start"
        )
    return Picture(page.frame(body, *total, title))


def _bar(x: float, y: float, tall: float, low: float, high: float) -> str:
    """Draw the scale of colours, the largest value on top."""
    tall = tall - 26.0
    part = tall / STEPS
    body = ""
    for k in range(STEPS):
        colour = _colour(1.0 - (k + 0.5) / STEPS)
        body += _band(x, y + k * part, 14.0, part + 0.4, colour)
    for share in (0.0, 0.5, 1.0):
        words = f"{high + share * (low - high):.3g}"
        body += page.text(words, x + 19.0, y + 4.0 + share * (tall - 4.0) + 3.0, LETTER, 60.0, anchor="start")
        if high == low:
            break
    return body


def _square(x: float, y: float, colour: str) -> str:
    return _band(x, y, 12.0, 12.0, colour)


def _band(x: float, y: float, width: float, height: float, colour: str) -> str:
    corners = f"M{page.px(x)},{page.px(y)}H{page.px(x + width)}V{page.px(y + height)}H{page.px(x)}Z"
    return f"<path d='{corners}' fill='{colour}'/>\n"


def _named(names: Sequence[str], step: int, every: int) -> list[tuple[int, str]]:
    """Return the names that are written, each with its square."""
    return [(k, name) for k, name in enumerate(names[::step]) if k % every == 0]


def _room(names: list[tuple[int, str]]) -> float:
    """Return the pixels that the longest of some names takes."""
    return min(NAMES, max((page.width_of(name) * LETTER for _, name in names), default=0.0)) + 6.0 * bool(names)


def clustered(near: Reals) -> npt.NDArray[np.int64]:
    """Return an order of items in which those that are near each other stand together: average linkage.

    Parameters
    ----------
    near : ndarray, shape (items, items)
        The larger, the nearer; symmetric. What is NaN is as far as can be.

    Examples
    --------
    >>> clustered(np.array([[1, 0, 0.9], [0, 1, 0.1], [0.9, 0.1, 1]])).tolist()
    [0, 2, 1]
    """
    n = len(near)
    known = near[np.isfinite(near)]
    least, most = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    far = most - np.where(np.isfinite(near), near, least)
    np.fill_diagonal(far, np.inf)
    size = np.ones(n)
    order = {k: [k] for k in range(n)}
    chain: list[int] = []
    while len(order) > 1:  # chains of nearest neighbours: two that are each other's nearest are joined
        if not chain:
            chain = [next(iter(order))]
        at = chain[-1]
        nearest = int(far[at].argmin())
        if len(chain) > 1 and far[at, chain[-2]] <= far[at, nearest]:
            other = chain[-2]
            del chain[-2:]
            kept, gone = min(at, other), max(at, other)
            mean = (size[at] * far[at] + size[other] * far[other]) / (size[at] + size[other])
            far[kept], far[:, kept] = mean, mean
            far[kept, kept] = np.inf
            far[gone], far[:, gone] = np.inf, np.inf
            size[kept] += size[gone]
            order[kept] += order.pop(gone)
        else:
            chain.append(nearest)
    return np.array(next(iter(order.values()), []), dtype=np.int64)


def _blocks(values: Reals, step: int) -> Reals:
    """Average what exceeds the picture's resolution, leaving out what is not known."""
    if step <= 1:
        return values
    known = np.isfinite(values)
    row, column = (np.arange(0, n, step) for n in values.shape)
    total = np.add.reduceat(np.add.reduceat(np.where(known, values, 0.0), row, axis=0), column, axis=1)
    count = np.add.reduceat(np.add.reduceat(known.astype(np.float64), row, axis=0), column, axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _colour(share: float) -> str:
    place = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    k = min(int(place), len(RAMP) - 2)
    r, g, b = np.rint(RAMP[k] + (place - k) * (RAMP[k + 1] - RAMP[k])).astype(int).tolist()
    return f"#{r:02x}{g:02x}{b:02x}"
