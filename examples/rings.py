"""Whole rings or parts of them: one pair under four constraints."""

import sys
from pathlib import Path

import enpda
from enpda import Constraints, Graph, view

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
a = Graph.from_smiles("CCCC(=O)Oc1ccccc1C(=O)OC1CCCC1")
b = Graph.from_smiles("CC(=O)Nc1ccc(O)cc1C1CCCCC1")
asked = {
    "free": Constraints(),
    "whole rings": Constraints(rings="all"),
    "one piece": Constraints(connected=True),
    "pieces of four atoms and more": Constraints(min_fragment=4),
}

found = {words: enpda.match(a, b, constraints=must) for words, must in asked.items()}
for words, m in found.items():
    print(f"{words}: {m.size} bonds in {len(m.fragments)} pieces, optimal: {m.optimal}")

view.save(view.grid(found.values(), columns=2), out / "rings.svg")
