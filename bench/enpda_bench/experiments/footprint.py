"""What a molecule of a `Library` holds of memory, before and after one search, in a process that does nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import enpda
from enpda.bulk.library import Library
from enpda.data import drugs
from enpda.errors import InputError
from enpda.view.table import Table
from enpda_bench.memory import held

QUERY = "CC(=O)Oc1ccccc1C(=O)O"


def footprint(items: Library, count: int, seed: int) -> Table:
    """Measure a library of so many of the items, drawn at random."""
    from rdkit import Chem

    chosen = np.random.default_rng(seed).choice(len(items), min(count, len(items)), replace=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.smi"
        path.write_text("".join(f"{Chem.MolToSmiles(items[k].to_mol())}\n" for k in chosen.tolist()), encoding="utf-8")
        command = [sys.executable, "-m", "enpda_bench.experiments.footprint", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"the process whose memory is measured ended: {done.stderr.strip()[-500:]}")
    molecules, before, made, searched = json.loads(done.stdout)
    table = Table(
        f"memory of `Library.of` of {molecules} molecules",
        ["after", "VmRSS before, MB", "VmRSS, MB", "more, MB", "bytes a molecule"],
    )
    for after, value in (("Library.of", made), ("one search, top 10", searched)):
        more = value - before
        table.rows.append([after, before / 1e6, value / 1e6, more / 1e6, round(more / molecules)])
    table.notes.append(
        "VmRSS of a process of its own, freed memory given back; before: with all modules loaded and used once on "
        "drugs. The molecules are read from a file; the query is aspirin, on one thread."
    )
    return table


def main() -> None:
    """Print the number of molecules and VmRSS in bytes: before, with the library, after one search."""
    small = Library.of(drugs().values())
    enpda.search(QUERY, small, k=10, threads=1)
    del small
    before = held()
    items = Library.of(Path(sys.argv[1]))
    made = held()
    enpda.search(QUERY, items, k=10, threads=1)
    print(json.dumps([len(items), before, made, held()]))


if __name__ == "__main__":
    main()
