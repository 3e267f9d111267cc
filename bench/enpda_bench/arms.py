"""Arms of the policy: which weights, which parts act; one trajectory and one projection of a pair."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.solve.policy import load_rounds, shipped
from enpda_bench.datasets import BenchPair
from enpda_bench.scope import Scope
from enpda_bench.study import Outcome, Trial

PARTS = _core.PolicyParts

ARMS: dict[str, tuple[str | None, _core.PolicyParts]] = {
    "analytic": (None, PARTS()),
    "analytic, no prices": (None, PARTS(prices=False)),
    "full": ("full", PARTS()),
    "plus": ("plus", PARTS()),
    "full, prices off": ("full", PARTS(prices=False)),
    "initial part only": ("full", PARTS(dynamics=False)),
    "dynamic part only": ("full", PARTS(initializer=False)),
    "trained without prices": ("no-price", PARTS(prices=False)),
}
"""Name of an arm -> its weights, none for analytic rounds, and which parts act. `full` is the paper's policy, trained
as the paper says; `plus` the same network, trained with what we found to work better."""
RELABELLINGS = 10
ANY_ORDER = "any order"
"""What a record calls the edges after a projection, on average over random orders of rows and columns."""


@lru_cache
def weights(arm: str, seed: int) -> _core.Policy | None:
    """Return the policy of an arm."""
    kind = ARMS[arm][0]
    return None if kind is None else load_rounds(shipped(f"{kind}-{seed}"))


def trials_of(scope: Scope, arms: Iterable[str], count: int | None) -> Iterator[Trial]:
    """Every arm on `count` pairs of every native set; weights have seeds, analytic arms have one."""
    for name in scope.native:
        for pair in scope.positions(name, count):
            for arm in arms:
                for seed in scope.seeds if ARMS[arm][0] else (0,):
                    yield Trial(arm, name, pair, seed)


def measured(
    pair: BenchPair, arm: str, seed: int, rounds: int = 4, decoder: str = "hungarian", turn: bool = True
) -> Outcome:
    """Run one trajectory and one projection, timed together; weights are read before."""
    weights(arm, seed)
    begin = time.perf_counter()
    state, turned = trajectory(pair, arm, seed, rounds, turn)
    found = projection(pair, state, turned, decoder)
    took = time.perf_counter() - begin
    return replace(found, seconds=took, values=relabelled(pair, state, turned) if decoder == "hungarian" else {})


def oriented(pair: BenchPair) -> tuple[_core.Graph, _core.Graph]:
    """Return the two graphs, the smaller one first, as `match` takes them."""
    a, b = pair.a.core, pair.b.core
    return (a, b) if _core.source_first(a, b) else (b, a)


def trajectory(pair: BenchPair, arm: str, seed: int, rounds: int = 4, turn: bool = True) -> tuple[_core.State, bool]:
    """Run the rounds on a pair, the smaller graph as the source if `turn`; also say whether it was turned."""
    a, b = pair.a.core, pair.b.core
    turned = turn and not _core.source_first(a, b)
    left, right = (b, a) if turned else (a, b)
    return _core.run_rounds(left, right, rounds, policy=weights(arm, seed), parts=ARMS[arm][1]), turned


def projection(pair: BenchPair, state: _core.State, turned: bool, decoder: str = "hungarian") -> Outcome:
    """Decode a state; the image is that of the pair's first graph, stripped to preserved edges."""
    a, b = pair.a.core, pair.b.core
    how = getattr(_core.Decoder, decoder)
    image, sizes, _ = _core.decode([(b, a) if turned else (a, b)], state.bids.ravel(), state.unmatched_logit, how)
    return Outcome(image=inverse(image, len(pair.a)) if turned else image, size=int(sizes[0]))


def relabelled(pair: BenchPair, state: _core.State, turned: bool) -> dict[str, float]:
    """Project once more in random orders of rows and columns, which decide between assignments of equal worth."""
    a, b = (pair.b.core, pair.a.core) if turned else (pair.a.core, pair.b.core)
    return shuffled(a, b, np.maximum(state.bids.astype(np.float64) - state.unmatched_logit[:, None], 0.0))


def shuffled(a: _core.Graph, b: _core.Graph, weight: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return the mean size of the best assignments of a matrix; columns beyond b's nodes mean staying unmatched."""
    rng, sizes = np.random.default_rng(0), []
    for _ in range(RELABELLINGS):
        rows, columns = (rng.permutation(count) for count in weight.shape)
        found = _core.assign(np.ascontiguousarray(weight[rows][:, columns]))[1]
        image = np.full(len(rows), -1, dtype=np.int32)
        image[rows] = np.where((found >= 0) & (columns[found] < len(b)), columns[found], -1)
        sizes.append(_core.check(a, b, _core.strip(a, b, image))[0])
    return {ANY_ORDER: float(np.mean(sizes))}


def inverse(image: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    """Turn a partial injection around."""
    out = np.full(count, -1, dtype=np.int32)
    (sources,) = np.nonzero(image >= 0)
    out[image[sources]] = sources
    return out
