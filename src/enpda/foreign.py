"""Graphs of other Python libraries in and out; none of them is imported for a graph that is not its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from enpda.checks import whole
from enpda.errors import InputError, brief
from enpda.labels import Codes, Label, shown

if TYPE_CHECKING:
    import networkx

    from enpda.graph import Graph, IntArray


class Parts(NamedTuple):
    """What a graph is made of: the arguments of `Graph`."""

    labels: Any
    edges: Any
    edge_labels: Any
    names: Sequence[Hashable] | None = None
    label_names: Mapping[int, Label] | None = None


MAX_NODES = 1_000_000
"""The compiled core's limit, asked before an array of that size is made."""
NETWORKX_NODE = "__networkx_node__"
"""Where `rustworkx.networkx_converter` keeps the name of a node."""
ABSENT = object()
"""In place of an attribute that a node or an edge does not have."""


def of_networkx(graph: Any, node: str | None, edge: str | None, decimals: int | None) -> Parts:
    """Take an undirected networkx graph apart."""
    for needed in ("nodes", "edges", "is_directed"):
        if not hasattr(graph, needed):
            raise InputError(f"a networkx graph is needed; got {brief(graph)}")
    _check_attributes(node, edge)
    if graph.is_directed():
        raise _directed("networkx", ".to_undirected()")
    names = list(graph.nodes)
    number = {name: k for k, name in enumerate(names)}
    pairs = list(graph.edges())  # (u, v), one row per parallel edge of a multigraph
    codes = Codes(decimals)
    labels = _labels(codes, "node", names, [data.get(node, ABSENT) for _, data in graph.nodes(data=True)], node)
    edge_labels = _labels(codes, "edge", pairs, [data.get(edge, ABSENT) for *_, data in graph.edges(data=True)], edge)
    ends = [(number[u], number[v]) for u, v in pairs]
    if graph.is_multigraph():
        _check_parallel(ends, edge_labels, names, codes)
    return Parts(labels, ends, edge_labels, names, codes.names)


def of_rustworkx(graph: Any, node: str | None, edge: str | None, decimals: int | None) -> Parts:
    """Take a rustworkx PyGraph apart: what a node or an edge carries is its label, or a dictionary that holds it."""
    if not all(hasattr(graph, needed) for needed in ("node_indices", "nodes", "weighted_edge_list")):
        raise InputError(f"a rustworkx PyGraph is needed; got {brief(graph)}")
    _check_attributes(node, edge)
    if hasattr(graph, "to_undirected"):
        raise _directed("rustworkx", ".to_undirected()")
    carried = list(graph.nodes())
    indices = list(graph.node_indices())  # with holes where nodes were removed
    old = [one[NETWORKX_NODE] for one in carried if isinstance(one, Mapping) and NETWORKX_NODE in one]
    names = old if len(old) == len(carried) and _distinct(old) else indices
    number = {index: k for k, index in enumerate(indices)}
    rows = list(graph.weighted_edge_list())
    codes = Codes(decimals)
    labels = _labels(codes, "node", names, [_carried(one, node) for one in carried], node)
    ends = [(number[u], number[v]) for u, v, _ in rows]
    pairs = [(names[u], names[v]) for u, v in ends]
    edge_labels = _labels(codes, "edge", pairs, [_carried(one, edge) for *_, one in rows], edge)
    _check_parallel(ends, edge_labels, names, codes)
    return Parts(labels, ends, edge_labels, names, codes.names)


def _carried(one: Any, attribute: str | None) -> Any:
    if isinstance(one, Mapping):
        return one.get(attribute, ABSENT)
    return ABSENT if one is None else one


def of_igraph(graph: Any, node: str | None, edge: str | None, decimals: int | None) -> Parts:
    """Take an undirected igraph graph apart; None is igraph's word for an attribute that is not there."""
    if not all(hasattr(graph, needed) for needed in ("vs", "es", "get_edgelist")):
        raise InputError(f"an igraph Graph is needed; got {brief(graph)}")
    _check_attributes(node, edge)
    if graph.is_directed():
        raise _directed("igraph", ".as_undirected()")

    def values(elements: Any, attribute: str | None) -> list[Any]:
        known = attribute in elements.attributes()
        return [ABSENT if one is None else one for one in elements[attribute]] if known else [ABSENT] * len(elements)

    names: list[Any] = list(range(len(graph.vs)))
    if "name" in graph.vs.attributes():
        given = graph.vs["name"]
        if None not in given and _distinct(given):
            names = given
    ends = graph.get_edgelist()
    pairs = [(names[u], names[v]) for u, v in ends]
    codes = Codes(decimals)
    labels = _labels(codes, "node", names, values(graph.vs, node), node)
    edge_labels = _labels(codes, "edge", pairs, values(graph.es, edge), edge)
    _check_parallel(ends, edge_labels, names, codes)
    return Parts(labels, ends, edge_labels, names, codes.names)


