"""Gates of pairs whose labels say it all: everything happens in the compiled core."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.bulk.gates import PairGates, compact
from enpda.bulk.rows import BELOW, STATUSES, Integers, Reals
from enpda.problem.thresholds import least_sizes, least_totals
from enpda.solve.options import Options


class PlainGates(PairGates):
    """Labels decide what matches: everything happens in the compiled core."""

    def by_question(self, left: Integers, nodes: bool = False) -> Integers:
        """Ask for edges and nodes together where a similarity is wanted, and for edges where a distance is."""
        asked = left[self._least[left] > 0]
        if self._min_similarity is not None:
            left = self._by_total(left)
            asked = np.intersect1d(asked, left, assume_unique=True)
            if nodes:
                asked = asked[~self.met()[asked]]
            elif self._max_distance is None:
                return left  # there is nothing more to be asked of edges alone
        question = np.column_stack([self._least[asked], self._total[asked] * nodes]).astype(np.int32)
        self._solve(asked, question, self.question.excluding)
        self.rows.status[asked[self.rows.upper[asked] < self._least[asked]]] = BELOW
        return self.by_bound(left)

    def _by_total(self, left: Integers) -> Integers:
        """Return the pairs that no bound on edges and nodes together excludes."""
        rows, options = self.rows, self.question.excluding
        work = options.work()
        asked = left[self._total[left] > 0]
        if not len(asked) or not work.bound:
            return left
        first, second, places = self._graphs(asked)
        counts, seconds = _core.bound_totals(
            first, second, places, self._total[asked].astype(np.int32), work, _limit(options), self.threads
        )
        self._most_total[asked], size, nodes = counts.T
        self._found(asked, size, nodes, seconds)
        rows.status[asked] = np.where(self._most_total[asked] < self._total[asked], BELOW, STATUSES.index("bounded"))
        return self.by_bound(left)

    def in_full(self, left: Integers, nodes: bool = False) -> None:
        """Match pairs, all in one call of the core."""
        question = np.column_stack([np.zeros(len(left)), self._total[left] * nodes]).astype(np.int32)
        self._solve(left, question, self.question.options)
        self._nodes_asked[left] = nodes

    def as_asked(self, options: Options) -> None:
        """Match all pairs, each with its own threshold."""
        rows = self.rows
        least, total = np.full(len(rows), options.min_size or 0), np.zeros(len(rows), dtype=np.int64)
        if options.max_distance is not None:
            least = np.maximum(least, -((int(options.max_distance) - self._edges) // 2))
        if options.min_similarity:
            # Of an empty graph and another one nothing is similar.
            total = np.where(
                (self._whole == 0) & ~self._alike, 1 << 30, least_totals(self._whole, options.min_similarity)
            )
            places = np.column_stack([rows.a, rows.b]).astype(np.int32)
            nodes = _core.shared_nodes(self.first.cores, self.second.cores, places)
            least = np.maximum(least, least_sizes(total, nodes.astype(np.int64)))
        self._solve(np.arange(len(rows)), np.column_stack([least, total]).astype(np.int32), options)
        rows.status[rows.upper < least] = BELOW

    def _ask_nodes(self, asked: Integers) -> None:
        question = np.column_stack([self.rows.size[asked], self._total[asked]]).astype(np.int32)
        self._solve(asked, question, self.question.options)

    def _solve(self, chosen: Integers, question: npt.NDArray[np.int32], options: Options) -> None:
        if not len(chosen):
            return
        rows = self.rows
        first, second, places = self._graphs(chosen)
        work = options.work()
        work.rlt.record = False  # nobody asks for a certificate
        counts, flags, seconds = _core.solve_rows(first, second, places, question, work, _limit(options), self.threads)
        size, nodes, upper, most = counts.T
        self._most_nodes[chosen] = np.where(most < 0, self._most_nodes[chosen], most)
        self._found(chosen, size, nodes, seconds)
        optimal, late = flags.T.astype(bool)
        rows.upper[chosen], rows.optimal[chosen] = upper, optimal
        status = np.where(late, STATUSES.index("time_limit"), STATUSES.index("bounded"))
        rows.status[chosen] = np.where(optimal, STATUSES.index("optimal"), status)

    def _graphs(self, chosen: Integers) -> tuple[list[_core.Graph], list[_core.Graph], npt.NDArray[np.int32]]:
        """Return the distinct graphs of some pairs, and where each pair finds its own."""
        (a, i), (b, j) = compact(self.rows.a[chosen]), compact(self.rows.b[chosen])
        places = np.column_stack([i, j]).astype(np.int32)
        return [self.first.cores[k] for k in a], [self.second.cores[k] for k in b], places

    def _found(
        self, chosen: Integers, size: npt.NDArray[np.int32], nodes: npt.NDArray[np.int32], seconds: Reals
    ) -> None:
        """Take note of mappings with so many edges and nodes, and of the time they took."""
        rows = self.rows
        rows.size[chosen], rows.nodes[chosen] = size, nodes
        rows.similarity[chosen] = self.similarity(nodes.astype(np.int64) + size, chosen)
        rows.distance[chosen] = self._edges[chosen] - 2 * size
        rows.screened[chosen] = False
        rows.seconds[chosen] += seconds


def _limit(options: Options) -> float:
    """Return the time limit as the compiled core takes it."""
    return -1.0 if options.time_limit is None else float(options.time_limit)
