"""RASCAL's gates: the same shapes as RDKit's, the same sizes where its options mean the same, and why not elsewhere."""

import itertools
import pickle

import pytest
from rdkit import Chem, rdBase
from rdkit.Chem import rdRascalMCES

import enpda
from enpda import InputError
from enpda.compat.rdkit import FindMCES, RascalOptions, RascalResult
from enpda.data import drug_pairs, drugs
from enpda.problem.constraints import rings_and_marks
from oracles import adjacency

ASPIRIN, PARACETAMOL = (Chem.MolFromSmiles(s) for s in ("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"))
PAIRS = [(a, b) for a, b in drug_pairs() if max(len(a), len(b)) <= 25]


def theirs(**values):
    """RDKit's options without its limits, and what is asked."""
    options = rdRascalMCES.RascalOptions()
    for name, value in {"similarityThreshold": 0.0, "maxBondMatchPairs": 10**6, "timeout": 1, **values}.items():
        setattr(options, name, value)
    return options


def rascal(a, b, options):
    with rdBase.BlockLogs():
        return rdRascalMCES.FindMCES(a, b, options)


def size(results):
    return len(results[0].bondMatches()) if results else 0


def mols(*smiles):
    return [Chem.MolFromSmiles(s) for s in smiles]


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
    ("warfarin", "clopidogrel"),
    ("ampicillin", "cefalexin"),
    ("paracetamol", "ciprofloxacin"),
    ("morphine", "sertraline"),
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


# -- sizes ---------------------------------------------------------------------------------------------------

GRID = {
    "partial rings": {"completeAromaticRings": False},
    "defaults": {},
    "ring bonds": {"completeAromaticRings": False, "ringMatchesRingOnly": True},
    "all rings": {"completeSmallestRings": True},
    "bond orders": {"completeAromaticRings": False, "ignoreBondOrders": True},
    "bond orders, aromatic rings": {"ignoreBondOrders": True},
    "connections": {"completeAromaticRings": False, "exactConnectionsMatch": True},
    "aromatic atoms": {"completeAromaticRings": False, "ignoreAtomAromaticity": False},
    "aromatic atoms and rings": {"ignoreAtomAromaticity": False},
    "equivalent atoms": {"completeAromaticRings": False, "equivalentAtoms": "[F,Cl,Br,I] [O,S]"},
    "equivalent atoms, aromatic rings": {"equivalentAtoms": "[#6,#7]"},
    "fragments of four": {"completeAromaticRings": False, "minFragSize": 4},
    "one fragment": {"completeAromaticRings": False, "singleLargestFrag": True},
    "one fragment, aromatic rings": {"singleLargestFrag": True},
    "one fragment, all rings": {"completeSmallestRings": True, "singleLargestFrag": True},
}


def broken(a, b, result, asked):
    """Whether a result breaks what the options say: partial rings, ring bonds on others, or unequal neighbours."""
    kind = "all" if asked.completeSmallestRings else "aromatic" if asked.completeAromaticRings else None
    if kind is not None:
        pairs = result.bondMatches()
        sides = [whole_rings(graph, {pair[k] for pair in pairs}, kind) for k, graph in enumerate((a, b))]
        for pair in pairs:
            (marked, closed), (other, also) = (side[bond] for side, bond in zip(sides, pair, strict=True))
            if marked != other or (marked and not (closed and also)):
                return True
    near = adjacency(a), adjacency(b)
    return asked.exactConnectionsMatch and any(len(near[0][i]) != len(near[1][j]) for i, j in result.atomMatches())


def whole_rings(graph, used, kind):
    """For each bond whether it counts with its ring only, and whether such a ring is used as a whole."""
    mol = graph.mol
    marks = rings_and_marks(graph, kind)[1]
    marked = {mol.GetBondBetweenAtoms(*e).GetIdx() for e, mark in zip(graph.edges.tolist(), marks, strict=True) if mark}
    rings = [set(ring) for ring in mol.GetRingInfo().BondRings() if marked.issuperset(ring)]
    return [(k in marked, any(k in ring <= used for ring in rings)) for k in range(mol.GetNumBonds())]


@pytest.mark.slow
@pytest.mark.parametrize("name", GRID)
def test_sizes_are_rascals_where_its_options_mean_the_same(name):
    asked = RascalOptions.of(theirs(**GRID[name]))
    same = total = 0
    pairs = PAIRS[::2] if asked.minFragSize > 0 else PAIRS  # RASCAL often takes all its time with that
    for a, b in pairs:
        their = rascal(a.mol, b.mol, theirs(**GRID[name]))
        ours = FindMCES(a.mol, b.mol, theirs(**GRID[name], returnEmptyMCES=True))
        assert not ours[0].timedOut
        assert not broken(a, b, ours[0], asked)
        if their and their[0].timedOut:
            assert size(ours) >= size(their) or broken(a, b, their[0], asked)
            continue
        total += 1
        same += size(ours) == size(their)
        if size(ours) < size(their):
            assert broken(a, b, their[0], asked), (a.name, b.name)
        elif size(ours) > size(their):
            # It takes one piece of some optimum, tells rings of equivalent atoms apart, and reports no single bonds.
            known = asked.singleLargestFrag or (asked.completeAromaticRings and asked.equivalentAtoms)
            assert known or (size(their), size(ours)) == (0, 1), (a.name, b.name)
    least = 0.4 if name == "bond orders, aromatic rings" else 0.75
    assert total >= 0.5 * len(pairs)
    assert same >= least * total


