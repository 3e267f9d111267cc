"""A network that shares profit out: it sees what one evaluation of the RLT-1 bound says, and moves shares.

Whatever it says, the bound is valid. It is small on purpose: in the time of one of its steps the ascent makes several
iterations of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from enpda import _core

CANDIDATE, ARC = 10, 6
"""What is seen of a candidate, and of one copy of an association edge."""
WIDTH = 16
SWEEPS = 12
"""What the ascent does before it asks the network."""
MOST_MOVE = 0.5
"""Edges that one step moves at most from one copy to the other."""
MOST_SLACK, MOST_GAP = 4.0, 2.0
"""Beyond, all are alike."""
MEMORY = 0.8
"""What is left after each step of how often a candidate was chosen and of which copy of an edge was used."""


@dataclass(frozen=True)
class Problem:
    """Pairs whose profit is to be shared out, in a row, on a device."""

    shares: _core.ShareBatch
    a: Tensor
    b: Tensor
    row: Tensor
    column: Tensor
    pair: Tensor
    rows: int
    columns: int
    count: int

    @staticmethod
    def of(shares: _core.ShareBatch, device: str | torch.device = "cpu") -> Problem:
        """Take over what never changes."""

        def there(x: Any) -> Tensor:
            return torch.from_numpy(np.array(x)).to(device, non_blocking=True)

        counts = np.diff(shares.edge_start)
        return Problem(
            shares,
            there(shares.a),
            there(shares.b),
            there(shares.row),
            there(shares.column),
            there(np.repeat(np.arange(len(counts)), counts)),
            int(shares.row_start[-1]),
            int(shares.column_start[-1]),
            len(counts),
        )


@dataclass(frozen=True)
class Seen:
    """What one evaluation says: bounds of the pairs, inputs of candidates and of both copies of the edges."""

    bounds: Tensor
    candidate: Tensor
    first: Tensor
    second: Tensor
    used: Tensor
    usage: Tensor
    drift: Tensor


def see(problem: Problem, shares: Tensor, before: Seen | None) -> Seen:
    """Evaluate under these shares of the first copies, and remember what was seen before."""
    bounds, candidate, first, second = problem.shares.evaluate(shares.detach().to("cpu", torch.float32).numpy())

    def there(x: Any) -> Tensor:
        return torch.from_numpy(x).to(shares.device, non_blocking=True)

    x, y, z = there(candidate), there(first), there(second)
    used = y[:, 2] - z[:, 2]
    usage, drift = x[:, 2], used
    if before is not None:
        usage, drift = usage + MEMORY * before.usage, drift + MEMORY * before.drift
    slack = x[:, 1:2].clamp(max=MOST_SLACK)
    gap_a, gap_b = y[:, 1:2].clamp(max=MOST_GAP), z[:, 1:2].clamp(max=MOST_GAP)
    return Seen(
        there(bounds),
        torch.cat([x[:, :1], slack, x[:, 2:], usage[:, None]], 1),
        torch.cat([y[:, :1] - 0.5, gap_a, y[:, 2:], gap_b, z[:, 2:], drift[:, None]], 1),
        torch.cat([z[:, :1] - 0.5, gap_b, z[:, 2:], gap_a, y[:, 2:], -drift[:, None]], 1),
        used,
        usage,
        drift,
    )


class ShareNetwork(nn.Module):
    """One step: messages along ACG edges, means along rows and columns, and a move for every edge.

    Candidates keep a hidden state from step to step, and a score that says how likely they are chosen in the end.
    """

    def __init__(self, width: int = WIDTH, layers: int = 1) -> None:
        super().__init__()
        self.width = width
        self.embed = nn.Linear(width + CANDIDATE, width)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.other = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.arc = nn.ModuleList(nn.Linear(ARC, width, bias=False) for _ in range(layers))
        self.gather = nn.ModuleList(nn.Linear(4 * width, width) for _ in range(layers))
        self.update = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.norm = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.last_own = nn.Linear(width, width)
        self.last_other = nn.Linear(width, width, bias=False)
        self.last_arc = nn.Linear(ARC, width, bias=False)
        self.head = nn.Linear(width, 1, bias=False)
        self.score = nn.Linear(width, 1)
        nn.init.zeros_(self.head.weight)

    def forward(self, problem: Problem, seen: Seen, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the move of every edge's first share, and the new hidden state of every candidate."""
        x = seen.candidate
        h = x.new_zeros(len(x), self.width) if hidden is None else hidden
        a, b = problem.a, problem.b
        weight = torch.exp(-2.0 * x[:, 1:2])  # candidates that may be chosen speak for their row and column
        for k in range(len(self.own)):
            t = torch.relu(self.embed(torch.cat([h, x], 1)))
            own, other = self.own[k](t), self.other[k](t)
            heard = torch.zeros_like(t)
            heard = heard.index_add(0, a, torch.relu(along(own, a, other, b) + self.arc[k](seen.first)))
            heard = heard.index_add(0, b, torch.relu(along(own, b, other, a) + self.arc[k](seen.second)))
            parts = [t, heard]
            for place, count in ((problem.row, problem.rows), (problem.column, problem.columns)):
                total = weight.new_zeros(count, 1).index_add(0, place, weight) + 1e-6
                mean = t.new_zeros(count, self.width).index_add(0, place, weight * t) / total
                parts.append(mean.index_select(0, place))
            h = self.norm[k](h + self.update[k](torch.relu(self.gather[k](torch.cat(parts, 1)))))
        own, other = self.last_own(h), self.last_other(h)
        forth = self.head(torch.relu(along(own, a, other, b) + self.last_arc(seen.first)))
        back = self.head(torch.relu(along(own, b, other, a) + self.last_arc(seen.second)))
        return MOST_MOVE * torch.tanh(forth - back)[:, 0], h


def along(own: Tensor, a: Tensor, other: Tensor, b: Tensor) -> Tensor:
    """Give every edge what its ends say; `index_select` has a quicker gradient than `own[a]`."""
    return own.index_select(0, a) + other.index_select(0, b)


@dataclass(frozen=True)
class Course:
    """What happened in some steps.

    Attributes
    ----------
    bounds : list of (pairs,)
        Before every step, and after the last.
    priced : list of (pairs,)
        The same as functions of the network's weights.
    scores : list of (candidates,)
        After every step.
    """

    bounds: list[Tensor]
    priced: list[Tensor]
    scores: list[Tensor]


def unroll(net: ShareNetwork, problem: Problem, steps: int, sweeps: int = SWEEPS) -> Course:
    """Take so many steps from where some sweeps lead."""
    shares = torch.from_numpy(problem.shares.swept(sweeps)).to(problem.a.device)
    hidden, seen = None, None
    course = Course([], [], [])
    for t in range(steps + 1):
        seen = see(problem, shares, seen)
        # The envelope theorem: the bound moves with the shares that the optimal assignments use.
        moved = seen.used * (shares - shares.detach())
        course.bounds.append(seen.bounds)
        course.priced.append(seen.bounds.float() + moved.new_zeros(problem.count).index_add(0, problem.pair, moved))
        if t < steps:
            move, hidden = net(problem, seen, hidden)
            course.scores.append(net.score(hidden)[:, 0])
            shares = shares + move
    return course
