"""Gates of all other pairs: rules, constraints, numerical bounds or a device, pair by pair as `match` does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from enpda.bulk.gates import PairGates
from enpda.bulk.many import many_on_device, stream_as
from enpda.bulk.rows import BELOW, STATUSES, Integers
from enpda.result.match import Match
from enpda.solve.options import Options


class GeneralGates(PairGates):
    """Rules, constraints, numerical bounds or a device: every pair goes through `match_stream` or `match_many`."""

    def by_question(self, left: Integers, nodes: bool = False) -> Integers:
        """Ask `match` with thresholds, those with the same ones together."""
        similar = np.zeros(len(left)) if self._min_similarity is None else self._min_similarity[left]
        near = np.full(len(left), np.inf) if self._max_distance is None else self._max_distance[left]
        kinds, which = np.unique(np.column_stack([similar, near]), axis=0, return_inverse=True)
        open_ = np.ones(len(left), dtype=np.bool_)
        for kind, (wanted, most) in enumerate(kinds.tolist()):
            some = np.flatnonzero(which.reshape(-1) == kind)
            if most < 0:  # no distance is
                open_[some] = False
            elif wanted > 0 or most < np.inf:
                limit = None if most == np.inf else int(most)
                self._fill(
                    left[some], replace(self.question.excluding, min_similarity=wanted or None, max_distance=limit)
                )
                open_[some] = self.rows.status[left[some]] != BELOW
        return left[open_]

    def in_full(self, left: Integers, nodes: bool = False) -> None:
        """Match pairs one by one, or in batches on a device."""
        self._fill(left, self.question.options)

    def as_asked(self, options: Options) -> None:
        """Match all pairs with these options."""
        self._fill(np.arange(len(self.rows)), options)

    def _ask_nodes(self, asked: Integers) -> None:
        self.by_question(asked)

    def _fill(self, chosen: Integers, options: Options) -> None:
        rows = self.rows
        for k, m in zip(chosen.tolist(), self._matches(chosen, options), strict=True):
            rows.size[k], rows.upper[k], rows.nodes[k], rows.optimal[k] = m.size, m.upper, m.nodes, m.optimal
            self._most_nodes[k] = min(self._most_nodes[k], m.nodes_upper)
            rows.similarity[k], rows.distance[k] = m.similarity, m.distance
            rows.status[k], rows.screened[k] = STATUSES.index(m.status), False
            rows.seconds[k] += m.seconds

    def _matches(self, chosen: Integers, options: Options) -> Iterator[Match]:
        a, b = self.rows.a[chosen].tolist(), self.rows.b[chosen].tolist()
        left, right = {k: self.first[k] for k in set(a)}, {k: self.second[k] for k in set(b)}
        graphs = ((left[i], right[j]) for i, j in zip(a, b, strict=True))
        if self.question.device is not None:
            return iter(many_on_device(graphs, options, self.question.device, self.threads))
        return stream_as(graphs, options, self.threads)
