"""What is left of a time limit, for the stages before the compiled core has it."""

from __future__ import annotations

import time


class Late(Exception):  # noqa: N818 - a turn of the way, not an error
    """The time limit leaves too little for what comes next; never leaves the package."""


class Clock:
    """Counts from its making; without a limit it never strikes."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._begin = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since it was made."""
        return time.perf_counter() - self._begin

    @property
    def rest(self) -> float | None:
        """Seconds left, at least 0; None without a limit."""
        return None if self.limit is None else max(float(self.limit) - self.seconds, 0.0)

    @property
    def core(self) -> float:
        """The same as the compiled core takes it: -1 without a limit."""
        rest = self.rest
        return -1.0 if rest is None else rest

    def need(self, seconds: float = 0.0) -> None:
        """Raise `Late` unless so many seconds are left: for work that cannot be stopped once it has begun."""
        rest = self.rest
        if rest is not None and (rest <= 0.0 or rest < seconds):
            raise Late


FOREVER = Clock()
