"""RASCAL's gates: the same shapes as RDKit's, the same sizes where its options mean the same, and why not elsewhere."""

import itertools
import pickle

import pytest
from rdkit import Chem
from rdkit.Chem import rdRascalMCES

import enpda
from enpda import InputError
from enpda.compat.rdkit import FindMCES, RascalOptions
from enpda.data import drugs
from rascal_calls import PAIRS, mols, rascal, size, theirs

ASPIRIN, PARACETAMOL = (Chem.MolFromSmiles(s) for s in ("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"))


def chain(length):
    """An alkane of any length, without a parser's limits."""
    mol = Chem.RWMol()
    for k in range(length):
        mol.AddAtom(Chem.Atom(6))
        if k:
            mol.AddBond(k - 1, k, Chem.BondType.SINGLE)
    return mol.GetMol()


# -- options -------------------------------------------------------------------------------------------------


def test_names_and_defaults_are_rdkits():
    their, own = rdRascalMCES.RascalOptions(), RascalOptions()
    names = {name for name in dir(their) if not name.startswith("_")}
    assert names == set(vars(own))
    assert {name: getattr(their, name) for name in names} == vars(own)


def test_every_field_of_rdkits_options_is_taken():
    other = {
        "similarityThreshold": 0.25,
        "equivalentAtoms": "[O,N]",
        "minFragSize": 3,
        "maxFragSeparation": -1,
        "maxBestMCESs": 7,
        "timeout": 9,
        "maxBondMatchPairs": 77,
        "minCliqueSize": 2,
    }
    flags = {name: not value for name, value in vars(RascalOptions()).items() if isinstance(value, bool)}
    taken = RascalOptions.of(theirs(**other, **flags))
    assert vars(taken) == {**other, **flags}
    assert pickle.loads(pickle.dumps(taken)) == taken


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("maxFragSeparation", -2, "maxFragSeparation must be a whole number from -1"),
        ("timeout", "soon", "timeout must be a whole number from -1"),
        ("similarityThreshold", float("nan"), "similarityThreshold must be a number"),
        ("maxBestMCESs", 0, "maxBestMCESs must be a whole number from 1"),
        ("minFragSize", 1.5, "minFragSize must be a whole number"),
        ("completeAromaticRings", "yes", "completeAromaticRings must be True or False; got 'yes'"),
        ("equivalentAtoms", "[!!", "SMARTS"),
    ],
)
def test_options_without_a_meaning_are_refused(name, value, message):
    options = RascalOptions(similarityThreshold=0.0)
    setattr(options, name, value)
    with pytest.raises(InputError, match=message):
        FindMCES(ASPIRIN, PARACETAMOL, options)


def test_what_is_no_options_is_refused():
    with pytest.raises(InputError, match="opts must be RascalOptions, RDKit's or ours; 5 has no similarityThreshold"):
        FindMCES(ASPIRIN, PARACETAMOL, 5)
    misspelt = RascalOptions()
    misspelt.similarityTreshold = 0.1
    with pytest.raises(InputError, match="RascalOptions have no similarityTreshold; they have similarityThreshold, "):
        FindMCES(ASPIRIN, PARACETAMOL, misspelt)
    with pytest.raises(InputError, match="allBestMCESs needs maxFragSeparation -1; got 2"):
        FindMCES(ASPIRIN, PARACETAMOL, RascalOptions(allBestMCESs=True, maxFragSeparation=2))


def test_what_is_no_molecule_is_refused_and_an_empty_one_shares_nothing():
    for wrong in (None, 5, b"CCO", Chem):
        for pair in ((wrong, PARACETAMOL), (PARACETAMOL, wrong)):
            with pytest.raises(InputError, match="RDKit Mol or networkx graph is needed"):
                FindMCES(*pair)
    empty = Chem.Mol()
    for values in ({}, {"allBestMCESs": True}, {"maxFragSeparation": 1}, {"minCliqueSize": 1}):
        for pair in itertools.product((empty, PARACETAMOL), repeat=2):
            if empty in pair:
                assert FindMCES(*pair, theirs(**values)) == []
                (found,) = FindMCES(*pair, theirs(returnEmptyMCES=True, **values))
                assert (found.bondMatches(), found.atomMatches(), found.smartsString) == ([], [], "")


def test_molecules_too_large_are_refused_in_words():
    long = chain(9_000)
    with pytest.raises(InputError, match="9000 x 9000 cells; at most"):
        FindMCES(long, long, theirs(timeout=60))  # it has to be looked at first


# -- results -------------------------------------------------------------------------------------------------

ACCESSORS = ["similarity", "numFragments", "largestFragmentSize", "timedOut"]


