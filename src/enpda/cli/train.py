"""`enpda train`: from public data to a policy of one's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

from enpda.errors import InputError


def train(
    *,
    data: Path | None = None,
    work: Path = Path("training"),
    arm: Literal["shares", "full", "no-price", "sinkhorn"] = "full",
    teacher: Literal["paper", "anchored"] = "paper",
    seed: int = 0,
    epochs: int | None = None,
    scale: float = 1.0,
    device: str = "cpu",
    line_search: bool = False,
    bound: float | None = None,
    threads: int = 1,
) -> int:
    """Train a policy and write its weights, card, learning curve and report.

    Example: `enpda train --data DIR --device cuda`, then `enpda match A B --method core --policy FILE`

    Run it again to go on after an interruption: every stage and every epoch leaves a file.

    Parameters
    ----------
    data
        Folder with AIDS, MOLHIV, MCF-7 and the test pairs, whose graphs are kept out (see docs/data.md); only needed
        until `split.npz` is in the work folder.
    work
        Folder for everything that is made.
    arm
        `shares`: the default policy, which shares profit out between copies of association edges. `full`: the paper's
        policy of bids and prices; the same without prices, or the Sinkhorn control.
    teacher
        Whether teacher maps start from the reference matcher, as in the paper, or from the analytic rounds; `shares`
        has no teacher.
    seed
        Of weights and order.
    epochs
        Passes over the training pairs: 90 for `shares`, whose average over the last steps is kept, 12 for the others,
        of which the best on validation pairs is kept.
    scale
        Factor on the number of pairs: 0.02 for a look, more than 1 for more than the paper's.
    device
        `cpu` or `cuda`.
    line_search
        Train the reference matcher with the paper's line search: many times as long, for the same teachers.
    bound
        Weight of the upper bound from the prices in the loss of the full arm (5; 0 in the paper): the more, the
        tighter the prices and the fewer edges a mapping keeps.
    threads
        Processors that evaluate bounds for `shares`.
    """
    try:
        from enpda.learn import pipeline, sharing
    except ModuleNotFoundError as error:
        raise InputError(f"training needs PyTorch: pip install 'enpda[train]' ({error})") from None

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    passes: dict[str, Any] = {} if epochs is None else {"epochs": epochs}
    if arm == "shares":
        path = sharing.run(
            sharing.SharePlan(work, data, seed, scale=scale, device=device, threads=threads, **passes), say
        )
    else:
        weight: dict[str, Any] = {} if bound is None else {"bound": bound}
        plan = pipeline.Plan(
            work, data, arm, teacher, seed, scale=scale, device=device, line_search=line_search, **passes, **weight
        )
        path = pipeline.run(plan, say)
        print((path.parent / "report.md").read_text(encoding="utf-8"))
    print(f"weights  {path}")
    return 0
