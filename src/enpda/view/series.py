"""Many graphs beside one query: each turned to it, with what they share highlighted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from enpda.graph import Graph
from enpda.result.chemistry import fragments
from enpda.view import page
from enpda.view.figure import Picture
from enpda.view.layout import FloatArray, Point, best_turn
from enpda.view.molecule import Molecule
from enpda.view.picture import MatchLike, changed_edges, headline, sketch

Edge = tuple[int, int]

WIDTH, HEIGHT = 230, 170


class Series:
    """Draws graphs one by one as they look beside the same query.

    Parameters
    ----------
    query : Graph
        What all of them are turned to.
    width, height : int
        Of each picture, in pixels.

    Examples
    --------
    >>> import enpda
    >>> from enpda.view.series import Series
    >>> m = enpda.match("Oc1ccccc1", "Nc1ccccc1")
    >>> Series(m.a).draw(m).count("class='shared-edge'")
    6
    """

    def __init__(self, query: Graph, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.query, self.width, self.height = query, width, height
        self._sketch = sketch(query)
        self._sketch.turn(best_turn([self._sketch.points], width, height))
        self._points = self._sketch.points

    def place(self, points: FloatArray) -> None:
        """Take other points for the query's nodes, in units of an edge; for `guide`."""
        self._points = points

    def draw_query(self) -> Picture:
        """Draw the query itself."""
        drawing = self._sketch.draw(self.width, self.height)
        return self._framed(page.group(drawing.body, "graph"), self.query.name or "query")

    def guide(self, match: MatchLike) -> dict[int, Point]:
        """Return where the largest connected common part lies in the query's drawing, by nodes of the other graph."""
        pieces = fragments(match)
        points = self._points
        return {match.index_mapping[i]: points[i].tolist() for i in pieces[0]} if pieces and len(points) else {}

    def draw(self, match: MatchLike) -> Picture:
        """Draw the second graph of a match whose first is the query."""
        nodes, edges = list(match.index_mapping.values()), [right for _, right in match.index_edges]
        return self._drawn(match.b, self.guide(match), nodes, edges, headline(match))

    def draw_part(self, graph: Graph, mapping: Mapping[int, int], edges: Sequence[Edge], title: str) -> Picture:
        """Draw a graph that contains a part of the query: query's node -> its node, and its edges of that part."""
        guide = {j: self._points[i].tolist() for i, j in mapping.items()} if len(self._points) else {}
        return self._drawn(graph, guide, list(mapping.values()), edges, title)

    def _drawn(
        self, graph: Graph, guide: Mapping[int, Point], nodes: Sequence[int], edges: Sequence[Edge], title: str
    ) -> Picture:
        classes = [*self.query.labels.tolist(), *graph.labels.tolist()]
        drawing = sketch(graph, guide, exact=isinstance(self._sketch, Molecule), classes=classes).draw(
            self.width, self.height
        )
        marks = ""
        if len(drawing.points):
            marks = page.changed(drawing, changed_edges(graph, nodes, edges)) + page.shared(drawing, nodes, edges)
        return self._framed(page.group(marks + drawing.body, "graph"), title)

    def _framed(self, body: str, title: str) -> Picture:
        return Picture(page.frame(body, self.width, self.height, title))
