"""Every kind of rule against brute force, and the labels that rules give."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdkit import Chem, rdBase

import enpda
from conditions import solved
from enpda import Graph, InputError, Match, Rules
from enpda.data import drug_pairs, drugs
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


@pytest.mark.slow
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


@pytest.mark.slow
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
