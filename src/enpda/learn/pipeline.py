"""From data to weights: split, reference matcher, teacher maps, student. Each leaves a file and is not repeated."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from tqdm import tqdm

import enpda
from enpda.errors import InputError
from enpda.files import replacing, save
from enpda.gpu.batch import Oriented, collate, orient
from enpda.gpu.decode import Image, by_pair
from enpda.gpu.policy import parameter_count
from enpda.learn import split as splits
from enpda.learn.reference import Reference, reference_loss
from enpda.learn.student import (
    ACCUMULATION,
    CLIP,
    DECAY,
    EPOCHS,
    RATE,
    RECIPES,
    Arm,
    ArmName,
    Recipe,
    RecipeName,
    School,
    analytic_sizes,
    train_epoch,
)
from enpda.learn.teacher import Kind, refined, starts
from enpda.view.plots import lines
from enpda.view.table import Table

SHUFFLE = {"full": 2026082900, "no-price": 2026082900, "sinkhorn": 2026083000}
REFERENCE_EPOCHS, REFERENCE_CLIP = 20, 5.0


@dataclass(frozen=True)
class Plan:
    """One training.

    Attributes
    ----------
    work : Path
        Folder for everything that is made; a second run goes on where the first one stopped.
    data : Path, optional
        Folder with the public datasets; not needed when `work` holds `split.npz`.
    arm : {"full", "no-price", "sinkhorn"}
        What is trained.
    recipe : {"paper", "plus"}
        How: as the paper says, or with what we found to work better.
    teacher : {"paper", "anchored"}
        What the teacher maps start from.
    seed : int
        Of weights and order.
    epochs : int
        Passes over the training pairs.
    scale : float
        Factor on the number of pairs, below 1 for a smoke test.
    device : str
        Such as `cpu` or `cuda`.
    """

    work: Path
    data: Path | None = None
    arm: ArmName = "full"
    recipe: RecipeName = "plus"
    teacher: Kind = "paper"
    seed: int = 0
    epochs: int = EPOCHS
    scale: float = 1.0
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name, value, kind in (
            ("arm", self.arm, ArmName),
            ("recipe", self.recipe, RecipeName),
            ("teacher", self.teacher, Kind),
        ):
            if value not in get_args(kind):
                raise InputError(f"{name} must be one of {', '.join(get_args(kind))}; got {value!r}")
        if self.epochs < 1 or not 0 < self.scale <= 100 or self.seed < 0:
            raise InputError("epochs must be at least 1, scale in (0, 100], seed at least 0")
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise InputError(f"device {self.device!r}: PyTorch sees no GPU here; use --device cpu")

    @property
    def seed_folder(self) -> Path:
        """Where a seed's reference matcher and teacher maps are."""
        return self.work / f"seed{self.seed}"

    @property
    def how(self) -> Recipe:
        """What the recipe's name stands for."""
        return RECIPES[self.recipe]

    @property
    def tag(self) -> str:
        """What tells pairs and teachers apart, in names of files."""
        return self.recipe if self.teacher == "paper" else f"{self.recipe}-{self.teacher}"

    @property
    def folder(self) -> Path:
        """Where the student is."""
        return self.seed_folder / f"{self.arm}-{self.tag}"


def run(plan: Plan, say: Callable[[str], None] = lambda text: None) -> Path:
    """Run what is missing of a plan; returns the file with the selected weights."""
    repeatable(plan.device)
    plan.folder.mkdir(parents=True, exist_ok=True)
    log = plan.seed_folder / f"seconds-{plan.tag}.json"

    def timed(name: str, stage: Callable[..., Any], *arguments: Any) -> Any:
        begin = time.perf_counter()
        result = stage(*arguments)
        if plan.device.startswith("cuda"):
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        say(f"{name}: {seconds:.1f} s")
        known = json.loads(log.read_text()) if log.is_file() else {}
        if seconds > known.get(name, 0.0):  # later runs only read what is there
            write(log, lambda path: path.write_text(json.dumps(known | {name: seconds})))
        return result

    split = timed("split", drawn, plan.work, plan.data, plan.scale)
    train, validation = (
        [orient(a, b) for a, b in split.chosen(purpose, plan.how.parts, plan.how.as_many_as_the_paper)]
        for purpose in ("train", "validation")
    )
    reference = timed("reference matcher", pretrained, plan, train) if plan.teacher == "paper" else None
    if reference is not None:
        say("reference scalars: " + " ".join(f"{x:.3f}" for x in reference.scalars()))
    maps = timed("teacher maps", taught, plan, train, reference)
    times = json.loads(log.read_text())
    history = studied(plan, train, maps, validation)
    times["student"] = sum(entry["seconds"] for entry in history)
    say(f"student: {times['student']:.1f} s")
    counts = {"training": len(train), "validation": len(validation)}
    return exported(plan, split.manifest, counts, history, maps, times)


