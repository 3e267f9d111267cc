"""What learning adds: to the paper's rounds (arms, controls, transfer, prices), to splits of profit; time, scaling."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import enpda
from enpda import _core
from enpda.errors import InputError
from enpda.learn.planted import SETS, planted_pairs
from enpda.solve.policy import load_rounds, shipped
from enpda.view.table import Table
from enpda_bench import Section, Settings, by_section, datasets
from enpda_bench.arms import ARMS, oriented, projection, trajectory
from enpda_bench.bootstrap import blocks, interval
from enpda_bench.datasets import BenchPair
from enpda_bench.experiments import shares
from enpda_bench.experiments.ablation import ablation
from enpda_bench.experiments.gpu import gpu
from enpda_bench.experiments.large import large
from enpda_bench.natural import DD_BINS, DD_PER_BIN, dd_pairs

SEEDS = (0, 1, 2)
ROUNDS = (1, 2, 4, 8)
Percent = npt.NDArray[np.float64]
LEARNED = tuple(arm for arm, (weights, _) in ARMS.items() if weights)
"""Arms with weights."""


def run(settings: Settings) -> list[Table]:
    """Tables by section; `--only` runs one of them."""
    return by_section(settings, SECTIONS, MORE)


def _measured(pairs: Sequence[BenchPair], arm: str, rounds: int, decoder: str, turn: bool = True) -> Percent:
    """Accuracies of an arm as (seeds, pairs); one seed where there are no weights."""
    return np.stack(
        [
            np.array([datasets.accuracy(p, _size(p, arm, seed, rounds, decoder, turn)) for p in pairs])
            for seed in (SEEDS if arm in LEARNED else (0,))
        ]
    )


def _size(pair: BenchPair, arm: str, seed: int, rounds: int, decoder: str, turn: bool) -> int:
    return projection(pair, *trajectory(pair, arm, seed, rounds, turn), decoder).size or 0


def _accuracy(settings: Settings) -> list[Table]:
    """Arms x rounds x decoders on the fixed pairs."""
    sets = datasets.pair_sets(settings)
    return [_arms(sets, "hungarian", controls=settings.peers), _arms(sets, "growth", controls=False)]


def _arms(sets: dict[str, list[BenchPair]], decoder: str, controls: bool) -> Table:
    table = Table(
        f"{decoder} decoder: mean % of the optimum, {len(SEEDS)} seeds, and learned - analytic with its 95 % interval",
        ["arm", "rounds", *(f"{name} {what}" for name in sets for what in ("%", "gain"))],
    )
    groups = {name: blocks(pairs) for name, pairs in sets.items()}
    analytic: dict[tuple[str, int], Percent] = {}

    def gain(values: Percent, name: str, rounds: int) -> str:
        difference = values - analytic[name, rounds]
        low, high = interval(difference, groups[name])
        return f"{difference.mean():+.2f} [{low:+.2f}, {high:+.2f}]"

    work = tqdm(total=(1 + len(LEARNED)) * len(ROUNDS), desc=decoder, leave=False, disable=None)
    for rounds in ROUNDS:
        row: list[object] = ["analytic", rounds]
        for name in sets:
            analytic[name, rounds] = _measured(sets[name], "analytic", rounds, decoder)[0]
            row += [float(analytic[name, rounds].mean()), ""]
        table.rows.append(row)
        work.update()
    for arm in LEARNED:
        for rounds in ROUNDS:
            row = [arm, rounds]
            for name in sets:
                values = _measured(sets[name], arm, rounds, decoder)
                row += [float(values.mean()), gain(values, name, rounds)]
            table.rows.append(row)
            work.update()
    if controls:
        for label, values_of in _controls():
            row = [label, "-"]
            for name, pairs in sets.items():
                values = np.stack([values_of(pairs, seed) for seed in SEEDS])
                row += [float(values.mean()), gain(values, name, 4)]
            table.rows.append(row)
        table.notes.append("Controls are compared with four analytic rounds.")
    table.notes.append(
        f"Blocks of pairs that share a graph: {', '.join(f'{name} {len(g)}' for name, g in groups.items())}. "
        "With a single block only seeds are drawn, and the interval says nothing about other pairs."
    )
    return table


def _controls() -> list[tuple[str, Callable[[Sequence[BenchPair], int], Percent]]]:
    from enpda_bench.controls import Image, gumbel, sinkhorn

    def percent(pair: BenchPair, image: Image) -> float:
        return datasets.accuracy(pair, len(_core.preserved_edges(pair.a.core, pair.b.core, image)))

    return [
        ("Sinkhorn", lambda pairs, seed: np.array([percent(p, sinkhorn(p.a, p.b, seed)) for p in pairs])),
        (
            "Gumbel-Sinkhorn, best of 10",
            lambda pairs, seed: np.array([percent(p, gumbel(p.a, p.b, seed, k)) for k, p in enumerate(pairs)]),
        ),
    ]


def _planted(settings: Settings) -> list[Table]:
    """Transfer to unlabelled graphs that were never trained on."""
    if settings.data is None:
        return []
    table = Table(
        f"planted pairs, hungarian and growth decoder, four rounds: mean % of the optimum over {len(SEEDS)} seeds",
        ["set", "pairs", "analytic %", "learned %", "gain", "analytic growth %", "learned growth %"],
    )
    for name in SETS:
        pairs = planted_pairs(settings.data, name)[: settings.count]
        # Not turned: the whole graph is the source, as in the paper.
        values = {
            decoder: (
                _measured(pairs, "analytic", 4, decoder, turn=False)[0],
                _measured(pairs, "full", 4, decoder, turn=False),
            )
            for decoder in ("hungarian", "growth")
        }
        before, after = values["hungarian"]
        low, high = interval(after - before, [[k] for k in range(len(pairs))])
        table.rows.append(
            [
                name,
                len(pairs),
                float(before.mean()),
                float(after.mean()),
                f"{(after - before).mean():+.2f} [{low:+.2f}, {high:+.2f}]",
                *(float(x.mean()) for x in values["growth"]),
            ]
        )
    return [table]


def _prices(settings: Settings) -> list[Table]:
    """How tight a bound the prices give, without any other."""
    table = Table(
        f"price bound, exact scale: mean edges above the best known size, {len(SEEDS)} seeds",
        ["set", "zero prices", "analytic, 4 rounds", "learned, 4 rounds", "analytic - learned"],
    )
    for name, pairs in datasets.pair_sets(settings).items():

        def gaps(prices_of: Callable[[BenchPair], npt.NDArray[np.float32]], pairs: list[BenchPair] = pairs) -> Percent:
            out = []
            for p in pairs:
                bound = _core.repaired_prices(*oriented(p), prices_of(p), _core.Scales.exact)[0]
                if bound < p.size:
                    raise RuntimeError(f"a price bound of {bound} is below the known {p.size} edges")
                out.append(bound - p.size)
            return np.array(out, dtype=np.float64)

        zero = gaps(lambda p: np.zeros(len(oriented(p)[1]), dtype=np.float32))
        plain = gaps(lambda p: trajectory(p, "analytic", 0)[0].prices)
        learned = np.stack([gaps(lambda p, s=s: trajectory(p, "full", s)[0].prices) for s in SEEDS])  # type: ignore[misc]
        low, high = interval(plain - learned, blocks(pairs))
        shown = f"{(plain - learned).mean():+.2f} [{low:+.2f}, {high:+.2f}]"
        table.rows.append([name, float(zero.mean()), float(plain.mean()), float(learned.mean()), shown])
    return [table]


def _time(settings: Settings) -> list[Table]:
    """One thread: analytic, core, the same policy in eager PyTorch, and search from either proposal."""
    sets = datasets.pair_sets(settings)
    pairs = [p for members in sets.values() for p in members]
    table = Table(
        f"one thread, {len(pairs)} pairs, features included: mean ms and mean % of the optimum",
        ["what", "mean ms", "p50 ms", "p99 ms", "%"],
    )

    def add(label: str, seconds: Sequence[float], sizes: Sequence[int]) -> None:
        ms = 1e3 * np.array(seconds)
        accuracy = np.mean([datasets.accuracy(p, size) for p, size in zip(pairs, sizes, strict=True)])
        table.rows.append(
            [label, float(ms.mean()), float(np.median(ms)), float(np.quantile(ms, 0.99)), float(accuracy)]
        )

    rows: list[tuple[str, dict[str, object]]] = [
        ("analytic", {"method": "analytic"}),
        ("core, paper's policy", {"method": "core", "policy": "paper"}),
        ("core, paper's policy, hungarian", {"method": "core", "policy": "paper", "decoder": "hungarian"}),
        ("core", {"method": "core"}),
        ("core, best of 16", {"method": "core", "samples": 16}),
        ("analytic, best of 16", {"method": "analytic", "samples": 16}),
        ("fast", {"method": "fast"}),
        ("fast with the policy", {"method": "fast", "policy": "default"}),
        ("10 ms", {"method": "solver", "time_limit": 0.01}),
        ("10 ms with the policy", {"method": "solver", "time_limit": 0.01, "policy": "default"}),
    ]
    for label, options in rows:
        found = [
            enpda.match(p.a, p.b, **options)  # type: ignore[arg-type]
            for p in tqdm(pairs, desc=label, leave=False, disable=None)
        ]
        add(label, [m.seconds for m in found], [m.size for m in found])
    if settings.peers:
        seconds, sizes = _eager(pairs)
        add("paper's policy in eager PyTorch, growth", seconds, sizes)
        ratio = float(np.mean(seconds)) * 1e3 / table.rows[1][1]
        table.notes.append(f"Eager PyTorch, one thread, takes {ratio:.1f} times as long as the core.")
    return [table]


def _eager(pairs: Sequence[BenchPair]) -> tuple[list[float], list[int]]:
    try:
        import torch
        from safetensors.torch import load_file

        from enpda.gpu.batch import collate, orient
        from enpda.gpu.decode import decoded
        from enpda.gpu.policy import Policy
    except ModuleNotFoundError as error:
        raise InputError(
            f"the comparison needs PyTorch: pip install 'enpda[train]', or use --no-peers ({error})"
        ) from None
    torch.set_num_threads(1)
    network = Policy()
    network.load_state_dict(load_file(shipped("full-0")))
    seconds, sizes = [], []
    with torch.no_grad():
        for p in tqdm(pairs, desc="PyTorch", leave=False, disable=None):
            begin = time.perf_counter()
            pair = [orient(p.a, p.b)]
            _, size = decoded(pair, network(collate(pair), 4)[-1], "growth")
            seconds.append(time.perf_counter() - begin)
            sizes.append(int(size[0]))
    return seconds, sizes


def _scaling(settings: Settings) -> list[Table]:
    """Time set-up and rounds on proteins of up to 650 nodes."""
    if settings.data is None:
        return []
    table = Table(
        "D&D pairs, four learned rounds, one thread: medians of each bin",
        ["bin", "pairs", "nodes", "set-up and features s", "all s", "analytic s", "peak memory MB"],
    )
    policy = load_rounds("paper")
    every = dd_pairs(settings.data)
    for place, (low, high) in enumerate(DD_BINS.values()):
        pairs = [(p.a, p.b) for p in every[DD_PER_BIN * place : DD_PER_BIN * (place + 1)]]
        times: dict[str, list[float]] = {"setup": [], "all": [], "analytic": []}
        for a, b in tqdm(pairs[: settings.count], desc=f"{low}-{high}", leave=False, disable=None):
            for label, rounds, chosen in (("setup", 0, None), ("all", 4, policy), ("analytic", 4, None)):
                left, right = (enpda.Graph(g.labels, g.edges, g.edge_labels).core for g in (a, b))
                begin = time.perf_counter()
                _core.run_rounds(left, right, rounds, policy=chosen)
                times[label].append(time.perf_counter() - begin)
        nodes = float(np.median([(len(a) + len(b)) / 2 for a, b in pairs]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        medians = [float(np.median(times[label])) for label in ("setup", "all", "analytic")]
        table.rows.append([f"{low}-{high}", len(pairs[: settings.count]), nodes, *medians, peak])
    table.notes.append("Peak memory is the process's, everything before included.")
    return [table]


SECTIONS: dict[str, Section] = {
    "accuracy": _accuracy,
    "planted": _planted,
    "prices": _prices,
    "certificates": shares.certificates,
    "proposals": shares.proposals,
    "proofs": shares.proofs,
    "searches": shares.searches,
    "ablation": ablation,
    "time": _time,
    "scaling": _scaling,
    "large": large,
}
"""What runs by default."""
MORE: dict[str, Section] = {"gpu": gpu}
"""What runs only when it is asked for."""
