"""`maxFragSeparation`: shared bonds keep their distances and pieces are near; judged by brute force and by RASCAL."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem, rdBase
from rdkit.Chem import rdRascalMCES

from enpda import InputError
from enpda.compat.rdkit import FindMCES, RascalOptions
from enpda.data import drug_pairs, drugs

FAR = 10**6
SMALL = ["CCCCCC", "C1CCCCC1", "CCOCC", "CCNCC", "C1CCC1C", "CC1CC1C", "CC.CCC", "OCC.CC", "CC(C)CO", "C=CCOC", "OCCCO"]


def options(most, **values):
    return RascalOptions(similarityThreshold=0.0, maxFragSeparation=most, returnEmptyMCES=True, **values)


def ways(mol, one, other):
    """Bonds between two sets of atoms; many without a way."""
    matrix = Chem.GetDistanceMatrix(mol)
    return min(min(int(matrix[u][v]), FAR) for u in one for v in other)


def pieces(bonds):
    result = []
    for bond in bonds:
        touching = [piece for piece in result if piece & set(bond)]
        result = [piece for piece in result if piece not in touching] + [set(bond).union(*touching)]
    return result


def keeps(a, b, shared, image, most):
    """Whether shared bonds (as pairs of atoms) keep their distances, and pieces are near in both molecules."""

    def steps(mol, one, other):
        return 1 + min(ways(mol, one, other), mol.GetNumBonds())

    return all(
        abs(steps(a, e, f) - steps(b, [image[i] for i in e], [image[i] for i in f])) <= most
        for e, f in itertools.combinations(shared, 2)
    ) and all(
        max(ways(a, p, q), ways(b, {image[i] for i in p}, {image[i] for i in q})) <= most
        for p, q in itertools.combinations(pieces(shared), 2)
    )


def shared_by(a, b, image):
    found = []
    for bond in a.GetBonds():
        u, v = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        other = b.GetBondBetweenAtoms(image[u], image[v]) if u in image and v in image else None
        if other is not None and other.GetBondType() == bond.GetBondType():
            found.append((u, v))
    return found


def brute_force(a, b, most):
    elements = [[atom.GetAtomicNum() for atom in mol.GetAtoms()] for mol in (a, b)]

    def grow(image, i):
        if i == len(elements[0]):
            shared = shared_by(a, b, image)
            return len(shared) if keeps(a, b, shared, image, most) else 0
        free = [j for j, kind in enumerate(elements[1]) if kind == elements[0][i] and j not in image.values()]
        return max([grow(image, i + 1), *(grow({**image, i: j}, i + 1) for j in free)])

    return grow({}, 0)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from(SMALL), st.sampled_from(SMALL), st.integers(0, 4))
def test_the_part_is_the_largest_there_is(left, right, most):
    a, b = Chem.MolFromSmiles(left), Chem.MolFromSmiles(right)
    (found,) = FindMCES(a, b, options(most))
    assert not found.timedOut
    assert len(found.bondMatches()) == brute_force(a, b, most)


PAIRS = [(a, b) for a, b in drug_pairs() if max(len(a), len(b)) <= 22]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name} {pair[1].name}")
def test_it_keeps_to_the_limit_and_is_no_smaller_than_rascals(pair):
    a, b = (graph.mol for graph in pair)
    sizes = []
    for most in (0, 1, 2, 3, 50):
        (found,) = FindMCES(a, b, options(most, completeAromaticRings=False))
        image = dict(found.atomMatches())
        assert not found.timedOut
        assert keeps(a, b, shared_by(a, b, image), image, most)
        asked = rdRascalMCES.RascalOptions()
        asked.similarityThreshold, asked.maxFragSeparation, asked.completeAromaticRings = 0.0, most, False
        with rdBase.BlockLogs():
            their = rdRascalMCES.FindMCES(a, b, asked)
        sizes.append(len(found.bondMatches()))
        assert sizes[-1] >= max((len(r.bondMatches()) for r in their), default=0)
    (free,) = FindMCES(a, b, options(-1, completeAromaticRings=False))
    assert sizes == sorted(sizes)
    assert sizes[-1] == len(free.bondMatches())


def test_other_options_hold_as_well():
    a, b = (drugs()[name].mol for name in ("metoprolol", "salbutamol"))
    (found,) = FindMCES(a, b, options(3))
    assert found.numFragments == 2
    (one,) = FindMCES(a, b, options(3, singleLargestFrag=True))
    assert one.numFragments == 1
    assert len(one.bondMatches()) <= len(found.bondMatches())
    (large,) = FindMCES(a, b, options(3, minFragSize=5))
    assert min(map(len, large.match.fragments)) >= 5
    options_at = [
        RascalOptions(similarityThreshold=found.similarity + shift, maxFragSeparation=3) for shift in (0, 1e-9)
    ]
    assert [len(FindMCES(a, b, asked)) for asked in options_at] == [1, 0]


def test_time_that_ends_is_marked():
    a, b = (drugs()[name].mol for name in ("lapatinib", "atorvastatin"))
    (found,) = FindMCES(a, b, options(6, completeAromaticRings=False, timeout=0))
    assert found.timedOut


def test_pairs_too_large_are_refused():
    chain = Chem.MolFromSmiles("C" * 300)
    with pytest.raises(InputError, match="more than 20000 pairs of like edges"):
        FindMCES(chain, chain, options(1))
