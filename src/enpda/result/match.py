"""What a match returns: a mapping that was counted again, with bounds, and ways to look at it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.documents import parsed, written
from enpda.errors import InputError, brief
from enpda.graph import Graph
from enpda.labels import names_to_json
from enpda.problem import stereo
from enpda.problem.constraints import Constraints
from enpda.problem.problem import Problem, problem_of
from enpda.problem.rules import Rules
from enpda.problem.thresholds import similarity
from enpda.result import chemistry
from enpda.result.found import Found, Improvement, Numerical
from enpda.result.proof import Proof
from enpda.result.reasons import REASONS, Status, why_bounded
from enpda.upstairs import upstairs
from enpda.words import counted

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from enpda.result.certificate import Certificate
    from enpda.solve.optima import Optima
    from enpda.view.figure import Picture

CAPS = tuple(name for name, _ in _core.CAPS)
"""Names of the cheap integer bounds, in the order of the compiled core."""


ARGUMENTS = (
    *("a", "b", "mapping", "bounds", "method", "seconds", "seed", "stopped", "prices", "trace", "numerical", "proof"),
    *("threshold", "problem", "nodes_upper"),
)
"""Of the constructor of a match, each an attribute as well; `mapping` as `index_mapping`."""


class Match(Found):
    """A common edge subgraph of two graphs, and how sure we are.

    Built only of a mapping that was counted again on the two graphs, by this constructor or by the compiled core: one
    that is not injective, joins different labels or contains a node without a preserved edge raises `InputError` and
    never becomes a result. Between mappings with equally many edges the one with more nodes is better.

    Parameters
    ----------
    a, b : Graph
        The two graphs, in the caller's order.
    mapping : mapping of int to int
        Number of a's node -> number of b's node; only endpoints of preserved edges.
    bounds : mapping of str to int
        Proven upper bounds on the number of shared edges, by name.
    method : str
        What produced it.
    seconds : float
        Time spent, set-up included.
    seed : int
        The seed it was called with.
    stopped : {"time_limit", "interrupted"}, optional
        What cut the work short.
    prices : ndarray, optional
        Final prices over the nodes of the larger graph (of equally large ones, the graph the core took as target).
    trace : iterable of Improvement
        How the best mapping grew while the search ran.
    numerical : mapping of str to Numerical
        Bounds from HiGHS, by name; they never enter `upper` or `optimal`.
    threshold : int
        Edges that were asked for at least; 0 without a threshold question.
    proof : Proof, optional
        The witness of the bounds `rlt` and `branch`.
    nodes_upper : int, optional
        A proven bound on the nodes of a mapping with as many edges; by default what the graphs allow.
    problem : Problem, optional
        The graphs as the rules of the match see them; by default as they are.

    Examples
    --------
    >>> import enpda
    >>> m = enpda.match("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1")
    >>> m.size, m.upper, m.optimal
    (9, 9, True)
    """

    def __init__(
        self,
        a: Graph,
        b: Graph,
        mapping: Mapping[int, int],
        *,
        bounds: Mapping[str, int],
        method: str,
        seconds: float = 0.0,
        seed: int = 0,
        stopped: Literal["time_limit", "interrupted"] | None = None,
        prices: npt.ArrayLike | None = None,
        trace: Iterable[Improvement] = (),
        numerical: Mapping[str, Numerical] | None = None,
        proof: Proof | None = None,
        threshold: int = 0,
        problem: Problem | None = None,
        nodes_upper: int | None = None,
    ) -> None:
        self.problem = problem_of(a, b, None) if problem is None else problem
        rows, columns = len(a), len(b)
        image = np.full(rows, -1, dtype=np.int32)
        kinds = {type(v) for v in (*mapping, *mapping.values())} if isinstance(mapping, Mapping) else {object}
        if not all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
            raise InputError(f"illegal mapping: from node numbers to node numbers; got {brief(mapping)}")
        for i, j in mapping.items():
            if not 0 <= i < rows or not 0 <= j < columns:
                raise InputError(
                    f"illegal mapping: {brief(i)} -> {brief(j)}, but the graphs have {rows} and {columns} nodes"
                )
            image[i] = j
        self.a, self.b = a, b
        self.size, self.nodes = self._counted(image) if mapping else (0, 0)
        self.index_mapping = dict(sorted((int(i), int(j)) for i, j in mapping.items()))
        self.bounds = dict(bounds)
        self.upper = min(self.bounds.values())
        if self.upper < self.size:
            raise RuntimeError(f"a bound is wrong: {self.size} edges found, but the bounds say {self.bounds}")
        self.method, self.seconds, self.seed = method, float(seconds), seed
        self.stopped = stopped
        self.prices = np.asarray([] if prices is None else prices, dtype=np.float32)
        self.trace = [Improvement(*step) for step in trace]
        self.numerical = {name: Numerical(*bound) for name, bound in (numerical or {}).items()}
        if any(not bound.value >= self.size for bound in self.numerical.values()):  # NaN is no bound either
            raise RuntimeError(f"a bound is wrong: {self.size} edges found, but HiGHS says {self.numerical}")
        self.proof = proof
        self.threshold = threshold
        most = min(rows, columns, 2 * self.upper)
        self.nodes_upper = most if nodes_upper is None else min(most, nodes_upper)
        if self.optimal and self.nodes_upper < self.nodes:
            raise RuntimeError(f"a bound is wrong: {self.nodes} nodes found, but at most {self.nodes_upper} claimed")

    @classmethod
    def of(
        cls,
        a: Graph,
        b: Graph,
        found: _core.Solution,
        method: str,
        seed: int = 0,
        threshold: int = 0,
        problem: Problem | None = None,
        *,
        converted: float = 0.0,
        traced: bool = False,
    ) -> Match:
        """Take what the compiled core found and counted again; parts are made of it when they are asked for.

        `converted` are seconds that came before, and `traced` says whether `trace` was asked for.
        """
        match = object.__new__(cls)
        own = match.__dict__
        own["a"], own["b"], own["method"], own["seed"], own["threshold"] = a, b, method, seed, threshold
        own["_found"], own["_converted"], own["_traced"] = found, converted, traced
        if problem is not None:
            own["problem"] = problem
        return match

    def replaced(self, **changes: Any) -> Match:
        """Return a match with some arguments of the constructor changed, counted again like any other."""
        own = {name: getattr(self, "index_mapping" if name == "mapping" else name) for name in ARGUMENTS}
        return Match(**{**own, **changes})

    def _counted(self, image: npt.NDArray[np.int32]) -> tuple[int, int]:
        problem = self.problem
        if problem.constraints is None:
            return _core.check(problem.a.core, problem.b.core, image, problem.terms)
        if problem.constraints.stereo:
            stereo.check(problem, self.a, self.b, {i: j for i, j in enumerate(image.tolist()) if j >= 0})
        _core.check(problem.a.core, problem.b.core, image, problem.terms)  # legal as a mapping
        kept, _, size, nodes = problem.retained(image)
        if not np.array_equal(kept, image):
            lost = np.flatnonzero(kept != image).tolist()
            raise InputError(f"illegal mapping: the constraints leave nothing of the nodes {lost}")
        return size, nodes

    @property
    def optimal(self) -> bool:
        """Whether nothing better exists: size equals upper."""
        return self.size == self.upper

    @property
    def optimal_numerical(self) -> bool:
        """Whether only a bound in floating point says that nothing better exists."""
        return not self.optimal and any(bound.value < self.size + 1 for bound in self.numerical.values())

    @property
    def gap(self) -> float:
        """(upper - size) / max(upper, 1)."""
        return (self.upper - self.size) / max(self.upper, 1)

    @property
    def status(self) -> Status:
        """`below_threshold`, `optimal`, what cut the work short, or `bounded`."""
        if self.upper < self.threshold:
            return "below_threshold"
        return "optimal" if self.optimal else self.stopped or "bounded"

    @property
    def reason(self) -> str:
        """Why the work ended there, in words."""
        if self.status != "bounded":
            return REASONS[self.status]
        worth = self.problem.worth
        least = 1 if worth is None else int(worth[worth > 0].min(initial=1 << 30))
        return why_bounded(self.method, self.upper - self.size, len(self.a) * len(self.b), least)

    @property
    def similarity(self) -> float:
        """Johnson similarity: (nodes + edges)² / ((|Va| + |Ea|) (|Vb| + |Eb|)); 1 for two empty graphs.

        Weights do not enter: an edge is an edge.
        """
        return similarity(self.nodes + len(self.index_edges), self.a, self.b)

    @property
    def distance(self) -> int:
        """Edges that are not shared: |Ea| + |Eb| - 2 size; with weights, what they weigh."""
        return sum(self.problem.total) - 2 * self.size

    @property
    def weighted(self) -> bool:
        """Whether shared edges count by weight, so that size and bounds are weights."""
        return self.problem.weighted

    @property
    def rules(self) -> Rules | None:
        """The rules it was found under; None for labels as they are."""
        return self.problem.rules

    @property
    def constraints(self) -> Constraints | None:
        """The conditions on the common part; None without any."""
        return self.problem.constraints

    @cached_property
    def mapping(self) -> dict[Any, Any]:
        """Nodes of a -> nodes of b, only endpoints of preserved edges: names where a graph has them, else numbers."""
        if self.a.names is None and self.b.names is None:
            return self.index_mapping
        return {self.a.node(i): self.b.node(j) for i, j in self.index_mapping.items()}

    @cached_property
    def edges(self) -> list[tuple[tuple[Any, Any], tuple[Any, Any]]]:
        """Preserved edges as ((i, k), (j, l)), a's edge and the b's edge it maps to; nodes as in `mapping`."""
        if self.a.names is None and self.b.names is None:
            return self.index_edges
        a, b = self.a.node, self.b.node
        return [((a(i), a(k)), (b(x), b(y))) for (i, k), (x, y) in self.index_edges]

    @cached_property
    def index_edges(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Preserved edges as `edges` lists them, by numbers of nodes whatever their names."""
        if not self.index_mapping:
            return []
        image = np.full(len(self.a), -1, dtype=np.int32)
        image[list(self.index_mapping.keys())] = list(self.index_mapping.values())
        kept = self.a.edges[self.problem.retained(image)[1]].tolist()
        return [((i, k), (self.index_mapping[i], self.index_mapping[k])) for i, k in kept]

    @property
    def atom_map(self) -> list[tuple[int, int]]:
        """Matched nodes as numbers (a's, b's), in a's order."""
        return list(self.index_mapping.items())

    @property
    def bond_map(self) -> list[tuple[int, int]]:
        """Shared bonds as bond indices of the two molecules; see `enpda.result.chemistry.bond_map`."""
        return chemistry.bond_map(self)

    @cached_property
    def fragments(self) -> list[list[int]]:
        """Connected pieces of the common part as numbers of a's nodes, the largest first; see `result.chemistry`."""
        return chemistry.fragments(self)

    @cached_property
    def smarts(self) -> str:
        """SMARTS of the common part under the match's rules; see `enpda.result.smarts.ordered_smarts`."""
        from enpda.result.smarts import ordered_smarts

        return ordered_smarts(self)[0]

    @cached_property
    def mapped_smiles(self) -> tuple[str, str]:
        """Both molecules as SMILES with common atom map numbers; see `enpda.result.chemistry.mapped_smiles`."""
        return chemistry.mapped_smiles(self)

    @cached_property
    def transformation(self) -> str | None:
        """What turns a into b, as SMIRKS with attachment points that RDKit has applied to a to make b.

        None where there is none; `enpda.result.transformation.transformation` says why.
        """
        from enpda.result.transformation import transformation

        return transformation(self)[0]

    def to_mol(self) -> Mol:
        """Return the common part as an RDKit molecule, cut out of a's; see `enpda.result.chemistry.to_mol`."""
        return chemistry.to_mol(self)

    @cached_property
    def certificate(self) -> Certificate:
        """Mapping, size and upper bound with a witness that `enpda.verify` checks."""
        from enpda.result.certificate import certificate_of

        return certificate_of(self)

    def enumerate_optima(self, limit: int = 100, time_limit: float | None = 10.0) -> Optima:
        """All mappings of the optimal size; see `enpda.enumerate_optima`."""
        optima: Optima = upstairs("enumerate_optima")(
            self.a, self.b, limit, time_limit, seed=self.seed, rules=self.rules, constraints=self.constraints
        )
        return optima

    def __repr__(self) -> str:
        shared, sure = self.in_words()
        return f"Match({shared}, {sure}, similarity {self.similarity:.3f})"

    def in_words(self) -> tuple[str, str]:
        """Return what is shared, and how sure that is."""
        node, edge = chemistry.nouns(self)
        weight = f"weight {self.size}, " if self.weighted else ""
        sure = "proven optimal" if self.optimal else f"{'weight ' * self.weighted}at most {self.upper}"
        return f"{weight}{counted(len(self.index_edges), edge)}, {counted(self.nodes, node)}", sure

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values under the attributes' names; `from_dict` undoes it.

        `mapping` and `edges` are numbers here; where a graph names its nodes, `named_mapping` lists the pairs by name.
        `smarts`, `mapped_smiles` and `transformation` are None unless both graphs are molecules that SMILES can say.
        """
        named = {} if self.mapping is self.index_mapping else {"named_mapping": self._named_pairs()}
        a, b = self.a.to_dict(), self.b.to_dict()
        as_smiles = a["smiles"] is not None and b["smiles"] is not None
        words = ("smarts", "mapped_smiles", "transformation")
        smarts, mapped, change = (chemistry.told(self, name) if as_smiles else None for name in words)
        return {
            "a": a,
            "b": b,
            "rules": self._plain_rules(),
            "constraints": None if self.constraints is None else self.constraints.to_dict(),
            "mapping": dict(self.index_mapping),
            **named,
            "edges": [[list(left), list(right)] for left, right in self.index_edges],
            "fragments": self.fragments,
            "smarts": smarts,
            "mapped_smiles": None if mapped is None else list(mapped),
            "transformation": change,
            "size": self.size,
            "nodes": self.nodes,
            "nodes_upper": self.nodes_upper,
            "upper": self.upper,
            "gap": self.gap,
            "optimal": self.optimal,
            "similarity": self.similarity,
            "distance": self.distance,
            "optimal_numerical": self.optimal_numerical,
            "bounds": dict(self.bounds),
            "numerical": {name: list(bound) for name, bound in self.numerical.items()},
            "prices": self.prices.tolist(),
            "method": self.method,
            "status": self.status,
            "reason": self.reason,
            "stopped": self.stopped,
            "threshold": self.threshold,
            "seconds": self.seconds,
            "seed": self.seed,
            "trace": [list(step[:4]) for step in self.trace],
        }

    def _named_pairs(self) -> list[list[Any]]:
        """Return the mapping by names as JSON holds them, or by numbers where it does not."""
        sides = [None if graph.names is None else names_to_json(graph.names) for graph in (self.a, self.b)]
        left, right = (range(len(g)) if side is None else side for side, g in zip(sides, (self.a, self.b), strict=True))
        return [[left[i], right[j]] for i, j in self.index_mapping.items()]

    def _plain_rules(self) -> dict[str, Any] | None:
        """Return the rules as plain values; what a callable said about this pair takes its place."""
        rules = self.rules
        if rules is not None and callable(rules.compatible):
            rules = replace(rules, compatible=self.problem.allowed)
        return None if rules is None else rules.to_dict()

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict` as JSON; the mapping's keys are strings there, as JSON wants."""
        return written(self.to_dict(), indent)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Match:
        """Rebuild a match from `to_dict` or parsed JSON.

        The mapping is counted, and every integer bound and all that follows derived again on the two graphs; a claim
        that does not hold is refused, and so is a key that no match has. Numerical bounds are taken as they are.
        """
        match: Match = upstairs("match_of")(data)
        return match

    @classmethod
    def from_json(cls, text: str) -> Match:
        """Rebuild a match from `to_json`."""
        return cls.from_dict(parsed(text))

    def draw(self, path: str | os.PathLike[str] | None = None) -> Picture:
        """Both graphs side by side with the common part highlighted, as a picture that a notebook shows.

        It is SVG, and a string. Also written to `path` if given, as `.svg` or `.png`; see `enpda.view.match_svg`.
        """
        picture: Picture = upstairs("match_svg")(self)
        if path is not None:
            picture.save(path)
        return picture

    def _repr_svg_(self) -> str:
        return self.draw().svg

    def _repr_html_(self) -> str:
        html: str = upstairs("match_html")(self)
        return html


def caps_of(problem: Problem, time_limit: float = -1.0) -> dict[str, int]:
    """Return the caps of a pair by name, as far as its rules, and seconds unless negative, allow them."""
    return _core.caps(problem.a.core, problem.b.core, problem.terms, time_limit)
