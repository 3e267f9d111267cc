"""Many pairs give what each of them alone gives, in order, a little ahead of the caller and no further."""

import gc
import itertools
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enpda import Constraints, Graph, InputError, Rules, match, match_many, match_stream
from enpda.bulk.many import WINDOW
from enpda.data import drug_pairs
from processes import ended
from strategies import graphs, random_graph

pytestmark = pytest.mark.native

FEW = drug_pairs()[:6]
TINY = [("CCO", "CCN"), ("C1CC1", "CCC"), ("C/C=C/CO", "C/C=C\\CO"), ("C[C@H](N)O", "C[C@@H](N)O"), ("C", "CC")]


def facts(m):
    return m.mapping, m.size, m.nodes, m.upper, m.bounds, m.status, m.method, m.seed


def hard(seed=0, n=60):
    """A pair that keeps a thread busy until its limit."""
    rng = np.random.default_rng(seed)
    return random_graph(rng, n, 0.5, 1, 1), random_graph(rng, n, 0.5, 1, 1)


def threads_of_this_process():
    return len(list(Path("/proc/self/task").iterdir()))


# -- the same as one by one ----------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.lists(st.tuples(graphs(), graphs()), max_size=6), st.sampled_from([1, 2, 5]))
def test_many_pairs_give_what_a_loop_gives_for_any_number_of_threads(pairs, threads):
    expected = [facts(match(a, b)) for a, b in pairs]
    assert [facts(m) for m in match_many(pairs, threads=threads)] == expected
    assert [facts(m) for m in match_stream(iter(pairs), threads=threads)] == expected


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "fast", "seed": 7},
        {"method": "core"},
        {"method": "paper-fast", "policy": "default"},
        {"method": "analytic", "samples": 3, "decoder": "hungarian"},
        {"min_similarity": 0.8},
        {"bound": "lp", "method": "analytic"},
        {"rules": Rules(bonds="any", ring_bonds=True)},
        {"rules": Rules(weights="order")},
        {"constraints": Constraints(rings="all", connected=True)},
        {"constraints": Constraints(stereo=True)},
        {"rules": Rules(equivalent="[N,O]"), "constraints": Constraints(stereo=True, min_fragment=2)},
    ],
    ids=str,
)
def test_every_option_means_what_it_means_for_one_pair(options):
    pairs = FEW[:2] + TINY
    expected = [facts(match(a, b, **options)) for a, b in pairs]
    for threads in (1, 3):
        assert [facts(m) for m in match_many(pairs, threads=threads, **options)] == expected


@pytest.mark.parametrize("constraints", [None, Constraints(stereo=True)])
def test_a_trace_is_kept_when_it_is_asked_for(constraints):
    for wanted in (False, True):
        found = match_many(FEW[:2], "fast", trace=wanted, constraints=constraints)
        alone = [match(a, b, "fast", trace=wanted, constraints=constraints) for a, b in FEW[:2]]
        assert [[step[1:] for step in m.trace] for m in found] == [[step[1:] for step in m.trace] for m in alone]
        assert any(m.trace for m in found) == wanted


def test_a_listener_hears_of_every_pair():
    heard = []
    found = match_many(FEW[:3], "fast", threads=2, on_improve=heard.append)
    assert {m.size for m in found} <= {step.size for step in heard}


def test_the_order_is_that_of_the_pairs_though_the_largest_are_begun_first():
    pairs = [TINY[0], FEW[0], TINY[1], FEW[1], TINY[4]]
    found = match_many(pairs * 4, threads=2)
    assert [len(m.a) for m in found] == [len(match(a, b).a) for a, b in pairs] * 4


def test_the_limit_is_each_pairs_own():
    easy = [TINY[0], TINY[1]]
    found = match_many([hard(0), *easy, hard(1)], "exact", time_limit=0.3, threads=2)
    assert [m.status for m in found] == ["time_limit", "optimal", "optimal", "time_limit"]


def test_nothing_in_nothing_out():
    assert match_many([]) == []
    assert list(match_stream(iter(()))) == []


