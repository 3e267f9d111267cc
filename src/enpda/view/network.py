"""Plain graphs as node-link drawings."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np

from enpda.graph import Graph
from enpda.labels import shown
from enpda.view.layout import FloatArray, Point, packed, place, turned
from enpda.view.page import FAINT, FONT, INK, NUMBER, Drawing, clean, placard, px

MAX_NODES = 2_000
MAX_EDGES = 6_000
"""A graph with more is not drawn but described: the picture would be a blot of megabytes."""

# Tints of the Okabe-Ito palette without its green, which is the highlight; all carry dark text.
TINTS = ("#cfe5f4", "#f7d9a6", "#e6cde0", "#f5efa9", "#f3bfa4", "#d5d9de", "#a9c4e4", "#e3d2bd")

MARGIN = 22.0
LONGEST = 54.0
READABLE = 6.0  # smallest radius of a node with text in it
CHARACTERS = 5  # longest label written into a node


class Network:
    """A plain graph, laid out.

    Parameters
    ----------
    graph : Graph
        What to draw.
    guide : mapping of int to (float, float), optional
        Points towards which the drawing is turned.
    classes : sequence of int, optional
        All labels that get a colour, so that two drawings can agree; the graph's own by default.
    """

    points: FloatArray

    def __init__(
        self, graph: Graph, guide: Mapping[int, Point] | None = None, classes: Sequence[int] | None = None
    ) -> None:
        self.graph = graph
        self.drawn = 0 < len(graph) <= MAX_NODES and graph.size <= MAX_EDGES
        self.points = place(graph.components(), graph.edges, guide) if self.drawn else np.zeros((0, 2))
        self.spacing = min(1.0, _nearest(self.points))
        self.classes = sorted(set(graph.labels.tolist()) if classes is None else set(classes))

    def turn(self, angle: float) -> None:
        """Turn the drawing anticlockwise."""
        if self.drawn:
            self.points = packed(turned(self.points, angle), self.graph.components())

    def draw(
        self, width: float, height: float, *, longest: float = LONGEST, numbers: Mapping[int, int] | None = None
    ) -> Drawing:
        """Fit the drawing into a box, with edges of at most `longest` pixels; `numbers` are put beside nodes."""
        graph = self.graph
        if not self.drawn:
            lines = [f"{len(graph):,} nodes,", f"{graph.size:,} edges"] if len(graph) else ["no nodes"]
            return Drawing(self.points, placard(lines, width, height), longest, 0.0)
        low, high = self.points.min(0), self.points.max(0)
        room = np.maximum(np.array([width, height]) - 2 * MARGIN, 1.0)
        unit = float(min(longest / self.spacing, (room / np.maximum(high - low, 1e-9)).min()))
        points = (self.points - (low + high) / 2) * [unit, -unit] + [width / 2, height / 2]
        edge = unit * self.spacing
        radius = min(0.22 * edge, 11.0)
        texts = radius >= READABLE
        body = self._lines(points, radius) + self._nodes(points, max(radius, 1.2), texts)
        if texts:
            body += self._edge_texts(points) + self._numbers(points, radius, numbers or {})
        return Drawing(points, body, edge, radius)

    def _lines(self, points: FloatArray, radius: float) -> str:
        at = [f"{px(x)},{px(y)}" for x, y in points.tolist()]
        path = "".join(f"M{at[u]}L{at[v]}" for u, v in self.graph.edges.tolist())
        thick = min(max(0.18 * radius, 0.5), 1.6)
        return f"<path class='edges' fill='none' stroke='{FAINT}' stroke-width='{px(thick)}' d='{path}'/>\n"

    def _nodes(self, points: FloatArray, radius: float, texts: bool) -> str:
        rank = {label: k for k, label in enumerate(self.classes)}
        kinds: dict[int, list[int]] = {}
        for v, label in enumerate(self.graph.labels.tolist()):
            kinds.setdefault(label, []).append(v)
        parts = []
        for label in sorted(kinds):
            tint = TINTS[rank[label] % len(TINTS)]
            discs = "".join(
                f"<circle cx='{px(points[v, 0])}' cy='{px(points[v, 1])}' r='{px(radius)}'/>\n" for v in kinds[label]
            )
            outline = f" stroke='{INK}'" if texts else f" stroke='{FAINT}' stroke-width='0.4'"
            parts.append(f"<g class='label-{label}' fill='{tint}'{outline}>\n{discs}</g>\n")
            word = self._word(label)
            if texts and len(word) <= CHARACTERS:
                size = min(1.15 * radius, 2.9 * radius / len(word))
                lines = "".join(_at(word, points[v], size) for v in kinds[label])
                parts.append(f"<g text-anchor='middle' font-size='{px(size)}' fill='{INK}' {FONT}>\n{lines}</g>\n")
        return "".join(parts)

    def _word(self, label: int) -> str:
        """Return a label as it was given."""
        return clean(shown(self.graph.given_label(label)))

    def _edge_texts(self, points: FloatArray) -> str:
        """Edge labels beside their edges, when they say anything."""
        graph = self.graph
        labels = graph.edge_labels.tolist()
        if len(set(labels)) < 2:
            return ""
        step = points[graph.edges[:, 1]] - points[graph.edges[:, 0]]
        normal = np.column_stack([step[:, 1], -step[:, 0]]) / np.maximum(np.hypot(*step.T), 1e-9)[:, None]
        # Above the edge, or to the right of a vertical one: always the same side to the eye.
        normal *= np.where((normal[:, 1] > 1e-6) | ((np.abs(normal[:, 1]) <= 1e-6) & (normal[:, 0] < 0)), -1, 1)[
            :, None
        ]
        spots = points[graph.edges].mean(1) + 7.0 * normal
        words = [self._word(label) for label in labels]
        lines = "".join(_at(word, xy, 8.0) for word, xy in zip(words, spots, strict=True) if len(word) <= CHARACTERS)
        return f"<g class='edge-labels' text-anchor='middle' font-size='8.0' fill='{INK}' {FONT}>\n{lines}</g>\n"

    def _numbers(self, points: FloatArray, radius: float, numbers: Mapping[int, int]) -> str:
        """Numbers beside nodes, each where it is farthest from edges, nodes and the numbers before it."""
        if not numbers:
            return ""
        angle = np.pi * np.arange(16) / 8
        ring = (radius + 8.0) * np.column_stack([np.cos(angle), -np.sin(angle)])
        likes = 0.5 * np.cos(angle - np.pi / 3)  # between equals, up and to the right
        starts, ends = points[self.graph.edges[:, 0]], points[self.graph.edges[:, 1]]
        taken = points
        lines = ""
        for v, number in numbers.items():
            spots = points[v] + ring
            free = np.minimum(_gap(spots, starts, ends), _gap(spots, taken, taken) - radius)
            spot = spots[np.argmax(np.minimum(free, 14.0) + likes)]
            taken = np.vstack([taken, spot])
            lines += _at(str(number), spot, 10.0)
        style = f"text-anchor='middle' font-size='10.0' font-weight='bold' fill='{NUMBER}'"
        return f"<g class='numbers' {style} {FONT}>\n{lines}</g>\n"


def _at(word: str, centre: FloatArray, size: float) -> str:
    """Text centred on a point, by half the height of a digit: not every viewer knows other baselines."""
    return f"<text x='{px(centre[0])}' y='{px(centre[1] + 0.36 * size)}'>{html.escape(word)}</text>\n"


def _gap(spots: FloatArray, starts: FloatArray, ends: FloatArray) -> FloatArray:
    """Distance from each spot to the nearest of some line segments."""
    step, reach = ends - starts, spots[:, None] - starts[None]
    along = np.clip((reach * step).sum(2) / np.maximum((step**2).sum(1), 1e-9), 0.0, 1.0)
    away = reach - along[:, :, None] * step
    return np.asarray(np.hypot(away[:, :, 0], away[:, :, 1]).min(1, initial=np.inf))


def _nearest(points: FloatArray) -> float:
    """How far nodes are apart, a few unlucky ones excepted: the 15 % quantile of distances to the nearest."""
    if len(points) < 2:
        return np.inf
    nearest = []
    for start in range(0, len(points), 250):  # a few MB at a time
        step = points[start : start + 250, None] - points[None]
        nearest.append(np.partition(np.hypot(step[:, :, 0], step[:, :, 1]), 1, axis=1)[:, 1])  # 0 is the node itself
    return max(float(np.quantile(np.concatenate(nearest), 0.15)), 0.05)
