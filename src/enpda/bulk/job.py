"""An all-pairs job: its items, its question, and its chunks, each of which is done once.

In a folder a job is `job.json` (what is asked), `items.parquet` and `rejects.parquet` (for people), `items.arrow` (for
workers) and one file a finished chunk in `pairs/`. Whoever has the folder can go on with the job.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from enpda.bulk.library import Integers, Library
from enpda.bulk.rows import SCREEN, STATUSES, Ask, Rows, evaluate
from enpda.bulk.store import Store
from enpda.bulk.tiles import Tiles
from enpda.errors import InputError
from enpda.io import Reject

FORMAT = "enpda-matrix-1"
PAIRS = "pairs"


class Job:
    """All pairs of some items, or of some items with others, and what is asked about them.

    Isomorphic items are compared once: chunks are tiles of distinct items, and a chunk's rows are written for all pairs
    of items that they speak of.
    """

    def __init__(
        self, first: Library, second: Library | None, ask: Ask, tiles: Tiles | None = None, store: Store | None = None
    ) -> None:
        self.first, self.second, self.ask, self.store = first, second, ask, store
        self._groups = Groups(first, ask.plain), None if second is None else Groups(second, ask.plain)
        counts = len(self._groups[0]), None if self._groups[1] is None else len(self._groups[1])
        self.tiles = tiles or Tiles.sized(*counts)
        if (self.tiles.count, self.tiles.other) != counts:
            raise InputError(f"the job has {counts[0]} distinct items, not {self.tiles.count} as its file says")

    # -- in a folder ---------------------------------------------------------------------------------------

    @classmethod
    def prepared(cls, first: Library, second: Library | None, ask: Ask, store: Store, resume: bool = True) -> Job:
        """Write a job down, or find it there as it is; raises InputError when another one is there."""
        job = cls(first, second, ask, store=store)
        known = store.read("job.json")
        if known is not None:
            described = _parsed(known, store)
            if not resume:
                raise InputError(f"{store.url} already holds a job; choose another folder, or go on with it (resume)")
            other = [key for key, value in job.describe().items() if key != "tiles" and described.get(key) != value]
            if other:
                raise InputError(
                    f"{store.url} holds another job: its {', '.join(other)} differ; choose another folder, or repeat "
                    "the call it was made by"
                )
            return cls(first, second, ask, Tiles(**described["tiles"]), store)
        for name, library in (("items", first), ("other", second)):
            if library is not None:
                store.write(f"{name}.arrow", _library_bytes(library))
                store.write(f"{name}.parquet", parquet(_items_table(library)))
        rejects = [*first.rejects, *(second.rejects if second is not None else ())]
        store.write("rejects.parquet", parquet(_rejects_table(rejects)))
        store.write("job.json", json.dumps(job.describe(), indent=1).encode())  # last: now the job exists
        return job

    @classmethod
    def opened(cls, store: Store) -> Job:
        """Read a job from its folder."""
        data = store.read("job.json")
        if data is None:
            raise InputError(f"{store.url}: no job.json: not the folder of a matrix")
        described = _parsed(data, store)
        second = _library(store, "other") if described["other"] is not None else None
        return cls(
            _library(store, "items"), second, Ask.from_dict(described["ask"]), Tiles(**described["tiles"]), store
        )

    def describe(self) -> dict[str, Any]:
        """Return what makes this job the one it is, ready for JSON."""
        return {
            "format": FORMAT,
            "items": self.first.digest,
            "other": None if self.second is None else self.second.digest,
            "ask": self.ask.to_dict(),
            "tiles": {"count": self.tiles.count, "other": self.tiles.other, "side": self.tiles.side},
        }

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
        return len(self._expanded(chunk)[0])

    def rows(self, chunk: int, threads: int) -> Rows:
        """Do the work of a chunk: the rows of all its pairs of items, in order."""
        places, which = self._expanded(chunk)
        second = self.second or self.first
        key = which[:, 0] * len(second) + which[:, 1]
        distinct = which if places is which else which[np.unique(key, return_index=True)[1]]
        found = evaluate(distinct, self.first, second, self.ask, threads)
        # Pairs that were screened have no row.
        known = found.a * len(second) + found.b
        order = np.argsort(known, kind="stable")
        source = np.searchsorted(known, key, sorter=order)
        kept = np.flatnonzero(source < len(known))
        kept = kept[known[order[source[kept]]] == key[kept]]
        rows = found.take(order[source[kept]])
        rows.a, rows.b = places[kept].T
        return rows

    def _expanded(self, chunk: int) -> tuple[Integers, Integers]:
        """Return a chunk's pairs of items in order, and the pair of distinct items that each of them stands for."""
        left, right = self._groups[0], self._groups[1] or self._groups[0]
        pairs = self.tiles.pairs(chunk)
        if self.second is None:
            pairs = pairs[(pairs[:, 0] != pairs[:, 1]) | (left.count[pairs[:, 0]] > 1)]
        many = left.count[pairs[:, 0]] * right.count[pairs[:, 1]]
        if (many == 1).all():
            both = np.column_stack([left.first[pairs[:, 0]], right.first[pairs[:, 1]]])
            return both, both  # in order as they are, because `first` is
        places, which = [], []
        for u, v in pairs.tolist():
            i, j = np.meshgrid(left.members(u), right.members(v), indexing="ij")
            both = np.column_stack([i.ravel(), j.ravel()])
            if self.second is None and u == v:
                both = both[both[:, 0] < both[:, 1]]
            places.append(both)
            which.append(np.tile([left.first[u], right.first[v]], (len(both), 1)))
        if not places:
            return np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
        return _ordered(np.concatenate(places), np.concatenate(which), self.second is None)

    def finish(self, chunk: int, threads: int) -> int:
        """Do a chunk and write its file; returns the number of rows."""
        assert self.store is not None
        rows = self.rows(chunk, threads)
        self.store.write(_file(chunk), parquet(self.table(rows)))
        return len(rows)

    def finished(self, verify: bool = True) -> set[int]:
        """Return the chunks that are done; files that cannot be read any more are removed."""
        assert self.store is not None
        result = set()
        for name in self.store.names(PAIRS):
            if not name.endswith(".parquet") or not name.removesuffix(".parquet").isdecimal():
                continue
            chunk = int(name.removesuffix(".parquet"))
            if chunk >= len(self):
                continue
            if verify and self.read(chunk) is None:
                self.store.remove(f"{PAIRS}/{name}")
            else:
                result.add(chunk)
        return result

    def read(self, chunk: int) -> Any:
        """Return a finished chunk as an Arrow table; None when its file is missing or damaged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        assert self.store is not None
        data = self.store.read(_file(chunk))
        if data is None:
            return None
        try:
            table = pq.read_table(pa.BufferReader(data), page_checksum_verification=True)
        except (OSError, pa.ArrowException):
            return None
        return table if table.schema.equals(pairs_schema()) else None

    def table(self, rows: Rows) -> Any:
        """Return rows as an Arrow table, under the items' ids."""
        import pyarrow as pa

        method = np.where(rows.screened, SCREEN, self.ask.options.method)
        columns = [
            self._ids[0].take(pa.array(rows.a)),
            self._ids[1].take(pa.array(rows.b)),
            rows.size,
            rows.upper,
            rows.optimal,
            rows.nodes,
            rows.similarity,
            rows.distance,
            np.array(STATUSES)[rows.status],
            rows.seconds,
            method,
        ]
        schema = pairs_schema()
        return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)

    def rows_of(self, table: Any) -> Rows:
        """Undo `table`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = {
            "a": pc.index_in(table["id_a"], self._ids[0]),
            "b": pc.index_in(table["id_b"], self._ids[1]),
            "status": pc.index_in(table["status"], pa.array(STATUSES)),
            "screened": pc.equal(table["method"], SCREEN),
        }
        columns |= {entry.name: table[entry.name] for entry in fields(Rows) if entry.name not in columns}
        kinds = {"a": np.int64, "b": np.int64, "status": np.uint8}
        values = {name: column.to_numpy() for name, column in columns.items()}
        return Rows(**{name: value.astype(kinds.get(name, value.dtype)) for name, value in values.items()})

    @cached_property
    def _ids(self) -> tuple[Any, Any]:
        import pyarrow as pa

        first = pa.array(self.first.ids, pa.string())
        return first, first if self.second is None else pa.array(self.second.ids, pa.string())


@lru_cache(maxsize=4)
def opened(url: str) -> Job:
    """Return the job of a folder, read once a process."""
    return Job.opened(Store(url))


class Groups:
    """Items, and the distinct ones among them in the order of their first appearance."""

    def __init__(self, library: Library, alike: bool) -> None:
        classes = library.classes if alike else np.arange(len(library))
        self.first, self._of, self.count = np.unique(classes, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._of, kind="stable")
        self._begin = np.concatenate([[0], np.cumsum(self.count)])
        self.last: Integers = self._order[self._begin[1:] - 1][self._of]
        """For every item the last one that is isomorphic to it."""

    def __len__(self) -> int:
        return len(self.first)

    def members(self, k: int) -> Integers:
        """Return the items that the distinct one stands for."""
        return self._order[self._begin[k] : self._begin[k + 1]]

    def alike(self, item: int) -> list[int]:
        """Return the items that are isomorphic to an item, itself included."""
        return list(self.members(self._of[item]).tolist())


def _ordered(places: Integers, which: Integers, within: bool) -> tuple[Integers, Integers]:
    if within:
        places = np.sort(places, axis=1)
    order = np.lexsort((places[:, 1], places[:, 0]))
    return places[order], which[order]


def _file(chunk: int) -> str:
    return f"{PAIRS}/{chunk:08d}.parquet"


def _parsed(data: bytes, store: Store) -> dict[str, Any]:
    try:
        described = json.loads(data)
        if described["format"] == FORMAT:
            return dict(described)
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{store.url}: job.json is not that of a matrix of this version")


def _library(store: Store, name: str) -> Library:
    if store.remote is None:
        return Library.open(Path(store.root) / f"{name}.arrow")
    data = store.read(f"{name}.arrow")
    if data is None:
        raise InputError(f"{store.url}: {name}.arrow is missing")
    return Library.loads(data)


def _library_bytes(library: Library) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "library.arrow")
        Library.build(library, path)
        return path.read_bytes()


# -- Arrow and Parquet -------------------------------------------------------------------------------------


def pairs_schema() -> Any:
    """Return the columns of the pairs' table."""
    import pyarrow as pa

    return pa.schema(
        [
            ("id_a", pa.string()),
            ("id_b", pa.string()),
            ("size", pa.int32()),
            ("upper", pa.int32()),
            ("optimal", pa.bool_()),
            ("nodes", pa.int32()),
            ("similarity", pa.float64()),
            ("distance", pa.int32()),
            ("status", pa.string()),
            ("seconds", pa.float64()),
            ("method", pa.string()),
        ]
    )


def parquet(table: Any) -> bytes:
    """Return a table as the bytes of a Parquet file, compressed and with checksums."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())


def _items_table(library: Library) -> Any:
    import pyarrow as pa

    digests = [library[k].digest if smiles is None else None for k, smiles in enumerate(library.smiles)]
    return pa.table(
        {
            "id": pa.array(library.ids, pa.string()),
            "smiles": pa.array(library.smiles, pa.string()),
            "digest": pa.array(digests, pa.string()),
            "nodes": library.nodes,
            "edges": library.edges,
        }
    )


def _rejects_table(rejects: Iterable[Reject]) -> Any:
    import pyarrow as pa

    listed: Sequence[Reject] = list(rejects)
    return pa.table(
        {
            "file": pa.array([r.file for r in listed], pa.string()),
            "line": pa.array([r.line for r in listed], pa.int64()),
            "reason": pa.array([r.reason for r in listed], pa.string()),
        }
    )
