"""SMSD 8 on exactly our labels: MCES objective, fragments allowed, strict aromaticity."""

from __future__ import annotations

import time
from typing import Any

from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered, shared_classes


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run SMSD; its own molecule builder takes elements and bond orders, which stand for our labels."""
    nodes, edges = shared_classes(a, b)
    left, right = molecule(a, nodes, edges), molecule(b, nodes, edges)
    prepared = query(left, seconds)
    begin = time.perf_counter()
    result = prepared.match(right)
    spent = time.perf_counter() - begin
    proven = bool(result.optimal)
    answers = [answered(a, b, dict(match.atom_mapping), proven, spent) for match in result.matches]
    return max(answers, key=lambda answer: answer.size, default=answered(a, b, {}, proven, spent))


def query(molecule: Any, seconds: float) -> Any:
    """Return SMSD's query for most shared edges, in any number of fragments."""
    import smsd

    chemistry = smsd.ChemOptions()
    chemistry.aromaticity_mode = smsd.AromaticityMode.STRICT
    options = smsd.MCS.Options()
    options.chemistry = chemistry
    options.objective = smsd.MCS.Objective.MCES
    return smsd.MCS.find(molecule).with_options(options).with_fragments().with_timeout(int(1e3 * seconds))


def molecule(graph: Graph, nodes: dict[int, int], edges: dict[int, int]) -> Any:
    """Build a molecule of SMSD's whose elements and bond orders stand for classes of labels."""
    import smsd

    neighbours: list[list[int]] = [[] for _ in range(len(graph))]
    orders: list[list[int]] = [[] for _ in range(len(graph))]
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        for here, there in ((u, v), (v, u)):
            neighbours[here].append(there)
            orders[here].append(1 + edges[label])
    elements = [3 + nodes[label] for label in graph.labels.tolist()]
    builder = smsd.MolGraphBuilder().atom_count(len(graph)).atomic_numbers(elements)
    return builder.neighbors(neighbours).bond_orders(orders).build(perceive_aromaticity=False)
