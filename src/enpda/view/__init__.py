"""Pictures of graphs and of matches, as self-contained SVG and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from enpda.errors import InputError, brief
from enpda.graph import Graph
from enpda.view import page
from enpda.view.layout import Point, best_turn
from enpda.view.molecule import MAX_ATOMS, Molecule
from enpda.view.network import Network

__all__ = ["graph_svg", "match_html", "match_svg"]

TITLE = 30.0  # height of the line with the names
CAPTION = 34.0  # height of the line with the numbers
SIDES = range(64, 20_001)


class MatchLike(Protocol):
    """What a picture needs of a match; `enpda.Match` has it."""

    @property
    def a(self) -> Graph: ...
    @property
    def b(self) -> Graph: ...
    @property
    def mapping(self) -> Mapping[int, int]: ...
    @property
    def edges(self) -> Sequence[tuple[tuple[int, int], tuple[int, int]]]: ...
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


def graph_svg(graph: Graph, *, width: int = 320, height: int = 260) -> str:
    """Draw one graph: a molecule as chemists draw it, any other graph as nodes and links.

    Parameters
    ----------
    graph : Graph
        What to draw. More than 2,000 nodes or 6,000 edges are described in words instead.
    width, height : int
        In pixels.

    Returns
    -------
    str
        An SVG element without references to anything outside it; the same bytes for the same graph.

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
    drawing = _sketch(graph).draw(width, height - foot)
    body = page.group(drawing.body, "graph")
    if graph.name:
        body += page.text(graph.name, width / 2, height - 9.0, 13.0, width - 16.0)
    return page.frame(body, width, height, graph.name or "graph")


def match_svg(match: MatchLike, *, width: int = 820, height: int = 390) -> str:
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
    str
        An SVG element without references to anything outside it; the same bytes for the same match.

    Raises
    ------
    InputError
        When width or height is not a whole number from 64 to 20,000.
    """
    _check(width, height)
    a, b = match.a, match.b
    half, room = width / 2, max(height - TITLE - CAPTION, 16.0)
    classes = [*a.labels.tolist(), *b.labels.tolist()]
    left = _sketch(a, classes=classes)
    guide = {match.mapping[i]: left.points[i].tolist() for i in _largest_part(match) if len(left.points)}
    right = _sketch(b, guide, exact=isinstance(left, Molecule), classes=classes)
    angle = best_turn([left.points, right.points], half, room)
    left.turn(angle)
    right.turn(angle)
    order = {i: number for number, i in enumerate(sorted(match.mapping), 1)}
    numbers = [order, {match.mapping[i]: number for i, number in order.items()}]
    sides = list(zip((left, right), numbers, strict=True))
    drawings = [side.draw(half, room, numbers=own) for side, own in sides]
    if type(left) is type(right):
        scale = min(drawing.edge for drawing in drawings)
        drawings = [side.draw(half, room, longest=scale, numbers=own) for side, own in sides]
    body = f"<path d='M{page.px(half)},12V{page.px(height - CAPTION)}' stroke='#dde2e6'/>\n"
    for at, (graph, drawing) in enumerate(zip((a, b), drawings, strict=True)):
        marks = page.shared(drawing, numbers[at], [pair[at] for pair in match.edges])
        body += page.text(_name(graph, at), half * (at + 0.5), 21.0, 14.0, half - 16.0, extra="font-weight='bold'")
        body += page.group(marks + drawing.body, f"side-{'ab'[at]}", half * at, TITLE)
    caption = _caption(match)
    body += page.text(caption, half, height - 13.0, 13.0, width - 16.0)
    return page.frame(body, width, height, f"{_name(a, 0)} and {_name(b, 1)}: {caption}")


def match_html(match: MatchLike) -> str:
    """Show a match in a notebook: the picture, a table of its numbers and, folded away, the map of its nodes."""
    sure = "proven optimal" if match.optimal else f"gap {match.gap:.1%}, {match.status.replace('_', ' ')}"
    numbers = page.table(
        [
            *([("shared edges", f"{len(match.edges)}")] if match.weighted else []),
            ("shared weight" if match.weighted else "shared edges", f"{match.size} of at most {match.upper} ({sure})"),
            ("shared nodes", f"{match.nodes}"),
            ("Johnson similarity", f"{match.similarity:.3f}"),
            ("distance", f"{match.distance}"),
            ("method", match.method),
            ("time", f"{1000 * match.seconds:,.1f} ms"),
        ]
    )
    rows = [
        (str(number), _node(match.a, i), _node(match.b, match.mapping[i]))
        for number, i in enumerate(sorted(match.mapping), 1)
    ]
    kind = "Atom" if _molecules(match) else "Node"
    atoms = page.table(rows, ("number", _name(match.a, 0), _name(match.b, 1)))
    details = f"<details><summary>{kind} map ({len(rows)})</summary>\n{atoms}</details>\n" if rows else ""
    return f"<div class='enpda-match'>\n{match_svg(match)}{numbers}{details}</div>\n"


def _check(width: int, height: int) -> None:
    for what, value in (("width", width), ("height", height)):
        if not isinstance(value, int) or value not in SIDES:
            raise InputError(f"{what} must be a whole number from {SIDES[0]} to {SIDES[-1]:,}; got {brief(value)}")


def _sketch(
    graph: Graph,
    guide: Mapping[int, Point] | None = None,
    *,
    exact: bool = False,
    classes: Sequence[int] | None = None,
) -> Molecule | Network:
    if graph.mol is not None and 0 < len(graph) <= MAX_ATOMS:
        try:
            return Molecule(graph.mol, guide, exact)
        except (ValueError, RuntimeError):
            pass  # a molecule that RDKit cannot lay out is still a graph
    return Network(graph, guide, classes)


def _largest_part(match: MatchLike) -> list[int]:
    """Nodes of a in the largest connected common part; the one with the smallest node among equals."""
    neighbours: dict[int, list[int]] = {}
    for (i, k), _ in match.edges:
        neighbours.setdefault(i, []).append(k)
        neighbours.setdefault(k, []).append(i)
    best: list[int] = []
    seen: set[int] = set()
    for start in sorted(neighbours):
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for i in part:
            fresh = [k for k in neighbours[i] if k not in seen]
            seen.update(fresh)
            part.extend(fresh)
        best = max(best, part, key=len)
    return best


def _molecules(match: MatchLike) -> bool:
    return match.a.mol is not None and match.b.mol is not None


def _name(graph: Graph, at: int) -> str:
    return (graph.name or "").strip() or "AB"[at]


def _node(graph: Graph, v: int) -> str:
    if graph.mol is not None:
        return f"{graph.mol.GetAtomWithIdx(v).GetSymbol()} {v}"
    return f"{v} (label {graph.labels[v]})"


def _caption(match: MatchLike) -> str:
    count = len(match.edges)
    kind = ("bond" if _molecules(match) else "edge") + "s" * (count != 1)
    sure = "proven optimal" if match.optimal else f"at most {match.upper}"
    if match.weighted:
        return f"weight {match.size} in common ({sure}), {count} {kind}"
    return f"{count} {kind} in common, {sure}"
