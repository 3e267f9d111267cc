"""What a molecule costs in a library, in bytes that are counted: neither a clock nor the system's pages are asked."""

from __future__ import annotations

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from rdkit import Chem

import enpda
from enpda import Graph, Library, _core
from enpda.chem.written import Written
from enpda.data import drugs
from strategies import random_graph

pytestmark = pytest.mark.native

MOST = 4_096
"""Bytes of a molecule in a library after a search."""


def texts(copies: int) -> list[str]:
    """SMILES of the drugs that ship, each some times, as different strings and different graphs."""
    found = []
    for k in range(copies):
        for graph in drugs().values():
            order = np.random.default_rng(k).permutation(len(graph)).tolist()
            found.append(Chem.MolToSmiles(Chem.RenumberAtoms(graph.mol, order), canonical=False))
    return found


def test_a_molecule_takes_at_most_4_kb_after_a_search() -> None:
    enpda.search("CCO", ["CCN"], threads=1)  # what is imported late
    given = texts(12)
    gc.collect()
    tracemalloc.start()
    try:
        library = Library.of([text + " " for text in given])  # its own strings
        enpda.search("CC(=O)Oc1ccccc1C(=O)O", library, k=5, threads=1)
        gc.collect()
        python, _ = tracemalloc.get_traced_memory()  # what Python allocates: objects, text, arrays
    finally:
        tracemalloc.stop()
    native = sum(core.nbytes for core in library.cores) + library.screen.nbytes
    assert all(isinstance(graph._molecule, Written) and graph._molecule._made is None for graph in library)
    assert (python + native) / len(library) <= MOST
    assert native / len(library) >= 1_000  # the counts count


def test_an_item_that_counts_exclude_holds_nothing_for_pairs() -> None:
    library = Library.of(texts(1))
    before = [core.nbytes for core in library.cores]
    hits = enpda.search("CC(=O)Oc1ccccc1C(=O)O", library, k=1, threads=1, min_similarity=0.7)
    grown = sum(core.nbytes > own for core, own in zip(library.cores, before, strict=True))
    assert hits.screened > len(library) / 2
    assert 0 < grown <= len(library) - hits.screened
    alone = Graph.from_smiles("CCCCCC")
    fresh = alone.core.nbytes
    assert enpda.match(alone, alone, method="core").size == 5
    assert alone.core.nbytes > fresh


def test_what_pairs_need_of_a_molecule_is_small_and_made_once() -> None:
    for graph in drugs().values():
        own = Graph(graph.labels, graph.edges, graph.edge_labels)
        fresh = own.core.nbytes
        enpda.match(own, drugs()["aspirin"], method="core")
        after = own.core.nbytes
        assert fresh < 80 * len(own) + 600
        assert after - fresh < len(own) ** 2 + 100 * len(own) + 600
        enpda.match(own, drugs()["morphine"], method="core")
        assert own.core.nbytes == after


def test_threads_that_meet_one_graph_count_it_once() -> None:
    for _ in range(5):
        graph = Graph.from_smiles(Chem.MolToSmiles(drugs()["atorvastatin"].mol))
        with ThreadPoolExecutor(8) as pool:
            planes = list(pool.map(lambda _, g=graph: _core.features(g.core, g.core), range(8)))
        assert all(np.array_equal(plane, planes[0]) for plane in planes)
        alone = Graph(graph.labels, graph.edges, graph.edge_labels)
        _core.features(alone.core, alone.core)
        assert graph.core.nbytes == alone.core.nbytes


def test_graphs_too_large_or_too_colourful_for_small_tables_match_themselves() -> None:
    rng = np.random.default_rng(3)
    wide = random_graph(rng, 40, 0.3, 2, 1)
    assert wide.size > 127
    colours = Graph(wide.labels, wide.edges, np.arange(wide.size))  # more edge labels than a byte has
    star = Graph([0] * 301, [(0, k) for k in range(1, 301)])  # more nodes, and more leaves than a byte has
    hub = Graph([0] * 200, [(k, j) for k in range(3) for j in range(3, 200)])  # longer paths than a byte has
    for graph in (colours, star, hub):
        assert enpda.match(graph, graph).size == graph.size
        planes = _core.features(graph.core, graph.core)
        assert np.allclose(np.diagonal(planes, axis1=1, axis2=2), 1)
        assert (planes <= 1).all()
    small = Graph([0] * 4, [(0, 1), (0, 2), (0, 3)])
    mixed, turned = (_core.features(*pair) for pair in ((small.core, star.core), (star.core, small.core)))
    assert np.array_equal(mixed, turned.transpose(0, 2, 1))
    assert mixed[2, 0, 0] == np.float32(3 / 300)  # neighbours that a hub of three and one of 300 have in common
