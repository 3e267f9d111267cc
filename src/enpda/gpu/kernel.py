"""The network that shares profit out, for many pairs at once by one kernel (`native/gpu/shares.cu`).

It takes pairs from labels and edges to mappings, bounds and their witnesses. NVRTC compiles it for the GPU at hand,
in a few seconds, once a process; on `cpu` the compiled core runs the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file
from torch import Tensor

from enpda import _core
from enpda.errors import InputError
from enpda.gpu.batch import Oriented

THREADS, BLOCKS, UNROLLED, FAST = 256, 4, 2, 20_480
"""Threads of a block, blocks of a multiprocessor, candidates under way in a thread, and bytes of shared memory for an
assignment: the fastest of six shapes on an H200. Three or two blocks, or twice or half the threads with as many in all,
lose 5 to 15 %."""
MOST_DEGREE, MOST_CELLS = 4, 65_536
"""Of the pairs that the kernel takes."""
UNIT = 1 << 16
ORDER = (
    *("embed.weight", "embed.bias", "own.0.weight", "own.0.bias", "other.0.weight", "arc.0.weight"),
    *("gather.0.weight", "gather.0.bias", "update.0.weight", "update.0.bias", "norm.0.weight", "norm.0.bias"),
    *("last_own.weight", "last_own.bias", "last_other.weight", "last_arc.weight"),
    *("head.weight", "score.weight", "score.bias"),
)
"""The network's tensors as the kernel has them one after the other."""
Ints = npt.NDArray[np.int32]
Packed = tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints]


@dataclass(frozen=True)
class Outcome:
    """What one pair came to: a mapping that may hold nodes without a preserved edge, and a bound with its witness.

    `a` and `b` are the ends of association edges as cells, `share` what the first end gets of each, `row` and `column`
    potentials; shares, potentials and the bound are in 1 / UNIT of an edge.
    """

    image: Ints
    bound: int
    a: Ints
    b: Ints
    share: Ints
    row: Ints
    column: Ints


def weights_of(path: Path) -> Tensor:
    """Read a network as the kernel wants it: matrices with their inputs first, all in one row."""
    tensors = load_file(path)
    if set(tensors) != set(ORDER):
        raise InputError(f"{path}: the kernel runs networks with one layer a step; this one has {sorted(tensors)}")
    return torch.cat([(x.mT if x.dim() == 2 else x).reshape(-1) for x in (tensors[name] for name in ORDER)]).float()


def fits(pair: Oriented) -> bool:
    """Whether the kernel takes a pair: no node of more than four edges, and a grid of moderate size."""
    return pair.a.core.max_degree <= MOST_DEGREE >= pair.b.core.max_degree and len(pair.a) * len(pair.b) <= MOST_CELLS


def run(pairs: Sequence[Oriented], weights: Tensor, steps: int, device: str, threads: int = 1) -> Iterator[Outcome]:
    """Yield what so many steps make of each pair.

    Parameters
    ----------
    pairs : sequence of Oriented
        That fit.
    weights : Tensor
        Of `weights_of`.
    steps : int
        Of the network.
    device : str
        Such as `cuda` or `cpu`.
    threads : int
        Of the processor, where it runs the kernel.
    """
    if not pairs:
        return
    packed = pack(pairs)
    if torch.device(device).type == "cpu":
        found: Sequence[npt.NDArray[Any]] = _core.share_out(packed, steps, weights.numpy(), threads)
    else:
        found = [x.cpu().numpy() for x in Loaded(packed, device).launch(weights, steps)]
    bound, image, row, column, a, b, share, edges = found
    rows, columns = (np.cumsum([0, *(len(p[side]) for p in pairs)]) for side in (0, 1))
    for k in range(len(pairs)):
        r, c, e = (slice(x[k], x[k + 1]) for x in (rows, columns, edges))
        yield Outcome(image[r], int(bound[k]), a[e], b[e], share[e], row[r], column[c])


