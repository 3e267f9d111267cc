"""Ragged batches: the cells, rows and columns of many pairs in one array each, and the sums that connect them.

Every sum is a segmented reduction and every broadcast a gather, forwards and backwards: nothing is scattered, so that
a GPU repeats itself bit for bit. The association graph is symmetric, which makes its aggregation its own gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from enpda import _core
from enpda.graph import Graph


def _segments(x: Tensor, offsets: Tensor, how: str = "sum") -> Tensor:
    # With lengths in place of offsets PyTorch sums them up anew, in four kernels, each time.
    return torch.segment_reduce(x.contiguous(), how, offsets=offsets, axis=0, unsafe=True)


class _Sum(torch.autograd.Function):
    """Sum what belongs to one owner; its gradient is the broadcast."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: Group) -> Tensor:
        ctx.group = group
        return group.reduce(x, "sum")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient.index_select(0, ctx.group.owner), None


class _Spread(torch.autograd.Function):
    """Give every member its owner's value; the gradient is the sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: Group) -> Tensor:
        ctx.group = group
        return x.index_select(0, group.owner)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return ctx.group.reduce(gradient, "sum"), None


class _Aggregate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, neighbour: Tensor, first: Tensor) -> Tensor:
        ctx.save_for_backward(neighbour, first)
        return _segments(x.index_select(0, neighbour), first)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        neighbour, first = ctx.saved_tensors
        return _segments(gradient.index_select(0, neighbour), first), None, None


@dataclass
class Group:
    """Which owner each member belongs to: cells to rows, rows to pairs, and so on.

    Attributes
    ----------
    owner : (members,)
        Index of the owner.
    count : (owners,)
        Members of each owner, as floating-point numbers.
    first : (owners + 1,)
        Where the members of each owner begin, and where the last ones end.
    order : (members,), optional
        Members sorted by owner, when they are not stored that way.
    """

    owner: Tensor
    count: Tensor
    first: Tensor
    order: Tensor | None = None

    def reduce(self, x: Tensor, how: str) -> Tensor:
        """Reduce the members of each owner, without a gradient of its own."""
        return _segments(x if self.order is None else x.index_select(0, self.order), self.first, how)

    def sum(self, x: Tensor) -> Tensor:
        """Sum the members of each owner."""
        result: Tensor = _Sum.apply(x, self)  # type: ignore[no-untyped-call]
        return result

    def mean(self, x: Tensor) -> Tensor:
        """Average the members of each owner."""
        return self.sum(x) / (self.count if x.dim() == 1 else self.count[:, None])

    def spread(self, x: Tensor) -> Tensor:
        """Give every member its owner's value."""
        result: Tensor = _Spread.apply(x, self)  # type: ignore[no-untyped-call]
        return result

    def top(self, x: Tensor) -> Tensor:
        """Return the largest member of each owner, as a constant."""
        return self.reduce(x.detach(), "max")


@dataclass
class Batch:
    """Pairs side by side, the source's nodes as rows; `pair(k)` of anything is where pair k's part begins and ends.

    Attributes
    ----------
    features : (cells, 6)
    compatible : (cells,)
        1 where the node labels are equal, else 0.
    incompatible : (cells,)
        The opposite.
    rows, columns : Group
        Of cells.
    pair_rows, pair_columns : Group
        Of rows and of columns, to pairs.
    neighbour, first : (entries,), (cells + 1,)
        The association graph: the neighbours of cell 0, then of cell 1, and so on, and where each list begins.
    degree : (cells, 1)
        Length of each list, at least 1.
    candidates : (pairs,)
        Compatible cells of each pair, at least 1.
    edges : (pairs,)
        Edges of the smaller edge set, at least 1.
    """

    features: Tensor
    compatible: Tensor
    incompatible: Tensor
    rows: Group
    columns: Group
    pair_rows: Group
    pair_columns: Group
    neighbour: Tensor
    first: Tensor
    degree: Tensor
    candidates: Tensor
    edges: Tensor

    def __len__(self) -> int:
        return len(self.edges)

    def aggregate(self, x: Tensor) -> Tensor:
        """Sum the states of the neighbours in the association graph."""
        result: Tensor = _Aggregate.apply(x, self.neighbour, self.first)  # type: ignore[no-untyped-call]
        return result

    def pair_sum(self, x: Tensor) -> Tensor:
        """Sum over the cells of each pair."""
        return self.pair_rows.sum(self.rows.sum(x))

    def pair_mean(self, x: Tensor) -> Tensor:
        """Average over the cells of each pair."""
        count = self.pair_rows.count * self.pair_columns.count
        return self.pair_sum(x) / (count if x.dim() == 1 else count[:, None])

    def from_pair(self, x: Tensor) -> Tensor:
        """Give every cell its pair's value."""
        return self.rows.spread(self.pair_rows.spread(x))

    def quadratic(self, soft: Tensor) -> Tensor:
        """Return the soft objective J of each pair: twice its preserved edges for a mapping."""
        return self.pair_sum(soft * self.aggregate(soft))

    def to(self, device: str | torch.device) -> Batch:
        """Move everything to a device."""

        def moved(value: Any) -> Any:
            if isinstance(value, Group):
                return Group(*(moved(getattr(value, f.name)) for f in fields(Group)))
            return None if value is None else value.to(device, non_blocking=True)

        return Batch(*(moved(getattr(self, f.name)) for f in fields(Batch)))

    def cell_slices(self) -> list[slice]:
        """Where the cells of each pair lie."""
        return _slices(self.pair_rows.count * self.pair_columns.count)

    def row_slices(self) -> list[slice]:
        """Where the rows of each pair lie."""
        return _slices(self.pair_rows.count)


