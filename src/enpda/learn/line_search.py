"""The reference matcher's line search: which pairs accept which step, for a whole batch and several steps at a time.

A pair at a stationary point refuses all 32 proposals, so these are made without a gradient, several at once; the one
that is accepted is made again by the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from enpda.gpu.batch import Batch
from enpda.gpu.policy import FLOOR
from enpda.learn.sinkhorn import Dense, filling_of

HALVINGS, ARMIJO, SHARE = 32, 1e-4, 0.1
TRIALS = (1, 5, 13, HALVINGS)
"""How many halvings have been tried after each look: most pairs accept one of the first."""


class Accepted(NamedTuple):
    """What each pair accepts.

    Attributes
    ----------
    share : (pairs,)
        Of the step; 0 where nothing is accepted.
    plain : (pairs,)
        Whether it is the step without the metric.
    """

    share: Tensor
    plain: Tensor


@torch.no_grad()
def accepted(batch: Batch, soft: Tensor, marginal: Tensor, size: Tensor, factor: Tensor) -> Accepted:
    """Halve the step until the learned proposal, or the one without the metric, gains enough; per pair."""
    soft, marginal, factor = soft.double(), marginal.double(), factor.double()
    gradient = 2 * batch.aggregate(soft)
    base, filling, dense = torch.log(soft.clamp(min=FLOOR)), filling_of(batch, soft), Dense(batch)
    share = torch.zeros(len(batch), dtype=torch.float64, device=soft.device)
    plain = torch.zeros(len(batch), dtype=torch.bool, device=soft.device)
    tried = 0
    for until in TRIALS:
        halves = 0.5 ** torch.arange(tried, until, device=soft.device, dtype=torch.float64)
        moves = float(size) * halves[:, None] * marginal[None, :]
        logits = torch.cat([base + moves * factor, base + moves])
        change = dense.project(logits, filling.expand(len(logits), -1)) - soft
        slope = batch.pair_sum((gradient * change).T)
        gain = slope + batch.pair_sum(change.T * batch.aggregate(change.T.contiguous()))
        (learned_gain, plain_gain), (learned_slope, plain_slope) = gain.chunk(2, 1), slope.chunk(2, 1)
        enough = (learned_gain >= ARMIJO * learned_slope) & (learned_slope >= SHARE * plain_slope) & (learned_slope > 0)
        fall_back = ~enough & (plain_gain >= ARMIJO * plain_slope) & (plain_slope > 0)
        takes = enough | fall_back
        first = takes.to(torch.int64).argmax(1)
        fresh = (share == 0) & takes.any(1)
        share = torch.where(fresh, halves[first], share)
        plain = torch.where(fresh, fall_back.gather(1, first[:, None])[:, 0], plain)
        tried = until
        if bool((share > 0).all()):
            break
    return Accepted(share, plain)
