"""What a run claims is counted again from raw graphs, and its intervals are those of the definition."""

import shutil
from dataclasses import replace
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from enpda import Graph
from enpda.cli import main
from enpda_bench import journal
from enpda_bench.audit import faults
from enpda_bench.bootstrap import SEED, blocks, interval
from enpda_bench.datasets import BenchPair
from enpda_bench.raw import RawGraph, RawPair, raw_pairs, tu_graphs
from enpda_bench.scope import Scope
from enpda_bench.study import Outcome, Record, Trial
from strategies import graphs

REPOSITORY = Path(__file__).parents[2]
COMMITTED = REPOSITORY / "benchmarks" / "paper"


# Intervals


def slow_interval(difference, groups, draws):
    rng = np.random.default_rng(SEED)
    means = []
    for _ in range(draws):
        chosen = rng.integers(0, len(groups), len(groups))
        which = rng.integers(0, len(difference), len(difference))
        values = [difference[seed][pair] for seed in which for group in chosen for pair in groups[group]]
        means.append(sum(values) / len(values))
    return tuple(np.percentile(means, [2.5, 97.5]))


@pytest.mark.parametrize(("seeds", "sizes"), [(3, [1] * 9), (1, [4, 1, 1, 2]), (2, [5]), (4, [1, 2, 3] * 11)])
def test_intervals_are_those_of_a_plain_loop_with_the_same_draws(seeds, sizes):
    order = np.random.default_rng(len(sizes)).permutation(sum(sizes))
    groups = [part.tolist() for part in np.split(order, np.cumsum(sizes)[:-1])]
    difference = np.random.default_rng(seeds).normal(1, 3, (seeds, len(order)))
    assert interval(difference, groups, 700) == pytest.approx(slow_interval(difference, groups, 700), rel=1e-12)


def test_memory_limits_do_not_change_an_interval(monkeypatch):
    difference, groups = np.random.default_rng(1).normal(0, 1, (3, 40)), [[k, k + 20] for k in range(20)]
    whole = interval(difference, groups)
    monkeypatch.setattr("enpda_bench.bootstrap.MOST", 7 * 60)
    assert interval(difference, groups) == whole


@pytest.mark.slow
def test_intervals_cover_the_truth_about_as_often_as_they_say_and_only_when_groups_stay_together():
    rng = np.random.default_rng(7)
    groups = [list(range(4 * k, 4 * k + 4)) for k in range(30)]
    alone = [[k] for k in range(120)]
    hits = {"together": 0, "alone": 0}
    for _ in range(300):
        values = (rng.normal(0, 1, 30).repeat(4) + rng.normal(0, 0.1, 120))[None]
        for name, some in (("together", groups), ("alone", alone)):
            low, high = interval(values, some, 1_000)
            hits[name] += low <= 0 <= high
    assert 0.90 <= hits["together"] / 300 <= 0.98
    assert hits["alone"] / 300 < 0.8


def as_networkx(graph):
    out = networkx.Graph()
    out.add_nodes_from((k, {"label": label}) for k, label in enumerate(graph.labels.tolist()))
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        out.add_edge(u, v, label=label)
    return out


@pytest.mark.slow
@given(st.data())
def test_blocks_are_the_components_of_pairs_joined_by_isomorphic_graphs(data):
    few = data.draw(st.lists(graphs(max_nodes=4), min_size=2, max_size=5))
    pool = [few[k] for k in data.draw(st.lists(st.integers(0, len(few) - 1), min_size=4, max_size=12))]
    moved = []
    for graph in pool:
        order = np.array(data.draw(st.permutations(range(len(graph)))), dtype=np.int64)
        labels = np.empty(len(graph), dtype=np.int64)
        labels[order] = graph.labels
        moved.append(Graph(labels, order[graph.edges], graph.edge_labels))
    pairs = [BenchPair(a, b, 0, 0) for a, b in zip(moved[::2], moved[1::2], strict=False)]
    joined = networkx.Graph()
    joined.add_nodes_from(range(len(pairs)))
    same = {"node_match": lambda x, y: x == y, "edge_match": lambda x, y: x == y}
    for i, one in enumerate(pairs):
        for j, other in enumerate(pairs[:i]):
            ends = [(as_networkx(x), as_networkx(y)) for x in (one.a, one.b) for y in (other.a, other.b)]
            if any(networkx.is_isomorphic(x, y, **same) for x, y in ends):
                joined.add_edge(i, j)
    expected = {frozenset(part) for part in networkx.connected_components(joined)}
    assert {frozenset(block) for block in blocks(pairs)} == expected


