"""What counts as the same: rules for atoms and bonds, and the problem that two graphs pose under them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.budget import choice, whole
from enpda.errors import InputError, brief
from enpda.graph import Graph

if TYPE_CHECKING:
    from rdkit.Chem import Atom, Mol

AtomProperty = Literal["element", "charge", "isotope", "hydrogens", "aromatic", "ring", "degree", "valence"]
Bonds = Literal["order", "any"]
Allowed = npt.NDArray[np.uint8]
Worth = npt.NDArray[np.int32]

PROPERTIES: dict[str, Callable[[Atom], int]] = {
    "charge": lambda atom: int(atom.GetFormalCharge()),
    "isotope": lambda atom: int(atom.GetIsotope()),
    "hydrogens": lambda atom: int(atom.GetTotalNumHs(includeNeighbors=True)),
    "aromatic": lambda atom: int(atom.GetIsAromatic()),
    "ring": lambda atom: int(atom.IsInRing()),
    "degree": lambda atom: int(atom.GetDegree()),
    "valence": lambda atom: int(atom.GetTotalValence()),
}
"""What a molecule says about an atom besides its element, which is the graph's own label."""

ORDER = {1: 2, 2: 4, 3: 6, 12: 3}
"""Bond orders in halves, by RDKit's bond type: single, double, triple, aromatic."""
MAX_SMARTS = 1_000


