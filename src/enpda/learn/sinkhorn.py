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
        n, m = batch.pair_rows.count.long(), batch.pair_columns.count.long()
        self.more = (m - n).double()
        self.shape = (len(batch), int(n.max()), int(m.max()))
        pair = batch.pair_rows.owner[batch.rows.owner]
        row = batch.rows.owner - batch.pair_rows.first[:-1][pair]
        column = batch.columns.owner - batch.pair_columns.first[:-1][pair]
        self.cell = (pair * self.shape[1] + row) * self.shape[2] + column
        place = torch.arange(len(batch.columns.count), device=n.device)
        owner = batch.pair_columns.owner
        self.column = owner * self.shape[2] + place - batch.pair_columns.first[:-1][owner]

    def matrices(self, x: Tensor, around: float = 0.0) -> Tensor:
        """Lay cells out as (pairs, rows, columns), with something around them."""
        pairs, n, m = self.shape
        return x.new_full((pairs * n * m,), around).index_copy(0, self.cell, x).view(self.shape)

    def cells(self, x: Tensor) -> Tensor:
        """Turn that around; trials may come first."""
        return x.flatten(-3).index_select(-1, self.cell)

    def columns(self, x: Tensor, around: float = 0.0) -> Tensor:
        """Lay columns out as (pairs, columns)."""
        pairs, _, m = self.shape
        return x.new_full((pairs * m,), around).index_copy(0, self.column, x).view(pairs, m)


@torch.no_grad()
def scaled(logits: Tensor, filling: Tensor, more: Tensor) -> Tensor:
    """Do what `project` does for padded matrices, by factors of rows and columns: fast, and without a gradient.

    Parameters
    ----------
    logits : (..., pairs, rows, columns)
        In double precision, as they become exponentials at once; minus infinity around a matrix. Where that is not
        enough, what comes out is no number.
    filling : (pairs, columns)
        Logits of the rows that fill each matrix up to a square.
    more : (pairs,)
        Number of these.
    """
    kernel = torch.exp(logits - logits.amax(-1, keepdim=True).clamp(min=-1e300))  # rows without cells stay zero
    fill = torch.exp(filling - filling.amax(-1, keepdim=True))
    tiny = torch.finfo(kernel.dtype).tiny
    right = torch.ones_like(kernel[..., :1, :]).mT
    for _ in range(ITERATIONS):
        left = 1 / (kernel @ right).clamp(min=tiny)
        alone = more[:, None, None] / (fill[:, None, :] @ right).clamp(min=tiny)
        down = (left.mT @ kernel) + alone * fill[:, None, :]
        right = (1 / down.clamp(min=tiny)).mT
    left = 1 / (kernel @ right).clamp(min=tiny)
    return left * kernel * right.mT


def filling_of(batch: Batch, soft: Tensor) -> Tensor:
    """Return the logits of rows that share out what the columns have left."""
    slack = (1 - batch.columns.sum(soft)).clamp(min=torch.finfo(torch.float32).tiny)
    more = (batch.pair_columns.count - batch.pair_rows.count).clamp(min=1).to(soft.dtype)
    return torch.log(slack) - torch.log(batch.pair_columns.spread(more))


def plain_log_sum(group: Group, x: Tensor) -> Tensor:
    """Logarithm of the members' sum."""
    top = group.top(x)
    return top + torch.log(group.sum(torch.exp(x - group.spread(top))))


def project(batch: Batch, logits: Tensor, filling: Tensor) -> Tensor:
    """Return the first n rows of the projection; their sums are 1, columns stay at most 1.

    Parameters
    ----------
    batch : Batch
    logits : (cells,)
    filling : (columns,)
        Logits of the m - n rows that fill the matrix up.
    """
    more = batch.pair_columns.count - batch.pair_rows.count
    copies = batch.pair_columns.spread(more)
    for _ in range(ITERATIONS):
        logits = logits - batch.rows.spread(plain_log_sum(batch.rows, logits))
        filling = filling - batch.pair_columns.spread(plain_log_sum(batch.pair_columns, filling))
        total = log_sum(batch.columns, logits, filling, copies)
        logits, filling = logits - batch.columns.spread(total), filling - total
    return torch.exp(logits - batch.rows.spread(plain_log_sum(batch.rows, logits)))
