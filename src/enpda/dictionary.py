"""Graphs as plain dictionaries: numbers, lists and text, ready for JSON and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from enpda.checks import whole_numbers
from enpda.errors import InputError, brief, unicode_text
from enpda.labels import labels_from_json, labels_to_json, names_from_json, names_to_json

if TYPE_CHECKING:
    from enpda.graph import Graph

KEYS = (
    "name",
    "smiles",
    "smiles_order",
    "molecule",
    "labels",
    "edges",
    "edge_labels",
    "oddity",
    "names",
    "label_names",
)
"""What a graph as a dictionary may hold."""


def dictionary_of(graph: Graph) -> dict[str, Any]:
    """Return `graph.to_dict()`."""
    more: dict[str, Any] = {}
    if graph.names is not None and (written := names_to_json(graph.names)) is not None:
        more["names"] = written
    if graph.label_names:
        more["label_names"] = labels_to_json(graph.label_names)
    smiles = order = numbers = None
    if (mol := graph.look()) is not None:
        from enpda.chem import molecule
        from enpda.chem.plain import numbers_of

        smiles, order = molecule.ordered_smiles(mol) or (None, None)
        numbers = numbers_of(mol) if smiles is None else None
    return {
        "name": graph.name,
        "smiles": smiles,
        "smiles_order": order,
        "molecule": numbers,
        "labels": graph.labels.tolist(),
        "edges": graph.edges.tolist(),
        "edge_labels": graph.edge_labels.tolist(),
        **more,
    }


def graph_from(cls: type[Graph], data: dict[str, Any]) -> Graph:
    """Return `cls.from_dict(data)`."""
    if not isinstance(data, dict) or not {"labels", "edges"} <= data.keys():
        raise InputError(f"a graph needs the keys 'labels' and 'edges'; got {brief(data)}")
    if strange := [key for key in data if key not in KEYS]:
        raise InputError(f"a graph has the keys {', '.join(KEYS)}; got {brief(strange[0])}")
    names, coded = names_from_json(data.get("names")), labels_from_json(data.get("label_names"))
    given = data["labels"], data["edges"], data.get("edge_labels"), data.get("name")
    plain = cls(*given, names=names, label_names=coded)
    smiles, numbers = data.get("smiles"), data.get("molecule")
    if smiles is None and numbers is None:
        return plain
    from enpda.chem import molecule
    from enpda.chem.plain import from_numbers
    from enpda.chem.written import Written

    oddity = None
    if smiles is None:
        mol = from_numbers(numbers)
    else:
        order = whole_numbers("smiles_order", data.get("smiles_order", ()), flat=True).tolist()
        mol, oddity = molecule.from_ordered_smiles(smiles, order)
    if data.get("oddity") is not None:
        oddity = unicode_text("oddity", data["oddity"])
    parts = molecule.arrays_of(mol)
    graph = cls(*parts, name=data.get("name"), mol=Written.of(mol), oddity=oddity, names=plain.names)
    if graph != plain:
        what = "molecule" if smiles is None else f"SMILES {brief(smiles)}"
        raise InputError(f"the {what} is not the graph beside it")
    return graph
