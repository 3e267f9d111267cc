"""Samples that ship with the package: well-known drugs, written as SMILES by ourselves."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources
from itertools import pairwise

from enpda.graph import Graph


@cache
def drugs() -> dict[str, Graph]:
    """Fifty well-known drugs by name."""
    with (resources.files(__name__) / "drugs.csv").open(encoding="utf-8") as file:
        return {row["name"]: Graph.from_smiles(row["smiles"], name=row["name"]) for row in csv.DictReader(file)}


def drug_pairs() -> list[tuple[Graph, Graph]]:
    """Sixty fixed pairs of them: neighbours in the list, which are often relatives, and some far apart."""
    graphs = list(drugs().values())
    near = list(pairwise(graphs))
    far = list(zip(graphs, graphs[25:], strict=False))
    return near + far[: 60 - len(near)]
