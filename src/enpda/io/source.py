"""What every format needs: options, records, and lines of untrusted bytes within limits."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from enpda.checks import whole
from enpda.errors import InputError, brief
from enpda.graph import Graph
from enpda.labels import MOST_DECIMALS

MAX_RECORD = 1_000_000
"""Bytes of one record that comes in lines: a SMILES line, a table row, a mol block."""

Record = tuple[int, Callable[[], Graph] | InputError]
"""What a format yields: the line, and how to make the graph (it may raise InputError) or why there is none."""


class Records(Iterator[Record]):
    """The records of a table, and in words which of its columns they come from."""

    def __init__(self, records: Iterator[Record], columns: str) -> None:
        self._records = records
        self.columns = columns

    def __next__(self) -> Record:
        return next(self._records)


@dataclass(frozen=True)
class Options:
    """The options of `read`, checked; `suffix` is that of the format, in lower case and without .gz."""

    suffix: str
    smiles: str | int | None
    name: str | int | None
    node: str | None
    edge: str | None
    decimals: int | None = None

    def __post_init__(self) -> None:
        for what, column in (("smiles", self.smiles), ("name", self.name)):
            if not isinstance(column, (str, int, type(None))) or (
                isinstance(column, int) and not 0 <= column < MAX_RECORD
            ):
                raise InputError(f"{what} must be a column name or a number from 0; got {brief(column)}")
        for what, attribute in (("node", self.node), ("edge", self.edge)):
            if not isinstance(attribute, (str, type(None))):
                raise InputError(f"{what} must be the name of an attribute, or None; got {brief(attribute)}")
        if self.decimals is not None:
            whole("decimals", self.decimals, 0, MOST_DECIMALS)


class _Whole(io.RawIOBase):
    """A file whose beginning was read already."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start, self._rest = start, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        some = self._start[: len(buffer)] or self._rest.read(len(buffer)) or b""
        self._start = self._start[len(some) :] if self._start else b""
        buffer[: len(some)] = some
        return len(some)

    def close(self) -> None:
        if not self.closed:
            self._rest.close()
        super().close()


def begun(file: Any, count: int = 4096) -> tuple[bytes, BinaryIO]:
    """Return the beginning of a file, however slowly it comes, and the whole of it."""
    start = b""
    place = file.tell() if file.seekable() else None
    while len(start) < count and (some := file.read(count - len(start))):
        start += some
    if place is None:
        return start, io.BufferedReader(_Whole(start, file))
    file.seek(place)
    return start, file


class Lines(Iterator[str]):
    """The lines of a file as text; a line that is none raises InputError, and the next one can still be read.

    `number` is that of the last line read, from 1. `begin` starts a record, and the lines until the next
    `begin` share its limit of MAX_RECORD bytes.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.number = 0
        self._file = file
        self._room = MAX_RECORD

    def begin(self) -> int:
        """Start a record; return the number of its first line."""
        self._room = MAX_RECORD
        return self.number + 1

    def __next__(self) -> str:
        data = self._file.readline(self._room + 1)
        if not data:
            raise StopIteration
        self.number += 1
        if len(data) > self._room:
            self._room = 0
            while data and not data.endswith(b"\n"):
                data = self._file.readline(MAX_RECORD)
            raise InputError(f"the record is longer than {MAX_RECORD} bytes")
        self._room -= len(data)
        if self.number == 1:
            data = data.removeprefix(codecs.BOM_UTF8)
        if b"\0" in data:
            raise InputError("the line contains a NUL character")
        return as_text(data)


def as_text(data: bytes) -> str:
    """Decode UTF-8, the one encoding accepted."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: byte 0x{data[error.start]:02x} at position {error.start}") from None


def reason_of(error: BaseException | str) -> str:
    """Say in one line why, whatever a parser put into its message."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:299]}…"


@contextmanager
def parsing(what: str) -> Iterator[None]:
    """Say "not a readable ..." for anything raised inside.

    zipfile, pyarrow and networkx raise a dozen kinds of exceptions for damaged bytes; no list of them is complete.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"not a readable {what}: {reason_of(error)}") from error
