"""What counts as the same: rules for atoms and bonds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.checks import choice, whole
from enpda.clock import FOREVER, Clock
from enpda.errors import InputError, brief
from enpda.graph import Graph, IntArray
from enpda.labels import Codes, code_with

if TYPE_CHECKING:
    from rdkit.Chem import Atom, Mol

AtomProperty = Literal["element", "charge", "isotope", "hydrogens", "aromatic", "ring", "degree", "valence"]
Bonds = Literal["order", "any"]
Pairs = Mapping[int, int] | Iterable[tuple[int, int]]
Allowed = npt.NDArray[np.uint8]
Worth = npt.NDArray[np.int32]

ATOMS: dict[str, Callable[[Atom], int]] = {
    "charge": lambda atom: int(atom.GetFormalCharge()),
    "isotope": lambda atom: int(atom.GetIsotope()),
    "hydrogens": lambda atom: int(atom.GetTotalNumHs(includeNeighbors=True)),
    "aromatic": lambda atom: int(atom.GetIsAromatic()),
    "valence": lambda atom: int(atom.GetTotalValence()),
}
"""What only a molecule says about an atom."""

DIGITS = {
    "charge": (-128, 256),
    "isotope": (0, 65_536),
    "hydrogens": (0, 64),
    "aromatic": (0, 2),
    "ring": (0, 2),
    "degree": (0, 4_096),
    "valence": (0, 256),
}
"""The least value of each property, and how many there are: labels have one digit for each property that counts."""

ORDER = {
    **{0: 0, 1: 2, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12},  # none, single to hextuple
    **{7: 3, 8: 5, 9: 7, 10: 9, 11: 11, 12: 3},  # one and a half to five and a half, aromatic
    **{13: 0, 14: 0, 21: 0, 16: 2, 17: 2},  # ionic, hydrogen and zero; dative
}
"""Bond orders in halves, by RDKit's bond type."""

