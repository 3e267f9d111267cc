"""An answer at any deadline: what two milliseconds give, and what a proof adds."""

import sys
from pathlib import Path

import enpda
from enpda.data import drugs

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
a, b = drugs()["sildenafil"], drugs()["vardenafil"]

for seconds in (10, 0.01, 0.002):
    m = enpda.match(a, b, time_limit=seconds)
    print(f"{seconds:6} s: {m.size} shared bonds, at most {m.upper}, {m.status}")

enpda.match(a, b).draw(out / "deadline.svg")