def of_scipy(matrix: Any, labels: Iterable[Any] | None, values: bool, decimals: int | None) -> Parts:
    """Take a symmetric sparse adjacency matrix apart: an entry that is not 0 is an edge."""
    if not hasattr(matrix, "tocoo") or getattr(matrix, "ndim", 2) != 2:
        raise InputError(f"a sparse matrix of SciPy, with rows and columns, is needed; got {brief(matrix)}")
    rows, columns = matrix.shape
    if rows != columns:
        raise InputError(f"an adjacency matrix is square; got shape {(rows, columns)}")
    whole("rows of the adjacency matrix", rows, 0, MAX_NODES)
    table = matrix.tocsr(copy=True)  # sums entries that are given twice
    if table.dtype.kind not in "biuf":
        raise InputError(f"an adjacency matrix holds whole or real numbers; got {table.dtype}")
    if not np.isfinite(table.data).all():
        raise InputError("an adjacency matrix holds finite numbers; got NaN or infinity")
    table.sum_duplicates()
    table.eliminate_zeros()
    table.sort_indices()
    turned = table.T.tocsr()
    turned.sort_indices()
    if not all(np.array_equal(getattr(table, part), getattr(turned, part)) for part in ("indptr", "indices", "data")):
        raise InputError(
            "the adjacency matrix is not symmetric, so that its graph is directed; A + A.T, or A.maximum(A.T), "
            "forgets directions"
        )
    entries = table.tocoo()
    upper = entries.row < entries.col
    codes = Codes(decimals)
    if isinstance(labels, (str, bytes)) or not isinstance(labels, (Iterable, type(None))):
        raise InputError(f"labels must be a sequence, one a node; got {brief(labels)}")
    given = None if labels is None else list(labels)
    if given is not None and len(given) != rows:
        raise InputError(f"labels must have one entry for each of {rows} nodes; got {len(given)}")
    nodes = [0] * rows if given is None else _labels(codes, "node", range(rows), given, "label")
    ends = np.column_stack([entries.row[upper], entries.col[upper]]).astype(np.int64)
    found = entries.data[upper].tolist() if values else [ABSENT] * len(ends)
    return Parts(nodes, ends, _labels(codes, "edge", ends.tolist(), found, "value"), None, codes.names)


def _check_attributes(node: Any, edge: Any) -> None:
    for what, attribute in (("node", node), ("edge", edge)):
        if not _distinct([attribute]):  # not hashable, that is
            raise InputError(f"{what} must be the name of an attribute, or None; got {brief(attribute)}")


def _labels(codes: Codes, what: str, things: Sequence[Any], values: list[Any], attribute: str | None) -> list[int]:
    """Return labels as numbers: 0 where none is asked for or known; what only some have is an error."""
    if attribute is None or all(value is ABSENT for value in values):
        return [0] * len(values)
    found = []
    for thing, value in zip(things, values, strict=True):
        if value is ABSENT:
            raise InputError(f"{what} {brief(thing)} has no attribute {attribute!r}, though others have it")
        try:
            found.append(codes.number(value))
        except InputError as error:
            raise InputError(f"{what} {brief(thing)} has {attribute} {brief(value)}; {error}") from None
    return found


def _check_parallel(ends: Iterable[tuple[int, int]], labels: list[int], names: Sequence[Any], codes: Codes) -> None:
    """Refuse parallel edges that do not say the same; others count once."""
    first: dict[tuple[int, int], int] = {}
    for (u, v), label in zip(ends, labels, strict=True):
        other = first.setdefault((min(u, v), max(u, v)), label)
        if u != v and other != label:
            x, y = (shown(codes.names.get(each, each)) for each in (other, label))
            raise InputError(
                f"the edge {brief(names[u])} - {brief(names[v])} is given twice with different labels, {x} and {y}; "
                "there is one edge between two nodes: keep one of them, or give it a label that says both, such as the "
                "sorted tuple of their labels"
            )


def _directed(library: str, undirected: str) -> InputError:
    return InputError(
        f"the {library} graph is directed; convert it with {undirected} first, which forgets directions "
        "(enpda compares undirected graphs)"
    )


def _distinct(names: Sequence[Any]) -> bool:
    """Whether names can be told apart: hashable, and no two alike."""
    try:
        return len(set(names)) == len(names)
    except TypeError:
        return False


def to_networkx(graph: Graph) -> networkx.Graph[Any]:
    """Return a networkx graph with `label` attributes; nodes and labels are those that were given."""
    try:
        import networkx
    except ImportError:
        raise InputError("networkx is not installed; `pip install networkx` adds it") from None
    result: networkx.Graph[Any] = networkx.Graph(name=graph.name or "")
    given = graph.given_label
    names = range(len(graph)) if graph.names is None else graph.names
    result.add_nodes_from((names[k], {"label": given(label)}) for k, label in enumerate(graph.labels.tolist()))
    result.add_edges_from(
        (names[u], names[v], {"label": given(label)})
        for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True)
    )
    return result


def of_pyg(data: Any) -> Parts:
    """Take a PyTorch Geometric Data object apart."""
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
    return Parts(labels, ends.T, edge_labels)


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
