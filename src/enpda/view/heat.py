"""Matrices as pictures: one coloured square a pair, or a block of pairs."""

from __future__ import annotations

from html import escape

import numpy as np
import numpy.typing as npt

MOST, CELL, MARGIN = 200, 3, 28
RAMP = np.array([[247, 252, 245], [199, 233, 192], [116, 196, 118], [35, 139, 69], [0, 68, 27]], dtype=np.float64)
EMPTY = "#eeeeee"


def heat_svg(values: npt.NDArray[np.generic], title: str) -> str:
    """Draw an array from light (its least value) to dark (its largest); what is NaN is grey."""
    shown = _blocks(values.astype(np.float64))
    rows, columns = shown.shape
    cell = max(CELL, min(24, 480 // max(rows, columns, 1)))
    known = shown[np.isfinite(shown)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    width, height = columns * cell + 2 * MARGIN, rows * cell + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{MARGIN}" y="18">{escape(title)}: {low:.3g} (light) to {high:.3g} (dark)</text>',
    ]
    for i in range(rows):
        for j in range(columns):
            colour = _colour((shown[i, j] - low) / ((high - low) or 1)) if np.isfinite(shown[i, j]) else EMPTY
            x, y = MARGIN + j * cell, MARGIN + i * cell
            parts.append(f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="{colour}"/>')
    return "\n".join([*parts, "</svg>"])


def _blocks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Average what exceeds the picture's resolution, leaving out what is not known."""
    step = -(-max(*values.shape, 1) // MOST)
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
