"""The compiled policy against the model written down in numpy, in double precision."""

import numpy as np
import pytest

import enpda
from enpda import _core
from strategies import random_graph, reordered

WIDTH = 64
HEADS = {"initial": ("bid", "unmatched"), "dynamic": ("correction", "bid_step", "price_step", "unmatched")}


def random_weights(seed, heads=0.3):
    rng = np.random.default_rng(seed)

    def normal(*shape, scale=1.0):
        return rng.normal(0, scale, shape).astype(np.float32)

    weights = {}
    for part, inputs in (("initial", 6), ("dynamic", 11)):
        weights[f"{part}.encoder.input.weight"] = normal(WIDTH, inputs, scale=inputs**-0.5)
        weights[f"{part}.encoder.input.bias"] = normal(WIDTH, scale=0.1)
        for k in range(2):
            layer = f"{part}.encoder.layers.{k}"
            weights[f"{layer}.first.weight"] = normal(WIDTH, 2 * WIDTH, scale=(2 * WIDTH) ** -0.5)
            weights[f"{layer}.first.bias"] = normal(WIDTH, scale=0.1)
            weights[f"{layer}.second.weight"] = normal(WIDTH, WIDTH, scale=WIDTH**-0.5)
            weights[f"{layer}.second.bias"] = normal(WIDTH, scale=0.1)
            weights[f"{layer}.norm.weight"] = 1 + normal(WIDTH, scale=0.1)
            weights[f"{layer}.norm.bias"] = normal(WIDTH, scale=0.1)
        for head in HEADS[part]:
            weights[f"{part}.{head}.weight"] = normal(1, 4 * WIDTH, scale=heads * WIDTH**-0.5)
            weights[f"{part}.{head}.bias"] = normal(1, scale=heads)
    return weights


WEIGHTS = random_weights(0)
POLICY = _core.Policy(WEIGHTS)


