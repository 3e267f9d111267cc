"""The trained controls of the paper: one Sinkhorn projection of learned scores, and the best of ten noisy ones."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from enpda.bench.baselines.answer import Answer, answered
from enpda.graph import Graph
from enpda.policy import shipped

if TYPE_CHECKING:
    from enpda.learn.control import Control

GUMBEL_SEED = 2026083000


def run(a: Graph, b: Graph, seconds: float, seed: int = 0) -> Answer:
    """Project once; `seed` is that of the training."""
    return _projected(a, b, seed, None)


def gumbel(a: Graph, b: Graph, seconds: float, seed: int = 0, place: int = 0) -> Answer:
    """Take the best of ten noisy projections; the noise depends on the pair's place in its set."""
    return _projected(a, b, seed, GUMBEL_SEED + 100_000 * seed + place)


def _projected(a: Graph, b: Graph, seed: int, noise: int | None) -> Answer:
    import torch

    from enpda.learn.batch import collate, orient
    from enpda.learn.control import control_images, noisy_image

    torch.set_num_threads(1)
    network = _network(seed)
    begin = time.perf_counter()
    with torch.no_grad():
        pair = orient(a, b)
        batch = collate([pair])
        if noise is None:
            (image,) = control_images([pair], batch, *network(batch))
        else:
            image = noisy_image(pair, *network.logits(batch), noise)
    mapping = {int(i): int(j) for i, j in enumerate(image) if j >= 0}
    if pair.a is not a:
        mapping = {j: i for i, j in mapping.items()}
    return answered(a, b, mapping, False, time.perf_counter() - begin)


@cache
def _network(seed: int) -> Control:
    from safetensors.torch import load_file

    from enpda.learn.control import Control

    network = Control()
    network.load_state_dict(load_file(shipped(f"sinkhorn-{seed}")))
    return network
