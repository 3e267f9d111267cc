"""`search`: the items of a library that are nearest to a query, and a proof that no other is nearer.

Counts bound every item at once. What they leave is asked whether it can be among the best found so far, in batches of a
fixed size, so that answers do not depend on threads; only what a bound does not exclude is matched in full.
"""

from __future__ import annotations

import os
import time
from bisect import insort
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from enpda.bulk.evaluate import evaluate, gates_of
from enpda.bulk.groups import Groups
from enpda.bulk.hits import By, Hits, Searches
from enpda.bulk.keywords import options_of
from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers
from enpda.bulk.many import thread_count
from enpda.bulk.question import Question
from enpda.bulk.rows import Reals
from enpda.checks import choice, whole
from enpda.errors import InputError, warn
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.solve.budget import SHORT
from enpda.solve.options import Method, Options

BATCH = 256
"""Pairs that are asked the threshold question at a time."""
CHUNK = 16
"""Pairs that are matched in full before the threshold is looked at again."""
GUESSES = 256
"""Pairs that are looked at in order to begin with good ones."""


def search(
    query: Any,
    library: Any,
    k: int = 10,
    *,
    by: By = "similarity",
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    threads: int | None = None,
    min_similarity: float | None = None,
    max_distance: int | None = None,
    rules: Rules | None = None,
    constraints: Constraints | None = None,
    progress: bool = False,
    smiles: str | int | None = None,
    name: str | int | None = None,
    **options: Any,
) -> Any:
    """Find the items of a library that are nearest to a query.

    The hits are those of a loop over `match(query, item)` and a stable sort, however many items are excluded unseen.

    Parameters
    ----------
    query : Graph, str, rdkit Mol or networkx.Graph; or many: file, Library or iterable
        A string is a file where one of that name exists, and a SMILES otherwise.
    library : file, Library or iterable
        As `Library.of` takes it. Searching one `Library` again and again does the work on its graphs once.
    k : int
        Hits, at most (default 10).
    by : {"similarity", "distance"}
        What is ranked: the highest similarity first, or the least distance. Equals come in the order of the library.
    method, time_limit, seed, rules, constraints, **options
        As in `match`; the limit is for each question about a pair. With a method that proves nothing, such as `fast`,
        items are ranked by what it finds.
    threads : int, optional
        Pairs at a time (default: one a processor). The answers do not depend on it.
    min_similarity, max_distance : float, int, optional
        Only items with at least that similarity and at most that distance are hits.
    progress : bool
        Whether to show a bar on stderr.
    smiles, name : str or int, optional
        Columns of a table, as for `enpda.read`.

    Returns
    -------
    Hits, or list of Hits
        One for each query. Queries of a file that cannot be read are left out, with an `InputWarning`.

    Raises
    ------
    InputError
        When a query, the library or an option cannot be used.

    Examples
    --------
    >>> import enpda
    >>> drugs = enpda.Library.of(["CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1", "CN1C=NC2=C1C(=O)N(C)C(=O)N2C"])
    >>> hits = enpda.search("OC(=O)c1ccccc1O", drugs, k=2)
    >>> [(hit.id, hit.size, round(hit.similarity, 3)) for hit in hits], hits.exact
    ([('0', 10, 0.769), ('1', 8, 0.657)], True)
    """
    from tqdm import tqdm

    whole("k", k, 1, 2**31 - 1)
    choice("by", by, get_args(By))
    same = {"rules": rules, "constraints": constraints}
    asked = options_of(search, {"method": method, "time_limit": time_limit, "seed": seed, **same, **options})
    question = Question(asked, min_similarity, max_distance)
    count = thread_count(threads)
    many = _is_batch(query)
    queries = _queries(query, smiles, name) if many else _only(as_graph(query))
    items = Library.of(library, progress, smiles=smiles, name=name)
    groups = Groups(items, question.plain)
    total = len(queries) * len(groups)
    with tqdm(total=total, desc="items", unit="", unit_scale=True, disable=not progress, leave=False) as bar:
        found = [
            _Search(queries, q, items, groups, question, by, int(k), count).run(bar.update) for q in range(len(queries))
        ]
    return Searches(found) if many else found[0]


def _is_batch(query: Any) -> bool:
    if isinstance(query, str):
        try:
            return Path(query).is_file()
        except (OSError, ValueError):  # longer than any file name, or with characters no file name has
            return False
    single = isinstance(query, Graph) or any(hasattr(query, name) for name in ("GetAtoms", "is_directed", "edge_index"))
    return isinstance(query, (os.PathLike, Iterable)) and not single


def _only(graph: Graph) -> Library:
    return Library([graph.name or "query"], [graph])


def _queries(items: Any, smiles: str | int | None, name: str | int | None) -> Library:
    queries = Library.of(items, smiles=smiles, name=name)
    if queries is not items and queries.rejects:
        first = queries.rejects[0]
        if not isinstance(items, (str, os.PathLike)):
            raise InputError(f"query {first.line - 1}: {first.reason}")
        left_out = f"{len(queries.rejects)} queries are left out; the first: line {first.line}, {first.reason}"
        warn(f"{items}: {left_out}")
    return queries


