"""Many pairs at once on a device of PyTorch's: the default policy by one kernel, the paper's rounds in batches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file

from enpda import _core
from enpda.errors import InputError
from enpda.gpu import kernel
from enpda.gpu.batch import Oriented, collate, orient
from enpda.gpu.decode import by_pair
from enpda.gpu.policy import Policy, run
from enpda.graph import Graph
from enpda.result.match import CAPS, Match
from enpda.result.proof import Proof, ProofNode, Stage
from enpda.solve.matching import mapping_of
from enpda.solve.options import Options
from enpda.solve.policy import NONE, load, locate, steps_of

CELLS = 1_000_000
"""Of a batch of rounds, at most (unless one pair alone has more): about 2 GB on the device."""
PAIRS = 8192
"""Of a batch of the kernel: some 100 MB of results."""


def match_batches(
    pairs: Sequence[tuple[Graph, Graph]], options: Options, device: str, threads: int
) -> Iterator[tuple[int, Match]]:
    """Match every pair by `core` or `analytic`, in batches.

    Parameters
    ----------
    pairs : sequence of (Graph, Graph)
    options : Options
        Whose method, policy, rounds, decoder and seed count.
    device : str
        Such as `cuda`.
    threads : int
        Threads of the core's part.

    Yields
    ------
    int, Match
        The number of a pair and its match; the seconds are its share of the batch's. Pairs that the device does not
        take are left out.
    """
    if options.method not in ("core", "analytic"):
        raise InputError(f"device is for the methods core and analytic; got {options.method!r}")
    if options.samples not in (None, 1) or options.budget is not None:
        raise InputError("device goes without samples and budget: it makes one proposal a pair")
    if options.rules is not None:
        raise InputError("device compares labels as they are and goes without rules; leave out one of the two")
    if options.constraints is not None:
        raise InputError("device knows no constraints; leave out one of the two")
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"device {device!r}: {str(error).splitlines()[0]}") from None
    chosen = "default" if options.policy is None else options.policy
    learned = None if options.method == "analytic" or chosen == NONE else load(chosen)
    if isinstance(learned, _core.ShareNetwork):
        if options.decoder not in (None, "growth"):
            raise InputError(f"the kernel decodes by growth; got decoder={options.decoder!r}")
        steps = steps_of(chosen, "proof", int(options.rounds))
        yield from _by_kernel(pairs, options, kernel.weights_of(locate(chosen)), steps, device, threads)
        return
    network = None
    if learned is not None:
        network = Policy()
        network.load_state_dict(load_file(locate(chosen)))
        network.to(device)
    yield from _rounds(pairs, options, network, device, threads)


def _by_kernel(
    pairs: Sequence[tuple[Graph, Graph]], options: Options, weights: torch.Tensor, steps: int, device: str, threads: int
) -> Iterator[tuple[int, Match]]:
    """Let the kernel share out the profit of the pairs that it takes."""
    oriented = [orient(a, b) for a, b in pairs]
    small = [k for k, p in enumerate(oriented) if kernel.fits(p)]
    for first in range(0, len(small), PAIRS):
        begin = time.perf_counter()
        members = small[first : first + PAIRS]
        some = [oriented[k] for k in members]
        outcomes = list(kernel.run(some, weights, steps, device, threads))
        cores = [(p.a.core, p.b.core) for p in some]
        image, caps = _core.strip_many(cores, np.concatenate([o.image for o in outcomes]), threads)
        each = (time.perf_counter() - begin) / len(members)
        for k, p, mine, cheap, found in zip(members, some, by_pair(image, some), _named(caps), outcomes, strict=True):
            a, b = pairs[k]
            mapping, stage = mapping_of(mine), _stage(found)
            if p.a is not a:
                mapping, stage = {j: i for i, j in mapping.items()}, _exchanged(stage, len(p.a), len(p.b))
            yield (
                k,
                Match(
                    a,
                    b,
                    mapping,
                    bounds={**cheap, "rlt": found.bound // kernel.UNIT},
                    method=options.method,
                    seconds=each,
                    seed=options.seed,
                    prices=found.column / np.float32(kernel.UNIT),
                    proof=Proof(-1, (ProofNode((stage,), ()),)),
                ),
            )


def _named(caps: npt.NDArray[np.int64]) -> Iterator[dict[str, int]]:
    """Name the caps of each pair that were computed."""
    for row in caps.tolist():
        yield {name: value for name, value in zip(CAPS, row, strict=True) if value >= 0}


def _stage(found: kernel.Outcome) -> Stage:
    return Stage(found.a, found.b, found.share, found.row, found.column, [])


def _exchanged(stage: Stage, rows: int, columns: int) -> Stage:
    """Name rows columns and columns rows."""
    a, b = (cell % columns * rows + cell // columns for cell in (stage.a, stage.b))
    return Stage(a, b, stage.share, stage.column, stage.row, [])


def _rounds(
    pairs: Sequence[tuple[Graph, Graph]], options: Options, network: Policy | None, device: str, threads: int
) -> Iterator[tuple[int, Match]]:
    """Run the paper's rounds in batches of pairs of about equal size."""
    oriented = [orient(a, b) for a, b in pairs]
    for members in _batches(oriented):
        begin = time.perf_counter()
        some = [oriented[k] for k in members]
        with torch.no_grad():
            batch = collate(some, device, threads)
            states = run(batch, options.rounds) if network is None else network(batch, options.rounds)
        last = states[-1]
        bids, alone, prices = (x.cpu().numpy() for x in (last.bids, last.unmatched_logit, last.prices))
        decoder = getattr(_core.Decoder, options.decoder or "growth")
        cores = [(p.a.core, p.b.core) for p in some]
        image, _, caps = _core.decode(cores, bids, alone, decoder, prices, threads)
        each = (time.perf_counter() - begin) / len(members)
        levels = torch.split(torch.from_numpy(prices), [len(p.b) for p in some])
        for k, p, mine, cheap, level in zip(members, some, by_pair(image, some), _named(caps), levels, strict=True):
            a, b = pairs[k]
            mapping = mapping_of(mine)
            match = Match(
                a,
                b,
                mapping if p.a is a else {j: i for i, j in mapping.items()},
                bounds=cheap,
                method=options.method,
                seconds=each,
                seed=options.seed,
                prices=level.numpy(),
            )
            yield k, match


def _batches(pairs: Sequence[Oriented]) -> Iterator[list[int]]:
    """Group pairs of about equal size, largest first."""
    cells = [_core.cells(p.a.core, p.b.core) for p in pairs]
    members: list[int] = []
    total = 0
    for k in sorted(range(len(pairs)), key=lambda k: -cells[k]):
        if members and total + cells[k] > CELLS:
            yield members
            members, total = [], 0
        members.append(k)
        total += cells[k]
    if members:
        yield members
