"""Doors that users of other programs know give what those programs give."""

import itertools
import math
import random
from functools import cache

import numpy as np
import pytest
from rdkit import Chem

import enpda
from enpda import Graph, InputError, Rules
from enpda.compat import sklearn as matrices
from enpda.compat.myopic import MCES
from enpda.compat.sklearn import pairwise_distances, pairwise_similarities
from enpda.data import drugs
from oracles import brute_force_of_molecules

TINY = ["CCO", "CC(=O)O", "C1CC1", "C=CC#N", "c1ccoc1", "CS(=O)C", "[Na+].[Cl-]", "C", "OCC(O)CO", "CC(C)(C)N"]
SMALL = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "CC(=O)Nc1ccc(O)cc1",
    "CN1C=NC2=C1C(=O)N(C)C(=O)N2C",
    "Cn1cnc2c1c(=O)[nH]c(=O)[nH]2",
    "CN1CCCC1c1cccnc1",
    "NCCc1c[nH]c2ccc(O)cc12",
    "NCCc1ccc(O)c(O)c1",
    "CC(N)Cc1ccccc1",
    "OC(=O)c1cccnc1",
    "NC(=O)c1cnccn1",
    "CC(C)Cc1ccc(C)cc1",
    "O=C(O)CCC(=O)O",
    "OCC1OC(O)C(O)C(O)C1O",
    "NC(Cc1ccccc1)C(=O)O",
    "COc1cc(C=O)ccc1O",
    "CC1=CCC(CC1)C(C)=C",
    "C1CCC2CCCCC2C1",
    "CCOP(=O)(OCC)OCC",
    "NS(=O)(=O)c1ccc(N)cc1",
    "O=[N+]([O-])c1ccc(Cl)cc1",
    "CCN(CC)CCOC=O",
    "FC(F)(F)c1ccccc1Br",
    "C#CCN(C)CC#C",
]
PAIRS = random.Random(0).sample(list(itertools.combinations(SMALL, 2)), 210)


# -- myopic-mces ---------------------------------------------------------------------------------------------


@cache
def cbc():
    import cbcbox

    return {"msg": False, "threads": 1, "path": cbcbox.cbc_bin_path()}


@pytest.mark.parametrize("a", TINY)
def test_the_myopic_distance_is_the_least_cost_by_brute_force(a):
    def saved_by(x, y):  # both orders less their difference: a whole number, as orders come in halves
        u, v = x.GetBondTypeAsDouble(), y.GetBondTypeAsDouble()
        return round(u + v - abs(u - v))

    for b in TINY:
        left, right = Graph.from_smiles(a), Graph.from_smiles(b)
        total = sum(bond.GetBondTypeAsDouble() for g in (left, right) for bond in g.mol.GetBonds())
        saved = brute_force_of_molecules(left, right, lambda x, y: x.GetSymbol() == y.GetSymbol(), saved_by)
        expected = total - saved
        assert MCES(a, b, threshold=-1)[1::2] == (expected, 1)
        for threshold in (0, 2.5, 4, 20):
            index, distance, seconds, mode = MCES(a, b, threshold, i="x")
            assert (index, mode) == ("x", 1 if expected <= threshold else 2)
            assert distance == expected if mode == 1 else threshold < distance <= expected
            assert seconds > 0


@pytest.mark.slow
def test_exact_distances_are_those_of_myopic_mces():
    from myopic_mces import MCES as THEIRS

    for a, b in PAIRS:
        theirs = THEIRS(a, b, threshold=-1, solver_options=cbc())
        assert MCES(a, b, threshold=-1)[1::2] == theirs[1::2], (a, b)


@pytest.mark.slow
def test_thresholded_distances_are_those_of_myopic_mces():
    from myopic_mces import MCES as THEIRS

    above = 0
    for a, b in PAIRS:
        for threshold in (6, 12.5):
            _, theirs, _, their_mode = THEIRS(a, b, threshold=threshold, solver_options=cbc())
            _, ours, _, mode = MCES(a, b, threshold=threshold)
            if their_mode == 1:
                assert (ours, mode) == (theirs, 1), (a, b)
            else:  # 2: the integer programme has no answer; 4: their own lower bound is above the threshold
                assert their_mode in (2, 4)
                assert mode == 2
                assert ours > threshold
                above += 1
    assert 100 < above < 400


def test_molecules_structure_and_numbered_smiles():
    a, b = "CC(=O)O", "CCC(=O)N"
    assert MCES(Chem.MolFromSmiles(a), Chem.MolFromSmiles(b))[1::2] == MCES(a, b)[1::2]
    *_, bonds, left, right = MCES(a, b, structure=True, num_smiles=True)
    mols = [Chem.MolFromSmiles(a), Chem.MolFromSmiles(b)]
    for pairs in bonds.items():
        for (u, v), mol in zip(pairs, mols, strict=True):
            assert mol.GetBondBetweenAtoms(u, v) is not None
    for text, mol in ((left, mols[0]), (right, mols[1])):
        numbered = Chem.MolFromSmiles(text)
        symbols = {atom.GetAtomMapNum(): atom.GetSymbol() for atom in numbered.GetAtoms()}
        assert symbols == {atom.GetIdx(): atom.GetSymbol() for atom in mol.GetAtoms()}
    assert MCES("C#N", "CCCCCCCCCCCCCCC", threshold=2, structure=True)[4] is None
    assert len(MCES(a, b)) == 4


