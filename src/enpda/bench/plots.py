"""Plain SVG pictures of measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, MARGIN = 640, 400, 56
COLOURS = ("#0b6e4f", "#c1440e", "#2f4b7c", "#7a5195", "#b8860b", "#5b6770", "#d45087", "#3a9bdc")


def _frame(title: str) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="14">{escape(title)}</text>',
    ]


def _curve(k: int, label: str, points: Sequence[tuple[float, float]]) -> list[str]:
    colour = COLOURS[k % len(COLOURS)]
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        f'<text x="{MARGIN + 12}" y="{MARGIN + 16 * k:.1f}" fill="{colour}">{escape(label)}</text>',
    ]


def lines(curves: Mapping[str, Sequence[tuple[float, float]]], title: str, label: str) -> str:
    """Draw one line a curve through its points, on plain scales that hold them all; `label` names the x axis."""
    points = [point for curve in curves.values() for point in curve] or [(0.0, 0.0)]
    low, high = (f(p[0] for p in points) for f in (min, max))
    bottom, top = (f(p[1] for p in points) for f in (min, max))

    def x(value: float) -> float:
        return MARGIN + (value - low) / ((high - low) or 1) * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - (value - bottom) / ((top - bottom) or 1) * (HEIGHT - 2 * MARGIN)

    parts = _frame(title)
    for k in range(5):
        value = bottom + k / 4 * (top - bottom)
        parts.append(
            f'<line x1="{MARGIN}" y1="{y(value):.1f}" x2="{WIDTH - MARGIN}" y2="{y(value):.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{MARGIN - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
        at = low + k / 4 * (high - low)
        parts.append(f'<text x="{x(at):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{at:.3g}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">{escape(label)}</text>')
    for k, (name, curve) in enumerate(curves.items()):
        parts += _curve(k, name, [(x(px), y(py)) for px, py in curve])
    return "\n".join([*parts, "</svg>\n"])


def cactus(curves: Mapping[str, Sequence[float]], title: str) -> str:
    """Draw, per program, how many pairs were solved within a time; times are sorted, in seconds, on a log scale."""
    times = [max(t, 1e-5) for values in curves.values() for t in values] or [1.0]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    high = max(high, low + 1)
    most = max((len(values) for values in curves.values()), default=1) or 1

    def x(seconds: float) -> float:
        return MARGIN + (math.log10(max(seconds, 1e-5)) - low) / (high - low) * (WIDTH - 2 * MARGIN)

    def y(count: float) -> float:
        return HEIGHT - MARGIN - count / most * (HEIGHT - 2 * MARGIN)

    parts = _frame(title)
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f'<line x1="{at:.1f}" y1="{y(0):.1f}" x2="{at:.1f}" y2="{y(most):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{y(0) + 18:.1f}" text-anchor="middle">{10.0**power:g} s</text>')
    for share in (0.25, 0.5, 0.75, 1.0):
        count = share * most
        parts.append(
            f'<line x1="{MARGIN}" y1="{y(count):.1f}" x2="{WIDTH - MARGIN}" y2="{y(count):.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{MARGIN - 6}" y="{y(count) + 4:.1f}" text-anchor="end">{count:g}</text>')
    for k, (label, values) in enumerate(curves.items()):
        parts += _curve(k, label, [(x(t), y(n + 1)) for n, t in enumerate(values)])
    return "\n".join([*parts, "</svg>\n"])


def bars(values: Mapping[str, float], title: str, label: str) -> str:
    """Draw one horizontal bar a value, from 0; `label` names the values."""
    low, high = min(0.0, *values.values(), 0.0), max(0.0, *values.values(), 0.0)
    left, top = 3 * MARGIN, MARGIN
    step = (HEIGHT - 2 * MARGIN) / max(len(values), 1)

    def x(value: float) -> float:
        return left + (value - low) / ((high - low) or 1) * (WIDTH - left - MARGIN)

    parts = _frame(title)
    for k, (name, value) in enumerate(values.items()):
        y, middle = top + (k + 0.15) * step, top + (k + 0.5) * step + 4
        begin, end = sorted((x(0), x(value)))
        parts += [
            f'<rect x="{begin:.1f}" y="{y:.1f}" width="{end - begin:.1f}" height="{0.7 * step:.1f}" '
            f'fill="{COLOURS[0]}"/>',
            f'<text x="{left - 6}" y="{middle:.1f}" text-anchor="end">{escape(name)}</text>',
            f'<text x="{end + 4:.1f}" y="{middle:.1f}">{value:.3g}</text>',
        ]
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def histogram(series: Mapping[str, Sequence[float]], title: str, label: str, bins: int = 12) -> str:
    """Draw the share of each series' values in equal bins, side by side; `label` names the values."""
    values = [value for some in series.values() for value in some] or [0.0]
    low, high = min(values), max(values)
    width = (high - low) / bins or 1.0
    shares = {name: _shares(some, low, width, bins) for name, some in series.items()}
    most = max((share for some in shares.values() for share in some), default=0.0) or 1.0
    step = (WIDTH - 2 * MARGIN) / bins
    thick = 0.9 * step / max(len(series), 1)

    def y(share: float) -> float:
        return HEIGHT - MARGIN - share / most * (HEIGHT - 2 * MARGIN)

    parts = _frame(title)
    for k in range(5):
        share = k / 4 * most
        parts.append(
            f'<line x1="{MARGIN}" y1="{y(share):.1f}" x2="{WIDTH - MARGIN}" y2="{y(share):.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{MARGIN - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{100 * share:.0f} %</text>')
    for k in range(0, bins + 1, 3):
        at = MARGIN + k * step
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{low + k * width:.3g}</text>')
    for k, (name, some) in enumerate(shares.items()):
        colour = COLOURS[k % len(COLOURS)]
        for place, share in enumerate(some):
            at = MARGIN + place * step + k * thick
            parts.append(
                f'<rect x="{at:.1f}" y="{y(share):.1f}" width="{thick:.1f}" height="{y(0) - y(share):.1f}" '
                f'fill="{colour}"/>'
            )
        parts.append(
            f'<text x="{WIDTH - MARGIN}" y="{MARGIN + 16 * k}" text-anchor="end" fill="{colour}">{escape(name)}</text>'
        )
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _shares(values: Sequence[float], low: float, width: float, bins: int) -> list[float]:
    counts = [0] * bins
    for value in values:
        counts[min(int((value - low) / width), bins - 1)] += 1
    return [count / max(len(values), 1) for count in counts]
