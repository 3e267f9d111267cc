"""Partial Sinkhorn over batches of pairs: as factors of rows and columns, or in logarithms.

Rows that only fill the matrix up to a square are all alike and stay alike, so one of them stands for all, with its
number as a weight. The same holds for columns that stand for staying unmatched.
"""

from __future__ import annotations

import torch
from torch import Tensor

from enpda.gpu.batch import Batch, Group

ITERATIONS = 20


def log_sum(group: Group, x: Tensor, extra: Tensor, weight: Tensor) -> Tensor:
    """Logarithm of the members' sum and `weight` times the owner's extra member."""
    top = torch.maximum(group.top(x), extra.detach())
    return top + torch.log(group.sum(torch.exp(x - group.spread(top))) + weight * torch.exp(extra - top))


class Dense:
    """The cells of a batch as one padded matrix a pair."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        n, m = batch.pair_rows.count.long(), batch.pair_columns.count.long()
        self.more = (m - n).double()
        self.shape = (len(batch), int(n.max()), int(m.max()))
        pair = batch.pair_rows.owner[batch.rows.owner]
        row = batch.rows.owner - batch.pair_rows.first[:-1][pair]
        column = batch.columns.owner - batch.pair_columns.first[:-1][pair]
        self.cell = (pair * self.shape[1] + row) * self.shape[2] + column
        self.column = batch.pair_columns.owner * self.shape[2] + (
            torch.arange(len(batch.columns.count), device=n.device)
            - batch.pair_columns.first[:-1][batch.pair_columns.owner]
        )

    def matrices(self, x: Tensor) -> Tensor:
        """Lay (trials, cells) out as (trials, pairs, rows, columns), zeros around."""
        pairs, n, m = self.shape
        return x.new_zeros(len(x), pairs * n * m).index_copy(1, self.cell, x).view(len(x), *self.shape)

    def cells(self, x: Tensor) -> Tensor:
        """Turn that around."""
        return x.reshape(len(x), -1).index_select(1, self.cell)

    def columns(self, x: Tensor) -> Tensor:
        """Lay (trials, columns) out as (trials, pairs, columns)."""
        pairs, _, m = self.shape
        return x.new_zeros(len(x), pairs * m).index_copy(1, self.column, x).view(len(x), pairs, m)

    def project(self, logits: Tensor, filling: Tensor, iterations: int = ITERATIONS) -> Tensor:
        """Normalise rows and columns by turns, rows last; the sums of rows are 1 then, those of columns at most 1.

        Parameters
        ----------
        logits : (trials, cells)
            In double precision: they are exponentials at once.
        filling : (trials, columns)
            Logits of the m - n rows that fill each matrix up.
        iterations : int
            Normalisations of rows and columns by turns.
        """
        batch = self.batch
        top = torch.stack([batch.pair_rows.top(batch.rows.top(one)) for one in logits])
        high = torch.stack([batch.pair_columns.top(one) for one in filling])
        spread = torch.stack([batch.from_pair(one) for one in top])
        kernel = self.matrices(torch.exp(logits - spread))
        fill = self.columns(torch.exp(filling - torch.stack([batch.pair_columns.spread(one) for one in high])))
        tiny = torch.finfo(kernel.dtype).tiny
        right = torch.ones_like(fill)[..., None]
        for _ in range(iterations):
            left = 1 / (kernel @ right).clamp(min=tiny)
            alone = self.more[None, :, None] / (fill[..., None, :] @ right)[..., 0].clamp(min=tiny)
            down = (kernel.transpose(2, 3) @ left)[..., 0] + alone * fill
            right = (1 / down.clamp(min=tiny))[..., None]
        left = 1 / (kernel @ right).clamp(min=tiny)
        return self.cells(left * kernel * right.transpose(2, 3))


def filling_of(batch: Batch, soft: Tensor) -> Tensor:
    """Return the logits of rows that share out what the columns have left."""
    slack = (1 - batch.columns.sum(soft)).clamp(min=torch.finfo(torch.float32).tiny)
    more = (batch.pair_columns.count - batch.pair_rows.count).clamp(min=1).to(soft.dtype)
    return torch.log(slack) - torch.log(batch.pair_columns.spread(more))


def project(batch: Batch, logits: Tensor, filling: Tensor) -> Tensor:
    """Return the first n rows of the projection of one array of logits; see `Dense.project`."""
    return Dense(batch).project(logits.double()[None], filling.double()[None])[0].to(logits.dtype)
