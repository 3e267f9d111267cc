from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdkit import Chem

import enpda
from enpda import Graph, InputError
from enpda.data import drugs
from enpda.learn.split import MOST, PURPOSES, Identities, positions, shipped
from enpda.view.plots import bars
from enpda_bench import paper
from enpda_bench.baselines import rascal
from enpda_bench.datasets import graphs_of
from enpda_bench.retrieval import metrics, tables
from enpda_bench.retrieval.bank import LEAST, bank
from enpda_bench.retrieval.edits import FAMILIES, KINDS, Editor
from enpda_bench.retrieval.hardness import hardness, size_ratio, wl_cosine
from enpda_bench.retrieval.lessons import Lessons, lessons, pairs_of
from enpda_bench.retrieval.networks import NETWORKS, Alphabet, network
from enpda_bench.retrieval.pools import SEEDS, Pools, Sizes
from enpda_bench.retrieval.rankers import by_search, by_size, by_wl, own_fast, paper_fast, rank
from enpda_bench.retrieval.training import Student, trained
from enpda_bench.retrieval.truth import Truth, truth
from enpda_bench.scope import Scope
from enpda_bench.study import Record, Records
from strategies import reordered

SMALL = Sizes(parents=25, queries=2, hard=20, variants=4)
ALL = list(drugs().values())


@pytest.fixture(scope="module")
def drug_bank():
    return bank(None, "drugs")


@pytest.fixture(scope="module")
def pools(drug_bank):
    return Pools(drug_bank, SEEDS[0], SMALL)


def free() -> Editor:
    return Editor(Identities())


# -- edits -----------------------------------------------------------------------------------------------------


def bare(graph: Graph) -> Graph:
    return Graph(np.zeros(len(graph), dtype=int), graph.edges)


def sane(graph: Graph) -> bool:
    return Chem.SanitizeMol(Chem.Mol(graph.mol), catchErrors=True) == Chem.SanitizeFlags.SANITIZE_NONE


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_gives_another_valid_molecule_and_the_same_one_again(kind):
    made = 0
    for k, graph in enumerate(ALL[:20]):
        edited = free().edited(graph, kind, 2, k)
        if edited is None:
            continue
        made += 1
        assert sane(edited)
        assert not edited.same_as(graph)
        assert len(edited) == len(graph)
        assert edited == free().edited(graph, kind, 2, k)
    assert made >= 12


def test_each_kind_of_edit_does_what_its_name_says():
    # Silanes, phosphorus and the like are as valid as what they replace, so that all of these exist.
    graph = ALL[0]
    relative = {z: set(family) for family in FAMILIES for z in family}
    deleted, swapped, relabelled, rewired, mixed = (free().edited(graph, kind, 2, 7) for kind in KINDS)
    assert deleted.size == graph.size - 2
    assert np.array_equal(deleted.labels, graph.labels)
    assert np.array_equal(swapped.edges, graph.edges)
    changed = [(x, y) for x, y in zip(graph.labels.tolist(), swapped.labels.tolist(), strict=True) if x != y]
    assert len(changed) == 2
    assert all(y in relative[x] for x, y in changed)
    assert np.array_equal(relabelled.edges, graph.edges)
    assert (relabelled.edge_labels != graph.edge_labels).sum() == 2
    assert np.array_equal(np.bincount(rewired.edges.ravel()), np.bincount(graph.edges.ravel()))
    assert not bare(rewired).same_as(bare(graph)) or (rewired.edges != graph.edges).any()
    assert mixed.size == graph.size - 1
    assert (mixed.labels != graph.labels).sum() == 1


@pytest.mark.parametrize("kind", ["deletion", "substitution", "mixed"])
def test_aromatic_bonds_are_left_alone(kind):
    graph = enpda.Graph.from_smiles("CCCCc1ccc(CCN)cc1")
    edited = free().edited(graph, kind, 3, 1)
    rings = {tuple(ends) for ends in graph.edges[graph.edge_labels == 12].tolist()}
    assert rings == {tuple(ends) for ends in edited.edges[edited.edge_labels == 12].tolist()}
    assert all(edited.labels[k] == 6 for ends in rings for k in ends)


