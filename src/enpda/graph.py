"""Labelled graphs: the one input type of everything else."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.errors import InputError, brief, unicode_text, warn
from enpda.upstairs import upstairs

if TYPE_CHECKING:
    import networkx
    from rdkit.Chem import Mol

IntArray = npt.NDArray[np.int64]
T = TypeVar("T")
KEYS = ("name", "smiles", "smiles_order", "molecule", "labels", "edges", "edge_labels", "oddity")
"""What a graph as a dictionary may hold."""


class Graph:
    """A simple, undirected graph with integer labels on nodes and edges; immutable, hashable and picklable.

    Parameters
    ----------
    labels : sequence of int
        One label per node; any whole numbers that fit in 64 bits.
    edges : sequence of (int, int)
        Node numbers from 0. Self-loops are dropped and an edge given twice (in either direction) counts
        once; an edge given twice with different labels is an error.
    edge_labels : sequence of int, optional
        One label per given edge, 0 by default.
    name : str, optional
        Shown in reports; not part of the graph's identity.

    Raises
    ------
    InputError
        When the arrays do not describe such a graph. The message says what was given.

    Examples
    --------
    >>> from enpda import Graph
    >>> g = Graph([6, 6, 8], [(0, 1), (1, 2)], edge_labels=[1, 2], name="acetaldehyde")
    >>> len(g), g.size
    (3, 2)
    >>> g == Graph([6, 6, 8], [(2, 1), (1, 0)], edge_labels=[2, 1])
    True
    """

    core: _core.Graph
    name: str | None
    mol: Mol | None
    oddity: str | None
    """Why RDKit could not sanitise the molecule that was read; None for all others."""

    def __init__(
        self,
        labels: Iterable[int],
        edges: Iterable[Sequence[int]] = (),
        edge_labels: Iterable[int] | None = None,
        name: str | None = None,
        *,
        mol: Mol | None = None,
        oddity: str | None = None,
    ) -> None:
        ends = _whole_numbers("edges", edges)
        if ends.size and (ends.ndim != 2 or ends.shape[1] != 2):
            raise InputError(f"edges must be pairs of node numbers, shape (edges, 2); got shape {ends.shape}")
        node_array = _whole_numbers("labels", labels, flat=True)
        if edge_labels is None:
            edge_array = np.zeros(len(ends), dtype=np.int64)
        else:
            edge_array = _whole_numbers("edge_labels", edge_labels, flat=True)
        if name is not None:
            unicode_text("name", name)
        core = _core.Graph(node_array, np.ascontiguousarray(ends.reshape(-1)), edge_array)
        self.__dict__.update(core=core, name=name, mol=mol, oddity=oddity)

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"a Graph is immutable; {attribute!r} cannot be set")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"a Graph is immutable; {attribute!r} cannot be deleted")

    # -- doors in ------------------------------------------------------------------------------------------

    @classmethod
    def from_smiles(cls, smiles: str, name: str | None = None) -> Graph:
        """Read one molecule: node labels are atomic numbers, edge labels RDKit's bond types (1, 2, 3, 12).

        One that RDKit cannot sanitise is taken as it is written, with an `InputWarning`.
        """
        from enpda.chem import molecule

        mol, oddity = molecule.parse_smiles(smiles)
        return _warned(cls(*molecule.arrays_of(mol), name=name, mol=mol, oddity=oddity))

    @classmethod
    def from_text(cls, text: str, name: str | None = None) -> Graph:
        """Read one molecule, written as SMILES, InChI or mol block; like `from_smiles` otherwise."""
        return _warned(read_text(text, name))

    @classmethod
    def from_mol(cls, mol: Mol, name: str | None = None) -> Graph:
        """Take an RDKit molecule as it is: its explicit atoms, in its order; aromatic bonds have label 12.

        Without a name it has the one that RDKit read with it (its property `_Name`), if any.
        """
        from enpda.chem import molecule

        return cls(*molecule.arrays_of(mol), name=name or molecule.name_of(mol), mol=molecule.copy(mol))

    @classmethod
    def from_networkx(
        cls, graph: networkx.Graph[Any], node: str | None = "label", edge: str | None = "label", name: str | None = None
    ) -> Graph:
        """Take an undirected networkx graph; nodes are numbered in its iteration order.

        `node` and `edge` name the attributes that hold the integer labels. An attribute that no node (no edge)
        has means label 0 everywhere; one that only some have is an error.
        """
        from enpda import foreign

        return cls(*foreign.arrays_of_networkx(graph, node, edge), name=name)

    @classmethod
    def from_pyg(cls, data: Any, name: str | None = None) -> Graph:
        """Take a PyTorch Geometric `Data` (or anything with `edge_index` and, optionally, `x` and `edge_attr`).

        Two-dimensional attributes are read as one-hot when every row is, and by their first column otherwise.
        """
        from enpda import foreign

        return cls(*foreign.arrays_of_pyg(data), name=name)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Graph:
        """Rebuild a graph from `to_dict`; a reason under `oddity` is kept, because SMILES are written anew."""
        if not isinstance(data, dict) or not {"labels", "edges"} <= data.keys():
            raise InputError(f"a graph needs the keys 'labels' and 'edges'; got {brief(data)}")
        if strange := [key for key in data if key not in KEYS]:
            raise InputError(f"a graph has the keys {', '.join(KEYS)}; got {brief(strange[0])}")
        plain = cls(data["labels"], data["edges"], data.get("edge_labels"), name=data.get("name"))
        smiles, numbers = data.get("smiles"), data.get("molecule")
        if smiles is None and numbers is None:
            return plain
        from enpda.chem import molecule
        from enpda.chem.plain import from_numbers

        oddity = None
        if smiles is None:
            mol = from_numbers(numbers)
        else:
            order = _whole_numbers("smiles_order", data.get("smiles_order", ()), flat=True).tolist()
            mol, oddity = molecule.from_ordered_smiles(smiles, order)
        if data.get("oddity") is not None:
            oddity = unicode_text("oddity", data["oddity"])
        graph = cls(*molecule.arrays_of(mol), name=data.get("name"), mol=mol, oddity=oddity)
        if graph != plain:
            what = "molecule" if smiles is None else f"SMILES {brief(smiles)}"
            raise InputError(f"the {what} is not the graph beside it")
        return graph

    # -- what it is ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.core)

    @property
    def size(self) -> int:
        """Number of edges."""
        return len(self.edge_labels)

    @cached_property
    def labels(self) -> IntArray:
        """Node labels, read-only."""
        return _frozen(self.core.labels())

    @cached_property
    def edges(self) -> IntArray:
        """Edges as rows (u, v) with u < v, sorted; read-only."""
        return _frozen(self.core.edges())

    @cached_property
    def edge_labels(self) -> IntArray:
        """Edge labels in the order of `edges`; read-only."""
        return _frozen(self.core.edge_labels())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of labels and sorted edges in this vertex order: equal exactly for equal graphs."""
        triples = np.column_stack([self.edges, self.edge_labels]).tolist()
        text = json.dumps({"nodes": self.labels.tolist(), "edges": triples}, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def invariant_hash(self) -> int:
        """A hash that ignores vertex order (colour refinement): equal for isomorphic graphs, not conversely."""
        return self.core.invariant_hash

    def same_as(self, other: Graph) -> bool:
        """Whether the two graphs are isomorphic with equal labels; exact, whatever their vertex orders."""
        if not isinstance(other, Graph):
            raise InputError(f"same_as takes a Graph; got {brief(other)}")
        return _core.isomorphic(self.core, other.core)

    def components(self) -> list[IntArray]:
        """Node numbers of each connected component, the component with node 0 first."""
        number = self.core.components()
        order = np.argsort(number, kind="stable").astype(np.int64)
        return np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(self) else []

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was made of this graph under a key before; make it when there is nothing yet.

        Work that belongs to one graph is then done once, however many pairs it is part of.
        """
        made: dict[Hashable, T] = self.__dict__.setdefault("_made", {})
        if key not in made:
            made[key] = make()
        return made[key]

    def named(self, name: str | None) -> Graph:
        """Return the same graph under another name."""
        if name is not None:
            unicode_text("name", name)
        result: Graph = object.__new__(type(self))
        result.__dict__.update(self.__dict__, name=name)
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self is other or (
            np.array_equal(self.labels, other.labels)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.edge_labels, other.edge_labels)
        )

    def __hash__(self) -> int:
        return hash((self.labels.tobytes(), self.edges.tobytes(), self.edge_labels.tobytes()))

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"Graph({name}{len(self)} nodes, {self.size} edges)"

    def __reduce__(self) -> tuple[Any, ...]:
        molecule = None if self.mol is None else self.mol.ToBinary()
        return _unpickle, (self.labels, self.edges, self.edge_labels, self.name, molecule, self.oddity)

    # -- doors out -----------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, ready for JSON.

        A molecule also has its SMILES and the node of each SMILES atom, or, when no SMILES says the same, `molecule`:
        its atoms and bonds in numbers.
        """
        smiles = order = numbers = None
        if self.mol is not None:
            from enpda.chem import molecule
            from enpda.chem.plain import numbers_of

            smiles, order = molecule.ordered_smiles(self.mol) or (None, None)
            numbers = numbers_of(self.mol) if smiles is None else None
        return {
            "name": self.name,
            "smiles": smiles,
            "smiles_order": order,
            "molecule": numbers,
            "labels": self.labels.tolist(),
            "edges": self.edges.tolist(),
            "edge_labels": self.edge_labels.tolist(),
        }

    def to_networkx(self) -> networkx.Graph[int]:
        """Return a networkx graph with `label` on nodes and edges."""
        from enpda import foreign

        return foreign.to_networkx(self)

    def to_mol(self) -> Mol:
        """Return an RDKit molecule with the same atoms in the same order.

        Graphs read from molecules give a copy of that molecule. Others are built from atomic numbers and RDKit
        bond types, without sanitisation; labels that are neither raise `InputError`.
        """
        from enpda.chem import molecule

        return molecule.copy(self.mol) if self.mol is not None else molecule.mol_of(self)

    def _repr_svg_(self) -> str:
        svg: str = upstairs("graph_svg")(self)
        return svg


def read_text(text: str, name: str | None = None) -> Graph:
    """Read one molecule (SMILES, InChI or mol block) without a warning: what is odd stays in `oddity`."""
    from enpda.chem import molecule

    mol, oddity = molecule.parse(text)
    return Graph(*molecule.arrays_of(mol), name=name or molecule.name_of(mol), mol=mol, oddity=oddity)


def as_graph(item: Any) -> Graph:
    """Take what a caller has: a Graph, a molecule as text or as an RDKit Mol, a networkx graph or a PyG Data."""
    if isinstance(item, Graph):
        return item
    if isinstance(item, str):
        return Graph.from_text(item)
    if hasattr(item, "GetAtoms"):
        return Graph.from_mol(item)
    if hasattr(item, "is_directed") and hasattr(item, "nodes"):
        return Graph.from_networkx(item)
    if hasattr(item, "edge_index"):
        return Graph.from_pyg(item)
    raise InputError(f"a Graph, SMILES string, RDKit Mol or networkx graph is needed; got {brief(item)}")


def _warned(graph: Graph) -> Graph:
    """Warn, at the line that called this package, when a molecule is odd."""
    if graph.oddity is not None:
        warn(graph.oddity)
    return graph


def _frozen(array: IntArray) -> IntArray:
    array.flags.writeable = False
    return array


def _whole_numbers(what: str, values: Iterable[Any], flat: bool = False) -> IntArray:
    """Return the values as int64, or raise an InputError that names the first that is not a whole number."""
    if isinstance(values, (str, bytes)):
        raise InputError(f"{what} must be a sequence of integers; got {brief(values)}")
    if not isinstance(values, np.ndarray):
        try:
            values = list(values)
        except TypeError:
            raise InputError(f"{what} must be a sequence of integers; got {brief(values)}") from None
        kinds = set(map(type, values))
        if kinds <= {list, tuple}:
            kinds = set(map(type, itertools.chain.from_iterable(values)))
        if bool in kinds:  # numpy would make numbers of them
            raise InputError(f"{what} must be whole numbers; got True or False")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must be a regular array of integers; got rows of different lengths") from None
    if array.size == 0:
        array = np.zeros((0,) if flat else (0, 2), dtype=np.int64)
    if flat and array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional; got shape {array.shape}")
    if array.dtype.kind == "f":
        wrong = array[~(np.isfinite(array) & (np.floor(array) == array))]
        if wrong.size:
            raise InputError(f"{what} must be whole numbers; got {wrong.flat[0]}")
        if np.abs(array).max(initial=0) >= 2.0**63:
            raise InputError(f"{what} must fit in 64 bits; got {np.abs(array).max()}")
    elif array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise InputError(f"{what} must fit in 64 bits; got {array.max()}")
    elif array.dtype.kind == "O" and all(isinstance(x, int) for x in array.flat):
        raise InputError(f"{what} must fit in 64 bits; got {brief(max(array.flat, key=abs))}")
    elif array.dtype.kind not in "iu":
        plain = array.ravel().tolist()
        wrong_value = next((x for x in plain if not isinstance(x, (int, float))), plain[0])
        raise InputError(f"{what} must be whole numbers; got {brief(wrong_value)}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _unpickle(
    labels: IntArray, edges: IntArray, edge_labels: IntArray, name: str | None, molecule: Any, oddity: str | None
) -> Graph:
    mol = None
    if molecule is not None:
        from rdkit import Chem

        mol = Chem.Mol(molecule)
    return Graph(labels, edges, edge_labels, name, mol=mol, oddity=oddity)
