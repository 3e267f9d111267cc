"""Which data a run used: digests of the files of a data folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

from enpda.bench.datasets import DATASETS
from enpda.bench.planted import SETS

FILES = (
    *DATASETS.values(),
    *(f"pairs/{name}_test.csv" for name in DATASETS),
    *(f"tu/{name}.zip" for name in (*SETS, "DD")),
    "massspecgym.smi.gz",
)
"""The files that benchmarks read, below the data folder."""


def digests(data: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that benchmarks read, by its name below the folder."""
    there = [name for name in sorted(FILES) if (data / name).is_file()]
    return {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in there}
