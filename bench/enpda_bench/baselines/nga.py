"""Neural graduated assignment: a small network fitted to one pair at a time, our own from its description.

Two graph encoders score candidates; noisy copies of the scores go through Sinkhorn and four blocks that listen to the
association graph. The loss is the quadratic score itself: nothing is trained beforehand, every pair starts anew.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from enpda import _core
from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered, shared_classes
from enpda_bench.baselines.association import association

WIDTH, LAYERS, BLOCKS, HOPS, SAMPLES = 32, 8, 4, 3, 10
EPOCHS, DECODE_FROM, RATE, CLIP = 200, 100, 1e-3, 1.0
NORMALISATIONS, MASK = 20, -30.0


def run(a: Graph, b: Graph, seconds: float, seed: int = 0, device: str = "cpu") -> Answer:
    """Fit once: at most 200 epochs, or what the time allows."""
    begin = time.perf_counter()
    best = fit(a, b, seconds, seed, device).image
    return answered(a, b, best, False, time.perf_counter() - begin)


def cuda(a: Graph, b: Graph, seconds: float, seed: int = 0) -> Answer:
    """Fit once on a GPU."""
    return run(a, b, seconds, seed, "cuda")


@dataclass
class Fit:
    """The best mapping of a fit, of the graph with fewer nodes first, and the loss of every epoch."""

    image: npt.NDArray[np.int32]
    size: int = -1
    losses: list[float] = field(default_factory=list)


def fit(a: Graph, b: Graph, seconds: float, seed: int, device: str = "cpu") -> Fit:
    """Fit a network to a pair; from epoch 100 on, or when time is up, all samples are projected."""
    if len(a) > len(b):
        found = fit(b, a, seconds, seed, device)
        image = np.full(len(a), -1, dtype=np.int32)
        (rows,) = np.nonzero(found.image >= 0)
        image[found.image[rows]] = rows
        return Fit(image, found.size, found.losses)
    begin = time.perf_counter()
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    best = Fit(np.full(len(a), -1, dtype=np.int32), 0)
    here, there = association(a, b)
    if len(here) == 0:
        return best
    pair = Pair(a, b, here, there, device)
    network = Network(*map(len, shared_classes(a, b))).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    for epoch in range(EPOCHS):
        optimiser.zero_grad()
        soft = network(pair)
        loss = -pair.score(soft).mean()
        late = time.perf_counter() - begin >= seconds
        if epoch >= DECODE_FROM or late:
            _project(pair, soft, best)
        best.losses.append(float(loss.detach()))
        if late:
            break
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimiser.step()
    return best


def _project(pair: Pair, soft: Tensor, best: Fit) -> None:
    """Assign every sample and keep the best mapping, of equal ones the latest."""
    for sample in soft.detach().double().cpu().numpy():
        image = _core.assign(np.where(pair.compatible_cpu, sample + 1e-9, 0.0))[1]
        chosen = np.zeros(sample.shape, dtype=bool)
        (rows,) = np.nonzero(image >= 0)
        chosen[rows, image[rows]] = True
        chosen = chosen.ravel()
        size = int((chosen[pair.here] & chosen[pair.there]).sum())
        if size >= best.size:
            best.image, best.size = image.astype(np.int32), size


class Pair:
    """A pair on a device: labels, adjacencies and the association graph."""

    def __init__(self, a: Graph, b: Graph, here: Any, there: Any, device: str) -> None:
        self.shape = len(a), len(b)
        self.here, self.there = here, there
        nodes, edges = shared_classes(a, b)
        self.sides = [_Side(g, nodes, edges, device) for g in (a, b)]
        self.compatible_cpu = a.labels[:, None] == b.labels[None, :]
        self.compatible = torch.from_numpy(self.compatible_cpu).to(device)
        cells = len(a) * len(b)
        both = np.stack([np.concatenate([here, there]), np.concatenate([there, here])])
        ones = torch.ones(both.shape[1])
        self.adjacency = (
            torch.sparse_coo_tensor(torch.from_numpy(both), ones, (cells, cells), check_invariants=True)
            .coalesce()
            .to(device)
        )

    def heard(self, x: Tensor) -> Tensor:
        """Sum over neighbours in the association graph, per cell and channel."""
        result: Tensor = _Heard.apply(x, self.adjacency)  # type: ignore[no-untyped-call]
        return result

    def score(self, soft: Tensor) -> Tensor:
        """Return the quadratic score of each sample: twice its preserved edges for a mapping."""
        flat = soft.flatten(1).T
        return (flat * self.heard(flat)).sum(0)


class _Heard(torch.autograd.Function):
    """The association graph is symmetric: its product is its own gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, adjacency: Tensor) -> Tensor:
        ctx.adjacency = adjacency
        result: Tensor = torch.sparse.mm(adjacency, x)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return torch.sparse.mm(ctx.adjacency, gradient.contiguous()), None


