"""HiGHS under a clock that is kept, although HiGHS does not always keep it."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import Any

from enpda.clock import Clock

SECONDS_PER_ENTRY = 6e-7
"""What HiGHS takes for every entry of a programme before it first looks at its clock, and to hand out its results."""
SLICE = 0.1
"""Seconds between two looks for Ctrl-C."""

_ROOM = threading.BoundedSemaphore(os.cpu_count() or 1)
"""Runs at a time, those that were left behind included: each holds a programme in memory."""


@dataclass
class Run:
    """One run of a model.

    Attributes
    ----------
    ended : bool
        Whether HiGHS has ended, so that its model may be asked for results.
    dual_bound : float
        The last bound of an integer run that HiGHS told; NaN before any.
    """

    ended: bool = False
    dual_bound: float = float("nan")
    _stop: threading.Event = field(default_factory=threading.Event)

    def _heard(self, event: Any) -> None:
        """Answer HiGHS when it asks whether to go on."""
        self.dual_bound = event.data_out.mip_dual_bound
        if self._stop.is_set():
            event.interrupt()

    def _work(self, highs: Any) -> None:
        try:
            highs.run()
        finally:
            _ROOM.release()


def run(highs: Any, entries: int, clock: Clock) -> Run:
    """Run a model within what is left of the time, and leave it behind when it does not end by then.

    HiGHS looks at its own time limit now and then only: up to a second apart in an integer programme. It works in a
    thread of its own, therefore; one that is told to stop and ends when it hears of it, at the latest before the
    interpreter does. Ctrl-C stops it as well.
    """
    result = Run()
    rest = clock.rest
    kept = SECONDS_PER_ENTRY * entries / 6  # to free what was passed
    if rest is not None:
        rest -= SECONDS_PER_ENTRY * entries
        if rest <= 0:
            return result
        highs.setOptionValue("time_limit", rest)
    for callback in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt, highs.cbMipInterrupt):
        callback.subscribe(result._heard)
    if not _ROOM.acquire(timeout=-1 if rest is None else rest):
        return result
    worker = threading.Thread(target=result._work, args=(highs,), name="enpda-highs", daemon=False)
    worker.start()
    try:
        while worker.is_alive():
            rest = clock.rest
            if rest is not None and rest <= kept:
                break
            worker.join(SLICE if rest is None else min(SLICE, rest - kept))
    except KeyboardInterrupt:
        result._stop.set()
        worker.join(SLICE)
    result._stop.set()
    result.ended = not worker.is_alive()
    return result
