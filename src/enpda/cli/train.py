"""`enpda train`: from public data to a policy of one's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

from enpda.errors import InputError

USED_BY = {
    "recipe": ("full", "no-price", "sinkhorn"),
    "teacher": ("full", "no-price", "sinkhorn"),
    "threads": ("shares",),
}
"""The arms that a flag is for."""


def train(
    *,
    data: Path | None = None,
    work: Path = Path("training"),
    arm: Literal["shares", "full", "no-price", "sinkhorn"] = "full",
    recipe: Literal["paper", "plus"] | None = None,
    teacher: Literal["paper", "anchored"] | None = None,
    seed: int = 0,
    epochs: int | None = None,
    scale: float = 1.0,
    device: str = "cpu",
    threads: int | None = None,
) -> int:
    """Train a policy and write its weights, card, learning curve and report.

    Example: `enpda train --data DIR --device cuda`, then `enpda match A B --method core --policy FILE`

    Run it again to go on after an interruption: every stage and every epoch leaves a file.

    Parameters
    ----------
    data
        Folder with AIDS, MOLHIV, MCF-7 and the test pairs, whose graphs are kept out (see docs/data.md); default: the
        variable ENPDA_DATA. Only needed until `split.npz` is in the work folder.
    work
        Folder for everything that is made.
    arm
        `shares`: the default policy, which shares profit out between copies of association edges. `full`: the paper's
        policy of bids and prices; the same without prices, or the Sinkhorn control.
    recipe
        `paper`: as the paper says, with as many pairs as it has. `plus` (the default): more pairs, planted relatives
        among them, averaged weights, and prices that are trained to bound. Not for `shares`.
    teacher
        Whether teacher maps start from the reference matcher, as in the paper (the default), or from the analytic
        rounds. Not for `shares`, which has no teacher.
    seed
        Of weights and order.
    epochs
        Passes over the training pairs: 90 for `shares`, whose average over the last steps is kept, 12 for the others,
        of which the best on validation pairs is kept.
    scale
        Factor on the number of pairs: 0.02 for a look, more than 1 for more than the paper's.
    device
        `cpu` or `cuda`.
    threads
        Processors that evaluate bounds; default: one. Only for `shares`.
    """
    given = {"recipe": recipe, "teacher": teacher, "threads": threads}
    for flag, value in given.items():
        if value is not None and arm not in USED_BY[flag]:
            raise InputError(f"--{flag} does nothing for the arm {arm}: it is for {' and '.join(USED_BY[flag])}")
    try:
        from enpda.learn import pipeline, sharing
        from enpda.learn.datasets import data_folder
    except ModuleNotFoundError as error:
        raise InputError(f"training needs PyTorch: pip install 'enpda[train]' ({error})") from None

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    data = data_folder(data)
    passes: dict[str, Any] = {} if epochs is None else {"epochs": epochs}
    if arm == "shares":
        path = sharing.run(
            sharing.SharePlan(work, data, seed, scale=scale, device=device, threads=threads or 1, **passes), say
        )
    else:
        plan = pipeline.Plan(
            work, data, arm, recipe or "plus", teacher or "paper", seed, scale=scale, device=device, **passes
        )
        path = pipeline.run(plan, say)
        print((path.parent / "report.md").read_text(encoding="utf-8"))
    print(f"weights  {path}")
    return 0
