"""An all-pairs job: its items, its question, and its chunks, each of which is done once.

In a folder a job is `job.json` (what is asked), `items.parquet` and `rejects.parquet` (for people), `items.arrow` (for
workers) and one file a finished chunk in `pairs/`. Whoever has the folder can go on with the job.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from enpda.bulk import tables
from enpda.bulk.evaluate import evaluate
from enpda.bulk.groups import Groups
from enpda.bulk.library import Library
from enpda.bulk.library_file import Integers
from enpda.bulk.question import Question
from enpda.bulk.rows import Rows
from enpda.bulk.store import Store
from enpda.bulk.tiles import Tiles
from enpda.documents import parsed
from enpda.errors import InputError, brief

FORMAT = "enpda-matrix-1"
PAIRS = "pairs"


class Job:
    """All pairs of some items, or of some items with others, and what is asked about them.

    Isomorphic items are compared once: chunks are tiles of distinct items, and a chunk's rows are written for all pairs
    of items that they speak of.
    """

    def __init__(
        self,
        first: Library,
        second: Library | None,
        question: Question,
        tiles: Tiles | None = None,
        store: Store | None = None,
    ) -> None:
        self.first, self.second, self.question, self.store = first, second, question, store
        self._left = Groups(first, question.plain)
        self._right = self._left if second is None else Groups(second, question.plain)
        counts = len(self._left), None if second is None else len(self._right)
        self.tiles = tiles or Tiles.sized(*counts, question.threshold)
        if (self.tiles.count, self.tiles.other) != counts:
            raise InputError(f"the job has {counts[0]} distinct items, not {self.tiles.count} as its file says")

    # -- in a folder ---------------------------------------------------------------------------------------

    @classmethod
    def prepared(
        cls, first: Library, second: Library | None, question: Question, store: Store, resume: bool = True
    ) -> Job:
        """Write a job down, or find it there as it is; raises InputError when another one is there.

        Several processes may prepare the same job at the same time.
        """
        job = cls(first, second, question, store=store)
        if not resume and store.read("job.json") is not None:
            raise InputError(f"{store.url} already holds a job; choose another folder, or go on with it (resume)")
        described = _parsed(store.claim("job.json", json.dumps(job.describe(), indent=1).encode()), store)
        other = _differences(described, job.describe())
        if other:
            raise InputError(
                f"{store.url} holds another job (there -> here): {'; '.join(other)}. Choose another folder, or repeat "
                "the call it was made by"
            )
        job = cls(first, second, question, _tiles(described, store), store)
        for name, library in (("items", first), ("other", second)):
            if library is not None and not _holds(store, name, library.digest):
                data = library.dumps()
                store.write(f"{name}.parquet", tables.parquet(tables.items_table(Library.loads(data))))
                store.write(f"{name}.arrow", data)
        if store.read("rejects.parquet") is None:
            rejects = [*first.rejects, *(second.rejects if second is not None else ())]
            store.write("rejects.parquet", tables.parquet(tables.rejects_table(rejects)))
        return job

    @classmethod
    def opened(cls, store: Store) -> Job:
        """Read a job from its folder."""
        data = store.read("job.json")
        if data is None:
            raise InputError(f"{store.url}: no job.json: not the folder of a matrix")
        described = _parsed(data, store)
        try:
            question = Question.from_dict(described["question"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{store.url}: job.json is damaged: {error}") from None
        first, second = (_library(store, name, described.get(name)) for name in ("items", "other"))
        if first is None:
            raise InputError(f"{store.url}: job.json is damaged: it names no items")
        return cls(first, second, question, _tiles(described, store), store)

    def describe(self) -> dict[str, Any]:
        """Return what makes this job the one it is, ready for JSON."""
        return {
            "format": FORMAT,
            "items": self.first.digest,
            "other": None if self.second is None else self.second.digest,
            "question": self.question.to_dict(),
            "tiles": {"count": self.tiles.count, "other": self.tiles.other, "side": self.tiles.side},
        }

    @cached_property
    def key(self) -> str:
        """A digest of what the job is: two folders with the same key hold the same job."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()

    # -- chunks --------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.tiles)

    @property
    def pairs(self) -> int:
        """Pairs of items altogether."""
        n = len(self.first)
        return n * (n - 1) // 2 if self.second is None else n * len(self.second)

    def pairs_of(self, chunk: int) -> int:
        """Count the pairs of items that a chunk speaks of."""
        rows, columns = self.tiles.block(chunk)
        n, m = len(self._left.items(rows)), len(self._right.items(columns))
        return n * (n - 1) // 2 if self.second is None and rows == columns else n * m

    def rows(self, chunk: int, threads: int) -> Rows:
        """Do the work of a chunk: the rows of all its pairs of items, in order."""
        places, which = self.expanded(chunk)
        second = self.second or self.first
        if places is which:
            return evaluate(places, self.first, second, self.question, threads)
        key = which[:, 0] * len(second) + which[:, 1]
        found = evaluate(which[np.unique(key, return_index=True)[1]], self.first, second, self.question, threads)
        # Pairs that were screened have no row; those that have one are in order.
        known = found.a * len(second) + found.b
        source = np.searchsorted(known, key)
        kept = np.flatnonzero(np.append(known, -1)[source] == key)
        rows = found.take(source[kept])
        rows.a, rows.b = places[kept].T
        return rows

    def expanded(self, chunk: int) -> tuple[Integers, Integers]:
        """Return a chunk's pairs of items in order, and the pair of distinct items that each of them stands for."""
        rows, columns = self.tiles.block(chunk)
        left, right = self._left.items(rows), self._right.items(columns)
        if len(left) == len(rows) and len(right) == len(columns):  # all of them distinct, and in order
            pairs = self.tiles.pairs(chunk)
            if self.second is None:
                pairs = pairs[pairs[:, 0] != pairs[:, 1]]
            both = np.column_stack([self._left.first[pairs[:, 0]], self._right.first[pairs[:, 1]]])
            return both, both
        i, j = (axis.ravel() for axis in np.meshgrid(left, right, indexing="ij"))
        if self.second is None and rows == columns:
            u, v = self._left.of[i], self._left.of[j]
            once = (u < v) | ((u == v) & (i < j))
            i, j = i[once], j[once]
        which = np.column_stack([self._left.first[self._left.of[i]], self._right.first[self._right.of[j]]])
        if self.second is None:
            i, j = np.minimum(i, j), np.maximum(i, j)
        order = np.lexsort((j, i))
        return np.column_stack([i, j])[order], which[order]

    def finish(self, chunk: int, threads: int) -> int:
        """Do a chunk and write its file; returns the number of rows."""
        assert self.store is not None
        rows = self.rows(chunk, threads)
        self.store.write(_file(chunk), tables.sealed(self.table(rows), self._place(chunk)))
        return len(rows)

    def finished(self, among: Container[int] | None = None, verify: bool = True) -> set[int]:
        """Return the chunks (among some) that are done; with `verify`, files that are damaged are removed."""
        assert self.store is not None
        wanted = range(len(self)) if among is None else among
        result = {chunk for name in self.store.names(PAIRS) if (chunk := _number(name)) is not None and chunk in wanted}
        for chunk in sorted(result) if verify else ():
            data = self.store.read(_file(chunk))
            if data is None or not tables.intact(data, self._place(chunk)):
                self.store.remove(_file(chunk))
                result.discard(chunk)
        return result

    def read(self, chunk: int) -> Any:
        """Return a finished chunk as an Arrow table; None when its file is missing or damaged."""
        assert self.store is not None
        data = self.store.read(_file(chunk))
        if data is None or not tables.intact(data, self._place(chunk)):
            return None
        return tables.unsealed(data)

    def table(self, rows: Rows) -> Any:
        """Return rows as an Arrow table, under the items' ids."""
        return tables.pairs_table(rows, *self._ids, self.question.options.method)

    def _place(self, chunk: int) -> str:
        return f"{self.key} {chunk}"

    def rows_of(self, table: Any) -> Rows:
        """Undo `table`."""
        return tables.pairs_rows(table, *self._ids)

    @cached_property
    def _ids(self) -> tuple[Any, Any]:
        import pyarrow as pa

        first = pa.array(self.first.ids, pa.string())
        return first, first if self.second is None else pa.array(self.second.ids, pa.string())


