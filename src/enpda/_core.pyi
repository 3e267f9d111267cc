"""The compiled core of enpda."""

from collections.abc import Callable, Mapping, Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Graph:
    """A simple undirected graph with interned integer labels."""

    def __init__(self, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def size(self) -> int:
        """Number of edges."""

    @property
    def max_degree(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Memory that the graph and what was made of it hold at present."""

    @property
    def invariant_hash(self) -> int: ...

    def labels(self) -> NDArray[numpy.int64]: ...

    def edges(self) -> NDArray[numpy.int64]: ...

    def edge_labels(self) -> NDArray[numpy.int64]: ...

    def ring_systems(self) -> NDArray[numpy.int32]:
        """Per edge the number of its ring system; -1 on no cycle."""

    def describe_ring_systems(self, time_limit: float) -> list[tuple[list[int], list[int], bool, float]]:
        """
        Of each ring system its nodes (of a single ring in order), edges, whether it is a single ring, and the shortest cycles of its nodes.
        """

    def components(self) -> NDArray[numpy.int32]: ...

def graph_of_orders(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], orders: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Graph:
    """
    A molecule by the orders of its bonds, as a symmetric matrix: those of aromatic ones are 1.5.
    """

class Terms:
    """Which nodes may meet, and what pairs of edge labels are worth."""

    def __init__(self, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, worth: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        `allowed` by nodes of a and b, `worth` by their distinct edge labels in ascending order.
        """

    @property
    def plain(self) -> bool: ...

MAX_WORTH: int = 16

def isomorphic(a: Graph, b: Graph) -> bool: ...

def source_first(a: Graph, b: Graph) -> bool:
    """Whether the core takes a as the source (rows) of the pair."""

def check(a: Graph, b: Graph, image: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Terms = ...) -> tuple[int, int]:
    """Recounts a mapping; raises InputError when it is not legal."""

def strip(a: Graph, b: Graph, image: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Terms = ...) -> NDArray[numpy.int32]:
    """Keeps only endpoints of preserved edges."""

def preserved_edges(a: Graph, b: Graph, image: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Terms = ...) -> NDArray[numpy.int32]:
    """Indices of a's edges that the mapping preserves."""

class WholeRings:
    """Rings, and per edge whether it counts with a whole one only."""

    def __init__(self) -> None: ...

    @property
    def rings_a(self) -> list[list[int]]: ...

    @rings_a.setter
    def rings_a(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def rings_b(self) -> list[list[int]]: ...

    @rings_b.setter
    def rings_b(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def marked_a(self) -> list[int]: ...

    @marked_a.setter
    def marked_a(self, arg: Sequence[int], /) -> None: ...

    @property
    def marked_b(self) -> list[int]: ...

    @marked_b.setter
    def marked_b(self, arg: Sequence[int], /) -> None: ...

    def __getstate__(self) -> tuple[list[list[int]], list[list[int]], list[int], list[int]]: ...

    def __setstate__(self, arg: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]], Sequence[int], Sequence[int]], /) -> None: ...

class Fragments:
    """How many fragments at most (0: any number), of how many nodes."""

    def __init__(self) -> None: ...

    @property
    def most(self) -> int: ...

    @most.setter
    def most(self, arg: int, /) -> None: ...

    @property
    def least(self) -> int: ...

    @least.setter
    def least(self, arg: int, /) -> None: ...

    def __getstate__(self) -> tuple[int, int]: ...

    def __setstate__(self, arg: tuple[int, int], /) -> None: ...

class Constraint:
    """Whole rings, and number and size of fragments."""

    def __init__(self) -> None: ...

    @property
    def rings(self) -> WholeRings: ...

    @rings.setter
    def rings(self, arg: WholeRings, /) -> None: ...

    @property
    def fragments(self) -> Fragments: ...

    @fragments.setter
    def fragments(self, arg: Fragments, /) -> None: ...

    @property
    def none(self) -> bool: ...

    def __getstate__(self) -> tuple[WholeRings, Fragments]: ...

    def __setstate__(self, arg: tuple[WholeRings, Fragments], /) -> None: ...

def retain(a: Graph, b: Graph, image: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Terms, constraint: Constraint) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], int, int]:
    """
    What a constraint leaves of a mapping: image, indices of a's edges, size, nodes.
    """

