"""Rules: every kind against brute force, RASCAL where it means the same, and what users do with them."""

import copy
import itertools
import json
import pickle
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem, rdBase
from rdkit.Chem import rdRascalMCES

import enpda
import enpda_verify
from enpda import Graph, InputError, Match, Rules, _core
from enpda.cli import main
from enpda.data import drug_pairs, drugs
from enpda.problem.problem import problem_of
from enpda.problem.rules import ORDER, seen
from oracles import adjacency, brute_force, brute_force_of_molecules
from strategies import graphs, random_graph, reordered

SMALL = [
    "CCO",
    "CC(=O)[O-]",
    "CC(=O)O",
    "C[N+](C)(C)C",
    "C1CC1CO",
    "CC#CC=C",
    "[13CH3]CC",
    "c1ccsc1",
    "C1CCSC1",
    "FC(Cl)C(Br)I",
    "C1CC1C=O",
    "[CH2]CC[OH2+]",
    "[Na+].[O-]C=C",
]
PAIRS = [(a, b) for a, b in itertools.combinations_with_replacement(SMALL, 2)]

ATOM = {
    "element": lambda atom: atom.GetSymbol(),
    "charge": lambda atom: atom.GetFormalCharge(),
    "isotope": lambda atom: atom.GetIsotope(),
    "hydrogens": lambda atom: atom.GetTotalNumHs(),
    "aromatic": lambda atom: atom.GetIsAromatic(),
    "ring": lambda atom: atom.IsInRing(),
    "degree": lambda atom: len(atom.GetNeighbors()),
    "valence": lambda atom: atom.GetTotalValence(),
}


@cache
def molecule(smiles: str) -> Graph:
    return Graph.from_smiles(smiles)


def same_element(x, y):
    return x.GetSymbol() == y.GetSymbol()


def same_order(x, y):
    return int(x.GetBondType() == y.GetBondType())


def solved(a, b, rules):
    m = enpda.match(a, b, "exact", rules=rules)
    assert m.optimal
    return m


# -- every kind of rule against brute force ------------------------------------------------------------------


@pytest.mark.parametrize("asked", [*ATOM, "element+charge", "element+degree+ring", "+".join(ATOM), "any"])
def test_atoms_share_what_was_asked_for(asked):
    names = [] if asked == "any" else asked.split("+")
    for left, right in PAIRS:
        a, b = molecule(left), molecule(right)
        expected = brute_force_of_molecules(a, b, lambda x, y: all(ATOM[k](x) == ATOM[k](y) for k in names), same_order)
        assert solved(a, b, Rules(atoms=asked)).size == expected, (left, right)


@pytest.mark.parametrize("bonds", ["order", "any"])
@pytest.mark.parametrize("ring_bonds", [False, True])
@pytest.mark.parametrize("weights", [None, "order", {1: 3, 2: 0, 3: 16, 12: 5}])
def test_bonds_share_order_and_ring_and_count_their_weight(bonds, ring_bonds, weights):
    def weight(bond):
        if weights is None:
            return 1
        return int(2 * bond.GetBondTypeAsDouble()) if weights == "order" else weights[int(bond.GetBondType())]

    def worth(x, y):
        if bonds == "order" and x.GetBondType() != y.GetBondType():
            return 0
        return 0 if ring_bonds and x.IsInRing() != y.IsInRing() else min(weight(x), weight(y))

    rules = Rules(bonds=bonds, ring_bonds=ring_bonds, weights=weights)
    for left, right in PAIRS:
        a, b = molecule(left), molecule(right)
        m = solved(a, b, rules)
        assert m.size == brute_force_of_molecules(a, b, same_element, worth), (left, right)
        total = sum(weight(bond) for g in (a, b) for bond in g.mol.GetBonds())
        assert m.distance == total - 2 * m.size


