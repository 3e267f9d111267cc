"""Our SVG as PNG, through RDKit's Cairo canvas.

Not a reader of any SVG, only of what this package and RDKit's drawer write: groups that are shifted, paths, circles,
rectangles and lines of text, upright ones too. Everything but level text is a filled polygon.
"""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from enpda.errors import InputError
from enpda.view.layout import FloatArray

MAX_PIXELS = 100_000_000
TURN = 2 * np.pi * np.arange(49) / 48
ROUND = np.column_stack([np.cos(TURN), np.sin(TURN)])  # a circle, as far as anybody can see
STEPS = np.linspace(0.0, 1.0, 9)[1:, None]  # along a curve
PARTS = re.compile(r"[MLHVQCZ]|-?\d*\.?\d+(?:e-?\d+)?", re.IGNORECASE)
ALIGN = {"middle": 0, "start": 1, "end": 2}  # as RDKit counts them
INHERITED = ("fill", "stroke", "stroke-width", "stroke-dasharray", "font-size")


def png(svg: str, scale: float = 2.0) -> bytes:
    r"""Paint a picture of `enpda.view` as PNG, `scale` pixels for one of the SVG.

    Text is set in RDKit's own font, which has the Latin alphabet without accents; other letters become question marks.

    Raises
    ------
    InputError
        When there would be more than 100 million pixels.

    Examples
    --------
    >>> from enpda import Graph, view
    >>> from enpda.view.raster import png
    >>> png(view.graph_svg(Graph([0, 0, 1], [(0, 1), (1, 2)])))[:4]
    b'\x89PNG'
    """
    from rdkit.Chem.Draw import rdMolDraw2D

    root = ET.fromstring(svg)
    width, height = (round(scale * float(root.get(side, "0"))) for side in ("width", "height"))
    if width * height > MAX_PIXELS:
        raise InputError(
            f"a PNG of {width} x {height} pixels is too large, at most {MAX_PIXELS:,} are written; use .svg"
        )
    canvas = rdMolDraw2D.MolDraw2DCairo(width, height)
    canvas.SetFillPolys(True)
    canvas.SetLineWidth(0)  # polygons have no outline of their own
    _paint(_Painter(canvas, scale), root, np.zeros(2), {"fill": "#000000", "stroke": "none", "stroke-width": "1"})
    canvas.FinishDrawing()
    return bytes(canvas.GetDrawingText())


class _Painter:
    def __init__(self, canvas: Any, scale: float) -> None:
        from rdkit.Geometry import Point2D

        self.canvas, self.scale, self.point = canvas, scale, Point2D

    def fill(self, outlines: list[FloatArray], colour: str) -> None:
        """Fill outlines together; those inside others run the other way round and are holes."""
        outlines = [outline for outline in outlines if len(outline) > 2]
        if colour == "none" or not outlines:
            return
        # One polygon: bridges there and back between the outlines have no width.
        start = outlines[0][:1]
        pieces = [np.vstack([outline, outline[:1], start]) for outline in outlines]
        self.canvas.SetColour(tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)))
        points = [self.point(x, y) for x, y in (self.scale * np.vstack(pieces)).tolist()]
        self.canvas.DrawPolygon(points, True)

    def stroke(self, outlines: list[FloatArray], style: dict[str, str]) -> None:
        """Draw lines as thin rectangles, in dashes if so wanted."""
        if style["stroke"] == "none":
            return
        half = float(style["stroke-width"].removesuffix("px")) / 2
        dash = float(re.split("[, ]", style.get("stroke-dasharray", "0"))[0])
        for outline in outlines:
            for start, end in pairwise(outline):
                length = float(np.hypot(*(end - start)))
                if length < 1e-9:
                    continue
                along = (end - start) / length
                across = half * np.array([-along[1], along[0]])
                for begin, stop in _dashes(length, dash):
                    p, q = start + begin * along, start + stop * along
                    self.fill([np.array([p + across, q + across, q - across, p - across])], style["stroke"])

    def text(self, words: str, x: float, y: float, style: dict[str, str], align: int) -> None:
        size = float(style["font-size"])
        colour = style["fill"]
        self.canvas.SetColour(tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)))
        self.canvas.SetFontSize(self.scale * size)
        centre = self.point(self.scale * x, self.scale * (y - 0.36 * size))
        self.canvas.DrawString(_latin(words), centre, align, True)

    def upright(self, words: str, x: float, y: float, style: dict[str, str]) -> None:
        """Paint text that runs upwards from a point: its outlines, turned."""
        from rdkit.Chem.Draw import rdMolDraw2D

        size = float(style["font-size"])
        canvas = rdMolDraw2D.MolDraw2DSVG(4_000, 100)
        canvas.SetFontSize(size)
        canvas.DrawString(_latin(words), self.point(0.0, -0.36 * size), 1, True)
        canvas.FinishDrawing()
        for path in ET.fromstring(canvas.GetDrawingText()).iter("{http://www.w3.org/2000/svg}path"):
            outlines = _outlines(path.get("d", ""))
            self.fill([np.column_stack([p[:, 1] + x, y - p[:, 0]]) for p in outlines], style["fill"])


