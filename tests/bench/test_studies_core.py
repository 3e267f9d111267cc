"""The studies of the core and the Solver: what their records and cells promise, and the paper's numbers beside them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import enpda
from enpda import _core
from enpda.problem.thresholds import similarity
from enpda_bench import paper
from enpda_bench.arms import measured
from enpda_bench.datasets import BenchPair
from enpda_bench.portfolio import FOUR, STREAMS, analytic_solver, checkpoint, solver
from enpda_bench.scope import Scope
from enpda_bench.studies import study
from enpda_bench.studies.repeat import DIFFERING
from enpda_bench.study import Outcome, Record, Records, Trial
from enpda_bench.tally import difference
from strategies import graphs

NAMES = ("sinkhorn", "repeat", "components", "rounds", "deployment", "frontier", "cases")
TABLES = [shape.label for name in NAMES for shape in study(name).shapes if shape.label != "case-studies"]


@pytest.fixture(scope="session")
def ran(scope, done):
    """The studies' records."""
    return scope, {name: done(name)[1] for name in NAMES}


@pytest.fixture(scope="session")
def filled(done):
    """Their cells."""
    return {name: list(done(name)[2].values()) for name in NAMES}


def preserved(pair: BenchPair, image) -> int:
    """Count without the compiled core."""
    there = {
        frozenset(ends): label for ends, label in zip(pair.b.edges.tolist(), pair.b.edge_labels.tolist(), strict=True)
    }
    used = [j for j in image if j >= 0]
    assert len(used) == len(set(used))
    assert all(pair.a.labels[i] == pair.b.labels[j] for i, j in enumerate(image) if j >= 0)
    return sum(
        there.get(frozenset((image[u], image[v]))) == label
        for (u, v), label in zip(pair.a.edges.tolist(), pair.a.edge_labels.tolist(), strict=True)
    )


@pytest.mark.parametrize("name", NAMES)
def test_cells_answer_the_papers_tables_or_say_why_not(filled, name):
    cells = filled[name]
    assert len({(c.table, c.row, c.column) for c in cells}) == len(cells)
    there = {(c.table, c.row, c.column) for c in cells}
    for shape in study(name).shapes:
        assert [(c.row, c.column) for c in paper.table(shape.label) if (c.table, c.row, c.column) not in there] == []
        rows_and_columns = {word for c in cells if c.table == shape.label for word in (c.row, c.column)}
        assert rows_and_columns.issuperset([*shape.plain, *shape.lower, *shape.ours])
    for cell in cells:
        assert (cell.value is not None and np.isfinite(cell.value)) or cell.note


@pytest.mark.parametrize("name", NAMES)
def test_stored_images_preserve_what_the_records_say(ran, name):
    scope, records = ran
    images = 0
    for r in records[name]:
        if r.outcome.image is not None:
            assert preserved(scope.pairs(r.trial.set)[r.trial.pair], r.outcome.image.tolist()) == r.outcome.size
            images += 1
    assert images >= 3


@pytest.mark.parametrize("name", NAMES)
def test_without_data_the_drug_pairs_stand_in(name):
    trials = list(study(name)(Scope("smoke")).trials())
    assert trials
    assert {t.set for t in trials} == {"drugs"}
    assert len(set(trials)) == len(trials)


@pytest.mark.parametrize(
    ("label", "arms"),
    [
        ("enpda-component-ablation", {"Full - dynamics": ("Full", "Dynamics only")}),
        ("train-once-sinkhorn", {"Full - Gumbel-Sinkhorn": ("ENPDA-Core", "Gumbel-Sinkhorn (10)")}),
        ("deterministic-core", {"Analytic - no prices": ("Analytic", "Analytic, no prices")}),
        ("native-controls", {"Solver - NGA (s)": ("ENPDA-Solver mean s", "NGA, three fits mean s")}),
    ],
)
def test_the_papers_differences_are_those_of_its_own_rows(label, arms):
    cells = {(c.row, c.column): c for c in paper.table(label)}
    for row, (one, other) in arms.items():
        for column in ("AIDS", "MOLHIV", "MCF-7"):
            here = cells[row, column]
            assert here.value == pytest.approx(cells[one, column].value - cells[other, column].value, abs=0.021)
            assert here.low < here.value < here.high


@pytest.mark.parametrize("label", ["enpda-round-ablation", "enpda-search-frontier"])
def test_the_papers_gains_are_learned_minus_analytic(label):
    cells = {(c.row, c.column): c.value for c in paper.table(label)}
    rows = {row for row, column in cells if column == "Analytic"}
    assert len(rows) == 12
    for row in rows:
        assert cells[row, "Difference"] == pytest.approx(cells[row, "ENPDA"] - cells[row, "Analytic"], abs=0.021)


def test_every_table_of_the_paper_is_there_in_full():
    assert {label: len(paper.table(label)) for label in TABLES} == {
        "train-once-sinkhorn": 24,
        "deterministic-core": 27,
        "enpda-component-ablation": 33,
        "components-transfer-main": 15,
        "enpda-round-ablation": 39,
        "enpda-round-latency": 24,
        "native-controls": 57,
        "native-mse": 27,
        "enpda-stream-selection": 12,
        "enpda-search-frontier": 36,
    }
    chosen = [c.value for c in paper.table("enpda-stream-selection")]
    assert [sum(chosen[k : k + 4]) for k in (0, 4, 8)] == [300, 273, 300]  # three seeds of 100, 91 and 100 pairs