class Reference:
    """The rounds with the policy, as its definition says it."""

    def __init__(self, a, b, weights, initializer=True, dynamics=True, prices=True, noise=0.0):
        self.weights = {name: value.astype(float) for name, value in weights.items()}
        self.n, self.m = len(a), len(b)
        self.dynamics, self.dual = dynamics, 0.5 if prices else 0.0
        self.features = np.moveaxis(_core.features(a.core, b.core).astype(float), 0, -1)
        self.compatible = a.labels[:, None] == b.labels[None, :]
        edges = _core.association_edges(a.core, b.core)
        self.adjacency = np.zeros((self.n * self.m,) * 2)
        self.adjacency[edges[:, 0], edges[:, 1]] = self.adjacency[edges[:, 1], edges[:, 0]] = 1
        self.bids = _core.run_rounds(a.core, b.core, 0, noise, 5).bids.astype(float)
        self.logit = np.full(self.n, -1.0)
        self.prices = np.zeros(self.m)
        if initializer:
            context = self.context("initial", self.features)
            self.bids += self.head("initial.bid", context)
            self.logit += self.head("initial.unmatched", context).mean(axis=1)
        self.normalise()

    def normalise(self):
        z = np.hstack([self.bids, self.logit[:, None]])
        z = np.exp(z - z.max(axis=1, keepdims=True))
        self.mass = z / z.sum(axis=1, keepdims=True)

    def context(self, part, x):
        def linear(name, x):
            return x @ self.weights[f"{part}.encoder.{name}.weight"].T + self.weights[f"{part}.encoder.{name}.bias"]

        def silu(x):
            return x / (1 + np.exp(-x))

        h = silu(linear("input", x.reshape(self.n * self.m, -1)))
        degree = np.maximum(self.adjacency.sum(axis=1, keepdims=True), 1)
        for k in range(2):
            both = np.hstack([h, self.adjacency @ h / degree])
            h = h + linear(f"layers.{k}.second", silu(linear(f"layers.{k}.first", both)))
            h = (h - h.mean(axis=1, keepdims=True)) / np.sqrt(h.var(axis=1, keepdims=True) + 1e-5)
            norm = f"{part}.encoder.layers.{k}.norm"
            h = h * self.weights[f"{norm}.weight"] + self.weights[f"{norm}.bias"]
        h = h.reshape(self.n, self.m, WIDTH)
        means = h.mean(axis=1, keepdims=True), h.mean(axis=0, keepdims=True), h.mean(axis=(0, 1), keepdims=True)
        return np.concatenate([h, *(np.broadcast_to(mean, h.shape) for mean in means)], axis=2)

    def head(self, name, context):
        return context @ self.weights[f"{name}.weight"][0] + self.weights[f"{name}.bias"]

    def round(self):
        soft = self.mass[:, :-1]
        gain = 2 * (self.adjacency @ soft.reshape(-1)).reshape(self.n, self.m)
        if self.compatible.any():
            gain /= max(np.sqrt((gain[self.compatible] ** 2).mean()), 1e-6)
        demand = soft.sum(axis=0) - 1
        correction, unmatched, bid_step, price_step = 0.0, 0.0, 1.0, 1.0
        if self.dynamics:
            entropy = -(self.mass * np.log(np.maximum(self.mass, 1e-12))).sum(axis=1) / max(np.log(self.m + 1), 1)
            state = np.broadcast_arrays(soft, gain, self.prices, demand, entropy[:, None])
            context = self.context("dynamic", np.concatenate([self.features, np.stack(state, axis=2)], axis=2))
            correction = np.tanh(self.head("dynamic.correction", context))
            bid_step = 2 ** np.tanh(self.head("dynamic.bid_step", context))
            price_step = 2 ** np.tanh(self.head("dynamic.price_step", context).mean(axis=0))
            unmatched = np.tanh(self.head("dynamic.unmatched", context).mean(axis=1))
        self.prices = np.clip(self.prices + self.dual * price_step * demand, 0, 20)
        self.bids = self.bids + 0.5 * bid_step * (gain + correction - self.prices) - 0.1 * ~self.compatible
        self.logit = self.logit + 0.5 * unmatched
        self.normalise()