@pytest.mark.parametrize("patterns", ["[F,Cl,Br,I]", "[O,S] [#6,#8]", "[#6,#8] [O,S]", "[$(C=O)] [R]", "[#99]"])
def test_equivalent_atoms_count_as_one_element_by_the_first_pattern_that_fits(patterns):
    queries = [Chem.MolFromSmarts(pattern) for pattern in patterns.split()]

    def kind(atom):
        mol, place = atom.GetOwningMol(), (atom.GetIdx(),)
        return next((k for k, q in enumerate(queries) if place in mol.GetSubstructMatches(q)), atom.GetSymbol())

    for left, right in PAIRS:
        a, b = molecule(left), molecule(right)
        expected = brute_force_of_molecules(a, b, lambda x, y: kind(x) == kind(y), same_order)
        assert solved(a, b, Rules(equivalent=patterns)).size == expected, (left, right)
        assert solved(a, b, Rules(equivalent=patterns.split())).size == expected


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_compatible_pinned_and_forbidden_keep_nodes_apart(seed, weighted):
    rng = np.random.default_rng(seed)
    a, b = (random_graph(rng, int(rng.integers(2, 7)), 0.5, 2, 2) for _ in range(2))
    compatible = rng.random((len(a), len(b))) < 0.8
    forbidden = [(int(rng.integers(len(a))), int(rng.integers(len(b)))) for _ in range(2)]
    open_cells = np.argwhere(compatible & (a.labels[:, None] == b.labels[None, :])).tolist()
    pins = [(i, j) for i, j in open_cells if (i, j) not in forbidden][:1]
    weights = {0: 2, 1: 3} if weighted else None
    rules = Rules(compatible=compatible, pinned=dict(pins), forbidden=forbidden, weights=weights)

    def may_meet(i, j):
        pinned = all((i, j) == pin or (i != pin[0] and j != pin[1]) for pin in pins)
        return bool(compatible[i, j]) and (i, j) not in forbidden and pinned

    allowed = [[may_meet(i, j) for j in range(len(b))] for i in range(len(a))]
    expected = brute_force(a, b, allowed, (lambda x, y: weights[x] if x == y else 0) if weighted else None)[0]
    m = solved(a, b, rules)
    assert m.size == expected
    assert solved(a, b, Rules(compatible=may_meet, weights=weights)).size == expected
    assert all(may_meet(i, j) for i, j in m.mapping.items())


@given(a=graphs(), b=graphs())
def test_ring_and_degree_need_no_molecule(a, b):
    def rings(graph):
        near, result = adjacency(graph), set()
        for u, v in graph.edges.tolist():
            reached, queue = {u}, [u]
            for x in queue:
                fresh = [y for y in near[x] if y not in reached and {x, y} != {u, v}]
                reached.update(fresh)
                queue.extend(fresh)
            result |= {u, v} if v in reached else set()
        return result

    ring_a, ring_b, near_a, near_b = rings(a), rings(b), adjacency(a), adjacency(b)
    for name, alike in (
        ("ring", lambda i, j: (i in ring_a) == (j in ring_b)),
        ("degree", lambda i, j: len(near_a[i]) == len(near_b[j])),
    ):
        allowed = [[alike(i, j) for j in range(len(b))] for i in range(len(a))]
        assert solved(a, b, Rules(atoms=f"element+{name}")).size == brute_force(a, b, allowed)[0]


@given(a=graphs(), b=graphs())
def test_default_rules_change_nothing(a, b):
    plain, ruled = enpda.match(a, b), enpda.match(a, b, rules=Rules())
    assert (plain.mapping, plain.bounds) == (ruled.mapping, ruled.bounds)


EVERY = [
    Rules(atoms="element+hydrogens"),
    Rules(bonds="any", weights="order"),
    Rules(ring_bonds=True, weights="order"),
    Rules(equivalent="[F,Cl,Br,I] [O,S]", atoms="element+aromatic"),
    Rules(atoms="any", bonds="any"),
]


@pytest.mark.parametrize("rules", EVERY, ids=repr)
def test_neither_atom_order_nor_argument_order_changes_the_size(rules):
    rng = np.random.default_rng(5)
    for a, b in drug_pairs()[:6]:
        m = solved(a, b, rules)
        mixed = Graph.from_mol(Chem.RenumberAtoms(a.mol, rng.permutation(len(a)).tolist()))
        assert solved(mixed, b, rules).size == m.size
        back = solved(b, a, rules)
        assert (back.size, back.distance) == (m.size, m.distance)


