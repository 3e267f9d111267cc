"""Without PyTorch a run makes all the rest, and rows that need it say so."""

import os
import subprocess
import sys

import pytest

from enpda_bench import journal
from enpda_bench.needs import TORCH, needed
from enpda_bench.pages import load

BLOCK = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""
RUN = "from enpda.cli import main; raise SystemExit(main())"
ROWS = {
    "train-once-sinkhorn": ("Sinkhorn", "Gumbel-Sinkhorn (10)", "Full - Sinkhorn", "Gumbel time (s)"),
    "native-accuracy": ("NGA",),
    "native-controls": ("NGA, three fits accuracy", "Solver - NGA (pp)"),
    "nga-fits": ("drugs",),
    "break-even": ("NGA seconds a query, three fits", "Queries to break even"),
    "retrieval-main": ("drugs, SimGNN", "drugs, GMN", "drugs, NeuroMatch"),
    "retrieval-methods": ("drugs, GMN",),
    "retrieval-training": ("drugs, NeuroMatch",),
}
"""Rows that need PyTorch."""
OTHERS = {
    "train-once-sinkhorn": ("ENPDA-Core", "Core time (s)"),
    "break-even": ("Core seconds a query",),
    "retrieval-main": ("drugs, WL", "drugs, ENPDA-Fast"),
    "core-causality": ("ENPDA-Core",),
}
"""Rows beside them that do not."""


def test_a_missing_package_is_named():
    assert needed(ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")) == TORCH
    assert "No module named 'smsd'" in needed(ModuleNotFoundError("No module named 'smsd'", name="smsd"))


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_without_pytorch_makes_all_the_rest(workers, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    given = {name: value for name, value in os.environ.items() if name != "ENPDA_DATA"}
    run = tmp_path / "run"
    command = [sys.executable, "-c", RUN, "bench", "paper", "--profile", "smoke", "-o", str(run), "--workers", workers]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env={**given, "PYTHONPATH": os.pathsep.join(paths)}
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    page = load(run)
    assert page.unfinished == {}
    shown = {(line.table, line.row): line for line in page.lines if line.column in ("drugs", "Mean", "One fit %")}
    shown |= {(x.table, x.row): x for x in page.lines if x.table.startswith("retrieval")}
    for table, rows in ROWS.items():
        for row in rows:
            assert shown[table, row].value is None, (table, row)
            assert TORCH in shown[table, row].note, (table, row)
    for table, rows in OTHERS.items():
        for row in rows:
            assert shown[table, row].value is not None, (table, row)
    assert TORCH in (run / "report.md").read_text(encoding="utf-8")
    assert "needs PyTorch" in (run / "report.html").read_text(encoding="utf-8")
    assert {r.outcome.status for r in journal.read(run, "nga")} == {TORCH}
