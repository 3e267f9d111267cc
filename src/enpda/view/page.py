"""Text, frames and tables: everything around a drawing, and the only place where untrusted text is written."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from enpda.view.layout import FloatArray

SHARED = "#86d3c3"
"""Highlight of what is shared: light enough for black on top, and apart from white by lightness alone."""

CHANGED = "#f2b84b"
"""Highlight of edges between matched nodes that are not shared: amber, and dashed for those who do not see it so."""

POINTED = "#c2410c"
"""Ring around the nodes that the reader points at."""

NUMBER = "#0a5c4e"
"""Numbers of matched nodes: the same hue, dark."""

LONGEST = 200  # characters of a name
INK = "#27323b"
FAINT = "#6b7680"
FONT = "font-family='DejaVu Sans, Helvetica, Arial, sans-serif'"


@dataclass(frozen=True)
class Drawing:
    """One graph on paper.

    Attributes
    ----------
    points : ndarray, shape (nodes, 2)
        Where the nodes are, in pixels; no rows when the graph is too large to be drawn.
    body : str
        SVG elements.
    edge : float
        Length of a short but usual edge in pixels.
    radius : float
        Of a node, in pixels; 0 for atoms, which have none.
    """

    points: FloatArray
    body: str
    edge: float
    radius: float


def px(value: float) -> str:
    """Write a length; the nudge keeps values halfway between two tenths from depending on the last bit."""
    return f"{value + 1e-6:.1f}"


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    room: float,
    *,
    colour: str = INK,
    extra: str = "",
    anchor: str = "middle",
    upright: bool = False,
) -> str:
    """One line of untrusted text, cut to `room` pixels: centred, from or to a point, or `upright`, upwards from it."""
    line = html.escape(_cut(words, room / size))
    where = "start" if upright else anchor
    style = f"text-anchor='{where}' font-size='{px(size)}' fill='{colour}' {FONT}{' ' * bool(extra)}{extra}"
    turn = f" transform='rotate(-90,{px(x)},{px(y)})'" if upright else ""
    return f"<text x='{px(x)}' y='{px(y)}' {style}{turn}>{line}</text>\n"


def hint(words: str) -> str:
    """Untrusted text that shows when an element is pointed at."""
    return f"<title>{html.escape(clean(words))}</title>"


def clean(words: str, most: int = LONGEST) -> str:
    """Replace what XML forbids or what can reorder the text around it (bidirectional overrides); not endless."""
    kept = words if len(words) <= most else words[: most - 1] + "…"
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in kept)


def width_of(words: str) -> float:
    """Estimate the width of text in font sizes, without font metrics and rather too wide."""
    return sum(map(_width, clean(words)))


def _width(c: str) -> float:
    return 1.0 if unicodedata.east_asian_width(c) in "WF" else 0.68 if c.isupper() else 0.56


def _cut(words: str, room: float) -> str:
    """Shorten to `room` times the font size."""
    used = 0.0
    kept = clean(words)
    for at, c in enumerate(kept):
        used += _width(c)
        if used > max(room, 1.0):
            return kept[: max(at - 1, 0)].rstrip() + "…"
    return kept


def frame(body: str, width: int, height: int, title: str) -> str:
    """Wrap elements in a self-contained SVG on white; no ids and no style sheet, so it can be put inline anywhere."""
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' style='max-width:100%'>\n"
        f"<title>{html.escape(clean(title))}</title>\n"
        f"<rect width='{width}' height='{height}' rx='6' fill='#ffffff'/>\n{body}</svg>\n"
    )


def group(body: str, name: str, x: float = 0.0, y: float = 0.0) -> str:
    """Move elements together."""
    return f"<g class='{name}' transform='translate({px(x)},{px(y)})'>\n{body}</g>\n"


def shared(drawing: Drawing, nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> str:
    """Bands under shared edges and discs under shared nodes."""
    at = _spots(drawing)
    centre = [f"cx='{px(x)}' cy='{px(y)}'" for x, y in drawing.points.tolist()]
    band, disc = max(0.36 * drawing.edge, 5.0), max(0.25 * drawing.edge, 1.3 * drawing.radius, 3.2)
    bands = "".join(f"<path class='shared-edge' d='M{at[u]}L{at[v]}'/>\n" for u, v in edges)
    discs = "".join(f"<circle class='shared-node' {centre[v]} r='{px(disc)}'/>\n" for v in nodes)
    return f"<g stroke='{SHARED}' stroke-width='{px(band)}'>\n{bands}</g>\n<g fill='{SHARED}'>\n{discs}</g>\n"


def changed(drawing: Drawing, edges: Iterable[tuple[int, int]]) -> str:
    """Dashed bands under edges that join two matched nodes and are not shared."""
    at = _spots(drawing)
    lines = "".join(f"<path class='changed-edge' d='M{at[u]}L{at[v]}'/>\n" for u, v in edges)
    if not lines:
        return ""
    band, dash = max(0.3 * drawing.edge, 4.0), max(0.1 * drawing.edge, 1.5)
    style = f"stroke='{CHANGED}' stroke-width='{px(band)}' stroke-dasharray='{px(dash)}'"
    return f"<g class='changed' {style}>\n<title>between matched nodes, but not shared</title>\n{lines}</g>\n"


def links(drawing: Drawing, numbers: Mapping[int, int], titles: Mapping[int, str]) -> str:
    """Invisible discs over matched nodes: partners have the same class, and say who they are when pointed at."""
    if not numbers:
        return ""
    reach = max(0.36 * drawing.edge, 1.3 * drawing.radius, 4.0)
    discs = "".join(
        f"<circle class='pair-{number}' cx='{px(x)}' cy='{px(y)}' r='{px(reach)}'>{hint(titles[number])}</circle>\n"
        for number, (x, y) in ((number, drawing.points[v].tolist()) for v, number in numbers.items())
    )
    return f"<g class='links' fill='none' pointer-events='all'>\n{discs}</g>\n"


def linking(count: int) -> str:
    """Write the style that lights up both nodes of a pair, and its row of the table, when one is pointed at.

    Style only, without a script or an id: where it is taken away, or too new, the picture is as before.
    """
    if not count:
        return ""
    pairs = ",\n".join(f".enpda-match:has(.pair-{k}:hover) .pair-{k}" for k in range(1, count + 1))
    return f"<style>\n{pairs}\n{{stroke:{POINTED};stroke-width:2.5px;background:#c2410c33}}\n</style>\n"


def _spots(drawing: Drawing) -> list[str]:
    return [f"{px(x)},{px(y)}" for x, y in drawing.points.tolist()]


def placard(lines: list[str], width: float, height: float) -> str:
    """Say in words what is too large (or too small) to be drawn."""
    w, h = min(width - 8.0, 210.0), min(height - 8.0, 30.0 + 18.0 * len(lines))
    box = (
        f"<rect x='{px((width - w) / 2)}' y='{px((height - h) / 2)}' width='{px(w)}' height='{px(h)}' rx='8' "
        f"fill='#f4f6f8' stroke='#c3cad1'/>\n"
    )
    top = height / 2 - 9.0 * len(lines) + 14.0
    return box + "".join(text(line, width / 2, top + 18.0 * k, 13.0, w - 10.0) for k, line in enumerate(lines))


def table(rows: Iterable[Iterable[str]], head: Iterable[str] = (), *, linked: bool = False) -> str:
    """Write a compact HTML table, every cell escaped; the first cell of a row is its heading.

    Rows that are `linked` have the classes of `links`, in order.
    """
    cell = "style='text-align:left;padding:1px 12px 1px 0;font-weight:{}'"
    top = "".join(f"<th {cell.format('bold')}>{html.escape(clean(word))}</th>" for word in head)
    lines = [f"<tr>{top}</tr>"] if top else []
    for number, (first, *rest) in enumerate(rows, 1):
        row = f"<tr class='pair-{number}'>" if linked else "<tr>"
        cells = "".join(f"<td {cell.format('normal')}>{html.escape(clean(word))}</td>" for word in rest)
        lines.append(f"{row}<th {cell.format('normal')}>{html.escape(clean(first))}</th>{cells}</tr>")
    return "<table style='border-collapse:collapse;font-size:13px'>\n" + "\n".join(lines) + "\n</table>\n"