@given(seed=st.integers(0, 10**6))
def test_reordering_a_graph_and_its_rules_keeps_the_size(seed):
    rng = np.random.default_rng(seed)
    a, b = random_graph(rng, 8, 0.4, 2, 2), random_graph(rng, 7, 0.4, 2, 2)
    compatible, order = rng.random((8, 7)) < 0.8, rng.permutation(8)
    there = solved(a, b, Rules(compatible=compatible, weights={0: 1, 1: 2}))
    moved = solved(reordered(a, order), b, Rules(compatible=compatible[order], weights={0: 1, 1: 2}))
    swapped = solved(b, a, Rules(compatible=compatible.T, weights={0: 1, 1: 2}))
    assert there.size == moved.size == swapped.size


def test_threshold_questions_speak_of_weight():
    a, b = drugs()["aspirin"], drugs()["paracetamol"]
    rules = Rules(bonds="any", weights="order")
    best = solved(a, b, rules)
    assert enpda.match(a, b, rules=rules, max_distance=best.distance).size == best.size
    assert enpda.match(a, b, rules=rules, max_distance=best.distance - 1).status == "below_threshold"
    assert enpda.match(a, b, rules=rules, min_size=best.size + 1).status == "below_threshold"
    with pytest.raises(InputError, match="cannot be asked with weights"):
        enpda.match(a, b, rules=rules, min_similarity=0.5)


# -- labels --------------------------------------------------------------------------------------------------


def test_eight_properties_at_once_still_tell_every_property_apart():
    everything = Rules(atoms="+".join(ATOM))
    for smiles in ("C", "[CH3+]", "[13CH4]", "[CH3]", "[SiH4]", "[CH2-]C"):
        a, b = molecule(smiles), molecule("C")
        same = all(f(a.mol.GetAtomWithIdx(0)) == f(b.mol.GetAtomWithIdx(0)) for f in ATOM.values())
        assert (seen(a, everything).labels[0] == seen(b, everything).labels[0]) == same, smiles


def test_labels_that_leave_no_room_are_refused_instead_of_colliding():
    edge = Graph([2**62, 0], [(0, 1)], [2**62])
    with pytest.raises(InputError, match="edge label must be within"):
        seen(edge, Rules(ring_bonds=True))
    with pytest.raises(InputError, match="label must be within"):
        seen(edge, Rules(atoms="element+degree"))
    star = Graph([0] * 4_098, [(0, k) for k in range(1, 4_098)])
    with pytest.raises(InputError, match="degree is compared from 0 to 4095"):
        seen(star, Rules(atoms="element+degree"))


def test_orders_are_those_of_rdkit():
    mol = Chem.RWMol(Chem.MolFromSmiles("CC"))
    bond = mol.GetBondWithIdx(0)
    with rdBase.BlockLogs():
        for label, kind in Chem.BondType.values.items():
            bond.SetBondType(kind)
            try:
                order = 2 * bond.GetBondTypeAsDouble()
            except RuntimeError:  # RDKit has no order for it
                order = None
            assert ORDER.get(label) == order, kind


def test_hydrogens_count_whether_they_are_nodes_or_not():
    plain, full = molecule("CCO"), Graph.from_mol(Chem.AddHs(Chem.MolFromSmiles("CCO")))
    rules = Rules(atoms="element+hydrogens")
    assert solved(plain, full, rules).size == 2
    assert seen(plain, rules).labels.tolist() == seen(full, rules).labels[:3].tolist()


def test_a_match_of_molecules_with_hydrogens_as_nodes_survives_json():
    full = Graph.from_mol(Chem.AddHs(Chem.MolFromSmiles("CC[NH3+]")))
    m = solved(full, molecule("CC[NH3+]"), Rules(atoms="element+charge+hydrogens"))
    again = Match.from_json(m.to_json())
    assert (again.size, again.mapping, again.rules) == (m.size, m.mapping, m.rules)