def shape(results):
    """Everything that does not depend on which of several optima was found."""
    return [
        (
            [getattr(r, name) for name in ACCESSORS],
            len(r.bondMatches()),
            len(r.atomMatches()),
            bool(r.smartsString),
            type(r.bondMatches()),
            {tuple(map(type, pair)) for pair in r.bondMatches() + r.atomMatches()},
        )
        for r in results
    ]


def test_the_accessors_are_rdkits():
    public = {name for name in dir(rdRascalMCES.RascalResult) if not name.startswith("_")}
    (found,) = FindMCES(ASPIRIN, PARACETAMOL, theirs())
    assert public | {"match"} == {name for name in dir(found) if not name.startswith("_")}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"similarityThreshold": 0.6},  # below the similarity, 0.631
        {"similarityThreshold": 0.7},
        {"similarityThreshold": 0.7, "returnEmptyMCES": True},
        {"similarityThreshold": 1.5},
        {"similarityThreshold": -1.0},
        {"minCliqueSize": 12},
        {"minCliqueSize": 12, "returnEmptyMCES": True},
        {"singleLargestFrag": True},
        {"minFragSize": 4},
        {"minFragSize": 0},
        {"equivalentAtoms": "[O,N]"},
        {"allBestMCESs": True, "maxBestMCESs": 1},
        {"timeout": -1},
    ],
    ids=str,
)
def test_results_have_rdkits_shape(values):
    options = theirs(**values)
    ours = FindMCES(ASPIRIN, PARACETAMOL, options)
    assert shape(ours) == shape(rascal(ASPIRIN, PARACETAMOL, options))
    for found in ours:
        assert 1.0 >= found.tier1Sim >= found.tier2Sim >= found.similarity
        assert found.bondMatches() == sorted(found.bondMatches())
        again = pickle.loads(pickle.dumps(found))
        assert shape([again]) == shape([found])
        assert (again.smartsString, again.tier1Sim, again.tier2Sim) == (
            found.smartsString,
            found.tier1Sim,
            found.tier2Sim,
        )


def test_without_options_the_defaults_hold():
    assert FindMCES(ASPIRIN, PARACETAMOL) == []
    assert shape(FindMCES(ASPIRIN, ASPIRIN)) == shape(rdRascalMCES.FindMCES(ASPIRIN, ASPIRIN))


def test_smarts_match_both_molecules():
    for a, b in PAIRS[:10]:
        for found in FindMCES(a.mol, b.mol, theirs()):
            pattern = Chem.MolFromSmarts(found.smartsString)
            assert a.mol.HasSubstructMatch(pattern)
            assert b.mol.HasSubstructMatch(pattern)
            assert pattern.GetNumBonds() == len(found.bondMatches())


def test_the_largest_fragment_alone_is_rdkits():
    for a, b in [(ASPIRIN, PARACETAMOL), mols("CCOc1ccccc1", "CCNc1ccccc1C")]:
        (ours,), (their,) = FindMCES(a, b, theirs()), rascal(a, b, theirs())
        upper = ours.match.upper
        for _ in range(2):
            ours.largestFragmentOnly()
            their.largestFragmentOnly()
            assert shape([ours]) == shape([their])
            assert ours.numFragments == 1
        assert (ours.match.upper, ours.match.optimal, ours.timedOut) == (upper, False, False)
        assert enpda.verify(ours.match.certificate).ok


SMALL = [(a, b) for a, b in PAIRS if max(len(a), len(b)) <= 20]


@pytest.mark.parametrize("pair", SMALL, ids=lambda pair: f"{pair[0].name} {pair[1].name}")
def test_all_best_are_rascals(pair):
    """As many, and the same pairs of bonds; the way round of a bond that stands alone makes no other part."""
    options = theirs(allBestMCESs=True, completeAromaticRings=False, timeout=20)
    ours, their = (find(pair[0].mol, pair[1].mol, options) for find in (FindMCES, rascal))
    assert not any(r.timedOut for r in [*ours, *their])
    shared = [tuple(r.bondMatches()) for r in ours]
    assert len(set(shared)) == len(shared)
    if their:  # it reports no single bonds
        assert sorted(shared) == sorted(tuple(r.bondMatches()) for r in their)
    assert [r.numFragments for r in ours] == sorted(r.numFragments for r in ours)
    few = FindMCES(pair[0].mol, pair[1].mol, theirs(allBestMCESs=True, completeAromaticRings=False, maxBestMCESs=2))
    assert len(few) == min(len(ours), 2)
    assert {tuple(r.bondMatches()) for r in few} <= set(shared)