def pack(pairs: Sequence[Oriented]) -> Packed:
    """Lay the pairs' graphs side by side, each once; the last two arrays name every pair's source and target."""
    graphs = {id(g): g for p in pairs for g in p}
    number = {key: k for k, key in enumerate(graphs)}
    source, target = (np.array([number[id(p[side])] for p in pairs], dtype=np.int32) for side in (0, 1))
    return (*_core.pack([g.core for g in graphs.values()]), source, target)


class Loaded:
    """Pairs on a GPU, measured, with room for what the kernel writes."""

    def __init__(self, packed: Packed, device: str) -> None:
        self.device = torch.device(device)
        self.kernel = _compiled(device)
        with torch.cuda.device(self.device):
            self.graphs = [torch.from_numpy(x).to(self.device, non_blocking=True) for x in packed]
            first, source, target = self.graphs[0], self.graphs[-2].long(), self.graphs[-1].long()
            self.count = len(source)
            self.counts = candidates, arcs = self._room(self.count).zero_(), self._room(self.count).zero_()
            self.kernel[0]((self.count, 1, 1), (THREADS, 1, 1), [*self.graphs, self.count, candidates, arcs])
            sizes = torch.diff(first).long()
            n, m = sizes[source], sizes[target]
            self.starts = [_starts(x) for x in (n, m, arcs.long() // 2)]
            most = torch.stack([n.max(), m.max(), candidates.max(), arcs.max()])
            ends = torch.stack([x[-1] for x in self.starts])
            *most_of, rows, columns, edges = torch.cat([most, ends]).tolist()
            self.room = [self._room(size) for size in (rows, rows, columns, edges, edges, edges)]
            self.bound = self._room(self.count, torch.int64)
            self.memory = _core.shares_memory(*most_of)
            processors = torch.cuda.get_device_properties(self.device).multi_processor_count
            self.blocks = min(BLOCKS * processors, self.count)
            self.workspace = self._room(256 * self.memory * self.blocks, torch.uint8)
            self.order = torch.argsort(arcs, descending=True).int()  # large ones first: all blocks end together

    def launch(self, weights: Tensor, steps: int) -> list[Tensor]:
        """Run the kernel; bounds, images, potentials, edges, and where the edges of each pair begin."""
        with torch.cuda.device(self.device):
            self.kernel[1](
                (self.blocks, 1, 1),
                (THREADS, 1, 1),
                [
                    *(*self.graphs, self.order, self.count, steps, weights.to(self.device)),
                    *(self.workspace, self.memory, FAST, *self.counts, self._room(1).zero_()),
                    *(self.bound, *self.room, *self.starts),
                ],
                FAST,
            )
        return [self.bound, *self.room, self.starts[-1]]

    def _room(self, size: int, dtype: torch.dtype = torch.int32) -> Tensor:
        return torch.empty(size, dtype=dtype, device=self.device)


def _starts(counts: Tensor) -> Tensor:
    """Where each part begins, and where the last ends."""
    return torch.cat([counts.new_zeros(1), torch.cumsum(counts, 0)])


def source() -> str:
    """Return the kernel's text, its parts in their places."""
    here = Path(__file__).parent
    return re.sub(
        r'#include "gpu/(\w+\.cu)"',
        lambda part: (here / part[1]).read_text(encoding="utf-8"),
        (here / "shares.cu").read_text(encoding="utf-8"),
    )


@lru_cache(maxsize=8)
def _compiled(device: str) -> tuple[Any, Any]:
    """Compile both kernels for a device."""
    compiler = getattr(torch.cuda, "compile_kernel", None) or getattr(torch.cuda, "_compile_kernel", None)
    if compiler is None:
        raise InputError(f"device {device!r}: this PyTorch ({torch.__version__}) cannot compile kernels; 2.9 can")
    text = source()
    shape = {"BLOCK_THREADS": THREADS, "BLOCKS_EACH": BLOCKS, "UNROLLED": UNROLLED}
    options = ["--std=c++20", "-default-device", *(f"-D{name}={value}" for name, value in shape.items())]
    with torch.cuda.device(torch.device(device)):
        measure, share_out = (compiler(text, name, nvcc_options=options) for name in ("measure", "share_out"))
    return measure, share_out
