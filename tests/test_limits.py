"""Limits of time and of size: every stage asks the clock, and what cannot be asked is never given too much."""

import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import networkx
import numpy as np
import pytest

import enpda
from enpda import Constraints, Graph, InputError, Rules
from enpda.chem import molecule
from enpda.clock import Clock, Late
from enpda.limits import LIMITS, Limits, raised
from enpda.problem.problem import Problem
from enpda.solve import lifted
from enpda.solve.matching import late
from enpda.solve.options import Options
from enpda_bench.experiments import deadlines

RINGS = Constraints(rings="all")
SOON = 0.01
"""Seconds, far too few for any of these pairs."""


def ring(nodes: int) -> Graph:
    return Graph([0] * nodes, [(k, (k + 1) % nodes) for k in range(nodes)])


def ends_in_time(m: enpda.Match, a: Graph, b: Graph) -> None:
    """A call that was cut: a mapping that counts, and a bound that holds."""
    assert m.status == "time_limit"
    assert 0 <= m.size <= m.upper <= min(a.size, b.size)


# -- the clock is asked ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [deadlines._grid, deadlines._small_rings, deadlines._hexagons, deadlines._ring, deadlines._random],
    ids=["grid", "small rings", "fused rings", "ring", "random"],
)
def test_rings_of_a_thousand_nodes_keep_the_limit(make):
    a, b = make(1000, 0), make(980, 1)
    m = enpda.match(a, b, time_limit=SOON, constraints=RINGS)
    ends_in_time(m, a, b)
    assert m.constraints == RINGS


def test_400_cyclopropanes_keep_the_limit():
    a, b = (Graph.from_smiles(".".join(["C1CC1"] * n)) for n in (400, 399))
    ends_in_time(enpda.match(a, b, time_limit=SOON, constraints=RINGS), a, b)


@pytest.mark.parametrize("bound", ["lp", "milp", "mccormick-lp", "mccormick-milp"])
def test_programmes_keep_the_limit(bound):
    a, b = deadlines._random(500, 0), deadlines._random(490, 1)
    m = enpda.match(a, b, time_limit=SOON, bound=bound)
    ends_in_time(m, a, b)
    assert m.size <= m.numerical[bound].value <= min(a.size, b.size)
    assert m.numerical[bound].status == lifted.UNSOLVED


@pytest.mark.parametrize("size", [(50_001, 1_000), (5_000, 4_900)])
def test_stars_keep_the_limit(size):
    a, b = (deadlines._star(n, 0) for n in size)
    ends_in_time(enpda.match(a, b, time_limit=SOON), a, b)


@pytest.mark.parametrize("method", ["analytic", "core", "fast", "solver", "auto", "exact", "paper-solver"])
@pytest.mark.parametrize("limit", [0.001, 0.3])
def test_huge_pairs_keep_the_limit(method, limit):
    a, b = deadlines._random(5_000, 0), deadlines._random(4_900, 1)
    ends_in_time(enpda.match(a, b, method, limit), a, b)


@pytest.mark.slow
def test_a_slow_callable_is_not_asked_beyond_the_limit():
    calls = []
    a, b = ring(1_000), ring(1_000)
    rules = Rules(compatible=lambda i, j: calls.append(threading.get_ident()) or True)
    ends_in_time(enpda.match(a, b, time_limit=SOON, rules=rules), a, b)
    assert len(calls) < 1_000_000


def test_a_match_that_was_cut_before_its_problem_was_posed_poses_it_when_asked(monkeypatch):
    a, b = deadlines._grid(60, 0), deadlines._grid(60, 1)
    asked = []
    perceive = molecule.rings_of
    monkeypatch.setattr(molecule, "_seconds", lambda *_: 1e9)
    m = enpda.match(a, b, time_limit=1e6, constraints=RINGS, min_size=3)
    assert (m.status, m.size, m.upper, m.mapping, m.edges) == ("time_limit", 0, a.size, {}, [])
    assert (m.threshold, m.distance) == (3, 2 * a.size)
    monkeypatch.setattr(molecule, "rings_of", lambda *given: asked.append(given) or perceive(*given))
    data = m.to_dict()
    assert not asked
    assert m.certificate.upper == a.size
    assert len(asked) == 2
    assert enpda.verify(m.certificate).ok
    again = enpda.Match.from_dict(data)
    assert (again.size, again.upper, again.status) == (0, a.size, "time_limit")


def test_many_pairs_keep_the_limit_while_rings_are_found():
    pairs = [(deadlines._grid(1000, 0), deadlines._grid(980, 1)) for _ in range(3)]
    for (a, b), m in zip(pairs, enpda.match_many(pairs, time_limit=1e-4, constraints=RINGS), strict=True):
        ends_in_time(m, a, b)
        assert (m.size, m.constraints) == (0, RINGS)