# The audit


def plain(graph):
    edges = {(min(e), max(e)): x for e, x in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True)}
    return RawGraph(graph.labels.tolist(), edges)


def found(image, size, **more):
    return Record(Trial("arm", "set", 0), Outcome(image=np.array(image, dtype=np.int32), size=size, **more))


@given(graphs(), graphs())
def test_the_audit_agrees_with_what_the_matcher_says(a, b):
    match = enpda.match(a, b)
    image = [match.mapping.get(node, -1) for node in range(len(a))]
    pair = RawPair(plain(a), plain(b), match.size, match.upper)
    record = found(image, match.size, nodes=len(match.mapping), upper=match.upper, proven=match.optimal)
    assert list(faults(record, pair)) == []
    assert list(faults(found(image, match.size + 1), pair)) != []


PATH = RawPair(RawGraph([6, 6, 8], {(0, 1): 1, (1, 2): 2}), RawGraph([8, 6, 6], {(0, 1): 2, (1, 2): 1}), 2, 2)


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (found([2, 1, 0], 2, nodes=3, upper=2, proven=True), None),
        (found([2, 1, -1], 1, upper=2), None),
        (found([2, 1, 0], 1), "keeps 2 edges; the record says 1"),
        (found([2, 1, 0], 2, nodes=2), "have 3 ends; the record says 2"),
        (found([1, 1, 0], 1), "two nodes have the same image"),
        (found([0, 1, 2], 0), "node 0 with label 6 maps to 0 with label 8"),
        (found([2, 1], 1), "2 entries for 3 nodes"),
        (found([2, 1, 3], 1), "leaves the 3 nodes"),
        (found([2, 1, -2], 1), "leaves the 3 nodes"),
        (found([2, 1, -1], 1, upper=2, proven=True), "called proven with size 1 and upper bound 2"),
        (found([2, 1, 0], 2, upper=1), "above its own upper bound 1"),
        (found([-1, -1, -1], 0, upper=1), "upper bound 1 is below 2, which is known to be possible"),
        (Record(Trial("arm", "set", 0), Outcome(size=3)), "size 3 is above 2, which is proven to be the most"),
    ],
)
def test_the_audit_names_what_is_wrong(record, fault):
    said = list(faults(record, PATH))
    assert said == [] if fault is None else any(fault in one for one in said), said


@pytest.mark.slow
def test_raw_pairs_are_the_graphs_that_the_package_reads(data):
    scope = Scope("smoke", data)
    for name in ("aids", "molhiv", "mcf7", "planted ENZYMES"):
        raw, ours = raw_pairs(scope, name), scope.pairs(name)
        assert [(plain(p.a), plain(p.b), p.size, p.upper) for p in ours] == [(p.a, p.b, p.size, p.upper) for p in raw]
    read = list(enpda.read(data / "tu" / "ENZYMES.zip"))
    assert tu_graphs(data / "tu" / "ENZYMES.zip", [0, 7, 599]) == {k: plain(read[k]) for k in (0, 7, 599)}


@pytest.mark.slow
def test_a_forged_record_fails_the_audit_and_is_named(smoke_run, data, tmp_path, capsys):
    copy = tmp_path / "copy"
    shutil.copytree(smoke_run, copy)
    records = journal.read(copy, "causality")
    (copy / "causality.parquet").unlink()
    with journal.Journal(copy, "causality") as forged:
        for k, r in enumerate(records):
            forged.add(r.trial, replace(r.outcome, size=r.outcome.size + 1) if k == 5 else r.outcome)
        forged.seal()
    assert main(["bench", "audit", str(copy), "--data", str(data)]) == 1
    err = capsys.readouterr().err
    assert str(records[5].trial) in err
    assert err.count("\n") == 1
    assert main(["bench", "report", str(copy), "--data", str(data)]) == 1
    assert str(records[5].trial) in capsys.readouterr().err
