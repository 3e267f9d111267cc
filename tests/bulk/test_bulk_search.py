"""A search gives what a loop over all items and a stable sort give, and says what it proved."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Constraints, Graph, InputError, Library, Rules
from enpda.bulk import search as searching
from enpda.cli import main
from enpda.data import drugs
from strategies import graphs, random_graph, reordered

FIELDS = ("id", "index", "size", "upper", "optimal", "nodes", "similarity", "distance", "status")
ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"
BYS = ("similarity", "distance")


def told(hits):
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    return [tuple(getattr(hit, name) for name in FIELDS) for hit in hits]


def brute_force(query, library, k=10, by="similarity", min_similarity=0.0, max_distance=None, **options):
    rows = []
    for index, m in enumerate(enpda.match_many([(query, item) for item in library], threads=1, **options)):
        if m.similarity >= min_similarity and (max_distance is None or m.distance <= max_distance):
            whole = m.size, m.upper, m.optimal, m.nodes, m.similarity, m.distance, m.status
            rows.append((library.ids[index], index, *whole))
    rows.sort(key=lambda row: -row[6] if by == "similarity" else row[7])
    return rows[:k]


@pytest.fixture
def small_steps(monkeypatch):
    """Gates that open for a few pairs at a time, so that small libraries pass them often."""
    for name, value in (("BATCH", 4), ("CHUNK", 2), ("GUESSES", 3)):
        monkeypatch.setattr(searching, name, value)


@pytest.fixture(scope="module")
def medicine():
    return Library.of(drugs().values())


@pytest.fixture(scope="module")
def generated():
    """200 graphs in families: planted variations of a few, so that there is something to rank."""
    rng = np.random.default_rng(3)
    result = []
    for k in range(200):
        if k % 5 == 0:
            base = random_graph(rng, int(rng.integers(4, 9)), 0.35, 3, 2)
        kept = rng.random(base.size) < 0.8
        result.append(Graph(base.labels, base.edges[kept], base.edge_labels[kept], name=f"g{k}"))
    return Library.of(result)


# -- brute force ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_searches_in_generated_graphs_are_brute_force(generated):
    queries = list(generated)[::2]
    pairs = [(query, item) for query in queries for item in generated]
    rows = [(m.similarity, m.distance, m.size, m.nodes, m.optimal) for m in enpda.match_many(pairs)]
    table = [rows[q * len(generated) : (q + 1) * len(generated)] for q in range(len(queries))]
    for by, k in (("similarity", 7), ("distance", 5)):
        for query, own in zip(queries, table, strict=True):
            order = sorted(range(len(own)), key=lambda i: -own[i][0] if by == "similarity" else own[i][1])
            hits = enpda.search(query, generated, k, by=by)
            assert [hit.index for hit in hits] == order[:k]
            found = [(hit.similarity, hit.distance, hit.size, hit.nodes, hit.optimal) for hit in hits]
            assert found == [own[i] for i in order[:k]]
            assert hits.exact
            assert hits.screened + hits.excluded + hits.evaluated == len(generated)


@pytest.mark.parametrize("by", BYS)
def test_searches_in_drugs_are_brute_force(medicine, by, small_steps):
    for query in list(medicine)[::4]:
        hits = enpda.search(query, medicine, 4, by=by)
        assert told(hits) == brute_force(query, medicine, 4, by)
        assert hits.exact
        assert hits.screened > 0


@settings(max_examples=60)
@given(
    items=st.lists(graphs(max_nodes=5, node_labels=2), max_size=9),
    query=graphs(max_nodes=5, node_labels=2),
    k=st.integers(1, 6),
    by=st.sampled_from(BYS),
    least=st.sampled_from([None, 0.0, 0.3, 0.6, 1.0]),
    most=st.sampled_from([None, 0, 2, 5]),
)
def test_random_searches_are_brute_force(items, query, k, by, least, most):
    steps = searching.BATCH, searching.CHUNK, searching.GUESSES
    searching.BATCH, searching.CHUNK, searching.GUESSES = 3, 1, 2
    library = Library.of(items)
    try:
        hits = enpda.search(query, library, k, by=by, min_similarity=least, max_distance=most)
    finally:
        searching.BATCH, searching.CHUNK, searching.GUESSES = steps
    expected = brute_force(query, library, k, by, least or 0.0, most)
    # Of isomorphic items one is compared; the most edges of another may come with other nodes.
    assert [row[1:5] for row in told(hits)] == [row[1:5] for row in expected]
    assert told(hits) == expected
    assert hits.exact


@pytest.mark.parametrize("by", BYS)
@pytest.mark.parametrize(
    "options",
    [
        {"rules": Rules(atoms="element+charge", bonds="any")},
        {"rules": Rules(weights="order")},
        {"constraints": Constraints(connected=True)},
        {"constraints": Constraints(rings="all", stereo=True)},
        {"rules": Rules(ring_bonds=True), "constraints": Constraints(min_fragment=3)},
        {"method": "fast"},
        {"method": "analytic"},
        {"method": "core"},
        {"method": "exact", "bound": "rlt"},
        {"bound": "lp", "method": "analytic"},
    ],
    ids=str,
)
def test_searches_under_other_options_are_brute_force(medicine, by, options, small_steps):
    library = Library.of(list(medicine)[:14])
    for query in (library[3], ASPIRIN):
        hits = enpda.search(query, library, 3, by=by, **options)
        assert told(hits) == brute_force(query, library, 3, by, **options)
        if not options.get("rules"):
            assert hits.screened + hits.excluded > 0


# -- order, ties, limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", BYS)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_equals_come_in_the_order_of_the_library(by, k, small_steps):
    near, far = Graph([0, 0, 1], [(0, 1), (1, 2)]), Graph([2, 2], [(0, 1)])
    twins = [Graph([0, 0, 0], [(0, 1), (1, 2)]), Graph([0, 0, 2], [(0, 1), (1, 2)]), Graph([0, 0, 3], [(0, 1), (1, 2)])]
    for order in itertools.permutations([far, *twins, near]):
        library = Library.of(order)
        assert told(enpda.search(near, library, k, by=by)) == brute_force(near, library, k, by)


def test_isomorphic_items_are_matched_once_and_all_found():
    rng = np.random.default_rng(0)
    query, other = random_graph(rng, 8, 0.4, 2, 2), random_graph(rng, 8, 0.4, 2, 2)
    library = Library.of([other, query, other, reordered(query, rng.permutation(8)), query])
    hits = enpda.search(query, library, 4)
    assert [hit.index for hit in hits] == [1, 3, 4, 0]
    assert [hit.similarity for hit in hits[:3]] == [1.0, 1.0, 1.0]
    assert len({hit.seconds for hit in hits[:3]}) == 1
    assert hits.screened + hits.excluded + hits.evaluated == 5


def test_more_hits_than_items_are_all_items(medicine):
    library = Library.of(list(medicine)[:6])
    hits = enpda.search(ASPIRIN, library, 100)
    assert told(hits) == brute_force(ASPIRIN, library, 100)
    assert (len(hits), hits.evaluated, hits.exact) == (6, 6, True)


@pytest.mark.parametrize("by", BYS)
def test_nothing_is_found_in_an_empty_library(by):
    hits = enpda.search("CCO", [], by=by)
    assert (len(hits), hits.exact, hits.evaluated, hits.open) == (0, True, 0, [])
    assert told(hits) == []
    assert hits.table().num_rows == 0
    assert enpda.search([], ["CCO"]) == []


def test_empty_graphs_are_graphs():
    library = Library.of([Graph([]), Graph([1]), Graph([1, 1], [(0, 1)]), Graph([])])
    for query, by in itertools.product(library, BYS):
        assert told(enpda.search(query, library, 2, by=by)) == brute_force(query, library, 2, by)


def test_thresholds_leave_out_what_does_not_keep_to_them(medicine):
    everything = enpda.search(ASPIRIN, medicine, 1_000)
    least = everything[4].similarity
    near = enpda.search(ASPIRIN, medicine, 1_000, min_similarity=least)
    assert told(near) == told(everything)[:5]  # the fifth itself is in
    assert near.screened > 0
    for most in (0, everything[3].distance):
        expected = brute_force(ASPIRIN, medicine, 1_000, max_distance=most)
        assert told(enpda.search(ASPIRIN, medicine, 1_000, max_distance=most)) == expected
    both = enpda.search(ASPIRIN, medicine, 3, by="distance", min_similarity=0.3, max_distance=20)
    assert told(both) == brute_force(ASPIRIN, medicine, 3, "distance", 0.3, 20)


def test_the_number_of_threads_changes_nothing(generated, medicine):
    for library, by in itertools.product((generated, medicine), BYS):
        one, two = (enpda.search(library[7], library, 6, by=by, threads=threads) for threads in (1, 2))
        assert told(one) == told(two)
        assert (one.screened, one.excluded, one.evaluated) == (two.screened, two.excluded, two.evaluated)


def test_a_time_limit_that_strikes_is_told():
    rng = np.random.default_rng(2)
    query = random_graph(rng, 40, 0.3, 1, 1)
    hard = [random_graph(rng, 40, 0.3, 1, 1) for _ in range(5)]
    library = Library.of([*hard, query, Graph([5, 5], [(0, 1)], name="far")])
    hits = enpda.search(query, library, 3, time_limit=1e-3)
    assert not hits.exact
    assert set(hits.open) <= set(library.ids[:6])
    assert {hit.id for hit in hits} | set(hits.open) >= set(library.ids[:6])
    assert "far" not in hits.open
    assert all(hit.status in ("time_limit", "optimal") for hit in hits)
    assert "may belong higher" in repr(hits)


@pytest.mark.parametrize("by", BYS)
@pytest.mark.parametrize("method", ["analytic", "fast"])
def test_what_can_be_better_than_a_method_without_a_proof_finds_is_open(by, method, small_steps):
    rng = np.random.default_rng(11)
    library = Library.of(random_graph(rng, 8, 0.4, 1, 1) for _ in range(24))

    def score(m):
        return -m.similarity if by == "similarity" else m.distance

    opened = 0
    for query in [random_graph(rng, 8, 0.4, 1, 1) for _ in range(3)]:
        pairs = [(query, item) for item in library]
        truth = [score(m) for m in enpda.match_many(pairs)]
        loose = [not m.optimal for m in enpda.match_many(pairs, method)]
        hits = enpda.search(query, library, 5, by=by, method=method)
        standing = [(score(hit), hit.index) for hit in hits]
        for index, own in enumerate(library.ids):
            assert loose[index] or own not in hits.open
            if not loose[index] or own in hits.open:
                continue
            rank = next((hit.rank for hit in hits if hit.index == index), len(hits) + 1)
            assert rank == 1 or (truth[index], index) >= standing[rank - 2]
        opened += len(hits.open)
    assert opened > 0


# -- what is given -------------------------------------------------------------------------------------------


def test_many_queries_are_many_searches(medicine, tmp_path):
    smiles = [ASPIRIN, PARACETAMOL, "CCO"]
    singles = [told(enpda.search(query, medicine, 3)) for query in smiles]
    file = tmp_path / "queries.smi"
    file.write_text("\n".join(smiles), encoding="utf-8")
    library = Library.build(file, tmp_path / "queries.arrow")
    as_graphs = [Graph.from_smiles(query) for query in smiles]
    for queries in (smiles, iter(smiles), as_graphs, file, str(file), library, library.path):
        found = enpda.search(queries, medicine, 3)
        assert [told(hits) for hits in found] == singles
    assert [hits.id for hits in found] == ["0", "1", "2"]


def test_a_library_may_be_a_file(medicine, tmp_path):
    file = tmp_path / "drugs.arrow"
    Library.build(medicine, file)
    expected = told(enpda.search(ASPIRIN, medicine, 3))
    assert told(enpda.search(ASPIRIN, file, 3)) == expected
    assert told(enpda.search(ASPIRIN, str(file), 3)) == expected
    assert told(enpda.search(ASPIRIN, list(medicine), 3)) == expected


def test_queries_may_be_networks_and_molecules(medicine):
    import networkx as nx
    from rdkit import Chem

    expected = told(enpda.search(ASPIRIN, medicine, 2))
    assert told(enpda.search(Chem.MolFromSmiles(ASPIRIN), medicine, 2)) == expected
    network = Graph.from_smiles(ASPIRIN).to_networkx()
    assert isinstance(network, nx.Graph)
    assert told(enpda.search(network, medicine, 2)) == expected


def test_queries_that_cannot_be_read_are_told(tmp_path):
    with pytest.raises(InputError, match="query 1: not a SMILES: 'bad!'"):
        enpda.search(["CCO", "bad!"], ["CCO"])
    file = tmp_path / "queries.smi"
    file.write_text("CCO\nbad!\n", encoding="utf-8")
    with pytest.warns(enpda.InputWarning, match=r"1 queries are left out; the first: line 2, not a SMILES: 'bad!'"):
        found = enpda.search(file, ["CCO"])
    assert len(found) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be a whole number from 1"),
        ({"k": 2.5}, "k must be a whole number from 1"),
        ({"by": "size"}, "by must be one of 'similarity', 'distance'; got 'size'"),
        ({"min_similarity": 1.5}, "min_similarity must be a number from 0 to 1"),
        ({"max_distance": -1}, "max_distance must be a whole number from 0"),
        ({"min_size": 3}, "min_size is asked of one pair"),
        ({"threads": 0}, "threads must be a whole number from 1"),
        ({"method": "magic"}, "method must be one of"),
        ({"rules": Rules(pinned=[(0, 0)])}, "speak of one pair"),
        ({"rules": Rules(weights="order"), "min_similarity": 0.5}, "cannot be asked with weights"),
        ({"library": 7}, "a data frame, a dictionary by name or an iterable"),
        ({"query": 7}, "a Graph, SMILES string, RDKit Mol or networkx graph is needed; got 7"),
        ({"query": "bad!"}, "not a SMILES: 'bad!'"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        enpda.search(**{"query": "CCO", "library": ["CCO"], **arguments})


# -- what comes back -----------------------------------------------------------------------------------------


def test_hits_are_a_sequence_with_graphs_and_matches(medicine):
    hits = enpda.search(ASPIRIN, medicine, 3)
    assert hits[0] == hits[-3] == next(iter(hits))
    assert hits[1:] == [hits[1], hits[2]]
    with pytest.raises(IndexError):
        hits[3]
    for hit in hits:
        assert hit.graph == medicine[hit.index]
        m = hit.match()
        assert (m.size, m.upper, m.nodes, m.similarity) == (hit.size, hit.upper, hit.nodes, hit.similarity)
        assert Graph.from_smiles(hit.smiles).same_as(hit.graph)
    assert hits[0].id == "aspirin"
    assert repr(hits).startswith(f"Hits(3 of {len(medicine)} by similarity, exact: ")


def test_hits_become_json_and_tables(medicine):
    hits = enpda.search(Graph.from_smiles(ASPIRIN, name="mine"), medicine, 3)
    plain = json.loads(hits.to_json())
    assert plain == hits.to_dict()
    assert [row["id"] for row in plain["hits"]] == [hit.id for hit in hits]
    assert (plain["exact"], plain["open"], plain["id"], plain["k"]) == (True, [], "mine", 3)
    table = hits.table().to_pylist()
    assert [{k: v for k, v in row.items() if k != "query"} for row in table] == plain["hits"]
    assert {row["query"] for row in table} == {"mine"}


def test_hits_show_themselves(medicine):
    hits = enpda.search(Graph.from_smiles(ASPIRIN, name="<i>mine</i>"), medicine, 25)
    page = hits._repr_html_()
    assert page.count("<svg") == 21  # the query and twenty hits
    assert "<i>mine" not in page
    assert "and 5 more" in page
    assert str(hits).splitlines()[1].split() == ["1", "1.0000", "0", "13", "13", "yes", "aspirin"]


# -- the command line ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(medicine, tmp_path_factory):
    path = tmp_path_factory.mktemp("search") / "drugs.arrow"
    Library.build(medicine, path)
    return str(path)


def test_the_command_prints_hits(file, medicine, capsys):
    assert main(["search", ASPIRIN, file, "-k", "3"]) == 0
    out, err = capsys.readouterr()
    hits = enpda.search(ASPIRIN, medicine, 3)
    assert out.splitlines()[:4] == str(hits).splitlines()[:4]
    assert err == ""
    assert main(["search", ASPIRIN, file, "-k", "3", "--json", "--by", "distance", "--max-distance", "30"]) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = enpda.search(ASPIRIN, medicine, 3, by="distance", max_distance=30)
    assert [(hit["id"], hit["distance"]) for hit in printed["hits"]] == [(hit.id, hit.distance) for hit in expected]


def test_the_command_writes_tables(file, tmp_path, capsys):
    import pyarrow.csv
    import pyarrow.parquet as pq

    queries = tmp_path / "queries.smi"
    queries.write_text(f"{ASPIRIN} first\nbad!\n{PARACETAMOL} second\n", encoding="utf-8")
    for name, read in (("hits.csv", pyarrow.csv.read_csv), ("hits.parquet", pq.read_table)):
        out = tmp_path / name
        assert main(["search", str(queries), file, "-k", "2", "--all", "--out", str(out), "--threads", "1"]) == 0
        assert read(out)["query"].to_pylist() == ["first", "first", "second", "second"]
        assert read(out)["id"].to_pylist()[::2] == ["aspirin", "paracetamol"]
        shown, err = capsys.readouterr()
        assert "line 2: not a SMILES: 'bad!'" in err
        assert shown.count("rank") == 2
    assert main(["search", f"{queries}:1", file, "-k", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["id"] == "paracetamol"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([ASPIRIN], "LIBRARY"),
        ([ASPIRIN, "/nonexistent"], "no such file"),
        (["bad!", "FILE"], "neither a file nor a molecule"),
        ([ASPIRIN, "FILE", "-k", "0"], "k must be a whole number"),
        ([ASPIRIN, "FILE", "--out", "hits.txt"], "out must end in .csv or .parquet"),
        ([ASPIRIN, "FILE", "--out", "/nonexistent/hits.csv"], "cannot write the table"),
        ([ASPIRIN, "FILE", "--all"], "no such file"),
        ([ASPIRIN, "FILE", "--pin", "0:0"], "speak of one pair"),
    ],
)
def test_the_command_refuses_what_it_cannot_use(arguments, message, file, capsys):
    assert main(["search", *(file if argument == "FILE" else argument for argument in arguments)]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert out == ""