def test_what_was_cut_before_it_was_posed_can_be_loaded_under_weights():
    # b has few edges that weigh much: all of a's weigh less, but no cap was there yet to say what can be shared.
    a = Graph([0, 0, 0, 0], [(0, 1), (1, 2), (2, 3)], [1, 1, 2])
    b = Graph([0, 0, 0], [(0, 1), (1, 2)], [3, 3])
    options = Options(rules=Rules(weights={1: 2, 2: 5, 3: 7}), time_limit=1e-9)
    problem = Problem(a, b, options.rules, None)
    m = late(problem, options, Clock(1e-9))
    assert m.bounds == {"edge": 9}
    again = enpda.Match.from_json(m.to_json())
    assert (again.bounds, again.status) == (m.bounds, "time_limit")
    claim = {**m.to_dict(), "bounds": {"edge": 10}, "upper": 10, "gap": 1.0}
    with pytest.raises(InputError, match="the bound 'edge'"):
        enpda.Match.from_dict(claim)


def test_a_proof_stays_in_the_core_until_it_is_asked_for():
    a, b = deadlines._random(14, 0), deadlines._random(13, 1)
    m = enpda.match(a, b, "exact", time_limit=None)
    copy = pickle.loads(pickle.dumps(m))
    assert m.optimal
    assert m.proof is not None
    assert [len(node.children) for node in copy.proof.nodes] == [len(node.children) for node in m.proof.nodes]
    assert copy.proof.known == m.proof.known
    assert enpda.verify(copy.certificate).ok


def test_late_is_raised_before_work_that_cannot_be_stopped():
    clock = Clock(1e6)
    clock.need(1.0)
    with pytest.raises(Late):
        clock.need(1e7)
    assert Clock(None).rest is None
    Clock(None).need(1e30)
    problem = Problem(ring(40), ring(41), Rules(forbidden=[(0, 0)]), None)
    with pytest.raises(Late):
        problem.pose(Clock(1e-9))
    assert problem.total == (40, 41)
    assert problem.allowed.sum() == 40 * 41 - 1  # without a clock there is time