class Policy:
    """The learned policy's weights; every name and shape is checked."""

    def __init__(self, weights: Mapping[str, Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]) -> None: ...

class ShareNetwork:
    """
    The weights of a network that shares profit out; every name and shape is checked.
    """

    def __init__(self, weights: Mapping[str, Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]) -> None: ...

class PolicyParts:
    """What of the rounds is learned, and whether they price columns."""

    def __init__(self, initializer: bool = True, dynamics: bool = True, prices: bool = True) -> None: ...

    @property
    def initializer(self) -> bool: ...

    @property
    def dynamics(self) -> bool: ...

    @property
    def prices(self) -> bool: ...

    def __repr__(self) -> str: ...

class State:
    """Bids, prices and soft assignment of a pair."""

    @property
    def bids(self) -> NDArray[numpy.float32]: ...

    @property
    def soft(self) -> NDArray[numpy.float32]: ...

    @property
    def unmatched_logit(self) -> NDArray[numpy.float32]: ...

    @property
    def unmatched(self) -> NDArray[numpy.float32]: ...

    @property
    def prices(self) -> NDArray[numpy.float32]: ...

    @property
    def demand(self) -> NDArray[numpy.float32]: ...

def run_rounds(a: Graph, b: Graph, rounds: int, noise: float = 0.0, seed: int = 0, max_stored: int = 64000000, policy: Policy | None = None, parts: PolicyParts = ...) -> State: ...

def features(a: Graph, b: Graph) -> NDArray[numpy.float32]:
    """The six features, one plane each."""

def association_edges(a: Graph, b: Graph, max_stored: int = 64000000, terms: Terms = ...) -> NDArray[numpy.int64]:
    """Edges of the association graph as pairs of cells i * m + j."""

