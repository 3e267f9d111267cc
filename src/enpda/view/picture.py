"""Pictures of graphs and of matches as self-contained SVG, and as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from enpda.checks import whole
from enpda.errors import InputError, brief
from enpda.graph import Graph
from enpda.labels import shown
from enpda.result.chemistry import fragments, nouns, numbers
from enpda.view import page
from enpda.view.figure import Picture, save
from enpda.view.layout import Point, best_turn
from enpda.view.molecule import MAX_ATOMS, Molecule
from enpda.view.network import Network
from enpda.words import counted

__all__ = ["graph_svg", "grid", "headline", "match_svg", "save"]

TITLE = 30.0  # height of the line with the names
CAPTION = 34.0  # height of the line with the numbers
SIDES = range(64, 20_001)
MAX_COLUMNS = 100


class MatchLike(Protocol):
    """What a picture needs of a match; `enpda.Match` has it."""

    @property
    def a(self) -> Graph: ...
    @property
    def b(self) -> Graph: ...
    @property
    def index_mapping(self) -> Mapping[int, int]: ...
    @property
    def index_edges(self) -> Sequence[tuple[tuple[int, int], tuple[int, int]]]: ...
    @property
    def size(self) -> int: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    @property
    def upper(self) -> int: ...
    @property
    def gap(self) -> float: ...
    @property
    def optimal(self) -> bool: ...
    @property
    def similarity(self) -> float: ...
    @property
    def distance(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def seconds(self) -> float: ...


def graph_svg(graph: Graph, *, width: int = 320, height: int = 260) -> Picture:
    """Draw one graph: a molecule as chemists draw it, any other graph as nodes and links.

    Parameters
    ----------
    graph : Graph
        What to draw. More than 2,000 nodes or 6,000 edges are described in words instead.
    width, height : int
        In pixels.

    Returns
    -------
    Picture
        SVG, which is a string, without references to anything outside it; the same bytes for the same graph.

    Raises
    ------
    InputError
        When width or height is not a whole number from 64 to 20,000.

    Examples
    --------
    >>> from enpda import Graph, view
    >>> svg = view.graph_svg(Graph([0, 0, 1], [(0, 1), (1, 2)], name="path"))
    >>> svg.count("<circle")
    3
    """
    _check(width, height)
    foot = 24.0 if graph.name else 0.0
    drawing = sketch(graph).draw(width, height - foot)
    body = page.group(drawing.body, "graph")
    if graph.name:
        body += page.text(graph.name, width / 2, height - 9.0, 13.0, width - 16.0)
    return Picture(page.frame(body, width, height, graph.name or "graph"))


def match_svg(match: MatchLike, *, width: int = 820, height: int = 390) -> Picture:
    """Draw both graphs of a match side by side, with what they share highlighted and numbered alike.

    The second graph is turned to the first along the largest connected common part.

    Parameters
    ----------
    match : Match
        What to draw.
    width, height : int
        In pixels, for both graphs together.

    Returns
    -------
    Picture
        SVG, which is a string, without references to anything outside it; the same bytes for the same match.

    Raises
    ------
    InputError
        When width or height is not a whole number from 64 to 20,000.
    """
    _check(width, height)
    return Picture(page.frame(_pair(match, width, height), width, height, headline(match)))


def grid(matches: Iterable[MatchLike], columns: int = 2, *, width: int = 560, height: int = 300) -> Picture:
    """Draw many matches on one sheet, row by row.

    Parameters
    ----------
    matches : iterable of Match
        What to draw; at least one.
    columns : int
        Matches beside each other (default 2).
    width, height : int
        Of one match, in pixels.

    Returns
    -------
    Picture
        SVG, which is a string, without references to anything outside it; the same bytes for the same matches.

    Raises
    ------
    InputError
        When there is nothing to draw or an option is out of range.

    Examples
    --------
    >>> import enpda
    >>> sheet = enpda.view.grid(enpda.match_many([("CCO", "CCN"), ("CO", "CN"), ("CC", "CC")]))
    >>> sheet.count("class='pair'")
    3
    """
    _check(width, height)
    whole("columns", columns, 1, MAX_COLUMNS)
    found = listed(matches)
    if not found:
        raise InputError("a grid needs at least one match; got none")
    columns = min(int(columns), len(found))
    rows = -(-len(found) // columns)
    body = "".join(
        page.group(_pair(match, width, height), "pair", at % columns * width, at // columns * height)
        for at, match in enumerate(found)
    )
    lines = "".join(f"M0,{row * height}H{columns * width}" for row in range(1, rows))
    lines += "".join(f"M{column * width},0V{rows * height}" for column in range(1, columns))
    body += f"<path d='{lines}' stroke='#c3cad1'/>\n" if lines else ""
    return Picture(page.frame(body, columns * width, rows * height, counted(len(found), "pair")))


def listed(matches: Iterable[MatchLike]) -> list[MatchLike]:
    """Return the matches as a list; raises InputError when they are none."""
    try:
        found = list(matches)
    except TypeError:
        raise InputError(f"several matches are needed, as a list or another iterable; got {brief(matches)}") from None
    for item in found:
        if not hasattr(item, "index_mapping") or not hasattr(item, "similarity"):
            raise InputError(f"matches must be enpda.Match; got {brief(item)}")
    return found


def headline(match: MatchLike) -> str:
    """Say in one line which graphs they are and what they share."""
    return f"{names(match)}: {_caption(match)}"


def names(match: MatchLike) -> str:
    """Say which graphs they are."""
    return f"{name_of(match.a, 0)} and {name_of(match.b, 1)}"


def name_of(graph: Graph, at: int) -> str:
    """Return the name of a match's first (0) or second (1) graph, or a letter."""
    return (graph.name or "").strip() or "AB"[at]