def _paint(painter: _Painter, element: ET.Element, shift: FloatArray, style: dict[str, str]) -> None:
    style = {**style, **{name: element.attrib[name] for name in INHERITED if name in element.attrib}}
    for entry in element.get("style", "").split(";"):
        name, colon, value = entry.partition(":")
        if colon and name in INHERITED:
            style[name] = value
    moved = re.match(r"translate\(([^,]+),([^)]+)\)", element.get("transform", ""))
    if moved:
        shift = shift + np.array([float(moved[1]), float(moved[2])])
    number = {name: float(element.get(name, "0")) for name in ("x", "y", "cx", "cy", "r", "rx", "ry")}
    outlines: list[FloatArray] = []
    match element.tag.rpartition("}")[2]:
        case "svg" | "g":
            for child in element:
                _paint(painter, child, shift, style)
        case "path":
            outlines = [outline + shift for outline in _outlines(element.get("d", ""))]
        case "circle" | "ellipse":
            rx, ry = number["r"] or number["rx"], number["r"] or number["ry"]
            outlines = [np.array([number["cx"], number["cy"]]) + shift + ROUND * [rx, ry]]
        case "rect":
            w, h = float(element.get("width", "0")), float(element.get("height", "0"))
            corners = np.array([[0, 0], [w, 0], [w, h], [0, h], [0, 0]])
            outlines = [np.array([number["x"], number["y"]]) + shift + corners]
        case "text":
            words, x, y = element.text or "", number["x"] + shift[0], number["y"] + shift[1]
            if "rotate(-90" in element.get("transform", ""):
                painter.upright(words, x, y, style)
            else:
                painter.text(words, x, y, style, ALIGN[element.get("text-anchor", "start")])
    if outlines:
        painter.fill(outlines, style["fill"])
        painter.stroke(outlines, style)


def _dashes(length: float, dash: float) -> Iterator[tuple[float, float]]:
    if dash <= 0:
        yield 0.0, length
        return
    at = 0.0
    while at < length:
        yield at, min(at + dash, length)
        at += 2 * dash


def _outlines(path: str) -> list[FloatArray]:
    """Return the points of each subpath; curves become a few short lines."""
    result: list[list[FloatArray]] = []
    parts = PARTS.findall(path)
    at, command = 0, ""

    def pairs(count: int) -> list[FloatArray]:
        nonlocal at
        values = np.array(parts[at : at + 2 * count], dtype=np.float64)
        at += 2 * count
        return list(values.reshape(-1, 2))

    while at < len(parts):
        if parts[at].isalpha():
            command = parts[at].upper()
            at += 1
        if command == "M":
            result.append(pairs(1))
            command = "L"  # what follows a start without a letter
            continue
        line = result[-1]
        last = line[-1]
        if command == "L":
            line += pairs(1)
        elif command in "HV":
            line.append(np.array([float(parts[at]), last[1]] if command == "H" else [last[0], float(parts[at])]))
            at += 1
        elif command == "Q":
            c, end = pairs(2)
            line += list((1 - STEPS) ** 2 * last + 2 * STEPS * (1 - STEPS) * c + STEPS**2 * end)
        elif command == "C":
            c, d, end = pairs(3)
            rest = 1 - STEPS
            line += list(rest**3 * last + 3 * rest**2 * STEPS * c + 3 * rest * STEPS**2 * d + STEPS**3 * end)
        elif command == "Z":
            line.append(line[0])
    return [np.array(line) for line in result]


def _latin(words: str) -> str:
    """Return the text in letters that RDKit's font has."""
    plain = unicodedata.normalize("NFKD", words)
    kept = "".join(c for c in plain if not unicodedata.combining(c))
    known = "".join(c if " " <= c <= "~" else "?" for c in kept)
    return re.sub("<(?=/?(sub|sup|lit)>)", "< ", known)  # RDKit would take it for markup