def repeatable(device: str) -> None:
    """Make PyTorch refuse what does not repeat itself."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    # Hundreds of launches a step, against bugs that tests would find.
    setattr(torch.utils.deterministic, "fill_uninitialized_memory", False)  # noqa: B010
    torch.backends.cuda.matmul.allow_tf32 = False
    if device == "cpu":
        torch.set_num_threads(1)  # sums in parallel depend on the number of threads


def drawn(work: Path, data: Path | None, scale: float) -> splits.Split:
    """Return the split of a work folder, drawn or read."""
    path = work / "split.npz"
    if not path.is_file():
        if data is None:
            raise InputError(
                f"{path} does not exist yet; say where the datasets are with --data or ENPDA_DATA (see docs/data.md)"
            )
        splits.save(splits.draw(data, scale=scale), path)
    split = splits.load(path)
    if split.manifest["scale"] != scale:
        raise InputError(
            f"{path} was drawn with --scale {split.manifest['scale']:g}, not {scale:g}; choose another --work"
        )
    return split


def pretrained(plan: Plan, pairs: Sequence[Oriented]) -> Reference:
    """Train the reference matcher, or read it."""
    path = plan.seed_folder / f"reference-{plan.recipe}.safetensors"
    torch.manual_seed(plan.seed)
    network = Reference()
    if path.is_file():
        network.load_state_dict(load_file(path))
        return network
    network.to(plan.device)
    how = plan.how.reference
    optimiser = torch.optim.Adam(network.parameters(), lr=how.rate)
    best, kept = -np.inf, {}
    for epoch in tqdm(range(REFERENCE_EPOCHS), desc="reference matcher", leave=False, disable=None):
        generator = torch.Generator().manual_seed(1000 * plan.seed + epoch)
        order = torch.randperm(len(pairs), generator=generator).tolist()
        total = 0.0
        for k in range(0, len(order), how.batch):
            batch = collate([pairs[i] for i in order[k : k + how.batch]], plan.device)
            softs = network(batch, line_search=how.line_search)
            loss = reference_loss(batch, softs)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), REFERENCE_CLIP)
            optimiser.step()
            total += float((batch.quadratic(softs[-1]) / (2 * batch.edges)).sum().detach())
        if not np.isfinite(total):
            raise RuntimeError(f"the reference matcher's objective is {total} in epoch {epoch + 1}")
        if total > best:  # what was seen while training, as in the paper
            best = total
            kept = {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
    network.load_state_dict(kept)
    write(path, lambda temporary: save_file(kept, temporary))
    return network.cpu()


def taught(plan: Plan, pairs: Sequence[Oriented], reference: Reference | None) -> list[Image]:
    """Make the teacher maps, or read them."""
    path = plan.seed_folder / f"teacher-{plan.tag}.npz"
    if path.is_file():
        with np.load(path, allow_pickle=False) as file:
            return by_pair(file["maps"], pairs)
    first = starts(pairs, plan.teacher, reference)
    maps = [
        refined(p, image)
        for p, image in tqdm(
            zip(pairs, first, strict=True), total=len(pairs), desc="teacher maps", leave=False, disable=None
        )
    ]

    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, maps=np.concatenate(maps))
    return maps


def studied(
    plan: Plan, pairs: Sequence[Oriented], maps: Sequence[Image], validation: Sequence[Oriented]
) -> list[dict[str, Any]]:
    """Train the student epoch by epoch, going on after the last checkpoint; returns what was measured."""
    arm = Arm(plan.arm, plan.how.bound)
    torch.manual_seed(plan.seed)
    network = arm.network().to(plan.device)
    averaged = copy.deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY, fused=plan.device != "cpu")
    held = collate(validation, plan.device)
    baseline = analytic_sizes(validation, held)
    log = plan.folder / "progress.json"
    history: list[dict[str, Any]] = json.loads(log.read_text()) if log.is_file() else []

    def state(epoch: int) -> Path:
        return plan.folder / f"epoch{epoch:02d}.state.pt"

    def keep(epoch: int, loss: float | None, seconds: float) -> None:
        weights = {name: value.detach().cpu().contiguous() for name, value in averaged.state_dict().items()}
        going = {"network": network.state_dict(), "optimiser": optimiser.state_dict()}
        write(_checkpoint(plan, epoch), lambda path: save_file(weights, path))
        write(state(epoch), lambda path: torch.save(going, path))
        chosen = epoch % plan.how.stride == 0 or epoch == plan.epochs
        score = arm.validate(averaged, validation, held, baseline) if chosen else None
        history.append({"epoch": epoch, "loss": loss, "score": score, "seconds": seconds})
        write(log, lambda path: path.write_text(json.dumps(history)))  # only now the epoch counts
        state(epoch - 1).unlink(missing_ok=True)

    if history:
        last = len(history) - 1
        going = torch.load(state(last), weights_only=True, map_location=plan.device)
        network.load_state_dict(going["network"])
        optimiser.load_state_dict(going["optimiser"])
        averaged.load_state_dict(load_file(_checkpoint(plan, last)))
    else:
        keep(0, None, 0.0)
    if len(history) <= plan.epochs:
        school = School(arm, pairs, maps, plan.device)
        for epoch in tqdm(range(len(history), plan.epochs + 1), desc="epochs", leave=False, disable=None):
            begin = time.perf_counter()
            shuffle, steps = 1000 * (SHUFFLE[plan.arm] + plan.seed) + epoch, (epoch - 1) * school.steps()
            loss = train_epoch(arm, network, averaged, optimiser, school, shuffle, steps, plan.how.memory)
            keep(epoch, loss, time.perf_counter() - begin)
    return history[: plan.epochs + 1]


def exported(
    plan: Plan,
    manifest: dict[str, Any],
    counts: dict[str, int],
    history: list[dict[str, Any]],
    maps: list[Image],
    times: dict[str, float],
) -> Path:
    """Write the selected weights with their card, the learning curves and a report."""
    judged = [entry for entry in history if entry["score"] is not None]
    best = max(judged, key=lambda entry: (entry["score"], -entry["epoch"]))
    weights = load_file(_checkpoint(plan, int(best["epoch"])))
    card = {
        "format": "enpda-policy-1",
        "arm": plan.arm,
        "recipe": plan.recipe,
        "teacher": plan.teacher,
        "bound": Arm(plan.arm, plan.how.bound).bound,
        "seed": plan.seed,
        "parameters": parameter_count(Arm(plan.arm).network()),
        "epoch": int(best["epoch"]),
        "validation_score": best["score"],
        "history": history,
        "pairs": counts,
        "split": {"version": manifest["version"], "seed": manifest["seed"], "sha256": digest(manifest)},
        "teacher_maps_sha256": hashlib.sha256(np.concatenate(maps).tobytes()).hexdigest(),
        "optimiser": {
            "rate": RATE,
            "decay": DECAY,
            "clip": CLIP,
            "pairs_per_step": ACCUMULATION,
            "memory": plan.how.memory,
        },
        "seconds": {name: round(value, 2) for name, value in times.items()},
        "made_with": made_with(plan.device),
    }
    path = plan.folder / "policy.safetensors"
    write(path, lambda temporary: save_file(weights, temporary, metadata={"card": json.dumps(card)}))
    save(plan.folder / "card.json", json.dumps(card, indent=1) + "\n")
    curves = {_measure(plan): [(entry["epoch"], entry["score"]) for entry in judged]}
    title = f"{plan.arm}, {plan.tag}, seed {plan.seed}: {_measure(plan)} by epoch"
    save(plan.folder / "curves.svg", lines(curves, title, "epoch"))
    save(plan.folder / "report.md", _report(plan, card))
    return path


def _measure(plan: Plan) -> str:
    return "share of edges on validation pairs" if plan.arm == "sinkhorn" else "gain on validation pairs"


def _report(plan: Plan, card: dict[str, Any]) -> str:
    table = Table(
        f"{plan.arm} arm, {plan.recipe} recipe, {plan.teacher} teacher, seed {plan.seed}: "
        f"{card['parameters']} parameters",
        ["epoch", "loss", _measure(plan), "seconds"],
        [
            [
                int(e["epoch"]),
                "" if e["loss"] is None else e["loss"],
                "" if e["score"] is None else f"{e['score']:.4f}" + " *" * (e["epoch"] == card["epoch"]),
                e["seconds"],
            ]
            for e in card["history"]
        ],
        [
            "* the epoch that was kept.",
            "Pairs: " + ", ".join(f"{name} {count}" for name, count in card["pairs"].items()) + ".",
            "Seconds: " + ", ".join(f"{name} {value:g}" for name, value in card["seconds"].items()) + ".",
        ],
    )
    return f"{table}\n"


def made_with(device: str) -> dict[str, Any]:
    """Return what a card says about the software and the machine."""
    return {
        "enpda": enpda.__version__,
        "commit": _commit(),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if device.startswith("cuda") else platform.machine(),
    }


def _commit() -> str | None:
    """Return the commit of a checkout, or nothing for an installed package."""
    here = Path(__file__).resolve()
    git = ["git", "-C", str(here.parent)]
    try:
        subprocess.run([*git, "ls-files", "--error-unmatch", here.name], check=True, capture_output=True)
        found = subprocess.run([*git, "describe", "--always", "--dirty"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def _checkpoint(plan: Plan, epoch: int) -> Path:
    return plan.folder / f"epoch{epoch:02d}.safetensors"


def digest(manifest: dict[str, Any]) -> str:
    """Return what tells a manifest from others."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def write(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that it is there completely or not at all."""
    with replacing(path) as temporary:
        write(temporary)
