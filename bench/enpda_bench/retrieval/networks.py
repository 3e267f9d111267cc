"""SimGNN, GMN and NeuroMatch in the small: 64 wide, three layers that tell edge labels apart, one similarity out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from enpda.checks import choice
from enpda.graph import Graph

WIDTH, LAYERS, SLICES, BINS = 64, 3, 16, 16


@dataclass(frozen=True)
class Batch:
    """Graphs padded to the same number of nodes.

    Attributes
    ----------
    nodes : (graphs, nodes, node labels)
        One-hot labels; zero for padding.
    edges : (graphs, edge labels, nodes, nodes)
        Adjacency by edge label.
    mask : (graphs, nodes, 1)
        1 for nodes, 0 for padding.
    """

    nodes: Tensor
    edges: Tensor
    mask: Tensor

    def repeated(self, count: int) -> Batch:
        """Return the only graph of this batch `count` times."""
        return Batch(*(x.expand(count, *x.shape[1:]) for x in (self.nodes, self.edges, self.mask)))


@dataclass(frozen=True)
class Alphabet:
    """The labels that a network knows; any other is the last one, `unknown`."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Alphabet:
        """Take every label that occurs."""
        nodes = {label for graph in graphs for label in graph.labels.tolist()}
        edges = {label for graph in graphs for label in graph.edge_labels.tolist()}
        return cls(tuple(sorted(nodes)), tuple(sorted(edges)))

    def batch(self, graphs: Sequence[Graph], device: str = "cpu") -> Batch:
        """Put graphs into tensors."""
        most = max(map(len, graphs))
        nodes = np.zeros((len(graphs), most, len(self.nodes) + 1), dtype=np.float32)
        edges = np.zeros((len(graphs), len(self.edges) + 1, most, most), dtype=np.float32)
        for k, graph in enumerate(graphs):
            nodes[k, np.arange(len(graph)), _places(self.nodes, graph.labels.tolist())] = 1
            u, v = graph.edges.T
            labels = _places(self.edges, graph.edge_labels.tolist())
            edges[k, labels, u, v] = edges[k, labels, v, u] = 1
        ones = torch.from_numpy(nodes).to(device)
        return Batch(ones, torch.from_numpy(edges).to(device), ones.sum(-1, keepdim=True))


def _places(known: tuple[int, ...], labels: list[int]) -> list[int]:
    place = {label: k for k, label in enumerate(known)}
    return [place.get(label, len(known)) for label in labels]


class _Layer(nn.Module):
    """Messages along each kind of edge, and perhaps what sets a node apart from the other graph."""

    def __init__(self, kinds: int, crossing: bool) -> None:
        super().__init__()
        self.message = nn.Linear(WIDTH, kinds * WIDTH, bias=False)
        self.update = _perceptron((3 if crossing else 2) * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, h: Tensor, graphs: Batch, cross: Tensor | None = None) -> Tensor:
        count, nodes, _ = h.shape
        sent = self.message(h).view(count, nodes, -1, WIDTH).transpose(1, 2)
        heard = (graphs.edges @ sent).sum(1)
        parts = [h, heard] if cross is None else [h, heard, cross]
        new: Tensor = self.norm(h + self.update(torch.cat(parts, -1)))
        return new * graphs.mask


class Network(nn.Module):
    """What the three have in common: an encoder of nodes; `forward` gives one similarity a pair."""

    crossing = False

    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__()
        self.embed = nn.Linear(len(alphabet.nodes) + 1, WIDTH)
        self.layers = nn.ModuleList(_Layer(len(alphabet.edges) + 1, self.crossing) for _ in range(LAYERS))

    def encoded(self, graphs: Batch) -> Tensor:
        """Return node states, (graphs, nodes, 64)."""
        h: Tensor = self.embed(graphs.nodes) * graphs.mask
        for layer in self.layers:
            h = layer(h, graphs)
        return h