MAX_SMARTS = 1_000
"""Characters of a pattern, and patterns."""
MAX_CELLS = 64_000_000
"""Cells of a pair that are looked at one by one; the verifier takes as many."""
SECONDS_PER_CELL = 6e-9
"""What a matrix of cells takes to make and to hand over."""
SECONDS_PER_PART = 8e-8
"""What a node or an edge takes to be labelled anew."""
MAX_CALLS = 4_000_000
"""How often a callable may be asked about one pair."""


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """Which atoms and bonds count as the same, and what a shared bond is worth; see docs/rules.md.

    Parameters
    ----------
    atoms : str or sequence of str
        Properties that two matched atoms share, such as `"element+charge"` or `("element", "ring")`: any of `element`,
        `charge`, `isotope`, `hydrogens`, `aromatic`, `ring`, `degree`, `valence`; `"any"` for none. On graphs that are
        no molecules `element` is the label, and only `ring` and `degree` can be asked for besides. Default: `element`.
    bonds : {"order", "any"}
        Whether two matched bonds share their order (aromatic is an order of its own, the default).
    ring_bonds : bool
        Whether bonds in rings match bonds in rings only, and others others only.
    equivalent : str or sequence of str
        SMARTS patterns of one atom; atoms that match the same one (the first, if several) count as the same element. In
        one string patterns are separated by blanks.
    compatible : callable or array, optional
        A further condition: `f(i, j)` for a's node i and b's node j, asked where labels agree, or an array of truth
        values, |a| x |b|.
    pinned : mapping of int to int, or iterable of (int, int)
        a's nodes -> b's nodes: they match each other or nothing. The other rules must let them.
    forbidden : iterable of (int, int)
        Pairs of a's and b's nodes that do not match.
    weights : {"order"} or mapping of edge labels to int, optional
        What a shared bond counts, from 0 (never shared) to 16, by edge label (as it was given: text and tuples, too).
        `"order"` counts bond orders in halves (single 2, aromatic 3, double 4, triple 6). Matched bonds of
        different orders (`bonds="any"`) count the smaller.
        Without weights every shared bond counts 1.

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
    compatible: Callable[[int, int], Any] | npt.ArrayLike | None = None
    pinned: Pairs = ()
    forbidden: Iterable[tuple[int, int]] = ()
    weights: Literal["order"] | Pairs | None = None

    def __post_init__(self) -> None:
        atoms = _words("atoms", self.atoms, "+")
        if atoms == ["any"]:
            atoms = []
        for name in atoms:
            choice("atoms (joined by '+', or 'any' alone)", name, get_args(AtomProperty))
        choice("bonds", self.bonds, get_args(Bonds))
        if not isinstance(self.ring_bonds, (bool, np.bool_)):
            raise InputError(f"ring_bonds must be True or False; got {brief(self.ring_bonds)}")
        patterns = _words("equivalent", self.equivalent, None)
        if len(patterns) > MAX_SMARTS:
            raise InputError(f"equivalent takes at most {MAX_SMARTS} patterns; got {len(patterns)}")
        for pattern in patterns:
            _smarts(pattern)
        if patterns and "element" not in atoms:
            raise InputError(f"equivalent is about elements, but atoms={'+'.join(atoms) or 'any'!r} compares none")
        pinned = _pairs("pinned", self.pinned)
        if any(len(set(side)) < len(pinned) for side in zip(*pinned, strict=True)):
            raise InputError(f"pinned uses a node twice: {brief(self.pinned)}")
        forbidden = _pairs("forbidden", self.forbidden)
        if both := set(pinned) & set(forbidden):
            raise InputError(f"{min(both)} is pinned and forbidden")
        for name, value in (
            ("atoms", tuple(sorted(set(atoms)))),
            ("ring_bonds", bool(self.ring_bonds)),
            ("equivalent", tuple(patterns)),
            ("compatible", _truths(self.compatible)),
            ("pinned", pinned),
            ("forbidden", forbidden),
            ("weights", _weights(self.weights)),
        ):
            object.__setattr__(self, name, value)

    def _key(self) -> tuple[Any, ...]:
        values = (getattr(self, entry.name) for entry in fields(self))
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        own = (f"{name}={brief(value)}" for name, value in self._changed().items())
        return f"Rules({', '.join(own)})"

    def _changed(self) -> dict[str, Any]:
        """Return what differs from the default."""
        values = {entry.name: (getattr(self, entry.name), entry.default) for entry in fields(self)}
        return {k: v for k, (v, default) in values.items() if isinstance(v, np.ndarray) or v != default}

    @property
    def of_one_pair(self) -> bool:
        """Whether they speak of particular nodes, and so of one pair of graphs only."""
        return self.compatible is not None or bool(self.pinned) or bool(self.forbidden)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; only what differs from the default. A callable cannot be written down."""
        if callable(self.compatible):
            raise InputError("rules with a callable cannot be written down; give an array instead")
        return {name: _plain(value) for name, value in self._changed().items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rules:
        """Undo `to_dict`."""
        known = {entry.name for entry in fields(cls)}
        if not isinstance(data, Mapping) or not set(data) <= known:
            raise InputError(f"rules have the keys {', '.join(sorted(known))}; got {brief(data)}")
        return cls(**data)


def seen(graph: Graph, rules: Rules, clock: Clock = FOREVER) -> Graph:
    """Return a graph as the rules see it: the same nodes and edges under labels of their own."""
    plain_bonds = rules.bonds == "order" or rules.weights is not None  # weights are looked up by label
    if rules.atoms == ("element",) and plain_bonds and not rules.ring_bonds and not rules.equivalent:
        return graph

    def made() -> Graph:
        clock.need(SECONDS_PER_PART * (len(graph) + graph.size))
        edge_labels = graph.edge_labels if plain_bonds else np.zeros(graph.size, dtype=np.int64)
        if rules.ring_bonds:
            edge_labels = _with_digit(graph, "edge label", edge_labels, _in_ring(graph).astype(np.int64), 2)
        return graph.relabelled(_node_labels(graph, rules), edge_labels)

    return graph.once(("seen", rules.atoms, plain_bonds, rules.ring_bonds, rules.equivalent), made)


def _node_labels(graph: Graph, rules: Rules) -> IntArray:
    """Return one number for each combination of properties, the same one in every graph."""
    labels = graph.labels if "element" in rules.atoms else np.zeros(len(graph), dtype=np.int64)
    mol = _molecule(graph, rules)
    if rules.equivalent:
        own = classes_of(mol, rules.equivalent)
        labels = np.where(own < 0, labels, -1 - own)  # no element is negative
    for name in rules.atoms:
        if name == "element":
            continue
        if name == "ring":
            values = np.zeros(len(graph), dtype=np.int64)
            values[graph.edges[_in_ring(graph)]] = 1
        elif name == "degree":
            values = np.bincount(graph.edges.ravel(), minlength=len(graph))
        else:
            values = np.array([ATOMS[name](atom) for atom in mol.GetAtoms()], dtype=np.int64)
        least, count = DIGITS[name]
        wrong = values[(values < least) | (values >= least + count)]
        if wrong.size:
            raise InputError(f"{name} is compared from {least} to {least + count - 1}; {graph!r} has {wrong[0]}")
        labels = _with_digit(graph, "label", labels, values - least, count)
    return labels


def classes_of(mol: Mol, patterns: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return for each atom the first of some one-atom SMARTS that it matches, by number from 0; -1 for none."""
    own = np.full(mol.GetNumAtoms(), -1, dtype=np.int64)
    for number in reversed(range(len(patterns))):
        hits = mol.GetSubstructMatches(_smarts(patterns[number]), maxMatches=len(own) + 1)
        own[[hit[0] for hit in hits]] = number  # the first pattern is written last
    return own


def _with_digit(graph: Graph, what: str, labels: IntArray, digit: IntArray, count: int) -> IntArray:
    """Append a digit from 0 to count - 1 to every label; a code too large for that becomes another code."""
    most = 2**62 // count
    wide = (labels >= most) | (labels <= -most)
    if not wide.any():
        return labels * count + digit
    if not graph.label_names:
        raise InputError(f"under these rules a {what} must be within ±{most - 1}; got {labels[wide][0]}")
    result = np.where(wide, 0, labels) * count + digit
    result[wide] = [code_with(*pair, count) for pair in zip(labels[wide].tolist(), digit[wide].tolist(), strict=True)]
    return result


def _molecule(graph: Graph, rules: Rules) -> Mol:
    """Return the molecule of a graph, ready to be asked, if the rules ask anything of it."""
    asked = [name for name in rules.atoms if name in ATOMS]
    if not asked and not rules.equivalent:
        return None
    mol = graph.look()
    if mol is None:
        what = ", ".join([*asked, *rules.equivalent])
        raise InputError(f"the rules ask for {what}, but {graph!r} is no molecule; use `compatible` for other graphs")
    from enpda.chem import molecule

    return molecule.complete(mol)


def _in_ring(graph: Graph) -> npt.NDArray[np.bool_]:
    """Whether each edge lies on a cycle: those that are no bridges."""
    return graph.core.ring_systems() >= 0


def allowed_of(a: Graph, b: Graph, rules: Rules, clock: Clock = FOREVER) -> Allowed | None:
    """Return which cells the rules leave open, besides labels: `a` and `b` as the rules see them."""
    if not rules.of_one_pair:
        return None
    shape = (len(a), len(b))
    if len(a) * len(b) > MAX_CELLS:
        raise InputError(f"the pair has {len(a)} x {len(b)} nodes; at most {MAX_CELLS} cells are accepted")
    clock.need(SECONDS_PER_CELL * len(a) * len(b))
    given = rules.compatible
    if given is None:
        allowed = np.ones(shape, dtype=np.uint8)
    elif callable(given):
        allowed = _asked(given, a.labels[:, None] == b.labels[None, :], clock)
    else:
        array = np.asarray(given)
        if array.shape != shape and (array.size or len(a) * len(b)):
            raise InputError(f"compatible must have the shape {shape} of the two graphs; got {array.shape}")
        allowed = array.reshape(shape).copy()
    pinned, forbidden = _pairs("pinned", rules.pinned), _pairs("forbidden", rules.forbidden)
    for i, j in (*pinned, *forbidden):
        if i >= shape[0] or j >= shape[1]:
            raise InputError(f"the rules speak of {i} -> {j}, but the graphs have {shape[0]} and {shape[1]} nodes")
    for i, j in pinned:
        if not allowed[i, j] or a.labels[i] != b.labels[j]:
            raise InputError(f"pinned {i} -> {j}, but the other rules keep these two nodes apart")
    for i, j in pinned:
        allowed[i, :] = allowed[:, j] = 0
        allowed[i, j] = 1
    for i, j in forbidden:
        allowed[i, j] = 0
    return allowed


def _asked(compatible: Callable[[int, int], Any], same: npt.NDArray[np.bool_], clock: Clock) -> Allowed:
    cells = np.argwhere(same)
    if len(cells) > MAX_CALLS:
        raise InputError(f"compatible would be called {len(cells)} times, at most {MAX_CALLS}; give an array instead")
    allowed = np.zeros(same.shape, dtype=np.uint8)
    for k, (i, j) in enumerate(cells.tolist()):
        if k % 256 == 0:
            clock.need()
        try:
            allowed[i, j] = bool(compatible(i, j))
        except Exception as error:
            raise InputError(f"compatible({i}, {j}) raised {type(error).__name__}: {error}") from error
    return allowed


def weight_of(rules: Rules) -> Callable[[int], int]:
    """Return what looks up the weight of a label that the rules gave."""
    table = ORDER if rules.weights == "order" else dict(_pairs("weights", rules.weights or ()))

    def weight(label: int) -> int:
        own = label // 2 if rules.ring_bonds else label
        if own not in table:
            what = "bond orders by RDKit's bond type" if rules.weights == "order" else "weights"
            raise InputError(f"no weight for edge label {own}: there are {what} for {', '.join(map(str, table))}")
        return table[own]

    return weight


def weight_in(graph: Graph, rules: Rules) -> int:
    """Return what all edges of a graph, as the rules see it, weigh."""
    weight = weight_of(rules)
    labels, counts = np.unique(graph.edge_labels, return_counts=True)
    return sum(weight(label) * count for label, count in zip(labels.tolist(), counts.tolist(), strict=True))


def worth_of(a: Graph, b: Graph, rules: Rules) -> Worth | None:
    """Return what pairs of edge labels are worth; None without weights."""
    if rules.weights is None:
        return None
    weight = weight_of(rules)
    left, right = np.unique(a.edge_labels), np.unique(b.edge_labels)
    if len(left) * len(right) > MAX_CELLS:
        raise InputError(f"the graphs have {len(left)} x {len(right)} edge labels; at most {MAX_CELLS} are weighed")
    here, there = (np.array([weight(x) for x in some.tolist()], dtype=np.int32) for some in (left, right))
    alike = left[:, None] == right[None, :]
    if rules.bonds == "any":
        alike = (left[:, None] - right[None, :]) % 2 == 0 if rules.ring_bonds else np.ones_like(alike)
    return np.where(alike, np.minimum(here[:, None], there[None, :]), 0).astype(np.int32)


def _words(what: str, given: Any, separator: str | None) -> list[str]:
    """Take words as one string or as a sequence."""
    try:
        words = given.split(separator) if isinstance(given, str) else list(given)
    except TypeError:
        raise InputError(f"{what} must be a string or a sequence of strings; got {brief(given)}") from None
    return [word.strip() if isinstance(word, str) else word for word in words]


def _smarts(pattern: str) -> Mol:
    from rdkit import Chem, rdBase

    if not isinstance(pattern, str) or not 0 < len(pattern) <= MAX_SMARTS or not pattern.isprintable():
        raise InputError(f"equivalent must be SMARTS of 1 to {MAX_SMARTS} printable characters; got {brief(pattern)}")
    with rdBase.BlockLogs():
        query = Chem.MolFromSmarts(pattern)
    if query is None or query.GetNumAtoms() != 1:
        raise InputError(f"equivalent must be SMARTS of one atom each; got {brief(pattern)}")
    return query


def _pairs(what: str, given: Any) -> tuple[tuple[int, int], ...]:
    """Take a mapping or pairs as sorted pairs, each once: of nodes, or of an edge label and its weight."""
    low, high = (-(2**63), 2**63 - 1) if what == "weights" else (0, 2**31 - 1)
    try:
        pairs = [(i, j) for i, j in (given.items() if isinstance(given, Mapping) else given)]
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a mapping or pairs of whole numbers; got {brief(given)}") from None
    for i, j in pairs:
        whole(f"a number of {what}", i, low, high)
        whole(f"a number of {what}", j, 0, min(high, 2**31 - 1))
    return tuple(sorted({(int(i), int(j)) for i, j in pairs}))


def _weights(given: Any) -> str | tuple[tuple[int, int], ...] | None:
    if given is None or isinstance(given, str):
        if given in (None, "order"):
            return given
        raise InputError(f"weights must be 'order' or a mapping of edge labels; got {brief(given)}")
    if isinstance(given, Mapping):
        codes = Codes()
        given = {codes.number(x) if isinstance(x, (str, bytes, tuple, frozenset)) else x: y for x, y in given.items()}
    pairs = _pairs("weights", given)
    for label, weight in pairs:
        whole(f"the weight of edge label {label}", weight, 0, _core.MAX_WORTH)
    if len(dict(pairs)) < len(pairs):
        raise InputError(f"weights has two weights for one edge label: {brief(given)}")
    return pairs


def _truths(given: Any) -> Any:
    """Take a callable as it is, and an array as a copy that nobody changes."""
    if given is None or callable(given):
        return given
    try:
        array = np.asarray(given)
    except ValueError:
        raise InputError(f"compatible must be a regular array; got {brief(given)}") from None
    if array.size and (array.ndim != 2 or array.dtype.kind not in "biu"):
        raise InputError(
            f"compatible must be a callable or an array of truth values with two dimensions; got {brief(given)}"
        )
    result = (array != 0).astype(np.uint8)
    result.flags.writeable = False
    return result


def _plain(value: Any) -> Any:
    """Return tuples and arrays as lists, and the rest as it is."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(x) for x in value] if isinstance(value, tuple) else value
