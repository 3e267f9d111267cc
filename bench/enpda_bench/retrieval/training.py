"""Training of a rival: repeatable, and going on where it stopped; one file holds all that is needed for both."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from enpda.files import replacing
from enpda.graph import Graph
from enpda.learn.pipeline import repeatable
from enpda_bench.retrieval.lessons import Lessons
from enpda_bench.retrieval.networks import Alphabet, network

RATE, DECAY, TOGETHER, CLIP, PATIENCE = 1e-3, 1e-5, 16, 5.0, 6
SEEN = 64
"""Candidates that are scored at a time."""


class Student:
    """A network on its way: epochs so far, and the weights that did best on the pairs that validate."""

    def __init__(self, kind: str, lessons: Lessons, seed: int, device: str) -> None:
        repeatable(device)
        train = lessons.pairs[: lessons.count]
        self.alphabet = Alphabet.of([graph for pair in train for graph in pair])
        self.network = network(kind, self.alphabet, seed).to(device)
        self.lessons, self.seed, self.device = lessons, seed, device
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=DECAY)
        self.best = copy.deepcopy(self.network.state_dict())
        self.history: list[tuple[float, float, float]] = []
        """Of each epoch: mean squared error on the pairs that train and on those that validate, seconds."""

    @property
    def finished(self) -> bool:
        """Whether the last epochs brought nothing."""
        errors = [validation for _, validation, _ in self.history]
        return len(errors) > PATIENCE and min(errors) not in errors[-PATIENCE:]

    def epoch(self) -> None:
        """Go once through the pairs that train."""
        begin = time.perf_counter()
        generator = torch.Generator().manual_seed(1_000 * self.seed + len(self.history))
        order = torch.randperm(self.lessons.count, generator=generator).tolist()
        self.network.train()
        total = 0.0
        for k in range(0, len(order), TOGETHER):
            loss = self.error(order[k : k + TOGETHER])
            self.optimiser.zero_grad()
            (loss / len(order[k : k + TOGETHER])).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
            self.optimiser.step()
            total += float(loss.detach())
        validation = self.validation()
        if validation < min((v for _, v, _ in self.history), default=math.inf):
            self.best = copy.deepcopy(self.network.state_dict())
        self.history.append((total / max(len(order), 1), validation, time.perf_counter() - begin))

    def error(self, chosen: list[int]) -> torch.Tensor:
        """Return the sum of squared errors of some pairs."""
        a, b = zip(*(self.lessons.pairs[k] for k in chosen), strict=True)
        wanted = torch.from_numpy(self.lessons.similarity[chosen]).to(self.device)
        found: torch.Tensor = self.network(*(self.alphabet.batch(x, self.device) for x in (a, b)))
        return (found - wanted).square().sum()

    @torch.no_grad()
    def validation(self) -> float:
        """Return the mean squared error of the pairs that validate."""
        self.network.eval()
        held = list(range(self.lessons.count, len(self.lessons.pairs)))
        parts = [float(self.error(held[k : k + TOGETHER])) for k in range(0, len(held), TOGETHER)]
        return sum(parts) / max(len(held), 1)

    @torch.no_grad()
    def scores(self, query: Graph, candidates: Sequence[Graph]) -> tuple[npt.NDArray[np.float64], float]:
        """Rank: similarities of a query with candidates, and the seconds that took."""
        begin = time.perf_counter()
        one, parts = self.alphabet.batch([query], self.device), []
        for k in range(0, len(candidates), SEEN):
            some = self.alphabet.batch(candidates[k : k + SEEN], self.device)
            parts.append(self.network(one.repeated(len(some.nodes)), some).cpu().numpy())
        return np.concatenate(parts).astype(np.float64), time.perf_counter() - begin

    def state(self) -> dict[str, Any]:
        """Return everything that a later run needs."""
        going = {"network": self.network.state_dict(), "optimiser": self.optimiser.state_dict()}
        return {**going, "best": self.best, "history": self.history}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to such a state."""
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.best, self.history = state["best"], state["history"]


def trained(kind: str, lessons: Lessons, seed: int, epochs: int, path: Path, device: str = "cpu") -> Student:
    """Train until nothing more is gained, or read what was; the network then has the best weights."""
    student = Student(kind, lessons, seed, device)
    if path.is_file():
        student.restore(torch.load(path, weights_only=True, map_location=device))
    while len(student.history) < epochs and not student.finished:
        student.epoch()
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            torch.save(student.state(), part)
    student.network.load_state_dict(student.best)
    student.network.eval()
    return student
