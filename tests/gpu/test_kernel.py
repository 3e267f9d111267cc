"""The GPU's kernel, whose text the compiled core runs as well: against the core's own bounds and decoder."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

import enpda
from enpda import Graph, _core
from enpda.data import drug_pairs
from enpda.gpu import kernel
from enpda.gpu.batch import orient
from enpda.solve.policy import load, locate
from oracles import brute_force
from strategies import random_graph

WEIGHTS = kernel.weights_of(locate("default"))
CARD = {"card": '{"format": "enpda-shares-1"}'}


def bounded(graph, degree=4):
    """The same graph without the edges that would give a node more than so many."""
    count, kept = np.zeros(len(graph), dtype=int), []
    for k, (u, v) in enumerate(graph.edges.tolist()):
        if max(count[u], count[v]) < degree:
            count[[u, v]] += 1
            kept.append(k)
    return Graph(graph.labels, graph.edges[kept], graph.edge_labels[kept])


def small_pairs(rng, count, most=7):
    sizes = rng.integers(0, most + 1, (count, 2))
    return [orient(*(bounded(random_graph(rng, int(n), 0.5, 2, 2)) for n in pair)) for pair in sizes]


def test_without_steps_bound_and_mapping_are_those_of_the_even_split():
    pairs = [orient(a, b) for a, b in drug_pairs()]
    options = _core.RltOptions()
    options.first_sweeps = 0
    for p, found in zip(pairs, kernel.run(pairs, WEIGHTS, 0, "cpu", 2), strict=True):
        assert found.bound == _core.prove(p.a.core, p.b.core, -1, options, 0, _core.BranchOptions(), 0, -1.0).bound


def test_one_step_moves_shares_as_the_core_does_where_the_assignment_is_unique():
    """Equal potentials and choices give equal moves; other choices may have been made where several are optimal."""
    pairs = [orient(a, b) for a, b in drug_pairs()]
    net = load("default")
    options = _core.RltOptions()
    options.first_sweeps, options.network, options.learned_steps = 0, net, 1
    near = 0
    for p, found in zip(pairs, kernel.run(pairs, WEIGHTS, 1, "cpu", 2), strict=True):
        theirs = _core.prove(p.a.core, p.b.core, -1, options, 0, _core.BranchOptions(), 0, -1.0).bound
        near += abs(found.bound - theirs) < 0.005 * kernel.UNIT
    assert near > 0.6 * len(pairs)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), shake=st.sampled_from([0.0, 1.0, 30.0]), steps=st.integers(0, 6))
def test_whatever_the_weights_bounds_hold_and_verify(seed, shake, steps):
    rng = np.random.default_rng(seed)
    pairs = small_pairs(rng, 4)
    weights = WEIGHTS + shake * torch.from_numpy(rng.standard_normal(len(WEIGHTS))).float()
    image, _ = _core.strip_many(
        [(p.a.core, p.b.core) for p in pairs],
        np.concatenate([o.image for o in kernel.run(pairs, weights, steps, "cpu")]),
    )
    at = 0
    for p, found in zip(pairs, kernel.run(pairs, weights, steps, "cpu"), strict=True):
        mine, at = image[at : at + len(p.a)], at + len(p.a)
        size = _core.check(p.a.core, p.b.core, mine)[0]
        best = brute_force(p.a, p.b)[0]
        assert size <= best <= found.bound // kernel.UNIT
        assert found.bound == found.row.sum() + found.column.sum()


def test_growth_is_the_cores_growth():
    """With all scores equal only counts and numbers decide, for both."""
    flat = WEIGHTS.clone()
    flat[-17:] = 0  # the head that scores
    pairs = [orient(a, b) for a, b in drug_pairs()]
    cores = [(p.a.core, p.b.core) for p in pairs]
    found = np.concatenate([o.image for o in kernel.run(pairs, flat, 1, "cpu")])
    zeros = np.zeros(sum(len(p.a) * len(p.b) for p in pairs), dtype=np.float32)
    alone = np.zeros(sum(len(p.a) for p in pairs), dtype=np.float32)
    expected = _core.decode(cores, zeros, alone, _core.Decoder.growth)[0]
    np.testing.assert_array_equal(_core.strip_many(cores, found)[0], expected)


@pytest.mark.slow
def test_many_pairs_on_a_device_come_with_certificates():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pairs = drug_pairs()
    pairs = [*pairs[:20], *((b, a) for a, b in pairs[20:40]), ("FS(F)(F)(F)(F)F", "CS(F)(F)(F)(F)F"), ("C", "O")]
    found = enpda.match_many(pairs, "core", device=device, threads=2)
    single = [enpda.match(a, b, "core") for a, b in pairs]
    assert all(enpda.verify(m.certificate).ok for m in found)
    assert sum(m.size for m in found) > 0.97 * sum(m.size for m in single)
    assert sum(m.bounds["rlt"] for m in found) < 1.03 * sum(m.bounds["rlt"] for m in single)
    assert [m.size for m in found[-2:]] == [m.size for m in single[-2:]]  # six bonds a node: left to the core
    with pytest.raises(enpda.InputError, match="decodes by growth"):
        enpda.match_many(pairs, "core", device=device, decoder="hungarian")


def test_networks_of_another_shape_are_refused(tmp_path):
    path = tmp_path / "more.safetensors"
    save_file({**load_file(locate("default")), "own.1.weight": torch.zeros(16, 16)}, path, CARD)
    with pytest.raises(enpda.InputError, match="one layer a step"):
        kernel.weights_of(path)
    with pytest.raises(enpda.InputError, match="has 3 numbers"):
        list(kernel.run([orient(*drug_pairs()[0])], torch.zeros(3), 1, "cpu"))


def test_the_kernels_text_is_whole():
    text = kernel.source()
    assert "#include" not in text
    assert text.count("namespace shares {") == text.count("}  // namespace shares") == 6
    for entry in ("measure(", "share_out("):
        assert text.count(entry) == 1