def test_molecules_that_were_never_sanitised_can_be_asked():
    raw = Chem.MolFromSmiles("C1CC1CO", sanitize=False)
    for rules in (Rules(atoms="element+hydrogens+valence"), Rules(equivalent="[R]"), Rules(atoms="element+ring")):
        assert seen(Graph.from_mol(raw), rules) == seen(molecule("C1CC1CO"), rules)
    assert raw.NeedsUpdatePropertyCache(), "the caller's molecule was changed"


# -- RASCAL --------------------------------------------------------------------------------------------------

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
    """docs/rules.md says so: RASCAL compares bonds by their ends without asking which end is which."""
    a, b = drugs()["paracetamol"], drugs()["ciprofloxacin"]
    size, _, atoms = rascal(a, b, {"exactConnectionsMatch": True})
    near_a, near_b = adjacency(a), adjacency(b)
    assert any(len(near_a[i]) != len(near_b[j]) for i, j in atoms)
    assert (size, solved(a, b, Rules(atoms="element+degree")).size) == (5, 3)


def test_rascal_replaces_atoms_pattern_by_pattern_and_enpda_does_not():
    """docs/rules.md says so: a later pattern of RASCAL's no longer finds the oxygen that an earlier one took."""
    a, b = molecule("CC(=O)CCC"), molecule("CC(=N)CCC")
    for patterns, theirs in (("[#7,#8] [$(C=O)]", 5), ("[$(C=O)] [#7,#8]", 2)):
        assert rascal(a, b, {"equivalentAtoms": patterns})[0] == theirs
        assert solved(a, b, Rules(equivalent=patterns)).size == 2


# -- results, certificates, optima ---------------------------------------------------------------------------

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"
RULED = [
    Rules(atoms="element+ring"),
    Rules(bonds="any", weights="order"),
    Rules(ring_bonds=True, weights={1: 1, 2: 5, 12: 2}),
    Rules(pinned={0: 0}, forbidden=[(1, 1)]),
    Rules(compatible=np.arange(13)[:, None] + np.arange(11)[None, :] > 8, equivalent="[O,N]"),
    Rules(compatible=lambda i, j: i + j > 8),
]


@pytest.mark.parametrize("rules", RULED, ids=repr)
def test_a_match_under_rules_survives_json(rules):
    m = solved(ASPIRIN, PARACETAMOL, rules)
    again = Match.from_json(m.to_json())
    assert (again.size, again.mapping, again.bounds, again.edges) == (m.size, m.mapping, m.bounds, m.edges)
    assert (again.weighted, again.distance, again.similarity) == (m.weighted, m.distance, m.similarity)
    if not callable(rules.compatible):
        assert again.rules == rules
    if m.weighted:
        with pytest.raises(InputError):
            Match.from_dict({**m.to_dict(), "rules": None})


@pytest.mark.parametrize("rules", RULED, ids=repr)
def test_certificates_under_rules_verify_and_forged_terms_do_not(rules):
    m = solved(ASPIRIN, PARACETAMOL, rules)
    content = m.certificate.content
    report = enpda.verify(m.certificate)
    assert (report.ok, report.size, report.upper) == (True, m.size, m.upper), report
    assert report.weighted is m.weighted
    alone = m.certificate.without_graphs()
    assert not enpda.verify(alone).ok
    assert enpda.verify(alone, (ASPIRIN, PARACETAMOL), rules).ok
    terms = content.get("terms")
    assert (terms is None) == m.problem.terms.plain
    if terms is None:
        return
    forgeries = []
    if terms["forbidden"]:
        used = next(iter(m.mapping.items()))
        forgeries.append({**terms, "forbidden": [*terms["forbidden"], list(used)]})
        forgeries.append({**terms, "forbidden": [*terms["forbidden"], [99, 0]]})
        forgeries.append({**terms, "forbidden": [[0]]})
    if terms["worth"]:
        x, y, value = terms["worth"][0]
        forgeries.append({**terms, "worth": [[x, y, value + 1], *terms["worth"][1:]]})
        forgeries.append({**terms, "worth": [[x, y, -1], *terms["worth"][1:]]})
        forgeries.append({**terms, "worth": [*terms["worth"], [x, y, value]]})
        forgeries.append({**terms, "worth": [[x, y, value + 0.5], *terms["worth"][1:]]})
        forgeries.append({**terms, "worth": None})
    forgeries.append({**terms, "more": 1})
    for forged in forgeries:
        lie = {**copy.deepcopy(content), "terms": forged}
        lie["seal"] = enpda_verify.seal(lie)
        assert not enpda_verify.verify(lie).ok, forged
    without = {key: value for key, value in content.items() if key != "terms"}
    assert not enpda_verify.verify(without).ok, "the seal covers the terms"


