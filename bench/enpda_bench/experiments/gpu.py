"""Batches on a GPU: the default policy by its kernel, the paper's rounds, and one large pair."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

import numpy as np

import enpda
from enpda import _core
from enpda.errors import InputError
from enpda.solve.policy import locate, shipped
from enpda.view.table import Table
from enpda_bench import Settings, datasets
from enpda_bench.datasets import BenchPair
from enpda_bench.experiments.large import SIZES, planted

STEPS = (0, 6, 8, 12)
REPEATED = 20
"""Times that the test pairs stand in one batch of the kernel: a GPU wants thousands."""


def gpu(settings: Settings) -> list[Table]:
    """Measure batches on a GPU, and what the processor adds to them."""
    import torch

    if not torch.cuda.is_available():
        raise InputError("the section gpu needs a GPU that PyTorch sees")
    # Sets that are read without RDKit, which a machine with a GPU may lack.
    sets = datasets.fixed_pairs(settings.data, datasets.KEKULE) if settings.data else datasets.pair_sets(settings)
    pairs = [p for some in sets.values() for p in some]
    where = f"{' and '.join(sets)}, {torch.cuda.get_device_name()}, {os.cpu_count()} cores"
    return [_kernel(pairs, where, settings), _rounds(pairs, where, settings), _large()]


def _timed(work: Callable[[], object], repeat: int) -> float:
    """Seconds of some work, after a first time that does not count."""
    import torch

    work()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(repeat):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / repeat


def _kernel(pairs: Sequence[BenchPair], where: str, settings: Settings) -> Table:
    """Time the kernel alone and with everything around it, and say what its bounds and mappings are worth."""
    from enpda.gpu import kernel
    from enpda.gpu.batch import orient

    threads = os.cpu_count() or 1
    taken = [p for p in pairs if kernel.fits(orient(p.a, p.b))]
    once = [orient(p.a, p.b) for p in taken]
    many = once * (REPEATED if settings.count is None else 1)
    weights = kernel.weights_of(locate("default"))
    table = Table(
        f"the default policy's kernel, {len(many)} pairs at once: {where}",
        ["what", "pairs per second", "ms per 1,000 pairs", f"closed of {len(taken)}", "mean gap", "% of the optimum"],
    )
    packed = kernel.pack(many)
    loaded = kernel.Loaded(packed, "cuda")
    cores = [(p.a.core, p.b.core) for p in once]
    for steps in STEPS:
        each = _timed(lambda steps=steps: loaded.launch(weights, steps), 5) / len(many)  # type: ignore[misc]
        found = list(kernel.run(once, weights, steps, "cuda"))
        image, _ = _core.strip_many(cores, np.concatenate([x.image for x in found]), threads)
        ends = np.cumsum([len(p.a) for p in once])[:-1]
        sizes = [_core.check(*core, mine)[0] for core, mine in zip(cores, np.split(image, ends), strict=True)]
        gaps = np.array([x.bound // kernel.UNIT - p.size for x, p in zip(found, taken, strict=True)])
        if gaps.min() < 0:
            raise RuntimeError("a bound of the kernel is below a known size")
        accuracy = np.mean([datasets.accuracy(p, size) for p, size in zip(taken, sizes, strict=True)])
        table.rows.append(
            [f"kernel, {steps} steps", 1 / each, 1e6 * each, int((gaps == 0).sum()), gaps.mean(), float(accuracy)]
        )
    for label, work in {
        "graphs side by side": lambda: kernel.pack(many),
        "to the GPU, measured": lambda: kernel.Loaded(packed, "cuda"),
        "match_many, all included": lambda: enpda.match_many(
            [(p.a, p.b) for p in many], "core", device="cuda", threads=threads
        ),
    }.items():
        each = _timed(work, 2) / len(many)
        table.rows.append([label, 1 / each, 1e6 * each, "", "", ""])
    table.notes.append(f"{len(pairs) - len(taken)} pairs have a node of more than four edges: the processors' work.")
    return table


def _rounds(pairs: Sequence[BenchPair], where: str, settings: Settings) -> Table:
    """Time the paper's policy: its rounds, what comes before them and what comes after."""
    import torch
    from safetensors.torch import load_file

    from enpda.gpu.batch import collate, orient
    from enpda.gpu.decode import decoded
    from enpda.gpu.policy import Policy

    threads = os.cpu_count() or 1
    once = [orient(p.a, p.b) for p in pairs]
    many = (once * (settings.count or 5))[: 5 * len(once)]
    network = Policy()
    network.load_state_dict(load_file(shipped("full-0")))
    network.to("cuda")
    table = Table(
        f"the paper's policy, four rounds, {len(many)} pairs: {where}",
        ["what", "pairs per second", "ms per 1,000 pairs"],
    )

    def add(label: str, work: Callable[[], object], repeat: int = 5) -> None:
        each = _timed(work, repeat) / len(many)
        table.rows.append([label, float(1 / each), float(1e6 * each)])

    with torch.no_grad():
        batch = collate(many, "cuda", threads)
        state = network(batch, 4)[-1]
        add("rounds on the GPU, features there", lambda: network(batch, 4))
        add("features and transfer", lambda: collate(many, "cuda", threads))
        for decoder in ("growth", "hungarian"):
            add(f"decoder {decoder}, transfer included", lambda how=decoder: decoded(many, state, how, threads))  # type: ignore[misc]
    add(
        "match_many, all included",
        lambda: enpda.match_many(many, "core", device="cuda", policy="paper", threads=threads),
        1,
    )
    table.notes.append(f"{len(batch.features) / len(many):.0f} cells a pair.")
    return table


def _large() -> Table:
    """Match one large pair by analytic rounds, on the GPU and on a processor."""
    table = Table(
        "one large planted pair, four analytic rounds and one decode",
        ["nodes", "candidates", "where", "s", "% of the optimum"],
    )
    for nodes, candidates in SIZES:
        a, b = planted(nodes, candidates)
        for where, device in {"one thread": None, "GPU, then one thread": "cuda"}.items():
            found: list[enpda.Match] = []
            seconds = _timed(
                lambda x=a, y=b, how=device, to=found: to.extend(  # type: ignore[misc]
                    enpda.match_many([(x, y)], "analytic", threads=1, device=how)
                ),
                2,
            )
            table.rows.append([nodes, _core.cells(a.core, b.core), where, seconds, 100 * found[-1].size / b.size])
    return table