@pytest.mark.slow
def test_the_threshold_decides_about_the_answer_and_never_changes_its_bonds():
    """RASCAL compares it with estimates, and returns some pairs that are less similar."""
    below = 0
    for a, b in PAIRS[:12]:
        (best,) = FindMCES(a.mol, b.mol, theirs())
        most = enpda.match(a, b, "exact", constraints=AROMATIC, most_nodes=True)
        for threshold in (best.similarity - 0.01, best.similarity, best.similarity + 1e-9, most.similarity, 0.9):
            options = theirs(similarityThreshold=threshold)
            found = FindMCES(a.mol, b.mol, options)
            assert len(found) == (most.similarity >= threshold)
            assert all((size([r]), r.timedOut) == (most.size, False) for r in found)
            assert all(r.similarity >= threshold for r in found)
            if best.similarity >= threshold:
                assert found[0].atomMatches() == best.atomMatches()
            below += any(r.similarity < threshold for r in rascal(a.mol, b.mol, options))
    assert below > 0


AROMATIC = enpda.Constraints(rings="aromatic")
MORE_ATOMS = [
    ("gefitinib", "erlotinib"),
    ("naloxone", "sildenafil"),
    ("metoprolol", "testosterone"),
    ("amoxicillin", "fluoxetine"),
    ("alprazolam", "citalopram"),
    ("hydrocortisone", "morphine"),
]


@pytest.mark.parametrize("names", MORE_ATOMS, ids=" ".join)
def test_a_similarity_that_match_proves_is_not_denied(names):
    """Other optima have more atoms than the first one found, and only with them the similarity is reached."""
    a, b = (drugs()[name] for name in names)
    plain, most = (enpda.match(a, b, "exact", constraints=AROMATIC, most_nodes=more) for more in (False, True))
    assert plain.size == most.size
    assert plain.similarity < most.similarity
    between = (plain.similarity + most.similarity) / 2
    for values in ({}, {"allBestMCESs": True}, {"allBestMCESs": True, "maxBestMCESs": 1}, {"returnEmptyMCES": True}):
        found = FindMCES(a.mol, b.mol, RascalOptions(similarityThreshold=between, **values))
        assert max(r.similarity for r in found) >= between
        assert {(r.match.size, r.match.optimal, r.timedOut) for r in found} == {(most.size, True, False)}
        assert len(found) <= (values.get("maxBestMCESs") or 10_000)
        assert FindMCES(a.mol, b.mol, RascalOptions(similarityThreshold=most.similarity + 1e-9)) == []


def test_a_least_number_of_bonds_overrides_the_threshold():
    """As RDKit's documentation says; RASCAL excludes pairs by its estimates all the same, and may return too few."""
    options = theirs(similarityThreshold=0.9, minCliqueSize=9)
    assert rascal(ASPIRIN, PARACETAMOL, options) == []
    assert size(FindMCES(ASPIRIN, PARACETAMOL, options)) == 9
    fewer = 0
    for a, b in PAIRS[:12]:
        best = size(FindMCES(a.mol, b.mol, theirs(completeAromaticRings=False)))
        enough, more = (theirs(completeAromaticRings=False, minCliqueSize=k) for k in (best, best + 1))
        assert size(FindMCES(a.mol, b.mol, enough)) == best
        assert FindMCES(a.mol, b.mol, more) == []
        fewer += 0 < size(rascal(a.mol, b.mol, enough)) < best
    assert fewer > 0


# -- time ----------------------------------------------------------------------------------------------------

HARD = [drugs()[name].mol for name in ("lapatinib", "atorvastatin")]


@pytest.mark.parametrize(
    "values",
    [{}, {"similarityThreshold": 0.4}, {"returnEmptyMCES": True}, {"allBestMCESs": True}, {"minCliqueSize": 26}],
    ids=str,
)
def test_giving_up_is_marked_and_never_empty(values):
    options = theirs(completeAromaticRings=False, timeout=0, **values)
    (found,) = FindMCES(*HARD, options)
    assert found.timedOut
    assert not found.match.optimal
    assert pickle.loads(pickle.dumps(found)).timedOut


@pytest.mark.slow
def test_optima_that_time_cut_short_are_marked():
    a, b = mols("C" * 40, "C1CC1." + "CC." * 12 + "CC")
    found = FindMCES(a, b, theirs(allBestMCESs=True, maxBestMCESs=10**9, completeAromaticRings=False))
    assert found
    assert all(r.timedOut for r in found)
    few = FindMCES(a, b, theirs(allBestMCESs=True, maxBestMCESs=2, completeAromaticRings=False, timeout=60))
    assert not any(r.timedOut for r in few)  # as many as were asked for