def test_a_mapping_that_the_terms_forbid_is_refused():
    free = enpda.match(ASPIRIN, PARACETAMOL)
    content = copy.deepcopy(free.certificate.content)
    i, j = next(iter(free.mapping.items()))
    content["terms"] = {"forbidden": [[i, j]], "worth": None}
    content["seal"] = enpda_verify.seal(content)
    assert "which the terms forbid" in enpda_verify.verify(content).reasons[0]
    with pytest.raises(InputError):
        Match(free.a, free.b, free.mapping, bounds={"edge": 11}, method="x", problem=problem_of(
            free.a, free.b, Rules(forbidden=[(i, j)])
        ))  # fmt: skip


def test_weight_is_not_called_edges():
    m = enpda.match(ASPIRIN, PARACETAMOL, rules=Rules(bonds="any", weights="order"))
    assert (m.size, len(m.edges)) == (26, 9)
    assert "weight 26, 9 edges, 10 nodes, proven optimal" in repr(m)
    assert "weight 26 in common (proven optimal), 9 bonds" in m.draw()
    assert "shared weight" in m._repr_html_()
    assert "weight 26" in repr(m.certificate)
    assert "VALID: weight 26, optimal" in str(enpda.verify(m.certificate))
    assert "weight at most 30" in repr(Match(m.a, m.b, m.mapping, bounds={"x": 30}, method="x", problem=m.problem))


def plain_optima(a, b, allowed, size, worth):
    """Every mapping of the best size, stripped, up to pairs of automorphisms that keep `allowed`."""
    left, right = adjacency(a), adjacency(b)

    def symmetries(graph, near):
        n = len(graph)
        for p in itertools.permutations(range(n)):
            if all(graph.labels[v] == graph.labels[p[v]] for v in range(n)) and all(
                near[p[u]].get(p[v]) == label for u in range(n) for v, label in near[u].items()
            ):
                yield p

    found = set()
    nodes = range(-1, len(b))
    for image in itertools.product(nodes, repeat=len(a)):
        used = [j for j in image if j >= 0]
        if len(set(used)) < len(used):
            continue
        if any(j >= 0 and not (a.labels[i] == b.labels[j] and allowed[i][j]) for i, j in enumerate(image)):
            continue
        won = [
            (i, k, worth(label, right[image[i]][image[k]]))
            for i in range(len(a))
            for k, label in left[i].items()
            if i < k and image[i] >= 0 and image[k] in right[image[i]]
        ]
        kept = {v for i, k, value in won if value > 0 for v in (i, k)}
        if sum(value for *_, value in won) == size and kept == {i for i, j in enumerate(image) if j >= 0}:
            found.add(frozenset((i, j) for i, j in enumerate(image) if j >= 0))
    pairs = [
        (p, q)
        for p in symmetries(a, left)
        for q in symmetries(b, right)
        if all(
            allowed[i][j] == allowed[p[i]][q[j]]
            for i in range(len(a))
            for j in range(len(b))
            if a.labels[i] == b.labels[j]
        )
    ]
    return {frozenset(frozenset((p[i], q[j]) for i, j in mapping) for p, q in pairs) for mapping in found}


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), masked=st.booleans(), weighted=st.booleans())
def test_optima_are_told_apart_by_symmetries_that_respect_the_rules(seed, masked, weighted):
    rng = np.random.default_rng(seed)
    a, b = (random_graph(rng, int(rng.integers(3, 5)), 0.7, 1, 2) for _ in range(2))
    allowed = rng.random((len(a), len(b))) < (0.8 if masked else 2)
    weights = {0: 1, 1: 2} if weighted else None
    rules = Rules(compatible=allowed if masked else None, weights=weights, bonds="any" if weighted else "order")
    optima = enpda.enumerate_optima(a, b, limit=10_000, rules=rules)
    assert optima.complete
    worth = (lambda x, y: min(weights[x], weights[y])) if weighted else (lambda x, y: int(x == y))
    expected = plain_optima(a, b, allowed.tolist(), optima[0].size, worth)
    ours = [frozenset(m.mapping.items()) for m in optima]
    assert len(ours) == len(expected)
    assert all(sum(mapping in kind for mapping in ours) == 1 for kind in expected)


