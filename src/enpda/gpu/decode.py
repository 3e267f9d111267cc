"""From a batch's states to hard mappings, by the compiled core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.gpu.batch import Oriented
from enpda.gpu.policy import State

Image = npt.NDArray[np.int32]
Sizes = npt.NDArray[np.int64]


def decoded(
    pairs: Sequence[Oriented], state: State, decoder: str = "hungarian", threads: int = 1
) -> tuple[list[Image], Sizes]:
    """Return each pair's mapping (-1: not matched), stripped, and all sizes."""
    bids, alone = (x.detach().cpu().numpy() for x in (state.bids, state.unmatched_logit))
    cores = [(p.a.core, p.b.core) for p in pairs]
    image, sizes, _ = _core.decode(cores, bids, alone, getattr(_core.Decoder, decoder), threads=threads)
    return by_pair(image, pairs), sizes


def by_pair(image: Image, pairs: Sequence[Oriented]) -> list[Image]:
    """Cut the mappings of many pairs apart."""
    return np.split(image, np.cumsum([len(p.a) for p in pairs])[:-1])
