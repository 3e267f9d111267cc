"""The student's loss of the paper, each term a mean over the pairs of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from enpda.gpu.batch import Batch, take
from enpda.gpu.policy import FLOOR, State

MARGIN = 0.01
TRACE, RELATIVE, REWARD, CAPACITY, PRICE = 0.25, 0.5, 0.05, 0.1, 1e-4
SCALES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)
"""Of the largest weight over the largest price: where the price term looks for its scale."""


@dataclass
class Targets:
    """What the teacher says about a batch.

    Attributes
    ----------
    cell : (active rows,)
        The cell that the teacher chooses in each row that it cares about.
    pair : (active rows,)
        The pair of each, ascending.
    active : (pairs,)
        Active rows of each pair.
    analytic : (pairs,)
        Negative log-likelihood of the analytic policy after the last round.
    """

    cell: Tensor
    pair: Tensor
    active: Tensor
    analytic: Tensor

    def to(self, device: str | torch.device) -> Targets:
        """Move everything to a device."""
        return Targets(*(x.to(device, non_blocking=True) for x in (self.cell, self.pair, self.active, self.analytic)))


def likelihood(soft: Tensor, targets: Targets) -> Tensor:
    """Negative log-likelihood of the teacher's map, a mean over each pair's active rows; 0 without any."""
    terms = -torch.log(take(soft, targets.cell).clamp(min=FLOOR))
    # Active rows are few: a dense sum by pair is cheap and repeats itself.
    member = (targets.pair[None, :] == torch.arange(len(targets.active), device=soft.device)[:, None]).to(terms.dtype)
    return (member @ terms) / targets.active.clamp(min=1)


def student_loss(batch: Batch, states: list[State], targets: Targets, bound: float = 0.0) -> Tensor:
    """Map, trace, relative, edge reward, capacity and price terms.

    `bound` is the weight of one term that the paper does not have: the upper bound from the last prices, as a share of
    the smaller edge set.
    """
    after = [likelihood(state.soft, targets) for state in states[1:]]
    last = states[-1]
    loss = after[-1] + TRACE * torch.stack(after).mean(0)
    loss = loss + RELATIVE * torch.relu(after[-1] - targets.analytic + MARGIN)
    loss = loss - REWARD * batch.quadratic(last.soft) / (2 * batch.edges)
    loss = loss + CAPACITY * torch.stack([_overload(batch, state) ** 2 for state in states]).mean(0)
    loss = loss + PRICE * batch.pair_columns.mean(last.prices**2)
    if bound > 0:
        loss = loss + bound * price_bound(batch, last.prices) / batch.edges
    return loss.mean()


def _overload(batch: Batch, state: State) -> Tensor:
    """Return the largest positive excess demand of each pair."""
    return batch.pair_columns.largest(torch.relu(state.demand))


def price_bound(batch: Batch, prices: Tensor) -> Tensor:
    """Return the upper bound of each pair from repaired prices, at the best of a few scales (Theorem 3)."""

    def at(scale: Tensor, prices: Tensor) -> Tensor:
        level = prices * batch.pair_columns.spread(scale)
        over = torch.relu(batch.rows.largest(batch.weight - batch.columns.spread(level)))
        return batch.pair_columns.sum(level) + batch.pair_rows.sum(over)

    with torch.no_grad():
        top = batch.pair_rows.top(batch.rows.top(batch.weight)) / batch.pair_columns.top(prices).clamp(min=1e-6)
        scales = torch.stack([share * top for share in SCALES])
        bounds = torch.stack([at(scale, prices) for scale in scales])
        best = scales.gather(0, bounds.argmin(0, keepdim=True))[0]
    return at(best, prices)
