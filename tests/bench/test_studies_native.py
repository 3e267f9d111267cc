"""The studies of native accuracy, short limits and RASCAL's tail: whole, small, and judged by the paper's tables."""

import numpy as np
import pytest

from enpda import match
from enpda_bench import fits, paper
from enpda_bench.baselines import PEERS, answered
from enpda_bench.conduct import conduct
from enpda_bench.datasets import BenchPair
from enpda_bench.journal import read
from enpda_bench.scope import Scope
from enpda_bench.studies import native, short, study, tails
from enpda_bench.study import Outcome, Record, Records, Trial

NAMES = ("nga", "native", "short", "tails")


@pytest.fixture(scope="session")
def ran(scope, done):
    """The studies' records and cells."""
    return scope, {name: done(name)[1] for name in NAMES}, {name: list(done(name)[2].values()) for name in NAMES}


@pytest.mark.parametrize("name", NAMES[1:])
def test_every_number_of_the_paper_has_ours_or_a_reason(ran, name):
    _, _, cells = ran
    found = {(c.table, c.row, c.column): c for c in cells[name]}
    assert len(found) == len(cells[name])
    wanted = [cell for shape in study(name).shapes for cell in paper.table(shape.label)]
    assert len(wanted) > 30
    for cell in wanted:
        assert cell.value is not None
        ours = found[cell.table, cell.row, cell.column]
        assert ours.value is not None or ours.note


@pytest.mark.parametrize("name", NAMES)
def test_every_stored_mapping_has_the_stored_size(ran, name):
    scope, records, _ = ran
    counted = 0
    for r in records[name]:
        pair = scope.pairs(r.trial.set)[r.trial.pair]
        if r.outcome.image is not None:
            counted += 1
            assert answered(pair.a, pair.b, r.outcome.image, False, 0.0).size == r.outcome.size <= pair.upper
        else:
            assert r.outcome.status
    assert counted >= 4


def test_every_program_answers_or_says_why(ran):
    _, records, cells = ran
    asked = {r.trial.arm for r in records["native"]}
    assert {*native.EVERYWHERE, *native.AT_LIMIT, *native.OTHERS} <= asked
    assert {arm for arm in PEERS if not arm.startswith("nga")} <= asked
    at = {(c.table, c.row, c.column): c for c in cells["native"]}
    assert "molecules" not in at["native-accuracy", "GA", "MOLHIV"].note
    assert at["native-accuracy", "exact", "MOLHIV"].value == 100
    assert at["native-accuracy", "FMCS", "MOLHIV"].value < 100
    assert at["literature-accuracy", "Gurobi", "AIDS"].note.startswith("reported by the NGA study; not run here")
    assert at["enpda-rascal-cap60", "All", "exact"].value == 100


def test_three_fits_are_the_best_of_them_and_serve_other_studies(ran):
    scope, records, cells = ran
    three = fits.best(records["nga"])
    assert len(records["nga"]) == fits.FITS * len(three) == 9
    for r in three:
        own = [x.outcome for x in records["nga"] if (x.trial.set, x.trial.pair) == (r.trial.set, r.trial.pair)]
        assert r.outcome.size == max(x.size for x in own)
        assert r.outcome.seconds == pytest.approx(sum(x.seconds for x in own))
    at = {(c.table, c.row, c.column): c.value for c in [*cells["nga"], *cells["native"]]}
    for column in ("AIDS", "MOLHIV", "MCF-7"):
        assert at["nga-fits", column, "One fit %"] <= at["nga-fits", column, "Three fits %"]
        assert at["native-accuracy", "NGA", column] == at["nga-fits", column, "Three fits %"]
    assert fits.said(fits.taken(scope)) == "3 pairs, processor, at most 0.2 s a fit"
    assert fits.said([]) == "the study nga has not run"


def test_short_limits_are_kept_with_the_records(ran):
    _, records, _ = ran
    limits = {r.trial.arm: r.outcome.values["limit"] for r in records["short"] if r.trial.arm not in short.CORES}
    assert len(limits) == 16
    assert limits["McSplit-0.16s"] == 0.16
    latency = np.mean([r.outcome.seconds for r in records["short"] if r.trial.arm == "full"])
    assert limits["FMCS-matched"] == limits["SMSD-matched"] == pytest.approx(latency)


def two_drugs() -> Scope:
    """A scope without data whose set of drug pairs is one pair, to save the judging of all sixty."""
    found = match("CC(=O)Nc1ccc(O)cc1", "CC(=O)Oc1ccccc1C(=O)O")
    assert found.optimal
    scope = Scope("smoke")
    scope._sets["drugs"] = [BenchPair(found.a, found.b, found.size, found.upper)]
    return scope


def test_a_resumed_run_measures_the_latency_again():
    found = short.ShortStudy(two_drugs()).run(Trial("auto-matched", "drugs", 0))
    assert 0 < found.values["limit"] < 10


@pytest.mark.slow
def test_the_order_of_programs_is_drawn_per_pair_and_never_changes(data):
    scope = Scope("quick", data)
    trials = list(short.ShortStudy(scope).trials())
    assert trials == list(short.ShortStudy(scope).trials())
    assert len(set(trials)) == len(trials)
    orders = {}
    for t in trials:
        if t.arm not in short.CORES:
            orders.setdefault((t.set, t.pair), []).append(t.arm)
    assert len({tuple(order) for order in orders.values()}) > 30
    assert {frozenset(order) for order in orders.values()} == {frozenset(next(iter(orders.values())))}


def test_the_tail_is_a_fixed_list_of_positions():
    for name in tails.SETS:
        places = tails.tail(name)
        assert places == sorted(set(places))
        assert all(0 <= k < 100 for k in places)
    assert len(tails.tail("aids")) >= 2


def test_the_second_tail_is_what_is_still_open(data):
    scope = Scope("full", data)
    first, second = tails.tail("aids")[:2]
    best = {k: scope.pairs("aids")[k].size for k in (first, second)}

    def record(arm, k, size, proven):
        return Record(Trial(arm, "aids", k), Outcome(size=size, proven=proven, seconds=2.0))

    records = Records(
        [
            *(record("rascal 60", k, best[k] - 1, False) for k in best),
            record("rascal 900", first, best[first], True),
            record("rascal 900", second, best[second] - 1, False),
            *(record(arm, k, best[k], True) for arm in tails.OURS for k in best),
        ]
    )
    at = {(c.table, c.row, c.column): c for c in study("tails")(scope).cells(records)}
    assert at["rascal-tail", "60 s, AIDS", "Pairs"].value == 2
    assert at["rascal-tail", "900 s, AIDS", "Pairs"].value == at["rascal-tail", "900 s, All", "Pairs"].value == 1
    assert at["rascal-tail", "900 s, AIDS", "Difference"].value == pytest.approx(100 / best[second])
    assert at["rascal-tail", "60 s, MOLHIV", "Pairs"].value == 0
    assert at["tail-runtime", "60 s, AIDS", "RASCAL, mean"].value == 2.0


@pytest.mark.slow
def test_without_data_drugs_stand_in(tmp_path):
    scope = two_drugs()
    conduct(("native", "tails"), scope, tmp_path)
    cells = study("native")(scope).cells(read(tmp_path, "native"))
    exact = next(c for c in cells if c.row == "exact" and c.column == "drugs" and c.table == "native-accuracy")
    assert exact.value == 100
    assert next(c for c in cells if c.column == "AIDS").note == "needs the data folder"
    assert not read(tmp_path, "tails")
