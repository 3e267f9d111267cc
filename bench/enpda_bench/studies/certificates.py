"""How many optima do certificates prove? Prices, caps, RLT-1 and branching; each certificate is verified."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property

import numpy as np

import enpda
from enpda import _core
from enpda.result.match import Match
from enpda.solve.matching import mapping_of
from enpda.view.plots import lines
from enpda_bench.bounds import closed, gap, price_bound, price_certificate, prices_of
from enpda_bench.datasets import BenchPair, check
from enpda_bench.outcomes import image_of
from enpda_bench.portfolio import solver
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Record, Records, Shape, Study, Trial
from enpda_bench.tally import completed

TABLE, CHECKS = "price-certificate-detail", "certificate-checks"
PAPER = {"price": "Price", "combined": "Combined"}
OURS = {"rlt": "RLT-1", "exact": "Exact"}
ARMS = {**PAPER, **OURS}
LIMIT = 10.0
"""Seconds that the exact method has."""
COSTS = {"Mean kB": "kB", "Mean ms to verify": "ms", "Mean ms to make": "made"}


class CertificatesStudy(Study):
    """Bounds against the mapping of the paper's Solver, seed 0; our own against the mapping they prove."""

    name = "certificates"
    title = "Optimality certificates"
    shapes = (
        Shape(
            TABLE,
            "Median gap in %, and pairs whose optimum is proven",
            lower=tuple(f"{column} gap" for column in ARMS.values()),
            plain=("Pairs", *(f"{column} closed" for column in ARMS.values())),
            ours=tuple(f"{column} {what}" for column in ARMS.values() for what in ("gap", "closed %")),
        ),
        Shape(CHECKS, "Certificates, verified in plain Python", lower=tuple(COSTS), plain=("Written",)),
    )

    def trials(self) -> Iterable[Trial]:
        """List the incumbent, then every bound."""
        for name in self.scope.native:
            for pair in self.scope.positions(name, self.scope.pick(1, None, None)):
                for arm in ("incumbent", *ARMS):
                    yield Trial(arm, name, pair)

    def run(self, trial: Trial) -> Outcome:
        """Bound, write a certificate and verify it."""
        pair = self.scope.pairs(trial.set)[trial.pair]
        if trial.arm == "incumbent":
            return self._incumbent(trial)
        self._incumbent(trial)  # not part of what is timed
        begin = time.perf_counter()
        found, certificate, bound = self._certified(pair, trial)
        made = time.perf_counter() - begin
        check(pair, found)
        begin = time.perf_counter()
        report = enpda.verify(certificate)
        values = {
            "bound": bound,
            "verified": float(report.ok and report.size == found.size and report.upper == int(bound)),
            "kB": len(certificate.to_json()) / 1e3,
            "ms": 1e3 * (time.perf_counter() - begin),
            "made": 1e3 * made,
        }
        return Outcome(image_of(found), found.size, found.nodes, int(bound), int(bound) == found.size, made, "", values)

    @cached_property
    def _incumbents(self) -> dict[tuple[str, int], Outcome]:
        return {}

    def _incumbent(self, trial: Trial) -> Outcome:
        """Return the mapping of the paper's Solver, found once."""
        key = trial.set, trial.pair
        if key not in self._incumbents:
            pair = self.scope.pairs(trial.set)[trial.pair]
            self._incumbents[key] = solver(pair, 0)
        return self._incumbents[key]

    def _certified(self, pair: BenchPair, trial: Trial) -> tuple[Match, enpda.Certificate, float]:
        """Return a match, its certificate by this arm's bound, and the bound before it is cut to whole edges."""
        if trial.arm in OURS:
            if trial.arm == "exact":
                found = enpda.match(pair.a, pair.b, "exact", time_limit=LIMIT)
            else:
                found = enpda.match(pair.a, pair.b, "fast", bound="rlt")
            return found, found.certificate, float(found.upper)
        image = self._incumbent(trial).image
        assert image is not None
        caps = _core.caps(pair.a.core, pair.b.core)
        capped = Match(pair.a, pair.b, mapping_of(image), bounds=caps, method="paper-solver")
        value, row, column = price_bound(pair, prices_of(pair, "full", 0))
        if trial.arm == "combined" and capped.upper <= value:
            return capped, capped.certificate, float(capped.upper)
        return capped, price_certificate(capped, value, row, column), value

    def cells(self, records: Records) -> list[Cell]:
        """Gaps and proofs by set and altogether, and what the certificates cost."""
        out: list[Cell] = []
        for name in (*self.scope.native, "All"):
            mine = Records(r for r in records if name in (r.trial.set, "All"))
            row = NATIVE.get(name, name)
            sizes = {(r.trial.set, r.trial.pair): r.outcome.size or 0 for r in mine if r.trial.arm == "incumbent"}
            out.append(Cell(TABLE, row, "Pairs", len(sizes)))
            for arm, column in ARMS.items():
                gaps, proven = [], 0
                for r in mine:
                    if r.trial.arm == arm:
                        size, bound = self._size(r, sizes), r.outcome.values["bound"]
                        gaps.append(gap(bound, size))
                        proven += closed(bound, size)
                out += [
                    Cell(TABLE, row, f"{column} gap", float(np.median(gaps))),
                    Cell(TABLE, row, f"{column} closed", proven),
                    Cell(TABLE, row, f"{column} closed %", 100.0 * proven / len(gaps)),
                ]
        for arm, row in ARMS.items():
            values = [r.outcome.values for r in records if r.trial.arm == arm]
            out.append(Cell(CHECKS, row, "Written", len(values)))
            out.append(Cell(CHECKS, row, "Verified", int(sum(v["verified"] for v in values))))
            out += [Cell(CHECKS, row, c, float(np.mean([v[key] for v in values]))) for c, key in COSTS.items()]
        return completed(self.scope, self.shapes, out)

    @staticmethod
    def _size(record: Record, incumbents: dict[tuple[str, int], int]) -> int:
        """Return the size that a bound is compared with: the Solver's, or that of our own match."""
        if record.trial.arm in PAPER:
            return incumbents[record.trial.set, record.trial.pair]
        return record.outcome.size or 0

    def figures(self, records: Records) -> dict[str, str]:
        """Share of all pairs within a gap, a curve a bound."""
        sizes = {(r.trial.set, r.trial.pair): r.outcome.size or 0 for r in records if r.trial.arm == "incumbent"}
        curves = {}
        for arm, column in ARMS.items():
            mine = [r for r in records if r.trial.arm == arm]
            gaps = sorted(gap(r.outcome.values["bound"], self._size(r, sizes)) for r in mine)
            curves[column] = [(g, 100.0 * (k + 1) / len(gaps)) for k, g in enumerate(gaps)]
        return {"Certificates": lines(curves, "% of pairs within an optimality gap", "gap, %")}