def test_many_pairs_take_rules_and_devices_do_not():
    pairs, rules = [("CCCl", "CCBr"), ("CCF", "CCO")], Rules(equivalent="[F,Cl,Br,I]")
    assert [m.size for m in enpda.match_many(pairs, rules=rules)] == [2, 1]
    with pytest.raises(InputError, match="device compares labels as they are"):
        enpda.match_many(pairs, "core", device="cpu", rules=rules)


# -- the object ----------------------------------------------------------------------------------------------

SOME = [
    Rules(),
    Rules(atoms="any"),
    Rules(atoms=["ring", "element", "ring"], bonds="any", ring_bonds=True, equivalent=["[O,S]", "[F,Cl]"]),
    Rules(pinned={3: 1, 0: 2}, forbidden=[(2, 2), (1, 0), (2, 2)], weights={12: 3, -1: 0}),
    Rules(weights="order", compatible=[[1, 0], [0, 1]]),
    Rules(compatible=np.zeros((0, 3), dtype=bool)),
]


def test_rules_are_values():
    for x, y in itertools.product(range(len(SOME)), repeat=2):
        assert (SOME[x] == SOME[y]) is (x == y)
        assert (hash(SOME[x]) == hash(SOME[y])) is (x == y)
    for rules in SOME:
        for twin in (
            pickle.loads(pickle.dumps(rules)),
            copy.deepcopy(rules),
            Rules.from_dict(json.loads(json.dumps(rules.to_dict()))),
        ):
            assert twin.to_dict() == rules.to_dict()
            assert twin == rules or rules.compatible is not None  # an empty array has no second dimension in JSON
    assert Rules() != 1
    assert Rules(atoms="element+ring") == Rules(atoms=(" ring", "element"))
    assert repr(SOME[0]) == "Rules()"
    assert repr(Rules(bonds="any", weights="order")) == "Rules(bonds='any', weights='order')"


def test_rules_cannot_be_changed_from_outside():
    array, pins = np.ones((2, 2), dtype=bool), {0: 0}
    rules = Rules(compatible=array, pinned=pins)
    array[:], pins[1] = False, 1
    assert rules == Rules(compatible=np.ones((2, 2)) > 0, pinned={0: 0})
    with pytest.raises(ValueError, match="read-only"):
        rules.compatible[0, 0] = 0


def test_empty_graphs_take_any_rules():
    for a, b in ((Graph([]), Graph([1])), (Graph([]), Graph([]))):
        for rules in (Rules(atoms="ring"), Rules(compatible=[]), Rules(weights="order"), Rules(compatible=max)):
            assert enpda.match(a, b, rules=rules).size == 0


