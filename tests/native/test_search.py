"""Search operators, the portfolio, deadlines, interruption and threads."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import enpda
import oracles
from enpda import Graph, _core
from enpda.data import drugs
from enpda.solve.budget import PRESETS, Budget
from processes import ended
from strategies import graphs, random_graph

OPERATORS = [op for op in _core.Operator if op not in (_core.Operator.proposal, _core.Operator.bound)]
BUDGET = Budget(passes=30, anneal_steps=2_000, neighbourhood_steps=20)


def run_operator(operator, a, b, start=None, seed=0, budget=BUDGET):
    """One operator alone; returns (end, best, start size, best size), all re-counted."""
    image = np.full(len(a), -1, dtype=np.int32) if start is None else start
    end, best, size, best_size = _core.run_operator(operator, a.core, b.core, image, budget.options(4, seed, 1))
    for mapping in (end, best):
        used = mapping[mapping >= 0]
        assert len(set(used.tolist())) == len(used)
        assert (a.labels[mapping >= 0] == b.labels[used]).all()
    assert len(_core.preserved_edges(a.core, b.core, best)) == best_size
    return end, best, size, best_size


def partial_mapping(a, b, random):
    """Any legal partial mapping, idle nodes included."""
    image = np.full(len(a), -1, dtype=np.int32)
    free = list(range(len(b)))
    for i in range(len(a)):
        choices = [j for j in free if a.labels[i] == b.labels[j]]
        if choices and random.random() < 0.6:
            image[i] = random.choice(choices)
            free.remove(image[i])
    return image


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (drugs()["imatinib"], drugs()["nilotinib"]),
        (random_graph(np.random.default_rng(0), 30, 0.3, 1, 1), random_graph(np.random.default_rng(1), 34, 0.3, 1, 1)),
        (random_graph(np.random.default_rng(2), 12, 0.5, 2, 2), random_graph(np.random.default_rng(3), 9, 0.5, 2, 2)),
        # Beyond 160 nodes edges are looked up by bisection.
        (
            random_graph(np.random.default_rng(4), 170, 0.03, 3, 2),
            random_graph(np.random.default_rng(5), 180, 0.03, 3, 2),
        ),
    ],
)
def test_every_predicted_change_equals_a_count_from_scratch_on_walks_of_100000_moves(a, b):
    assert _core.audit_moves(a.core, b.core, 100_000, 1) == 0


@pytest.mark.slow
@settings(max_examples=150)
@given(graphs(8), graphs(8), st.sampled_from(OPERATORS), st.integers(0, 5), st.randoms(use_true_random=False))
def test_operators_accept_any_partial_mapping_and_never_lose_the_incumbent(a, b, operator, seed, random):
    start = partial_mapping(a, b, random)
    before = len(_core.preserved_edges(a.core, b.core, start))
    *_, size, best = run_operator(operator, a, b, start, seed)
    assert size == before
    assert best >= size
    assert best <= oracles.brute_force(a, b)[0]


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_are_deterministic_per_seed(operator):
    a, b = drugs()["sildenafil"], drugs()["vardenafil"]
    one, same, other = (run_operator(operator, a, b, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one[0], same[0])
    assert np.array_equal(one[1], same[1])
    if operator not in (_core.Operator.refine, _core.Operator.rings):  # which draw nothing
        assert not np.array_equal(one[0], other[0])


def test_construction_leaves_no_extension_behind():
    a, b = drugs()["losartan"], drugs()["valsartan"]
    for seed in range(20):
        end, _, _, size = run_operator(_core.Operator.construct, a, b, seed=seed)
        assert size > 0
        # Refinement by insertions alone would find what construction left open; it may only exchange.
        free_rows = np.flatnonzero(end < 0)
        free_columns = sorted(set(range(len(b))) - set(end.tolist()))
        for i in free_rows:
            for j in free_columns:
                if a.labels[i] == b.labels[j]:
                    more = end.copy()
                    more[i] = j
                    assert len(_core.preserved_edges(a.core, b.core, more)) == size


def test_refinement_ends_in_a_local_optimum():
    a, b = drugs()["morphine"], drugs()["naloxone"]
    end, best, _, size = run_operator(_core.Operator.refine, a, b, budget=replace(BUDGET, passes=10_000))
    again, _, start, after = run_operator(_core.Operator.refine, a, b, best, budget=replace(BUDGET, passes=10_000))
    assert start == after == size
    assert np.array_equal(again, end)


def test_annealing_with_guided_moves_beats_uniform_ones():
    totals = []
    for guided in (0.0, 0.9):
        budget = replace(BUDGET, anneal_steps=20_000, guided=guided)
        pairs = [(drugs()[x], drugs()[y]) for x, y in (("imatinib", "nilotinib"), ("losartan", "valsartan"))]
        totals.append(sum(run_operator(_core.Operator.anneal, a, b, seed=k, budget=budget)[3]
                          for a, b in pairs for k in range(5)))  # fmt: skip
    assert totals[1] > totals[0]


@pytest.mark.parametrize("method", list(PRESETS))
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Graph([]), Graph([1])),
        (Graph([1]), Graph([1])),
        (Graph([1, 1], [(0, 1)]), Graph([1, 1], [(0, 1)])),
        (Graph([1, 2], [(0, 1)]), Graph([3, 4, 5], [(0, 1)])),
        (Graph([1] * 6, [(0, 1), (2, 3), (4, 5)]), Graph([1] * 7, [(0, 1), (2, 3), (3, 4)])),
    ],
)
def test_every_preset_takes_the_smallest_graphs_and_several_components(method, a, b):
    assert enpda.match(a, b, method).size == oracles.brute_force(a, b)[0]
    assert enpda.match(b, a, method).size == oracles.brute_force(a, b)[0]


def test_fast_finds_the_brute_force_optimum_and_most_nodes_of_300_tiny_pairs():
    rng = np.random.default_rng(17)
    for k in range(300):
        n, m = rng.integers(2, 7, 2)
        a, b = (random_graph(rng, size, 0.3 + 0.5 * rng.random(), 1 + k % 3, 1 + k % 2) for size in (n, m))
        found = enpda.match(a, b, "fast")
        best = oracles.brute_force(a, b)
        assert found.size == best[0], (a.to_dict(), b.to_dict())
        if not found.optimal:  # a proof by caps ends the search before nodes are gained
            assert found.nodes == best[1]


@pytest.mark.slow
def test_solver_is_at_least_as_good_as_fast_and_fast_as_analytic():
    for x, y in (("imatinib", "nilotinib"), ("atorvastatin", "rosuvastatin"), ("simvastatin", "dexamethasone")):
        sizes = [enpda.match(drugs()[x], drugs()[y], method).size for method in ("analytic", "fast", "solver")]
        assert sizes == sorted(sizes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["IMDB-BINARY", "PROTEINS", "ENZYMES"])
def test_solver_reaches_planted_optima(data, name):
    from enpda.learn.planted import planted_pairs

    pairs = planted_pairs(data, name)[:20]
    found = [enpda.match(p.a, p.b, "solver", None) for p in pairs]
    assert all(m.upper >= p.size for m, p in zip(found, pairs, strict=True))
    reached = sum(m.size >= p.size for m, p in zip(found, pairs, strict=True))
    assert reached >= 19


def test_the_answer_does_not_depend_on_the_number_of_threads():
    budget = replace(PRESETS["solver"], discrete=6)
    for x, y in (("imatinib", "nilotinib"), ("morphine", "codeine"), ("gefitinib", "lapatinib")):
        answers = [enpda.match(drugs()[x], drugs()[y], budget=budget, threads=t, seed=5) for t in (1, 2, 4, 7)]
        assert len({tuple(m.mapping.items()) for m in answers}) == 1


def test_same_seed_same_answer_and_another_seed_searches_elsewhere():
    a, b = drugs()["lapatinib"], drugs()["atorvastatin"]
    runs = [enpda.match(a, b, "fast", seed=seed, trace=True) for seed in (1, 1, 2)]
    assert runs[0].mapping == runs[1].mapping
    steps = [[(step.size, step.operator, step.stream) for step in run.trace] for run in runs]
    assert steps[0] == steps[1]
    assert steps[0] != steps[2]


def test_the_trace_tells_every_improvement_in_order():
    heard = []
    m = enpda.match(drugs()["lapatinib"], drugs()["gefitinib"], "solver", trace=True, on_improve=heard.append)
    sizes = [step.size for step in m.trace]
    assert sizes == sorted(sizes)
    assert sizes[-1] == m.size
    assert m.trace[0].operator == "proposal"
    assert [step.seconds for step in m.trace] == sorted(step.seconds for step in m.trace)
    assert all(step.seconds <= m.seconds for step in m.trace)
    assert {step.operator for step in m.trace} <= {op.name for op in _core.Operator}
    assert [h.size for h in heard] == sizes
    assert heard[-1].mapping == m.index_mapping
    assert all(step.mapping is None for step in m.trace)
    assert enpda.match("CCO", "CCN").trace == []


def test_listeners_hear_mappings_of_the_size_that_is_told_in_either_order():
    a, b = drugs()["lapatinib"], drugs()["gefitinib"]
    for left, right in ((a, b), (b, a)):
        heard = []
        enpda.match(left, right, "fast", on_improve=heard.append)
        for step in heard:
            image = np.full(len(left), -1, dtype=np.int32)
            image[list(step.mapping)] = list(step.mapping.values())
            assert _core.check(left.core, right.core, image)[0] == step.size


def test_an_exception_in_the_callback_ends_the_search_and_is_raised():
    def refuse(step):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        enpda.match(*_hard_pair(), "solver", None, budget=_endless(), on_improve=refuse)


def test_ctrl_c_inside_the_callback_returns_the_best_so_far():
    def interrupt(step):
        if step.size > 40:
            raise KeyboardInterrupt

    m = enpda.match(*_hard_pair(), "solver", None, budget=_endless(), on_improve=interrupt)
    assert m.status == "interrupted"
    assert m.size > 40


STARVED = """
import resource, numpy as np, enpda
rng = np.random.default_rng(1)
graphs = [enpda.Graph(np.zeros(1500, int), np.argwhere(np.triu(rng.random((1500, 1500)) < 0.002, 1))) for _ in range(2)]
enpda.match(*graphs, "analytic", rounds=0)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_000_000, used + 300_000_000))
try:
    enpda.match(*graphs, "analytic", None, samples=40, threads=16)
    print("enough")
