"""Why the work on a pair ended, in words."""

from __future__ import annotations

from typing import Literal

AUTO_GAP = 4
"""Edges (under weights, the lightest) that may be missing for `auto` to branch: with more, a proof is out of reach, and
nobody should wait for it."""

AUTO_CELLS = 100_000
"""Up to this many cells (316 x 316 nodes) `auto` ends with the `solver` search; beyond, where that takes seconds, with
`fast`."""

Status = Literal["optimal", "bounded", "below_threshold", "time_limit", "interrupted"]
REASONS: dict[str, str] = {
    "optimal": "size and upper bound meet",
    "below_threshold": "no mapping reaches the threshold",
    "time_limit": "the time was up",
    "interrupted": "it was interrupted",
}
"""Why work ends, by status; `bounded` depends on the method."""


def why_bounded(method: str, missing: int, cells: int, least: int = 1) -> str:
    """Return why a method ended with so much missing for a proof, on a pair of so many cells.

    `least` is what an edge is worth at least.
    """
    why = [f"all that {method!r} does was done"]
    if method == "auto" and missing > AUTO_GAP * least:
        weighing = "" if least == 1 else f" that weigh {least} or more"
        missed = f"{missing} edges" if least == 1 else f"a weight of {missing}"
        why.append(f"a proof is out of reach with {missed} missing, more than {AUTO_GAP} edges{weighing}")
    if method == "auto" and cells > AUTO_CELLS:
        why.append(f"the long search is left out beyond {AUTO_CELLS} cells")
    if method != "exact":
        why.append("'exact' goes on to its time limit")
    return "; ".join(why)
