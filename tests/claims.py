"""Certificates written by hand, for those who try what is accepted."""

import enpda_verify
from enpda import Graph


def resealed(content: dict) -> dict:
    return {**content, "seal": enpda_verify.seal(content)}


def written(graph: Graph) -> dict:
    return {
        "labels": graph.labels.tolist(),
        "edges": graph.edges.tolist(),
        "edge_labels": graph.edge_labels.tolist(),
    }


def certificate(a: Graph, b: Graph, upper: int, bound: dict, **question) -> dict:
    """A certificate with an empty mapping that claims `upper`, whether true or not."""
    content = {
        "schema": enpda_verify.SCHEMA,
        "made_by": {},
        "size": 0,
        "nodes": 0,
        "upper": upper,
        "optimal": upper == 0,
        "a": {"digest": a.digest, "graph": written(a)},
        "b": {"digest": b.digest, "graph": written(b)},
        "mapping": [],
        "bound": bound,
        "numerical": {},
        **question,
    }
    return resealed(content)
