"""Other people's programs on the same pairs and labels, behind one interface: (a, b, seconds) -> Answer."""

from __future__ import annotations

from enpda_bench.baselines.answer import Answer, Baseline, answered
from enpda_bench.baselines.worker import Worker, Workshop

__all__ = ["BASELINES", "PEERS", "Answer", "Baseline", "Worker", "Workshop", "answered"]

BASELINES = {"rascal": "RASCAL", "smsd": "SMSD 8"}
"""Programs for the same problem on any labels: module of this package -> the name people know."""

PEERS = {
    **BASELINES,
    "fmcs:labels": "FMCS",
    "mcsplit": "McSplit",
    "myopic": "myopic-mces",
    "ga": "GA",
    "rrwm": "RRWM",
    "rrwm:ipfp": "IPFP",
    "rrwm:ngm": "NGM, untrained",
    "highs": "HiGHS, aggregated",
    "highs:mccormick": "HiGHS, McCormick",
    "nga": "NGA, one fit",
    "sinkhorn": "Sinkhorn",
    "sinkhorn:gumbel": "Gumbel-Sinkhorn, best of 10",
}
"""Everything whose mappings are counted anew: `module` or `module:function` -> the name people know."""
