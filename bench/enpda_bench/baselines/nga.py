"""Neural graduated assignment: a small network fitted to one pair at a time, our own from its description.

Two graph encoders score candidates; noisy copies of the scores go through Sinkhorn and four blocks that listen to the
association graph. The loss is the quadratic score itself: nothing is trained beforehand, every pair starts anew. Many
pairs can be fitted side by side, each with a network, an optimiser's state and noise of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from enpda import _core
from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered, shared_classes
from enpda_bench.baselines.association import association

WIDTH, LAYERS, BLOCKS, HOPS, SAMPLES = 32, 8, 4, 3, 10
EPOCHS, DECODE_FROM, RATE, CLIP = 200, 100, 1e-3, 1.0
NORMALISATIONS, MASK, NOWHERE = 20, -30.0, -1e9


def run(a: Graph, b: Graph, seconds: float, seed: int = 0) -> Answer:
    """Fit once: at most 200 epochs, or what the time allows."""
    begin = time.perf_counter()
    best = fit(a, b, seconds, seed).image
    return answered(a, b, best, False, time.perf_counter() - begin)


def together(pairs: Sequence[tuple[Graph, Graph]], seeds: Sequence[int], device: str) -> list[Answer]:
    """Fit networks to many pairs side by side, once each; every answer has its share of the seconds."""
    begin = time.perf_counter()
    found = fits(pairs, seeds, math.inf, device)
    share = (time.perf_counter() - begin) / max(len(pairs), 1)
    return [answered(a, b, best.image, False, share) for (a, b), best in zip(pairs, found, strict=True)]


@dataclass
class Fit:
    """The best mapping of a fit, over the nodes of the first graph, and the loss of every epoch."""

    image: npt.NDArray[np.int32]
    size: int = 0
    losses: list[float] = field(default_factory=list)


def fit(a: Graph, b: Graph, seconds: float, seed: int) -> Fit:
    """Fit a network to a pair; from epoch 100 on, or when time is up, all samples are projected."""
    return fits([(a, b)], [seed], seconds, "cpu")[0]


def fits(pairs: Sequence[tuple[Graph, Graph]], seeds: Sequence[int], seconds: float, device: str) -> list[Fit]:
    """Fit a network to each pair, all of them side by side; a pair's course does not depend on the others."""
    begin = time.perf_counter()
    torch.set_num_threads(1)
    sides = [(a, b) if len(a) <= len(b) else (b, a) for a, b in pairs]
    out = [Fit(np.full(len(a), -1, dtype=np.int32)) for a, _ in sides]
    supports = [association(a, b) for a, b in sides]
    if kept := [k for k, (here, _) in enumerate(supports) if len(here)]:
        crowd = Crowd([sides[k] for k in kept], [supports[k] for k in kept], device)
        _train(crowd, [seeds[k] for k in kept], [out[k] for k in kept], begin + seconds)
    return [best if len(a) <= len(b) else _inverse(best, len(a)) for best, (a, b) in zip(out, pairs, strict=True)]


def _inverse(best: Fit, size: int) -> Fit:
    image = np.full(size, -1, dtype=np.int32)
    (rows,) = np.nonzero(best.image >= 0)
    image[best.image[rows]] = rows
    return Fit(image, best.size, best.losses)


def _train(crowd: Crowd, seeds: Sequence[int], best: Sequence[Fit], until: float) -> None:
    networks = Networks(crowd, seeds)
    noise = [torch.Generator(crowd.device).manual_seed(seed) for seed in seeds]
    optimiser = torch.optim.Adam(networks.parameters(), lr=RATE)
    with ThreadPoolExecutor() as pool:
        for epoch in range(EPOCHS):
            optimiser.zero_grad()
            soft = networks(crowd, crowd.uniform(noise))
            losses = -crowd.score(soft).mean(1)
            late = time.perf_counter() >= until
            if epoch >= DECODE_FROM or late:
                list(pool.map(_project, crowd.pairs, soft.detach().double().cpu().numpy(), best))
            for one, loss in zip(best, losses.tolist(), strict=True):
                one.losses.append(loss)
            if late:
                break
            losses.sum().backward()  # type: ignore[no-untyped-call]
            networks.clip()
            optimiser.step()


