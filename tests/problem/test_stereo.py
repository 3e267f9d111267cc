"""Stereocentres and double bonds keep their arrangement, and the answer is still the best there is."""

import itertools

import numpy as np
import pytest
from rdkit import Chem

import enpda
from enpda import Constraints, Graph
from enpda.problem.problem import problem_of
from enpda.problem.stereo import stereo_of, turned

STEREO = Constraints(stereo=True)
ALANINE = "C[C@H](N)C(=O)O"
GLUCOSE, GALACTOSE = "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O", "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@H]1O"
TESTOSTERONE = "C[C@]12CC[C@H]3[C@@H](CCC4=CC(=O)CC[C@@]43C)[C@@H]1CC[C@@H]2O"


def size(a, b, **options):
    found = enpda.match(a, b, constraints=STEREO, **options)
    assert found.optimal
    return found.size


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        (ALANINE, ALANINE, 5),
        (ALANINE, "C[C@@H](N)C(=O)O", 4),  # its mirror image: one bond at the centre is given up
        (ALANINE, "N[C@@H](C)C(=O)O", 5),  # the same molecule, written otherwise
        (ALANINE, "CC(N)C(=O)O", 5),  # not specified
        (ALANINE, "C[C@](F)(N)C(=O)O", 5),  # fluorine in the hydrogen's place
        (ALANINE, "C[C@@](F)(N)C(=O)O", 4),
        ("F/C=C/F", "F/C=C/F", 3),
        ("F/C=C/F", "F/C=C\\F", 2),
        ("F/C=C/F", "FC=CF", 3),
        ("C/C(Cl)=C(F)/C", "C/C(Cl)=C(F)\\C", 3),  # both neighbours at one end are given up
        (GLUCOSE, GLUCOSE, 12),
        (GLUCOSE, GALACTOSE, 11),
        (TESTOSTERONE, TESTOSTERONE, 24),
        (TESTOSTERONE, TESTOSTERONE.replace("[C@@H]2O", "[C@H]2O"), 23),
        ("C[S@](=O)CC", "C[S@@](=O)CC", 3),
        ("C[C@H](C)C", "C[C@@H](C)C", 3),  # no stereocentre at all
    ],
)
def test_arrangements_are_kept(a, b, shared):
    assert size(a, b) == size(b, a) == shared
    assert shared <= enpda.match(a, b).size


def brute_force(a, b):
    """The most bonds of any mapping that turns nothing round, by enumeration."""
    problem = problem_of(a, b)
    left, right = stereo_of(a), stereo_of(b)
    best = 0
    for images in itertools.product(range(-1, len(b)), repeat=len(a)):
        used = [j for j in images if j >= 0]
        if len(set(used)) < len(used) or any(j >= 0 and a.labels[i] != b.labels[j] for i, j in enumerate(images)):
            continue
        kept, _, count, _ = problem.retained(np.array(images, dtype=np.int32))
        mapping = {i: j for i, j in enumerate(kept.tolist()) if j >= 0}
        if count > best and not turned(problem, left, right, mapping):
            best = count
    return best


@pytest.mark.parametrize(
    ("a", "b"),
    list(itertools.combinations(["F[C@H](Cl)Br", "F[C@@H](Cl)C", "C[C@H](F)Cl", "F/C=C/C", "F/C=C\\C"], 2)),
)
def test_the_best_mapping_is_found_by_brute_force_as_well(a, b):
    assert size(a, b) == brute_force(Graph.from_smiles(a), Graph.from_smiles(b))


def test_every_way_to_write_a_molecule_has_the_same_arrangement():
    for smiles in (ALANINE, GLUCOSE, "F/C(Cl)=C(Br)/I", "C[S@](=O)CC", TESTOSTERONE):
        mol = Chem.MolFromSmiles(smiles)
        for seed in range(8):
            other = Chem.MolFromSmiles(Chem.MolToSmiles(mol, doRandom=True, canonical=False), sanitize=True)
            order = np.random.default_rng(seed).permutation(other.GetNumAtoms()).tolist()
            shuffled = Chem.RenumberAtoms(other, order)
            assert size(mol, shuffled) == mol.GetNumBonds(), smiles


def test_a_mapping_that_turns_a_centre_round_is_refused():
    mirror = "C[C@@H](N)C(=O)O"
    free = enpda.match(ALANINE, mirror)
    problem = problem_of(free.a, free.b, None, STEREO)
    with pytest.raises(enpda.InputError, match="round"):
        enpda.Match(free.a, free.b, free.mapping, bounds=free.bounds, method="x", problem=problem)
    with pytest.raises(enpda.InputError, match="molecule"):
        enpda.match(Graph([0, 0], [(0, 1)]), Graph([0, 0], [(0, 1)]), constraints=STEREO)


def test_stereo_goes_with_other_constraints_rules_and_limits():
    both = Constraints(stereo=True, rings="all", connected=True)
    found = enpda.match(GLUCOSE, GALACTOSE, constraints=both, rules=enpda.Rules(pinned={0: 0}))
    assert found.optimal
    assert found.size == 11
    assert found.mapping[0] == 0
    cut = enpda.match(TESTOSTERONE, TESTOSTERONE.replace("@@", "@"), constraints=STEREO, time_limit=0.05)
    assert cut.size <= cut.upper
    again = enpda.Match.from_json(found.to_json())
    assert (again.size, again.upper) == (found.size, found.upper)