@overload
def assign(weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[float, NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]: ...

@overload
def assign(weight: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[int, NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Maximum-weight partial assignment: value, column per row, row and column potentials.
    """

CAPS: tuple = ...

def caps(a: Graph, b: Graph, terms: Terms = ..., time_limit: float = -1.0) -> dict[str, int]:
    """
    Caps by name, without those that the terms, or the time, do not allow, or that need prices.
    """

def cap_witness(a: Graph, b: Graph, name: str, terms: Terms = ...) -> list[tuple[str, int | list[int] | list[list[int]]]]:
    """What a verifier needs to derive a cap again."""

PRICE_UNIT: int = 1048576

class Scales(enum.Enum):
    exact = 0

    grid = 1

def repaired_prices(a: Graph, b: Graph, prices: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Scales) -> tuple[int, float, NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Theorem 3: whole edges, scale, row and column potentials in units of 1 / PRICE_UNIT.
    """

class Lifting(enum.Enum):
    mccormick = 0

    aggregated = 1

def lift(a: Graph, b: Graph, lifting: Lifting, most: int, time_limit: float, terms: Terms = ...) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]] | None:
    """
    The lifted programme: candidates, ends and worth of the edge variables, rows (start, index, value, upper); nothing when the time limit struck.
    """

RLT_UNIT: int = 65536

class Stage:
    """Shares of the live association edges, and potentials of both sides."""

    @property
    def a(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def b(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def share(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def row(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def column(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def pieces(self) -> list[tuple[bool, list[int], int]]:
        """
        Edges of the first or the second graph that cannot all be preserved, with their price.
        """

class RltOptions:
    def __init__(self) -> None: ...

    @property
    def target(self) -> int: ...

    @target.setter
    def target(self, arg: int, /) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def far(self) -> int: ...

    @far.setter
    def far(self, arg: int, /) -> None: ...

    @property
    def give_up_ratio(self) -> float: ...

    @give_up_ratio.setter
    def give_up_ratio(self, arg: float, /) -> None: ...

    @property
    def record(self) -> bool: ...

    @record.setter
    def record(self, arg: bool, /) -> None: ...

    @property
    def watch(self) -> int: ...

    @watch.setter
    def watch(self, arg: int, /) -> None: ...

    @property
    def momentum(self) -> float: ...

    @momentum.setter
    def momentum(self, arg: float, /) -> None: ...

    @property
    def step(self) -> float: ...

    @step.setter
    def step(self, arg: float, /) -> None: ...

    @property
    def aim(self) -> float: ...

    @aim.setter
    def aim(self, arg: float, /) -> None: ...

    @property
    def first_sweeps(self) -> int: ...

    @first_sweeps.setter
    def first_sweeps(self, arg: int, /) -> None: ...

    @property
    def sweep_period(self) -> int: ...

    @sweep_period.setter
    def sweep_period(self, arg: int, /) -> None: ...

    @property
    def first_fraction(self) -> float: ...

    @first_fraction.setter
    def first_fraction(self, arg: float, /) -> None: ...

    @property
    def fraction(self) -> float: ...

    @fraction.setter
    def fraction(self, arg: float, /) -> None: ...

    @property
    def worth_fixing(self) -> float: ...

    @worth_fixing.setter
    def worth_fixing(self, arg: float, /) -> None: ...

    @property
    def network(self) -> ShareNetwork: ...

    @network.setter
    def network(self, arg: ShareNetwork | None, /) -> None: ...

    @property
    def learned_steps(self) -> int: ...

    @learned_steps.setter
    def learned_steps(self, arg: int, /) -> None: ...

    @property
    def propose(self) -> bool: ...

    @propose.setter
    def propose(self, arg: bool, /) -> None: ...

    @property
    def margin(self) -> float: ...

    @margin.setter
    def margin(self, arg: float, /) -> None: ...

def enumerate_optima(a: Graph, b: Graph, size: int, limit: int, time_limit: float, terms: Terms = ..., constraint: Constraint = ..., by_edges: bool = False) -> tuple[list[list[int]], bool]:
    """
    Images of every mapping with the optimal size, as far as symmetry or their shared edges tell them apart; and whether that is all.
    """

def agreeing_part(a: Graph, b: Graph, most: int, time_limit: float, terms: Terms = ..., constraint: Constraint = ...) -> tuple[NDArray[numpy.int32], bool]:
    """
    The largest common part whose edges keep their distances, up to a difference, and whose pieces are not farther apart than that; and whether it is certain.
    """

class Child:
    @property
    def row(self) -> int: ...

    @property
    def column(self) -> int: ...

    @property
    def record(self) -> int: ...

    @property
    def like_row(self) -> int: ...

    @property
    def like_column(self) -> int: ...

    @property
    def automorphism(self) -> NDArray[numpy.int32]: ...

class Record:
    """What the proof of one node rests on."""

    @property
    def stages(self) -> list[Stage]: ...

    @property
    def children(self) -> list[Child]: ...

class BranchOptions:
    def __init__(self) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def memory(self) -> int: ...

    @memory.setter
    def memory(self, arg: int, /) -> None: ...

    @property
    def most_memory(self) -> int: ...

    @most_memory.setter
    def most_memory(self, arg: int, /) -> None: ...

    @property
    def record_memory(self) -> int: ...

    @record_memory.setter
    def record_memory(self, arg: int, /) -> None: ...

    @property
    def automorphism_steps(self) -> int: ...

    @automorphism_steps.setter
    def automorphism_steps(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class Proven:
    @property
    def upper(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def known(self) -> int: ...

    @property
    def iterations(self) -> int: ...

    @property
    def cut(self) -> bool: ...

    @property
    def nodes(self) -> int: ...

    @property
    def records(self) -> list[Record]: ...

    @property
    def recorded(self) -> bool: ...

    @property
    def survivors(self) -> NDArray[numpy.int32]: ...

    @property
    def met(self) -> NDArray[numpy.int32]: ...

def prove(a: Graph, b: Graph, known: int, rlt: RltOptions, iterations: int, tree: BranchOptions, nodes: int, time_limit: float, terms: Terms = ..., constraint: Constraint = ...) -> Proven:
    """
    The RLT-1 bound by dual ascent and, when nodes are allowed, by branching; a is the source whatever the sizes.
    """

class Decoder(enum.Enum):
    hungarian = 0

    growth = 1

class Operator(enum.Enum):
    proposal = 0

    construct = 1

    refine = 2

    anneal = 3

    neighbourhood = 4

    rings = 5

    bound = 6

class AnnealOptions:
    @property
    def steps(self) -> int: ...

    @steps.setter
    def steps(self, arg: int, /) -> None: ...

    @property
    def hot(self) -> float: ...

    @hot.setter
    def hot(self, arg: float, /) -> None: ...

    @property
    def cold(self) -> float: ...

    @cold.setter
    def cold(self, arg: float, /) -> None: ...

    @property
    def guided(self) -> float: ...

    @guided.setter
    def guided(self, arg: float, /) -> None: ...

class NeighbourhoodOptions:
    @property
    def steps(self) -> int: ...

    @steps.setter
    def steps(self, arg: int, /) -> None: ...

class SearchOptions:
    def __init__(self) -> None: ...

    @property
    def rounds(self) -> int: ...

    @rounds.setter
    def rounds(self, arg: int, /) -> None: ...

    @property
    def policy(self) -> Policy: ...

    @policy.setter
    def policy(self, policy: Policy | None) -> None: ...

    @property
    def parts(self) -> PolicyParts: ...

    @parts.setter
    def parts(self, arg: PolicyParts, /) -> None: ...

    @property
    def decoder(self) -> Decoder: ...

    @decoder.setter
    def decoder(self, arg: Decoder, /) -> None: ...

    @property
    def noisy(self) -> list[int]: ...

    @noisy.setter
    def noisy(self, arg: Sequence[int], /) -> None: ...

    @property
    def discrete(self) -> int: ...

    @discrete.setter
    def discrete(self, arg: int, /) -> None: ...

    @property
    def constructive(self) -> int: ...

    @constructive.setter
    def constructive(self, arg: int, /) -> None: ...

    @property
    def passes(self) -> int: ...

    @passes.setter
    def passes(self, arg: int, /) -> None: ...

    @property
    def anneal_first(self) -> bool: ...

    @anneal_first.setter
    def anneal_first(self, arg: bool, /) -> None: ...

    @property
    def anneal(self) -> AnnealOptions: ...

    @anneal.setter
    def anneal(self, arg: AnnealOptions, /) -> None: ...

    @property
    def anneal_exponent(self) -> float: ...

    @anneal_exponent.setter
    def anneal_exponent(self, arg: float, /) -> None: ...

    @property
    def anneal_growth(self) -> float: ...

    @anneal_growth.setter
    def anneal_growth(self, arg: float, /) -> None: ...

    @property
    def neighbourhood(self) -> NeighbourhoodOptions: ...

    @neighbourhood.setter
    def neighbourhood(self, arg: NeighbourhoodOptions, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

class SolveOptions:
    def __init__(self) -> None: ...

    def posed(self, terms: Terms = ..., constraint: Constraint = ..., min_size: int = 0, min_total: int = 0) -> SolveOptions:
        """The same about one pair: a copy."""

    @property
    def terms(self) -> Terms: ...

    @terms.setter
    def terms(self, arg: Terms, /) -> None: ...

    @property
    def constraint(self) -> Constraint: ...

    @constraint.setter
    def constraint(self, arg: Constraint, /) -> None: ...

    @property
    def searches(self) -> list[SearchOptions]: ...

    @searches.setter
    def searches(self, arg: Sequence[SearchOptions], /) -> None: ...

    @property
    def last_cells(self) -> int: ...

    @last_cells.setter
    def last_cells(self, arg: int, /) -> None: ...

    @property
    def bound(self) -> bool: ...

    @bound.setter
    def bound(self, arg: bool, /) -> None: ...

    @property
    def first_iterations(self) -> int: ...

    @first_iterations.setter
    def first_iterations(self, arg: int, /) -> None: ...

    @property
    def most_iterations(self) -> int: ...

    @most_iterations.setter
    def most_iterations(self, arg: int, /) -> None: ...

    @property
    def propose_first(self) -> bool: ...

    @propose_first.setter
    def propose_first(self, arg: bool, /) -> None: ...

    @property
    def rlt(self) -> RltOptions: ...

    @rlt.setter
    def rlt(self, arg: RltOptions, /) -> None: ...

    @property
    def min_size(self) -> int: ...

    @min_size.setter
    def min_size(self, arg: int, /) -> None: ...

    @property
    def min_total(self) -> int: ...

    @min_total.setter
    def min_total(self, arg: int, /) -> None: ...

    @property
    def most_nodes(self) -> bool: ...

    @most_nodes.setter
    def most_nodes(self, arg: bool, /) -> None: ...

    @property
    def fill_work(self) -> int: ...

    @fill_work.setter
    def fill_work(self, arg: int, /) -> None: ...

    @property
    def branch(self) -> bool: ...

    @branch.setter
    def branch(self, arg: bool, /) -> None: ...

    @property
    def full_grid(self) -> int: ...

    @full_grid.setter
    def full_grid(self, arg: int, /) -> None: ...

    @property
    def most_gap(self) -> int: ...

    @most_gap.setter
    def most_gap(self, arg: int, /) -> None: ...

    @property
    def turn(self) -> int: ...

    @turn.setter
    def turn(self, arg: int, /) -> None: ...

    @property
    def search_on(self) -> bool: ...

    @search_on.setter
    def search_on(self, arg: bool, /) -> None: ...

    @property
    def tree(self) -> BranchOptions: ...

    @tree.setter
    def tree(self, arg: BranchOptions, /) -> None: ...

class Solution:
    """What was found about one pair; its mapping has been counted again."""

    @property
    def mapping(self) -> dict[int, int]:
        """
        From nodes of the first graph to nodes of the second, in ascending order.
        """

    @property
    def score(self) -> tuple[int, int]: ...

    @property
    def upper(self) -> int: ...

    @property
    def image(self) -> NDArray[numpy.int32]: ...

    @property
    def prices(self) -> NDArray[numpy.float32]: ...

    @property
    def caps(self) -> dict[str, int]: ...

    @property
    def rlt(self) -> int: ...

    @property
    def branch(self) -> int: ...

    @property
    def most_nodes(self) -> int: ...

    @property
    def known(self) -> int: ...

    @property
    def records(self) -> list[Record]: ...

    @property
    def recorded(self) -> bool: ...

    @property
    def iterations(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def trace(self) -> list[tuple[float, int, Operator, int]]: ...

    @property
    def time_limit(self) -> bool: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def seconds(self) -> float: ...

def run_operator(which: Operator, a: Graph, b: Graph, start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], options: SearchOptions, terms: Terms = ..., constraint: Constraint = ...) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], int, int]:
    """One search operator alone: end, best, start size, best size."""

def audit_moves(a: Graph, b: Graph, moves: int, seed: int, terms: Terms = ...) -> int: ...

def solve(a: Graph, b: Graph, options: SolveOptions, time_limit: float, on_improve: Callable | None = None) -> Solution: ...

def collate(pairs: Sequence[tuple[Graph, Graph]], threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Pairs of (source, target) side by side: n, m, row, column, features, compatible, weight, degree, neighbour.
    """

def cells(a: Graph, b: Graph) -> int:
    """
    Cells of a pair's grid: all of a small pair, those with equal labels of a large one.
    """

def strip_many(pairs: Sequence[tuple[Graph, Graph]], image: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Mappings of a batch without what preserves no edge, and the caps of each pair; -1 for those that need more than graphs.
    """

def decode(pairs: Sequence[tuple[Graph, Graph]], bids: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], unmatched_logit: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], decoder: Decoder, prices: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    The mappings that a batch's bids stand for, stripped, one after the other, their sizes and, with prices, the caps of each pair.
    """

def graphs(nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[Graph]:
    """Many graphs from arrays that hold one after the other."""

class Pool:
    """Threads that solve pairs; solutions come in the order of submission."""

    def __init__(self, threads: int) -> None: ...

    def submit(self, a: object, b: object, options: SolveOptions, time_limit: float) -> None: ...

    def next(self) -> Solution: ...

    def __len__(self) -> int: ...

def solve_rows(first: Sequence[Graph], second: Sequence[Graph], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], question: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], options: SolveOptions, time_limit: float, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.uint8], NDArray[numpy.float64]]:
    """
    Pairs (first, second), each with its least size and total (0: no question): size, nodes, upper, most nodes (-1: not computed); optimal, time_limit; seconds.
    """

def bound_totals(first: Sequence[Graph], second: Sequence[Graph], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], wanted: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], options: SolveOptions, time_limit: float, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
    """
    Pairs (first, second), each with the edges and nodes together that are wanted: a bound on them, edges and nodes of a mapping that was met; seconds.
    """

def shared_nodes(first: Sequence[Graph], second: Sequence[Graph], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """Nodes that each pair can share by their labels."""

class Screen:
    """What graphs can share by their counts alone, for very many pairs."""

    def __init__(self, graphs: Sequence[Graph]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Memory that the counts hold."""

    def caps(self, others: Sequence[Graph], begin: int, end: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32]]:
        """
        Edges and nodes that each of the others can share at most with each graph of the range.
        """

def mcsplit(a: Graph, b: Graph, time_limit: float) -> tuple[NDArray[numpy.int32], bool, int]:
    """
    The largest common induced subgraph by McSplit: image, whether finished, nodes of the search tree.
    """

class BareProblem:
    """Two tiny graphs for `brute_force`: plain lists, no labels."""

    def __init__(self, rows: int, columns: int, allowed: Sequence[int], edges_a: Sequence[Sequence[int]], edges_b: Sequence[Sequence[int]], worth: Sequence[int]) -> None: ...

    @property
    def allowed(self) -> list[int]: ...

    @property
    def rings_a(self) -> list[list[int]]: ...

    @rings_a.setter
    def rings_a(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def rings_b(self) -> list[list[int]]: ...

    @rings_b.setter
    def rings_b(self, arg: Sequence[Sequence[int]], /) -> None: ...

    @property
    def marked_a(self) -> list[int]: ...

    @marked_a.setter
    def marked_a(self, arg: Sequence[int], /) -> None: ...

    @property
    def marked_b(self) -> list[int]: ...

    @marked_b.setter
    def marked_b(self, arg: Sequence[int], /) -> None: ...

    @property
    def max_fragments(self) -> int: ...

    @max_fragments.setter
    def max_fragments(self, arg: int, /) -> None: ...

    @property
    def min_fragment(self) -> int: ...

    @min_fragment.setter
    def min_fragment(self, arg: int, /) -> None: ...

def brute_force(problem: BareProblem) -> tuple[int, int]:
    """
    The most worth of any mapping of two tiny graphs, and the most nodes among those mappings.
    """

def bare_score(problem: BareProblem, image: Sequence[int]) -> tuple[int, int]:
    """What counts of one mapping: worth and nodes; -1 when it is none."""

class ShareBatch:
    """ShareBatch of many pairs, candidates and association edges in a row."""

    def __init__(self, pairs: Sequence[tuple[Graph, Graph]], threads: int = 1) -> None: ...

    @property
    def candidate_start(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def edge_start(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def row_start(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def column_start(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def row(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def column(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def cell(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def a(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def b(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    def swept(self, sweeps: int) -> NDArray[numpy.float32]:
        """Shares of the first copies after so many sweeps from the even shares."""

    def usage(self, known: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], iterations: int) -> NDArray[numpy.float32]:
        """
        How often an ascent of so many iterations chose each candidate of late.
        """

    def evaluate(self, shares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.float32]]:
        """
        Bounds in edges, candidates, first and second copies of the association edges.
        """

def pack(graphs: Sequence[Graph]) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32]]:
    """
    Graphs side by side: first nodes, labels, first arcs, heads and labels of arcs.
    """

def shares_memory(n: int, m: int, candidates: int, arcs: int) -> int:
    """What the kernel's state of one pair takes, in units of 256 bytes."""

def share_out(packed: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], steps: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    The GPU's kernel on processors: bounds in units, images, potentials of rows and columns, edges (two places and a share) and where those of each pair begin.
    """

def build_info() -> tuple[str, int, bool]: ...
