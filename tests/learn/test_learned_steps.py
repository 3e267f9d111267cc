"""Propositions 1 and 2 of the paper with steps that a policy chooses: prices, and what they say about demand."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from enpda import _core
from enpda.gpu import policy as rounds
from enpda.gpu.batch import collate
from enpda.gpu.policy import MAX_PRICE, Context
from enpda.solve import policy as policies
from networks import PAIRS, trained

pytestmark = pytest.mark.usefixtures("one_thread")
HORIZON = 12


def trajectory(network, monkeypatch):
    """Return the states of a batch as they follow each other, and the price steps in between."""
    chosen = []

    class Recording(Context):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            if self.columns:
                chosen.append(0.5 * torch.exp2(torch.tanh(self.columns[0])))

    monkeypatch.setattr(rounds, "Context", Recording)
    with torch.no_grad():
        states = network(collate(PAIRS), HORIZON)
    assert len(chosen) == HORIZON
    return states, chosen


def urgent(network):
    """Make every price step as long as it can be, so that prices reach their limit on crowded columns."""
    with torch.no_grad():
        network.dynamic.price_step.bias.fill_(50.0)
    return network


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_price_is_a_projected_step_along_its_demand(seed, monkeypatch):
    states, steps = trajectory(trained(seed), monkeypatch)
    for (before, after), step in zip(pairwise(states), steps, strict=True):
        assert ((step >= 0.25) & (step <= 1.0)).all()
        expected = torch.clamp(before.prices + step * before.demand, 0.0, MAX_PRICE)
        torch.testing.assert_close(after.prices, expected, atol=1e-6, rtol=1e-6)
        assert (after.prices >= before.prices)[before.demand > 0].all()
        assert (after.prices <= before.prices)[before.demand < 0].all()
    assert float(torch.stack(steps).std()) > 1e-3  # learned, and not the analytic half everywhere


@pytest.mark.parametrize("network", [trained(0), trained(1), trained(2), urgent(trained(0))])
def test_signed_cumulative_excess_is_bounded_by_the_prices_of_learned_steps(network, monkeypatch):
    states, steps = trajectory(network, monkeypatch)
    excess, overflow = (torch.zeros_like(states[0].prices, dtype=torch.float64) for _ in range(2))
    for before, step in zip(states, steps, strict=False):
        moved = step.double() * before.demand.double()
        excess += moved
        overflow += torch.relu(before.prices.double() + moved - MAX_PRICE)
        assert (torch.relu(excess) <= MAX_PRICE + overflow + 1e-4).all()
    last = states[-1].prices.double()
    assert (torch.relu(excess) <= last + overflow + 1e-4).all()
    assert (last <= MAX_PRICE).all()
    assert float(excess.max()) > 0.1  # some column is wanted by more than one row, so that the claim says something


def test_the_core_takes_the_same_price_steps():
    policy = policies.load("paper")
    with torch.no_grad():
        prices = trained(0)(collate(PAIRS), 8)[-1].prices
    for p, mine in zip(PAIRS, torch.split(prices, [len(p.b) for p in PAIRS]), strict=True):
        state = _core.run_rounds(p.a.core, p.b.core, 8, policy=policy)
        np.testing.assert_allclose(state.prices, mine.numpy(), atol=2e-3)