def refuse(i, j):
    raise KeyError("no such atom")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"atoms": "element+colour"}, "atoms .* must be one of 'element', .*; got 'colour'"),
        ({"atoms": "any+charge"}, "got 'any'"),
        ({"atoms": 5}, "atoms must be a string or a sequence of strings; got 5"),
        ({"atoms": [5]}, "got 5"),
        ({"bonds": "kekule"}, "bonds must be one of 'order', 'any'; got 'kekule'"),
        ({"ring_bonds": "no"}, "ring_bonds must be True or False; got 'no'"),
        ({"equivalent": "[F,Cl"}, r"SMARTS of one atom each; got '\[F,Cl'"),
        ({"equivalent": "CC"}, "SMARTS of one atom each; got 'CC'"),
        ({"equivalent": 5}, "equivalent must be a string"),
        ({"equivalent": ["C", 5]}, "equivalent must be SMARTS"),
        ({"equivalent": ["C"] * 1001}, "at most 1000 patterns"),
        ({"equivalent": "[F,Cl]", "atoms": "any"}, "equivalent is about elements, but atoms='any' compares none"),
        ({"equivalent": "[F,Cl]", "atoms": "ring"}, "atoms='ring' compares none"),
        ({"compatible": [1, 0]}, "two dimensions"),
        ({"compatible": [[1, 0], [1]]}, "regular array"),
        ({"compatible": [["a"]]}, "truth values"),
        ({"compatible": [[0.5]]}, "truth values"),
        ({"pinned": 5}, "pinned must be a mapping or pairs of whole numbers; got 5"),
        ({"pinned": {0: 1, 2: 1}}, "pinned uses a node twice"),
        ({"pinned": [(0, 1), (0, 2)]}, "pinned uses a node twice"),
        ({"pinned": {-1: 0}}, "a number of pinned must be a whole number from 0"),
        ({"pinned": {0: 0}, "forbidden": [(0, 0)]}, r"\(0, 0\) is pinned and forbidden"),
        ({"forbidden": [(0, 1, 2)]}, "forbidden must be"),
        ({"forbidden": [(0, True)]}, "got True"),
        ({"weights": "mass"}, "weights must be 'order' or a mapping of edge labels; got 'mass'"),
        ({"weights": {1: 17}}, "the weight of edge label 1 must be a whole number from 0 to 16; got 17"),
        ({"weights": {1: -1}}, "whole number from 0"),
        ({"weights": {1: 1.5}}, "got 1.5"),
        ({"weights": [(1, 2), (1, 3)]}, "two weights for one edge label"),
        ({"weights": 5}, "weights must be a mapping or pairs"),
    ],
)
def test_wrong_rules_are_refused_with_the_reason(arguments, message):
    with pytest.raises(InputError, match=message):
        Rules(**arguments)
    if not callable(arguments.get("compatible")):
        with pytest.raises(InputError, match=message):
            Rules.from_dict(arguments)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Rules(compatible=[[1]]), r"compatible must have the shape \(3, 2\) of the two graphs; got \(1, 1\)"),
        (Rules(compatible=refuse), r"compatible\(0, 0\) raised KeyError: 'no such atom'"),
        (Rules(pinned={7: 0}), "the rules speak of 7 -> 0, but the graphs have 3 and 2 nodes"),
        (Rules(forbidden=[(0, 7)]), "the rules speak of 0 -> 7"),
        (Rules(pinned={2: 0}), "pinned 2 -> 0, but the other rules keep these two nodes apart"),
        (Rules(pinned={0: 0}, compatible=[[0, 1]] * 3), "keep these two nodes apart"),
        (Rules(weights={2: 1}), "no weight for edge label 1: there are weights for 2"),
    ],
)
def test_rules_that_do_not_fit_the_pair_are_refused(rules, message):
    with pytest.raises(InputError, match=message):
        enpda.match("CCO", "CC", rules=rules)


def test_only_molecules_have_atoms():
    path = Graph([6, 6], [(0, 1)], [1])
    for rules in (Rules(atoms="element+charge"), Rules(equivalent="[F,Cl]")):
        with pytest.raises(InputError, match="is no molecule; use `compatible` for other graphs"):
            enpda.match(path, path, rules=rules)
    with pytest.raises(InputError, match="no weight for edge label 18: there are bond orders by RDKit's bond type"):
        enpda.match(Graph([6, 6], [(0, 1)], [18]), path, rules=Rules(weights="order"))
    with pytest.raises(InputError, match=r"rules must be enpda\.Rules"):
        enpda.match(path, path, rules={"bonds": "any"})
    with pytest.raises(InputError, match="rules have the keys atoms, bonds"):
        Rules.from_dict({"atom": "any"})
    with pytest.raises(InputError, match="cannot be written down"):
        Rules(compatible=max).to_dict()


