"""Training of a student: epochs over teacher maps, a checkpoint after each, selection on validation pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from enpda.gpu.batch import Batch, Oriented, collate
from enpda.gpu.decode import Image, decoded
from enpda.gpu.policy import FULL, NO_PRICES, Policy, run
from enpda.learn.control import Control, control_loss, control_sizes
from enpda.learn.losses import Targets, likelihood, student_loss
from enpda.learn.reference import Pretraining
from enpda.learn.split import Part
from enpda.learn.teacher import targets

ArmName = Literal["full", "no-price", "sinkhorn"]
RATE, DECAY, CLIP, ACCUMULATION = 3e-4, 1e-5, 2.0, 8
ROUNDS, EPOCHS = 4, 12
VALIDATED = (1, 2, 4)
RecipeName = Literal["paper", "plus"]


@dataclass(frozen=True)
class Recipe:
    """What a student learns from, and how.

    Attributes
    ----------
    parts : sequence of {"pairs", "relatives", "small"}
        Parts of the split.
    as_many_as_the_paper : bool
        Whether only as many pairs of molecules take part as the paper has.
    bound : float
        Weight of the price bound in the loss of the full arm. On validation pairs 0 leaves it loose, and every unit
        more costs edges.
    memory : float
        Of the averaged weights, which are kept: 0.998 forgets a step in about 500 others, 0 keeps the last weights.
    stride : int
        Epochs from one checkpoint that may be chosen to the next.
    reference : Pretraining
        How the reference matcher is trained.
    """

    parts: Sequence[Part]
    as_many_as_the_paper: bool
    bound: float
    memory: float
    stride: int
    reference: Pretraining


RECIPES: dict[str, Recipe] = {
    "paper": Recipe(("pairs",), True, 0.0, 0.0, 2, Pretraining(line_search=True, rate=1e-3, batch=8)),
    "plus": Recipe(("pairs", "relatives"), False, 3.0, 0.998, 1, Pretraining(line_search=False, rate=5e-3, batch=128)),
}
"""`paper` does what the paper says and nothing else; `plus` is what we found to work better."""


@dataclass(frozen=True)
class Lesson:
    """One optimiser step: pairs in a batch and what their teachers say."""

    batch: Batch
    targets: Targets


class Arm:
    """What differs between the arms: the network, its loss, and how it is judged on validation pairs."""

    def __init__(self, name: ArmName, bound: float = 0.0) -> None:
        self.name, self.bound = name, bound if name == "full" else 0.0  # the other arms have no prices to train
        self.parts = NO_PRICES if name == "no-price" else FULL

    def network(self) -> nn.Module:
        """Return a fresh network; the caller seeds."""
        return Control() if self.name == "sinkhorn" else Policy()

    def loss(self, network: nn.Module, lesson: Lesson) -> Tensor:
        """Return the loss of one step."""
        if isinstance(network, Control):
            soft, _ = network(lesson.batch)
            return control_loss(lesson.batch, soft, lesson.targets)
        return student_loss(lesson.batch, network(lesson.batch, ROUNDS, self.parts), lesson.targets, self.bound)

    @torch.no_grad()
    def untrained(self, batch: Batch) -> Tensor:
        """Return the soft assignment that the relative term compares with; with prices in every arm of rounds."""
        return Control()(batch, learned=False)[0] if self.name == "sinkhorn" else run(batch, ROUNDS)[-1].soft

    @torch.no_grad()
    def validate(self, network: nn.Module, pairs: Sequence[Oriented], batch: Batch, baseline: Any) -> float:
        """Mean gain in edges over the baseline at 1, 2 and 4 rounds, as a share of the smaller edge set."""
        edges = batch.edges.cpu().numpy()
        if isinstance(network, Control):
            return float((control_sizes(pairs, batch, *network(batch)) / edges).mean())
        states = network(batch, max(VALIDATED), self.parts)
        gains = [(decoded(pairs, states[t])[1] - baseline[t]) / edges for t in VALIDATED]
        return float(np.mean(gains))


@torch.no_grad()
def analytic_sizes(pairs: Sequence[Oriented], batch: Batch) -> dict[int, Any]:
    """Sizes of the analytic policy's mappings after 1, 2 and 4 rounds."""
    states = run(batch, max(VALIDATED))
    return {t: decoded(pairs, states[t])[1] for t in VALIDATED}


class School:
    """Training pairs and their teacher maps, served as lessons."""

    def __init__(self, arm: Arm, pairs: Sequence[Oriented], maps: Sequence[Image], device: str) -> None:
        self._pairs, self._maps, self._device = pairs, maps, device
        self._analytic = [0.0] * len(pairs)
        for k in range(0, len(pairs), 64):
            members = list(range(k, min(k + 64, len(pairs))))
            lesson = self._lesson(members)
            values = likelihood(arm.untrained(lesson.batch), lesson.targets)
            self._analytic[k : k + len(members)] = values.tolist()

    def _lesson(self, members: list[int]) -> Lesson:
        pairs, maps = [self._pairs[k] for k in members], [self._maps[k] for k in members]
        batch = collate(pairs, self._device)
        return Lesson(batch, targets(pairs, maps, [self._analytic[k] for k in members]).to(self._device))

    def epoch(self, seed: int, size: int = ACCUMULATION) -> Iterator[Lesson]:
        """Yield an epoch's steps in random order."""
        order = torch.randperm(len(self._pairs), generator=torch.Generator().manual_seed(seed)).tolist()
        for k in range(0, len(order), size):
            yield self._lesson(order[k : k + size])

    def steps(self, size: int = ACCUMULATION) -> int:
        """Count an epoch's steps."""
        return -(-len(self._pairs) // size)


def train_epoch(
    arm: Arm,
    network: nn.Module,
    averaged: nn.Module,
    optimiser: torch.optim.Optimizer,
    school: School,
    seed: int,
    steps: int,
    memory: float,
) -> float:
    """One pass over the training pairs, after `steps` optimiser's steps; returns the mean loss."""
    losses = []
    for lesson in tqdm(school.epoch(seed), total=school.steps(), desc=arm.name, leave=False, disable=None):
        loss = arm.loss(network, lesson)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimiser.step()
        losses.append(loss.detach())
        steps += 1
        blend(averaged, network, steps, memory)
    return float(torch.stack(losses).mean())


@torch.no_grad()
def blend(averaged: nn.Module, network: nn.Module, steps: int, memory: float) -> None:
    """Move the averaged weights towards the network's; further in the beginning, when there is little to remember."""
    share = 1 - min(memory, (1 + steps) / (10 + steps))
    for mean, weight in zip(averaged.parameters(), network.parameters(), strict=True):
        mean.lerp_(weight, share)
