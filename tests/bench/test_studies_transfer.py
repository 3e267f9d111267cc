"""Studies on other graphs: which pairs, statistics without optima, and what the records say."""

import itertools
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
from enpda import Graph, InputError
from enpda.errors import InputWarning
from enpda_bench import manifest, paper
from enpda_bench.bootstrap import DRAWS, SEED, interval
from enpda_bench.memory import peak
from enpda_bench.natural import DD_BINS, IMDB_BINS, degree_cap, densest
from enpda_bench.ranges import accuracy_range, effects, safe_interval
from enpda_bench.scope import PAIR_SETS, Scope
from oracles import brute_force, counted
from strategies import graphs

TRANSFER = ("planted", "imdb", "dd", "identity", "cost")


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSFER)
def test_a_study_fills_or_explains_every_cell_of_the_paper(name, done):
    it, records, cells = done(name)
    scope = it.scope
    for shape in it.shapes:
        assert {(c.table, c.row, c.column) for c in paper.table(shape.label)} <= set(cells)
    with_image = [r for r in records if r.outcome.image is not None]
    for r in with_image:
        assert counted(scope.pairs(r.trial.set)[r.trial.pair], r.outcome.image) == r.outcome.size
    assert with_image or name == "identity"


@pytest.mark.parametrize("name", TRANSFER)
def test_without_a_data_folder_a_study_says_so(name, done_bare):
    _, _, cells = done_bare(name)
    notes = {c.note for c in cells.values() if c.value is None}
    if name in ("planted", "imdb", "dd"):
        assert notes == {"needs the data folder"}
    else:
        assert any(c.value is not None for c in cells.values())


def test_learned_rounds_transfer_to_proteins(done):
    _, records, cells = done("planted")
    assert {r.trial.arm for r in records} == {*("analytic", "full", "plus", "analytic, growth", "full, growth", "auto")}
    for name in ("PROTEINS", "ENZYMES"):
        learned, analytic = (cells["planted-transfer-main", name, c].value for c in ("ENPDA", "Analytic"))
        gain = cells["enpda-protein-ood", name, "Difference"]
        assert gain.value == pytest.approx(learned - analytic)
        assert 5 < gain.value < 30
        assert gain.low <= gain.value <= gain.high


def test_nothing_of_the_test_pairs_was_trained_on(done):
    _, _, cells = done("identity")
    for name, pairs in {"AIDS": (19, 11), "MOLHIV": (628, 76), "MCF-7": (696, 85)}.items():  # as in the paper
        assert tuple(cells["native-identity-audit", name, c].value for c in ("Train", "Validation")) == pairs
        assert cells["native-identity-audit", name, "Train, all weights"].value > 2 * pairs[0]
        for column in ("Train with test", "Validation with test", "Train with validation"):
            assert cells["native-identity-audit", name, column].value == 0


def test_startup_is_the_sum_of_its_stages(done_bare):
    _, _, cells = done_bare("cost")
    stages = ("Reference pretraining", "Teacher generation", "Student optimization", "Setup overhead")
    for seed in range(3):
        total = sum(cells["amortized-cost", stage, f"Seed {seed} s"].value for stage in stages)
        assert cells["amortized-cost", "Complete startup", f"Seed {seed} s"].value == pytest.approx(total)
    assert cells["break-even", "Core seconds a query", "Mean"].value > 0


@pytest.mark.slow
def test_natural_pairs_keep_to_their_bins_and_use_no_graph_twice(data):
    scope = Scope("smoke", data)
    for name, bins, per_bin in (("imdb", IMDB_BINS, 50), ("dd", DD_BINS, 5)):
        pairs = scope.pairs(name)
        assert len(pairs) == per_bin * len(bins)
        for k, p in enumerate(pairs):
            low, high = list(bins.values() if isinstance(bins, dict) else bins)[k // per_bin]
            assert all(low <= len(g) < high for g in (p.a, p.b))
        used = [k for p in pairs for k in p.indices]
        assert len(set(used)) == len(used)
    assert all(len(p.a) <= len(p.b) for p in scope.pairs("dd"))


@given(graphs(6, 1, 1), graphs(6, 1, 1))
def test_degrees_bound_every_mapping(a, b):
    assert degree_cap(a, b) >= brute_force(a, b)[0]


@given(graphs(7, 1, 1), st.integers(0, 5))
def test_the_densest_part_is_the_optimum_against_a_complete_graph(graph, count):
    whole = Graph([0] * count, itertools.combinations(range(count), 2))
    assert densest(whole, graph) == brute_force(whole, graph)[0]


def test_the_densest_part_is_not_asked_where_it_would_not_answer():
    labelled = Graph([0, 1, 0], [(0, 1), (1, 2), (0, 2)])
    path = Graph([0] * 4, [(0, 1), (1, 2), (2, 3)])
    assert densest(labelled, path) is None
    assert densest(path, path) is None


sizes = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9), st.integers(0, 9)), min_size=2)


