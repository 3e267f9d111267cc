"""An all-pairs table holds what `match` says about every pair, however it was made and wherever it is kept."""

import itertools
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import enpda
from enpda import Constraints, Graph, InputError, Library, Matrix, Rules, match, matrix
from enpda.bulk.job import Job
from enpda.bulk.question import Question
from enpda.bulk.tiles import Tiles
from matrices import DRUGS, FACTS, SMALL, rows_of
from strategies import graphs, random_graph, reordered

ODD = [Graph([], []), Graph([1], []), Graph([1, 1], []), Graph([], []), Graph([1, 1], [(0, 1)]), Graph([1], [])]


def loop(items, other=None, **options):
    """What a loop over `match` gives, in the form of `rows_of`."""
    if other is None:
        pairs = itertools.combinations(range(len(items)), 2)
        other = items
    else:
        pairs = itertools.product(range(len(items)), range(len(other)))
    found = {(str(i), str(j)): match(items[i], other[j], **options) for i, j in pairs}
    return {key: tuple(getattr(m, name) for name in FACTS) for key, m in found.items()}


# -- chunks --------------------------------------------------------------------------------------------------


@given(st.integers(0, 40), st.one_of(st.none(), st.integers(0, 40)), st.integers(1, 12))
def test_every_pair_is_in_exactly_one_chunk(count, other, side):
    tiles = Tiles(count, other, side)
    found = [tuple(pair) for chunk in range(len(tiles)) for pair in tiles.pairs(chunk).tolist()]
    if other is None:
        expected = {(i, j) for i in range(count) for j in range(i, count)}
    else:
        expected = {(i, j) for i in range(count) for j in range(other)}
    assert len(found) == len(expected)
    assert set(found) == expected
    for chunk in range(len(tiles)):
        rows, columns = tiles.block(chunk)
        assert set(map(tuple, tiles.pairs(chunk).tolist())) <= set(itertools.product(rows, columns))


@given(st.integers(1, 10**7), st.one_of(st.none(), st.integers(1, 10**7)), st.integers(0), st.booleans())
def test_a_chunk_of_millions_is_found_by_its_number_alone(count, other, number, threshold):
    tiles = Tiles.sized(count, other, threshold)
    chunk = number % len(tiles)
    rows, columns = tiles.block(chunk)
    assert 0 < len(rows) <= tiles.side
    assert 0 < len(columns) <= tiles.side
    row, column = rows.start // tiles.side, columns.start // tiles.side
    width = tiles.ranges[1]
    assert chunk == (row * width + column if other is not None else row * width - row * (row - 1) // 2 + column - row)


def test_there_is_no_chunk_beyond_the_last():
    tiles = Tiles(10, None, 4)
    for chunk in (-1, len(tiles)):
        with pytest.raises(IndexError):
            tiles.block(chunk)


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 5), max_size=14), st.one_of(st.none(), st.lists(st.integers(0, 5), max_size=9)), st.data()
)
def test_every_pair_of_items_is_in_one_chunk_whichever_are_isomorphic(first, second, data):
    def library(kinds):
        return Library.of([Graph([kind, kind], [(0, 1)]) for kind in kinds])

    items, other = library(first), None if second is None else library(second)
    counts = len(set(first)), None if second is None else len(set(second))
    job = Job(items, other, Question(), Tiles(*counts, data.draw(st.integers(1, 4))))
    found = []
    for chunk in range(len(job)):
        places, which = job.expanded(chunk)
        assert places.tolist() == sorted(places.tolist())
        assert job.pairs_of(chunk) == len(places)
        for (i, j), (u, v) in zip(places.tolist(), which.tolist(), strict=True):
            left, right = first, first if second is None else second
            assert {left[i], right[j]} == {left[u], right[v]}
            assert second is None or left[i] == left[u]
        found += map(tuple, places.tolist())
    assert len(found) == len(set(found)) == job.pairs
    assert second is not None or all(i < j for i, j in found)


