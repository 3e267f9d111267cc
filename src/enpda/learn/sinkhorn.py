"""Partial Sinkhorn over batches of pairs, by factors of rows and columns.

Rows that only fill the matrix up to a square are all alike and stay alike, so one of them stands for all, with its
number as a weight. The same holds for columns that stand for staying unmatched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from enpda.gpu.batch import Batch, Group

ITERATIONS = 20


class Dense:
    """The cells of a batch as one padded matrix a pair."""

    def __init__(self, batch: Batch) -> None:
        n, m = batch.pair_rows.count.long(), batch.pair_columns.count.long()
        self.shape = (len(batch), int(n.max()), int(m.max()))
        self.row, self.column = _places(batch.pair_rows, self.shape[1]), _places(batch.pair_columns, self.shape[2])
        column = (self.column % max(self.shape[2], 1))[batch.columns.owner]
        self.cell = self.row[batch.rows.owner] * self.shape[2] + column

    def matrices(self, x: Tensor, around: float = 0.0) -> Tensor:
        """Lay cells out as (pairs, rows, columns), with something around them."""
        return _laid(x, self.cell, self.shape, around)

    def rows(self, x: Tensor, around: float = 0.0) -> Tensor:
        """Lay rows out as (pairs, rows)."""
        return _laid(x, self.row, self.shape[:2], around)

    def columns(self, x: Tensor, around: float = 0.0) -> Tensor:
        """Lay columns out as (pairs, columns)."""
        return _laid(x, self.column, self.shape[::2], around)

    def cells(self, x: Tensor) -> Tensor:
        """Turn `matrices` around; trials may come first."""
        return x.flatten(-3).index_select(-1, self.cell)


def _places(group: Group, most: int) -> Tensor:
    """Return where the members of each pair lie when every pair has room for `most`."""
    return (
        torch.arange(len(group.owner), device=group.owner.device) + group.owner * most - group.first[:-1][group.owner]
    )


def _laid(x: Tensor, places: Tensor, shape: Sequence[int], around: float) -> Tensor:
    return x.new_full((math.prod(shape),), around).index_copy(0, places, x).view(*shape)


class _Balance(torch.autograd.Function):
    """Factors of rows and columns that balance a matrix, with a gradient that never forms the matrices on the way.

    A gradient taken through the factors themselves overflows. Taken through their logarithms, every iteration adds a
    matrix that is the kernel times a column times a row: these are kept as vectors, and summed in one product.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        rows, columns = rows[..., None], columns[..., None]
        kernel = torch.exp(logits - logits.amax(-1, keepdim=True).clamp(min=-1e300))  # rows without cells stay zero
        rights = [torch.ones_like(kernel[..., :1, :]).mT]
        lefts = [_inverse(kernel @ (columns * rights[0]))]
        for _ in range(ITERATIONS):
            rights.append(_inverse(kernel.mT @ (rows * lefts[-1])))
            lefts.append(_inverse(kernel @ (columns * rights[-1])))
        soft = lefts[-1] * kernel * rights[-1].mT
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(kernel, soft, rows, columns, *lefts, *rights)
        return soft

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        kernel, soft, rows, columns, *both = ctx.saved_tensors
        lefts, rights = both[: ITERATIONS + 1], both[ITERATIONS + 1 :]
        moved = gradient * soft
        of_rows, of_columns = moved.sum(-1, keepdim=True), moved.sum(-2, keepdim=True).mT
        down, across = [], []
        for t in range(ITERATIONS, -1, -1):
            down += [lefts[t] * of_rows]
            across += [columns * rights[t]]
            of_columns = of_columns - across[-1] * (kernel.mT @ down[-1])
            if t == 0:
                break
            down += [rows * lefts[t - 1]]
            across += [rights[t] * of_columns]
            of_rows = -down[-1] * (kernel @ across[-1])
            of_columns = torch.zeros_like(of_columns)
        return moved - kernel * (torch.cat(down, -1) @ torch.cat(across, -1).mT), None, None


def _inverse(x: Tensor) -> Tensor:
    return torch.where(x > torch.finfo(x.dtype).tiny, 1 / x, 0.0)


def balanced(logits: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Normalise columns and rows by turns, rows last, of a matrix that stands for a square one with equal lines.

    Parameters
    ----------
    logits : (..., pairs, rows, columns)
        In double precision, as they become exponentials at once; minus infinity around a matrix.
    rows, columns : (pairs, rows), (pairs, columns)
        How many lines of the square matrix each stands for.
    """
    result: Tensor = _Balance.apply(logits, rows, columns)  # type: ignore[no-untyped-call]
    return result


def filled(batch: Batch, dense: Dense, logits: Tensor, filling: Tensor, some: Tensor | slice = slice(None)) -> Tensor:
    """Return the projection of some logits: rows that sum to 1, columns that stay at most 1.

    Parameters
    ----------
    batch : Batch
    dense : Dense
        Its layout.
    logits : (..., some pairs, rows, columns)
    filling : (columns,)
        Logits of the m - n rows that fill a matrix up to a square, all alike.
    some
        Which pairs the logits are of; default: all.
    """
    last = dense.columns(filling.double(), -torch.inf)[some, None, :].expand(*logits.shape[:-2], 1, -1)
    more = (batch.pair_columns.count - batch.pair_rows.count).double()[some, None]
    rows = torch.cat([more.new_ones(len(more), dense.shape[1]), more], 1)
    square = torch.cat([logits, last], -2)
    return balanced(square, rows, rows.new_ones(len(more), dense.shape[2]))[..., :-1, :]


def project(batch: Batch, logits: Tensor, filling: Tensor) -> Tensor:
    """Return the projection of the logits of cells, as `filled` does, cell by cell."""
    dense = Dense(batch)
    soft = filled(batch, dense, dense.matrices(logits.double(), -torch.inf), filling)
    return dense.cells(soft).to(logits.dtype)


def filling_of(batch: Batch, soft: Tensor) -> Tensor:
    """Return the logits of rows that share out what the columns have left."""
    slack = (1 - batch.columns.sum(soft)).clamp(min=torch.finfo(torch.float32).tiny)
    more = (batch.pair_columns.count - batch.pair_rows.count).clamp(min=1).to(soft.dtype)
    return torch.log(slack) - torch.log(batch.pair_columns.spread(more))
