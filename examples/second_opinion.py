"""How far from the best is somebody else's mapping? A certificate says it."""

import sys
from pathlib import Path

from rdkit.Chem import rdRascalMCES

import enpda
from enpda.data import drugs

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
a, b = drugs()["metoprolol"], drugs()["salbutamol"]

options = rdRascalMCES.RascalOptions()
options.similarityThreshold = 0.0
options.singleLargestFrag = True
theirs = dict(rdRascalMCES.FindMCES(a.to_mol(), b.to_mol(), options)[0].atomMatches())

one_piece = enpda.Constraints(connected=True)
claim = enpda.certify(a, b, theirs, constraints=one_piece)
print(f"RASCAL's fragment has {claim.size} bonds; none can have more than {claim.upper}")

best = enpda.match(a, b, constraints=one_piece)
print(f"the largest connected part has {best.size}")
print(f"verified: {enpda.verify(best.certificate, (a, b), constraints=one_piece).ok}")

best.draw(out / "second_opinion.svg")