# -- rows ----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.lists(graphs(), max_size=6), st.one_of(st.none(), st.lists(graphs(), max_size=4)), st.sampled_from([1, 2]))
def test_rows_are_those_of_match(items, other, threads):
    assert rows_of(matrix(items, other, threads=threads)) == loop(items, other)


def test_graphs_without_edges_or_nodes_are_items_like_others():
    assert rows_of(matrix(ODD)) == loop(ODD)
    assert rows_of(matrix(ODD, ["CC=O"])) == loop(ODD, ["CC=O"])


@pytest.mark.parametrize(
    "options",
    [
        {"method": "analytic"},
        {"method": "fast", "seed": 3},
        {"method": "core"},
        {"method": "analytic", "samples": 2, "decoder": "hungarian"},
        {"rules": Rules(bonds="any")},
        {"rules": Rules(weights="order")},
        {"constraints": Constraints(rings="all", connected=True)},
        {"constraints": Constraints(stereo=True)},
        {"rules": Rules(equivalent="[N,O]", ring_bonds=True), "constraints": Constraints(min_fragment=3)},
        {"method": "analytic", "bound": "lp"},
        {"budget": enpda.Budget(discrete=2, passes=5, anneal_steps=100)},
    ],
    ids=str,
)
def test_options_mean_what_they_mean_for_one_pair(options):
    items = [Graph.from_smiles(smiles) for smiles in SMALL]
    assert rows_of(matrix(SMALL, threads=2, **options)) == loop(items, **options)


