"""Chemists' questions, beside other programs: whole aromatic rings, connected parts, the distance of myopic-mces."""

from __future__ import annotations

import time

import numpy as np
from tqdm import tqdm

import enpda
from enpda.errors import InputError
from enpda.problem.constraints import Constraints
from enpda.view.table import Table
from enpda_bench import Section, Settings, by_section, datasets
from enpda_bench.baselines import Answer, Worker
from enpda_bench.datasets import BenchPair
from enpda_bench.experiments.exact import random_pairs

LIMIT, TAIL_LIMIT = 10.0, 60.0
"""Seconds for every program and pair, and for RASCAL where we have no proof."""
RINGS, CONNECTED = Constraints(rings="aromatic"), Constraints(connected=True)
CONNECTED_PAIRS, EXACT_PAIRS, THRESHOLD_PAIRS = 300, 60, 200


def run(settings: Settings) -> list[Table]:
    """One table a question; `--only` asks one of them."""
    return by_section(settings, SECTIONS)


def _drugs() -> list[BenchPair]:
    from enpda.data import drug_pairs

    return [BenchPair(a, b, 0, min(a.size, b.size)) for a, b in drug_pairs()]


def _rings(settings: Settings) -> list[Table]:
    """Whole aromatic rings, against the projection of RASCAL's answer."""
    sets = datasets.test_pairs(settings.data) if settings.data else {"drugs": _drugs()}
    table = Table(
        f"whole aromatic rings, {LIMIT:g} s a pair: bonds that are kept, % of the most without the constraint",
        ["set", "pairs", "enpda %", "proven", "mean ms", "p99 ms", "RASCAL, projected %", "RASCAL s", "pairs below it"],
    )
    for name, every in sets.items():
        pairs = every[: settings.count]
        free = [enpda.match(p.a, p.b, time_limit=LIMIT).size for p in tqdm(pairs, desc=f"{name}, free", disable=None)]
        found = [
            enpda.match(p.a, p.b, time_limit=LIMIT, constraints=RINGS)
            for p in tqdm(pairs, desc=f"{name}, rings", leave=False, disable=None)
        ]
        _verify(found)
        ms = 1e3 * np.array([m.seconds for m in found])
        row = [name, len(pairs), _share([m.size for m in found], free), sum(m.optimal for m in found)]
        row += [float(ms.mean()), float(np.quantile(ms, 0.99))]
        if settings.peers:
            with Worker("rascal_molecules") as ask:
                theirs = [
                    ask(p.a, p.b, LIMIT if m.optimal else TAIL_LIMIT)
                    for p, m in tqdm(
                        list(zip(pairs, found, strict=True)), desc=f"{name}, RASCAL", leave=False, disable=None
                    )
                ]
            below = sum(m.size < t.size for m, t in zip(found, theirs, strict=True))
            row += [_share([t.size for t in theirs], free), sum(t.seconds for t in theirs), below]
        else:
            row += ["", "", ""]
        table.rows.append(row)
    table.notes.append(
        "All certificates verified. Percentages are means over pairs. "
        f"RASCAL has {TAIL_LIMIT:g} s on pairs that enpda leaves open."
    )
    return [table]


def _verify(found: list[enpda.Match]) -> None:
    for m in found:
        report = enpda.verify(m.certificate)
        if not report.ok:
            raise RuntimeError(f"the certificate of {m} does not hold: {report}")


def _share(sizes: list[int], free: list[int]) -> float:
    return float(np.mean([100.0 * size / most if most else 100.0 for size, most in zip(sizes, free, strict=True)]))