def node_of(graph: Graph, v: int) -> str:
    """Return a node in words."""
    if graph.mol is not None:
        return f"{graph.mol.GetAtomWithIdx(v).GetSymbol()} {v}"
    return f"{shown(graph.node(v))} (label {shown(graph.given_label(int(graph.labels[v])))})"


def _pair(match: MatchLike, width: int, height: int) -> str:
    """Both sides of a match, their names and the caption, as SVG elements."""
    a, b = match.a, match.b
    half, room = width / 2, max(height - TITLE - CAPTION, 16.0)
    classes = [*a.labels.tolist(), *b.labels.tolist()]
    left = sketch(a, classes=classes)
    pieces = fragments(match)
    largest = pieces[0] if pieces and len(left.points) else []
    guide = {match.index_mapping[i]: left.points[i].tolist() for i in largest}
    right = sketch(b, guide, exact=isinstance(left, Molecule), classes=classes)
    angle = best_turn([left.points, right.points], half, room)
    left.turn(angle)
    right.turn(angle)
    own = numbers(match)
    sides = list(zip((left, right), own, strict=True))
    drawings = [side.draw(half, room, numbers=each) for side, each in sides]
    if type(left) is type(right):
        scale = min(drawing.edge for drawing in drawings)
        drawings = [side.draw(half, room, longest=scale, numbers=each) for side, each in sides]
    titles = {
        number: f"{number}: {node_of(a, i)} and {node_of(b, match.index_mapping[i])}" for i, number in own[0].items()
    }
    body = f"<path d='M{page.px(half)},12V{page.px(height - CAPTION)}' stroke='#dde2e6'/>\n"
    for at, (graph, drawing) in enumerate(zip((a, b), drawings, strict=True)):
        shared = [pair[at] for pair in match.index_edges]
        marks = links = ""
        if len(drawing.points):
            marks = page.changed(drawing, changed_edges(graph, own[at], shared)) + page.shared(drawing, own[at], shared)
            links = page.links(drawing, own[at], titles)
        body += page.text(name_of(graph, at), half * (at + 0.5), 21.0, 14.0, half - 16.0, extra="font-weight='bold'")
        body += page.group(marks + drawing.body + links, f"side-{'ab'[at]}", half * at, TITLE)
    return body + page.text(_caption(match), half, height - 13.0, 13.0, width - 16.0)


def changed_edges(graph: Graph, nodes: Iterable[int], shared: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the edges between two matched nodes that are not shared."""
    matched = np.zeros(len(graph), dtype=bool)
    matched[list(nodes)] = True
    kept = {(min(edge), max(edge)) for edge in shared}
    within = graph.edges[matched[graph.edges].all(1)].tolist()
    return [(u, v) for u, v in within if (u, v) not in kept]


def _check(width: int, height: int) -> None:
    for what, value in (("width", width), ("height", height)):
        if not isinstance(value, int) or value not in SIDES:
            raise InputError(f"{what} must be a whole number from {SIDES[0]} to {SIDES[-1]:,}; got {brief(value)}")


def sketch(
    graph: Graph,
    guide: Mapping[int, Point] | None = None,
    *,
    exact: bool = False,
    classes: Sequence[int] | None = None,
) -> Molecule | Network:
    """Lay out a graph: as a molecule where it is one that RDKit can lay out, else as nodes and links."""
    if graph.is_molecule and 0 < len(graph) <= MAX_ATOMS:
        try:
            return Molecule(graph.mol, guide, exact)
        except (ValueError, RuntimeError):
            pass  # a molecule that RDKit cannot lay out is still a graph
    return Network(graph, guide, classes)


def _caption(match: MatchLike) -> str:
    shared = counted(len(match.index_edges), nouns(match)[1])
    sure = "proven optimal" if match.optimal else f"at most {match.upper}"
    if match.weighted:
        return f"weight {match.size} in common ({sure}), {shared}"
    return f"{shared} in common, {sure}"
