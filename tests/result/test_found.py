"""A match that looks at what the compiled core found is the match that the constructor makes of all its parts."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enpda
from enpda import Constraints, Match, Rules
from enpda.result.found import PARTS
from enpda.result.match import ARGUMENTS
from strategies import graphs, molecules

ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"
OPTIONS = [
    {},
    {"method": "analytic", "samples": 2},
    {"min_size": 3, "trace": True},
    {"rules": Rules(weights="order")},
    {"constraints": Constraints(rings="all", connected=True)},
    {"most_nodes": True},
]


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return one == other and type(one) is type(other)


@given(st.one_of(st.tuples(graphs(6), graphs(6)), st.tuples(molecules(), molecules())), st.sampled_from(OPTIONS[:3]))
def test_every_part_is_what_the_constructor_makes(pair, options):
    thin = enpda.match(*pair, **options)
    parts = {name: getattr(thin, "index_mapping" if name == "mapping" else name) for name in ARGUMENTS}
    whole = Match(**parts)
    for name in PARTS:
        if name != "problem":
            assert same(getattr(thin, name), getattr(whole, name)), name
    assert thin.to_dict() == whole.to_dict()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_survives_pickle_and_copies_before_and_after_it_was_looked_at(options):
    for look in (False, True):
        m = enpda.match(ASPIRIN, PARACETAMOL, **options)
        if look:
            m.to_dict()
        for again in (pickle.loads(pickle.dumps(m)), copy.copy(m), copy.deepcopy(m)):
            assert again.to_dict() == m.to_dict()
            assert again.certificate.content == m.certificate.content


def test_nothing_is_made_before_it_is_asked_for():
    m = enpda.match(ASPIRIN, PARACETAMOL)
    assert not {*PARTS, "mapping", "edges"} - {"problem"} & vars(m).keys()
    assert (m.size, m.upper) == (9, 9)
    assert m.mapping is m.mapping
    (found,) = enpda.match_many([(ASPIRIN, PARACETAMOL)])
    assert not set(PARTS) & vars(found).keys()
    assert found.problem.given == (found.a, found.b)
    assert found.certificate.content["upper"] == 9


def test_threads_may_look_at_one_match():
    m = enpda.match(ASPIRIN, PARACETAMOL)
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(m.to_dict())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [m.to_dict()] * 8
