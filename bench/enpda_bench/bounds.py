"""Upper bounds as the paper states them, and the gap to a mapping that is known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import enpda_verify
from enpda import _core
from enpda.result.certificate import Certificate
from enpda.result.match import Match
from enpda_bench.arms import oriented, trajectory
from enpda_bench.datasets import BenchPair

Prices = npt.NDArray[np.float32]


def gap(upper: float, size: float) -> float:
    """Percent that a bound leaves open, of the bound."""
    return 100.0 * max(upper - size, 0.0) / max(upper, 1.0)


def closed(upper: float, size: float) -> bool:
    """Say whether a bound proves a size: there is no room for one edge more."""
    return upper < size + 1 - 1e-7


def prices_of(pair: BenchPair, arm: str, seed: int) -> Prices:
    """Return the target's prices after four rounds of an arm; `zero` for none."""
    if arm == "zero":
        return np.zeros(len(oriented(pair)[1]), dtype=np.float32)
    return np.asarray(trajectory(pair, arm, seed)[0].prices, dtype=np.float32)


def price_bound(pair: BenchPair, prices: Prices, best_scale: bool = False) -> tuple[float, list[int], list[int]]:
    """Repair prices into a bound: its value, and potentials of a's and b's nodes in units of 1 / PRICE_UNIT.

    Parameters
    ----------
    pair : BenchPair
        Two graphs.
    prices : ndarray
        Over the nodes of the target.
    best_scale : bool
        Whether the scale of the prices is the best one, and not the best of the paper's grid.
    """
    source, target = oriented(pair)
    scales = _core.Scales.exact if best_scale else _core.Scales.grid
    _, _, row, column = _core.repaired_prices(source, target, prices, scales)
    value = float(row.sum() + column.sum()) / _core.PRICE_UNIT
    row, column = (row, column) if source is pair.a.core else (column, row)
    return value, row.tolist(), column.tolist()


def price_certificate(match: Match, value: float, row: list[int], column: list[int]) -> Certificate:
    """Return the certificate that a match has by a price bound alone."""
    upper = int(value)
    witness = {"name": "prices", "kind": "potentials", "scale": _core.PRICE_UNIT, "row": row, "column": column}
    content = {**match.certificate.content, "upper": upper, "optimal": upper == match.size, "bound": witness}
    return Certificate({**content, "seal": enpda_verify.seal(content)})
