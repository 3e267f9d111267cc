"""Pictures of graphs and of matches, as self-contained SVG, PNG and HTML."""

from enpda.view.document import match_html, match_page, report
from enpda.view.figure import Picture, save
from enpda.view.picture import graph_svg, grid, headline, match_svg

__all__ = ["Picture", "graph_svg", "grid", "headline", "match_html", "match_page", "match_svg", "report", "save"]
