"""The learned policy of the paper over ragged batches: encoders, heads, rounds. Untrained it is the analytic one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from enpda.gpu.batch import Batch, take

WIDTH, FEATURES, DYNAMIC = 64, 6, 11
ANALYTIC_WEIGHTS = (5.0, 1.5, 2.0, 1.0, 1.5, 1.0)
BIAS, INCOMPATIBLE, UNMATCHED = -1.0, -8.0, -1.0
STEP, MAX_PRICE, DRIFT = 0.5, 20.0, 0.1
FLOOR = 1e-12


class Layer(nn.Module):
    """One residual layer over the association graph, normalised afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2 * WIDTH, WIDTH)
        self.second = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, batch: Batch, h: Tensor) -> Tensor:
        """Update the cells' states."""
        own, theirs = self.first.weight[:, :WIDTH], self.first.weight[:, WIDTH:]
        mean = batch.heard(functional.linear(take(h, batch.linked), theirs)) / batch.degree
        hidden = functional.silu(batch.put(functional.linear(h, own, self.first.bias), mean))
        result: Tensor = self.norm(h + self.second(hidden))
        return result


class Encoder(nn.Module):
    """Cell states from per-cell inputs."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.input = nn.Linear(inputs, WIDTH)
        self.layers = nn.ModuleList([Layer(), Layer()])

    def forward(self, batch: Batch, x: Tensor) -> Tensor:
        """Encode every cell."""
        if x.is_cuda and not torch.is_grad_enabled() and (layout := batch.layout) is not None:
            return layout.encode(self, x)
        h = functional.silu(self.input(x))
        for layer in self.layers:
            h = layer(batch, h)
        return h


def head() -> nn.Linear:
    """Return a head over [cell, row mean, column mean, grand mean] that begins as zero."""
    result = nn.Linear(4 * WIDTH, 1)
    nn.init.zeros_(result.weight)
    nn.init.zeros_(result.bias)
    return result


class Context:
    """Heads on a cell's context without the context: a mean of states, projected, is the mean of the projections.

    `cells` are the heads that are wanted for every cell, `rows` and `columns` those averaged over each row or column,
    for which parts of the context fall together.
    """

    def __init__(
        self,
        batch: Batch,
        h: Tensor,
        cells: Sequence[nn.Linear],
        rows: Sequence[nn.Linear] = (),
        columns: Sequence[nn.Linear] = (),
    ) -> None:
        def parts(heads: Sequence[nn.Linear]) -> Tensor:  # heads, part of the context, width
            return torch.cat([head.weight for head in heads]).view(len(heads), 4, WIDTH)

        def bias(heads: Sequence[nn.Linear]) -> Tensor:
            return torch.cat([head.bias for head in heads])

        own, other, across = parts(cells), [parts(rows)] if rows else [], [parts(columns)] if columns else []
        by_row = torch.cat([own[:, 1], *(x[:, 0] + x[:, 1] for x in other)])
        by_column = torch.cat([own[:, 2], *(x[:, 0] + x[:, 2] for x in across)])
        by_pair = torch.cat([own[:, 3], *(x[:, 2] + x[:, 3] for x in other), *(x[:, 1] + x[:, 3] for x in across)])
        weights = torch.cat([own[:, 0], by_row, by_column, by_pair])
        sizes = [len(own), len(by_row), len(by_column), len(by_pair)]
        local, row, column, grand = torch.split(functional.linear(h, weights), sizes, 1)
        row, column, grand = batch.rows.mean(row), batch.columns.mean(column), batch.pair_mean(grand)
        k, r = len(cells), len(rows)
        self.cells = (
            local
            + batch.rows.spread(row[:, :k] + batch.pair_rows.spread(grand[:, :k]))
            + batch.columns.spread(column[:, :k])
            + bias(cells)
        ).unbind(1)
        self.rows = (row[:, k:] + batch.pair_rows.spread(grand[:, k : k + r]) + bias(rows)).unbind(1) if rows else ()
        self.columns = (
            (column[:, k:] + batch.pair_columns.spread(grand[:, k + r :]) + bias(columns)).unbind(1) if columns else ()
        )


@dataclass(frozen=True)
class Arm:
    """Which parts of the policy act."""

    initial: bool = True
    dynamic: bool = True
    prices: bool = True


FULL, NO_PRICES, ANALYTIC = Arm(), Arm(prices=False), Arm(False, False)
INITIAL_ONLY, DYNAMIC_ONLY = Arm(dynamic=False), Arm(initial=False)


@dataclass
class State:
    """Bids, prices and the soft assignment after some rounds."""

    bids: Tensor  # cells
    unmatched_logit: Tensor  # rows
    prices: Tensor  # columns
    soft: Tensor  # cells
    unmatched: Tensor  # rows
    demand: Tensor  # columns: sum of S less 1, of this state


class Initial(nn.Module):
    """Corrections of the first bids."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder(FEATURES)
        self.bid, self.unmatched = head(), head()


