"""The reference matcher of the paper, which exists to give teachers their nine learned numbers.

Mirror ascent on the soft objective with learned feature weights, step sizes and a learned diagonal metric. The paper
trains it pair by pair with a line search at every step. Only the weights, the bias and the first two step sizes ever
reach a teacher, so that larger batches and full steps serve as well; the paper's own way is there, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from enpda.gpu.batch import Batch, Group
from enpda.gpu.policy import ANALYTIC_WEIGHTS, BIAS, FLOOR, normalised_marginal
from enpda.learn.line_search import accepted
from enpda.learn.sinkhorn import filling_of, project

STEPS, WIDTH = 8, 32


@dataclass(frozen=True)
class Pretraining:
    """How a reference matcher is trained: with or without the line search, Adam's rate, pairs a step."""

    line_search: bool
    rate: float
    batch: int


class Metric(nn.Module):
    """A positive factor for every cell; it begins as exactly one."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(11, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.third, self.last = nn.Linear(4 * WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        nn.init.zeros_(self.last.weight)
        nn.init.constant_(self.last.bias, float(torch.log(torch.expm1(torch.tensor(0.95)))))

    def forward(self, batch: Batch, soft: Tensor, marginal: Tensor) -> Tensor:
        """Return the factor of every cell."""
        x = torch.stack(
            [
                *batch.features.unbind(1),
                soft,
                marginal,
                soft * marginal,
                batch.rows.spread(_entropy(batch.rows, soft)),
                batch.columns.spread(_entropy(batch.columns, soft)),
            ],
            1,
        )
        h = functional.silu(self.second(functional.silu(self.first(x))))
        # The third layer sees [cell, row mean, column mean, grand mean]; means are projected before they are spread.
        own, row, column, grand = torch.split(self.third.weight, WIDTH, 1)
        near = functional.linear(batch.rows.mean(h), row)
        far = functional.linear(batch.pair_mean(h), grand, self.third.bias)
        across = functional.linear(batch.columns.mean(h), column)
        context = batch.rows.spread(near + batch.pair_rows.spread(far)) + batch.columns.spread(across)
        raw = self.last(functional.silu(functional.linear(h, own) + context))[:, 0]
        return (0.05 + functional.softplus(raw)).clamp(max=10.0)


class Reference(nn.Module):
    """Initial logits, step sizes and metric: 5,616 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.tensor(ANALYTIC_WEIGHTS))
        self.bias = nn.Parameter(torch.tensor(BIAS))
        self.steps = nn.Parameter(torch.full((STEPS,), 1.85))
        self.metric = Metric()

    def start(self, batch: Batch) -> Tensor:
        """Return the projection of the feature scores."""
        logits = batch.features @ self.weights + self.bias
        return project(batch, logits, logits.new_zeros(len(batch.columns.count)))

    def proposal(self, batch: Batch, soft: Tensor, move: Tensor) -> Tensor:
        """One mirror step along a move of the logits."""
        return project(batch, torch.log(soft.clamp(min=FLOOR)) + move, filling_of(batch, soft))

    def step(self, batch: Batch, soft: Tensor, k: int, metric: bool = True, line_search: bool = False) -> Tensor:
        """Mirror step k."""
        marginal = normalised_marginal(batch, soft)
        size = functional.softplus(self.steps[k % STEPS])
        factor = self.metric(batch, soft, marginal) if metric else torch.ones_like(marginal)
        if not line_search:
            return self.proposal(batch, soft, size * factor * marginal)
        return self._searched(batch, soft, marginal, size, factor)

    def _searched(self, batch: Batch, soft: Tensor, marginal: Tensor, size: Tensor, factor: Tensor) -> Tensor:
        """Take the step that the line search accepts; a pair that accepts none stays where it is."""
        share, plain = accepted(batch, soft, marginal, size, factor)
        factor = torch.where(batch.from_pair(plain.float()) > 0, torch.ones_like(factor), factor)
        moving = batch.from_pair(share.to(soft.dtype))
        return torch.where(moving > 0, self.proposal(batch, soft, size * moving * factor * marginal), soft)

    def forward(self, batch: Batch, line_search: bool = False) -> list[Tensor]:
        """Return the soft assignments before and after each of the eight steps."""
        result = [self.start(batch)]
        for k in range(STEPS):
            result.append(self.step(batch, result[-1], k, line_search=line_search))
        return result

    def teacher_soft(self, batch: Batch) -> Tensor:
        """Two full mirror steps with the metric at one: what teachers are made of."""
        soft = self.start(batch)
        for k in range(2):
            soft = self.step(batch, soft, k, metric=False)
        return soft

    def scalars(self) -> list[float]:
        """Return the nine numbers that reach a teacher: feature weights, bias, two step sizes."""
        sizes = functional.softplus(self.steps[:2])
        return [float(x) for x in [*self.weights.tolist(), self.bias.item(), *sizes.tolist()]]


def reference_loss(batch: Batch, softs: list[Tensor]) -> Tensor:
    """Negative soft objective, mostly of the last step, as a share of what is possible; a mean over pairs."""
    gains = torch.stack([batch.quadratic(soft) for soft in softs[1:]])
    return -((0.75 * gains[-1] + 0.25 * gains.mean(0)) / (2 * batch.edges)).mean()


def _entropy(group: Group, soft: Tensor) -> Tensor:
    total = group.sum(-soft * torch.log(soft.clamp(min=FLOOR)))
    return total / torch.log(group.count).clamp(min=1.0)
