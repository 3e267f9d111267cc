"""Families among fifty drugs, and the similarities behind them."""

import sys
from pathlib import Path

import enpda
from enpda.data import drugs

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

found = enpda.cluster(drugs().values(), min_similarity=0.6)
families = [family for family in found.clusters if len(family) > 1]
for family in families:
    print(", ".join(family))

members = [drugs()[name] for family in families for name in family]
enpda.matrix(members, method="fast").heatmap(out / "clusters.svg")