def test_options_of_the_other_solvers_are_accepted():
    result = MCES(
        "CCO", "CCN", 5, 7, "CPLEX_PY", {"msg": False, "threads": 2}, always_stronger_bound=False, use_bound_zero=True
    )
    assert (result[0], result[1], result[3]) == (7, 2.0, 1)
    far = ("CCCCCCCC", "OOOOOOOO")
    assert MCES(*far, threshold=3)[3] == 2
    assert MCES(*far, threshold=3, no_ilp_threshold=True)[1::2] == (14.0, 1)


def test_a_time_limit_that_strikes_is_visible():
    a, b = (Chem.MolToSmiles(drugs()[name].mol) for name in ("lapatinib", "atorvastatin"))
    exact = MCES(a, b, threshold=-1)
    short = {"timeLimit": 1e-6}
    index, distance, _, mode = MCES(a, b, threshold=-1, solver_options=short)
    assert (index, mode) == (0, 5)
    assert distance >= exact[1]
    _, distance, _, mode = MCES(a, b, threshold=exact[1], solver_options=short)
    assert mode in (5, 6)
    assert distance >= exact[1] if mode == 5 else distance <= exact[1]
    _, distance, _, mode = MCES(a, b, threshold=exact[1] - 1, solver_options=short)
    assert mode == 6
    assert distance <= exact[1] - 1


def test_bad_input_is_refused_or_caught():
    assert MCES("CCO", "not a molecule", catch_errors=True)[1::2] == (-1.0, 3)
    for arguments, message in (
        ({"smiles2": "not a molecule"}, "not a SMILES"),
        ({"smiles2": Graph([6], [])}, "a SMILES string or an RDKit Mol is needed"),
        ({"threshold": -2}, r"threshold \(or -1\) must be a number from 0"),
        ({"threshold": "ten"}, "threshold"),
        ({"threshold": math.nan}, "threshold"),
        ({"solver_options": 5}, "solver_options must be a mapping; got 5"),
        ({"solver_options": {"timeLimit": -1}}, "time_limit must be seconds above 0"),
        ({"solver_options": {"threads": "many"}}, "threads must be a whole number"),
    ):
        with pytest.raises(InputError, match=message):
            MCES(**{"smiles1": "CCO", "smiles2": "CCN", **arguments})


# -- scikit-learn --------------------------------------------------------------------------------------------


def test_matrices_hold_the_similarities_and_distances_of_matches(monkeypatch):
    monkeypatch.setattr(matrices, "AT_ONCE", 7)
    X, Y = SMALL[:6], SMALL[6:9]
    for rules in (None, Rules(bonds="any", weights="order")):
        found = [[enpda.match(a, b, rules=rules) for b in Y] for a in X]
        assert np.array_equal(pairwise_similarities(X, Y, rules=rules), [[m.similarity for m in row] for row in found])
        assert np.array_equal(pairwise_distances(X, Y, rules=rules), [[m.distance for m in row] for row in found])


def test_one_set_gives_a_symmetric_matrix_and_every_pair_is_matched_once(monkeypatch):
    asked = []
    many = enpda.match_many
    monkeypatch.setattr(
        matrices, "match_many", lambda pairs, *rest, **more: asked.extend(pairs) or many(pairs, *rest, **more)
    )
    distances = pairwise_distances(SMALL[:8], threads=2)
    assert len(asked) == 8 * 9 / 2
    assert np.array_equal(distances, distances.T)
    assert np.array_equal(distances, pairwise_distances(SMALL[:8], SMALL[:8]))
    assert np.array_equal(np.diag(distances), np.zeros(8))
    similarities = pairwise_similarities(iter(SMALL[:8]))
    assert np.array_equal(np.diag(similarities), np.ones(8))
    assert pairwise_distances([]).shape == (0, 0)
    assert pairwise_distances([], ["C"]).shape == (0, 1)


def test_pairs_without_a_proof_are_announced():
    with pytest.warns(UserWarning, match="1 of the pairs are not proven optimal"):
        pairwise_similarities([drugs()["lapatinib"]], [drugs()["atorvastatin"]], method="analytic")


def test_matrices_refuse_what_has_no_meaning():
    for rules in (Rules(pinned={0: 0}), Rules(forbidden=[(0, 0)]), Rules(compatible=lambda i, j: i == j)):
        with pytest.raises(InputError, match="speak of one pair of graphs"):
            pairwise_distances(["CCO"], rules=rules)
    with pytest.raises(InputError, match="X must be a sequence of graphs, not one string"):
        pairwise_distances("CCO")
    with pytest.raises(InputError, match=r"Y\[1\]: not a SMILES"):
        pairwise_distances(["CCO"], ["CCO", "zzz"])
