"""The pairs that experiments run on: the public sets of `enpda.learn.datasets`, or drugs that ship with the package."""

from __future__ import annotations

from functools import cache

from enpda.learn.datasets import (
    DATASETS,
    FILES,
    KEKULE,
    PAIRS,
    BenchPair,
    fixed_pairs,
    graphs_of,
    molhiv_graphs,
    test_pairs,
)
from enpda.result.match import Match
from enpda_bench import Settings

__all__ = [
    "DATASETS",
    "FILES",
    "KEKULE",
    "PAIRS",
    "BenchPair",
    "accuracy",
    "check",
    "drug_pairs",
    "fixed_pairs",
    "graphs_of",
    "molhiv_graphs",
    "pair_sets",
    "test_pairs",
]


def pair_sets(settings: Settings) -> dict[str, list[BenchPair]]:
    """Return the fixed test pairs when there is a data folder, the shipped drug pairs when not."""
    sets = test_pairs(settings.data) if settings.data else {"drugs": drug_pairs()}
    return {name: pairs[: settings.count] for name, pairs in sets.items()}


def check(pair: BenchPair, found: Match) -> None:
    """Stop everything when a result contradicts what is proven about its pair, or was interrupted."""
    if found.stopped == "interrupted":
        raise KeyboardInterrupt
    if found.upper < pair.size or found.size > pair.upper:
        raise RuntimeError(f"{found} contradicts the known {pair.size} to {pair.upper} of {pair.a} / {pair.b}")


def accuracy(pair: BenchPair, size: int) -> float:
    """Percent of the best known size."""
    return 100.0 * size / pair.size if pair.size else 100.0


@cache
def drug_pairs() -> list[BenchPair]:
    """Return the sixty drug pairs that ship with the package; RASCAL, run to the end, finds the optimum of each."""
    from enpda.data import drug_pairs as pairs
    from enpda_bench.baselines import rascal

    result = []
    for a, b in pairs():
        answer = rascal.run(a, b, 60)
        if not answer.proven:
            raise RuntimeError(f"RASCAL did not finish {a.name} / {b.name} within 60 s")
        result.append(BenchPair(a, b, answer.size, answer.size))
    return result
