"""How much memory a process holds, and a piece of work takes at its peak beyond what there was before."""

from __future__ import annotations

import ctypes
import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak(work: Callable[[], Value]) -> tuple[Value, float | None]:
    """Do the work; return its value and the bytes it took at most, None where the system does not tell."""
    try:
        _give_back()
        CLEAR.write_text("5")  # the high-water mark starts again
        before = _bytes("VmRSS")
    except OSError:
        return work(), None
    value = work()
    return value, max(0.0, _bytes("VmHWM") - before)


def held() -> float:
    """Return the bytes of memory that this process holds, once freed memory is given back; OSError if unknown."""
    gc.collect()
    _give_back()
    return _bytes("VmRSS")


def _give_back() -> None:
    """Return freed memory to the system: work that only used it again would seem to need none."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        raise OSError("this C library keeps what was freed")
    trim(0)


def _bytes(what: str) -> float:
    found = re.search(rf"{what}:\s*(\d+) kB", STATUS.read_text())
    if found is None:
        raise OSError(f"{STATUS} says nothing about {what}")
    return 1024.0 * float(found[1])
