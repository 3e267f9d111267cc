"""Counted instructions of fixed calls: what a change costs, on a machine however busy.

Valgrind runs a build on a processor of its own and counts. The core and Python take the same instructions, but for a
few in ten thousand, whenever the same build answers the same question. The C library does not: what a call to reserve
memory takes depends on all memory that was freed since the process began, and that differs. It is left out. Counts of
two builds are compared as counted on one machine: others may run other clones of a loop.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from enpda.data import drugs
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.view.table import Table

WORKER = Path(__file__).with_name("worker.py")
NEEDED = "counted instructions need Valgrind, which Debian and others call valgrind: apt install valgrind"
PAIRS = (
    ("theophylline", "fluoxetine"),
    ("aspirin", "pantoprazole"),
    ("citalopram", "diazepam"),
    ("ibuprofen", "naproxen"),
    ("losartan", "valsartan"),
    ("warfarin", "clopidogrel"),
    ("sildenafil", "vardenafil"),
    ("atorvastatin", "rosuvastatin"),
    ("risperidone", "olanzapine"),
    ("imatinib", "nilotinib"),
)
"""Drugs that ship, from pairs that a bound decides to those that need branching."""
LIBRARY = re.compile(r"(libc|libpthread|ld|ld-linux[^.]*)[.-]")
"""What is left out: the C library and what loads it."""
MARKERS = 3
"""Of each pair: before the first call, between the two, and after the second."""


@dataclass(frozen=True)
class Count:
    """Instructions of one call of `match`: all but the C library's, and those of the compiled core alone."""

    call: int
    core: int


@dataclass(frozen=True)
class Counts:
    """A pair's first call, on graphs that nothing is known of yet, and a second one on the same graphs."""

    new: Count
    again: Count


def count(python: Path, pairs: int | None = None) -> dict[tuple[str, str], Counts]:
    """Count what the build of a Python interpreter takes for the first of the pairs, or all."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise InputError(NEEDED)
    if not python.is_file():
        raise InputError(f"{python} does not exist; give the Python interpreter that has the build")
    chosen = PAIRS[:pairs]
    graphs = drugs()
    work = json.dumps([[[_plain(graphs[name]) for name in pair] for pair in PAIRS], len(chosen)])
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counted"
        command = [valgrind, "--tool=callgrind", "--dump-before=getppid", f"--callgrind-out-file={out}"]
        done = subprocess.run(
            [*command, str(python), str(WORKER)],
            input=work + "\n",
            env={**os.environ, **ALONE},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"counting with {python} failed:\n{done.stderr[-2000:]}")
        # Valgrind numbers what it writes at each marker: those of the calls that do not count, one, those that do.
        first = MARKERS * len(PAIRS) + 1
        counted = []
        for k in range(len(chosen)):
            new, again = (counted_in(out.with_name(f"{out.name}.{first + MARKERS * k + call}")) for call in (1, 2))
            counted.append(Counts(new, again))
    return dict(zip(chosen, counted, strict=True))


def counted_in(path: Path) -> Count:
    """Add up what Valgrind wrote between two markers."""
    own: Counter[str] = Counter()
    for place, instructions in _lines(path):
        own[place] += instructions
    core = sum(n for place, n in own.items() if Path(place).parent.name == "enpda" and "_core" in Path(place).name)
    return Count(sum(n for place, n in own.items() if not LIBRARY.match(Path(place).name)), core)


def table(found: dict[tuple[str, str], Counts], before: dict[tuple[str, str], Counts] | None = None) -> Table:
    """Show millions of instructions, and ratios to those of another build."""
    columns = ["pair", "n x m", "new: call", "new: core", "again: call", "again: core"]
    result = Table(
        "millions of instructions of one call of `match`",
        [*columns, *(["new: % more", "again: % more"] if before else [])],
    )
    graphs = drugs()
    for pair, counts in found.items():
        a, b = (graphs[name] for name in pair)
        numbers = [counts.new.call, counts.new.core, counts.again.call, counts.again.core]
        row = [" / ".join(pair), f"{len(a)} x {len(b)}", *(n / 1e6 for n in numbers)]
        if before:
            old = before[pair]
            pairs_of_calls = ((counts.new, old.new), (counts.again, old.again))
            row += [100.0 * (now.call / then.call - 1) for now, then in pairs_of_calls]
        result.rows.append(row)
    result.notes += [
        "Counted by Valgrind, one thread. New: the first call on graphs that nothing is known of yet; again: a "
        "second one on the same. Reading molecules and making graphs does not count.",
        "Without the C library, whose memory functions never take the same twice. Core: without Python and numpy "
        "either. Counts compare on one machine and one Python.",
    ]
    if before:
        result.notes.append(
            f"More: than the other build's. All calls together: {ratio(found, before):.4f} times as many."
        )
    return result


def ratio(found: dict[tuple[str, str], Counts], before: dict[tuple[str, str], Counts]) -> float:
    """Return the geometric mean, over all calls, of how many times as many instructions they take as before."""
    every = [
        new.call / old.call
        for pair, counts in found.items()
        for new, old in ((counts.new, before[pair].new), (counts.again, before[pair].again))
    ]
    return geometric_mean(every)


def here() -> Path:
    """Return the interpreter that has this build."""
    return Path(sys.executable)


def _lines(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the file that code lies in and its own instructions, line by line."""
    names: dict[str, str] = {}
    place, called = "", False
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if named := re.match(r"(c?)ob=\((\d+)\)(?: (.+))?$", line):
            if named[3]:
                names[named[2]] = named[3]
            if not named[1]:
                place = names[named[2]]
        elif line.startswith("calls="):
            called = True  # the next line says what the call took, which its own lines say as well
        elif line[:1] in "+-*0123456789" and line:
            if not called:
                yield place, int(line.split()[1])
            called = False


def _plain(graph: Graph) -> list[list[int] | list[list[int]]]:
    return [graph.labels.tolist(), graph.edges.tolist(), graph.edge_labels.tolist()]


ALONE = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""One thread, and dictionaries in the same order every time."""
