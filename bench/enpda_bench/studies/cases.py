"""What do the answers look like? Pictures of the Solver's common parts on three fixed pairs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from enpda.result.match import Match
from enpda.solve.matching import mapping_of
from enpda_bench.portfolio import solver
from enpda_bench.scope import NATIVE
from enpda_bench.study import Cell, Outcome, Record, Records, Shape, Study, Trial

PLACES = {"aids": 38, "molhiv": 96, "mcf7": 58, "drugs": 38}
"""The paper's numbers of its example pairs; ours at these places are other molecules."""


class CasesStudy(Study):
    """The stored mappings, drawn; the numbers are counted anew from them."""

    name = "cases"
    title = "What do the answers look like?"
    draws_data = True
    shapes = (
        Shape(
            "case-studies",
            "The drawn pairs: edges and nodes of the common part",
            plain=("Edges", "Optimum", "Nodes"),
            digits=0,
        ),
    )

    def trials(self) -> Iterable[Trial]:
        """One pair a set, seed 0."""
        return [Trial("solver", name, PLACES[name]) for name in self.scope.native]

    def run(self, trial: Trial) -> Outcome:
        """Run the paper's Solver."""
        return solver(self.scope.pairs(trial.set)[trial.pair], trial.seed)

    def cells(self, records: Records) -> list[Cell]:
        """Edges found, edges possible, nodes."""
        out = []
        for r in records:
            found, row = self._match(r), _title(r)
            optimum = self.scope.pairs(r.trial.set)[r.trial.pair].size
            for column, value in (("Edges", found.size), ("Optimum", optimum), ("Nodes", found.nodes)):
                out.append(Cell("case-studies", row, column, value))
        return out

    def figures(self, records: Records) -> dict[str, str]:
        """Both molecules of each pair with the common part."""
        return {f"{_title(r)}: the common part": self._match(r).draw() for r in records}

    def _match(self, record: Record) -> Match:
        pair = self.scope.pairs(record.trial.set)[record.trial.pair]
        mapping = mapping_of(np.asarray(record.outcome.image))
        return Match(pair.a, pair.b, mapping, bounds={"known": pair.upper}, method="paper-solver")


def _title(record: Record) -> str:
    return f"{NATIVE[record.trial.set]} {record.trial.pair}"
