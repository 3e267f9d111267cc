"""`python -m tests.fuzz NAME`: run a campaign; exit code 1 when it finds something."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from typing import Any

from . import campaign

CAMPAIGNS = ("pairs", "forgeries", "mutants", "readers", "native", "threads")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("campaign", choices=[*CAMPAIGNS, "all"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, help="how many cases; default: until the time is up")
    parser.add_argument("--minutes", type=float, help="how long; for `all`, all together (default 10 without --cases)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="run this one case here, and nothing else")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")
    parser.add_argument("--json", help="write the summary to this file as well")
    asked = parser.parse_args()
    names = CAMPAIGNS if asked.campaign == "all" else (asked.campaign,)
    minutes = 10.0 if asked.minutes is None and asked.cases is None else asked.minutes
    seconds = None if minutes is None else 60 * minutes / len(names)
    found: list[dict[str, Any]] = []
    for name in names:
        begin = time.monotonic()
        tally = _run(name, asked, seconds)
        found.append(campaign.summary(name, asked.seed, tally, time.monotonic() - begin))
        campaign.show(found[-1])
        if asked.json:
            campaign.save(found, asked.json)
    return int(any(entry["findings"] for entry in found))


def _run(name: str, asked: argparse.Namespace, seconds: float | None) -> campaign.Tally:
    module = importlib.import_module(f".{name}", __package__)
    if hasattr(module, "run"):  # not a matter of cases in Python
        return module.run(asked.seed, asked.cases, seconds, asked.workers)
    if asked.case is not None:
        return campaign.here(module.make(), asked.seed, range(asked.case, asked.case + 1))

    def progress(tally: campaign.Tally, elapsed: float) -> None:
        cases, findings = tally.counts["cases"], len(tally.findings)
        print(f"{name}: {cases:,} cases in {elapsed:.0f} s, {findings} findings", file=sys.stderr, flush=True)

    return campaign.run(module.make, asked.seed, asked.first, asked.cases, seconds, asked.workers, progress)


if __name__ == "__main__":
    sys.exit(main())
