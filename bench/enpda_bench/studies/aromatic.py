"""What is left when aromatic rings count as a whole only? Answers projected onto the rule, and the rule inside."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

import enpda
from enpda import _core
from enpda.errors import InputError
from enpda.result.found import Improvement
from enpda.result.match import Match
from enpda.solve.matching import match
from enpda_bench.cases import RINGS, Image, case, kept_bonds
from enpda_bench.datasets import DATASETS, BenchPair
from enpda_bench.outcomes import asked, image_of
from enpda_bench.portfolio import FOUR, NEURAL, checkpoint
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Floats, Outcome, Record, Records, Shape, Study, Trial
from enpda_bench.tally import absent, completed, difference, mean, missing

SHARE, DETAILS, WINS = "aromatic-cycles", "aromatic-cycle-details", "aromatic-wins"
PEERS = {
    "rascal_molecules": "RASCAL, internal filter off",
    "rascal_molecules:filtered": "RASCAL, internal filter on",
    "nga": "NGA, one fit",
}
SOLVER, EXACT = "ENPDA-Solver", "ENPDA exact, rule inside"
ROWS = {**PEERS, "solver": SOLVER, "exact": EXACT}
COLUMNS = {"rascal_molecules": "RASCAL", "nga": "NGA", "solver": SOLVER, "exact": EXACT}
CONTRASTS = {
    "ENPDA minus RASCAL (off)": ("solver", "rascal_molecules"),
    "ENPDA minus NGA": ("solver", "nga"),
    "ENPDA exact minus RASCAL (off)": ("exact", "rascal_molecules"),
}
COUNTS = ("Wins", "Ties", "Losses", "Mean gain")


def _kept(record: Record) -> float:
    return record.outcome.values.get("kept", 0.0)


class AromaticStudy(Study):
    """Bonds that are left, of the most that the pair shares without the rule; time includes the projection."""

    name = "aromatic"
    title = "Whole aromatic rings"
    draws_data = True
    shapes = (
        Shape(SHARE, "Bonds left, % of the unrestricted optimum", plain=("Pairs",), ours=(SOLVER, EXACT)),
        Shape(
            DETAILS,
            "Mean bonds left, and mean seconds",
            lower=tuple(f"{column} seconds" for column in NATIVE.values()),
            contrasts=tuple(CONTRASTS),
            ours=(SOLVER, EXACT),
        ),
        Shape(WINS, "All pairs together", plain=("Wins", "Ties", "Losses")),
    )

    @property
    def _sets(self) -> dict[str, str]:
        """Sets of molecules, and what the columns call them; one is enough for a smoke test."""
        if self.scope.data is None:
            return {"drugs": "drugs"}
        every = tuple(DATASETS)
        return {name: NATIVE[name] for name in self.scope.pick(every[-1:], every, every)}

    @property
    def _limit(self) -> float:
        return self.scope.pick(0.2, 1.0, 60.0)

    def _patience(self, arm: str) -> float:
        """Seconds that another program has."""
        return self.scope.pick(1.0, 20.0 if arm == "nga" else 2.0, 60.0)

    def trials(self) -> Iterable[Trial]:
        """Every method on the same pairs; NGA, which takes longest, on fewer unless there is time."""
        for name in self._sets:
            for pair in self.scope.positions(name, self.scope.pick(1, 16, None)):
                for arm in ("exact", "solver", *(peer for peer in PEERS if peer != "nga")):
                    yield Trial(arm, name, pair)
            for pair in self.scope.positions(name, self.scope.pick(1, 16, None))[: self.scope.pick(1, 1, None)]:
                yield Trial("nga", name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Find a mapping, and count what the rule leaves of it."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        begin = time.perf_counter()
        if trial.arm == "exact":
            found = match(pair.a, pair.b, "exact", time_limit=self.scope.pick(1.0, 10.0, 60.0), constraints=RINGS)
            more = {
                "proven": float(found.optimal),
                "verified": float(found.optimal and _verified(found)),
                "most": float(found.upper),
            }
            return _counted(pair, image_of(found), found.seconds, more)
        if trial.arm == "solver":
            best = self._searched(pair, 10_007 * trial.pair)
            return _counted(pair, best, time.perf_counter() - begin)
        answer = asked(self.scope, trial.arm, pair, self._patience(trial.arm))
        if answer.image is None:
            return Outcome(seconds=answer.seconds, status=answer.status or "no answer in time")
        return _counted(pair, answer.image, answer.seconds)

    def _searched(self, pair: BenchPair, seed: int) -> Image:
        """Run the paper's Solver, which does not know the rule, over and over; keep what leaves most bonds.

        It looks at every improvement of every stream, as the paper's does.
        """
        begin, best, most = time.perf_counter(), np.full(len(pair.a), -1, dtype=np.int32), -1

        def look(step: Improvement) -> None:
            nonlocal best, most
            image = np.full(len(pair.a), -1, dtype=np.int32)
            mapping = step.mapping or {}
            image[list(mapping)] = list(mapping.values())
            if (kept := len(kept_bonds(pair, image))) > most:
                best, most = image, kept

        while (left := self._limit - (time.perf_counter() - begin)) > 0:
            for stream in range(len(FOUR.noisy)):  # one by one: only improvements of the best of all are told
                budget, policy = replace(FOUR, noisy=FOUR.noisy[stream : stream + 1]), checkpoint(0)
                match(
                    *(pair.a, pair.b, "solver", max(left, 1e-3), seed + 1_009 * stream),
                    budget=budget,
                    policy=policy if stream < len(NEURAL) else None,
                    on_improve=look,
                )
                left = self._limit - (time.perf_counter() - begin)
                if left <= 0:
                    break
            seed += 1
        return best

    def cells(self, records: Records) -> list[Cell]:
        """Shares, bonds and seconds by set, differences with intervals, and wins."""
        out: list[Cell] = []
        for name, column in self._sets.items():
            pairs = self.scope.pairs(name)
            free = {k: pairs[k].size for k in records.positions(name)}
            out.append(Cell(SHARE, column, "Pairs", len(free)))
            most = {r.trial.pair: r.outcome.values["most"] for r in records.pick("exact", name)}
            for arm, row in ROWS.items():
                mine = records.pick(arm, name)
                if why := absent(mine):
                    out += missing(DETAILS, row, (f"{column} bonds", f"{column} seconds"), why)
                    out += missing(SHARE, column, [COLUMNS[arm]] if arm in COLUMNS else [], why)
                    continue
                note = f"{len(mine)} pairs" if len(mine) < len(free) else ""
                if arm == "nga":
                    note = f"{len(mine)} pairs, at most {self._patience(arm):g} s on a processor"
                bonds, seconds = records.grid(arm, name, _kept), records.grid(arm, name, lambda r: r.outcome.seconds)
                ceiling = float(np.mean([most[r.trial.pair] for r in mine]))
                out.append(replace(mean(DETAILS, row, f"{column} bonds", bonds, note), ceiling=ceiling))
                out.append(mean(DETAILS, row, f"{column} seconds", seconds, note))
                if arm in COLUMNS:
                    share = [100.0 * _kept(r) / free[r.trial.pair] if free[r.trial.pair] else 100.0 for r in mine]
                    proven, verified = (sum(r.outcome.values.get(k, 0.0) for r in mine) for k in ("proven", "verified"))
                    said = f"{proven:.0f} proven optimal, {verified:.0f} verified" if arm == "exact" else note
                    possible = [100.0 * most[k] / free[k] if free[k] else 100.0 for k in (r.trial.pair for r in mine)]
                    cell = mean(SHARE, column, COLUMNS[arm], np.array(share), said)
                    out.append(replace(cell, ceiling=float(np.mean(possible))))
            for row, arms in CONTRASTS.items():
                found = self._both(records, name, *arms)
                if isinstance(found, str):
                    out += missing(DETAILS, row, [f"{column} bonds"], found)
                    continue
                one, other, positions = found
                groups = self.scope.blocks(name, positions)
                out.append(difference(DETAILS, row, f"{column} bonds", one, other, groups))
        return completed(self.scope, self.shapes, out + self._wins(records))

    def _both(self, records: Records, name: str, one: str, other: str) -> tuple[Floats, Floats, list[int]] | str:
        """Return the bonds of two arms on the pairs that both have, and those pairs; or why there are none."""
        found = [{r.trial.pair: _kept(r) for r in records.pick(arm, name)} for arm in (one, other)]
        why = absent(records.pick(one, name)) or absent(records.pick(other, name))
        if why:
            return why
        positions = sorted(found[0].keys() & found[1].keys())
        first, second = (np.array([[values[k] for k in positions]]) for values in found)
        return first, second, positions

    def _wins(self, records: Records) -> list[Cell]:
        out: list[Cell] = []
        for label, arms in CONTRASTS.items():
            row = label.replace("minus", "against")
            found = [self._both(records, name, *arms) for name in self._sets]
            gains = [(both[0] - both[1])[0] for both in found if not isinstance(both, str)]
            if not gains:
                out += missing(WINS, row, COUNTS, next(both for both in found if isinstance(both, str)))
                continue
            gain = np.concatenate(gains)
            values = (int((gain > 0).sum()), int((gain == 0).sum()), int((gain < 0).sum()), float(gain.mean()))
            note = f"{len(gain)} pairs"
            out += [Cell(WINS, row, c, v, note=note) for c, v in zip(COUNTS, values, strict=True)]
        return out

    def figures(self, records: Records) -> dict[str, str]:
        """Draw the last pair of every set, as each method leaves it."""
        drawn = {}
        for name, column in self._sets.items():
            at = max(records.positions(name), default=None)
            if at is None:
                continue
            mine = {r.trial.arm: r.outcome.image for r in records if r.trial.set == name and r.trial.pair == at}
            shown = {row: image for arm, row in ROWS.items() if (image := mine.get(arm)) is not None}
            drawn[f"Aromatic rings: {column} pair {at}"] = case(self.scope.pairs(name)[at], shown)
        return drawn


def _verified(found: Match) -> bool:
    """Check a proof; one that is too large to be written down is not verified."""
    try:
        certificate = found.certificate
    except InputError:
        return False
    report = enpda.verify(certificate)
    if not report.ok:
        raise RuntimeError(f"the certificate of {found} does not hold: {report}")
    return True


def _counted(pair: BenchPair, image: Image, seconds: float, more: Mapping[str, float] | None = None) -> Outcome:
    """Return a mapping with its size without the rule, and as `kept` what the rule leaves."""
    bare = _core.strip(pair.a.core, pair.b.core, image)
    size, nodes = _core.check(pair.a.core, pair.b.core, bare)
    values = {"kept": float(len(kept_bonds(pair, image))), **(more or {})}
    return Outcome(image=bare, size=size, nodes=nodes, seconds=seconds, values=values)
