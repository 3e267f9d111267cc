"""Where the files of a job are: a folder here, or any storage that fsspec knows. A file is complete or not there."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

from enpda.errors import InputError

PART = ".part"
"""Suffix of a file that is being written."""


class Store:
    """A folder of files, each written as a whole.

    Parameters
    ----------
    url : str or path-like
        A path, or a URL such as `s3://bucket/job` (needs fsspec and what it needs for that protocol).
    """

    def __init__(self, url: str | os.PathLike[str]) -> None:
        self.url = os.fspath(url)
        self.remote: Any = None
        if "://" in self.url:
            try:
                import fsspec
            except ModuleNotFoundError:
                raise InputError(f"{self.url}: URLs need fsspec: pip install 'enpda[bulk]'") from None
            try:
                self.remote, self.root = fsspec.core.url_to_fs(self.url)
            except (ImportError, ValueError) as error:
                raise InputError(f"{self.url}: {error}") from None
        else:
            self.root = os.path.abspath(self.url)

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, None when there is none."""
        try:
            if self.remote is not None:
                return bytes(self.remote.cat_file(self._path(name)))
            return Path(self._path(name)).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file, so that others see all of it or nothing; raises OSError when there is no room."""
        if self.remote is not None:  # object stores show an object when its upload is complete
            self.remote.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            self.remote.pipe_file(self._path(name), data)
            return
        path = Path(self._path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}{PART}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)

    def names(self, folder: str) -> list[str]:
        """Return the names of the complete files of a folder, in order."""
        try:
            if self.remote is not None:
                found = [str(path).rsplit("/", 1)[-1] for path in self.remote.ls(self._path(folder), detail=False)]
            else:
                found = os.listdir(self._path(folder))
        except FileNotFoundError:
            return []
        return sorted(name for name in found if not name.endswith(PART))

    def remove(self, name: str) -> None:
        """Remove a file if it is there."""
        try:
            if self.remote is not None:
                self.remote.rm_file(self._path(name))
            else:
                os.unlink(self._path(name))
        except FileNotFoundError:
            pass

    def sweep(self, folder: str) -> None:
        """Remove what writers that were killed left behind; only while nobody else writes."""
        if self.remote is None and os.path.isdir(self._path(folder)):
            for name in os.listdir(self._path(folder)):
                if name.endswith(PART):
                    os.unlink(os.path.join(self._path(folder), name))

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root