def test_edits_give_up_and_refuse():
    assert free().edited(Graph.from_smiles("c1ccccc1"), "deletion", 1, 0) is None
    assert free().edited(Graph.from_smiles("CC"), "rewire", 1, 0) is None
    with pytest.raises(InputError, match="kind must be one of 'deletion'"):
        free().edited(ALL[0], "explosion", 1, 0)
    with pytest.raises(InputError, match="only molecules can be edited"):
        free().edited(Graph([6, 6], [(0, 1)]), "deletion", 1, 0)


def test_no_edit_has_a_forbidden_skeleton():
    graph = Graph.from_smiles("CCCCO")
    taken = Identities()
    taken.of(graph)
    assert Editor(taken).edited(graph, "substitution", 1, 0) is None
    assert free().edited(graph, "substitution", 1, 0) is not None


# -- look-alikes -----------------------------------------------------------------------------------------------


def test_wl_cosines_are_those_computed_by_hand():
    one, other = Graph([6, 6], [(0, 1)]), Graph([6, 8], [(0, 1)])
    # Bags: 6 twice and three refined labels twice each; 6 and 8 and six refined labels once each; only 6 is shared.
    assert wl_cosine(one, other) == pytest.approx(2 / (16**0.5 * 8**0.5))
    assert wl_cosine(one, one) == pytest.approx(1)
    assert wl_cosine(Graph([6]), Graph([8])) == 0
    # Another label of the edge leaves the first counts, 4 of 4 * 4.
    assert wl_cosine(one, Graph([6, 6], [(0, 1)], [1])) == pytest.approx(4 / 16)


def nested_cosine(a: Graph, b: Graph) -> float:
    """The same without hashes: a colour is its own history."""
    bags = []
    for graph in (a, b):
        near = [[] for _ in range(len(graph))]
        for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
            near[u].append((label, v))
            near[v].append((label, u))
        colours = [(label,) for label in graph.labels.tolist()]
        bag = Counter(colours)
        for _ in range(3):
            colours = [
                (own, tuple(sorted((label, colours[v]) for label, v in some)))
                for own, some in zip(colours, near, strict=True)
            ]
            bag.update(colours)
        bags.append(bag)
    dot = sum(bags[0][colour] * bags[1][colour] for colour in bags[0])
    return dot / np.prod([np.sqrt(sum(x * x for x in bag.values())) for bag in bags])


@given(st.sampled_from(ALL), st.sampled_from(ALL))
def test_wl_cosines_are_those_of_colours_without_hashes(a, b):
    assert wl_cosine(a, b) == pytest.approx(nested_cosine(a, b))


@given(st.sampled_from(ALL), st.randoms(use_true_random=False))
def test_wl_ignores_the_order_of_nodes(graph, random):
    order = np.arange(len(graph))
    random.shuffle(order)
    assert wl_cosine(graph, reordered(graph, order)) == pytest.approx(1)


def test_sizes_and_hardness_are_those_computed_by_hand():
    ethanol, ethane = Graph.from_smiles("CCO"), Graph.from_smiles("CC")
    assert size_ratio(ethanol, ethane) == size_ratio(ethane, ethanol) == 3 / 5
    assert hardness(ethane, ethane) == pytest.approx(1)
    assert hardness(ethanol, ethane) == pytest.approx(0.65 * wl_cosine(ethanol, ethane) + 0.35 * 0.6)


