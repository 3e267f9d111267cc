"""Two builds of enpda by turns on the same work: what a change costs, as ratios of whole calls.

Times on a machine that does other things as well say little; the ratio of two builds that take turns says more. Each
build works in a process of its own, which knows nothing but `enpda`'s public names and the standard library.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from tqdm import tqdm

from enpda.checks import choice
from enpda.data import drug_pairs, drugs
from enpda.errors import InputError
from enpda.graph import Graph
from enpda.learn.datasets import test_pairs
from enpda.view.table import Table
from enpda_bench.experiments.bulk import library as massspecgym
from enpda_bench.turns.worker import TASKS

WORKER = Path(__file__).with_name("worker.py")


@dataclass
class Builds:
    """Seconds of both builds, turn by turn, and what they answered."""

    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """How many times as long the new build takes, by the median of neighbouring turns."""
        return median(new / old for new, old in zip(self.after, self.before, strict=True))

    @property
    def agree(self) -> bool:
        """Whether both builds gave the same answers; None is one that either may miss, by the clock."""
        return all(_same(old, new) for old, new in self.answers)


def material(data: Path | None, count: int | None) -> dict[str, Any]:
    """Return what both builds work on, as plain values."""
    from rdkit import Chem

    if data is None:
        pairs, library = drug_pairs(), list(drugs().values())
    else:
        pairs = [(p.a, p.b) for some in test_pairs(data).values() for p in some[:count]]
        rng = np.random.default_rng(20261118)
        whole = massspecgym(data)
        library = [whole[int(k)] for k in rng.permutation(len(whole))[: 10 * count if count else 1_000]]
    some = list(drugs().values())[: count or 40]
    return {
        "pairs": [[_plain(g) for g in pair] for pair in pairs],
        "library": [_plain(g) for g in library],
        "drugs": [Chem.MolToSmiles(g.to_mol()) for g in some],
    }


def compare(
    before: Path,
    data: Path | None = None,
    turns: int = 3,
    count: int | None = None,
    tasks: Sequence[str] | None = None,
) -> dict[str, Builds]:
    """Run tasks by turns with the build that a Python interpreter has, and with this one."""
    tasks = tasks or tuple(TASKS)
    for task in tasks:
        choice("task", task, tuple(TASKS))
    if not before.is_file():
        raise InputError(f"{before} does not exist; give the Python interpreter that has the other build")
    result = {task: Builds() for task in tasks}
    work = material(data, count)
    with _worker(before, work) as old, _worker(Path(sys.executable), work) as new:
        progress = tqdm(total=turns * len(tasks), desc="by turns", disable=not sys.stderr.isatty())
        for turn in range(turns):
            for task, found in result.items():
                answers = {}
                for name, worker in (("before", old), ("after", new))[:: 1 if turn % 2 == 0 else -1]:
                    seconds, answers[name] = _ask(worker, task)
                    getattr(found, name).append(seconds)
                found.answers.append((answers["before"], answers["after"]))
                progress.update()
        progress.close()
    return result


def table(found: dict[str, Builds]) -> Table:
    """Show seconds of both builds and their ratio."""
    result = Table("Two builds by turns", ["task", "before (s)", "after (s)", "ratio", "answers"])
    for task, builds in found.items():
        answers = "same" if builds.agree else "differ"
        result.rows.append([task, median(builds.before), median(builds.after), builds.ratio, answers])
    overall = geometric_mean(builds.ratio for builds in found.values())
    result.notes += [f"{name}: {TASKS[name].__doc__}" for name in found]
    result.notes.append(f"Medians; a ratio is the median of those of neighbouring turns. All together: {overall:.2f}.")
    return result


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return bool(old is None or new is None or old == new)


def _plain(graph: Graph) -> list[Any]:
    return [graph.labels.tolist(), graph.edges.tolist(), graph.edge_labels.tolist()]


@contextmanager
def _worker(python: Path, work: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [str(python), str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            _send(process, work)
            yield process
        finally:
            process.kill()


def _send(process: subprocess.Popen[str], message: Any) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def _ask(process: subprocess.Popen[str], task: str) -> tuple[float, Any]:
    assert process.stdout is not None
    _send(process, task)
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"the build of {process.args!r} ended at the task {task!r}")
    seconds, answer = json.loads(line)
    return seconds, answer
