"""What of a run may be passed on."""

from __future__ import annotations

import shutil
from pathlib import Path

from enpda.errors import InputError
from enpda_bench import note
from enpda_bench.pages import write
from enpda_bench.pages.page import keep_figures, load
from enpda_bench.studies import STUDIES, study


def publish(folder: Path, out: Path, other_commit: bool = False) -> None:
    """Copy records, notes, cells and pages of a run, and the figures that show no graph of the data.

    Into a repository only what its own commit measured, unless `other_commit` says that this is known.
    """
    made = note.read(folder)  # or it is no run
    open_journals = [path.stem for path in folder.glob("*.jsonl")]
    if open_journals:
        raise InputError(f"{folder}: {', '.join(sorted(open_journals))} did not come to an end; run them first")
    if not other_commit:
        _same_commit(made, out)
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


def _same_commit(made: note.Note, out: Path) -> None:
    """Raise InputError unless every study ran at the commit of the repository that it is published into."""
    place = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.is_dir())
    here = note.commit(place)
    if not here:
        return  # no repository, whose readers would take its commit for that of the run
    advice = "give --other-commit to publish nevertheless: the page names the commit of every table"
    if here.partition(" ")[2]:
        raise InputError(f"{place} is at commit {note.short(here)}, and a page belongs to a commit; {advice}")
    others = {name: found for name in made["studies"] if (found := note.commits(made, name)) != [here]}
    if others:
        name, commits = next(iter(others.items()))
        ran = " and ".join(map(note.short, commits)) or "no commit"
        raise InputError(
            f"{place} is at commit {note.short(here)}, but {len(others)} of {len(made['studies'])} studies are not: "
            f"{name} ran at {ran}; {advice}"
        )