def _connected(settings: Settings) -> list[Table]:
    """One piece, against FMCS and RASCAL's largest fragment."""
    count = settings.count or CONNECTED_PAIRS
    if settings.data:
        pairs = random_pairs(settings.data, count, 15, 40, seed=20261118)
        title = f"{len(pairs)} random MOLHIV pairs of 15 to 40 atoms"
    else:
        pairs, title = _drugs()[:count], "pairs of drugs"
    table = Table(
        f"the largest connected part, {title}, {LIMIT:g} s a pair",
        ["program", "finished", "mean bonds", "mean ms", "p50 ms", "p99 ms", "max ms", "above ours", "below ours"],
    )
    ours = [
        enpda.match(p.a, p.b, time_limit=LIMIT, constraints=CONNECTED)
        for p in tqdm(pairs, desc="connected", leave=False, disable=None)
    ]
    _verify(ours)

    def add(label: str, answers: list[Answer]) -> None:
        ms = 1e3 * np.array([answer.seconds for answer in answers])
        above = sum(t.size > m.size for m, t in zip(ours, answers, strict=True))
        below = sum(t.size < m.size for m, t in zip(ours, answers, strict=True))
        quantiles = [float(x) for x in (ms.mean(), *np.quantile(ms, (0.5, 0.99, 1.0)))]
        mean = float(np.mean([answer.size for answer in answers]))
        table.rows.append([label, sum(answer.proven for answer in answers), mean, *quantiles, above, below])

    add("enpda, connected", [Answer(m.size, m.optimal, m.seconds) for m in ours])
    for module, label in (
        {"fmcs": "FMCS", "rascal_molecules:largest_piece": "RASCAL, largest fragment"}.items() if settings.peers else ()
    ):
        with Worker(module) as ask:
            add(label, [ask(p.a, p.b, LIMIT) for p in tqdm(pairs, desc=label, leave=False, disable=None)])
    table.notes.append("All certificates verified. RASCAL keeps the largest fragment of an optimum of several.")
    return [table]


def _myopic(settings: Settings) -> list[Table]:
    """Distances of myopic-mces, by its own code and by ours."""
    from enpda.compat.myopic import MCES

    if not settings.peers:
        return []
    try:
        import cbcbox
        from myopic_mces.myopic_mces import MCES as other_mces  # noqa: N811
    except ModuleNotFoundError as error:
        raise InputError(f"pip install myopic-mces 'pulp[cbc]', or use --no-peers ({error})") from None
    solver = {"msg": False, "threads": 1, "path": cbcbox.cbc_bin_path()}
    table = Table(
        "distance as myopic-mces defines it, its default solver (CBC), one thread, the same run",
        ["pairs", "atoms", "threshold", "enpda s", "myopic-mces s", "ratio", "different"],
    )
    for threshold, low, high, most in ((-1, 8, 18, EXACT_PAIRS), (10, 15, 40, THRESHOLD_PAIRS)):
        count = min(settings.count or most, most)
        pairs = random_pairs(settings.data, count, low, high, seed=20261119) if settings.data else _drugs()[:count]
        texts = [tuple(g.to_dict()["smiles"] for g in (p.a, p.b)) for p in pairs]
        texts = [(a, b) for a, b in texts if a and b]
        spent, different = [0.0, 0.0], 0
        for a, b in tqdm(texts, desc=f"threshold {threshold}", leave=False, disable=None):
            begin = time.perf_counter()
            _, mine, _, mode = MCES(a, b, threshold)
            spent[0] += time.perf_counter() - begin
            begin = time.perf_counter()
            _, theirs, _, their_mode = other_mces(a, b, threshold, solver_options=dict(solver))
            spent[1] += time.perf_counter() - begin
            exact = mode == 1, their_mode == 1
            agree = abs(mine - theirs) < 1e-6 if all(exact) else not any(exact) and min(mine, theirs) >= threshold
            different += not agree
        ratio = spent[1] / spent[0]
        table.rows.append([len(texts), f"{low}-{high}", threshold, *spent, ratio, different])
    table.notes.append("Different: both exact and unequal, or one exact and the other above the threshold.")
    return [table]


SECTIONS: dict[str, Section] = {
    "rings": _rings,
    "connected": _connected,
    "myopic": _myopic,
}
"""What can be asked alone."""