def test_programmes_that_are_left_behind_end_before_the_interpreter():
    code = """
import enpda
from enpda_bench.experiments import deadlines
a, b = deadlines._random(40, 0), deadlines._random(38, 1)
for limit in (0.05, 0.2, 0.4):
    m = enpda.match(a, b, "analytic", limit, bound="milp")
    assert m.size <= m.numerical["milp"].value
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


# -- rings -------------------------------------------------------------------------------------------------


def edges_of(cycle):
    return frozenset(frozenset(edge) for edge in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


def test_rings_of_ring_systems_are_those_of_the_whole_graph():
    from rdkit import Chem, rdBase

    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(3, 24))
        ends = rng.integers(0, n, (int(rng.uniform(0.5, 1.8) * n) + 1, 2))
        graph = Graph([0] * n, ends)
        mol = Chem.RWMol()
        for _ in range(n):
            mol.AddAtom(Chem.Atom(0))
        for u, v in graph.edges.tolist():
            mol.AddBond(u, v, Chem.BondType.SINGLE)
        with rdBase.BlockLogs():
            whole = {edges_of(list(cycle)) for cycle in Chem.GetSymmSSSR(mol)}
        assert {edges_of(cycle) for cycle in molecule.rings_of(graph)} == whole


def test_ring_systems_are_the_blocks_of_a_graph():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(2, 30))
        graph = Graph([0] * n, rng.integers(0, n, (int(rng.uniform(0.3, 1.6) * n) + 1, 2)))
        blocks = map(list, networkx.biconnected_component_edges(graph.to_networkx()))
        expected = {frozenset(map(frozenset, block)) for block in blocks if len(block) > 1}
        found: dict[int, set[frozenset[int]]] = {}
        for number, edge in zip(graph.core.ring_systems().tolist(), graph.edges.tolist(), strict=True):
            if number >= 0:
                found.setdefault(number, set()).add(frozenset(edge))
        assert {frozenset(block) for block in found.values()} == expected


def test_a_single_ring_of_any_size_needs_no_rdkit():
    graph = ring(100_000)
    assert [len(cycle) for cycle in molecule.rings_of(graph)] == [100_000]


@pytest.mark.slow
def test_many_distinct_edge_labels_make_no_table():
    n = 4_000
    a = Graph([0] * n, [(k, k + 1) for k in range(n - 1)], range(n - 1))
    b = Graph([0] * n, [(k, k + 1) for k in range(n - 1)], range(5, n + 4))
    m = enpda.match(a, b, "analytic", time_limit=60)
    assert m.upper == n - 6
    assert m.size > 0


# -- sizes -------------------------------------------------------------------------------------------------


def complete(n: int) -> str:
    """Any two of n dummy atoms joined."""
    atoms = []
    for k in range(n):
        later = "".join(f"%({1 + k * n + j})" for j in range(k + 2, n))
        earlier = "".join(f"%({1 + j * n + k})" for j in range(k - 1))
        atoms.append("*" + later + earlier)
    return "".join(atoms)


@pytest.mark.parametrize(
    ("smiles", "limit"),
    [
        ("C1" + "C" * 7_998 + "C1", "ring_bonds"),
        (complete(32), "ring_bonds|rings"),
        ("C" * 20_001, "smiles"),
    ],
    ids=["ring of 8,000", "complete graph", "long"],
)
def test_a_smiles_that_rdkit_would_choke_on_is_refused_first(smiles, limit):
    with raised(ring_bonds=300):
        tracemalloc.start()
        with pytest.raises(InputError, match=rf"limit '({limit})', see docs/input\.md"):
            Graph.from_smiles(smiles)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20_000_000


def test_the_limits_can_be_raised():
    smiles = "C1" + "C" * 98 + "C1"
    with raised(ring_bonds=99), pytest.raises(InputError, match="100 edges; at most 99"):
        Graph.from_smiles("C" * 500 + smiles)
    with raised(ring_bonds=100):
        assert len(Graph.from_smiles("C" * 500 + smiles)) == 600
    with raised(atoms=599), pytest.raises(InputError, match="600 atoms; at most 599"):
        Graph.from_smiles("C" * 500 + smiles)
    assert vars(LIMITS) == vars(Limits())


def test_a_ring_system_of_a_graph_is_refused_in_the_same_words():
    ladder = deadlines._hexagons(200, 0)
    with raised(ring_bonds=100), pytest.raises(InputError, match="limit 'ring_bonds'"):
        enpda.match(ladder, ladder, constraints=RINGS)
    dense = Graph([0] * 24, [(i, 12 + j) for i in range(12) for j in range(12)])
    with raised(rings=1_000), pytest.raises(InputError, match="limit 'rings'"):
        enpda.match(dense, dense, constraints=RINGS)


def test_a_mol_block_that_rdkit_would_choke_on_is_a_reject(tmp_path):
    n = 400
    lines = ["big", "", "", f"{n:3}{n:3}  0  0  0  0  0  0  0  0999 V2000"]
    lines += ["    0.0000    0.0000    0.0000 C   0  0"] * n
    lines += [f"{k + 1:3}{(k + 1) % n + 1:3}  1  0" for k in range(n)]
    path = tmp_path / "a.sdf"
    path.write_text("\n".join([*lines, "M  END", "$$$$", ""]))
    with enpda.read(path) as reader:
        assert [len(graph) for graph in reader] == [n]
    with raised(ring_bonds=n - 1), enpda.read(path) as reader:
        assert list(reader) == []
        assert "limit 'ring_bonds'" in reader.rejects[0].reason


@pytest.mark.slow
def test_a_small_zip_cannot_make_large_arrays(tmp_path):
    path = tmp_path / "a.zip"
    data = BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED) as archive:
        archive.writestr("X_A.txt", "1,1\n" * 9_000_000)
        archive.writestr("X_graph_indicator.txt", "1\n" * 9_000_000)
    path.write_bytes(data.getvalue())
    assert path.stat().st_size < 250_000
    tracemalloc.start()
    with pytest.raises(InputError, match="limit 'rows'"), enpda.read(path) as reader:
        next(reader)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("atoms", "NAME=NUMBER"),
        ("atoms=0", "above 0"),
        ("bonds=3", "there are smiles, block, atoms"),
        ("atoms=-1", "NUMBER"),
    ],
)
def test_a_limit_that_is_none_says_what_there_is(text, words):
    with pytest.raises(InputError, match=words):
        Limits().update(text)


@pytest.mark.slow
def test_limits_come_from_the_environment_and_the_command_line():
    smiles = "C" * 20_001
    code = "import sys; from enpda.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "match", smiles, "CC", "--json"]

    def run(*more: str, **environment: str) -> int:
        return subprocess.run(
            [*command, *more], env={**os.environ, **environment}, capture_output=True, check=False, timeout=120
        ).returncode

    assert run() == 2
    assert run(ENPDA_LIMITS="smiles=30000,atoms=30000") == 0
    assert run("--limits", "smiles=30000,atoms=30000") == 0
    assert run("--limits=smiles=x") == 2
