"""One build at work under Valgrind: a marker before and after each call of `match`, and nothing else that counts.

Run by an interpreter that may hold any version of enpda: only public names and the standard library here.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any

import enpda

marker = os.getppid
"""What Valgrind begins a new count at: a function of the C library that nobody else calls."""


def main() -> None:
    """Match the first so many pairs as new graphs, and the same graphs again; before that all of them, uncounted."""
    pairs, count = json.loads(sys.stdin.readline())
    for pair in pairs:
        calls(pair)  # what is loaded, or made once a process
    gc.collect()
    gc.disable()
    for pair in pairs[:count]:
        calls(pair)
    print(enpda.__version__)


def calls(pair: list[Any]) -> None:
    """Make two graphs, which the count before the first marker has, and match them twice."""
    a, b = (enpda.Graph(labels, edges, edge_labels=kinds) for labels, edges, kinds in pair)
    for _ in range(2):
        marker()
        enpda.match(a, b, time_limit=None)
    marker()


if __name__ == "__main__":
    main()
