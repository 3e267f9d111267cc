"""Where queries and candidates come from: public graphs that no weights, ours or a rival's, have ever seen.

What differs from the paper: its bank was an archive that is not public, ours is made of the public sets. It holds
sanitising molecules of at least 27 nodes: from there on both sets have 650 parents, and the smallest of all would be
solvents. Of MOLHIV every twelfth row takes part, so that both banks are about equally large and their 650 smallest
differ in size. MCF-7 has no charges: what does not sanitise without them stays out. Excluded is every graph of our
splits, of all three sets, by its bare skeleton: more than the paper's labelled identity would exclude. What rivals
learn from, edited variants of training graphs included, is excluded in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from enpda.data import drugs
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.learn.split import MOST, PURPOSES, Identities, positions, shipped
from enpda_bench import datasets
from enpda_bench.retrieval.edits import KINDS, Editor

LEAST = 27
STEP = {"molhiv": 12, "mcf7": 1}
"""Every so many rows of a set take part."""
LESSONS, SEED = 800, 20260822
"""Training graphs that rivals learn from, the smallest ones; seed of the edits of these."""


@dataclass(frozen=True)
class Bank:
    """Graphs of one dataset.

    Attributes
    ----------
    graphs : list of Graph
        For pools, by size.
    training : list of Graph
        For rivals to learn from, by size.
    variants : list of Graph or None
        An edited variant of each of these, where there is one.
    editor : Editor
        For candidates: nothing that it makes is a graph to learn from.
    """

    graphs: list[Graph]
    training: list[Graph]
    variants: list[Graph | None]
    editor: Editor


def bank(data: Path | None, name: str) -> Bank:
    """Return the bank of a dataset; `drugs` needs no data folder: every second one trains."""
    taken = Identities()
    if name == "drugs":
        known = list(drugs().values())
        return _bank(known[1::2], known[::2], taken)
    if data is None or name not in STEP:
        raise InputError(f"retrieval knows molhiv and mcf7, with a data folder, and drugs; got {name!r} and {data}")
    for graphs in _split(data).values():
        for graph in graphs:
            taken.of(graph)
    rows = range(0, 10**6, STEP[name])
    fresh = [graph for _, graph in datasets.graphs_of(data, name, rows) if LEAST <= len(graph) <= MOST]
    return _bank(fresh, _split(data)[name, "train"], taken)


def _bank(graphs: Iterable[Graph], training: Iterable[Graph], taken: Identities) -> Bank:
    editor, free = Editor(taken), Editor(Identities())
    lessons = list(islice(_molecules(_ordered(training), free), LESSONS))
    variants = [
        free.edited(graph, KINDS[k % len(KINDS)], 2 + k // len(KINDS) % 8, SEED + k) for k, graph in enumerate(lessons)
    ]
    for graph in (*lessons, *filter(None, variants)):
        taken.of(graph)
    alike: dict[tuple[int, int, int], list[Graph]] = {}
    unseen = [graph for graph in graphs if taken.of(graph, add=False) < 0]
    for graph in _molecules(unseen, editor):
        same = alike.setdefault((len(graph), graph.size, graph.invariant_hash), [])
        if graph.size and not any(map(graph.same_as, same)):
            same.append(graph)
    return Bank(_ordered(graph for same in alike.values() for graph in same), lessons, variants, editor)


def _ordered(graphs: Iterable[Graph]) -> list[Graph]:
    return sorted(graphs, key=lambda graph: (graph.size, len(graph), graph.digest))


@lru_cache(maxsize=1)
def _split(data: Path) -> dict[tuple[str, str], list[Graph]]:
    """Read the graphs of all splits that shipped weights were trained on, by dataset and purpose."""
    manifests = shipped().values()
    return {
        (name, purpose): [
            graph
            for _, graph in datasets.graphs_of(
                data, name, set().union(*(positions(manifest, name, purpose) for manifest in manifests))
            )
        ]
        for name in datasets.DATASETS
        for purpose in PURPOSES
    }


def _molecules(graphs: Iterable[Graph], editor: Editor) -> Iterator[Graph]:
    """Take graphs as molecules, those that are none left out."""
    for graph in graphs:
        made = editor.graph(graph.to_mol())
        if made is not None:
            yield made
