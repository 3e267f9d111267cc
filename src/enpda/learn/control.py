"""The Sinkhorn control of the paper: the same encoder and teacher, one projection instead of rounds and prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from enpda import _core
from enpda.gpu.batch import Batch, Oriented
from enpda.gpu.policy import FEATURES, UNMATCHED, Context, Encoder, analytic_bids, head
from enpda.learn.losses import MARGIN, RELATIVE, REWARD, Targets, likelihood
from enpda.learn.sinkhorn import ITERATIONS, Dense, balanced

MASK = -30.0
Image = npt.NDArray[np.int32]


class Control(nn.Module):
    """Two heads on an encoder, then partial Sinkhorn: 26,050 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder(FEATURES)
        self.affinity, self.unmatched = head(), head()

    def logits(self, batch: Batch, learned: bool = True) -> tuple[Tensor, Tensor]:
        """Return the logits of cells and of staying unmatched."""
        cells = analytic_bids(batch)
        alone = cells.new_full((len(batch.rows.count),), UNMATCHED)
        if learned:
            h = self.encoder(batch, batch.features)
            context = Context(batch, h, [self.affinity], rows=[self.unmatched])
            cells, alone = cells + context.cells[0], alone + context.rows[0]
        return torch.where(batch.compatible > 0, cells, torch.full_like(cells, MASK)), alone

    def forward(self, batch: Batch, learned: bool = True) -> tuple[Tensor, Tensor]:
        """Return the probabilities of cells and of each row's n unmatched columns (one for all).

        The square matrix has n + m rows: n real ones, and m that fill it up, all alike; and m + n columns: m real
        ones, and n for staying unmatched, all alike.
        """
        cells, alone = self.logits(batch, learned)
        dense = Dense(batch)
        pairs, n, m = dense.shape
        matrix = dense.matrices(cells.double(), -torch.inf)
        last_column = dense.rows(alone.double(), -torch.inf)[:, :, None]
        last_row = matrix.new_zeros(pairs, 1, m + 1)
        last_row[:, 0, :m] = dense.columns(last_row.new_zeros(len(batch.columns.count)), -torch.inf)
        square = torch.cat([torch.cat([matrix, last_column], 2), last_row], 1)
        copies = [count.double()[:, None] for count in (batch.pair_columns.count, batch.pair_rows.count)]
        rows, columns = (torch.cat([matrix.new_ones(pairs, k), x], 1) for k, x in zip((n, m), copies, strict=True))
        soft = balanced(square, rows, columns).to(cells.dtype)
        return dense.cells(soft[:, :n, :m]), soft[:, :n, m].flatten().index_select(0, dense.row)


def control_loss(batch: Batch, soft: Tensor, targets: Targets) -> Tensor:
    """Return the map, relative and edge reward terms; `targets.analytic` is the untrained control's likelihood."""
    loss = likelihood(soft, targets)
    loss = loss + RELATIVE * torch.relu(loss - targets.analytic + MARGIN)
    return (loss - REWARD * batch.quadratic(soft) / (2 * batch.edges)).mean()


def control_images(pairs: Sequence[Oriented], batch: Batch, soft: Tensor, unmatched: Tensor) -> list[Image]:
    """Return the assignments of the probabilities, n unmatched columns included."""
    cells, alone = soft.detach().double().cpu().numpy(), unmatched.detach().double().cpu().numpy()
    found = []
    for p, where, rows in zip(pairs, batch.cell_slices(), batch.row_slices(), strict=True):
        n, m = len(p.a), len(p.b)
        found.append(hard_image(p, np.hstack([cells[where].reshape(n, m), np.repeat(alone[rows, None], n, 1)])))
    return found


def control_sizes(pairs: Sequence[Oriented], batch: Batch, soft: Tensor, unmatched: Tensor) -> npt.NDArray[np.int64]:
    """Sizes of the assignments of the probabilities."""
    images = control_images(pairs, batch, soft, unmatched)
    return np.array([image_size(p, image) for p, image in zip(pairs, images, strict=True)], dtype=np.int64)


def hard_image(p: Oriented, probabilities: npt.NDArray[np.float64]) -> Image:
    """Best assignment of an n x (m + n) matrix of probabilities, stripped to preserved edges."""
    image = _core.assign(np.ascontiguousarray(probabilities) + 2.0)[1].copy()
    image[image >= len(p.b)] = -1
    return _core.strip(p.a.core, p.b.core, image)


def image_size(p: Oriented, image: Image) -> int:
    """Count the edges that an image preserves."""
    return len(_core.preserved_edges(p.a.core, p.b.core, image))


def noisy_image(p: Oriented, logits: Tensor, alone: Tensor, seed: int, samples: int = 10) -> Image:
    """Return the best of noisy projections (Gumbel-Sinkhorn); noise makes all rows and columns differ."""
    n, m = len(p.a), len(p.b)
    generator = torch.Generator().manual_seed(seed)
    base = torch.cat([logits.view(n, m), alone[:, None].expand(n, n)], 1)
    square = torch.cat([base, torch.zeros(m, m + n)])[None].repeat(samples, 1, 1)
    uniform = torch.rand(samples, n, m + n, generator=generator).clamp(1e-12, 1 - 1e-7)
    square[:, :n] -= torch.log(-torch.log(uniform))
    for _ in range(ITERATIONS):
        square = square - torch.logsumexp(square, 2, keepdim=True)
        square = square - torch.logsumexp(square, 1, keepdim=True)
    square = torch.softmax(square, 2)[:, :n].double()
    return max((hard_image(p, sample.numpy()) for sample in square), key=lambda image: image_size(p, image))
