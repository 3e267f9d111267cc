"""What of a run may be passed on."""

from __future__ import annotations

import shutil
from pathlib import Path

from enpda.errors import InputError
from enpda_bench import note
from enpda_bench.pages import write
from enpda_bench.pages.page import keep_figures, load
from enpda_bench.studies import STUDIES, study


def publish(folder: Path, out: Path) -> None:
    """Copy records, notes, cells and pages of a finished run, and the figures that show no graph of the data."""
    note.read(folder)  # or it is no run
    open_journals = [path.stem for path in folder.glob("*.jsonl")]
    if open_journals:
        raise InputError(f"{folder}: {', '.join(sorted(open_journals))} did not come to an end; run them first")
    if out.exists():
        note.read(out)
        shutil.rmtree(out)
    out.mkdir(parents=True)
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet" or path.name in ("run.json", "cells.csv", "audit.json"):
            shutil.copyfile(path, out / path.name)
    figures: dict[str, dict[str, str]] = {}
    for figure in load(folder).figures:
        if figure.study in STUDIES and not study(figure.study).draws_data:
            figures.setdefault(figure.study, {})[figure.title] = figure.svg
    keep_figures(out, figures)
    write(out)
