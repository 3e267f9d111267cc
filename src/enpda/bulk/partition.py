"""`split`: folds for training and testing, with no near pair across two of them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda.bulk.cluster import in_words
from enpda.bulk.job import Job
from enpda.bulk.keywords import options_of
from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers
from enpda.bulk.many import thread_count
from enpda.bulk.matrix import matrix_as
from enpda.bulk.near import Pairs, Undecided, near_pairs
from enpda.bulk.question import Question
from enpda.bulk.tables import frame, pairs_schema
from enpda.checks import real
from enpda.documents import written
from enpda.errors import InputError, brief
from enpda.io import Reject
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.solve.options import Method

MAX_DISTANCE = 10
"""The threshold when none is given."""
FRACTIONS: Mapping[str, float] = MappingProxyType({"train": 0.8, "validation": 0.1, "test": 0.1})
NAMES = {2: ("train", "test"), 3: ("train", "validation", "test")}
"""What folds are called when only their fractions are given."""


def split(
    items: Any,
    fractions: Mapping[str, float] | Iterable[float] = FRACTIONS,
    *,
    min_similarity: float | None = None,
    max_distance: int | None = None,
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
) -> Split:
    """Deal items out to folds, so that no two items in different folds are near.

    Connected components of near pairs, as in `cluster`, stay whole: the largest is dealt first, to the fold that is
    furthest below its share. A pair that could not be decided counts as near, and so do isomorphic items.

    Parameters
    ----------
    items : file, Library, iterable or Matrix
        As for `cluster`.
    fractions : mapping of str to float, or numbers
        The share of each fold; they add up to 1. By default 0.8 for `train`, 0.1 for `validation` and `test`.
    min_similarity, max_distance : float, int, optional
        What is near, one of the two; distances up to 10 by default, so that items of different folds are more than 10
        apart.
    method, time_limit, rules, constraints, **options
        As in `match`; the limit is for each pair.
    seed : int
        As in `match`, and for the order of components of one size.
    threads : int, optional
        Pairs at a time (default: one a processor). The answer does not depend on it.
    progress : bool
        Whether to show a bar on stderr.
    smiles, name : str or int, optional
        Columns of a table, as for `enpda.read`.

    Returns
    -------
    Split

    Raises
    ------
    InputError
        For fractions that are none, two thresholds, or a matrix that cannot answer the question.

    Examples
    --------
    >>> import enpda
    >>> smiles = ["CCCO", "c1ccccc1", "CCCCO", "Cc1ccccc1", "CCO", "C#N"]
    >>> enpda.split(smiles, (0.5, 0.5), max_distance=3).folds
    {'train': ['0', '2', '4', '5'], 'test': ['1', '3']}
    """
    begin = time.perf_counter()
    shares = _shares(fractions)
    if min_similarity is None and max_distance is None:
        max_distance = MAX_DISTANCE
    same = {"rules": rules, "constraints": constraints}
    asked = options_of(split, {"method": method, "time_limit": time_limit, "seed": seed, **same, **options})
    near = near_pairs(items, asked, min_similarity, max_distance, threads, progress, smiles, name)
    components = _whole(near.components(doubtful=True), near.library.classes)
    return Split(
        library=near.library,
        question=near.question,
        targets=shares,
        components=components,
        numbers=_dealt(components, list(shares.values()), seed),
        pairs=near.pairs,
        undecided=near.undecided(),
        rejects=near.rejects,
        seconds=time.perf_counter() - begin,
    )


def _shares(fractions: Mapping[str, float] | Iterable[float]) -> dict[str, float]:
    if isinstance(fractions, Mapping):
        shares = dict(fractions)
    else:
        try:
            values = list(fractions)
        except TypeError:
            raise InputError(f"fractions must be a mapping or numbers; got {brief(fractions)}") from None
        names = NAMES.get(len(values), [f"fold {k}" for k in range(len(values))])
        shares = dict(zip(names, values, strict=True))
    for name, share in shares.items():
        if not isinstance(name, str):
            raise InputError(f"a fold must be called by a string; got {brief(name)}")
        real(f"the fraction of {name}", share, 0, 1)
    if not math.isclose(sum(shares.values()), 1, abs_tol=1e-6):
        raise InputError(f"fractions must add up to 1; got {brief(fractions)}")
    return {name: float(share) for name, share in shares.items()}


def _whole(labels: Integers, classes: Integers) -> Integers:
    """Join the components of isomorphic items: even graphs without an edge, which share nothing, must not be torn."""
    labels = labels.copy()
    for k in np.flatnonzero(classes != np.arange(len(classes))).tolist():
        low, high = sorted((labels[k], labels[classes[k]]))
        if low != high:
            labels[labels == high] = low
    return np.unique(labels, return_inverse=True)[1]


def _dealt(components: Integers, shares: list[float], seed: int) -> Integers:
    """Return the fold of every item."""
    sizes = np.bincount(components)
    order = np.lexsort((np.random.default_rng(seed).permutation(len(sizes)), -sizes))
    wanted = np.array(shares) * len(components)
    fold = np.zeros(len(sizes), dtype=np.int64)
    for k in order.tolist():
        fold[k] = np.argmax(wanted)
        wanted[fold[k]] -= sizes[k]
    return fold[components]


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """The result of `split`: folds with no near pair across two of them.

    Attributes
    ----------
    library : Library
        The items.
    question : Question
        What near means.
    targets : dict of str to float
        The fractions that were asked for.
    components : ndarray of int
        The component of every item, all of which is in one fold; in order of their first items.
    numbers : ndarray of int
        The fold of every item, by number.
    pairs : Pairs
        How many pairs were decided by what.
    undecided : list of Undecided
        Pairs that the time limit, or the method, left open; they are in one fold.
    rejects : list of Reject
        What could not be read.
    seconds : float
        Time spent, reading included.
    """

    library: Library
    question: Question
    targets: dict[str, float]
    components: Integers
    numbers: Integers
    pairs: Pairs
    undecided: list[Undecided] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def labels(self) -> npt.NDArray[np.str_]:
        """The fold of every item, by name."""
        return np.array(list(self.targets))[self.numbers]

    @cached_property
    def folds(self) -> dict[str, list[str]]:
        """The ids of every fold, in order."""
        ids = np.array(self.library.ids, dtype=object)
        return {name: ids[self.numbers == number].tolist() for number, name in enumerate(self.targets)}

    @property
    def fractions(self) -> dict[str, float]:
        """The fractions that were reached."""
        return {name: len(fold) / max(len(self.library), 1) for name, fold in self.folds.items()}

    @property
    def largest(self) -> int:
        """Items of the largest component."""
        return int(np.bincount(self.components, minlength=1).max())

    @property
    def warning(self) -> str | None:
        """What to know when one component is larger than any fold should be; else None."""
        n, most = len(self.library), max(self.targets.values())
        if self.largest <= math.ceil(most * n):
            return None
        return (
            f"one component holds {self.largest} of {n} items, more than any fold should ({most:.0%}): the fractions "
            "cannot be met; a stricter threshold makes components smaller"
        )

    def verify(self, threads: int | None = None, progress: bool = False) -> Any:
        """Compare all items of different folds again, by `matrix`, which knows nothing of components.

        Returns
        -------
        Arrow table
            The pairs across folds that are near or undecided, as in `Matrix.table`: none, unless a time limit struck
            that did not before.
        """
        import pyarrow as pa

        tables = []
        for pair in combinations(range(len(self.targets)), 2):
            left, right = (self._fold(number) for number in pair)
            tables.append(matrix_as(Job(left, right, self.question), thread_count(threads), progress).table)
        return pa.concat_tables([pairs_schema().empty_table(), *tables])

    def _fold(self, number: int) -> Library:
        chosen = np.flatnonzero(self.numbers == number).tolist()
        return Library([self.library.ids[k] for k in chosen], [self.library[k] for k in chosen])

    def table(self) -> Any:
        """Return an Arrow table with the columns id, smiles and fold, in the order of the items."""
        import pyarrow as pa

        columns = self.library.ids, self.library.smiles, self.labels.tolist()
        names = ("id", "smiles", "fold")
        return pa.table({name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)})

    def to_pandas(self) -> Any:
        """Return the same as a pandas data frame."""
        return frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; keys are the attribute names."""
        return {
            "min_similarity": self.question.min_similarity,
            "max_distance": self.question.max_distance,
            "targets": self.targets,
            "fractions": self.fractions,
            "folds": self.folds,
            "largest": self.largest,
            "warning": self.warning,
            "pairs": self.pairs.to_dict(),
            "undecided": [pair.to_dict() for pair in self.undecided],
            "rejects": [asdict(reject) for reject in self.rejects],
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return written(self.to_dict(), indent=2)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(fold)}" for name, fold in self.folds.items())
        near = in_words(self.question.min_similarity, self.question.max_distance)
        return f"Split({sizes}; near: {near})"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(name)}</td><td>{len(fold)}</td>"
            f"<td>{self.fractions[name]:.1%}</td><td>{self.targets[name]:.1%}</td></tr>"
            for name, fold in self.folds.items()
        )
        head = "<tr><th style='text-align:left'>fold</th><th>items</th><th>share</th><th>wanted</th></tr>"
        note = f"<p>{escape(self.warning)}</p>" if self.warning else ""
        return f"<p>{escape(repr(self))}</p><table>{head}{rows}</table>{note}"
