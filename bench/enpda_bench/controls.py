"""The paper's train-once controls on one pair: Sinkhorn and Gumbel-Sinkhorn with the shipped weights."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from enpda.errors import InputError
from enpda.graph import Graph
from enpda.solve.policy import shipped
from enpda_bench.arms import inverse, shuffled

try:
    import torch
    from safetensors.torch import load_file

    from enpda.gpu.batch import collate, orient
    from enpda.learn.control import Control, control_images, noisy_image
except ModuleNotFoundError as error:
    raise InputError(f"needs PyTorch: pip install 'enpda[train]' ({error})") from None

Image = npt.NDArray[np.int32]
SAMPLES = 10
NOISE = 2026083000
"""Where the seeds of the noise begin."""


@lru_cache
@torch.no_grad()
def network(seed: int) -> Control:
    """Return the control of a training seed, used once, so that what follows is not slowed down by a first time."""
    torch.set_num_threads(1)
    found = Control()
    found.load_state_dict(load_file(shipped(f"sinkhorn-{seed}")))
    tiny = Graph([6, 6, 6], [(0, 1), (1, 2)], [1, 1])
    found(collate([orient(tiny, tiny)]))
    return found


@torch.no_grad()
def sinkhorn(a: Graph, b: Graph, seed: int = 0) -> Image:
    """Project once what the weights of a training seed say.

    Returns
    -------
    image : (nodes of a,)
        b's nodes, -1 for none, stripped to preserved edges.
    """
    pair = orient(a, b)
    batch = collate([pair])
    (image,) = control_images([pair], batch, *network(seed)(batch))
    return image if pair.a is a else inverse(image, len(a))


@torch.no_grad()
def sinkhorn_in_any_order(a: Graph, b: Graph, seed: int = 0) -> dict[str, float]:
    """Project once what the weights of a training seed say, in random orders of rows and columns; the mean size."""
    pair = orient(a, b)
    batch = collate([pair])
    soft, alone = (x.double().numpy() for x in network(seed)(batch))
    n, m = len(pair.a), len(pair.b)
    weight = np.hstack([soft.reshape(n, m), np.repeat(alone[:, None], n, 1)]) + 2.0
    return shuffled(pair.a.core, pair.b.core, weight)


@torch.no_grad()
def gumbel(a: Graph, b: Graph, seed: int = 0, place: int = 0, samples: int = SAMPLES) -> Image:
    """Project the same weights with noise, and keep the best; `place` is the pair's own in its set, as noise needs it.

    Returns
    -------
    image : (nodes of a,)
        b's nodes, -1 for none, stripped to preserved edges.
    """
    pair = orient(a, b)
    image = noisy_image(pair, *network(seed).logits(collate([pair])), NOISE + 100_000 * seed + place, samples)
    return image if pair.a is a else inverse(image, len(a))
