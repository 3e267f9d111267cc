"""Ragged batches: the cells, rows and columns of many pairs in one array each, and the sums that connect them.

Every sum is a segmented reduction and every broadcast a gather, forwards and backwards: nothing is scattered, so that
a GPU repeats itself bit for bit. The association graph is symmetric, which makes its aggregation its own gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from enpda import _core
from enpda.graph import Graph

if TYPE_CHECKING:
    from enpda.gpu.fused import Layout


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


class _Take(torch.autograd.Function):
    """Take some members, each at most once: the gradient is put back without adding anything up."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.shape = x.shape
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        return gradient.new_zeros(ctx.shape).index_copy_(0, index, gradient), None


class _Put(torch.autograd.Function):
    """Add to some members, to each at most once."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor, more: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        return x.index_copy(0, index, x.index_select(0, index) + more)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, Tensor]:
        (index,) = ctx.saved_tensors
        return gradient, None, gradient.index_select(0, index)


def take(x: Tensor, index: Tensor) -> Tensor:
    """Return x[index] for distinct indices."""
    result: Tensor = _Take.apply(x, index)  # type: ignore[no-untyped-call]
    return result


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

    def largest(self, x: Tensor) -> Tensor:
        """Return the largest member of each owner; members that share the place share its gradient."""
        first = (x.detach() >= self.spread(self.top(x))).to(x.dtype)
        return self.sum(x * first) / self.sum(first)


@dataclass
class Batch:
    """Pairs side by side, the source's nodes as rows.

    Attributes
    ----------
    features : (cells, 6)
    compatible : (cells,)
        1 where the node labels are equal, else 0.
    incompatible : (cells,)
        The opposite.
    weight : (cells,)
        Edges that a cell can preserve at most, halves counted: what prices must cover.
    rows, columns : Group
        Of cells.
    pair_rows, pair_columns : Group
        Of rows and of columns, to pairs.
    linked : (linked cells,)
        Cells with neighbours in the association graph: the others never hear of anything.
    neighbour, first : (entries,), (linked cells + 1,)
        Their neighbours, as places in `linked`: those of the first linked cell, then of the second, and so on, and
        where each list begins.
    degree : (linked cells, 1)
        Length of each list.
    candidates : (pairs,)
        Compatible cells of each pair, at least 1.
    edges : (pairs,)
        Edges of the smaller edge set, at least 1.
    """

    features: Tensor
    compatible: Tensor
    incompatible: Tensor
    weight: Tensor
    rows: Group
    columns: Group
    pair_rows: Group
    pair_columns: Group
    linked: Tensor
    neighbour: Tensor
    first: Tensor
    degree: Tensor
    candidates: Tensor
    edges: Tensor

    def __len__(self) -> int:
        return len(self.edges)

    def heard(self, x: Tensor) -> Tensor:
        """Sum what each linked cell's neighbours say, from and to linked cells."""
        result: Tensor = _Aggregate.apply(x, self.neighbour, self.first)  # type: ignore[no-untyped-call]
        return result

    def put(self, x: Tensor, more: Tensor) -> Tensor:
        """Add something to the linked cells."""
        result: Tensor = _Put.apply(x, self.linked, more)  # type: ignore[no-untyped-call]
        return result

    def aggregate(self, x: Tensor) -> Tensor:
        """Multiply by the adjacency of the association graph."""
        return self.put(torch.zeros_like(x), self.heard(take(x, self.linked)))

    def pair_sum(self, x: Tensor) -> Tensor:
        """Sum over the cells of each pair."""
        return self.pair_rows.sum(self.rows.sum(x))

    def pair_mean(self, x: Tensor) -> Tensor:
        """Average over the cells of each pair."""
        return self.pair_sum(x) / (self.cells if x.dim() == 1 else self.cells[:, None])

    def from_pair(self, x: Tensor) -> Tensor:
        """Give every cell its pair's value."""
        return self.rows.spread(self.pair_rows.spread(x))

    @cached_property
    def cells(self) -> Tensor:
        """Cells of each pair."""
        return self.pair_rows.reduce(self.rows.count, "sum")

    @cached_property
    def layout(self) -> Layout | None:
        """What fused kernels need, where there is a compiler for them."""
        if find_spec("triton") is None:
            return None
        from enpda.gpu.fused import Layout

        return Layout.of(self.linked, self.first, self.neighbour, len(self.features))

    def quadratic(self, soft: Tensor) -> Tensor:
        """Return the soft objective J of each pair: twice its preserved edges for a mapping."""
        return self.pair_sum(soft * self.aggregate(soft))

    def cell_slices(self) -> list[slice]:
        """Where the cells of each pair lie."""
        return _slices(self.cells)

    def row_slices(self) -> list[slice]:
        """Where the rows of each pair lie."""
        return _slices(self.pair_rows.count)


def _slices(count: Tensor) -> list[slice]:
    ends = torch.cumsum(count.long(), 0).tolist()
    return [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


class Oriented(NamedTuple):
    """A pair with the source first, as the core sees it."""

    a: Graph
    b: Graph


def orient(a: Graph, b: Graph) -> Oriented:
    """Put the source first."""
    return Oriented(a, b) if _core.source_first(a.core, b.core) else Oriented(b, a)


def collate(pairs: Sequence[Oriented], device: str | torch.device = "cpu", threads: int = 1) -> Batch:
    """Compute features and association graphs of the pairs, in the compiled core, and lay them out on a device."""
    n_cpu, m_cpu, row, column, features, compatible, weight, degree, neighbour = (
        torch.from_numpy(x) for x in _core.collate([(p.a.core, p.b.core) for p in pairs], threads)
    )
    edges = torch.tensor([max(min(p.a.size, p.b.size), 1) for p in pairs], dtype=torch.float32)

    def there(x: Tensor) -> Tensor:
        return x.to(device, non_blocking=True)

    n, m, row, column = there(n_cpu), there(m_cpu), there(row).long(), there(column).long()
    degree, neighbour = there(degree), there(neighbour)
    linked = torch.nonzero(degree)[:, 0]
    slot = torch.cumsum(degree > 0, 0) - 1
    neighbour, degree = slot[neighbour], degree[linked]
    numbers = torch.arange(len(pairs), device=device)
    rows, columns = int(n_cpu.sum()), int(m_cpu.sum())
    pair_of_row = torch.repeat_interleave(numbers, n, output_size=rows)
    pair_of_column = torch.repeat_interleave(numbers, m, output_size=columns)

    def offsets(counts: Tensor) -> Tensor:
        return torch.cat([counts.new_zeros(1), torch.cumsum(counts, 0)])

    def group(owner: Tensor, counts: Tensor, order: Tensor | None = None) -> Group:
        return Group(owner, counts.float(), offsets(counts), order)

    compatible = there(compatible)
    batch = Batch(
        features=there(features),
        compatible=compatible,
        incompatible=1 - compatible,
        weight=there(weight),
        rows=group(row, torch.bincount(row, minlength=rows)),
        columns=group(column, torch.bincount(column, minlength=columns), torch.argsort(column, stable=True)),
        pair_rows=group(pair_of_row, n),
        pair_columns=group(pair_of_column, m),
        linked=linked,
        neighbour=neighbour,
        first=offsets(degree),
        degree=degree.float()[:, None],
        candidates=compatible.new_empty(0),
        edges=there(edges),
    )
    batch.candidates = batch.pair_sum(compatible).clamp(min=1)
    return batch