def _slices(count: Tensor) -> list[slice]:
    ends = torch.cumsum(count.long(), 0).tolist()
    return [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


@dataclass(frozen=True)
class Prepared:
    """What one pair brings to a batch; the first graph is the source."""

    a: Graph
    b: Graph
    features: npt.NDArray[np.float32]
    compatible: npt.NDArray[np.float32]
    neighbour: npt.NDArray[np.int64]
    degree: npt.NDArray[np.int64]


def prepare(a: Graph, b: Graph) -> Prepared:
    """Compute features and association graph once; the smaller graph becomes the source."""
    if (len(a), a.size) > (len(b), b.size):
        a, b = b, a
    planes = _core.features(a.core, b.core)
    edges = _core.association_edges(a.core, b.core)
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    cells = len(a) * len(b)
    return Prepared(
        a,
        b,
        np.ascontiguousarray(planes.reshape(6, cells).T),
        planes[0].ravel().copy(),
        both[:, 1].copy(),
        np.bincount(both[:, 0], minlength=cells).astype(np.int64),
    )


def collate(pairs: Sequence[Prepared]) -> Batch:
    """Put prepared pairs into one batch."""
    n = np.array([len(p.a) for p in pairs])
    m = np.array([len(p.b) for p in pairs])
    cells = n * m
    first_cell, first_column = np.cumsum(cells) - cells, np.cumsum(m) - m
    count = np.repeat(m, n)  # cells of each row
    row = np.repeat(np.arange(n.sum()), count)
    within = np.arange(cells.sum()) - np.repeat(first_cell, cells)  # number of the cell in its pair
    width = np.repeat(m, cells)
    column = np.repeat(first_column, cells) + within % width
    order = np.lexsort((within // width, column))

    degree = np.concatenate([p.degree for p in pairs])
    compatible = np.concatenate([p.compatible for p in pairs])

    def tensor(x: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(x))

    def offsets(counts: npt.NDArray[Any]) -> Tensor:
        return tensor(np.concatenate([[0], np.cumsum(counts)]))

    def group(owner: npt.NDArray[Any], counts: npt.NDArray[Any], by: npt.NDArray[Any] | None = None) -> Group:
        return Group(
            tensor(owner), tensor(counts.astype(np.float32)), offsets(counts), None if by is None else tensor(by)
        )

    return Batch(
        features=tensor(np.concatenate([p.features for p in pairs])),
        compatible=tensor(compatible),
        incompatible=tensor(1 - compatible),
        rows=group(row, count),
        columns=group(column, np.repeat(n, m), order),
        pair_rows=group(np.repeat(np.arange(len(pairs)), n), n),
        pair_columns=group(np.repeat(np.arange(len(pairs)), m), m),
        neighbour=tensor(np.concatenate([p.neighbour + begin for p, begin in zip(pairs, first_cell, strict=True)])),
        first=offsets(degree),
        degree=tensor(np.maximum(degree, 1).astype(np.float32)[:, None]),
        candidates=tensor(np.array([max(p.compatible.sum(), 1) for p in pairs], dtype=np.float32)),
        edges=tensor(np.array([max(min(p.a.size, p.b.size), 1) for p in pairs], dtype=np.float32)),
    )
