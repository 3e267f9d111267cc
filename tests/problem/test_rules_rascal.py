"""Rules give RASCAL's sizes where they mean the same."""

import pytest
from rdkit import rdBase
from rdkit.Chem import rdRascalMCES

from conditions import solved
from enpda import Graph, Rules
from enpda.data import drug_pairs, drugs
from oracles import adjacency

RASCAL = [
    ({}, {}),
    ({"ignoreBondOrders": True}, {"bonds": "any"}),
    ({"ringMatchesRingOnly": True}, {"ring_bonds": True}),
    ({"ignoreAtomAromaticity": False}, {"atoms": "element+aromatic"}),
    ({"exactConnectionsMatch": True}, {"atoms": "element+degree"}),
    ({"equivalentAtoms": "[F,Cl,Br,I] [O,S]"}, {"equivalent": "[F,Cl,Br,I] [O,S]"}),
    (
        {"equivalentAtoms": "[$(C=O)] [#7,#8]", "ringMatchesRingOnly": True},
        {"equivalent": "[$(C=O)] [#7,#8]", "ring_bonds": True},
    ),
]


def rascal(a, b, options):
    """RASCAL's size, whether it finished, and its pairs of atoms."""
    settings = rdRascalMCES.RascalOptions()
    settings.similarityThreshold = 0.0
    settings.completeAromaticRings = False
    settings.maxBondMatchPairs = 100_000
    settings.timeout = 1
    settings.returnEmptyMCES = True
    for name, value in options.items():
        setattr(settings, name, value)
    with rdBase.BlockLogs():
        results = rdRascalMCES.FindMCES(a.mol, b.mol, settings)
    best = max(results, key=lambda r: len(r.bondMatches()), default=None)
    if best is None:
        return 0, True, []
    return len(best.bondMatches()), not best.timedOut, best.atomMatches()


@pytest.mark.slow
@pytest.mark.parametrize(("options", "rules"), RASCAL, ids=lambda x: "+".join(x) or "default")
def test_sizes_are_rascals_where_the_rules_mean_the_same(options, rules):
    compared = 0
    for a, b in drug_pairs():
        if a.size * b.size > 900:  # RASCAL may need more than a second beyond
            continue
        size, finished, atoms = rascal(a, b, options)
        if not finished:
            continue
        ours = solved(a, b, Rules(**rules)).size
        if "exactConnectionsMatch" in options:
            near_a, near_b = adjacency(a), adjacency(b)
            if any(len(near_a[i]) != len(near_b[j]) for i, j in atoms):
                assert size >= ours  # it matched atoms with different numbers of neighbours
                continue
        assert size == ours or (size, ours) == (0, 1), (a.name, b.name)  # it reports no single bonds
        compared += 1
    assert compared >= 35


def test_rascal_lets_atoms_of_different_degree_match_and_enpda_does_not():
    """docs/coming-from-rascal.md says so: RASCAL compares bonds by their ends without asking which end is which."""
    a, b = drugs()["paracetamol"], drugs()["ciprofloxacin"]
    size, _, atoms = rascal(a, b, {"exactConnectionsMatch": True})
    near_a, near_b = adjacency(a), adjacency(b)
    assert any(len(near_a[i]) != len(near_b[j]) for i, j in atoms)
    assert (size, solved(a, b, Rules(atoms="element+degree")).size) == (5, 3)


def test_rascal_replaces_atoms_pattern_by_pattern_and_enpda_does_not():
    """docs/coming-from-rascal.md says so: a later pattern of RASCAL's does not find what an earlier one took."""
    a, b = Graph.from_smiles("CC(=O)CCC"), Graph.from_smiles("CC(=N)CCC")
    for patterns, theirs in (("[#7,#8] [$(C=O)]", 5), ("[$(C=O)] [#7,#8]", 2)):
        assert rascal(a, b, {"equivalentAtoms": patterns})[0] == theirs
        assert solved(a, b, Rules(equivalent=patterns)).size == 2