def molecule_like(rng, n, labels=2):
    """A connected random graph with degrees up to 4."""
    edges, degree = set(), np.zeros(n, dtype=int)
    for v in range(1, n):
        u = int(rng.choice(np.flatnonzero(degree[:v] < 4)))
        edges.add((u, v))
        degree[[u, v]] += 1
    for u, v in rng.integers(0, n, (n // 8, 2)):
        if u < v and (u, v) not in edges and max(degree[u], degree[v]) < 4:
            edges.add((int(u), int(v)))
            degree[[u, v]] += 1
    ends = np.array(sorted(edges), dtype=int).reshape(-1, 2)
    return enpda.Graph(rng.integers(0, labels, n), ends, rng.integers(0, 2, len(ends)))


def pairs():
    rng = np.random.default_rng(1)
    single, lonely = enpda.Graph([1], [], []), enpda.Graph([0, 1, 1, 0, 2], [], [])
    path = enpda.Graph([0, 1, 0, 1], [(0, 1), (1, 2), (2, 3)], [0, 0, 1])
    return {
        "molecules": (molecule_like(rng, 23), molecule_like(rng, 31)),
        "small": (molecule_like(rng, 7), molecule_like(rng, 5)),
        "drugs": tuple(enpda.Graph.from_smiles(s) for s in ("CC(=O)Nc1ccc(O)cc1", "CC(=O)Oc1ccccc1C(=O)O")),
        "dense": (random_graph(rng, 9, 0.7, 1, 1), random_graph(rng, 12, 0.6, 1, 1)),
        "dense and labelled": (random_graph(rng, 18, 0.9, 2, 2), random_graph(rng, 19, 0.9, 2, 2)),
        "no candidates": (enpda.Graph([5, 6, 7], [(0, 1)], [0]), path),
        "one row": (single, path),
        "one column": (path, single),
        "one cell": (single, single),
        "no edges": (lonely, path),
        "no edges at all": (lonely, lonely),
        "strange edges": (path, enpda.Graph([0, 1, 0], [(0, 1), (1, 2)], [7, 8])),
    }


PAIRS = pairs()
PARTS = [
    {},
    {"initializer": False},
    {"dynamics": False},
    {"prices": False},
    {"initializer": False, "dynamics": False, "prices": False},
]


def agree(state, reference):
    close = {"atol": 1e-4, "rtol": 1e-4}
    np.testing.assert_allclose(state.bids, reference.bids, **close)
    np.testing.assert_allclose(state.prices, reference.prices, **close)
    np.testing.assert_allclose(state.unmatched_logit, reference.logit, **close)
    np.testing.assert_allclose(state.soft, reference.mass[:, :-1], **close)
    np.testing.assert_allclose(state.unmatched, reference.mass[:, -1], **close)


@pytest.mark.parametrize("parts", PARTS, ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_rounds_equal_the_definition(name, parts):
    a, b = PAIRS[name]
    reference = Reference(a, b, WEIGHTS, **parts)
    for rounds in range(5):
        if rounds > 0:
            reference.round()
        if rounds in (0, 1, 4):
            agree(_core.run_rounds(a.core, b.core, rounds, policy=POLICY, parts=_core.PolicyParts(**parts)), reference)


def test_noise_comes_on_top_of_the_learned_bids():
    a, b = PAIRS["small"]
    reference = Reference(a, b, WEIGHTS, noise=0.5)
    agree(_core.run_rounds(a.core, b.core, 0, 0.5, 5, policy=POLICY), reference)
    reference.round()
    agree(_core.run_rounds(a.core, b.core, 1, 0.5, 5, policy=POLICY), reference)


@pytest.mark.parametrize("name", PAIRS)
def test_heads_of_zero_are_the_analytic_rounds_bit_for_bit(name):
    a, b = PAIRS[name]
    silent = _core.Policy(random_weights(3, heads=0.0))
    for rounds in (0, 1, 4):
        learned = _core.run_rounds(a.core, b.core, rounds, 0.5, 7, policy=silent)
        analytic = _core.run_rounds(a.core, b.core, rounds, 0.5, 7)
        for field in ("bids", "soft", "prices", "unmatched", "unmatched_logit", "demand"):
            np.testing.assert_array_equal(getattr(learned, field), getattr(analytic, field), strict=True)


@pytest.mark.parametrize("name", ["molecules", "drugs", "dense and labelled", "large"])
def test_reordering_either_graph_permutes_the_state(name):
    rng = np.random.default_rng(2)
    a, b = PAIRS[name] if name in PAIRS else (molecule_like(rng, 90), molecule_like(rng, 101))
    p, q = rng.permutation(len(a)), rng.permutation(len(b))
    before = _core.run_rounds(a.core, b.core, 4, policy=POLICY)
    after = _core.run_rounds(reordered(a, p).core, reordered(b, q).core, 4, policy=POLICY)
    np.testing.assert_allclose(after.bids, before.bids[np.ix_(p, q)], atol=1e-4)
    np.testing.assert_allclose(after.prices, before.prices[q], atol=1e-4)
    np.testing.assert_allclose(after.unmatched_logit, before.unmatched_logit[p], atol=1e-4)


@pytest.mark.parametrize("name", ["molecules", "dense", "no candidates"])
def test_neighbours_enumerated_on_the_fly_give_the_same(name):
    a, b = PAIRS[name]
    stored, enumerated = (_core.run_rounds(a.core, b.core, 4, 0.0, 0, limit, POLICY) for limit in (10**9, 0))
    np.testing.assert_allclose(enumerated.bids, stored.bids, atol=1e-4)
    np.testing.assert_allclose(enumerated.prices, stored.prices, atol=1e-4)


def test_a_pair_too_large_for_the_policy_gets_analytic_rounds():
    a = enpda.Graph(np.zeros(1500, dtype=int), [], [])
    learned, analytic = (_core.run_rounds(a.core, a.core, 1, policy=policy) for policy in (POLICY, None))
    np.testing.assert_array_equal(learned.bids, analytic.bids)


def test_an_empty_graph_is_no_trouble():
    empty, path = enpda.Graph([], [], []), PAIRS["one row"][1]
    for a, b in ((empty, path), (path, empty), (empty, empty)):
        state = _core.run_rounds(a.core, b.core, 2, policy=POLICY)
        assert state.bids.shape == (len(a), len(b))
        assert np.isfinite(state.unmatched_logit).all()


def test_a_policy_has_as_many_numbers_as_the_model():
    assert sum(value.size for value in WEIGHTS.values()) == 52_934


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dynamic.bid_step.bias": None}, r"lacks the tensor dynamic\.bid_step\.bias of shape \(1,\)"),
        ({"dynamic.extra": np.zeros(1, np.float32)}, r"no use for the tensor dynamic\.extra"),
        (
            {"initial.encoder.input.weight": np.zeros((64, 11), np.float32)},
            r"initial\.encoder\.input\.weight has shape \(64, 11\); expected \(64, 6\)",
        ),
        (
            {"dynamic.encoder.layers.1.second.weight": np.zeros(4096, np.float32)},
            r"layers\.1\.second\.weight has shape \(4096,\); expected \(64, 64\)",
        ),
        (
            {"initial.bid.weight": np.full((1, 256), np.nan, np.float32)},
            r"initial\.bid\.weight has an entry that is not finite",
        ),
    ],
)
def test_bad_weights_are_refused(change, message):
    weights = {name: value for name, value in (WEIGHTS | change).items() if value is not None}
    with pytest.raises(enpda.InputError, match=message):
        _core.Policy(weights)


def solve(a, b, policy, streams, threads, parts=None):
    search = _core.SearchOptions()
    search.noisy = [k > 0 for k in range(streams)]
    search.policy, search.threads, search.seed = policy, threads, 3
    if parts is not None:
        search.parts = parts
    options = _core.SolveOptions()
    options.searches = [search]
    return _core.solve(a.core, b.core, options, -1.0)


def test_search_starts_from_the_learned_rounds():
    a, b = PAIRS["molecules"]
    learned = solve(a, b, POLICY, 1, 1)
    np.testing.assert_array_equal(learned.prices, _core.run_rounds(a.core, b.core, 4, policy=POLICY).prices)
    assert not np.array_equal(learned.prices, solve(a, b, None, 1, 1).prices)
    assert not solve(a, b, POLICY, 1, 1, _core.PolicyParts(prices=False)).prices.any()


def test_threads_do_not_change_the_answer():
    a, b = PAIRS["molecules"]
    one, several = (solve(a, b, POLICY, 12, threads) for threads in (1, 4))
    np.testing.assert_array_equal(one.image, several.image)
    np.testing.assert_array_equal(one.prices, several.prices)


def test_options_keep_their_policy_alive():
    search = _core.SearchOptions()
    assert search.policy is None
    search.policy = _core.Policy(WEIGHTS)
    assert isinstance(search.policy, _core.Policy)
    search.policy = None
    assert search.policy is None


def test_a_deadline_ends_learned_rounds_with_a_mapping():
    rng = np.random.default_rng(4)
    a, b = molecule_like(rng, 150), molecule_like(rng, 160)
    options = _core.SolveOptions()
    search = _core.SearchOptions()
    search.policy, search.rounds = POLICY, 10_000
    options.searches = [search]
    found = _core.solve(a.core, b.core, options, 0.3)
    assert found.time_limit
    assert (found.image >= 0).any()
