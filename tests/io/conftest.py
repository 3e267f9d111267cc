"""Files to read."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def put(tmp_path):
    """Write bytes (or text) under a name and return the path."""

    def write(name: str, data: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write
