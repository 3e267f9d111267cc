"""Options of several commands that say how to work on each pair, and for how long."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cyclopts import Parameter

from enpda.solve.options import Method


@Parameter(name="*", group="Effort")
@dataclass(frozen=True)
class EffortOptions:
    """How to work on each pair, and for how long.

    Parameters
    ----------
    method
        `auto` and `exact` search and prove; `exact` goes on to the time limit, `auto` ends where a proof is out of
        reach. `fast` (about 4 ms a pair of drugs) and `solver` (0.4 s) search without a proof: for a good mapping soon.
        `core` and `analytic` make one proposal, with and without a learned policy: for very many pairs. `paper-fast`
        and `paper-solver` spend the budgets of the paper.
    time_limit
        Seconds for each pair; what is found by then comes with its bound and the status `time_limit`.
    seed
        Seed of all randomness: the same seed gives the same answer.
    """

    method: Method = "auto"
    time_limit: float = 10.0
    seed: int = 0

    def keywords(self) -> dict[str, Any]:
        """Return them as `match` takes them."""
        return asdict(self)


DEFAULT_EFFORT = EffortOptions()
