"""Graphs of other Python libraries in and out: networkx and PyTorch Geometric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from enpda.checks import whole
from enpda.errors import InputError, brief

if TYPE_CHECKING:
    import networkx

    from enpda.graph import Graph, IntArray

Arrays = tuple[Any, Any, Any]

MAX_NODES = 1_000_000
"""The compiled core's limit, asked before an array of that size is made."""


def arrays_of_networkx(graph: Any, node: str | None, edge: str | None) -> Arrays:
    """Labels, edges and edge labels of an undirected networkx graph."""
    for needed in ("nodes", "edges", "is_directed"):
        if not hasattr(graph, needed):
            raise InputError(f"a networkx graph is needed; got {brief(graph)}")
    if graph.is_directed():
        raise InputError("the networkx graph is directed; convert it with .to_undirected() first")
    names = list(graph.nodes)
    number = {name: k for k, name in enumerate(names)}
    pairs = list(graph.edges())  # (u, v), one row per parallel edge of a multigraph
    labels = _attributes("node", names, [data for _, data in graph.nodes(data=True)], node)
    edge_labels = _attributes("edge", pairs, [data for *_, data in graph.edges(data=True)], edge)
    return labels, [(number[u], number[v]) for u, v in pairs], edge_labels


def _attributes(what: str, names: list[Any], data: list[dict[str, Any]], attribute: str | None) -> list[Any]:
    if attribute is None or not any(attribute in d for d in data):
        return [0] * len(data)
    for name, d in zip(names, data, strict=True):
        if attribute not in d:
            raise InputError(f"{what} {brief(name)} has no attribute {attribute!r}, though others have it")
        value = d[attribute]
        if not isinstance(value, (int, np.integer)) and not (isinstance(value, float) and value.is_integer()):
            raise InputError(
                f"{what} {brief(name)} has {attribute} {brief(value)}; labels must be whole numbers "
                "(number your categories first, alike in all graphs)"
            )
    return [int(d[attribute]) for d in data]


def to_networkx(graph: Graph) -> networkx.Graph[int]:
    """Return a networkx graph with integer `label` attributes."""
    try:
        import networkx
    except ImportError:
        raise InputError("networkx is not installed; `pip install networkx` adds it") from None
    result: networkx.Graph[int] = networkx.Graph(name=graph.name or "")
    result.add_nodes_from((k, {"label": label}) for k, label in enumerate(graph.labels.tolist()))
    result.add_edges_from(
        (u, v, {"label": label}) for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True)
    )
    return result


def arrays_of_pyg(data: Any) -> Arrays:
    """Labels, edges and edge labels of a PyTorch Geometric Data object."""
    if getattr(data, "edge_index", None) is None:
        raise InputError(f"a PyTorch Geometric Data with edge_index is needed; got {brief(data)}")
    ends = _plain(data.edge_index)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise InputError(f"edge_index must have shape (2, edges); got {ends.shape}")
    if ends.size and (ends.dtype.kind not in "iuf" or not np.isfinite(ends).all()):
        raise InputError(f"edge_index must hold numbers of nodes; got {brief(ends.flat[0])} and others")
    x = getattr(data, "x", None)
    nodes = getattr(data, "num_nodes", None)
    if x is None and nodes is None:
        nodes = int(ends.max()) + 1 if ends.size else 0
    if nodes is not None:
        whole("num_nodes", nodes, 0, MAX_NODES)
    labels = np.zeros(int(nodes or 0), dtype=np.int64) if x is None else _column(_plain(x))
    attributes = getattr(data, "edge_attr", None)
    edge_labels = None if attributes is None else _column(_plain(attributes))
    return labels, ends.T, edge_labels


def _plain(tensor: Any) -> Any:
    """Return a numpy array from a tensor on any device, or from anything array-like."""
    for step in ("detach", "cpu"):
        tensor = getattr(tensor, step, lambda same=tensor: same)()
    try:
        return np.asarray(tensor)
    except (TypeError, ValueError):
        raise InputError(f"a tensor or a regular array is needed; got {brief(tensor)}") from None


def _column(values: Any) -> IntArray | Any:
    if values.ndim == 1:
        return values
    if values.ndim != 2 or values.shape[1] == 0:
        raise InputError(f"attributes must have one or two dimensions; got shape {values.shape}")
    if values.shape[1] > 1 and np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all():
        return values.argmax(axis=1)
    return values[:, 0]
