"""Train a network that shares profit out. Its loss is the bound itself: nobody has to know what good shares are.

Half of the batches begin with even shares, half where the ascent's first sweeps lead. A second head learns how often
a long ascent chooses each candidate, so that what was understood about the bound also becomes a mapping. One checkpoint
an epoch; a run that was stopped goes on after the last.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from tqdm import tqdm

import enpda
from enpda import _core
from enpda.errors import InputError
from enpda.gpu.batch import Oriented, orient
from enpda.gpu.policy import parameter_count
from enpda.learn.pipeline import digest, drawn, made_with, repeatable, write
from enpda.learn.share_network import SWEEPS, Problem, ShareNetwork, unroll
from enpda.learn.split import PARTS
from enpda.solve.policy import NONE

EPOCHS, STEPS, BATCH, RATE, CLIP, MEMORY = 90, 10, 48, 2e-3, 10.0, 0.995
WARM_UP, LAST_RATE = 100, 0.02
"""Optimiser's steps until the full rate, and the share of it that is left at the end."""
HEAD = 0.05
"""Weight of the second head's loss, in edges a nat."""
MOST_EDGES = 8_000
"""Association edges of a pair that takes part, at most: one of the denser relatives takes the time of a hundred
molecules."""
TEACHER_ITERATIONS = 300
LOOKS = (6, 12)
"""Steps after which validation looks at the bound."""


@dataclass(frozen=True)
class SharePlan:
    """One training.

    Attributes
    ----------
    work : Path
        Folder for everything that is made, shared with other arms.
    data : Path, optional
        Folder with the public datasets; not needed when `work` holds `split.npz`.
    seed : int
        Of weights and order.
    epochs : int
        Passes over the training pairs.
    scale : float
        Factor on the number of pairs, below 1 for a smoke test.
    device : str
        Such as `cpu` or `cuda`; bounds are evaluated on processors in any case.
    threads : int
        Processors that evaluate bounds.
    """

    work: Path
    data: Path | None = None
    seed: int = 0
    epochs: int = EPOCHS
    scale: float = 1.0
    device: str = "cpu"
    threads: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1 or not 0 < self.scale <= 100 or self.seed < 0 or self.threads < 1:
            raise InputError("epochs and threads must be at least 1, scale in (0, 100], seed at least 0")
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise InputError(f"device {self.device!r}: PyTorch sees no GPU here; use --device cpu")

    @property
    def folder(self) -> Path:
        """Where the network is."""
        return self.work / f"seed{self.seed}" / "shares"


@dataclass(frozen=True)
class Lesson:
    """A pair to learn from: how often a long ascent chooses each candidate, and the size of a good mapping."""

    pair: Oriented
    usage: npt.NDArray[np.float32]
    size: int


def lessons(pairs: Sequence[tuple[Any, Any]], threads: int) -> list[Lesson]:
    """Prepare pairs; those that are too large, or share no edge, are left out.

    Mappings come from a search whose work is counted and not timed, so that every machine learns the same.
    """
    oriented = [orient(a, b) for a, b in pairs]
    counts = np.diff(_core.ShareBatch([(p.a.core, p.b.core) for p in oriented], threads).edge_start)
    kept = [p for p, count in zip(oriented, counts.tolist(), strict=True) if 0 < count <= MOST_EDGES]
    sizes = [m.size for m in enpda.match_many(kept, "fast", policy=NONE, time_limit=None, threads=threads)]
    shares = _core.ShareBatch([(p.a.core, p.b.core) for p in kept], threads)
    usage = np.split(shares.usage(np.array(sizes, dtype=np.int32), TEACHER_ITERATIONS), shares.candidate_start[1:-1])
    return [Lesson(p, part, size) for p, part, size in zip(kept, usage, sizes, strict=True)]


def laid_out(some: Sequence[Lesson], device: str, threads: int) -> tuple[Problem, Tensor, Tensor]:
    """Lay lessons out on a device: the problem, the usage to learn, and the sizes."""
    problem = Problem.of(_core.ShareBatch([(x.pair.a.core, x.pair.b.core) for x in some], threads), device)
    usage = torch.from_numpy(np.concatenate([x.usage for x in some])).to(device)
    return problem, usage, torch.tensor([float(x.size) for x in some], device=device)


def loss_of(net: ShareNetwork, problem: Problem, usage: Tensor, sizes: Tensor, sweeps: int) -> Tensor:
    """Mean gap after every step, later ones weighing more, and how badly the scores tell what is chosen."""
    course = unroll(net, problem, STEPS, sweeps)
    weights = torch.arange(1, STEPS + 1, device=usage.device, dtype=torch.float32)
    weights = weights / weights.sum()
    gaps = torch.stack(course.priced[1:]) - sizes
    told = partial(nn.functional.binary_cross_entropy_with_logits, reduction="sum")
    heads = torch.stack([told(score, usage) for score in course.scores])
    return (weights @ gaps).mean() + HEAD * (weights @ heads) / len(sizes)


