"""Where records live: a line of JSON each while a study runs, one Parquet file when it ends."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from enpda.errors import InputError
from enpda.files import replacing
from enpda.io.parquet import table_of
from enpda_bench.study import Outcome, Record, Records, Trial


class Journal:
    """The records of one study in a folder. What was written survives a kill; a torn last line is dropped."""

    def __init__(self, folder: Path, study: str) -> None:
        self._lines, self._table = folder / f"{study}.jsonl", folder / f"{study}.parquet"
        folder.mkdir(parents=True, exist_ok=True)
        self._file = self._lines.open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise InputError(f"another run is writing {self._lines}") from None
        self.records = Records(_read_table(self._table) if self._table.exists() else [])
        self.done = {r.trial for r in self.records}
        whole = _whole_lines(self._lines)
        for record in map(_from_line, whole):
            if record.trial not in self.done:  # it is when a kill came between the table and the end of its lines
                self.records.append(record)
                self.done.add(record.trial)
        self._file.truncate(sum(map(len, whole)))

    def add(self, trial: Trial, outcome: Outcome) -> None:
        """Write one record."""
        record = Record(trial, outcome)
        self._file.write(json.dumps(_to_row(record)).encode() + b"\n")
        self._file.flush()
        self.records.append(record)
        self.done.add(trial)

    def seal(self, trials: Sequence[Trial] = ()) -> None:
        """Put everything into the Parquet file, in the order of these trials, whenever each was measured."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        place = {trial: k for k, trial in enumerate(trials)}
        self.records.sort(key=lambda r: place.get(r.trial, len(place)))
        rows = [{**row, "values": list(row["values"].items())} for row in map(_to_row, self.records)]
        with replacing(self._table) as part:
            pq.write_table(pa.Table.from_pylist(rows, schema=_schema()), part, compression="zstd")
        self._lines.unlink()
        self.close()

    def close(self) -> None:
        """Let others write; what was not sealed stays as lines."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read(folder: Path, study: str) -> Records:
    """Return the records of a study, finished or not."""
    table, lines = folder / f"{study}.parquet", folder / f"{study}.jsonl"
    records = Records(_read_table(table) if table.exists() else [])
    known = {r.trial for r in records}
    more = map(_from_line, _whole_lines(lines) if lines.exists() else [])
    return Records([*records, *(r for r in more if r.trial not in known)])


def begun(folder: Path, study: str) -> bool:
    """Say whether a study has records, or came to its end without any."""
    lines = folder / f"{study}.jsonl"
    return (folder / f"{study}.parquet").exists() or (lines.exists() and bool(_whole_lines(lines)))


def sealed(folder: Path, study: str) -> bool:
    """Say whether the last session of a study came to a clean end: all was measured, or the time was used up."""
    return (folder / f"{study}.parquet").exists() and not (folder / f"{study}.jsonl").exists()


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema(
        {
            "arm": pa.string(),
            "set": pa.string(),
            "pair": pa.int32(),
            "seed": pa.int32(),
            "image": pa.list_(pa.int32()),
            "size": pa.int32(),
            "nodes": pa.int32(),
            "upper": pa.int32(),
            "proven": pa.bool_(),
            "seconds": pa.float64(),
            "status": pa.string(),
            "values": pa.map_(pa.string(), pa.float64()),
        }
    )


def _read_table(path: Path) -> list[Record]:
    return [_from_row({**row, "values": dict(row["values"])}) for row in table_of(path).to_pylist()]


def _whole_lines(path: Path) -> list[bytes]:
    """Return the lines of a file up to one that is torn, which can only be the last."""
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def _from_line(line: bytes) -> Record:
    return _from_row(json.loads(line))


def _to_row(record: Record) -> dict[str, Any]:
    row = {**vars(record.trial), **vars(record.outcome)}
    row["image"] = None if record.outcome.image is None else record.outcome.image.tolist()
    row["values"] = {k: float(v) for k, v in record.outcome.values.items()}
    return row


def _from_row(row: dict[str, Any]) -> Record:
    trial = Trial(*(row.pop(key) for key in ("arm", "set", "pair", "seed")))
    image = row.pop("image")
    return Record(trial, Outcome(image=None if image is None else np.array(image, dtype=np.int32), **row))