@dataclass(frozen=True)
class Rules:
    """Which atoms and bonds count as the same, and what a shared bond is worth.

    Parameters
    ----------
    atoms : str or sequence of str
        Properties that two matched atoms share, such as `"element+charge"` or `("element", "ring")`: any of `element`,
        `charge`, `isotope`, `hydrogens`, `aromatic`, `ring`, `degree`, `valence`; `"any"` for none. `element` is the
        label of a graph that is no molecule. Default: `element`.
    bonds : {"order", "any"}
        Whether two matched bonds share their order (aromatic is an order of its own, the default).
    ring_bonds : bool
        Whether bonds in rings match bonds in rings only.
    equivalent : str or sequence of str
        SMARTS patterns; atoms that match the same one (the first, if several) count as the same element. In one string
        patterns are separated by blanks.
    compatible : callable or array, optional
        A further condition: `f(i, j)` for a's node i and b's node j, or an array of truth values, |a| x |b|.
    pinned : mapping of int to int
        a's nodes -> b's nodes: they match each other or nothing.
    forbidden : iterable of (int, int)
        Pairs of a's and b's nodes that do not match.
    weights : {"order"} or mapping of int to int, optional
        What a shared bond counts, by edge label: `"order"` counts bond orders in halves (single 2, aromatic 3, double
        4, triple 6). Matched bonds of different orders (`bonds="any"`) count the smaller. Without weights every shared
        bond counts 1.

    Examples
    --------
    >>> import enpda
    >>> enpda.match("CCCl", "CCBr").size, enpda.match("CCCl", "CCBr", rules=enpda.Rules(equivalent="[F,Cl,Br,I]")).size
    (1, 2)
    >>> enpda.match("C=CC=C", "CCCC", rules=enpda.Rules(bonds="any")).size
    3
    """

    atoms: str | Sequence[str] = ("element",)
    bonds: Bonds = "order"
    ring_bonds: bool = False
    equivalent: str | Sequence[str] = ()
    compatible: Callable[[int, int], Any] | npt.ArrayLike | None = field(default=None, compare=False)
    pinned: Mapping[int, int] = field(default_factory=dict)
    forbidden: Iterable[tuple[int, int]] = ()
    weights: Literal["order"] | Mapping[int, int] | None = None

    def __post_init__(self) -> None:
        atoms = self.atoms.split("+") if isinstance(self.atoms, str) else list(self.atoms)
        atoms = [] if atoms == ["any"] else atoms
        for name in atoms:
            choice("atoms", name, get_args(AtomProperty))
        object.__setattr__(self, "atoms", tuple(sorted(set(atoms))))
        choice("bonds", self.bonds, get_args(Bonds))
        patterns = self.equivalent.split() if isinstance(self.equivalent, str) else list(self.equivalent)
        for pattern in patterns:
            _smarts(pattern)
        object.__setattr__(self, "equivalent", tuple(patterns))
        object.__setattr__(self, "pinned", _node_map(self.pinned))
        object.__setattr__(self, "forbidden", tuple(_node_pair(pair) for pair in self.forbidden))
        if self.weights is not None and self.weights != "order":
            if not isinstance(self.weights, Mapping):
                raise InputError(f"weights must be 'order' or a mapping of edge labels; got {brief(self.weights)}")
            weights = {}
            for label, weight in self.weights.items():
                whole("an edge label of weights", label, -(2**63), 2**63 - 1)
                whole(f"the weight of edge label {label}", weight, 0, _core.MAX_WORTH)
                weights[int(label)] = int(weight)
            object.__setattr__(self, "weights", weights)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; only what differs from the default. A callable cannot be written down."""
        default = Rules()
        result: dict[str, Any] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "compatible":
                if value is not None:
                    if callable(value):
                        raise InputError("rules with a callable cannot be written down; give an array instead")
                    result["compatible"] = np.asarray(value).astype(int).tolist()
            elif value != getattr(default, entry.name):
                is_map, is_line = isinstance(value, Mapping), isinstance(value, tuple)
                result[entry.name] = [list(x) if isinstance(x, tuple) else x for x in value] if is_line else value
                if is_map:
                    result[entry.name] = [[int(k), int(v)] for k, v in value.items()]
        return result

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rules:
        """Undo `to_dict`."""
        known = {entry.name for entry in fields(cls)}
        if not isinstance(data, Mapping) or not set(data) <= known:
            raise InputError(f"rules have the keys {', '.join(sorted(known))}; got {brief(data)}")
        values = dict(data)
        try:
            for name in ("pinned", "weights"):
                if isinstance(values.get(name), list):
                    values[name] = {int(k): int(v) for k, v in values[name]}
            return cls(**values)
        except (TypeError, ValueError):
            raise InputError(f"not rules: {brief(data)}") from None


@dataclass(frozen=True)
class Problem:
    """Two graphs as rules see them: labels that say which nodes and edges are alike, and what labels cannot say.

    Attributes
    ----------
    rules : Rules or None
        None for labels as they are.
    a, b : Graph
        The graphs, labelled anew where the rules want it; the same nodes and edges.
    allowed : (|a|, |b|) array or None
        Which nodes may meet besides having equal labels.
    worth : array or None
        What a pair of a's and b's distinct edge labels (ascending) is worth; None for 1 where they are equal.
    """

    rules: Rules | None
    a: Graph
    b: Graph
    allowed: Allowed | None = None
    worth: Worth | None = None

    @property
    def terms(self) -> _core.Terms:
        """What the compiled core is told."""
        return PLAIN if self.allowed is None and self.worth is None else _core.Terms(self.allowed, self.worth)

    @property
    def weighted(self) -> bool:
        """Whether edges count by weight."""
        return self.worth is not None

    def total(self, side: Literal["a", "b"]) -> int:
        """Return what all edges of one graph are worth, each matched with its like."""
        graph = self.a if side == "a" else self.b
        if self.rules is None or self.rules.weights is None:
            return graph.size
        weight = _weight_of(self.rules)
        return sum(weight(label) for label in graph.edge_labels.tolist())


PLAIN = _core.Terms()


def problem_of(a: Graph, b: Graph, rules: Rules | None) -> Problem:
    """Pose the problem of two graphs under some rules."""
    if rules is None:
        return Problem(None, a, b)
    if not isinstance(rules, Rules):
        raise InputError(f"rules must be enpda.Rules; got {brief(rules)}")
    left, right = seen(a, rules), seen(b, rules)
    return Problem(rules, left, right, _allowed(a, b, rules), _worth(left, right, rules))


def seen(graph: Graph, rules: Rules) -> Graph:
    """Return a graph as the rules see it: the same nodes and edges under labels of their own."""
    atoms, ring_bonds = tuple(rules.atoms), rules.ring_bonds
    plain_bonds = rules.bonds == "order" or rules.weights is not None  # weights are looked up by label
    if atoms == ("element",) and plain_bonds and not ring_bonds and not rules.equivalent:
        return graph
    mol = _molecule(graph, rules)
    columns = [graph.labels if "element" in atoms else np.zeros(len(graph), dtype=np.int64)]
    for name in atoms:
        if name != "element" and mol is not None:
            columns.append(np.array([PROPERTIES[name](atom) for atom in mol.GetAtoms()], dtype=np.int64))
    if mol is not None and rules.equivalent:
        own = classes_of(mol, rules.equivalent)
        columns[0] = np.where(own < 0, columns[0], -1 - own)  # no element has such a label
    edge_labels = graph.edge_labels if plain_bonds else np.zeros(graph.size, dtype=np.int64)
    if ring_bonds:
        in_ring = _in_ring(graph).astype(np.int64)
        edge_labels = 2 * edge_labels + in_ring
    return Graph(_joined(columns), graph.edges, edge_labels, graph.name, mol=graph.mol)


def classes_of(mol: Mol, patterns: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return for each atom the first of some one-atom SMARTS that it matches, by number from 0; -1 for none."""
    own = np.full(mol.GetNumAtoms(), -1, dtype=np.int64)
    for number in reversed(range(len(patterns))):
        hits = mol.GetSubstructMatches(_smarts(patterns[number]), maxMatches=len(own) + 1)
        own[[hit[0] for hit in hits]] = number  # the first pattern is written last
    return own


