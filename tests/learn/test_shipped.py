"""Weights that ship: what their card says, how methods and devices use them, and what they were not trained on."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import enpda
from enpda import _core
from enpda.data import drug_pairs
from enpda.gpu.batch import collate
from enpda.learn import pipeline, split
from enpda.solve import policy as policies
from enpda_bench import datasets
from networks import PAIRS, trained

pytestmark = pytest.mark.usefixtures("one_thread")


def test_shipped_weights_load_and_carry_a_card():
    digests = {version: pipeline.digest(manifest) for version, manifest in split.shipped().items()}
    for seed in range(3):
        for kind in ("full", "no-price", "sinkhorn", "plus"):
            path = policies.shipped(f"{kind}-{seed}")
            card = policies.card(path)
            assert (card["arm"], card["seed"]) == ("full" if kind == "plus" else kind, seed)
            assert card["split"]["sha256"] == digests[card["split"]["version"]]
            scores = [entry["score"] for entry in card["history"] if entry["score"] is not None]
            assert card["validation_score"] == max(scores)
            if kind != "sinkhorn":
                policies.load(path)


@pytest.mark.parametrize("kind", ["full", "no-price", "sinkhorn"])
def test_the_papers_weights_were_trained_as_the_paper_says(kind):
    for seed in range(3):
        card = policies.card(policies.shipped(f"{kind}-{seed}"))
        assert (card["recipe"], card["teacher"], card["bound"]) == ("paper", "paper", 0.0)
        assert card["optimiser"]["memory"] == 0.0
        assert card["pairs"] == {"training": 1_343, "validation": 172}
        assert [entry["epoch"] for entry in card["history"] if entry["score"] is not None] == [0, 2, 4, 6, 8, 10, 12]
        assert card["split"]["version"] == split.VERSION


def test_bad_weights_are_refused(tmp_path):
    wrong = tmp_path / "wrong.safetensors"
    save_file({"x": torch.zeros(2)}, wrong)
    for bad in (tmp_path / "none", "nosuch", tmp_path, wrong, Path(__file__), policies.shipped("sinkhorn-0")):
        with pytest.raises(enpda.InputError):
            enpda.match("CCO", "CCN", "core", policy=bad)
    with pytest.raises(enpda.InputError, match="policy must be"):
        enpda.match("CCO", "CCN", "core", policy=3)
    with pytest.raises(enpda.InputError, match="without a policy"):
        enpda.match("CCO", "CCN", "analytic", policy="default")


@pytest.mark.parametrize("method", ["core", "fast", "solver", "auto", "paper-fast"])
def test_every_method_takes_a_policy(method):
    a, b = drug_pairs()[3]
    found = enpda.match(a, b, method, policy="paper", time_limit=5)
    again = enpda.match(b, a, method, policy="paper", time_limit=5)
    assert found.size == again.size <= found.upper


def test_many_pairs_are_matched_alike_by_threads_and_by_a_device():
    pairs = drug_pairs()[:12]
    single = [enpda.match(a, b, "core", policy="paper") for a, b in pairs]
    for where in ({"threads": 2, "policy": "paper"}, {"device": "cpu", "policy": "paper"}):
        found = enpda.match_many(pairs, "core", **where)
        assert [m.size for m in found] == [m.size for m in single]
        assert [m.bounds for m in found] == [m.bounds for m in single]
        assert all(np.allclose(m.prices, s.prices, atol=1e-4) for m, s in zip(found, single, strict=True))
    assert enpda.match_many([], "core", device="cpu") == []
    with pytest.raises(enpda.InputError, match="core and analytic"):
        enpda.match_many(pairs, "fast", device="cpu")
    with pytest.raises(enpda.InputError, match="pair 1"):
        enpda.match_many([pairs[0], ("C",)])
    with pytest.raises(enpda.InputError, match="device"):
        enpda.match_many(pairs, "core", device="abacus")


FUSED = """
import torch
from test_learn import PAIRS, collate, trained
network, batch = trained(), collate(PAIRS)
layout = batch.layout
generator = torch.Generator().manual_seed(0)
with torch.no_grad():
    for part, inputs in ((network.initial, 6), (network.dynamic, 11)):
        x = torch.randn(len(batch.features), inputs, generator=generator)
        plain, fused = part.encoder(batch, x), layout.encode(part.encoder, x)
        print(float((plain - fused).abs().max()))
"""


@pytest.mark.slow
def test_the_kernels_for_gpus_compute_what_the_layers_compute():
    """Interpreted, without a GPU; where there is one, the next test runs them compiled."""
    done = subprocess.run(
        [sys.executable, "-c", FUSED],
        cwd=Path(__file__).parent,
        env=os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    differences = [float(line) for line in done.stdout.split()]
    assert len(differences) == 2
    assert max(differences) < 2e-5


def test_the_best_device_agrees_with_the_core_and_with_itself():
    """A GPU where PyTorch sees one, else the CPU."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = trained().to(device)
    with torch.no_grad():
        found = [network(collate(PAIRS, device), 4)[-1].bids.cpu() for _ in range(2)]
    assert torch.equal(*found)
    policy = policies.load("paper")
    for p, cells in zip(PAIRS, collate(PAIRS).cell_slices(), strict=True):
        state = _core.run_rounds(p.a.core, p.b.core, 4, policy=policy)
        np.testing.assert_allclose(found[0][cells].numpy(), state.bids.ravel(), atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("version", split.shipped())
def test_no_test_graph_is_in_a_shipped_split(data, version):
    manifest = split.shipped()[version]
    tests = [g for pairs in datasets.test_pairs(data).values() for p in pairs for g in (p.a, p.b)]
    known, classes = split.Identities(), {"train": set(), "validation": set()}
    forbidden = {known.of(g) for g in tests}
    by_hash = {}
    for g in tests:
        by_hash.setdefault(g.invariant_hash, []).append(g)
    pairs = 0
    # The first weights were trained on the labels of the TU files.
    kekule = version == "enpda-split-3"
    files = {name: f"{name}_kekule" if kekule and name != "molhiv" else name for name in datasets.DATASETS}
    for part, listed in (*manifest["pairs"].items(), *manifest.get("small", {}).items()):
        name, purpose = part.split("_")
        graphs = dict(datasets.graphs_of(data, files[name], {k for pair in listed["indices"] for k in pair}))
        assert sorted({g.digest for g in graphs.values()}) == listed["digests"]
        pairs += len(listed["indices"])
        for g in graphs.values():
            assert not any(g.same_as(other) for other in by_hash.get(g.invariant_hash, ()))
            classes[purpose].add(known.of(g))
    for part, recipes in manifest["relatives"].items():
        name, purpose = part.split("_")
        pairs += len(recipes)
        graphs = dict(datasets.graphs_of(data, files[name], {index for index, _, _ in recipes}))
        classes[purpose] |= {known.of(g) for g in graphs.values()}
        for index, distance, _ in recipes:
            relative = split.power(graphs[index], distance)
            assert not any(relative.same_as(other) for other in by_hash.get(relative.invariant_hash, ()))
    assert pairs == 2_540 + 340 + 635 + 85 + (0 if kekule else 635 + 85)
    assert pairs == sum(
        split.pair_count(manifest, name, purpose) for name in datasets.DATASETS for purpose in split.PURPOSES
    )
    assert not forbidden & (classes["train"] | classes["validation"])
    assert not classes["train"] & classes["validation"]


@pytest.mark.slow
def test_the_newest_split_is_what_the_data_gives(data):
    manifest = split.shipped()[split.VERSION]
    assert split.draw(data, manifest["seed"]).manifest == manifest
