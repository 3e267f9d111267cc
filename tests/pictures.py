"""Matches and graphs to draw, and how their pictures are taken apart."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
from rdkit import Chem

from enpda import Graph
from enpda.result.match import Match
from enpda.view import match_svg

SVG = "{http://www.w3.org/2000/svg}"

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
PARACETAMOL = "CC(=O)Nc1ccc(O)cc1"
HOSTILE = "</title><script>alert('x')</script>&\"\x00\x1b\u202e"
PEPTIDE = "N" + "[C@@H](Cc1ccccc1)C(=O)N[C@@H](CCCCN)C(=O)N" * 10 + "CC(=O)O"


def matched(a: Graph, b: Graph, mapping: dict[int, int], upper: int | None = None) -> Match:
    size = Match(a, b, mapping, bounds={"any": 10**6}, method="core").size
    return Match(a, b, mapping, bounds={"any": size if upper is None else upper}, method="core", seconds=0.0123)


def identity(graph: Graph) -> dict[int, int]:
    return {v: v for v in np.unique(graph.edges).tolist()}


def plain(graph: Graph) -> Graph:
    return Graph(graph.labels, graph.edges, graph.edge_labels, graph.name)


def aspirin_paracetamol() -> Match:
    a, b = Graph.from_smiles(ASPIRIN, "aspirin"), Graph.from_smiles(PARACETAMOL, "paracetamol")
    return matched(a, b, {0: 0, 1: 1, 2: 2, 3: 8, 4: 7, 5: 9, 6: 10, 7: 4, 8: 5, 9: 6})


def caffeine_theophylline() -> Match:
    a, b = Graph.from_smiles("Cn1c(=O)c2c(ncn2C)n(C)c1=O"), Graph.from_smiles("Cn1c(=O)c2[nH]cnc2n(C)c1=O")
    return matched(a, b, {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 8: 5, 7: 6, 6: 7, 5: 8, 10: 9, 11: 10, 12: 11, 13: 12})


def triangle_and_path() -> Match:
    """All three nodes are matched, two of the triangle's three edges are shared."""
    triangle = Graph([1, 2, 3], [(0, 1), (1, 2), (0, 2)], name="triangle")
    return matched(triangle, Graph([1, 2, 3, 3], [(0, 1), (1, 2), (1, 3)], name="fork"), {0: 0, 1: 1, 2: 2})


def house() -> Graph:
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (3, 4), (5, 6)]
    return Graph([6, 6, 8, 7, 6, 17, 6, 6], edges, [1, 1, 2, 1, 1, 1, 3], name="house, street and tree")


def large(nodes: int, edges: int) -> Graph:
    rng = np.random.default_rng(1)
    return Graph(rng.integers(0, 4, nodes), rng.integers(0, nodes, (edges, 2)))


def tree(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def side(svg: str, letter: str) -> ET.Element:
    found = tree(svg).find(f"{SVG}g[@class='side-{letter}']")
    assert found is not None
    return found


def shared(part: ET.Element) -> tuple[set[frozenset[str]], set[str]]:
    """Ends of the bands and centres of the discs, as they are written."""
    bands = [e.get("d", "")[1:].split("L") for e in part.iter(f"{SVG}path") if e.get("class") == "shared-edge"]
    discs = [e for e in part.iter(f"{SVG}circle") if e.get("class") == "shared-node"]
    return {frozenset(ends) for ends in bands}, {f"{e.get('cx')},{e.get('cy')}" for e in discs}


def words(element: ET.Element) -> list[str]:
    return [e.text or "" for e in element.iter(f"{SVG}text")]


def unsanitised() -> Graph:
    """Seven bonds on one carbon, an aromatic ring that has no Kekulé form, an unknown element."""
    hub = [(0, v) for v in range(1, 8)]
    ring = [(8 + v, 8 + (v + 1) % 5) for v in range(5)]
    graph = Graph([6] * 8 + [6] * 5 + [0], hub + ring + [(7, 13)], [1] * 7 + [12] * 5 + [1])
    return Graph.from_mol(graph.to_mol())


ZOO = {
    "empty": Graph([]),
    "empty molecule": Graph.from_mol(Chem.Mol()),
    "one node": Graph([6]),
    "one atom": Graph.from_smiles("C"),
    "no edges": Graph(range(7)),
    "salts": Graph.from_smiles("CC(=O)[O-].[Na+].Cl.O"),
    "components": house(),
    "unsanitised": unsanitised(),
    "hydrogens": Graph.from_mol(Chem.AddHs(Chem.MolFromSmiles("CCO"))),
    "stereo": Graph.from_smiles("C[C@H](N)C(=O)O"),
    "too many atoms for RDKit": Graph.from_smiles("C" * 420),
    "query": Graph.from_mol(Chem.MolFromSmarts("[#6,#7]~*[!#1]")),
    "extreme labels": Graph([-(2**63), 2**63 - 1], [(0, 1)], [-5]),
    "too large": large(5_000, 12_000),
    "too dense": large(200, 19_000),
}


def positions(match: Match, letter: str) -> np.ndarray:
    part = side(match_svg(match), letter)
    discs = [e for e in part.iter(f"{SVG}circle") if e.get("class") == "shared-node"]
    return np.array([[float(e.get("cx", "")), float(e.get("cy", ""))] for e in discs])
