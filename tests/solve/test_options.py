"""What a call is told is checked once, and told again by its value: never more than its value."""

import copy
import os
import pickle
import shutil
from dataclasses import fields

import numpy as np
import pytest

import enpda
from enpda import Constraints, Graph, InputError, Rules
from enpda.problem.problem import problem_of
from enpda.solve import policy as policies
from enpda.solve.options import Options, asked

A, B = Graph.from_smiles("CC(=O)Oc1ccccc1C(=O)O"), Graph.from_smiles("CC(=O)Nc1ccc(O)cc1")


def test_equal_values_are_checked_once():
    def of(**changes):
        return asked(*(getattr(Options(**changes), entry.name) for entry in fields(Options)))

    assert of(method="exact", seed=7) is of(method="exact", seed=7)
    assert of(method="exact", seed=7) == Options("exact", seed=7)
    assert of(method="exact", seed=8) is not of(method="exact", seed=7)


@pytest.mark.parametrize("name", ["seed", "rounds", "threads", "min_size", "max_distance", "samples"])
@pytest.mark.parametrize("bad", [True, 1.0, np.float64(1), "1", [1]])
def test_what_is_equal_to_a_good_value_is_refused_all_the_same(name, bad):
    for good in (1, np.int64(1)):
        enpda.match("CC", "CC", **{name: good})
    with pytest.raises(InputError, match=name):
        enpda.match("CC", "CC", **{name: bad})
    enpda.match("CC", "CC", **{name: 1})


@pytest.mark.parametrize("bad", [["auto"], {"auto": 1}, ("auto", []), np.array([1])])
def test_values_that_cannot_be_compared_are_refused_in_words(bad):
    for name in ("method", "time_limit", "policy", "bound", "decoder"):
        with pytest.raises(InputError, match=name):
            enpda.match("CC", "CC", **{name: bad})


def test_rules_that_cannot_be_hashed_work():
    class Alike(list):
        def __call__(self, i, j):
            return True

    rules = Rules(compatible=Alike())
    with pytest.raises(TypeError):
        hash(rules)
    for _ in range(2):
        assert enpda.match(A, B, rules=rules).size == enpda.match(A, B).size


def test_a_match_shows_the_rules_and_constraints_it_was_given():
    for _ in range(2):
        rules, constraints = Rules(bonds="any"), Constraints(connected=True)
        m = enpda.match(A, B, rules=rules, constraints=constraints)
        assert m.rules is rules
        assert m.constraints is constraints


def test_what_the_core_is_told_of_one_pair_is_told_of_no_other():
    options, problem = Options(), problem_of(A, B)
    first = options.core(problem)
    first.min_size, first.rlt.record, first.searches = 3, False, []
    again = options.core(problem)
    assert (again.min_size, again.rlt.record, len(again.searches)) == (0, True, 3)
    assert options.work().rlt.record


def test_options_go_to_other_processes_without_what_was_made_of_them():
    options = Options("exact", seed=3)
    options.work()
    for other in (pickle.loads(pickle.dumps(options)), copy.deepcopy(options)):
        assert other == options
        assert vars(other).keys() == vars(Options()).keys()
        assert enpda.match(A, B, "exact", seed=3).size == 9


def test_a_policy_that_changes_on_the_disk_is_read_again(tmp_path):
    path = tmp_path / "mine.safetensors"

    def proposal():
        m = enpda.match(A, B, "core", policy=path)
        return m.bounds.get("rlt"), m.prices.tolist()

    def direct(name):
        m = enpda.match(A, B, "core", policy=policies.shipped(name))
        return m.bounds.get("rlt"), m.prices.tolist()

    kept = Options("core", policy=path)
    seen = []
    for when, name in enumerate(("shares-0", "full-0", "shares-1")):
        shutil.copy(policies.shipped(name), path)
        os.utime(path, ns=(when, when))
        assert proposal() == direct(name)
        kept.work()
        seen.append(kept.work().rlt.network)
        assert policies.steps_of(path, "proposal", 4) == policies.steps_of(policies.shipped(name), "proposal", 4)
    assert seen[0] is not seen[2]
    assert seen[1] is None
    path.unlink()
    with pytest.raises(InputError, match="No such file"):
        enpda.match(A, B, "core", policy=path)