# -- streams -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("constraints", [None, Constraints(stereo=True)])
def test_an_endless_stream_is_read_a_window_ahead(constraints):
    taken = itertools.count()
    pairs = (TINY[next(taken) % len(TINY)] for _ in itertools.count())
    stream = match_stream(pairs, threads=2, constraints=constraints)
    assert next(taken) == 0  # nothing is read before the first match is asked for
    assert [m.size for m in itertools.islice(stream, 300)] == [
        match(*TINY[k % len(TINY)], constraints=constraints).size for k in range(1, 301)
    ]
    assert 300 <= next(taken) <= 301 + 2 * WINDOW
    stream.close()


@pytest.mark.parametrize("constraints", [None, Constraints(stereo=True)])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (("CCO", "not a molecule"), "not a SMILES"),
        (("CCO",), "two graphs are needed"),
        (5, "two graphs are needed"),
        (("CCO", None), "None"),
    ],
)
def test_a_bad_pair_is_named_by_its_number_after_all_before_it_were_given(bad, said, constraints):
    stream = match_stream([TINY[0], TINY[1], bad, TINY[2]], constraints=constraints)
    assert [next(stream).size, next(stream).size] == [1, 2]
    with pytest.raises(InputError, match=rf"^pair 2: .*{said}"):
        next(stream)
    with pytest.raises(StopIteration):
        next(stream)


def test_a_pair_that_the_rules_refuse_is_named_by_its_number():
    plain = Graph([1, 1], [(0, 1)])
    for threads in (1, 2):
        with pytest.raises(InputError, match=r"^pair 1: .*charge"):
            match_many([("CC", "CO"), (plain, plain)], rules=Rules(atoms="element+charge"), threads=threads)


def test_an_error_of_the_callers_own_iterator_comes_out_as_it_is():
    def pairs():
        yield TINY[0]
        raise KeyError("mine")

    stream = match_stream(pairs())
    assert next(stream).size == 1
    with pytest.raises(KeyError, match="mine"):
        next(stream)


def test_bad_options_are_refused_at_the_call():
    with pytest.raises(InputError, match="threads must be"):
        match_stream([], threads=0)
    with pytest.raises(InputError, match="method must be"):
        match_stream([], "quick")


def test_a_stream_that_is_dropped_half_way_ends_its_threads_at_once():
    before = threads_of_this_process()
    stream = match_stream([TINY[4], hard(0), hard(1)], "exact", time_limit=None, threads=3)
    assert next(stream).size == 0
    assert threads_of_this_process() == before + 3
    stream.close()
    assert threads_of_this_process() <= before


def test_threads_end_though_the_traceback_of_an_error_is_kept():
    before = threads_of_this_process()
    stream = match_stream(itertools.chain([TINY[0]], [None], itertools.repeat(hard())), "exact", threads=2)
    with pytest.raises(InputError) as caught:
        list(stream)
    assert caught.tb is not None
    assert threads_of_this_process() <= before


def test_a_stream_without_a_reader_is_collected():
    before = threads_of_this_process()
    stream = match_stream(itertools.cycle([hard()]), time_limit=0.05, threads=2)
    next(stream)
    del stream
    gc.collect()
    assert threads_of_this_process() <= before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ("", None),
        # A listener is called above the compiled core: pairs that are under way go on to their own limit.
        ("on_improve=lambda step: None", 2.0),
    ],
)
def test_ctrl_c_ends_a_call_before_its_pairs_are_done(options, limit):
    code = f"""
import enpda, signal, sys
sys.path[:0] = {[str(folder) for folder in Path(__file__).parents[:2]]!r}
from test_many import hard
pairs = [hard(k) for k in range(8)] * 100  # minutes
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without job control has it ignored
print("go", flush=True)
enpda.match_many(pairs, "exact", time_limit={limit}, threads=2, {options})
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"go\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = ended(process)
    assert b"KeyboardInterrupt" in errors
    assert process.returncode != 0


def test_a_device_takes_the_numbered_errors_too():
    with pytest.raises(InputError, match=r"^pair 1: "):
        match_many([("CC", "CO"), ("CC", "?")], "core", device="cpu")