def test_large_pairs_do_not_ask_a_callable_forever_nor_fill_the_memory():
    large = Graph([0] * 2_001, [(k, k + 1) for k in range(2_000)])
    with pytest.raises(InputError, match="compatible would be called 4004001 times"):
        enpda.match(large, large, rules=Rules(compatible=lambda i, j: True))
    huge = Graph([0] * 900_000)
    with pytest.raises(InputError, match="at most 64000000 cells"):
        enpda.match(huge, huge, rules=Rules(pinned={0: 0}))
    calls = []
    enpda.match("CCO", "CCN", rules=Rules(compatible=lambda i, j: calls.append((i, j)) or True))
    assert sorted(calls) == [(0, 0), (0, 1), (1, 0), (1, 1)], "asked where labels agree only"


def test_the_core_takes_no_more_than_max_worth():
    assert max(ORDER.values()) <= _core.MAX_WORTH


# -- the command line ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        (["--atoms", "element+charge"], Rules(atoms="element+charge")),
        (["--bonds", "any"], Rules(bonds="any")),
        (["--ring-bonds"], Rules(ring_bonds=True)),
        (["--equivalent", "[O,N]", "--equivalent", "[F,Cl]"], Rules(equivalent="[O,N] [F,Cl]")),
        (["--pin", "0:1", "--pin", "1:0"], Rules(pinned={0: 1, 1: 0})),
        (["--forbid", "0:0"], Rules(forbidden=[(0, 0)])),
        (["--weights", "order", "--bonds", "any"], Rules(weights="order", bonds="any")),
        (["--weights", "1:3", "--weights", "2:5"], Rules(weights={1: 3, 2: 5})),
        ([], None),
    ],
)
def test_every_rule_is_an_option(options, rules, capsys, tmp_path):
    assert main(["match", *options, "CC=O", "CCN", "--json"]) == 0
    found = Match.from_json(capsys.readouterr().out)
    expected = enpda.match("CC=O", "CCN", rules=rules)
    assert (found.rules, found.size, found.mapping) == (rules, expected.size, expected.mapping)
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps([[i, j] for i, j in found.mapping.items()]), encoding="utf-8")
    for more in ([], ["--mapping", str(mapping)]):
        assert main(["certify", "CC=O", "CCN", *options, *more, "--json"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert enpda_verify.verify(content).ok
        assert content["size"] == expected.size
    alone = tmp_path / "alone.json"
    expected.certificate.without_graphs().save(alone)
    assert main(["verify", str(alone), "--graphs", "CC=O", "CCN", *options]) == 0
    assert "VALID" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pin", "3"], "--pin takes two whole numbers as in 3:5; got '3'"),
        (["--forbid", "a:b"], "--forbid takes two whole numbers"),
        (["--weights", "mass"], "--weights takes two whole numbers as in 3:5 or 'order'; got 'mass'"),
        (["--atoms", "colour"], "got 'colour'"),
        (["--bonds", "kekule"], "kekule"),
        (["--equivalent", "CC"], "SMARTS of one atom each"),
        (["--pin", "0:9"], "the rules speak of 0 -> 9"),
    ],
)
def test_wrong_options_exit_2_with_one_message(options, message, capsys):
    assert main(["match", "CCO", "CCN", *options]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""


def test_help_groups_the_rules(capsys):
    for command in ("match", "certify"):
        assert main([command, "--help"]) == 0
        shown = capsys.readouterr().out
        for option in ("--atoms", "--bonds", "--ring-bonds", "--equivalent", "--pin", "--forbid", "--weights"):
            assert option in shown.split("Comparison")[1]
        assert "weight" in shown


def test_the_command_line_says_weight(capsys):
    assert main(["match", ASPIRIN, PARACETAMOL, "--bonds", "any", "--weights", "order"]) == 0
    assert "weight 26, 9 edges, 10 nodes (proven optimal)" in capsys.readouterr().out
