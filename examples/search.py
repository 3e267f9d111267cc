"""The nearest of fifty drugs, with a proof that no other is nearer."""

import sys
from pathlib import Path

import enpda
from enpda import view
from enpda.data import drugs

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
query = drugs()["morphine"]
library = enpda.Library.of([drug for drug in drugs().values() if drug != query])

hits = enpda.search(query, library, k=3)
for hit in hits:
    print(f"{hit.rank}. {hit.id}: similarity {hit.similarity:.3f}, {hit.size} shared bonds")
print(f"{hits.screened} of {len(library)} drugs decided by counts; proven: {hits.exact}")

view.save(view.grid([hit.match() for hit in hits[:2]], columns=2), out / "search.svg")