@settings(max_examples=20)
@given(sizes, st.floats(0, 1))
def test_ranges_hold_wherever_the_optima_lie(rows, at):
    one, other, lower, more = (np.array(column, float) for column in zip(*rows, strict=True))
    upper = lower + more
    truth = lower + at * (upper - lower)
    least, most = accuracy_range(one[None], lower, upper)
    assert least - 1e-9 <= (100 * one / truth).mean() <= most + 1e-9
    low, high = effects(one[None], other[None], lower, upper)
    assert (low[0] - 1e-9 <= 100 * (one - other) / truth).all()
    assert (100 * (one - other) / truth <= high[0] + 1e-9).all()
    groups = [[k] for k in range(len(rows))]
    begin, end = safe_interval(low, high, groups)
    inner = interval((100 * (one - other) / truth)[None], groups)
    assert begin - 1e-9 <= inner[0] <= inner[1] <= end + 1e-9


def test_the_interval_draws_groups_and_seeds_as_its_definition_says():
    rng = np.random.default_rng(3)
    values, groups = rng.normal(size=(3, 7)), [[0, 4], [1], [2, 3, 5], [6]]
    draws, means = np.random.default_rng(SEED), []
    for _ in range(DRAWS):
        chosen = [k for g in draws.integers(0, 4, 4) for k in groups[g]]
        means.append(values[draws.integers(0, 3, 3)][:, chosen].mean())
    assert interval(values, groups) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))


def test_the_peak_is_that_of_the_work_alone():
    taken, most = peak(lambda: int(np.ones(8_000_000).sum()))
    assert taken == 8_000_000
    if most is not None:
        assert 50e6 < most < 200e6
        _, again = peak(lambda: int(np.ones(1_000_000).sum()))
        assert again < 30e6


@pytest.mark.slow
def test_a_manifest_names_the_graphs_of_every_set(data):
    found = manifest.manifest(data)
    assert set(found["sets"]) == set(PAIR_SETS)
    assert found["files"] == manifest.KNOWN == manifest.digests(data)
    scope = Scope("smoke", data)
    listed = found["sets"]["imdb"]
    graphs = list(enpda.read(data / listed["file"]))
    assert [[graphs[i], graphs[j]] for i, j in listed["pairs"]] == [[p.a, p.b] for p in scope.pairs("imdb")]


def packed(path, text, compression=zipfile.ZIP_STORED):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("X/X_graph_indicator.txt", "1\n1\n")
        archive.writestr("X/README.txt", str(compression))
        archive.writestr("X/X_A.txt", text)
    return path


def test_a_digest_is_that_of_the_graphs_and_not_of_their_packing(tmp_path):
    one = manifest.digest(packed(tmp_path / "1.zip", "1, 2\n2, 1\n"))
    assert one == manifest.digest(packed(tmp_path / "2.zip", "1, 2\n2, 1\n", zipfile.ZIP_DEFLATED))
    assert one != manifest.digest(packed(tmp_path / "3.zip", "2, 1\n1, 2\n"))


def test_a_file_that_is_another_one_is_named_with_where_to_get_it(tmp_path):
    with pytest.raises(InputError, match=r"no file tu/DD.zip; docs/data.md says where"):
        manifest.check(tmp_path, ["tu/DD.zip"])
    packed(tmp_path / "tu" / "DD.zip", "1, 2\n2, 1\n")
    with pytest.warns(InputWarning, match=r"DD.zip is not the file .* docs/data.md"):
        manifest.check(tmp_path, ["tu/DD.zip"])


def test_our_own_files_pass_without_a_warning(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        manifest.check(data, list(manifest.KNOWN))