class Dynamic(nn.Module):
    """Corrections of every round."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder(DYNAMIC)
        self.correction, self.bid_step, self.price_step, self.unmatched = head(), head(), head(), head()


def analytic_bids(batch: Batch) -> Tensor:
    """Score every cell by its features alone."""
    weights = batch.features.new_tensor(ANALYTIC_WEIGHTS)
    return batch.features @ weights + (BIAS + INCOMPATIBLE * batch.incompatible)


def normalised_marginal(batch: Batch, soft: Tensor) -> Tensor:
    """Return 2 A S over its root mean square on compatible cells."""
    marginal = 2 * batch.aggregate(soft)
    squares = batch.pair_sum(marginal * marginal)
    # Without candidates there is nothing to scale.
    return marginal / batch.from_pair((squares / batch.candidates).clamp(min=1e-12).sqrt())


def soften(batch: Batch, bids: Tensor, unmatched_logit: Tensor) -> tuple[Tensor, Tensor]:
    """Row softmax over the bids and the choice to stay unmatched."""
    top = torch.maximum(batch.rows.top(bids), unmatched_logit.detach())
    weight, alone = torch.exp(bids - batch.rows.spread(top)), torch.exp(unmatched_logit - top)
    total = batch.rows.sum(weight) + alone
    return weight / batch.rows.spread(total), alone / total


class Policy(nn.Module):
    """The shared policy: 52,934 parameters for graphs of any size."""

    def __init__(self) -> None:
        super().__init__()
        self.initial, self.dynamic = Initial(), Dynamic()

    def forward(self, batch: Batch, rounds: int, arm: Arm = FULL, noise: Tensor | None = None) -> list[State]:
        """Return the states before the first round and after each."""
        initial, dynamic = self.initial if arm.initial else None, self.dynamic if arm.dynamic else None
        return run(batch, rounds, initial, dynamic, arm.prices, noise)


def run(
    batch: Batch,
    rounds: int,
    initial: Initial | None = None,
    dynamic: Dynamic | None = None,
    prices: bool = True,
    noise: Tensor | None = None,
) -> list[State]:
    """Return the states before the first round and after each; analytic where a part is missing."""
    states = [start(batch, initial, noise)]
    for _ in range(rounds):
        states.append(step(batch, states[-1], dynamic, prices))
    return states


def start(batch: Batch, part: Initial | None = None, noise: Tensor | None = None) -> State:
    """Return the state before the first round."""
    bids = analytic_bids(batch)
    if noise is not None:
        bids = bids + noise
    unmatched_logit = bids.new_full((len(batch.rows.count),), UNMATCHED)
    if part is not None:
        context = Context(batch, part.encoder(batch, batch.features), [part.bid], rows=[part.unmatched])
        bids = bids + context.cells[0]
        unmatched_logit = unmatched_logit + context.rows[0]
    return _state(batch, bids, unmatched_logit, bids.new_zeros(len(batch.columns.count)))


def step(batch: Batch, state: State, part: Dynamic | None = None, prices: bool = True) -> State:
    """One primal-dual round."""
    marginal = normalised_marginal(batch, state.soft)
    gain, demand, unmatched_logit = marginal, state.demand, state.unmatched_logit
    bid_step = None
    if part is not None:
        columns = batch.columns.spread(torch.stack([state.prices, state.demand], 1))
        cells = torch.stack([state.soft, marginal, batch.rows.spread(_entropy(batch, state))], 1)
        x = torch.cat([batch.features, cells[:, :2], columns, cells[:, 2:]], 1)
        h = part.encoder(batch, x)
        context = Context(batch, h, [part.correction, part.bid_step], [part.unmatched], [part.price_step])
        gain = gain + torch.tanh(context.cells[0])
        bid_step = torch.exp2(torch.tanh(context.cells[1]))
        demand = torch.exp2(torch.tanh(context.columns[0])) * demand
        unmatched_logit = unmatched_logit + STEP * torch.tanh(context.rows[0])
    level = torch.clamp(state.prices + STEP * demand, 0.0, MAX_PRICE) if prices else state.prices
    gain = gain - batch.columns.spread(level)
    bids = state.bids + STEP * (gain if bid_step is None else bid_step * gain) - DRIFT * batch.incompatible
    return _state(batch, bids, unmatched_logit, level)


def _state(batch: Batch, bids: Tensor, unmatched_logit: Tensor, prices: Tensor) -> State:
    soft, unmatched = soften(batch, bids, unmatched_logit)
    return State(bids, unmatched_logit, prices, soft, unmatched, batch.columns.sum(soft) - 1)


def _entropy(batch: Batch, state: State) -> Tensor:
    """Entropy of each row with its unmatched mass, over the most that is possible (or 1)."""

    def terms(p: Tensor) -> Tensor:
        return -p * torch.log(p.clamp(min=FLOOR))

    total = batch.rows.sum(terms(state.soft)) + terms(state.unmatched)
    return total / torch.log1p(batch.rows.count).clamp(min=1.0)


def parameter_count(module: nn.Module) -> int:
    """Count the numbers that are learned."""
    return sum(math.prod(p.shape) for p in module.parameters())
