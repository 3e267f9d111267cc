"""From a batch's states to hard mappings, by the compiled core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.learn.batch import Batch, Prepared
from enpda.learn.policy import State

Image = npt.NDArray[np.int32]


def decoded(
    pairs: Sequence[Prepared], batch: Batch, state: State, decoder: str = "hungarian"
) -> list[tuple[Image, int]]:
    """Return each pair's mapping (-1: not matched), stripped, and its size."""
    bids = state.bids.detach().cpu().numpy()
    alone = state.unmatched_logit.detach().cpu().numpy()
    how = getattr(_core.Decoder, decoder)
    return [
        _core.decode(p.a.core, p.b.core, bids[cells].reshape(len(p.a), len(p.b)), alone[rows], how)
        for p, cells, rows in zip(pairs, batch.cell_slices(), batch.row_slices(), strict=True)
    ]


def sizes(pairs: Sequence[Prepared], batch: Batch, state: State, decoder: str = "hungarian") -> npt.NDArray[np.int64]:
    """Count the edges that each decoded mapping preserves."""
    return np.array([size for _, size in decoded(pairs, batch, state, decoder)], dtype=np.int64)
