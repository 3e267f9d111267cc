"""The note of a run, `run.json`: what was run, on which data, where, when, for how long."""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import enpda
from enpda.documents import load
from enpda.errors import InputError
from enpda.files import save
from enpda.view.table import processor
from enpda_bench import archive
from enpda_bench.manifest import digests
from enpda_bench.needs import without_torch
from enpda_bench.portion import Portion
from enpda_bench.scope import Scope

PACKAGES = ("numpy", "rdkit", "smsd", "highspy", "torch", "triton", "pyarrow", "scipy", "networkx", "myopic-mces")
"""Packages whose version may change a number."""

Note = dict[str, Any]


def claim(scope: Scope, folder: Path) -> None:
    """Write what this run is, or check that the folder holds a run of the same kind."""
    folder.mkdir(parents=True, exist_ok=True)
    mine = {"profile": scope.profile, "enpda": enpda.__version__}
    data = digests(scope.data) if scope.data else {}
    with _editing(folder) as note:
        if not note:
            note.update(mine, data=data, environments=[], studies={})
        for key in mine:
            if note[key] != mine[key]:
                raise InputError(
                    f"{folder} holds a run with {key} {note[key]!r}, not {mine[key]!r}; give another folder with -o"
                )
        same_data(note, data, folder)


def same_data(note: Note, data: dict[str, str], folder: Path) -> None:
    """Raise InputError unless these digests are those of the run."""
    if note["data"] and not data:
        raise InputError(f"{folder} holds a run on a data folder; give that folder with --data, or set ENPDA_DATA")
    if data and not note["data"]:
        raise InputError(f"{folder} holds a run without a data folder; give another folder with -o")
    for name in sorted(note["data"].keys() | data.keys()):
        theirs, ours = note["data"].get(name, "absent")[:12], data.get(name, "absent")[:12]
        if theirs != ours:
            raise InputError(
                f"{folder} holds a run on other data: {name} is {ours} here and was {theirs} there (SHA-256)"
            )


def own_scope(folder: Path, data: Path | None) -> Scope:
    """Return the scope of a run; the data must be what the run had, and is left aside if it had none."""
    note = read(folder)
    data = data if note["data"] else None
    same_data(note, digests(data) if data else {}, folder)
    return Scope(note["profile"], data)


def begin(folder: Path, study: str, command: str, workers: int) -> None:
    """Note that a study starts or goes on; a session that was killed ended with its last record."""
    here = environment()
    with _editing(folder) as note:
        if here not in note["environments"]:
            note["environments"].append(here)
        entry = note["studies"].setdefault(study, {"command": command, "sessions": []})
        for session in entry["sessions"]:
            if session["end"] is None:
                _close(session, _last_record(folder, study))
        entry["sessions"].append(
            {
                "start": _now().isoformat(timespec="milliseconds"),
                "end": None,
                "seconds": 0.0,
                "workers": workers,
                "environment": note["environments"].index(here),
                "failure": "",
            }
        )


def end(folder: Path, study: str, failure: str = "", keep: bool = True) -> None:
    """Note that the session of a study is over, and why, if it failed; one that had nothing to do is not kept."""
    with _editing(folder) as note:
        sessions = note["studies"].get(study, {}).get("sessions", [])
        if sessions and sessions[-1]["end"] is None:
            _close(sessions[-1], _now())
            sessions[-1]["failure"] = failure
            if not keep:
                sessions.pop()


def measure(folder: Path, study: str, found: Portion) -> None:
    """Note how much of a study there is; of a finished one this is said at full size only."""
    with _editing(folder) as note:
        entry = note["studies"][study]
        entry.pop("measured", None)
        if not found.whole or note["profile"] == "full":
            entry["measured"] = asdict(found)


def measured(note: Note, study: str) -> Portion | None:
    """Return how much of a study there is, where that was noted."""
    found = note["studies"].get(study, {}).get("measured")
    return Portion(**found) if found else None


def commits(note: Note, study: str) -> list[str]:
    """Return the commits that a study ran at, in order; an empty word for code that is in no checkout."""
    sessions = note["studies"].get(study, {}).get("sessions", [])
    places = dict.fromkeys(session["environment"] for session in sessions if "environment" in session)
    return list(dict.fromkeys(note["environments"][place]["commit"] for place in places))


def short(commit: str) -> str:
    """Return the first digits of a commit, and whether there were changes; or that there was none."""
    name, _, changes = commit.partition(" ")
    return f"{name[:12]} {changes}".strip() or "unknown (not run from a checkout)"


def read(folder: Path) -> Note:
    """Return the note of a run."""
    path = folder / "run.json"
    if not path.is_file():
        raise InputError(f"{folder} holds no run: there is no file run.json; `enpda bench paper -o DIR` makes one")
    note: Note = load(path)
    return note


def seconds(note: Note, study: str) -> float:
    """Return how long a study took, all sessions together."""
    return float(sum(session["seconds"] for session in note["studies"][study]["sessions"]))


def environment() -> dict[str, Any]:
    """Return what a number may depend on: machine, versions, commit."""
    return {
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}{_gpu()}",
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "commit": commit(),
    }


def _gpu() -> str:
    if without_torch():
        return ""
    import torch

    return f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""


def commit(here: Path = Path(__file__).parent) -> str:
    """Return the commit of the checkout that a folder lies in, marked if sources were changed; else of the archive."""
    head = _git(here, "rev-parse", "HEAD")
    if not head:
        return archive.COMMIT if ":" not in archive.COMMIT else ""
    changed = _git(here, "status", "--porcelain", "--untracked-files=no", "--", ":/src", ":/native", ":/bench")
    return head + (" with changes" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _close(session: Note, at: datetime.datetime) -> None:
    start = datetime.datetime.fromisoformat(session["start"])
    session["end"] = at.isoformat(timespec="milliseconds")
    session["seconds"] = round(max((at - start).total_seconds(), 0.0), 1)


def _last_record(folder: Path, study: str) -> datetime.datetime:
    for name in (f"{study}.jsonl", f"{study}.parquet", "run.json"):
        if (folder / name).exists():
            return datetime.datetime.fromtimestamp((folder / name).stat().st_mtime, datetime.UTC)
    return _now()


@contextmanager
def _editing(folder: Path) -> Iterator[Note]:
    """Give the note to be changed, and write it; one process at a time."""
    path = folder / "run.json"
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        note: Note = load(path) if path.exists() else {}
        yield note
        save(path, json.dumps(note, indent=1) + "\n")
    finally:
        os.close(lock)
