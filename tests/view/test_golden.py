"""The same input gives the same picture: small, needing nothing else, and as it was.

After a change of looks, `PYTHONPATH=src:tests python tests/view/test_golden.py` writes the golden files anew: look at
them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import enpda
from enpda.result.match import Match
from enpda.view import graph_svg, grid, match_html, match_svg, report
from pictures import (
    aspirin_paracetamol,
    house,
    identity,
    large,
    matched,
    tree,
    triangle_and_path,
    words,
)

GOLDEN = Path(__file__).parent / "golden"


def golden_pictures() -> dict[str, str]:
    return {
        "graph.svg": graph_svg(house()),
        "match.svg": match_svg(triangle_and_path(), width=480, height=260),
        "summary.svg": graph_svg(large(5_000, 12_000)),
        "grid.svg": grid([triangle_and_path()] * 3, width=300, height=200),
        "report.html": report([triangle_and_path(), matched(house(), house(), identity(house()), 9)], title="Plain"),
    }


def test_the_same_input_gives_the_same_bytes() -> None:
    for make in (aspirin_paracetamol, triangle_and_path):
        assert match_svg(make()) == match_svg(make())
        assert match_html(make()) == match_html(make())
    found = enpda.match("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1")
    assert match_html(found) == match_html(Match.from_json(found.to_json()))


@pytest.mark.parametrize("name", ["graph.svg", "match.svg", "summary.svg", "grid.svg", "report.html"])
def test_own_drawings_look_as_they_did(name: str) -> None:
    assert golden_pictures()[name] == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("nodes", "edges"), [(300, 600), (300, 5_900), (2_000, 3_000), (5_000, 12_000)])
def test_large_graphs_are_drawn_small(nodes: int, edges: int) -> None:
    graph = large(nodes, edges)
    svg = graph_svg(graph)
    assert len(svg) < 300_000
    if nodes == 5_000:
        assert words(tree(svg)) == ["5,000 nodes,", f"{graph.size:,} edges"]


def test_pictures_need_nothing_from_outside() -> None:
    text = match_html(aspirin_paracetamol())
    assert not re.search(r"href|url\(|@import|<script|<image| id=", text)
    assert "<style" not in match_svg(aspirin_paracetamol())
    page = report([aspirin_paracetamol()])
    assert not re.search(r"url\(|@import|<link|<image| src=|href='[^#]", page)
    for each in (text, page):
        assert set(re.findall(r"https?://[^'\"]*", each)) == {"http://www.w3.org/2000/svg"}


def test_importing_the_module_does_not_load_rdkit() -> None:
    code = "import sys, enpda.view; sys.exit('rdkit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, svg in golden_pictures().items():
        (GOLDEN / name).write_text(svg, encoding="utf-8")
