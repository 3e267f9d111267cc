"""How much a search may do: the presets behind the method names, and the record of the paper's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from enpda import _core
from enpda.checks import choice, real, whole
from enpda.errors import InputError, brief

Decoder = Literal["growth", "hungarian"]


@dataclass(frozen=True)
class Budget:
    """What every stream of a search may spend.

    Parameters
    ----------
    noisy : tuple of bool
        One entry a stream: whether Gumbel noise perturbs its initial bids.
    decoder : {"growth", "hungarian"}
        Decoder of each stream's first mapping.
    discrete : int
        Restarts that are annealed and refined: the first mapping, then by turns growths, perturbations of the best
        and noisy projections.
    constructive : int
        Restarts by growth and refinement alone.
    passes : int
        Moves of each refinement, at most.
    anneal_first : bool
        Whether the first mapping is annealed too.
    anneal_steps, anneal_exponent : int, float
        Proposals of the first annealing for 1,000 candidates, and the power of the number of candidates (up to
        4,000) that they grow with: larger pairs need more.
    anneal_growth : float
        How much longer each further annealing is.
    anneal_hot, anneal_cold : float
        Temperatures in edges, geometric in between.
    guided : float
        Share of annealing proposals that extend a preserved edge.
    neighbourhood_steps : int
        Steps of large-neighbourhood search from the best mapping.
    """

    noisy: tuple[bool, ...] = (False,)
    decoder: Decoder = "growth"
    discrete: int = 0
    constructive: int = 0
    passes: int = 0
    anneal_first: bool = True
    anneal_steps: int = 0
    anneal_exponent: float = 0.0
    anneal_growth: float = 1.0
    anneal_hot: float = 0.5
    anneal_cold: float = 0.25
    guided: float = 0.9
    neighbourhood_steps: int = 0

    def __post_init__(self) -> None:
        if (
            not isinstance(self.noisy, tuple)
            or not self.noisy
            or not all(isinstance(flag, (bool, np.bool_)) for flag in self.noisy)
        ):
            raise InputError(f"noisy must hold one bool per stream, at least one; got {brief(self.noisy)}")
        choice("decoder", self.decoder, get_args(Decoder))
        if not isinstance(self.anneal_first, bool):
            raise InputError(f"anneal_first must be a bool; got {brief(self.anneal_first)}")
        for name in ("discrete", "constructive", "passes", "anneal_steps", "neighbourhood_steps"):
            whole(name, getattr(self, name), 0, 10**9)
        real("anneal_exponent", self.anneal_exponent, 0, 3)
        real("anneal_growth", self.anneal_growth, 1, 100)
        for name in ("anneal_hot", "anneal_cold"):
            real(name, getattr(self, name), 1e-3, 1e3)
        real("guided", self.guided, 0, 1)

    def with_streams(self, count: int) -> Budget:
        """Return the same budget for `count` streams, all but the first perturbed."""
        return replace(self, noisy=(False,) + (True,) * (count - 1))

    def options(self, rounds: int, seed: int, threads: int, policy: _core.Policy | None = None) -> _core.SearchOptions:
        """Return the compiled core's view of this budget."""
        options = _core.SearchOptions()
        options.rounds, options.seed, options.threads, options.policy = rounds, seed, threads, policy
        options.noisy = [int(flag) for flag in self.noisy]
        options.decoder = getattr(_core.Decoder, self.decoder)
        for name in ("discrete", "constructive", "passes", "anneal_first", "anneal_exponent", "anneal_growth"):
            setattr(options, name, getattr(self, name))
        options.anneal.steps, options.anneal.guided = self.anneal_steps, self.guided
        options.anneal.hot, options.anneal.cold = self.anneal_hot, self.anneal_cold
        options.neighbourhood.steps = self.neighbourhood_steps
        return options


PAPER = Budget(decoder="hungarian", anneal_first=False, anneal_hot=1.25, anneal_cold=0.03, guided=0.0)
PAPER_STREAMS = (False, True, True, False)

SHORT = Budget(discrete=1, passes=30, anneal_steps=1_000, anneal_hot=0.35, anneal_cold=0.2)
"""What `auto` tries before its first look at the bound."""

PRESETS = {
    "analytic": Budget(),
    "core": Budget(),
    # Short annealings of one length win at 4 ms, slowly lengthening ones at 0.4 s; docs/notebook.md says on which
    # pairs the numbers were chosen.
    "fast": Budget(discrete=24, passes=30, anneal_steps=6_000, anneal_hot=0.35, anneal_cold=0.2),
    "solver": Budget(
        noisy=PAPER_STREAMS,
        discrete=50,
        constructive=64,
        passes=30,
        anneal_steps=3_000,
        anneal_exponent=1.5,
        anneal_growth=1.1,
        neighbourhood_steps=250,
    ),
    "paper-fast": replace(PAPER, discrete=4, constructive=4, passes=10),
    "paper-solver": replace(
        PAPER,
        noisy=PAPER_STREAMS,
        discrete=64,
        constructive=64,
        passes=30,
        anneal_steps=2_500,
        neighbourhood_steps=250,
    ),
}