def test_simple_rankings_are_those_made_by_hand():
    query = Graph.from_smiles("CCO")  # 3 nodes and 2 edges
    candidates = [Graph.from_smiles(text) for text in ("C", "CCCCC", "CCN", "OCC", "CC")]
    scores, _ = by_size(query, candidates)
    assert scores.tolist() == pytest.approx([1 / 5, 5 / 9, 1, 1, 3 / 5])
    assert metrics.sorting(scores).tolist() == [2, 3, 4, 1, 0]
    assert metrics.ranking(scores).tolist() == [3, 2, 4, 1, 0]
    scores, _ = by_wl(query, candidates)
    assert metrics.ranking(scores)[0] == 3  # the same molecule
    assert scores.tolist() == pytest.approx([nested_cosine(query, candidate) for candidate in candidates])


# -- pools -----------------------------------------------------------------------------------------------------


def test_pools_are_the_same_every_time(drug_bank, pools):
    again = Pools(drug_bank, SEEDS[0], SMALL)
    for q in range(SMALL.queries):
        one, other = pools.pool(q), again.pool(q)
        assert one.query == other.query
        assert one.candidates == other.candidates
        assert np.array_equal(one.variant, other.variant)
    assert Pools(drug_bank, SEEDS[1], SMALL).queries != pools.queries


def test_a_pool_holds_the_variants_and_the_hardest_of_the_library(pools):
    assert len(pools.library) <= 3 * len(pools.parents)
    for q, query in enumerate(pools.queries):
        pool = pools.pool(q)
        assert pool.variant.sum() == 4
        assert len(pool.candidates) == 24
        assert all(query is not parent for parent in pools.parents)
        chosen = [c for c, variant in zip(pool.candidates, pool.variant, strict=True) if not variant]
        bar = min(hardness(query, c) for c in chosen)
        taken = set(map(id, chosen))
        assert all(hardness(query, c) <= bar for c in pools.library if id(c) not in taken)
        assert all(sane(c) and not c.same_as(query) for c in pool.candidates if c not in pools.parents)


def test_too_few_graphs_for_the_queries_are_refused(drug_bank):
    with pytest.raises(InputError, match="30 queries need more than the 25 graphs"):
        Pools(drug_bank, 0, replace(SMALL, queries=30))
    with pytest.raises(InputError, match="retrieval knows molhiv and mcf7"):
        bank(None, "molhiv")


def skeletons(graphs) -> Identities:
    known = Identities()
    for graph in graphs:
        known.of(graph)
    return known


def test_no_graph_of_a_pool_is_one_that_rivals_learn_from(drug_bank, pools):
    known = skeletons(graph for pair in pairs_of(drug_bank, 25) for graph in pair)
    for graph in (*pools.queries, *pools.library, *pools.pool(0).candidates, *pools.pool(1).candidates):
        assert known.of(graph, add=False) < 0


@pytest.mark.slow
def test_no_graph_of_a_pool_of_real_data_is_in_the_split(data):
    mcf7 = bank(data, "mcf7")
    pools = Pools(mcf7, SEEDS[0], Sizes(parents=60, queries=2, hard=40))
    graphs = [*pools.queries, *pools.library, *pools.variants(0), *pools.variants(1)]
    for name, manifest in product(("aids", "molhiv", "mcf7"), shipped().values()):
        used = {k for purpose in PURPOSES for k in positions(manifest, name, purpose)}
        known = skeletons(graph for _, graph in graphs_of(data, name, used))
        assert all(known.of(graph, add=False) < 0 for graph in (*graphs, *mcf7.graphs))
    assert all(LEAST <= len(graph) <= MOST and sane(graph) for graph in mcf7.graphs)
    assert len(mcf7.graphs) >= 650
    assert any(12 in graph.edge_labels for graph in graphs)
    sizes = [(graph.size, len(graph)) for graph in mcf7.graphs]
    assert sizes == sorted(sizes)


