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


def bars(groups: Mapping[str, Mapping[str, tuple[float, float, float]]], title: str) -> str:
    """Draw values from 0 to 1 as bars with the range from low to high, (value, low, high), side by side in groups."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    wide = (WIDTH - 2 * MARGIN) / max(len(groups), 1)
    thick = 0.8 * wide / max(len(names), 1)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - value * (HEIGHT - 3 * MARGIN)

    parts = _frame(title)
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        ends = f'x1="{MARGIN}" y1="{y(value):.1f}" x2="{WIDTH - MARGIN}" y2="{y(value):.1f}"'
        parts.append(f'<line {ends} stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for k, name in enumerate(names):
        left, top = MARGIN + 180 * (k % 3), 44 + 16 * (k // 3)
        parts.append(f'<rect x="{left}" y="{top}" width="10" height="10" fill="{_shade(k)}"/>')
        parts.append(f'<text x="{left + 14}" y="{top + 9}">{escape(name)}</text>')
    for g, (label, group) in enumerate(groups.items()):
        start = MARGIN + g * wide
        at = f'x="{start + wide / 2:.1f}" y="{HEIGHT - MARGIN + 18}"'
        parts.append(f'<text {at} text-anchor="middle">{escape(label)}</text>')
        for name, (value, low, high) in group.items():
            x = start + 0.1 * wide + names.index(name) * thick
            box = f'x="{x:.1f}" y="{y(value):.1f}" width="{0.9 * thick:.1f}" height="{y(0) - y(value):.1f}"'
            parts.append(f'<rect {box} fill="{_shade(names.index(name))}"/>')
            middle = x + 0.45 * thick
            ends = f'x1="{middle:.1f}" y1="{y(low):.1f}" x2="{middle:.1f}" y2="{y(high):.1f}"'
            parts.append(f'<line {ends} stroke="black" stroke-width="1.5"/>')
    return "\n".join([*parts, "</svg>\n"])


def _shade(k: int) -> str:
    return (*COLOURS, "#bc9f48", "#7f7f7f", "#58a4b0", "#a05195")[k % 8]