class _Side:
    """One graph as index arrays, each edge in both directions."""

    def __init__(self, graph: Graph, nodes: dict[int, int], edges: dict[int, int], device: str) -> None:
        self.labels = torch.tensor([nodes[x] for x in graph.labels.tolist()], device=device)
        u, v = torch.from_numpy(graph.edges.reshape(-1, 2).T.astype(np.int64)).to(device)
        self.to, self.source = torch.cat([u, v]), torch.cat([v, u])
        kinds = torch.tensor([edges[x] for x in graph.edge_labels.tolist()], dtype=torch.long, device=device)
        self.kinds = torch.cat([kinds, kinds])
        self.degree = torch.bincount(self.to, minlength=len(graph)).clamp(min=1)[:, None]


class Network(nn.Module):
    """Encoder, noisy Sinkhorn, blocks."""

    def __init__(self, node_labels: int, edge_labels: int) -> None:
        super().__init__()
        self.nodes = nn.Embedding(node_labels, WIDTH)
        self.edges = nn.ModuleList(nn.Embedding(max(edge_labels, 1), WIDTH) for _ in range(LAYERS))
        self.mix = nn.ModuleList(nn.Linear(2 * WIDTH, WIDTH) for _ in range(LAYERS))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))

    def encode(self, side: _Side) -> Tensor:
        """Return the nodes' states: what a node is, and the mean of its neighbours and edges, eight times over."""
        h: Tensor = self.nodes(side.labels)
        for edge, mix, norm in zip(self.edges, self.mix, self.norms, strict=True):
            said = h[side.source] + edge(side.kinds)
            mean = torch.zeros_like(h).index_add(0, side.to, said) / side.degree
            h = norm(torch.relu(mix(torch.cat([h, mean], 1))))
        return h

    def forward(self, pair: Pair) -> Tensor:
        """Return soft assignments, (samples, n, m), with fresh noise."""
        a, b = (self.encode(side) for side in pair.sides)
        scores = a @ b.T / math.sqrt(WIDTH)
        uniform = torch.rand(SAMPLES, *scores.shape, device=scores.device).clamp(1e-8, 1 - 1e-7)
        soft = project(scores - torch.log(-torch.log(uniform)), pair.compatible)
        for block in self.blocks:
            soft = project(block(pair, soft), pair.compatible)
        return soft


class Block(nn.Module):
    """Three sums over the association graph on the soft assignment, the largest of each channel, one score."""

    def __init__(self) -> None:
        super().__init__()
        self.hops = nn.ModuleList(nn.Linear(1 if k == 0 else WIDTH, WIDTH, bias=False) for k in range(HOPS))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(HOPS - 1))
        self.score = nn.Linear(WIDTH, 1)

    def forward(self, pair: Pair, soft: Tensor) -> Tensor:
        """Score the cells of every sample anew."""
        samples, cells = len(soft), soft[0].numel()
        x = soft.reshape(samples, cells).T[:, :, None]  # cells, samples, channels
        seen = []
        for k, hop in enumerate(self.hops):
            if k:
                x = self.norms[k - 1](torch.sigmoid(x))
            x = hop(pair.heard(x.reshape(cells, -1)).view(cells, samples, -1))
            seen.append(x)
        scores: Tensor = self.score(torch.stack(seen).amax(0))
        return scores[:, :, 0].T.reshape(soft.shape)


def project(logits: Tensor, compatible: Tensor) -> Tensor:
    """Sinkhorn of (samples, n, m) logits, n <= m; rows sum to 1.

    The m - n rows of zeros that fill the matrix up stay alike, so that one stands for all.
    """
    n, m = compatible.shape
    x = torch.where(compatible, logits, MASK)
    rest = x.new_zeros(len(x), 1, m)
    for _ in range(NORMALISATIONS):
        x = x - torch.logsumexp(x, 2, keepdim=True)
        if n == m:
            x = x - torch.logsumexp(x, 1, keepdim=True)
            continue
        rest = rest - torch.logsumexp(rest, 2, keepdim=True)
        total = torch.logaddexp(torch.logsumexp(x, 1, keepdim=True), rest + math.log(m - n))
        x, rest = x - total, rest - total
    return torch.softmax(x, 2)
