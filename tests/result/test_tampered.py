"""A match from JSON: what follows from other fields is not believed, and nothing but an input error escapes."""

from itertools import combinations, permutations

import numpy as np
import pytest

import enpda
from enpda import Constraints, Graph, InputError, Match
from enpda.problem.stereo import stereo_of, turned
from enpda.solve.loading import DERIVED, GIVEN

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"
LONE = "\ud800"
HUGE = 10**5000


# -- matches -------------------------------------------------------------------------------------------------

TAMPERED = {
    "edges": [[[0, 1], [0, 1]]],
    "fragments": [[0, 1]],
    "smarts": "C-C",
    "mapped_smiles": ["[CH4:1]", "[CH4:1]"],
    "transformation": "[OH:1]>>[OH:1]-C",
    "size": 8,
    "nodes": 9,
    "nodes_upper": 12,
    "upper": 10,
    "gap": 0.5,
    "optimal": False,
    "similarity": 0.99,
    "distance": 0,
    "optimal_numerical": True,
    "bounds": {"edge": 9},
    "status": "time_limit",
    "reason": "the time was up",
}


@pytest.fixture(scope="module")
def plain():
    return enpda.match(ASPIRIN, PARACETAMOL).to_dict()


def test_every_key_of_a_match_is_either_given_or_derived(plain):
    assert set(plain) == {*GIVEN, *DERIVED}
    assert set(TAMPERED) == set(DERIVED)


@pytest.mark.parametrize("name", DERIVED)
def test_a_tampered_field_that_follows_from_others_is_refused(name, plain):
    assert Match.from_dict(plain).to_dict() == plain
    assert Match.from_dict({k: v for k, v in plain.items() if k != name or k in ("size", "bounds")})
    with pytest.raises(InputError, match=f"{name}|confirmed|bound"):
        Match.from_dict({**plain, name: TAMPERED[name]})


@pytest.mark.parametrize(
    "value",
    [None, True, -1, 1.5, "x", "\x1b[2J", LONE, [[1, 2]], {"x": [1, 2]}, HUGE, np.nan],
    ids=lambda v: type(v).__name__,
)
def test_no_value_under_any_key_of_a_match_raises_anything_but_an_input_error(value, plain):
    sensible = {("seconds", 1.5), ("method", "x"), ("stopped", None), ("rules", None), ("constraints", None)}
    for name in plain:
        if any((name, value) == one for one in sensible) or value is plain[name]:
            continue
        with pytest.raises(InputError):
            Match.from_dict({**plain, name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"comment": "trust me"}, "a match has no key 'comment'"),
        ({"a": {"labels": [6], "edges": [], "colour": 3}}, "a graph has the keys .*; got 'colour'"),
        ({"seed": True}, "seed must be a whole number"),
        ({"threshold": True}, "threshold must be a whole number"),
        ({"mapping": {"0": False}}, "an image of the mapping must be a whole number"),
        ({"mapping": {" 0": 0}}, "a node of the mapping must be a whole number"),
        ({"mapping": {"0": 0, 0: 1}}, "gives node 0 twice"),
        ({"prices": ["1.5"]}, "prices must be a list of numbers"),
        ({"prices": [True, 1.5]}, "prices must be a list of numbers"),
        ({"prices": [1e300]}, "prices must be finite"),
        ({"trace": [[0.1, 2, "x", True]]}, "a stream of the trace must be a whole number"),
        ({"numerical": {"lp": [20.0, "fine\nVALID"]}}, "the status of the bound 'lp' must be printable"),
        ({"numerical": {"lp": [1.0, "Optimal"]}}, "not a match"),
        ({"method": "exact\x1b[1m"}, "method must be printable"),
    ],
)
def test_what_is_given_beside_the_mapping_is_looked_at(change, message, plain):
    with pytest.raises(InputError, match=message):
        Match.from_dict({**plain, **change})


FEWER = (
    Graph([1, 1, 1, 1, 1, 1], [(0, 3), (1, 2), (1, 5), (3, 5)]),
    Graph([0, 1, 1, 1, 1, 1], [(0, 1), (0, 5), (1, 2), (2, 3), (2, 4), (2, 5), (4, 5)]),
)
"""The mapping that `match` finds has as many edges as any, but fewer nodes than another."""


def test_the_bound_on_nodes_survives_the_way_through_json_and_a_false_one_is_refused():
    best = enpda.match(*FEWER, most_nodes=True)
    first = enpda.match(*FEWER)
    assert (first.nodes, first.nodes_upper, best.nodes, best.nodes_upper) == (4, 6, 5, 5)
    again = Match.from_json(best.to_json())
    assert again.nodes_upper == 5
    assert again.to_dict() == best.to_dict()
    assert Match.from_dict({**first.to_dict(), "nodes_upper": 5}).nodes_upper == 5  # true, though it was not proven
    for claim, message in ((4, "could not be confirmed"), (7, "nodes_upper is 6, not 7"), (True, "whole number")):
        with pytest.raises(InputError, match=message):
            Match.from_dict({**first.to_dict(), "nodes_upper": claim})


def legal_mappings(problem):
    """All mappings between two molecules that turn nothing round, as (edges, nodes)."""
    a, b = problem.a, problem.b
    sides = (stereo_of(a), stereo_of(b))
    partial = [{}]
    for label in np.unique(a.labels):
        left, right = np.flatnonzero(a.labels == label).tolist(), np.flatnonzero(b.labels == label).tolist()
        partial = [
            {**known, **dict(zip(some, image, strict=True))}
            for known in partial
            for count in range(min(len(left), len(right)) + 1)
            for some in combinations(left, count)
            for image in permutations(right, count)
        ]
    for mapping in partial:
        image = np.array([mapping.get(i, -1) for i in range(len(a))], dtype=np.int32)
        kept, _, size, nodes = problem.retained(image)
        if np.array_equal(kept, image) and not turned(problem, *sides, mapping):
            yield size, nodes


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"),
        ("C/C=C/CO", "C/C=C\\CO"),
        ("C[C@H](F)O", "CC[C@@H](F)O"),
        ("C/C(F)=C/C", "C/C(F)=C\\CC"),
    ],
)
def test_bounds_on_nodes_with_stereo_hold_for_every_mapping(a, b):
    constraints = Constraints(stereo=True)
    for most in (False, True):
        found = enpda.match(a, b, constraints=constraints, most_nodes=most)
        assert found.optimal
        best = max(legal_mappings(found.problem))
        assert found.size == best[0]
        assert found.nodes <= best[1] <= found.nodes_upper
        if most:
            assert found.nodes_upper < min(len(found.a), len(found.b), 2 * found.upper) or found.nodes == best[1]
        assert Match.from_json(found.to_json()).to_dict() == found.to_dict()
