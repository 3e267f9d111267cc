"""Fits of NGA, made once by the study of that name, and what the others take from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from enpda_bench import journal
from enpda_bench.needs import without_torch
from enpda_bench.scope import Scope
from enpda_bench.study import Outcome, Record, Records, Trial

ARM, THREE = "nga", "nga:three"
FITS = 3
PAIR_SEED = 10_007
"""Seeds of a pair begin at this many times its place."""


def on_gpu() -> bool:
    """Whether fits run on a GPU: on a processor only a few pairs are worth the wait."""
    if without_torch():
        return False
    import torch

    return bool(torch.cuda.is_available())


def noted(found: Outcome, limit: float | None = None, at_once: int = 1) -> Outcome:
    """Write down how a fit was made: its limit, if it had one, and how many shared the device."""
    values = {"gpu": float(on_gpu()), "at once": float(at_once)} | ({} if limit is None else {"limit": limit})
    return replace(found, values=values)


def best(records: Sequence[Record]) -> Records:
    """Return one record a pair: the best of its fits, and the seconds of all of them."""
    groups: dict[tuple[str, int], list[Outcome]] = {}
    for r in records:
        groups.setdefault((r.trial.set, r.trial.pair), []).append(r.outcome)
    out = Records()
    for (name, pair), some in groups.items():
        top = max(some, key=lambda found: -1 if found.size is None else found.size)
        out.append(Record(Trial(THREE, name, pair), replace(top, seconds=sum(found.seconds for found in some))))
    return out


def taken(scope: Scope) -> Records:
    """Return the best of three fits of every pair that this run's study `nga` fitted; nothing without one."""
    records = journal.read(scope.folder, "nga")
    count = Counter((r.trial.set, r.trial.pair) for r in records)
    return best([r for r in records if count[r.trial.set, r.trial.pair] == FITS])


def said(records: Sequence[Record]) -> str:
    """Say how fits were made."""
    if not records:
        return "the study nga has not run"
    values = [r.outcome.values for r in records]
    where = {0.0: "processor", 1.0: "GPU"}
    devices = " and ".join(sorted({where[v["gpu"]] for v in values if "gpu" in v}))
    limits = " or ".join(f"{x:g}" for x in sorted({v["limit"] for v in values if "limit" in v}))
    crowd = max(v.get("at once", 1.0) for v in values)
    shared = f", {crowd:.0f} at a time" if crowd > 1 else ""
    allowed = f", at most {limits} s a fit" if limits else ""
    return f"{len(records)} pairs, {devices}{allowed}{shared}"