@settings(max_examples=25)
@given(st.lists(graphs(max_nodes=5), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_isomorphic_items_have_equal_rows(distinct, random):
    items = [g for g in distinct for _ in range(random.randint(1, 3))]
    items = [reordered(g, np.array(random.sample(range(len(g)), len(g)), dtype=np.int64)) for g in items]
    random.shuffle(items)
    assert rows_of(matrix(items)) == loop(items)


@settings(max_examples=20)
@given(st.lists(graphs(), max_size=4), st.lists(graphs(), max_size=4))
def test_the_two_sides_may_be_exchanged(items, other):
    for column in ("size", "upper", "distance", "similarity", "nodes"):
        there, back = matrix(items, other).dense(column), matrix(other, items).dense(column)
        np.testing.assert_array_equal(there, back.T)


@settings(max_examples=30)
@given(
    st.lists(graphs(node_labels=2), min_size=2, max_size=7),
    st.one_of(st.none(), st.floats(0.05, 1)),
    st.one_of(st.none(), st.integers(0, 8)),
    st.sampled_from([None, Rules(atoms="any"), Constraints(connected=True)]),
)
def test_a_threshold_keeps_the_rows_that_keep_to_it(items, least, most, how):
    options = {"rules": how} if isinstance(how, Rules) else {"constraints": how}
    every = rows_of(matrix(items, **options))
    asked = {"min_similarity": least, "max_distance": most, **options}
    found = rows_of(matrix(items, **asked))
    good = {
        key: row
        for key, row in every.items()
        if (least is None or row[FACTS.index("similarity")] >= least)
        and (most is None or row[FACTS.index("distance")] <= most)
    }
    assert found == good
    kept = rows_of(matrix(items, screened="keep", **asked))
    assert {key: row for key, row in kept.items() if row[-1] != "below_threshold"} == good
    assert set(kept) == set(every)
    for key, row in kept.items():
        assert row[FACTS.index("size")] <= every[key][0] <= row[FACTS.index("upper")]


def test_screened_pairs_say_so_and_cost_nothing(tmp_path):
    full = rows_of(matrix(DRUGS))
    by_id = {graph.name: graph for graph in DRUGS}
    methods = set()
    for row in matrix(DRUGS, min_similarity=0.6, screened="keep", out=tmp_path).table.to_pylist():
        methods.add(row["method"])
        assert row["upper"] >= full[row["id_a"], row["id_b"]][0]
        if row["method"] == "screen":
            a, b = by_id[row["id_a"]], by_id[row["id_b"]]
            assert (row["size"], row["nodes"], row["seconds"], row["status"]) == (0, 0, 0, "below_threshold")
            assert row["distance"] == a.size + b.size
    assert methods == {"screen", "auto"}


def test_counts_exclude_pairs_under_constraints_too():
    m = matrix(DRUGS, min_similarity=0.6, screened="keep", constraints=Constraints(connected=True))
    assert m.table["method"].to_pylist().count("screen") > len(m) // 2


def test_a_device_answers_for_the_pairs_that_counts_leave():
    options = {"method": "core", "device": "cpu"}
    every, some = rows_of(matrix(SMALL, **options)), rows_of(matrix(SMALL, min_similarity=0.5, **options))
    assert some
    assert {key: every[key] for key in some} == some
    assert all(row[FACTS.index("similarity")] < 0.5 for key, row in every.items() if key not in some)
    with pytest.raises(InputError, match="device knows no constraints"):
        matrix(SMALL, constraints=Constraints(connected=True), **options)


def test_a_limit_that_strikes_leaves_bounds():
    rng = np.random.default_rng(0)
    items = [random_graph(rng, 50, 0.5, 1, 1) for _ in range(3)]
    m = matrix(items, method="exact", time_limit=0.1, threads=2)
    rows = m.table.to_pylist()
    assert {row["status"] for row in rows} == {"time_limit"}
    assert all(row["size"] < row["upper"] for row in rows)
    kept = matrix(items, method="exact", time_limit=0.1, min_similarity=0.9)
    assert len(kept) == 3  # nothing excludes them


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"min_similarity": 1.5}, "min_similarity must be"),
        ({"max_distance": -1}, "max_distance must be"),
        ({"min_size": 3}, "min_size is asked of one pair"),
        ({"screened": "maybe"}, "screened must be"),
        ({"rules": Rules(pinned={0: 0})}, "speak of one pair"),
        ({"rules": Rules(weights="order"), "min_similarity": 0.5}, "weights"),
        ({"engine": "ray"}, "engine must be"),
        ({"engine": "ray", "out": "x"}, "engine must be"),
        ({"engine": "dask"}, "needs out"),
        ({"chunks": (3, 1)}, "chunks must be"),
        ({"chunks": 5}, "chunks must be"),
        ({"threads": 0}, "threads must be"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        matrix(SMALL, **options)
    assert not list(tmp_path.iterdir())


# -- bad input -----------------------------------------------------------------------------------------------


def test_garbage_in_a_file_is_listed_and_everything_else_is_done(tmp_path):
    lines = [f"{'C' * (1 + k % 9)}{'O' * (k % 3)} m{k}" for k in range(300)]
    bad = {17: "C1CC gone", 118: "not-a-smiles here", 299: "C(C)(C)(C)(C)(( x"}
    for k, text in bad.items():
        lines[k] = text
    file = tmp_path / "some.smi"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    m = matrix(file, out=tmp_path / "job", method="analytic", max_distance=0)
    again = Matrix.open(tmp_path / "job")
    for found in (m, again):
        assert [(r.file, r.line) for r in found.rejects] == [(str(file), k + 1) for k in bad]
        assert all("SMILES" in r.reason for r in found.rejects)
        assert len(found.items) == 297
        assert found.summary()["rejects"] == 3
    assert len(m.job.first.ids) == len(set(m.job.first.ids))
    good = [text.split()[0] for k, text in enumerate(lines) if k not in bad]
    alike = sum(a == b for a, b in itertools.combinations(good, 2))
    assert len(m) == alike


def test_garbage_in_a_list_is_listed_by_its_place():
    m = matrix(["CCO", "nonsense", None, 7, "CCN", object()], ["?", "CC"])
    assert [(r.file, r.line) for r in m.rejects] == [
        ("items", 2),
        ("items", 3),
        ("items", 4),
        ("items", 6),
        ("other", 1),
    ]
    assert rows_of(m).keys() == {("0", "1"), ("4", "1")}


# -- looking at it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [None, DRUGS[:3]])
def test_dense_and_sparse_agree_with_match(other, tmp_path):
    items = [*DRUGS[:4], *ODD[:3]]
    against = items if other is None else other
    for m in (matrix(items, other), matrix(items, other, out=tmp_path)):
        for column in ("similarity", "distance", "size", "upper", "nodes", "optimal"):
            expected = np.array([[getattr(match(a, b), column) for b in against] for a in items])
            dense = m.dense(column)
            np.testing.assert_array_equal(dense, expected)
            assert dense.dtype == expected.dtype
            assert sparse.issparse(m.sparse(column))
            np.testing.assert_array_equal(m.sparse(column).toarray(), expected)
    with pytest.raises(InputError, match="column must be"):
        m.dense("status")


@pytest.mark.parametrize(
    "options",
    [{"rules": Rules(weights="order")}, {"constraints": Constraints(min_fragment=4)}, {"rules": Rules(atoms="any")}],
    ids=str,
)
def test_the_diagonal_is_what_an_item_shares_with_itself(options):
    m = matrix(SMALL, **options)
    for column in ("similarity", "distance", "size", "upper", "nodes"):
        expected = [getattr(match(s, s, **options), column) for s in SMALL]
        np.testing.assert_array_equal(np.diagonal(m.dense(column)), expected)


def test_pairs_without_a_row_are_nan_or_what_is_asked_for():
    m = matrix(SMALL, min_similarity=0.9)
    full = matrix(SMALL).dense()
    np.testing.assert_array_equal(np.isnan(m.dense()), (full < 0.9) & ~np.eye(len(SMALL), dtype=bool))
    assert m.dense("size", fill=-1).dtype == np.int64
    np.testing.assert_array_equal(m.dense("size", fill=-1) == -1, np.isnan(m.dense()))


def test_a_summary_counts_what_the_table_holds(tmp_path):
    m = matrix(DRUGS, out=tmp_path)
    told = m.summary()
    assert json.loads(json.dumps(told)) == told
    assert (told["items"], told["pairs"], told["rows"], told["complete"]) == (12, 66, 66, True)
    frame = m.to_pandas()
    assert sum(told["status"].values()) == 66
    assert told["proven"] == frame["optimal"].mean()
    assert told["similarity"]["median"] == frame["similarity"].median()
    assert told["seconds"]["total"] == pytest.approx(frame["seconds"].sum())
    assert matrix([]).summary()["rows"] == 0
    assert repr(m) == "Matrix(12 items, 66 pairs)"


def test_pictures_have_a_square_for_every_pair(tmp_path):
    m = matrix(SMALL, DRUGS[:4])
    svg = m.heatmap(tmp_path / "heat.svg", column="size")
    assert (tmp_path / "heat.svg").read_text(encoding="utf-8").strip() == svg.strip()
    assert svg.count("<rect") == 1 + len(SMALL) * 4
    assert m.heatmap() in m._repr_html_()
    assert ">pairs</th><td>44</td>" in m._repr_html_()
    assert matrix([]).heatmap().startswith("<svg")


def test_a_notebook_does_not_fill_the_memory_with_a_picture(monkeypatch):
    monkeypatch.setattr(sys.modules["enpda.bulk.matrix"], "MOST_CELLS", 10)
    assert "<svg" not in matrix(SMALL)._repr_html_()


def test_progress_counts_all_pairs(capsys, tmp_path):
    matrix(SMALL, out=tmp_path, progress=True)
    assert "55.0/55.0" in capsys.readouterr().err
    matrix(SMALL, out=tmp_path, progress=True)  # nothing is left to do, and that shows, too
    assert "55.0/55.0" in capsys.readouterr().err
