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
from enpda.learn.sinkhorn import Dense, filled, filling_of

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
    soft = soft.double()
    dense = Dense(batch)
    before, slopes = dense.matrices(soft), dense.matrices(2 * batch.aggregate(soft))
    move, metric = dense.matrices(marginal.double()), dense.matrices(factor.double())
    base = dense.matrices(torch.log(soft.clamp(min=FLOOR)), -torch.inf)
    filling = filling_of(batch, soft)
    share, plain = soft.new_zeros(len(batch)), torch.zeros(len(batch), dtype=torch.bool, device=soft.device)
    tried = 0
    for until in TRIALS:
        left = torch.nonzero(share == 0)[:, 0]
        if len(left) == 0:
            break
        halves = 0.5 ** torch.arange(tried, until, device=soft.device, dtype=torch.float64)
        moves = float(size) * halves[:, None, None, None] * move[left]
        logits = base[left] + torch.cat([moves * metric[left], moves])
        change = filled(batch, dense, logits, filling, left) - before[left]
        slope = (slopes[left] * change).sum((2, 3))
        whole = change.new_zeros(len(change), *dense.shape).index_copy_(1, left, change)
        flat = dense.cells(whole).T.contiguous()
        gain = slope + batch.pair_sum(flat * batch.aggregate(flat)).T[:, left]
        (learned_gain, plain_gain), (learned_slope, plain_slope) = gain.chunk(2), slope.chunk(2)
        enough = (learned_gain >= ARMIJO * learned_slope) & (learned_slope >= SHARE * plain_slope) & (learned_slope > 0)
        fall_back = ~enough & (plain_gain >= ARMIJO * plain_slope) & (plain_slope > 0)
        takes = enough | fall_back
        first = takes.to(torch.int64).argmax(0)
        found = takes.any(0)
        share[left] = torch.where(found, halves[first], share[left])
        plain[left] = found & fall_back.gather(0, first[None, :])[0]
        tried = until
    return Accepted(share, plain)
