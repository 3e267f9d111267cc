"""Training of a student: epochs over teacher maps, a checkpoint after each, selection on validation pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from enpda.learn.batch import Batch, Prepared, collate
from enpda.learn.control import Control, control_loss, control_sizes
from enpda.learn.decode import Image, sizes
from enpda.learn.losses import Targets, likelihood, student_loss
from enpda.learn.policy import FULL, NO_PRICES, Policy, run
from enpda.learn.teacher import targets

ArmName = Literal["full", "no-price", "sinkhorn"]
RATE, DECAY, CLIP, ACCUMULATION = 3e-4, 1e-5, 2.0, 8
ROUNDS, EPOCHS = 4, 12
VALIDATED = (1, 2, 4)


@dataclass(frozen=True)
class Lesson:
    """One optimiser step: pairs in a batch and what their teachers say."""

    batch: Batch
    targets: Targets


class Arm:
    """What differs between the arms: the network, its loss, and how it is judged on validation pairs."""

    def __init__(self, name: ArmName) -> None:
        self.name = name
        self.parts = NO_PRICES if name == "no-price" else FULL

    def network(self) -> nn.Module:
        """Return a fresh network; the caller seeds."""
        return Control() if self.name == "sinkhorn" else Policy()

    def loss(self, network: nn.Module, lesson: Lesson) -> Tensor:
        """Return the loss of one step."""
        if isinstance(network, Control):
            soft, _ = network(lesson.batch)
            return control_loss(lesson.batch, soft, lesson.targets)
        return student_loss(lesson.batch, network(lesson.batch, ROUNDS, self.parts), lesson.targets)

    @torch.no_grad()
    def untrained(self, batch: Batch) -> Tensor:
        """Return the soft assignment that the relative term compares with; with prices in every arm of rounds."""
        return Control()(batch, learned=False)[0] if self.name == "sinkhorn" else run(batch, ROUNDS)[-1].soft

    @torch.no_grad()
    def validate(self, network: nn.Module, pairs: Sequence[Prepared], batch: Batch, baseline: Any) -> float:
        """Mean gain in edges over the baseline at 1, 2 and 4 rounds, as a share of the smaller edge set."""
        edges = batch.edges.cpu().numpy()
        if isinstance(network, Control):
            return float((control_sizes(pairs, batch, *network(batch)) / edges).mean())
        states = network(batch, max(VALIDATED), self.parts)
        gains = [(sizes(pairs, batch, states[t]) - baseline[t]) / edges for t in VALIDATED]
        return float(np.mean(gains))


@torch.no_grad()
def analytic_sizes(pairs: Sequence[Prepared], batch: Batch) -> dict[int, Any]:
    """Sizes of the analytic policy's mappings after 1, 2 and 4 rounds."""
    states = run(batch, max(VALIDATED))
    return {t: sizes(pairs, batch, states[t]) for t in VALIDATED}


class School:
    """Training pairs and their teacher maps, served as lessons."""

    def __init__(self, arm: Arm, pairs: Sequence[Prepared], maps: Sequence[Image], device: str) -> None:
        self._pairs, self._maps, self._device = pairs, maps, device
        self._analytic = [0.0] * len(pairs)
        for k in range(0, len(pairs), 64):
            members = list(range(k, min(k + 64, len(pairs))))
            lesson = self._moved(self._lesson(members))
            values = likelihood(arm.untrained(lesson.batch), lesson.targets)
            self._analytic[k : k + len(members)] = values.tolist()

    def _lesson(self, members: list[int]) -> Lesson:
        pairs, maps = [self._pairs[k] for k in members], [self._maps[k] for k in members]
        batch = collate(pairs)
        return Lesson(batch, targets(pairs, maps, batch, [self._analytic[k] for k in members]))

    def _moved(self, lesson: Lesson) -> Lesson:
        return Lesson(lesson.batch.to(self._device), lesson.targets.to(self._device))

    def epoch(self, seed: int, size: int = ACCUMULATION) -> Iterator[Lesson]:
        """Yield an epoch's steps in random order; a few are collated ahead, in threads."""
        order = torch.randperm(len(self._pairs), generator=torch.Generator().manual_seed(seed)).tolist()
        groups = [order[k : k + size] for k in range(0, len(order), size)]
        with ThreadPoolExecutor(4) as pool:
            ahead = [pool.submit(self._lesson, group) for group in groups[:8]]
            for k in range(len(groups)):
                lesson = ahead.pop(0).result()
                if k + 8 < len(groups):
                    ahead.append(pool.submit(self._lesson, groups[k + 8]))
                yield self._moved(lesson)

    def steps(self, size: int = ACCUMULATION) -> int:
        """Count an epoch's steps."""
        return -(-len(self._pairs) // size)


def train_epoch(arm: Arm, network: nn.Module, optimiser: torch.optim.Optimizer, school: School, seed: int) -> float:
    """One pass over the training pairs; returns the mean loss."""
    losses = []
    for lesson in tqdm(school.epoch(seed), total=school.steps(), desc=arm.name, leave=False, disable=None):
        loss = arm.loss(network, lesson)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimiser.step()
        losses.append(loss.detach())
    return float(torch.stack(losses).mean())
