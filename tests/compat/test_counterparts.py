"""Options of FMCS and SMSD beside their counterparts in docs/coming-from-fmcs.md and docs/coming-from-smsd.md."""

from itertools import combinations

import pytest
import smsd
from rdkit import Chem
from rdkit.Chem import rdFMCS

from enpda import Constraints, Rules, match
from enpda.data import drugs

SMALL = ("aspirin", "paracetamol", "ibuprofen", "caffeine", "theophylline", "salbutamol", "diazepam", "warfarin")
MOLECULES = [drugs()[name].to_mol() for name in SMALL]
ODD = [("C[N+](C)(C)CC", "CN(C)CC"), ("[13CH3]CO", "CCO"), ("CS(=O)(=O)C", "CSC"), ("OP(=O)(O)O", "OPO")]
PAIRS = [*combinations(MOLECULES, 2), *((Chem.MolFromSmiles(a), Chem.MolFromSmiles(b)) for a, b in ODD)]
ONE_PIECE = Constraints(connected=True)
EXACT = {"bondCompare": rdFMCS.BondCompare.CompareOrderExact}
RINGS = Rules(atoms="element+ring", ring_bonds=True)


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        (EXACT, Rules()),
        ({"bondCompare": rdFMCS.BondCompare.CompareAny}, Rules(bonds="any")),
        (EXACT | {"atomCompare": rdFMCS.AtomCompare.CompareAny}, Rules(atoms="any")),
        (EXACT | {"atomCompare": rdFMCS.AtomCompare.CompareIsotopes}, Rules(atoms="isotope")),
        (EXACT | {"matchValences": True}, Rules(atoms="element+valence")),
        (EXACT | {"ringMatchesRingOnly": True}, RINGS),
    ],
    ids=["exact orders", "any bonds", "any atoms", "isotopes", "valences", "rings on rings"],
)
def test_sizes_are_those_of_fmcs(options, rules):
    compared = 0
    for a, b in PAIRS:
        theirs = rdFMCS.FindMCS([a, b], timeout=2, **options)
        ours = match(a, b, rules=rules, constraints=ONE_PIECE, time_limit=2)
        if ours.optimal and not theirs.canceled:
            assert ours.size == theirs.numBonds, (Chem.MolToSmiles(a), Chem.MolToSmiles(b))
            compared += 1
    assert compared > 25


def test_fmcs_does_not_look_at_isotopes_where_we_do():
    """docs/coming-from-fmcs.md says so of `MatchIsotope`."""
    parameters = rdFMCS.MCSParameters()
    parameters.AtomCompareParameters.MatchIsotope = True
    a, b = (Chem.MolFromSmiles(smiles) for smiles in ("[13CH3]CO", "CCO"))
    assert rdFMCS.FindMCS([a, b], parameters).numBonds == 2
    assert match(a, b, rules=Rules(atoms="element+isotope")).size == 1


AROMATIC = "element+aromatic"


@pytest.mark.parametrize(
    ("chemistry", "search", "rules", "constraints"),
    [
        ({}, {}, Rules(atoms=AROMATIC), Constraints()),
        ({}, {"connectivity": smsd.MCS.Connectivity.CONNECTED}, Rules(atoms=AROMATIC), ONE_PIECE),
        ({}, {"max_fragments": 2}, Rules(atoms=AROMATIC), Constraints(max_fragments=2)),
        ({}, {"min_fragment_atoms": 4}, Rules(atoms=AROMATIC), Constraints(min_fragment=4)),
        ({"match_bond_order": smsd.BondOrderMode.ANY}, {}, Rules(atoms=AROMATIC, bonds="any"), Constraints()),
        ({"match_atom_type": False}, {}, Rules(atoms="aromatic"), Constraints()),
        ({"ring_matches_ring_only": True}, {}, Rules(atoms=f"{AROMATIC}+ring", ring_bonds=True), Constraints()),
    ],
    ids=["fragments", "one piece", "two pieces", "four atoms", "any bonds", "any atoms", "rings on rings"],
)
def test_sizes_are_those_of_smsd(chemistry, search, rules, constraints):
    options = smsd.MCS.Options()
    options.objective = smsd.MCS.Objective.MCES
    options.connectivity = smsd.MCS.Connectivity.FRAGMENTS
    asked = smsd.ChemOptions()
    asked.aromaticity_mode = smsd.AromaticityMode.STRICT
    for name, value in chemistry.items():
        setattr(asked, name, value)
    for name, value in search.items():
        setattr(options, name, value)
    options.chemistry = asked
    compared = 0
    for a, b in combinations(MOLECULES, 2):
        query = smsd.MCS.find(Chem.MolToSmiles(a)).with_options(options).with_timeout(2000)
        theirs = query.match(Chem.MolToSmiles(b))
        ours = match(a, b, rules=rules, constraints=constraints, time_limit=2)
        if ours.optimal and theirs.optimal:
            size = len(theirs.matches[0].bond_mapping) if theirs.matches else 0
            assert ours.size == size, (Chem.MolToSmiles(a), Chem.MolToSmiles(b))
            compared += 1
    assert compared > 20
