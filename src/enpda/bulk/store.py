"""Where the files of a job are: a folder here, or any storage that fsspec knows. A file is complete or not there."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from enpda import files
from enpda.errors import InputError
from enpda.files import PART

STALE = 3_600.0
"""Seconds after which nobody is writing a file any more."""


class Store:
    """A folder of files, each written as a whole.

    Parameters
    ----------
    url : str or path-like
        A path, or a URL such as `s3://bucket/job` (needs fsspec and what it needs for that protocol).
    """

    def __init__(self, url: str | os.PathLike[str]) -> None:
        self.url = files.path_of(url)
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
            if self.url.startswith(("file://", "local://")):
                self.remote = None
        else:
            self.root = os.path.abspath(self.url)
        if self.remote is None and os.path.exists(self.root) and not os.path.isdir(self.root):
            raise InputError(f"{self.url} is a file; a folder is needed")

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    def local(self, name: str) -> Path | None:
        """Return the path of a file in a folder here; None for a storage elsewhere."""
        return Path(self._path(name)) if self.remote is None else None

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, None when there is none."""
        try:
            if self.remote is not None:
                return bytes(self.remote.cat_file(self._path(name)))
            return Path(self._path(name)).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file, so that others see all of it or nothing; raises WriteError when there is no room."""
        if self.remote is not None:  # object stores show an object when its upload is complete
            self.remote.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            self.remote.pipe_file(self._path(name), data)
            return
        path = Path(self._path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        files.save(path, data)

    def claim(self, name: str, data: bytes) -> bytes:
        """Write a file unless it is there; returns what stands there then, the same for all that claim it at once.

        In a storage elsewhere that holds only for claims that are not made at the same moment.
        """
        known = self.read(name)
        if known is not None:
            return known
        if self.remote is not None:
            self.write(name, data)
            return self.read(name) or data
        path = Path(self._path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.beside(path) as temporary:
            temporary.write_bytes(data)
            files.synced(temporary)
            try:
                os.link(temporary, path)  # fails when the file is there, which a rename does not
            except FileExistsError:
                return path.read_bytes()
            except OSError:  # no links on this file system
                os.replace(temporary, path)
        return data

    def names(self, folder: str) -> list[str]:
        """Return the names of the complete files of a folder, in order."""
        try:
            if self.remote is not None:
                self.remote.invalidate_cache(self._path(folder))  # others write, too
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

    def sweep(self, folder: str = "") -> None:
        """Remove what writers that were killed left behind long ago."""
        if self.remote is not None or not os.path.isdir(self._path(folder)):
            return
        for path in Path(self._path(folder)).glob(f".*{PART}"):
            try:
                if path.stat().st_mtime < time.time() - STALE:
                    path.unlink()
            except FileNotFoundError:  # somebody else swept
                pass

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root
