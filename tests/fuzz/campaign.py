"""What all campaigns share: cases by seed and number, workers in processes of their own, counts and findings."""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import multiprocessing.connection
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SEND_SECONDS = 2.0
HANG_SECONDS = 300.0
"""A case that takes longer is a finding, on however busy a machine."""
MOST_FINDINGS = 50


class Found(Exception):  # noqa: N818 - not an error of the campaign
    """Something that must not be: the message says what."""


@dataclass
class Tally:
    """What a run saw.

    Attributes
    ----------
    counts : Counter
        How often, by words.
    worst : dict
        The largest of some numbers, by words.
    findings : list of (int or None, str)
        Case number, and what was wrong; without a number that says how to see it again.
    """

    counts: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    findings: list[tuple[int | None, str]] = field(default_factory=list)

    def most(self, what: str, value: float) -> None:
        """Keep the largest of a number."""
        self.worst[what] = max(value, self.worst.get(what, value))

    def add(self, other: Tally) -> None:
        """Take over what another one saw."""
        self.counts += other.counts
        for what, value in other.worst.items():
            self.most(what, value)
        self.findings += other.findings


Case = Callable[[random.Random, Tally], None]
"""One case: everything in it is drawn from the generator; raises `Found`, or anything else that should not escape."""


def numbered(seed: int, number: int) -> random.Random:
    """Return the generator of one case: the same on every machine, whatever ran before."""
    return random.Random(f"{seed}:{number}")


def one(case: Case, seed: int, number: int, tally: Tally) -> None:
    """Run one case; what it raises is a finding."""
    tally.counts["cases"] += 1
    try:
        case(numbered(seed, number), tally)
    except Found as found:
        tally.findings.append((number, str(found)))
    except Exception:
        tally.findings.append((number, traceback.format_exc()))


def here(case: Case, seed: int, numbers: Iterator[int] | range, until: float | None = None) -> Tally:
    """Run cases in this process, until a time of `time.monotonic` if given."""
    tally = Tally()
    for number in numbers:
        if until is not None and time.monotonic() > until:
            break
        one(case, seed, number, tally)
    return tally


def _work(
    make: Callable[[], Case], seed: int, numbers: tuple[int, int, int], pipe: Any, current: Any, stop: Any
) -> None:
    """Run every `step`-th case from `first` below `end`, and report now and then."""
    faulthandler.enable()
    case, tally, sent = make(), Tally(), time.monotonic()
    for number in range(*numbers):
        if stop.value:
            break
        current.value = number
        one(case, seed, number, tally)
        if time.monotonic() - sent > SEND_SECONDS or tally.findings:
            pipe.send(tally)
            tally, sent = Tally(), time.monotonic()
    pipe.send(tally)


@dataclass
class _Worker:
    process: Any
    pipe: Any
    current: Any
    numbers: tuple[int, int, int]
    at: int
    since: float


def run(
    make: Callable[[], Case],
    seed: int,
    first: int,
    cases: int | None,
    seconds: float | None,
    workers: int,
    progress: Callable[[Tally, float], None] | None = None,
) -> Tally:
    """Run cases in processes of their own, so that a crash or a hang is a finding like any other."""
    context = multiprocessing.get_context("spawn")
    total, begin = Tally(), time.monotonic()
    stop = context.Value("b", 0, lock=False)
    end = 2**62 if cases is None else first + cases

    def start(numbers: tuple[int, int, int]) -> _Worker:
        ours, theirs = context.Pipe(duplex=False)
        current = context.Value("q", numbers[0], lock=False)
        process = context.Process(target=_work, args=(make, seed, numbers, theirs, current, stop), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, current, numbers, -1, time.monotonic())

    running = [start((first + k, end, workers)) for k in range(workers)]
    shown = begin
    while running:
        now = time.monotonic()
        stop.value = (seconds is not None and now - begin > seconds) or len(total.findings) >= MOST_FINDINGS
        for worker in list(running):
            died = _drained(worker, total)
            if not died and worker.at != worker.current.value:
                worker.at, worker.since = worker.current.value, now
            hangs = now - worker.since > HANG_SECONDS
            if died or hangs:
                if hangs:
                    worker.process.kill()
                    worker.process.join()
                running.remove(worker)
                code, number = worker.process.exitcode, worker.current.value
                if code == 0:
                    continue
                total.findings.append((number, f"hangs for {HANG_SECONDS} s" if hangs else f"died with code {code}"))
                running.append(start((number + workers, end, workers)))
        if progress is not None and now - shown > 30:
            shown = now
            progress(total, now - begin)
        multiprocessing.connection.wait([worker.pipe for worker in running], timeout=0.2)
    return total


def _drained(worker: _Worker, total: Tally) -> bool:
    """Take what a worker sent; tell whether it ended."""
    try:
        while worker.pipe.poll():
            total.add(worker.pipe.recv())
    except EOFError:
        worker.process.join()
        return True
    return False


def summary(name: str, seed: int, tally: Tally, seconds: float) -> dict[str, Any]:
    """Return a run as plain values."""
    return {
        "campaign": name,
        "commit": commit(),
        "seed": seed,
        "seconds": round(seconds, 1),
        "counts": dict(sorted(tally.counts.items())),
        "worst": {what: round(value, 4) for what, value in sorted(tally.worst.items())},
        "findings": [{"case": number, "what": what} for number, what in tally.findings],
    }


def commit() -> str:
    """Return the commit that runs, with a + when files differ from it."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        dirty = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + ("+" if dirty.stdout.strip() else "")


def show(found: dict[str, Any]) -> None:
    """Print a summary, and how to see each finding again."""
    print(f"{found['campaign']}: commit {found['commit']}, seed {found['seed']}, {found['seconds']} s")
    for what, count in found["counts"].items():
        print(f"  {count:>12,} {what}")
    for what, value in found["worst"].items():
        print(f"  {value:>12} {what}")
    for finding in found["findings"]:
        if finding["case"] is None:
            print(f"FINDING: {finding['what']}")
            continue
        print(f"FINDING in case {finding['case']}: {finding['what']}")
        print(f"  again: python -m tests.fuzz {found['campaign']} --seed {found['seed']} --case {finding['case']}")
    print(f"  {len(found['findings'])} findings")
    sys.stdout.flush()


def save(found: list[dict[str, Any]], path: str) -> None:
    """Write summaries as JSON."""
    Path(path).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