# -- truth and rankers -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_reference_holds_the_most_nodes_beside_the_most_edges_and_rascal_labels_alike(pools, tmp_path):
    pool = pools.pool(0)
    known = truth(pool, 10.0)
    assert (known.relevant >= 0).all()
    points = 0
    for k, candidate in enumerate(pool.candidates[:12]):
        optima = enpda.enumerate_optima(pool.query, candidate, limit=5_000, time_limit=1)
        if not optima.complete:
            continue
        most = max(match.similarity for match in optima)
        assert known.low[k] <= most + 1e-9
        assert most <= known.high[k] + 1e-9
        assert (most > 0.5) == known.relevant[k]
        points += known.low[k] == known.high[k]
        answer = rascal.relevant(pool.query, candidate, 10)
        assert answer.proven
        assert answer.size <= known.relevant[k]  # the most bonds, but not always the most atoms
    assert points >= 3
    known.save(tmp_path / "truth.npy")
    assert np.array_equal(Truth.load(tmp_path / "truth.npy").low, known.low)
    assert known.take(pool.variant).low.shape == (4,)


def test_labels_are_unknown_exactly_where_the_interval_holds_the_threshold():
    known = Truth(np.array([0.6, 0.4, 0.4, 0.5]), np.array([0.9, 0.5, 0.6, 0.5]))
    assert known.relevant.tolist() == [1, 0, -1, 0]


def test_our_rankers_score_with_similarities(pools):
    pool = pools.pool(1)
    known = truth(pool, 10.0)
    rankers = by_search(10.0), paper_fast(0), own_fast(0), by_search(10.0, 10)
    exact, paper_like, own, top = (rank(pool, ranker) for ranker in rankers)
    assert ((exact.scores >= known.low - 1e-9) & (exact.scores <= known.high + 1e-9)).all()
    for k in (0, 7, 11):
        pair = (pool.query, pool.candidates[k])
        assert exact.scores[k] == enpda.match(*pair, "exact", most_nodes=True).similarity
        assert paper_like.scores[k] == enpda.match(*pair, "paper-fast", None, SEEDS[0]).similarity
        assert own.scores[k] == enpda.match(*pair, "fast", None, SEEDS[0]).similarity
    best = metrics.sorting(exact.scores)[:10]
    assert sorted(top.scores)[-10:] == pytest.approx(sorted(exact.scores[best]))
    assert exact.wall[0] < exact.wall[1]
    assert paper_like.work[0] < paper_like.work[1]


@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_ignore_padding_and_the_order_of_nodes(kind):
    few, query = ALL[:4], ALL[5]
    alphabet = Alphabet.of(few)
    net = network(kind, alphabet, 0).eval()
    one = alphabet.batch([query])
    alone = [float(net(one, alphabet.batch([graph])).detach()) for graph in few]
    turned = [reordered(graph, np.random.default_rng(1).permutation(len(graph))) for graph in few]
    assert net(one.repeated(4), alphabet.batch(turned)).detach().numpy() == pytest.approx(alone, abs=1e-5)
    assert all(0 < score < 1 for score in alone)


def test_labels_nobody_knows_are_one_label():
    alphabet = Alphabet.of([Graph([6, 8], [(0, 1)], [1])])
    batch = alphabet.batch([Graph([6, 99], [(0, 1)], [7]), Graph([6])])
    assert batch.nodes.tolist() == [[[1, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]]]
    assert batch.edges[0].tolist() == [[[0, 0], [0, 0]], [[0, 1], [1, 0]]]
    assert batch.mask.tolist() == [[[1], [1]], [[1], [0]]]


@pytest.fixture(scope="module")
def taught(drug_bank, tmp_path_factory):
    return lessons(drug_bank, 16, tmp_path_factory.mktemp("lessons"))


def test_lessons_hold_three_kinds_of_pairs_with_proven_similarities(drug_bank, taught, tmp_path):
    assert 32 <= len(taught.pairs) <= 48
    assert taught.count == int(0.8 * len(taught.pairs))
    for k in range(0, len(taught.pairs), 5):
        found = enpda.match(*taught.pairs[k], "exact")
        assert found.optimal
        assert taught.similarity[k] == pytest.approx(found.similarity)
    (tmp_path / "labels-16.npy").parent.mkdir(exist_ok=True)
    np.save(tmp_path / "labels-16.npy", taught.similarity + 1)
    assert np.array_equal(lessons(drug_bank, 16, tmp_path).similarity, taught.similarity + 1)  # read, not made anew


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
def test_rivals_learn(kind, taught):
    few = Lessons(taught.pairs[:20], taught.similarity[:20])
    student = Student(kind, few, 0, "cpu")
    for _ in range(40):
        student.epoch()
    errors = [train for train, _, _ in student.history]
    assert errors[-1] < 0.5 * errors[0]