def _project(pair: Pair, soft: npt.NDArray[np.float64], best: Fit) -> None:
    """Assign every sample and keep the best mapping, of equal ones the latest."""
    for sample in soft[:, : pair.shape[0], : pair.shape[1]]:
        image = _core.assign(np.where(pair.compatible, sample + 1e-9, 0.0))[1]
        chosen = np.zeros(sample.shape, dtype=bool)
        (rows,) = np.nonzero(image >= 0)
        chosen[rows, image[rows]] = True
        chosen = chosen.ravel()
        size = int((chosen[pair.here] & chosen[pair.there]).sum())
        if size >= best.size:
            best.image, best.size = image.astype(np.int32), size


class Pair:
    """A pair with its candidates and what supports what, as arrays; the graph with fewer nodes comes first."""

    def __init__(self, a: Graph, b: Graph, support: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> None:
        self.a, self.b, self.shape = a, b, (len(a), len(b))
        self.here, self.there = support
        self.classes = shared_classes(a, b)
        self.compatible: npt.NDArray[np.bool_] = a.labels[:, None] == b.labels[None, :]
        self.candidates = np.flatnonzero(self.compatible)


class Crowd:
    """Pairs on a device, side by side: all are filled up to the largest in nodes and in candidates.

    Only candidates hear the association graph: it has no other cells.
    """

    def __init__(self, graphs: Sequence[tuple[Graph, Graph]], supports: Sequence[Any], device: str) -> None:
        self.device = device
        self.pairs = [Pair(a, b, support) for (a, b), support in zip(graphs, supports, strict=True)]
        self.sides = [Side([g[k] for g in graphs], [p.classes for p in self.pairs], device) for k in (0, 1)]
        rows, columns = (side.size for side in self.sides)
        self.shape = (len(graphs), rows, columns)
        most = max(len(p.candidates) for p in self.pairs)
        compatible = np.zeros(self.shape, dtype=bool)
        # What fills up the candidates is in a cell of its own, behind all others.
        self.cells = torch.full((len(graphs), most), rows * columns, device=device)
        here, there = [], []
        for k, pair in enumerate(self.pairs):
            n, m = pair.shape
            compatible[k, :n, :m] = pair.compatible
            i, j = np.divmod(pair.candidates, m)
            self.cells[k, : len(i)] = torch.from_numpy(i * columns + j).to(device)
            here.append(k * most + np.searchsorted(pair.candidates, pair.here))
            there.append(k * most + np.searchsorted(pair.candidates, pair.there))
        u, v = np.concatenate(here), np.concatenate(there)
        both = np.stack([np.concatenate([u, v]), np.concatenate([v, u])])
        total = len(graphs) * most
        ones = torch.ones(both.shape[1])
        adjacency = torch.sparse_coo_tensor(torch.from_numpy(both), ones, (total, total), check_invariants=True)
        self.adjacency = adjacency.coalesce().to(device)
        counts = torch.tensor([p.shape for p in self.pairs], device=device)
        here_rows, there_columns = (torch.arange(size, device=device) for size in (rows, columns))
        self.inside = (here_rows < counts[:, :1])[:, :, None] & (there_columns < counts[:, 1:])[:, None, :]
        self.compatible = torch.from_numpy(compatible).to(device)
        self.spare = (counts[:, 1] - counts[:, 0]).double()

    def uniform(self, noise: Sequence[torch.Generator]) -> Tensor:
        """Return fresh noise, (pairs, samples, rows, columns), each pair's from its own generator."""
        pairs, rows, columns = self.shape
        out = torch.full((pairs, SAMPLES, rows, columns), 0.5, device=self.device)
        for k, pair in enumerate(self.pairs):
            n, m = pair.shape
            out[k, :, :n, :m] = torch.rand(SAMPLES, n, m, generator=noise[k], device=self.device)
        return out.clamp(1e-8, 1 - 1e-7)

    def at_candidates(self, soft: Tensor) -> Tensor:
        """Take the candidates' cells, (pairs, candidates, samples); what only fills up is zero."""
        filled = functional.pad(torch.where(self.compatible[:, None], soft, 0.0).flatten(2), (0, 1))
        return filled.gather(2, self.cells[:, None].expand(-1, soft.shape[1], -1)).transpose(1, 2)

    def from_candidates(self, scores: Tensor) -> Tensor:
        """Put (pairs, candidates, samples) back into (pairs, samples, rows, columns)."""
        (pairs, rows, columns), samples = self.shape, scores.shape[2]
        flat = scores.new_zeros(pairs, samples, rows * columns + 1)
        flat = flat.scatter(2, self.cells[:, None].expand(-1, samples, -1), scores.transpose(1, 2))
        return flat[:, :, :-1].view(pairs, samples, rows, columns)

    def heard(self, x: Tensor) -> Tensor:
        """Sum over neighbours in the association graph, per candidate and channel."""
        result: Tensor = _Heard.apply(x.flatten(0, 1), self.adjacency)  # type: ignore[no-untyped-call]
        return result.view(x.shape)

    def score(self, soft: Tensor) -> Tensor:
        """Return the quadratic score of each pair's samples: twice its preserved edges for a mapping."""
        flat = self.at_candidates(soft)
        return (flat * self.heard(flat)).sum(1)


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


class Side:
    """One graph of each pair as index arrays, each edge in both directions; nodes are numbered through all pairs."""

    def __init__(self, graphs: Sequence[Graph], classes: Sequence[Any], device: str) -> None:
        self.count, self.size = len(graphs), max(map(len, graphs))
        labels = np.zeros((self.count, self.size), dtype=np.int64)
        to, source, kinds, owner = [], [], [], []
        for k, (graph, (nodes, edges)) in enumerate(zip(graphs, classes, strict=True)):
            labels[k, : len(graph)] = [nodes[x] for x in graph.labels.tolist()]
            u, v = graph.edges.reshape(-1, 2).T.astype(np.int64) + k * self.size
            kind = np.array([edges[x] for x in graph.edge_labels.tolist()], dtype=np.int64)
            to += [u, v]
            source += [v, u]
            kinds += [kind, kind]
            owner.append(np.full(2 * len(u), k))

        def on_device(parts: Sequence[npt.NDArray[np.int64]]) -> Tensor:
            return torch.from_numpy(np.concatenate(parts)).to(device)

        self.labels = torch.from_numpy(labels).to(device)
        self.to, self.source, self.kinds, self.owner = map(on_device, (to, source, kinds, owner))
        self.degree = torch.bincount(self.to, minlength=self.count * self.size).clamp(min=1)[:, None]


class Network(nn.Module):
    """The weights of one pair: encoder and blocks, as PyTorch draws them."""

    def __init__(self, node_labels: int, edge_labels: int) -> None:
        super().__init__()
        self.nodes = nn.Embedding(node_labels, WIDTH)
        self.edges = nn.ModuleList(nn.Embedding(max(edge_labels, 1), WIDTH) for _ in range(LAYERS))
        self.mix = nn.ModuleList(nn.Linear(2 * WIDTH, WIDTH) for _ in range(LAYERS))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.hops = nn.ModuleList(
            nn.Linear(1 if k % HOPS == 0 else WIDTH, WIDTH, bias=False) for k in range(BLOCKS * HOPS)
        )
        self.hop_norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(BLOCKS * (HOPS - 1)))
        self.scores = nn.ModuleList(nn.Linear(WIDTH, 1) for _ in range(BLOCKS))


