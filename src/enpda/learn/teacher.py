"""Teacher maps: a state's own assignment, improved by the paper's exchange search.

A teacher must lean the way the student's state leans: of the many equivalent optima of a symmetric molecule it must
name that one. `paper` starts from two mirror steps of the reference matcher, `anchored` from the analytic rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch

from enpda import _core
from enpda.gpu.batch import Oriented, collate
from enpda.gpu.decode import Image, decoded
from enpda.gpu.policy import run
from enpda.learn.losses import Targets
from enpda.learn.reference import Reference

Kind = Literal["paper", "anchored"]
PASSES = 30


@torch.no_grad()
def starts(pairs: Sequence[Oriented], kind: Kind, reference: Reference | None, rounds: int = 4) -> list[Image]:
    """Return the mappings that teachers begin with."""
    result = []
    for k in range(0, len(pairs), 64):
        some = pairs[k : k + 64]
        batch = collate(some)
        if kind == "anchored":
            result += decoded(some, run(batch, rounds)[-1])[0]
            continue
        if reference is None:
            raise ValueError("the paper's teacher needs a reference matcher")
        soft = reference.teacher_soft(batch).double().numpy()
        for p, cells in zip(some, batch.cell_slices(), strict=True):
            # Every row is matched: a constant lifts all cells above staying alone.
            weight = soft[cells].reshape(len(p.a), len(p.b)) + 2.0
            result.append(_core.assign(weight)[1])
    return result


def refined(p: Oriented, image: Image) -> Image:
    """Improve a mapping by exchanges until none helps, at most thirty times; keep what preserves edges."""
    options = _core.SearchOptions()
    options.passes = PASSES
    start = _core.strip(p.a.core, p.b.core, image)
    _, best, _, _ = _core.run_operator(_core.Operator.refine, p.a.core, p.b.core, start, options)
    return _core.strip(p.a.core, p.b.core, best)


def targets(pairs: Sequence[Oriented], maps: Sequence[Image], analytic: Sequence[float]) -> Targets:
    """Turn teacher maps into targets for one batch; `analytic` is what `student.baseline` says about each pair."""
    cells, owners, active = [], [], []
    begin = 0
    for k, (p, image) in enumerate(zip(pairs, maps, strict=True)):
        rows = np.flatnonzero(image >= 0)
        cells.append(begin + rows * len(p.b) + image[rows])
        begin += len(p.a) * len(p.b)
        owners.append(np.full(len(rows), k))
        active.append(len(rows))
    return Targets(
        torch.from_numpy(np.concatenate(cells).astype(np.int64)),
        torch.from_numpy(np.concatenate(owners).astype(np.int64)),
        torch.tensor(active, dtype=torch.float32),
        torch.tensor(analytic, dtype=torch.float32),
    )
