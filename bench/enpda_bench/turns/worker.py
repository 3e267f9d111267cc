"""One build at work: reads what to work on, then a task a line, and prints its seconds and what it found.

Run by an interpreter that may hold any version of enpda: only public names and the standard library here.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import enpda

LIMIT = 2.0
"""Seconds for a proof: what takes longer takes as long in every build."""


@dataclass
class Work:
    """What all tasks work on."""

    pairs: list[tuple[enpda.Graph, enpda.Graph]]
    library: list[enpda.Graph]
    drugs: list[enpda.Graph]


def imports(work: Work) -> None:
    """`import enpda` in a fresh process."""
    for _ in range(5):
        subprocess.run([sys.executable, "-c", "import enpda"], check=True)


def call(work: Work) -> int:
    """`match` on two prepared small drugs, again and again."""
    a, b = sorted(work.drugs, key=len)[:2]
    return sum(enpda.match(a, b).size for _ in range(2_000))


def core(work: Work) -> None:
    """One proposal for each test pair, `method="core"`."""
    for a, b in work.pairs:
        enpda.match(a, b, method="core")


def exact(work: Work) -> list[int | None]:
    """Prove each test pair within two seconds, `method="exact"`."""
    found = [enpda.match(a, b, method="exact", time_limit=LIMIT) for a, b in work.pairs]
    return [m.size if m.optimal else None for m in found]


def many(work: Work) -> list[int | None]:
    """`match_many` on random pairs of the library, one thread."""
    found = enpda.match_many(itertools.pairwise(work.library), threads=1)
    return [m.size if m.optimal else None for m in found]


def matrix(work: Work) -> int:
    """All pairs of a part of the library with `max_distance=10`."""
    return len(enpda.matrix(work.library[:300], max_distance=10, threads=1).table)


def search(work: Work) -> list[list[float]]:
    """Find the ten most similar of the library for a few drugs."""
    library = enpda.Library.of(work.library)
    return [[hit.similarity for hit in enpda.search(query, library, k=10, threads=1)] for query in work.drugs[:5]]


def picture(work: Work) -> None:
    """`draw` of pairs of drugs."""
    for a, b in itertools.pairwise(work.drugs[:10]):
        enpda.match(a, b).draw()


def verify(work: Work) -> bool:
    """Make and check a certificate for each of some pairs of drugs."""
    return all(enpda.verify(enpda.match(a, b).certificate).ok for a, b in itertools.pairwise(work.drugs[:20]))


TASKS: dict[str, Callable[[Work], Any]] = {
    task.__name__: task for task in (imports, call, core, exact, many, matrix, search, picture, verify)
}


def main() -> None:
    """Do what standard input says."""
    given = json.loads(sys.stdin.readline())
    work = Work(
        [(_graph(*a), _graph(*b)) for a, b in given["pairs"]],
        [_graph(*plain) for plain in given["library"]],
        [enpda.Graph.from_smiles(smiles) for smiles in given["drugs"]],
    )
    for line in sys.stdin:
        begin = time.perf_counter()
        answer = TASKS[json.loads(line)](work)
        print(json.dumps([time.perf_counter() - begin, answer]), flush=True)


def _graph(labels: list[int], edges: list[tuple[int, int]], kinds: list[int]) -> enpda.Graph:
    return enpda.Graph(labels, edges, edge_labels=kinds)


if __name__ == "__main__":
    main()