@pytest.mark.slow
def test_training_goes_on_where_it_stopped_and_repeats_itself(taught, tmp_path):
    whole = trained("GMN", taught, 1, 4, tmp_path / "whole.pt")
    trained("GMN", taught, 1, 2, tmp_path / "parts.pt")
    parts = trained("GMN", taught, 1, 4, tmp_path / "parts.pt")
    again = trained("GMN", taught, 1, 4, tmp_path / "parts.pt")
    other = trained("GMN", taught, 2, 4, tmp_path / "other.pt")
    scores = [s.scores(ALL[0], ALL[1:70])[0] for s in (whole, parts, again, other)]
    assert np.array_equal(scores[0], scores[1])
    assert np.array_equal(scores[0], scores[2])
    assert not np.array_equal(scores[0], scores[3])
    assert [h[:2] for h in whole.history] == [h[:2] for h in parts.history]


def test_training_ends_when_nothing_is_gained(taught):
    student = Student("SimGNN", taught, 0, "cpu")
    student.history = [(1.0, error, 0.0) for error in (5.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0)]
    assert not student.finished
    student.history.append((1.0, 2.0, 0.0))
    assert student.finished


# -- the study -------------------------------------------------------------------------------------------------


def test_the_smoke_run_fills_every_cell_and_ranks_exactly(done_bare):
    todo, records, _ = done_bare("retrieval")
    assert [r.trial for r in records] == list(todo.trials())
    cells = todo.cells(records)
    assert all(np.isfinite(cell.value) if cell.row.startswith("drugs") else cell.note for cell in cells)
    value = {(cell.table, cell.row, cell.column): cell.value for cell in cells}
    for table in ("retrieval-main", "retrieval-hard"):
        assert value[table, "drugs, reference", "MAP"] == 1
        assert value[table, "drugs, enpda exact", "MAP"] > 0.9
        assert value[table, "drugs, enpda exact", "MAP"] > value[table, "drugs, Size", "MAP"]
    assert value["retrieval-labels", "drugs", "Relevant for RASCAL only"] == 0
    assert {cell.table for cell in cells} == {shape.label for shape in todo.shapes}
    (picture,) = todo.figures(records).values()
    assert picture.count("<rect") == 1 + 8 + 2 * 8  # paper, legend, bars


def test_our_cells_have_the_names_of_the_papers(done_bare):
    _, records, _ = done_bare("retrieval")
    copies = Records(
        Record(replace(r.trial, set=name, seed=seed), r.outcome)
        for r in records
        for name in ("molhiv", "mcf7")
        for seed in range(3)
    )
    ours = {(c.table, c.row, c.column) for name in ("molhiv", "mcf7") for c in tables.cells(copies, name, "")}
    for label, count in (("retrieval-main", 36), ("retrieval-hard", 36), ("retrieval-timing", 18)):
        theirs = paper.table(label)
        assert len(theirs) == count
        assert {(c.table, c.row, c.column) for c in theirs} <= ours


def test_the_papers_bounds_hold_its_values():
    for label in ("retrieval-main", "retrieval-hard"):
        for cell in paper.table(label):
            assert cell.low <= cell.value <= cell.high


def test_a_study_that_keeps_files_asks_for_a_folder():
    with pytest.raises(InputError, match="give the scope one"):
        _ = Scope("smoke").work


def test_bars_reach_from_zero_to_their_values():
    picture = bars({"a": {"x": (0.5, 0.4, 0.6)}}, "t & t")
    assert "t &amp; t" in picture
    assert picture.count("<rect") == 3
