"""The few figures that the README shows: proofs and bulk work beside other programs, from one command on one commit."""

from __future__ import annotations

import datetime
import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

from enpda.documents import parsed
from enpda.errors import InputError
from enpda.view.table import Table, processor
from enpda_bench import Settings
from enpda_bench.experiments import bulk, exact

FILE = Path("benchmarks/summary.json")
BEGIN, END = "<!-- enpda bench summary: begin -->", "<!-- enpda bench summary: end -->"
CODE = ("native", "src/enpda/bulk", "src/enpda/problem", "src/enpda/solve", "src/enpda/result", "src/enpda/weights")
"""What the figures depend on."""
RASCAL_PAIRS = 500
"""Random pairs that RASCAL gets, too."""


def run(repository: Path, data: Path, count: int | None) -> dict[str, Any]:
    """Measure, and return the figures with the commit and the code they belong to."""
    commit = _git(repository, "rev-parse", "--short=9", "HEAD")
    changed = _git(repository, "status", "--porcelain", "--", *CODE)
    if changed:
        raise InputError(f"there are changes that no commit has, and figures belong to a commit:\n{changed}")
    settings = Settings(data, True, count)
    proofs = exact.table_of_test_pairs(settings, tails=False)
    everyday, [search] = bulk.random_table(Settings(data), RASCAL_PAIRS), bulk.SECTIONS["search"](Settings(data, False))
    return {
        "commit": commit,
        "code": digest(repository),
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "command": "enpda bench summary" + ("" if count is None else f" --count {count}"),
        "tables": {"proofs": proofs.to_dict(), "random": everyday.to_dict(), "search": search.to_dict()},
    }


def digest(repository: Path) -> str:
    """Return a digest of all that the figures depend on."""
    value = hashlib.sha256()
    for name in CODE:
        for path in sorted((repository / name).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".py", ".cu", ".safetensors"):
                value.update(str(path.relative_to(repository)).encode() + b"\0" + path.read_bytes())
    return value.hexdigest()


def block(found: dict[str, Any], code: str) -> str:
    """Return the figures as Markdown, and whether the code is still the one that was measured."""
    tables = {name: Table(**table) for name, table in found["tables"].items()}
    lines = ["| pairs | program | proven | median | mean | longest |", "|---|---|---:|---:|---:|---:|"]
    first = tables["proofs"]
    for k, row in enumerate(first.rows):
        at = dict(zip(first.columns, row, strict=True))
        lines.append(_row(first.title.split(",")[0].removeprefix("proofs on ") if k == 0 else "", at))
    second = tables["random"]
    for k, row in enumerate(r for r in second.rows if r[0] != "enpda, the pairs of RASCAL"):
        at = dict(zip(second.columns, row, strict=True))
        title = f"{at['pairs']:,} random pairs of MassSpecGym" if k == 0 else f"the first {at['pairs']:,} of them"
        lines.append(_row(title, {"program": at["program"], **at}))
    query = dict(zip(tables["search"].columns, tables["search"].rows[0], strict=True))
    same = "" if code == found["code"] else " The code has changed since."
    hours = next(note for note in second.notes if "core-hours" in note)
    return "\n".join(
        [
            *lines,
            "",
            f"{tables['search'].title[0].upper()}{tables['search'].title[1:]}: {query['mean']:.2f} s a query, "
            f"{query['max']:.2f} s at most; {tables['search'].notes[0]}",
            f"{hours}",
            "",
            f"`{found['command']}`, commit {found['commit']}, {found['machine']}, one thread unless said, limit 10 s a "
            f"pair, {found['date']}.{same}",
        ]
    )


def rewrite(path: Path, found: dict[str, Any], code: str) -> None:
    """Write the marked block of a Markdown file anew."""
    text = path.read_text(encoding="utf-8")
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise InputError(f"{path}: no block between {BEGIN} and {END}")
    path.write_text(f"{head}{BEGIN}\n\n{block(found, code)}\n\n{END}{tail}", encoding="utf-8")


def load(path: Path) -> dict[str, Any]:
    """Read what `run` found."""
    found: dict[str, Any] = parsed(path.read_text(encoding="utf-8"), str(path))
    return found


def save(path: Path, found: dict[str, Any]) -> None:
    """Write what `run` found."""
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _row(title: str, at: dict[str, Any]) -> str:
    program = str(at["program"]).replace("enpda exact", "enpda").removesuffix(", 10 s")
    name = f"**{program}**" if program == "enpda" else program
    times = (_time(at[column]) for column in ("p50 ms", "mean ms", "max ms"))
    return f"| {title} | {name} | {at['proven']:,} | {' | '.join(times)} |"


def _time(ms: float) -> str:
    return f"{ms:.2g} ms" if ms < 10 else f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _git(repository: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(f"{repository} is no clone of the project, and figures belong to a commit: {error}") from None
    return done.stdout.strip()