def _joined(columns: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """One number for each combination of values, the same one in every graph."""
    if len(columns) == 1:
        return columns[0]
    result = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        # Elements, charges, counts and isotopes are all far below 2^12 in size.
        result = result * 4096 + (column + 2048) % 4096
    return result


def _molecule(graph: Graph, rules: Rules) -> Mol | None:
    if graph.mol is not None:
        return graph.mol
    asked = [name for name in rules.atoms if name != "element"]
    if asked or rules.equivalent:
        what = ", ".join([*asked, *rules.equivalent])
        raise InputError(f"the rules ask for {what}, but {graph!r} is no molecule; use `compatible` for other graphs")
    return None


def _in_ring(graph: Graph) -> npt.NDArray[np.bool_]:
    """Whether each edge lies on a cycle: those that are no bridges."""
    near: list[list[tuple[int, int]]] = [[] for _ in range(len(graph))]
    for e, (u, v) in enumerate(graph.edges.tolist()):
        near[u].append((v, e))
        near[v].append((u, e))
    found, low = [-1] * len(graph), [0] * len(graph)
    result = np.ones(graph.size, dtype=bool)
    count = 0
    for root in range(len(graph)):
        if found[root] >= 0:
            continue
        found[root] = low[root] = count
        count += 1
        stack = [(root, -1, iter(near[root]))]
        while stack:
            v, by, rest = stack[-1]
            for w, e in rest:
                if e == by:
                    continue
                if found[w] < 0:
                    found[w] = low[w] = count
                    count += 1
                    stack.append((w, e, iter(near[w])))
                    break
                low[v] = min(low[v], found[w])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[v])
                    if low[v] > found[parent]:
                        result[by] = False
    return result


def _allowed(a: Graph, b: Graph, rules: Rules) -> Allowed | None:
    given = rules.compatible
    if given is None and not rules.pinned and not rules.forbidden:
        return None
    shape = (len(a), len(b))
    if given is None:
        allowed = np.ones(shape, dtype=np.uint8)
    elif callable(given):
        allowed = np.array([[bool(given(i, j)) for j in range(shape[1])] for i in range(shape[0])], dtype=np.uint8)
        allowed = allowed.reshape(shape)
    else:
        array = np.asarray(given)
        if array.shape != shape:
            raise InputError(f"compatible must have the shape {shape} of the two graphs; got {array.shape}")
        allowed = (array != 0).astype(np.uint8)
    for i, j in (*rules.pinned.items(), *rules.forbidden):
        if i >= shape[0] or j >= shape[1]:
            raise InputError(f"the rules speak of {i} -> {j}, but the graphs have {shape[0]} and {shape[1]} nodes")
    for i, j in rules.pinned.items():
        kept = allowed[i, j]
        allowed[i, :] = allowed[:, j] = 0
        allowed[i, j] = kept
    for i, j in rules.forbidden:
        allowed[i, j] = 0
    return np.ascontiguousarray(allowed)


def _weight_of(rules: Rules) -> Callable[[int], int]:
    table: Mapping[int, int] = ORDER if rules.weights == "order" else rules.weights or {}

    def weight(label: int) -> int:
        own = label // 2 if rules.ring_bonds else label
        if own not in table:
            accepted = "single, double, triple and aromatic bonds" if rules.weights == "order" else f"{sorted(table)}"
            raise InputError(f"no weight for edge label {own}: there are weights for {accepted}")
        return table[own]

    return weight


def _worth(a: Graph, b: Graph, rules: Rules) -> Worth | None:
    if rules.weights is None:
        return None
    weight = _weight_of(rules)
    left, right = np.unique(a.edge_labels).tolist(), np.unique(b.edge_labels).tolist()
    worth = np.zeros((len(left), len(right)), dtype=np.int32)
    for x, one in enumerate(left):
        for y, other in enumerate(right):
            ring = not rules.ring_bonds or one % 2 == other % 2
            if ring and (one == other or rules.bonds == "any"):
                worth[x, y] = min(weight(one), weight(other))
    return worth


def _smarts(pattern: str) -> Mol:
    from rdkit import Chem, rdBase

    if not isinstance(pattern, str) or not 0 < len(pattern) <= MAX_SMARTS:
        raise InputError(f"equivalent must be SMARTS of 1 to {MAX_SMARTS} characters; got {brief(pattern)}")
    with rdBase.BlockLogs():
        query = Chem.MolFromSmarts(pattern)
    if query is None or query.GetNumAtoms() != 1:
        raise InputError(f"equivalent must be SMARTS of one atom each; got {brief(pattern)}")
    return query


def _node_map(pinned: Mapping[int, int]) -> dict[int, int]:
    if not isinstance(pinned, Mapping):
        raise InputError(f"pinned must be a mapping of nodes; got {brief(pinned)}")
    result = dict(_node_pair(pair) for pair in pinned.items())
    if len(set(result.values())) < len(result):
        raise InputError(f"pinned uses a node of the second graph twice: {brief(pinned)}")
    return result


def _node_pair(pair: Any) -> tuple[int, int]:
    try:
        i, j = pair
    except (TypeError, ValueError):
        raise InputError(f"a pair of nodes is needed; got {brief(pair)}") from None
    whole("a node of the rules", i, 0, 2**31 - 1)
    whole("a node of the rules", j, 0, 2**31 - 1)
    return int(i), int(j)
