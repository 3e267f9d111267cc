"""What a caller gives for a graph, whatever library it is of."""

from __future__ import annotations

from typing import Any

from enpda.errors import InputError, brief
from enpda.graph import Graph


def as_graph(item: Any) -> Graph:
    """Take what a caller has: a graph of this or another library, a molecule as text or as an RDKit Mol."""
    if isinstance(item, Graph):
        return item
    if isinstance(item, str):
        return Graph.from_text(item)
    if hasattr(item, "GetAtoms"):
        return Graph.from_mol(item)
    if hasattr(item, "is_directed") and hasattr(item, "nodes"):
        return Graph.from_networkx(item)
    if hasattr(item, "edge_index"):
        return Graph.from_pyg(item)
    library = type(item).__module__.partition(".")[0]
    if hasattr(item, {"rustworkx": "node_indices", "igraph": "vs", "scipy": "tocoo"}.get(library, "")):
        graph: Graph = getattr(Graph, f"from_{library}")(item)
        return graph
    raise InputError(
        f"a Graph, SMILES string, RDKit Mol or networkx graph is needed; got {brief(item)} (also taken: a PyTorch "
        "Geometric Data, a rustworkx PyGraph, an igraph Graph, a sparse adjacency matrix of SciPy)"
    )
