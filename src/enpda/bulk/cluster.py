"""`cluster`: items that are near each other, as connected components or around centroids."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from enpda.bulk.keywords import options_of
from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers
from enpda.bulk.near import NearPairs, Pairs, Undecided, near_pairs
from enpda.bulk.tables import frame
from enpda.checks import choice
from enpda.documents import written
from enpda.io import Reject
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.solve.options import Method, Options
from enpda.words import counted

Algorithm = Literal["components", "butina"]

MIN_SIMILARITY = 0.7
"""The threshold when none is given."""
SHOWN = 10
"""Clusters, and members of each, that are shown."""
MEMBERS = 6
"""Members of each that a notebook draws."""


def cluster(
    items: Any,
    *,
    min_similarity: float | None = None,
    max_distance: int | None = None,
    algorithm: Algorithm = "components",
    method: Method = "auto",
    time_limit: float | None = 10.0,
    seed: int = 0,
    threads: int | None = None,
    rules: Rules | None = None,
    constraints: Constraints | None = None,
    progress: bool = False,
    smiles: str | int | None = None,
    name: str | int | None = None,
    **options: Any,
) -> Clusters:
    """Put items that are near each other into one cluster.

    Two items are near when `match` says that they are at least as similar, or at most as distant, as the threshold.
    Pairs that are not near are mostly excluded by their counts or by a bound, and pairs whose answer would change
    nothing are not asked about.

    Parameters
    ----------
    items : file, Library, iterable or Matrix
        As for `matrix`, or a finished matrix of one list, of which no pair is compared again.
    min_similarity, max_distance : float, int, optional
        The threshold, one of the two; 0.7 similar by default.
    algorithm : {"components", "butina"}
        `components`: connected components of near pairs (single linkage). `butina`: Taylor-Butina; the item with the
        most near ones is the centroid of a cluster with all of them that are in none yet, and so on; of equals the
        first.
    method, time_limit, seed, rules, constraints, **options
        As in `match`; the limit is for each pair.
    threads : int, optional
        Pairs at a time (default: one a processor). The answer does not depend on it.
    progress : bool
        Whether to show a bar on stderr.
    smiles, name : str or int, optional
        Columns of a table, as for `enpda.read`.

    Returns
    -------
    Clusters

    Raises
    ------
    InputError
        For two thresholds, or a matrix that cannot answer the question.

    Examples
    --------
    >>> import enpda
    >>> found = enpda.cluster(["CCCO", "CCCCO", "c1ccccc1", "Cc1ccccc1", "CCCCCO"], min_similarity=0.6)
    >>> found.clusters
    [['0', '1', '4'], ['2', '3']]
    >>> found.labels
    array([0, 0, 1, 1, 0])
    """
    begin = time.perf_counter()
    choice("algorithm", algorithm, get_args(Algorithm))
    if min_similarity is None and max_distance is None:
        min_similarity = MIN_SIMILARITY
    same = {"rules": rules, "constraints": constraints}
    asked = options_of(cluster, {"method": method, "time_limit": time_limit, "seed": seed, **same, **options})
    near = near_pairs(items, asked, min_similarity, max_distance, threads, progress, smiles, name)
    members = _components(near) if algorithm == "components" else butina(near)
    members.sort(key=lambda some: (-len(some), min(some)))
    labels = np.empty(len(near.library), dtype=np.int64)
    for k, some in enumerate(members):
        labels[some] = k
    undecided = near.undecided()
    if algorithm == "components":  # a pair within one would change nothing
        undecided = [pair for pair in undecided if labels[pair.a] != labels[pair.b]]
    return Clusters(
        ids=near.library.ids,
        labels=labels,
        members=members,
        algorithm=algorithm,
        min_similarity=min_similarity,
        max_distance=max_distance,
        pairs=near.pairs,
        undecided=undecided,
        rejects=near.rejects,
        seconds=time.perf_counter() - begin,
        library=near.library,
        options=near.question.options,
    )


def _components(near: NearPairs) -> list[list[int]]:
    labels = near.components()
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return [part.tolist() for part in np.split(order, ends)] if len(order) else []


def butina(near: NearPairs) -> list[list[int]]:
    """Return Taylor-Butina clusters, the centroid of each first and the others in order."""
    groups = near.groups
    around: dict[int, list[int]] = {k: [] for k in groups.first.tolist()}
    for i, j in near.near().tolist():
        around[i].append(j)
        if i != j:
            around[j].append(i)
    members = {k: groups.alike(k) for k in around}
    first = {item: k for k, some in members.items() for item in some}
    # What is near one of several isomorphic items is near all of them; the item itself is one of its own only if
    # they are near each other.
    count = {k: sum(len(members[j]) for j in some) - (k in some) for k, some in around.items()}
    free = np.ones(len(first), dtype=np.bool_)
    result = []
    for item in sorted(first, key=lambda item: (-count[first[item]], item)):
        if not free[item]:
            continue
        free[item] = False
        others = sorted(other for k in around[first[item]] for other in members[k] if free[other])
        free[others] = False
        result.append([item, *others])
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Clusters:
    """The result of `cluster`: which items belong together.

    Attributes
    ----------
    ids : list of str
        The items, in order.
    labels : ndarray of int
        The cluster of every item. Clusters are numbered by size, the largest first, and then by their first item.
    members : list of list of int
        The items of every cluster by number, as in `clusters`.
    algorithm : {"components", "butina"}
        How they were found.
    min_similarity, max_distance : float or None, int or None
        The threshold.
    pairs : Pairs
        How many pairs were decided by what.
    undecided : list of Undecided
        Pairs that the time limit, or the method, left open. They are taken as not near; those that could not change
        the clusters are left out.
    rejects : list of Reject
        What could not be read.
    seconds : float
        Time spent, reading included.
    library, options : Library, Options
        The items themselves, and how they were matched.
    """

    ids: list[str]
    labels: Integers
    members: list[list[int]]
    algorithm: Algorithm
    min_similarity: float | None
    max_distance: int | None
    pairs: Pairs
    undecided: list[Undecided] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    seconds: float = 0.0
    library: Library | None = None
    options: Options | None = None

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def clusters(self) -> list[list[str]]:
        """The ids of every cluster; with `butina` the centroid first, the others in order."""
        return [[self.ids[k] for k in some] for some in self.members]

    @property
    def centroids(self) -> list[str]:
        """The first id of every cluster. A component has no centre: the first of its items stands for it."""
        return [some[0] for some in self.clusters]

    @property
    def sizes(self) -> Integers:
        """Items of every cluster."""
        return np.array([len(some) for some in self.members], dtype=np.int64)

    def table(self) -> Any:
        """Return an Arrow table with the columns id, cluster and is_centroid, in the order of the items."""
        import pyarrow as pa

        first: npt.NDArray[np.bool_] = np.zeros(len(self.ids), dtype=np.bool_)
        first[[some[0] for some in self.members]] = True
        return pa.table({"id": pa.array(self.ids, pa.string()), "cluster": self.labels, "is_centroid": first})

    def to_pandas(self) -> Any:
        """Return the same as a pandas data frame."""
        return frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; keys are the attribute names."""
        return {
            "algorithm": self.algorithm,
            "min_similarity": self.min_similarity,
            "max_distance": self.max_distance,
            "clusters": self.clusters,
            "centroids": self.centroids,
            "sizes": self.sizes.tolist(),
            "ids": self.ids,
            "labels": self.labels.tolist(),
            "pairs": self.pairs.to_dict(),
            "undecided": [pair.to_dict() for pair in self.undecided],
            "rejects": [asdict(reject) for reject in self.rejects],
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return written(self.to_dict(), indent=2)

    def report(self, path: str | os.PathLike[str] | None = None, title: str = "Clusters") -> str:
        """Write a page of every cluster with its members; see `enpda.bulk.pages.clusters_page`."""
        from enpda.bulk.pages import clusters_page

        return clusters_page(self, path, title)

    @property
    def threshold(self) -> str:
        """The threshold in words."""
        return in_words(self.min_similarity, self.max_distance)

    def __repr__(self) -> str:
        doubt = f", {counted(len(self.undecided), 'pair')} undecided" if self.undecided else ""
        return f"Clusters({len(self)} of {counted(len(self.ids), 'item')}, {self.algorithm}, {self.threshold}{doubt})"

    def cards(self, number: int, count: int = SHOWN, *, quick: bool = False) -> str:
        """Return the first items of a cluster as HTML, turned to the first, what they share with it highlighted.

        `quick`: find no common part for longer than a second.
        """
        from enpda.bulk.matches import facts_of, for_pictures, matched
        from enpda.view.series import Series
        from enpda.view.sheet import card, cards

        if self.library is None or self.options is None:
            return ""
        first, *others = self.members[number][:count]
        series = Series(self.library[first])
        options = for_pictures(self.options) if quick else self.options
        found = matched([(series.query, self.library[k]) for k in others], options)
        centre = "the centroid" if self.algorithm == "butina" else "the first"
        parts = [card(series.draw_query(), self.ids[first], [centre] if others else [])]
        parts += [card(series.draw(m), self.ids[k], facts_of(m)) for k, m in zip(others, found, strict=True)]
        return cards(parts)

    def _repr_html_(self) -> str:
        from enpda.view.sheet import escaped, note

        parts = [note(repr(self))]
        for k, some in enumerate(self.clusters[:SHOWN]):
            if len(some) > 1:
                parts.append(f"<p><b>cluster {k}</b>: {escaped(listed(some, MEMBERS))}</p>\n")
                parts.append(self.cards(k, MEMBERS, quick=True))
        alone = [some[0] for some in self.clusters[:SHOWN] if len(some) == 1]
        if alone:
            parts.append(note(f"alone: {', '.join(alone)}"))
        if len(self) > SHOWN:
            parts.append(note(f"and {counted(len(self) - SHOWN, 'more cluster')}"))
        return "".join(parts)


def in_words(min_similarity: float | None, max_distance: int | None) -> str:
    """Say what is near."""
    return f"similarity at least {min_similarity}" if max_distance is None else f"distance at most {max_distance}"


def listed(ids: list[str], most: int = SHOWN) -> str:
    """Show the first of some ids."""
    return ", ".join(ids[:most]) + (f", and {len(ids) - most} more" if len(ids) > most else "")
