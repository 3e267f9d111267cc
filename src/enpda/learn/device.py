"""Proposals for many pairs at once, on a device of PyTorch's; mappings and bounds come from the compiled core."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import torch
from safetensors.torch import load_file

from enpda import _core
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.learn.batch import Oriented, collate, orient
from enpda.learn.decode import split
from enpda.learn.policy import Policy, run
from enpda.matching import mapping_of
from enpda.options import Options
from enpda.policy import NONE, load_rounds, locate
from enpda.result import CAPS, Match

CELLS = 1_000_000
"""Of a batch, at most (unless one pair alone has more): about 2 GB on the device."""


def match_batches(
    pairs: Sequence[tuple[Graph, Graph]], options: Options, device: str, threads: int
) -> Iterator[tuple[int, Match]]:
    """Match every pair by `core` or `analytic`, in batches of pairs of about equal size.

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
        The number of a pair and its match; the seconds are its share of the batch's.
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
    network = None
    if options.method == "core" and options.policy != NONE:
        network = Policy()
        chosen = options.policy or "paper"
        load_rounds(chosen)  # checks it
        network.load_state_dict(load_file(locate(chosen)))
        network.to(device)
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
        for k, p, mine, bounds, level in zip(members, some, split(image, some), caps.tolist(), levels, strict=True):
            a, b = pairs[k]
            mapping = mapping_of(mine)
            match = Match(
                a,
                b,
                mapping if p.a is a else {j: i for i, j in mapping.items()},
                bounds=dict(zip(CAPS, bounds, strict=True)),
                method=options.method,
                seconds=each,
                seed=options.seed,
                prices=level.numpy(),
            )
            yield k, match


def _batches(pairs: Sequence[Oriented]) -> Iterator[list[int]]:
    """Group pairs of about equal size, largest first."""
    cells = [len(p.a) * len(p.b) for p in pairs]
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