class Networks(nn.Module):
    """Networks of many pairs, weight by weight in one tensor each; of embeddings the missing rows are zero."""

    def __init__(self, crowd: Crowd, seeds: Sequence[int]) -> None:
        super().__init__()
        drawn = []
        for seed, pair in zip(seeds, crowd.pairs, strict=True):
            torch.manual_seed(seed)
            drawn.append(dict(Network(*map(len, pair.classes)).named_parameters()))
        self._of: dict[str, nn.Parameter] = {}
        for name in drawn[0]:
            parts = [one[name].detach() for one in drawn]
            most = max(len(part) for part in parts)
            full = [torch.cat([part, part.new_zeros(most - len(part), *part.shape[1:])]) for part in parts]
            self._of[name] = nn.Parameter(torch.stack(full).to(crowd.device))
            self.register_parameter(name.replace(".", "_"), self._of[name])

    def clip(self) -> None:
        """Scale the gradient of each pair's network down to a norm of one."""
        squares = [x.grad.flatten(1).square().sum(1) for x in self.parameters() if x.grad is not None]
        scale = (CLIP / (torch.stack(squares).sum(0).sqrt() + 1e-6)).clamp(max=1.0)
        for x in self.parameters():
            if x.grad is not None:
                x.grad *= scale.view(-1, *[1] * (x.dim() - 1))

    def _linear(self, name: str, x: Tensor) -> Tensor:
        """Apply each pair's own layer to (pairs, things, channels)."""
        product = torch.bmm(x, self._of[f"{name}.weight"].transpose(1, 2))
        bias = self._of.get(f"{name}.bias")
        return product if bias is None else product + bias[:, None]

    def _norm(self, name: str, x: Tensor) -> Tensor:
        plain = functional.layer_norm(x, (WIDTH,))
        return plain * self._of[f"{name}.weight"][:, None] + self._of[f"{name}.bias"][:, None]

    def encode(self, side: Side) -> Tensor:
        """Return the nodes' states: what a node is, and the mean of its neighbours and edges, eight times over."""
        pairs = torch.arange(side.count, device=side.labels.device)[:, None]
        h: Tensor = self._of["nodes.weight"][pairs, side.labels]
        for k in range(LAYERS):
            said = h.flatten(0, 1)[side.source] + self._of[f"edges.{k}.weight"][side.owner, side.kinds]
            mean = torch.zeros_like(h).flatten(0, 1).index_add(0, side.to, said) / side.degree
            h = self._norm(f"norms.{k}", torch.relu(self._linear(f"mix.{k}", torch.cat([h, mean.view(h.shape)], 2))))
        return h

    def forward(self, crowd: Crowd, uniform: Tensor) -> Tensor:
        """Return soft assignments, (pairs, samples, rows, columns)."""
        a, b = (self.encode(side) for side in crowd.sides)
        scores = (a @ b.transpose(1, 2) / math.sqrt(WIDTH))[:, None]
        soft = project(scores - torch.log(-torch.log(uniform)), crowd)
        for k in range(BLOCKS):
            soft = project(crowd.from_candidates(self._block(k, crowd, crowd.at_candidates(soft))), crowd)
        return soft

    def _block(self, block: int, crowd: Crowd, soft: Tensor) -> Tensor:
        """Three sums over the association graph on candidates, the largest of each channel, one score."""
        pairs, candidates, samples = soft.shape
        x = soft.reshape(pairs, candidates * samples, 1)
        seen = []
        for k in range(HOPS):
            if k:
                x = self._norm(f"hop_norms.{block * (HOPS - 1) + k - 1}", torch.sigmoid(x))
            x = crowd.heard(x.view(pairs, candidates, -1)).view(pairs, candidates * samples, -1)
            x = self._linear(f"hops.{block * HOPS + k}", x)
            seen.append(x)
        return self._linear(f"scores.{block}", torch.stack(seen).amax(0)).view(soft.shape)


def project(logits: Tensor, crowd: Crowd) -> Tensor:
    """Sinkhorn of (pairs, samples, rows, columns) logits; rows of a pair sum to 1.

    The rows of zeros that fill a pair's matrix up to a square stay alike, so that one stands for all of them. What
    fills a pair up to the largest is nowhere.
    """
    inside = crowd.inside[:, None]
    x = torch.where(inside, torch.where(crowd.compatible[:, None], logits, MASK), NOWHERE)
    real = inside.any(2, keepdim=True)  # columns that the pair has
    rest = torch.where(real, 0.0, NOWHERE).to(x.dtype).expand(-1, x.shape[1], -1, -1)
    spare = crowd.spare.to(x.dtype).log().view(-1, 1, 1, 1)  # -inf in a square, where nothing fills up
    for _ in range(NORMALISATIONS):
        x = torch.where(inside, x - torch.logsumexp(x, 3, keepdim=True), NOWHERE)
        rest = rest - torch.logsumexp(rest, 3, keepdim=True)
        total = torch.logaddexp(torch.logsumexp(x, 2, keepdim=True), rest + spare)
        x = torch.where(inside, x - total, NOWHERE)
        rest = torch.where(real, rest - total, NOWHERE)
    return torch.softmax(x, 3)
