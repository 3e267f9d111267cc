"""The student's loss of the paper, each term a mean over the pairs of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from enpda.learn.batch import Batch
from enpda.learn.policy import FLOOR, State

MARGIN = 0.01
TRACE, RELATIVE, REWARD, CAPACITY, PRICE = 0.25, 0.5, 0.05, 0.1, 1e-4


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


class _Pick(torch.autograd.Function):
    """Take some cells, each at most once: the gradient is put back without adding anything up."""

    @staticmethod
    def forward(ctx: object, x: Tensor, cell: Tensor) -> Tensor:
        ctx.save_for_backward(cell)  # type: ignore[attr-defined]
        ctx.size = len(x)  # type: ignore[attr-defined]
        return x[cell]

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> tuple[Tensor, None]:
        (cell,) = ctx.saved_tensors  # type: ignore[attr-defined]
        result = gradient.new_zeros(ctx.size)  # type: ignore[attr-defined]
        result[cell] = gradient
        return result, None


def likelihood(soft: Tensor, targets: Targets) -> Tensor:
    """Negative log-likelihood of the teacher's map, a mean over each pair's active rows; 0 without any."""
    chosen: Tensor = _Pick.apply(soft, targets.cell)  # type: ignore[no-untyped-call]
    terms = -torch.log(chosen.clamp(min=FLOOR))
    # Active rows are few: a dense sum by pair is cheap and repeats itself.
    member = (targets.pair[None, :] == torch.arange(len(targets.active), device=soft.device)[:, None]).to(terms.dtype)
    return (member @ terms) / targets.active.clamp(min=1)


def student_loss(batch: Batch, states: list[State], targets: Targets) -> Tensor:
    """Map, trace, relative, edge reward, capacity and price terms."""
    after = [likelihood(state.soft, targets) for state in states[1:]]
    last = states[-1]
    loss = after[-1] + TRACE * torch.stack(after).mean(0)
    loss = loss + RELATIVE * torch.relu(after[-1] - targets.analytic + MARGIN)
    loss = loss - REWARD * batch.quadratic(last.soft) / (2 * batch.edges)
    loss = loss + CAPACITY * torch.stack([_overload(batch, state) ** 2 for state in states]).mean(0)
    loss = loss + PRICE * batch.pair_columns.mean(last.prices**2)
    return loss.mean()


def _overload(batch: Batch, state: State) -> Tensor:
    """Return the largest positive excess demand of each pair; ties share its gradient."""
    excess = torch.relu(state.demand)
    top = (excess.detach() >= batch.pair_columns.spread(batch.pair_columns.top(excess))).to(excess.dtype)
    return batch.pair_columns.sum(excess * top) / batch.pair_columns.sum(top)