def test_options_go_together_as_they_do_in_rascal():
    flags = ["ringMatchesRingOnly", "ignoreBondOrders", "ignoreAtomAromaticity"]
    compared = 0
    for values in itertools.product([False, True], repeat=len(flags)):
        options = theirs(completeAromaticRings=False, equivalentAtoms="[N,O]", **dict(zip(flags, values, strict=True)))
        for a, b in PAIRS[::3]:
            their = rascal(a.mol, b.mol, options)
            if not (their and their[0].timedOut):
                ours = size(FindMCES(a.mol, b.mol, options))
                assert size(their) == ours or (size(their), ours) == (0, 1), (a.name, b.name, values)
                compared += 1
    assert compared >= 60


@pytest.mark.parametrize(
    ("a", "b", "values", "their", "own"),
    [
        # Bonds match when they lie in the same kind of ring; whether the ring ends up whole is not asked.
        ("c1ccc2ccccc2c1", "c1ccccc1.c1ccccc1", {}, 9, 6),
        ("c1ccc2[nH]ccc2c1", "c1ccccc1.c1cc[nH]c1", {}, 8, 6),
        ("CC1CC2C(=O)N(c3ccccc3)C(=O)C2c2[nH]c3ccccc3c21", "CCOC(=O)C(Cl)C1(O)Cc2cccc3cccc1c23", {}, 14, 12),
        # Without bond orders an aromatic ring lies on a chain in part, or as a whole on another ring.
        ("CCc1ccccc1", "CCCCCCCC", {"ignoreBondOrders": True}, 7, 2),
        ("Cc1ccccc1", "CC1CCCCC1", {"ignoreBondOrders": True}, 7, 1),
    ],
)
def test_rascal_may_keep_part_of_an_aromatic_ring(a, b, values, their, own):
    options = theirs(**values)
    left, right = enpda.Graph.from_smiles(a), enpda.Graph.from_smiles(b)
    (found,) = rascal(left.mol, right.mol, options)
    assert broken(left, right, found, RascalOptions.of(options))
    assert (len(found.bondMatches()), size(FindMCES(left.mol, right.mol, options))) == (their, own)


def test_equivalent_atoms_take_no_ring_away():
    """RASCAL tells a substituted ring atom from one with a hydrogen, but only when atoms are equivalent."""
    a, b = mols("Cn1ccnc1", "c1c[nH]cn1")
    for patterns, their in (("", 5), ("[#6,#7]", 0)):
        options = theirs(equivalentAtoms=patterns)
        assert (size(rascal(a, b, options)), size(FindMCES(a, b, options))) == (their, 5)


def test_aromatic_bonds_in_no_ring_match_each_other():
    """A molecule that was cut out of a larger one, and not sanitised, as RDKit's fragmenters leave them."""
    for smiles in ("[1*]ccc[2*]", "[1*]c(C)noc[3*]", "cc"):
        piece = Chem.MolFromSmiles(smiles, sanitize=False)
        ours = FindMCES(piece, piece, theirs())
        piece.UpdatePropertyCache(strict=False)
        Chem.FastFindRings(piece)  # RASCAL asks for them
        their = rascal(piece, piece, theirs())
        assert size(ours) == max(size(their), 1) == piece.GetNumBonds()
        assert ours[0].similarity == 1.0
    (benzene,) = mols("c1ccccc1")
    assert FindMCES(piece, benzene, theirs()) == rascal(piece, benzene, theirs()) == []  # but none in a ring


def test_stereo_marks_take_no_ring_away():
    """RASCAL tells a ring with a stereo centre of four heavy neighbours from one without."""
    for centre, their in (("C", 5), ("[C@]", 0)):
        (a, b), options = mols("C1CCNC1", f"CC{centre}1(C)CCCN1"), theirs(completeSmallestRings=True)
        assert (size(rascal(a, b, options)), size(FindMCES(a, b, options))) == (their, 5)


def test_smallest_rings_are_whole_whatever_their_bonds():
    """RASCAL finds nothing here."""
    (a, b), options = mols("Cc1ccccc1", "CC1CCCCC1"), theirs(completeSmallestRings=True, ignoreBondOrders=True)
    assert (size(rascal(a, b, options)), size(FindMCES(a, b, options))) == (0, 7)


def test_one_fragment_is_the_largest_there_is():
    a, b = (drugs()[name].mol for name in ("metoprolol", "salbutamol"))
    options = theirs(singleLargestFrag=True)
    assert (size(rascal(a, b, options)), size(FindMCES(a, b, options))) == (7, 9)


def test_fragments_are_measured_in_atoms():
    a, b = mols("CCOCC", "CCNCC")  # two times two carbon atoms, one bond each
    for least, expected in ((2, 2), (3, 0)):
        options = theirs(minFragSize=least)
        assert size(rascal(a, b, options)) == size(FindMCES(a, b, options)) == expected


def test_single_bonds_are_reported():
    a, b = mols("CCC", "CCO")
    assert (rascal(a, b, theirs()), size(FindMCES(a, b, theirs()))) == ([], 1)
    assert isinstance(FindMCES(*mols("C", "C"), theirs(returnEmptyMCES=True))[0], RascalResult)
    assert FindMCES(*mols("C", "C"), theirs()) == []
