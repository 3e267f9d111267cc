"""The encoder in fused GPU kernels, forwards only: a layer reads and writes every cell's state once.

In separate operations the states pass through memory some twenty times a layer, which is most of a forward pass.
Products are as exact as float32 (three products of TF32 parts each).
"""
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import triton
import triton.language as tl
from torch import Tensor

if TYPE_CHECKING:
    from enpda.gpu.policy import Encoder, Layer

WIDTH = tl.constexpr(64)
BLOCK, LISTENERS = 64, 16
"""Cells of one program."""


@triton.jit
def _silu(x):
    return x / (1.0 + tl.exp(-x))


@triton.jit
def _embed(x, weight, bias, out, cells, inputs: tl.constexpr, depth: tl.constexpr, block: tl.constexpr):
    """Embed the cells' inputs, filled up with zeros to `depth`."""
    cell = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    column, unit = tl.arange(0, depth), tl.arange(0, WIDTH)
    row = cell[:, None]
    within, known = row < cells, column < inputs
    values = tl.load(x + row * inputs + column[None, :], mask=within & known[None, :], other=0.0)
    w = tl.load(weight + unit[None, :] * inputs + column[:, None], mask=known[:, None], other=0.0)
    total = tl.dot(values, w, input_precision="tf32x3") + tl.load(bias + unit)[None, :]
    tl.store(out + row * WIDTH + unit[None, :], _silu(total), mask=within)


@triton.jit
def _hear(h, first, neighbour, out, count, block: tl.constexpr):
    """Average the states of each linked cell's neighbours; in the layer's own kernel the compiler gives up."""
    place = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    unit = tl.arange(0, WIDTH)
    within = place < count
    begin = tl.load(first + place, mask=within, other=0)
    degree = (tl.load(first + place + 1, mask=within, other=0) - begin).to(tl.int32)
    total = tl.zeros((block, WIDTH), dtype=tl.float32)
    for k in range(tl.max(degree, 0)):
        more = k < degree
        speaker = tl.load(neighbour + begin + k, mask=more, other=0)
        total += tl.load(h + speaker[:, None] * WIDTH + unit[None, :], mask=more[:, None], other=0.0)
    mean = total / tl.maximum(degree, 1).to(tl.float32)[:, None]
    tl.store(out + place[:, None] * WIDTH + unit[None, :], mean, mask=within[:, None])


@triton.jit
def _layer(
    h,
    out,
    chosen,
    count,
    heard,
    weight,
    bias,
    second,
    second_bias,
    scale,
    shift,
    linked: tl.constexpr,
    block: tl.constexpr,
):
    """One layer for the chosen cells; those that are linked have heard the mean of their neighbours."""
    place = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    unit, other = tl.arange(0, WIDTH), tl.arange(0, WIDTH)
    within = place < count
    row = tl.load(chosen + place, mask=within, other=0)[:, None] * WIDTH + unit[None, :]
    state = tl.load(h + row, mask=within[:, None], other=0.0)
    own = tl.load(weight + unit[None, :] * (2 * WIDTH) + other[:, None])
    hidden = tl.dot(state, own, input_precision="tf32x3") + tl.load(bias + unit)[None, :]
    if linked:
        mean = tl.load(heard + place[:, None] * WIDTH + unit[None, :], mask=within[:, None], other=0.0)
        theirs = tl.load(weight + unit[None, :] * (2 * WIDTH) + WIDTH + other[:, None])
        hidden = tl.dot(mean, theirs, acc=hidden, input_precision="tf32x3")
    w = tl.load(second + unit[None, :] * WIDTH + other[:, None])
    total = tl.dot(_silu(hidden), w, input_precision="tf32x3") + tl.load(second_bias + unit)[None, :] + state
    total -= tl.sum(total, 1)[:, None] / WIDTH
    total *= tl.rsqrt(tl.sum(total * total, 1) / WIDTH + 1e-5)[:, None]
    total = total * tl.load(scale + unit)[None, :] + tl.load(shift + unit)[None, :]
    tl.store(out + row, total, mask=within[:, None])


@dataclass(frozen=True)
class Layout:
    """What the kernels want to know of a batch.

    Attributes
    ----------
    linked, lone : (some cells,)
        Those with neighbours and the others.
    first, neighbour : (linked cells + 1,), (entries,)
        Where the neighbours of each linked cell begin, and which cells they are.
    """

    linked: Tensor
    lone: Tensor
    first: Tensor
    neighbour: Tensor

    @staticmethod
    def of(linked: Tensor, first: Tensor, neighbour: Tensor, cells: int) -> Layout:
        """Derive it from a batch's lists, in which neighbours are places in `linked`."""
        alone = torch.ones(cells, dtype=torch.bool, device=linked.device)
        alone[linked] = False
        return Layout(linked, torch.nonzero(alone)[:, 0], first, linked[neighbour])

    def encode(self, encoder: Encoder, x: Tensor) -> Tensor:
        """Return the states of all cells."""
        cells, inputs = x.shape
        h, out = x.new_empty(cells, WIDTH.value), x.new_empty(cells, WIDTH.value)
        grid = (triton.cdiv(cells, BLOCK),)
        _embed[grid](
            x.contiguous(), encoder.input.weight, encoder.input.bias, h, cells, inputs=inputs, depth=16, block=BLOCK
        )
        heard = x.new_empty(len(self.linked), WIDTH.value)
        for layer in encoder.layers:
            if len(heard):
                grid = (triton.cdiv(len(heard), LISTENERS),)
                _hear[grid](h, self.first, self.neighbour, heard, len(heard), block=LISTENERS)
            self._apply(layer, h, heard, out)  # type: ignore[arg-type]
            h, out = out, h
        return h

    def _apply(self, layer: Layer, h: Tensor, heard: Tensor, out: Tensor) -> None:
        first, second, norm = layer.first, layer.second, layer.norm
        weights = (first.weight, first.bias, second.weight, second.bias, norm.weight, norm.bias)
        for chosen, linked in ((self.linked, True), (self.lone, False)):
            if len(chosen):
                grid = (triton.cdiv(len(chosen), BLOCK),)
                _layer[grid](h, out, chosen, len(chosen), heard, *weights, linked=linked, block=BLOCK)