@torch.no_grad()
def judged(net: ShareNetwork, some: Sequence[Lesson], device: str, threads: int) -> dict[str, float]:
    """Return the mean gap in whole edges and the share of closed pairs after a few steps."""
    gaps: dict[tuple[int, int], list[npt.NDArray[np.float64]]] = {}
    for k in range(0, len(some), 128):
        problem, _, sizes = laid_out(some[k : k + 128], device, threads)
        for sweeps in (0, SWEEPS):
            bounds = torch.stack(unroll(net, problem, max(LOOKS), sweeps).bounds)
            for steps in LOOKS:
                least = bounds[: steps + 1].min(0).values.cpu().numpy()
                gaps.setdefault((sweeps, steps), []).append(np.floor(least + 1e-9) - sizes.cpu().numpy())
    out: dict[str, float] = {}
    for (sweeps, steps), parts in gaps.items():
        gap = np.concatenate(parts)
        name = f"{sweeps} sweeps, {steps} steps"
        out |= {f"gap, {name}": float(gap.mean()), f"closed, {name}": float((gap <= 0).mean())}
    return out


def run(plan: SharePlan, say: Callable[[str], None] = lambda text: None) -> Path:
    """Run what is missing of a plan; returns the file with the weights."""
    repeatable(plan.device)
    plan.folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    split = drawn(plan.work, plan.data, plan.scale)
    training, validation = (lessons(split.chosen(purpose, PARTS), plan.threads) for purpose in ("train", "validation"))
    if len(training) == 0:
        raise InputError(f"no pair of {plan.work / 'split.npz'} is small enough to train on")
    prepared = time.perf_counter() - begin
    say(f"{len(training)} pairs to learn from, {len(validation)} to judge by: {prepared:.1f} s")
    weights, history = _train(plan, training, validation, say)
    card = {
        "format": "enpda-shares-1",
        "seed": plan.seed,
        "parameters": parameter_count(ShareNetwork()),
        "epochs": plan.epochs,
        "history": history,
        "pairs": {"training": len(training), "validation": len(validation), "most association edges": MOST_EDGES},
        "split": {
            "version": split.manifest["version"],
            "seed": split.manifest["seed"],
            "sha256": digest(split.manifest),
        },
        "optimiser": {"rate": RATE, "clip": CLIP, "pairs_per_step": BATCH, "memory": MEMORY, "steps": STEPS},
        "seconds": {"preparation": round(prepared, 2), "network": round(sum(e["seconds"] for e in history), 2)},
        "made_with": made_with(plan.device),
    }
    path = plan.folder / "shares.safetensors"
    write(path, lambda temporary: save_file(weights, temporary, metadata={"card": json.dumps(card)}))
    return path


def _train(
    plan: SharePlan, training: Sequence[Lesson], validation: Sequence[Lesson], say: Callable[[str], None]
) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    """Train epoch by epoch, going on after the last checkpoint; returns averaged weights and what was measured."""
    torch.manual_seed(plan.seed)
    net = ShareNetwork().to(plan.device)
    averaged = copy.deepcopy(net)
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    history: list[dict[str, Any]] = []
    state = plan.folder / "state.pt"
    if state.is_file():
        going = torch.load(state, weights_only=True, map_location=plan.device)
        for part, name in ((net, "net"), (averaged, "averaged"), (optimiser, "optimiser")):
            part.load_state_dict(going[name])
        history = json.loads(going["history"])
    steps = max(len(training) // BATCH, 1)
    for epoch in tqdm(range(len(history), plan.epochs), desc="epochs", leave=False, disable=None):
        begin, total = time.perf_counter(), 0.0
        order = np.random.default_rng([plan.seed, epoch]).permutation(len(training))
        for k in range(steps):
            done = epoch * steps + k
            gone = done / (plan.epochs * steps)
            fall = LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * gone)) / 2
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, (done + 1) / WARM_UP) * fall
            some = [training[i] for i in order[k * BATCH : (k + 1) * BATCH]]
            loss = loss_of(net, *laid_out(some, plan.device, plan.threads), SWEEPS * (k % 2))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), CLIP)
            optimiser.step()
            total += float(loss.detach()) / steps
            with torch.no_grad():
                memory = min(MEMORY, (done + 1) / (done + 10))
                for mine, new in zip(averaged.parameters(), net.parameters(), strict=True):
                    mine.lerp_(new, 1 - memory)
        entry: dict[str, Any] = {"epoch": epoch + 1, "loss": total, "seconds": time.perf_counter() - begin}
        if (epoch + 1) % 10 == 0 or epoch + 1 == plan.epochs:
            entry |= judged(averaged, validation, plan.device, plan.threads)
            say(json.dumps(entry))
        history.append(entry)
        going = {
            "net": net.state_dict(),
            "averaged": averaged.state_dict(),
            "optimiser": optimiser.state_dict(),
            "history": json.dumps(history),
        }
        write(state, partial(torch.save, going))
    return {name: value.detach().cpu().contiguous() for name, value in averaged.state_dict().items()}, history