class _Search:
    """One query on its way through the library; pairs are the query's with the distinct items."""

    def __init__(
        self,
        queries: Library,
        q: int,
        library: Library,
        groups: Groups,
        question: Question,
        by: By,
        k: int,
        threads: int,
    ) -> None:
        self.begin = time.perf_counter()
        self.queries, self.q, self.library, self.groups = queries, q, library, groups
        self.question, self.by, self.k, self.threads = question, by, k, threads
        self.pairs = np.column_stack([np.full(len(groups), q, dtype=np.int64), groups.first])
        self.gates = gates_of(self.pairs, queries, library, question, threads)
        self.asked, self.matched = (np.zeros(len(groups), dtype=np.bool_) for _ in range(2))
        self.best: list[tuple[float, int, int]] = []  # score (the less the better), item, pair

    def run(self, done: Callable[[int], object]) -> Hits:
        gates, rest = self.gates, len(self.pairs)

        def decided(left: int) -> None:
            nonlocal rest
            done(rest - left)
            rest = left

        gates.count(gates.caps(self.library.screen if self.question.options.rules is None else None))
        self.raise_threshold()
        left = gates.by_bound(np.argsort(self.promise(), kind="stable"))
        if len(left) > self.k:
            left = self.guessed(left)
            self.match(left[: self.k])
            left = left[self.k :]
        size = CHUNK
        while len(left := gates.by_bound(left)):
            decided(len(left))
            batch, left = left[:size], left[size:]
            size = min(2 * size, BATCH)
            self.asked[batch] = True
            alive = gates.by_question(batch)
            alive = alive[np.argsort(self.score(gates.rows.similarity, gates.rows.distance)[alive], kind="stable")]
            while len(alive := gates.by_bound(alive)):
                self.match(alive[:CHUNK])
                alive = alive[CHUNK:]
        decided(0)
        return self.hits()

    def score(self, similarity: Reals, distance: npt.NDArray[Any]) -> Reals:
        """Return what is ranked, the less the better."""
        return -similarity if self.by == "similarity" else distance.astype(np.float64)

    def promise(self) -> Reals:
        """Return the best score that each pair can have for all we know."""
        return self.score(self.gates.most_similarity(), self.gates.least_distance())

    def guessed(self, left: Integers) -> Integers:
        """Return the pairs in a better order: by a short look at those that promise most."""
        some = left[: max(GUESSES, 4 * self.k)]
        own = self.question.options
        quick = Options("fast", own.time_limit, own.seed, budget=SHORT, rules=own.rules, constraints=own.constraints)
        rows = evaluate(self.pairs[some], self.queries, self.library, Question(quick), self.threads)
        upper = self.gates.rows.upper
        upper[some] = np.minimum(upper[some], rows.upper)
        order = np.argsort(self.score(rows.similarity, rows.distance), kind="stable")
        return np.concatenate([some[order], left[len(some) :]])

    def match(self, chosen: Integers) -> None:
        """Match pairs in full, and raise the threshold to what is then needed to be among the best."""
        rows, question = self.gates.rows, self.question
        # A row is that of a table with the same threshold, whatever it takes to be among the best.
        self.gates.want(question.min_similarity or None, question.max_distance)
        self.gates.in_full(chosen, nodes=bool(question.min_similarity))
        self.gates.by_nodes()
        self.matched[chosen] = True
        scores = self.score(rows.similarity, rows.distance)
        for pair in chosen.tolist():
            if rows.similarity[pair] >= (question.min_similarity or 0) and (
                question.max_distance is None or rows.distance[pair] <= question.max_distance
            ):
                for item in self.groups.members(pair).tolist():
                    insort(self.best, (float(scores[pair]), item, pair))
        del self.best[self.k :]
        self.raise_threshold()

    def raise_threshold(self) -> None:
        """Ask for what beats the last of the best: more, or as much at an earlier place of the library."""
        similar, near = self.question.min_similarity, self.question.max_distance
        if len(self.best) < self.k:
            self.gates.want(similar or None, near)
            return
        score, item, _ = self.best[-1]
        earlier = self.groups.first < item
        if self.by == "similarity":
            needed = np.where(earlier, -score, np.nextafter(-score, np.inf))
            self.gates.want(np.maximum(needed, similar or 0.0), near)
        else:
            least = np.where(earlier, int(score), int(score) - 1)
            self.gates.want(similar or None, least if near is None else np.minimum(least, near))

    def hits(self) -> Hits:
        """Return what was found, and what is open."""
        chosen = np.array([pair for _, _, pair in self.best], dtype=np.int64)
        rows = self.gates.rows.take(chosen)
        rows.b = np.array([item for _, item, _ in self.best], dtype=np.int64)
        matched, asked = self.matched, self.asked & ~self.matched
        evaluated, excluded = (int(self.groups.count[which].sum()) for which in (matched, asked))
        return Hits(
            self.queries[self.q],
            self.queries.ids[self.q],
            self.library,
            self.by,
            self.k,
            self.question.options,
            rows,
            [self.library.ids[item] for item in self.open()],
            (len(self.library) - evaluated - excluded, excluded, evaluated),
            time.perf_counter() - self.begin,
        )

    def open(self) -> list[int]:
        """Return the items that may belong higher than they stand, in the order of the library."""
        question = self.question
        loose, promise = self.matched & ~self.gates.certain(), self.promise()
        if question.min_similarity:
            possible = self.gates.possible()
            short = self.matched & (self.gates.rows.similarity < question.min_similarity)
            promise[short] = self.score(possible, self.gates.least_distance())[short]
            loose = (loose | short) & (possible >= question.min_similarity)
        if question.max_distance is not None:
            loose &= self.gates.least_distance() <= question.max_distance
        place = {item: rank for rank, (_, item, _) in enumerate(self.best)}
        last = self.best[-1][:2] if len(self.best) == self.k else (np.inf, 0)
        result = []
        for pair in np.flatnonzero(loose).tolist():
            for item in self.groups.members(pair).tolist():
                rank = place.get(item)
                above = last if rank is None else self.best[rank - 1][:2] if rank else (-np.inf, 0)
                if (promise[pair], item) < above:
                    result.append(item)
        return sorted(result)
