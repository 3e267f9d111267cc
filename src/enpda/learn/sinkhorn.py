"""Partial Sinkhorn over ragged batches, in logarithms.

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


def plain_log_sum(group: Group, x: Tensor) -> Tensor:
    """Logarithm of the members' sum."""
    top = group.top(x)
    return top + torch.log(group.sum(torch.exp(x - group.spread(top))))


def project(batch: Batch, logits: Tensor, filling: Tensor, iterations: int = ITERATIONS) -> Tensor:
    """Return the first n rows of the projection; their sums are 1, columns stay at most 1.

    Parameters
    ----------
    batch : Batch
    logits : (cells,)
    filling : (columns,)
        Logits of the m - n rows that fill the matrix up.
    iterations : int
        Normalisations of rows and columns by turns; a last one of the rows follows.
    """
    more = batch.pair_columns.count - batch.pair_rows.count
    copies = batch.pair_columns.spread(more)
    for _ in range(iterations):
        logits = logits - batch.rows.spread(plain_log_sum(batch.rows, logits))
        filling = filling - batch.pair_columns.spread(plain_log_sum(batch.pair_columns, filling))
        total = log_sum(batch.columns, logits, filling, copies)
        logits, filling = logits - batch.columns.spread(total), filling - total
    return torch.exp(logits - batch.rows.spread(plain_log_sum(batch.rows, logits)))