except MemoryError:
    print("MemoryError")
"""


@pytest.mark.slow
@pytest.mark.plain
def test_running_out_of_memory_in_a_thread_is_an_exception_not_an_abort():
    done = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("MemoryError", "enough")


def test_search_stops_when_a_bound_is_met():
    g = drugs()["atorvastatin"]
    m = enpda.match(g, g, "solver", None, budget=_endless())
    assert m.optimal
    assert m.size == g.size


def _endless():
    return replace(PRESETS["solver"], discrete=1_000)


def _hard_pair():
    return tuple(random_graph(np.random.default_rng(k), 60, 0.1, 1, 1) for k in (1, 2))


@pytest.mark.slow
@pytest.mark.plain
@pytest.mark.parametrize("limit", [0.001, 0.01, 0.1])
def test_a_limit_ends_an_endless_search_on_drug_sized_pairs(limit):
    a, b = _hard_pair()
    for seed in range(20):
        m = enpda.match(a, b, "solver", limit, seed, budget=_endless())
        assert m.status == "time_limit"
        assert m.upper >= m.size


@pytest.mark.slow
@pytest.mark.plain
@pytest.mark.parametrize("degree", [4, 40])
def test_a_limit_ends_an_endless_search_on_500_node_pairs(degree):
    for seed in range(4):  # fresh graphs: their preparation falls under the limit too
        a, b = (random_graph(np.random.default_rng(2 * seed + k), 500, degree / 500, 1, 1) for k in (0, 1))
        for limit in (0.001, 0.02, 0.3):
            m = enpda.match(a, b, "solver", limit, budget=_endless())
            assert m.status == "time_limit"


@pytest.mark.slow
@pytest.mark.plain
def test_a_huge_pair_gets_a_mapping_within_its_limit():
    rng = np.random.default_rng(0)
    ends = [np.unique(np.sort(rng.integers(0, 4000, (8000, 2)), axis=1), axis=0) for _ in range(2)]
    a, b = (Graph(np.zeros(4000, dtype=int), edges) for edges in ends)
    m = enpda.match(a, b, time_limit=10.0)
    assert m.status == "time_limit"
    assert m.size > 1000


@pytest.mark.slow
@pytest.mark.plain
def test_a_dense_pair_gets_a_mapping_within_its_limit():
    a, b = (random_graph(np.random.default_rng(k), 300, 0.5, 1, 1) for k in (1, 2))
    m = enpda.match(a, b, time_limit=10.0)
    assert m.size > 5_000


def test_a_limit_that_cuts_the_rounds_is_reported():
    a, b = drugs()["imatinib"], drugs()["nilotinib"]
    whole = enpda.match(a, b, "analytic", None, rounds=10_000)
    assert whole.status == "bounded"
    cut = enpda.match(a, b, "analytic", 0.001, rounds=10_000)
    assert cut.status == "time_limit"


INTERRUPTED = """
import enpda, numpy as np, signal, time
from dataclasses import replace
from enpda.solve.budget import PRESETS
rng = np.random.default_rng(1)
graphs = [enpda.Graph(np.zeros(60, int), np.argwhere(np.triu(rng.random((60, 60)) < 0.1, 1))) for _ in range(2)]
budget = replace(PRESETS["solver"], discrete=1000)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without job control has it ignored
print("ready", flush=True)
m = enpda.match(*graphs, "solver", None, budget=budget)
print(m.status, m.size, flush=True)
time.sleep(0.01)
print("alive")
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "threads=2, ", "on_improve=lambda step: None, "])
def test_ctrl_c_returns_the_best_so_far(options):
    code = INTERRUPTED.replace("budget=budget", options + "budget=budget")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    out, _ = ended(process)
    status, size = out.splitlines()[0].split()
    assert status == "interrupted"
    assert int(size) > 20
    assert out.splitlines()[1] == "alive"
    assert process.returncode == 0


