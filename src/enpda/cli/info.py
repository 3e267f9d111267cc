"""`enpda info`: what is installed and what this machine offers."""

from __future__ import annotations

import importlib.metadata
import json as json_module
import os
import platform
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from enpda import _core
from enpda.solve.policy import card
from enpda.version import __version__

NEEDED = ("numpy", "rdkit", "pyarrow", "highspy", "safetensors", "cyclopts", "tqdm")
OPTIONAL = {
    "networkx": "graphs of networkx, GML, GraphML",
    "pandas": "tables as data frames",
    "polars": "data frames in",
    "igraph": "its graphs in",
    "rustworkx": "its graphs in",
    "scipy": "sparse matrices in and out",
    "distributed": "matrix on a cluster: pip install 'enpda[bulk]'",
    "duckdb": "enpda sql: pip install 'enpda[bulk]'",
    "fsspec": "results in a cloud store: pip install 'enpda[bulk]'",
    "torch": "training, batches on a GPU: pip install 'enpda[train]'",
    "triton": "a fused kernel for those batches",
    "enpda-bench": "enpda bench: pip install ./bench",
}
"""Everything that adds something, and what."""
INTERESTING = ("sse4_2", "avx", "avx2", "fma", "avx512f")


def info(*, json: Annotated[bool, Parameter(negative=())] = False) -> int:
    """Show version, build, CPU features, the shipped policy, and every optional part with what it is for.

    Example: `enpda info --json`

    Parameters
    ----------
    json
        Print JSON.
    """
    facts = collect()
    if json:
        print(json_module.dumps(facts, indent=2))
    else:
        for name, value in facts.items():
            if name == "optional":
                print("optional")
                for part, version in value.items():
                    print(f"  {part:12s}{version or 'missing':12s}{OPTIONAL[part]}")
                continue
            shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
            print(f"{name:12s}{shown}")
    return 0


def collect() -> dict[str, Any]:
    """Return the facts that `info` prints."""
    compiler, standard, clones = _core.build_info()
    learned = card()
    policy = {name: learned[name] for name in ("format", "seed", "parameters")}
    return {
        "enpda": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "compiler": compiler,
        "c++": str(standard),
        "dispatch": "AVX2 chosen at run time" if clones else "baseline only",
        "cpu": " ".join(_cpu_flags()) or "unknown",
        "cores": str(os.cpu_count()),
        "policy": policy | {"pairs": learned["pairs"]["training"]},
        "parts": {name: _version(name) or "missing" for name in NEEDED},
        "optional": {name: _version(name) for name in OPTIONAL},
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_flags() -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    flags = set(line.split())
    return [flag for flag in INTERESTING if flag in flags]
