"""Studies of bounds and proofs: bounds hold, certificates verify, and the paper's tables agree with themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from enpda import Graph, _core
from enpda_bench import paper
from enpda_bench.baselines import rascal_molecules
from enpda_bench.bounds import closed, gap, price_bound, price_certificate, prices_of
from enpda_bench.cases import case, kept_bonds
from enpda_bench.datasets import BenchPair
from enpda_bench.outcomes import asked, image_of
from enpda_bench.scope import Scope
from oracles import brute_force, counted
from strategies import graphs

BOUNDS = ("prices", "certificates", "lifted", "cactus", "aromatic")


def values(label):
    return {(c.row, c.column): c.value for c in paper.table(label)}


@pytest.mark.parametrize("name", BOUNDS)
def test_a_study_fills_or_explains_every_cell_of_the_paper(name, done):
    it, records, cells = done(name)
    scope = it.scope
    for shape in it.shapes:
        assert {(c.table, c.row, c.column) for c in paper.table(shape.label)} <= set(cells)
    for r in records:
        pair = scope.pairs(r.trial.set)[r.trial.pair]
        if r.outcome.image is not None:
            assert counted(pair, r.outcome.image) == r.outcome.size
        if r.outcome.upper is not None:
            assert r.outcome.upper >= pair.size
    for svg in it.figures(records).values():
        assert "<svg" in svg


def test_drugs_stand_in_where_there_is_no_data(done_bare):
    for name in BOUNDS:
        _, records, cells = done_bare(name)
        assert {r.trial.set for r in records} == {"drugs"}
        assert any(c.value is not None for c in cells.values())


def test_every_certificate_verifies_and_stronger_bounds_close_more(done):
    _, _, cells = done("certificates")
    for row in ("Price", "Combined", "RLT-1", "Exact"):
        written, verified = (cells["certificate-checks", row, c].value for c in ("Written", "Verified"))
        assert written == verified == 3
    gaps = [cells["price-certificate-detail", "All", f"{c} gap"].value for c in ("Price", "Combined", "RLT-1", "Exact")]
    assert gaps == sorted(gaps, reverse=True)
    assert cells["price-certificate-detail", "All", "Exact closed"].value == 3


def test_programs_that_are_not_here_are_named():
    scope = Scope("smoke")
    pair = BenchPair(Graph([0], []), Graph([0], []), 0, 0)
    assert "nobody" in asked(scope, "nobody", pair, 1.0).status


@pytest.mark.slow
@given(graphs(6, 2, 2), graphs(6, 2, 2), st.sampled_from(["zero", "analytic", "full"]))
def test_repaired_prices_bound_every_mapping_and_their_certificate_verifies(a, b, arm):
    optimum = brute_force(a, b)[0]
    pair = BenchPair(a, b, optimum, optimum)
    prices = prices_of(pair, arm, 0)
    value, row, column = price_bound(pair, prices)
    assert value >= optimum
    assert price_bound(pair, prices, best_scale=True)[0] <= value + 1e-6
    found = enpda.match(a, b, "analytic")
    report = enpda.verify(price_certificate(found, value, row, column))
    assert report.ok
    assert (report.size, report.upper) == (found.size, int(value))


def test_a_price_certificate_with_too_small_potentials_is_refused():
    a, b = Graph.from_smiles("CCO"), Graph.from_smiles("CCOC")
    pair = BenchPair(a, b, 2, 2)
    value, row, column = price_bound(pair, prices_of(pair, "zero", 0))
    found = enpda.match(a, b)
    assert enpda.verify(price_certificate(found, value, row, column)).ok
    assert not enpda.verify(price_certificate(found, value, [0] * len(row), column)).ok


def test_gaps_are_of_the_bound_and_close_below_one_edge():
    assert gap(20.0, 15) == pytest.approx(25.0)
    assert gap(0.0, 0) == 0
    assert closed(15.9, 15)
    assert not closed(16.0, 15)


def test_a_ring_that_is_not_whole_leaves_only_its_other_bonds():
    benzene, pyridine = Graph.from_smiles("c1ccccc1CC"), Graph.from_smiles("c1ccncc1CC")
    pair = BenchPair(benzene, pyridine, 6, 6)
    free = image_of(enpda.match(benzene, pyridine))
    assert len(_core.preserved_edges(benzene.core, pyridine.core, free)) == 6
    assert len(kept_bonds(pair, free)) <= 2
    same = BenchPair(benzene, benzene, 8, 8)
    assert len(kept_bonds(same, np.arange(8, dtype=np.int32))) == 8
    kept, svg = len(kept_bonds(pair, free)), case(pair, {"ours": free})
    removed_drawn, kept_drawn = svg.count("#FF9933"), svg.count("#009999")
    assert removed_drawn > 0
    assert removed_drawn * kept == kept_drawn * (6 - kept)  # every bond is drawn alike


def test_rascal_says_which_mapping_its_bonds_come_from():
    a, b = Graph.from_smiles("CCc1ccccc1C(=O)O"), Graph.from_smiles("OC(=O)c1ccccc1N")
    for run in (rascal_molecules.run, rascal_molecules.filtered):
        answer = run(a, b, 5.0)
        assert answer.proven
        assert answer.size == len(kept_bonds(BenchPair(a, b, 0, 99), answer.image)) == 9


def test_sums_and_differences_of_the_transcribed_tables_agree():
    lifted = values("long-certificate-enpda")
    sets = ("AIDS", "MOLHIV", "MCF-7")
    for budget in (10, 300, 1800):
        for column in ("Pairs", "Closed"):
            assert lifted[f"{budget} s, All", column] == sum(lifted[f"{budget} s, {name}", column] for name in sets)
        mean = np.mean([lifted[f"{budget} s, {name}", "Mean gap"] for name in sets])
        assert lifted[f"{budget} s, All", "Mean gap"] == pytest.approx(mean, abs=0.011)
    detail, contrasts = values("price-source-ablation-detail"), values("price-source-contrasts")
    for name in sets:
        for other in ("Analytic", "Zero"):
            change = detail[f"{name}, Neural", "Mean gap"] - detail[f"{name}, {other}", "Mean gap"]
            assert contrasts[name, f"Neural - {other.lower()}"] == pytest.approx(change, abs=0.011)
    certificates = values("price-certificate-detail")
    for column in ("Pairs", "Price closed", "Combined closed"):
        assert certificates["All", column] == sum(certificates[name, column] for name in sets)
    rings = values("aromatic-cycle-details")
    for name in sets:
        for row, other in (("RASCAL (off)", "RASCAL, internal filter off"), ("NGA", "NGA, one fit")):
            change = rings["ENPDA-Solver", f"{name} bonds"] - rings[other, f"{name} bonds"]
            assert rings[f"ENPDA minus {row}", f"{name} bonds"] == pytest.approx(change, abs=0.006)
    wins = values("aromatic-wins")
    for row in ("ENPDA against RASCAL (off)", "ENPDA against NGA"):
        assert sum(wins[row, column] for column in ("Wins", "Ties", "Losses")) == 291
    cost = values("amortized-cost")
    rows = ("Reference pretraining", "Teacher generation", "Student optimization", "Setup overhead")
    for seed in range(3):
        assert cost["Complete startup", f"Seed {seed} s"] == pytest.approx(
            sum(cost[row, f"Seed {seed} s"] for row in rows), abs=0.02
        )
    for label, name in (
        ("enpda-nonmolecular-ood", "IMDB-BINARY"),
        ("enpda-protein-ood", "PROTEINS"),
        ("enpda-protein-ood", "ENZYMES"),
    ):
        one = values(label)
        assert one[name, "Difference"] == pytest.approx(one[name, "ENPDA"] - one[name, "Analytic"], abs=0.011)
        assert one[name, "ENPDA"] == values("planted-transfer-main")[name, "ENPDA"]
