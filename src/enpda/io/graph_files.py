"""GML and GraphML, through networkx."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, BinaryIO
from xml.etree import ElementTree

from enpda.errors import InputError
from enpda.graph import Graph
from enpda.io.source import Options, Record, as_text, parsing, reason_of
from enpda.limits import LIMITS

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
GRAPH = f"{{{NAMESPACE}}}graph"


def records(file: BinaryIO, options: Options) -> Iterator[Record]:
    """Read the one graph of a GML file, or every graph of a GraphML file."""
    try:
        import networkx  # noqa: F401 - known to be there before the first graph is asked for
    except ImportError:
        raise InputError(f"{options.suffix} needs networkx; `pip install networkx` adds it") from None
    return _gml(file, options) if options.suffix == ".gml" else _graphml(file, options)


def _document(file: BinaryIO) -> str:
    data = file.read(LIMITS.document + 1)
    if len(data) > LIMITS.document:
        raise InputError(f"the document is longer than {LIMITS.document} bytes (limit 'document', see docs/input.md)")
    if b"\0" in data:
        raise InputError("the document contains a NUL character")
    return as_text(data).removeprefix("\ufeff")


def _gml(file: BinaryIO, options: Options) -> Iterator[Record]:
    import networkx

    text = _document(file)
    start = re.search(r"^[ \t]*(?=graph\b)", text, re.MULTILINE)
    line = text.count("\n", 0, start.end()) + 1 if start else 1
    with parsing("GML file"):
        try:
            # Nodes go by "id", so that "label" stays an attribute until `_named` decides what it is.
            graph = networkx.parse_gml(text, label="id")
        except networkx.NetworkXError as error:
            # networkx names the place of an error of syntax; without one, it is the graph that is wrong.
            if re.search(r"at \(\d+, \d+\)$", str(error)) or str(error).startswith("input contains"):
                raise
            yield line, InputError(reason_of(error))
            return
    yield line, partial(_gml_graph, graph, _written_by_networkx(text), options)


def _written_by_networkx(text: str) -> bool:
    """Whether a GML file is laid out as networkx does it: no word before the graph, a node begins with id and label."""
    nodes = re.findall(r"^[ \t]*node\b", text, re.MULTILINE)
    own = re.findall(r"^  node \[\r?\n    id \d+\r?\n    label \"", text, re.MULTILINE)
    return text.startswith("graph [") and len(nodes) == len(own)


def _gml_graph(graph: Any, by_networkx: bool, options: Options) -> Graph:
    """Make a graph of GML, whose `label` is what a node is called, or what it is labelled with.

    It is a name where labels are asked for under another attribute, and in files that networkx wrote, which never puts
    an attribute there; but no name when two nodes would have the same one.
    """
    import networkx

    called = {node: data.get("label") for node, data in graph.nodes(data=True)}
    if (by_networkx or options.node != "label") and None not in called.values() and _distinct(called.values()):
        for _, data in graph.nodes(data=True):
            del data["label"]
        graph = networkx.relabel_nodes(graph, {node: str(label) for node, label in called.items()})
    return _graph(graph, options)


def _distinct(labels: Collection[Any]) -> bool:
    return len(set(map(str, labels))) == len(labels)


def _graphml(file: BinaryIO, options: Options) -> Iterator[Record]:
    import networkx

    text = _document(file)
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise InputError("a document type or entity declaration is refused: entities can expand without limit")
    reader = networkx.GraphMLReader()
    with parsing("GraphML file"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root, line_of = _elements(text.replace("<graphml>", f'<graphml xmlns="{NAMESPACE}">', 1))
        keys = reader.find_graphml_keys(root)
    graphs = root.findall(GRAPH)
    if not graphs:
        raise InputError("not a readable GraphML file: it contains no graph")
    for element in graphs:
        yield line_of[element], partial(_element_graph, reader, element, keys, options)


def _elements(text: str) -> tuple[ElementTree.Element, dict[ElementTree.Element, int]]:
    """Parse XML; return the root, and the line on which each graph begins."""
    # Fed with str, the parser takes no notice of the encoding that the document declares, so that no
    # declaration can have been hidden from the search above by an encoding.
    parser: Any = ElementTree.XMLPullParser(["start"])
    root: Any = None
    line_of: dict[ElementTree.Element, int] = {}
    for number, line in enumerate(io.StringIO(text), 1):
        parser.feed(line)
        for _, element in parser.read_events():
            root = element if root is None else root
            if element.tag == GRAPH:
                line_of[element] = number
    parser.close()
    return root, line_of


def _element_graph(reader: Any, element: ElementTree.Element, keys: Any, options: Options) -> Graph:
    if element.find(f".//{GRAPH}") is not None:  # networkx would leave out what is inside
        raise InputError("a node of the graph holds a graph of its own, and nested graphs are not read")
    with parsing("graph"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _graph(reader.make_graph(element, *keys), options)


def _graph(graph: Any, options: Options) -> Graph:
    for what, attribute, data in (
        ("node", options.node, [data for _, data in graph.nodes(data=True)]),
        ("edge", options.edge, [data for *_, data in graph.edges(data=True)]),
    ):
        default = graph.graph.get(f"{what}_default", {})  # of GraphML; networkx leaves it to us
        for values in data:
            value = values.get(attribute, default.get(attribute))
            if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,19}\s*", value):
                value = int(value)
            if value is not None:
                values[attribute] = value
    name = graph.graph.get("name")
    if list(graph) == [str(k) for k in range(len(graph))]:  # numbers, which files hold as text
        import networkx

        graph = networkx.convert_node_labels_to_integers(graph)
    return Graph.from_networkx(
        graph,
        options.node,
        options.edge,
        name=None if name is None else str(name) or None,
        decimals=options.decimals,
    )
