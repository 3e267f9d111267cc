"""Accuracy and time of one analytic proposal: decoder x rounds."""

from __future__ import annotations

import time
from typing import get_args

import numpy as np

import enpda
from enpda.solve.budget import Decoder
from enpda.view.table import Table
from enpda_bench import Settings, datasets

ROUNDS = (1, 4, 8)


def run(settings: Settings) -> list[Table]:
    """Mean percentage of the optimum and mean milliseconds per pair, one thread, features included."""
    sets = datasets.pair_sets(settings)
    table = Table(
        "analytic proposals: mean % of the optimum, mean ms per pair",
        ["decoder", "rounds", *(f"{name} {what}" for name in sets for what in ("%", "ms"))],
    )
    for decoder in get_args(Decoder):
        for rounds in ROUNDS:
            row: list[object] = [decoder, rounds]
            for pairs in sets.values():
                begin = time.perf_counter()
                found = [enpda.match(p.a, p.b, "analytic", rounds=rounds, decoder=decoder) for p in pairs]
                seconds = time.perf_counter() - begin
                for p, m in zip(pairs, found, strict=True):
                    datasets.check(p, m)
                accuracy = np.mean([datasets.accuracy(p, m.size) for p, m in zip(pairs, found, strict=True)])
                row += [float(accuracy), 1e3 * seconds / len(pairs)]
            table.rows.append(row)
    table.notes.append(
        f"{', '.join(f'{name}: {len(pairs)} pairs' for name, pairs in sets.items())}; one thread, "
        "features and caps included, graphs prepared by the first row that uses them."
    )
    return [table]