def test_the_interpreter_runs_on_while_a_search_runs(interruptible):
    def tick():
        for _ in range(50):
            time.sleep(0.001)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=tick)
    thread.start()
    m = enpda.match(*_hard_pair(), "solver", 120.0, budget=_endless())
    thread.join()
    assert m.status == "interrupted"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"noisy": ()}, r"noisy must hold one bool per stream, at least one; got \(\)"),
        ({"noisy": (1, 2)}, "noisy must hold one bool per stream"),
        ({"discrete": -1}, "discrete must be a whole number from 0"),
        ({"passes": 1.5}, "passes must be a whole number"),
        ({"anneal_growth": 0.5}, "anneal_growth must be a number from 1 to 100; got 0.5"),
        ({"anneal_hot": 0.0}, "anneal_hot must be a number from 0.001"),
        ({"guided": 1.5}, "guided must be a number from 0 to 1; got 1.5"),
        ({"decoder": "x"}, "decoder must be one of 'growth', 'hungarian'; got 'x'"),
    ],
)
def test_a_bad_budget_says_what_is_accepted(change, message):
    with pytest.raises(enpda.InputError, match=message):
        Budget(**change)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 5}, "budget must be an enpda.Budget; got 5"),
        ({"threads": 0}, "threads must be a whole number from 1"),
        ({"on_improve": 5}, "on_improve must be callable; got 5"),
    ],
)
def test_bad_search_options_say_what_is_accepted(options, message):
    with pytest.raises(enpda.InputError, match=message):
        enpda.match("CCO", "CCN", **options)


def test_the_papers_budgets_are_on_record():
    solver, fast = PRESETS["paper-solver"], PRESETS["paper-fast"]
    assert (len(solver.noisy), solver.discrete, solver.constructive, solver.passes) == (4, 64, 64, 30)
    assert (solver.anneal_steps, solver.neighbourhood_steps, solver.decoder) == (2500, 250, "hungarian")
    assert (len(fast.noisy), fast.discrete, fast.constructive, fast.passes) == (1, 4, 4, 10)
    assert (fast.anneal_steps, fast.neighbourhood_steps) == (0, 0)