@pytest.mark.slow
@given(graphs(max_nodes=6, min_nodes=2), graphs(max_nodes=6, min_nodes=2))
@settings(max_examples=25)
def test_controls_map_legally_whichever_graph_comes_first(a, b):
    from enpda_bench import controls

    for left, right in ((a, b), (b, a)):
        pair = BenchPair(left, right, 0, 0)
        for image in (controls.sinkhorn(left, right), controls.gumbel(left, right, place=3, samples=2)):
            assert len(image) == len(left)
            assert preserved(pair, image.tolist()) == _core.check(left.core, right.core, image)[0]


def test_noise_follows_seed_and_place():
    from enpda_bench.controls import gumbel

    pair = Scope().pairs("drugs")[38]
    first, again, elsewhere = (gumbel(pair.a, pair.b, 0, place) for place in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, elsewhere)


def test_no_search_is_the_proposal_and_more_search_loses_nothing(ran):
    scope, records = ran
    seen = 0
    for r in records["frontier"]:
        sizes = list(r.outcome.values.values())
        assert sizes == sorted(sizes)
        if r.trial.arm != "exact":
            pair = scope.pairs(r.trial.set)[r.trial.pair]
            assert sizes[0] == measured(pair, r.trial.arm, r.trial.seed).size
            seen += 1
    assert seen == 18


def test_the_frontier_stops_at_the_proven_optimum_only():
    scope = Scope("smoke")
    frontier = study("frontier")(scope)
    for place in (0, 38):
        pair = scope.pairs("drugs")[place]
        found = frontier.run(Trial("analytic", "drugs", place))
        assert found.size == pair.size or found.seconds >= 0.1


@pytest.mark.slow
def test_the_solver_keeps_the_earlier_of_equal_streams(ran):
    scope, _ = ran
    streams = set()
    for place in range(0, 30, 3):
        pair = scope.pairs("aids")[place]
        found = solver(pair, 0)
        stream = int(found.values["stream"])
        streams.add(stream)
        if STREAMS[stream] == "Analytic":
            budget = replace(FOUR, noisy=(False, True, True))
            learned = enpda.match(pair.a, pair.b, "solver", None, budget=budget, policy=checkpoint(0))
            assert (learned.size, learned.nodes) < (found.size, found.nodes)
        elif stream == 0:
            first = replace(FOUR, noisy=(False,))
            alone = enpda.match(pair.a, pair.b, "solver", None, budget=first, policy=checkpoint(0))
            assert (alone.size, alone.nodes) == (found.size, found.nodes)
    assert len(streams) > 1


def test_the_analytic_solver_depends_on_its_seed_alone():
    pair = Scope().pairs("drugs")[38]
    first, again = (analytic_solver(pair, 1) for _ in range(2))
    assert np.array_equal(first.image, again.image)
    assert first.size <= pair.upper


def test_similarity_errors_are_squares_against_the_best_mapping_known(tmp_path):
    scope = Scope("smoke", folder=tmp_path)
    pair = scope.pairs("drugs")[0]

    def record(arm, size, nodes):
        return Record(Trial(arm, "drugs", 0), Outcome(size=size, nodes=nodes, seconds=1.0, values={"stream": 0}))

    size = pair.size
    arms = ("analytic", "full", "enpda solver")
    records = Records([*(record(arm, size, size) for arm in arms), record("exact", size, size - 1)])
    records += [record("analytic solver", size - 1, size), record("solver", size, size + 1)]
    cells = {(c.table, c.row): c for c in study("deployment")(scope).cells(records)}
    best, found = (similarity(total, pair.a, pair.b) for total in (2 * size + 1, 2 * size - 1))
    assert cells["native-mse", "ENPDA-Solver"].value == 0
    assert cells["native-mse", "Analytic Solver"].value == pytest.approx(1e3 * (best - found) ** 2)
    for row in ("NGA, three fits accuracy", "Solver - NGA (pp)", "Solver - NGA (s)"):
        assert cells["native-controls", row].value is None
        assert cells["native-controls", row].note == "the study nga has not run"


def test_runs_repeat_bit_for_bit(filled):
    differing = {c.row: c.value for c in filled["repeat"] if c.row in DIFFERING.values()}
    assert differing == dict.fromkeys(DIFFERING.values(), 0)


def test_an_interval_of_one_block_says_so():
    change = np.array([[1.0, 2.0], [2.0, 3.0]])
    one, two = (difference("t", "r", "c", change, 0 * change, groups, "few") for groups in ([[0, 1]], [[0], [1]]))
    assert one.value == two.value == 2
    assert one.low == 1.5
    assert one.note.startswith("few; all pairs are connected")
    assert two.note == "few"


def test_times_of_the_steps_add_up(filled):
    seconds = {(c.row, c.column): c.value for c in filled["rounds"] if c.table == "enpda-round-latency"}
    for row in {row for row, _ in seconds}:
        parts = [seconds[row, column] for column in ("Build", "Trajectory", "Projection")]
        assert min(parts) > 0
        assert sum(parts) == pytest.approx(seconds[row, "Total"])


def test_pictures_show_the_stored_mappings(ran):
    scope, records = ran
    pictures = study("cases")(scope).figures(records["cases"])
    assert len(pictures) == 3
    assert all(svg.startswith("<svg") for svg in pictures.values())
    curves = study("frontier")(scope).figures(records["frontier"])
    assert all(svg.count("<polyline") == 3 for svg in curves.values())
