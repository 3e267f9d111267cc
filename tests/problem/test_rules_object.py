"""Rules are values, and wrong ones are refused with the reason."""

import copy
import itertools
import json
import pickle

import numpy as np
import pytest

import enpda
from enpda import Graph, InputError, Rules, _core
from enpda.problem.rules import ORDER

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
