"""Tables that read well in a terminal and in Markdown."""

from __future__ import annotations

import datetime
import platform
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def processor() -> str:
    """Return the name of this machine's processor."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """One line about this machine and day, for the foot of a table."""
    return f"{processor()}, Python {platform.python_version()}, {datetime.date.today().isoformat()}"


@dataclass
class Table:
    """Rows under fixed columns, with a title and notes."""

    title: str
    columns: list[str]
    rows: list[list[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        body = [self.columns, *([_shown(value) for value in row] for row in self.rows)]
        widths = [max(len(row[k]) for row in body) for k in range(len(self.columns))]
        lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in body]
        lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
        return "\n".join([f"{self.title}\n", *lines, "", *self.notes, machine()])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"title": self.title, "columns": self.columns, "rows": self.rows, "notes": self.notes}


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
