"""How long an all-pairs job will take and how much room it needs, from a sample of its pairs."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from enpda.bulk.evaluate import evaluate
from enpda.bulk.job import Job
from enpda.bulk.rows import Rows
from enpda.bulk.tables import parquet
from enpda.checks import real

BLOCK = {False: 12, True: 64}
"""Items on either side of a sampled block, without and with a threshold: counts want large blocks."""
FIRST, DRAWS = 2, 2_000
"""Items on either side of the first block, which may be hard ones; bootstrap samples."""
SHARE = 1 / 32
"""Blocks grow while one takes less than this share of the time."""


@dataclass(frozen=True)
class Estimate:
    """What a job will cost; intervals are 95 % bootstrap intervals over sampled blocks.

    Attributes
    ----------
    pairs : int
        Of the job.
    sampled : int
        Pairs that were compared for this estimate.
    pairs_per_second : float
        Of one core.
    core_hours, core_hours_low, core_hours_high : float
        For all pairs.
    proven : float
        Share of the sampled rows that are proven.
    median_ms, p99_ms, max_ms, tail : float
        Times of single rows, and the share of the time that the slowest hundredth of them takes.
    rows : int
        Rows that the table will have.
    gigabytes : float
        Its size on the disk.
    """

    pairs: int
    sampled: int
    pairs_per_second: float
    core_hours: float
    core_hours_low: float
    core_hours_high: float
    proven: float
    median_ms: float
    p99_ms: float
    max_ms: float
    tail: float
    rows: int
    gigabytes: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        low, high = self.core_hours_low, self.core_hours_high
        return "\n".join(
            [
                f"pairs        {self.pairs:,} ({self.sampled:,} sampled)",
                f"speed        {self.pairs_per_second:,.0f} pairs/s a core",
                f"time         {_duration(self.core_hours)} of one core [{_duration(low)}, {_duration(high)}]",
                f"a row        median {self.median_ms:.3g} ms, p99 {self.p99_ms:.3g} ms, longest {self.max_ms:.3g} ms",
                f"tail         the slowest 1 % of rows take {self.tail:.0%} of the time",
                f"proven       {self.proven:.2%} of the rows",
                f"table        {self.rows:,} rows, {self.gigabytes:.3g} GB",
            ]
        )


def _duration(hours: float) -> str:
    """Say how long that is in a unit that fits."""
    if hours >= 1:
        return f"{hours:,.3g} hours" if hours < 1e4 else f"{hours:,.0f} hours"
    return f"{60 * hours:.3g} minutes" if hours >= 1 / 60 else f"{3600 * hours:.2g} seconds"


def estimate(job: Job, seconds: float = 20.0, seed: int = 0) -> Estimate:
    """Compare random blocks of items on one core for some seconds, and extrapolate.

    Parameters
    ----------
    job : Job
        It need not be in a folder; nothing is written.
    seconds : float
        Time for the sample. It ends with the first block that is done after so many: blocks begin with a few pairs, and
        grow only while they are quick.
    seed : int
        Of the sample.
    """
    real("seconds", seconds, 0, 1e6)
    rng = np.random.default_rng(seed)
    second = job.second or job.first
    side, most = FIRST, BLOCK[job.question.threshold]
    begin = time.perf_counter()
    times: list[float] = []
    counts: list[int] = []
    parts: list[Rows] = []
    while not times or time.perf_counter() - begin < seconds:
        a = rng.choice(len(job.first), min(side, len(job.first)), replace=False)
        b = rng.choice(len(second), min(side, len(second)), replace=False)
        pairs = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.int64)
        if job.second is None:
            pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
        start = time.perf_counter()
        parts.append(evaluate(pairs, job.first, second, job.question, threads=1))
        times.append(time.perf_counter() - start)
        counts.append(len(pairs))
        if side >= max(len(job.first), len(second)):  # a small job, and this was all of it
            times, counts, parts = times[-1:], counts[-1:], parts[-1:]
            break
        if sum(counts) >= 4 * job.pairs:  # more would say no more
            break
        if times[-1] < SHARE * seconds:
            side = min(2 * side, most)
    spent, sampled = np.array(times), np.array(counts)
    drawn = rng.integers(len(spent), size=(DRAWS, len(spent)))
    rates = spent[drawn].sum(axis=1) / np.maximum(sampled[drawn].sum(axis=1), 1)
    mean = spent.sum() / max(sampled.sum(), 1)
    hours = [float(rate * job.pairs / 3600) for rate in (mean, *np.percentile(rates, [2.5, 97.5]))]
    found = Rows.concatenated(parts)
    slow = np.sort(found.seconds)[::-1]
    total = float(slow.sum())
    bytes_each = len(parquet(job.table(found))) / max(len(found), 1)
    rows = round(job.pairs * len(found) / max(int(sampled.sum()), 1))
    quantiles = np.percentile(found.seconds, [50, 99, 100]) * 1e3 if len(found) else np.zeros(3)
    return Estimate(
        pairs=job.pairs,
        sampled=int(sampled.sum()),
        pairs_per_second=float(1 / mean) if mean > 0 else 0.0,
        core_hours=hours[0],
        core_hours_low=hours[1],
        core_hours_high=hours[2],
        proven=float(found.optimal.mean()) if len(found) else 1.0,
        median_ms=float(quantiles[0]),
        p99_ms=float(quantiles[1]),
        max_ms=float(quantiles[2]),
        tail=float(slow[: max(len(slow) // 100, 1)].sum() / total) if total > 0 else 0.0,
        rows=rows,
        gigabytes=rows * bytes_each / 1e9,
    )