class SimGNN(Network):
    """Attention-pooled graphs through a tensor network, beside a histogram of node similarities."""

    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.context = nn.Linear(WIDTH, WIDTH, bias=False)
        self.bilinear = nn.Bilinear(WIDTH, WIDTH, SLICES)
        self.linear = nn.Linear(2 * WIDTH, SLICES, bias=False)
        self.norm = nn.LayerNorm(SLICES)  # without it the slices die, and nothing is learned in thirty epochs
        self.head = _perceptron(SLICES + BINS, 1)

    def pooled(self, h: Tensor, graphs: Batch) -> Tensor:
        """Weigh nodes by how well they fit the whole graph."""
        count = graphs.mask.sum(1).clamp(min=1)
        context = torch.tanh(self.context(h.sum(1) / count))
        weight = torch.sigmoid(h @ context[:, :, None] / WIDTH**0.5)
        return (weight * h).sum(1) / count

    def forward(self, a: Batch, b: Batch) -> Tensor:
        """Return similarities from 0 to 1."""
        h, g = self.encoded(a), self.encoded(b)
        x, y = self.pooled(h, a), self.pooled(g, b)
        slices = torch.relu(self.norm(self.bilinear(x, y) + self.linear(torch.cat([x, y], -1))))
        result: Tensor = self.head(torch.cat([slices, self.histogram(h, g, a, b)], -1))
        return torch.sigmoid(result[:, 0])

    @torch.no_grad()
    def histogram(self, h: Tensor, g: Tensor, a: Batch, b: Batch) -> Tensor:
        """Return how the cosines of all pairs of nodes are spread; no gradient passes, as in the original."""
        cosines = normalize(h, dim=-1) @ normalize(g, dim=-1).mT
        bins = ((cosines + 1) / 2 * BINS).long().clamp(0, BINS - 1)
        real = a.mask @ b.mask.mT
        counts = torch.stack([(real * (bins == k)).sum((1, 2)) for k in range(BINS)], -1)
        return counts / counts.sum(-1, keepdim=True).clamp(min=1)


class GMN(Network):
    """Every layer also sees how each node differs from those it attends to in the other graph."""

    crossing = True

    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.gate, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = _perceptron(2 * WIDTH, 1)

    def forward(self, a: Batch, b: Batch) -> Tensor:
        """Return similarities from 0 to 1."""
        h, g = self.embed(a.nodes) * a.mask, self.embed(b.nodes) * b.mask
        for layer in self.layers:
            fits = h @ g.mT / WIDTH**0.5
            one = h - torch.softmax(fits.masked_fill(b.mask.mT == 0, -1e9), -1) @ g
            other = g - torch.softmax(fits.mT.masked_fill(a.mask.mT == 0, -1e9), -1) @ h
            h, g = layer(h, a, one), layer(g, b, other)
        x, y = (self.pooled(states, graphs) for states, graphs in ((h, a), (g, b)))
        result: Tensor = self.head(torch.cat([(x - y).abs(), x * y], -1))
        return torch.sigmoid(result[:, 0])

    def pooled(self, h: Tensor, graphs: Batch) -> Tensor:
        """Sum gated nodes, by the root of their number."""
        gated: Tensor = torch.sigmoid(self.gate(h)) * self.value(h) * graphs.mask
        return gated.sum(1) / graphs.mask.sum(1).clamp(min=1).sqrt()


class NeuroMatch(Network):
    """Order embeddings: a part lies below the whole, and how far it does not is what counts, in both directions."""

    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.order = _perceptron(WIDTH, WIDTH)
        self.head = _perceptron(2, 1)

    def forward(self, a: Batch, b: Batch) -> Tensor:
        """Return similarities from 0 to 1."""
        x, y = (self.order(self.encoded(graphs).sum(1) / WIDTH**0.5) for graphs in (a, b))
        violations = torch.stack([torch.relu(x - y).square().sum(-1), torch.relu(y - x).square().sum(-1)], -1)
        result: Tensor = self.head(torch.log1p(violations))
        return torch.sigmoid(result[:, 0])


def _perceptron(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs))


NETWORKS: dict[str, type[Network]] = {"SimGNN": SimGNN, "GMN": GMN, "NeuroMatch": NeuroMatch}


def network(kind: str, alphabet: Alphabet, seed: int) -> Network:
    """Return an untrained network; the seed says what it begins with."""
    choice("kind", kind, tuple(NETWORKS))
    torch.manual_seed(seed)
    return NETWORKS[kind](alphabet)
