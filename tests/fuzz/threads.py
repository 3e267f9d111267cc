"""Threads of the core under the thread sanitizer: many pairs, rows, listeners, and cancelling as Ctrl-C does."""

from __future__ import annotations

import os
import re
import subprocess

from .campaign import Tally
from .native import built

RACE = "WARNING: ThreadSanitizer"


def run(seed: int, cases: int | None, seconds: float | None, workers: int) -> Tally:
    """Run the driver for some seconds (default 20); it has threads enough of its own."""
    program = built("threads", "thread")
    command = [str(program), str(max(int(seconds or 20), 1)), str(seed)]
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    tally = Tally()
    runs = re.findall(r"Done (\d+) runs", done.stderr)
    tally.counts["cases"] += int(runs[-1]) if runs else 0
    if done.returncode or RACE in done.stderr:
        tally.findings.append((None, f"{' '.join(command)} ends with {done.returncode}: {done.stderr[:6000]}"))
    return tally
