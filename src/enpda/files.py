"""Files out: whatever happens, a file is complete or as it was before."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from enpda.errors import InputError, WriteError, brief

PART = ".part"
"""Suffix of a file that is being written."""


def save(path: str | os.PathLike[str], data: str | bytes, what: str = "the file") -> None:
    """Write text, as UTF-8, or bytes into a file.

    Raises
    ------
    WriteError
        When that is not possible, for lack of room, say; an old file is then as it was.
    InputError
        When the path is none.
    """
    with replacing(path, what) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)


@contextmanager
def replacing(path: str | os.PathLike[str], what: str = "the file") -> Iterator[Path]:
    """Give the path of a new file that takes the place of `path` in the end, unless an error comes first.

    A device or a pipe cannot be replaced: it is written itself.
    """
    place = _place(path)
    if place.exists() and not place.is_file() and not place.is_dir():
        with _blamed(path, what):
            yield place
        return
    with beside(path, what) as temporary:
        yield temporary
        if place.exists():
            shutil.copymode(place, temporary)
        synced(temporary)
        os.replace(temporary, place)


@contextmanager
def beside(path: str | os.PathLike[str], what: str = "the file") -> Iterator[Path]:
    """Give a hidden path beside another one; what is left there in the end is removed."""
    temporary = _place(path).with_name(f".{uuid.uuid4().hex}{PART}")
    try:
        with _blamed(path, what):
            yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def synced(path: Path) -> None:
    """Wait until a file is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def path_of(path: str | os.PathLike[str]) -> str:
    """Return a path as a string; raises InputError when no file can have it, there or not."""
    where = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    try:
        if isinstance(where, str) and "\0" not in where and os.fsencode(where):
            return where
    except UnicodeEncodeError:
        pass
    raise InputError(f"path must be a string or a path that a file can have; got {brief(path)}")


def _place(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads, through links."""
    try:
        place = Path(path_of(path)).resolve()
    except (OSError, RuntimeError):  # links in a circle
        raise InputError(f"path must lead somewhere; got {brief(path)}") from None
    if not place.name:
        raise InputError(f"path must be that of a file; got {brief(path)}")
    return place


@contextmanager
def _blamed(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Name the file in errors of the system, which often do not."""
    try:
        yield
    except OSError as error:
        failure = WriteError(error.errno, error.strerror or str(error), os.fspath(path))
        failure.what = what
        raise failure from None