@lru_cache(maxsize=4)
def opened(url: str, key: str) -> Job:
    """Return the job of a folder, read once a process; the key tells it from another that was there before."""
    job = Job.opened(Store(url))
    if job.key != key:
        raise InputError(f"{url} holds another job than the one that was begun there")
    return job


def _file(chunk: int) -> str:
    return f"{PAIRS}/{chunk:08d}.parquet"


def _number(name: str) -> int | None:
    """Return the chunk that a file of `pairs/` holds; None for what is no chunk."""
    stem = name.removesuffix(".parquet")
    return int(stem) if stem.isdecimal() and _file(int(stem)) == f"{PAIRS}/{name}" else None


def _differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """Say in which options two jobs differ."""
    result = []
    for key in ("format", "items", "other"):
        if there.get(key) != here[key]:
            molecules = key != "format" and None not in (there.get(key), here[key])
            values = (
                "other graphs, or in another order" if molecules else f"{brief(there.get(key))} -> {brief(here[key])}"
            )
            result.append(f"{key}: {values}")
    old, new = there.get("question"), here["question"]
    if not isinstance(old, dict):
        return [*result, "question: not readable"]
    for key in sorted(old.keys() | new.keys()):
        one, other = old.get(key), new.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            inner = sorted(k for k in one.keys() | other.keys() if one.get(k) != other.get(k))
            result += [f"{k}: {brief(one.get(k))} -> {brief(other.get(k))}" for k in inner]
        elif one != other:
            result.append(f"{key}: {brief(one)} -> {brief(other)}")
    return result


def _parsed(data: bytes, store: Store) -> dict[str, Any]:
    described = parsed(data, f"{store.url}/job.json")
    if isinstance(described, dict) and described.get("format") == FORMAT:
        return described
    raise InputError(f"{store.url}: job.json is damaged, or not that of a matrix of this version")


def _tiles(described: dict[str, Any], store: Store) -> Tiles:
    try:
        return Tiles(**described["tiles"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{store.url}: job.json is damaged: {error}") from None


def _library(store: Store, name: str, digest: str | None) -> Library | None:
    """Open a library of a job's folder, which must be the one that job.json speaks of."""
    if digest is None:
        return None
    path = store.local(f"{name}.arrow")
    data = store.read(f"{name}.arrow") if path is None else b""
    if data is None or (path is not None and not path.exists()):
        raise InputError(f"{store.url}: {name}.arrow is missing; repeat the call that made the job, which writes it")
    library = Library.loads(data) if path is None else Library.open(path)
    if library.digest != digest:
        raise InputError(
            f"{store.url}: {name}.arrow is damaged; repeat the call that made the job, which writes it anew"
        )
    return library


def _holds(store: Store, name: str, digest: str) -> bool:
    try:
        return _library(store, name, digest) is not None
    except InputError:
        return False
