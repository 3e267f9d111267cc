"""Labelled graphs: the one input type of everything else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from enpda import _core, dictionary
from enpda.checks import whole_numbers
from enpda.chem.written import Written
from enpda.errors import InputError, brief, unicode_text, warn
from enpda.labels import Label, checked_names
from enpda.upstairs import upstairs

if TYPE_CHECKING:
    import networkx
    from rdkit.Chem import Mol

    from enpda.foreign import Parts

IntArray = npt.NDArray[np.int64]
T = TypeVar("T")
Name = str | None
NO_NAMES: Mapping[int, Label] = MappingProxyType({})


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
    names : sequence, optional
        What the nodes are called, each differently: anything hashable. A `Match` of the graph speaks in these names;
        they are not part of its identity either.
    label_names : mapping of int to label, optional
        What labels stand for that are codes of text and the like; the doors below fill it.

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
    oddity: str | None = None
    """Why RDKit could not sanitise the molecule that was read; None for all others."""
    names: tuple[Hashable, ...] | None = None
    """What the nodes are called; None for nodes that have only their numbers."""
    label_names: Mapping[int, Label] = NO_NAMES
    """What the labels stand for that are codes, of nodes and edges; empty where labels are numbers themselves."""
    _molecule: Mol | Written | None = None

    def __init__(
        self,
        labels: Iterable[int],
        edges: Iterable[Sequence[int]] = (),
        edge_labels: Iterable[int] | None = None,
        name: str | None = None,
        *,
        mol: Mol | Written | None = None,
        oddity: str | None = None,
        names: Iterable[Hashable] | None = None,
        label_names: Mapping[int, Label] | None = None,
    ) -> None:
        ends = whole_numbers("edges", edges)
        if ends.size and (ends.ndim != 2 or ends.shape[1] != 2):
            raise InputError(f"edges must be pairs of node numbers, shape (edges, 2); got shape {ends.shape}")
        node_array = whole_numbers("labels", labels, flat=True)
        if edge_labels is None:
            edge_array = np.zeros(len(ends), dtype=np.int64)
        else:
            edge_array = whole_numbers("edge_labels", edge_labels, flat=True)
        if name is not None:
            unicode_text("name", name)
        core = _core.Graph(node_array, np.ascontiguousarray(ends.reshape(-1)), edge_array)
        self.__dict__.update(core=core, name=name)
        optional = {
            "_molecule": mol,
            "oddity": oddity,
            "names": None if names is None else checked_names(names, len(core)),
            "label_names": MappingProxyType(dict(label_names)) if label_names else None,
        }
        self.__dict__.update((key, value) for key, value in optional.items() if value is not None)

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
        kept = Written.of(mol) if oddity else Written(str(smiles).strip())
        return _warned(cls._of_mol(mol, kept, name, oddity))

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

        own = molecule.copy(mol)
        return cls._of_mol(own, own, name or molecule.name_of(mol))

    @classmethod
    def _of_mol(cls, mol: Mol, kept: Mol | Written, name: Name, oddity: Name = None) -> Graph:
        """Take a molecule that is nobody else's, and what is kept of it."""
        from enpda.chem import molecule

        if name is not None:
            unicode_text("name", name)
        graph, core = object.__new__(cls), molecule.core_of(mol)
        graph.__dict__.update(core=core, name=name, _molecule=kept)
        if oddity is not None:
            graph.__dict__["oddity"] = oddity
        return graph

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph[Any],
        node: Name = "label",
        edge: Name = "label",
        name: Name = None,
        *,
        decimals: int | None = None,
    ) -> Graph:
        """Take an undirected networkx graph; nodes are numbered in its iteration order and keep their names.

        `node` and `edge` name the attributes that hold the labels: whole numbers, text, tuples and whatever else
        `enpda.labels` lists; fractions only with `decimals`, the digits they are rounded to. An attribute that no node
        (no edge) has means label 0 everywhere; one that only some have is an error.

        Examples
        --------
        >>> import networkx
        >>> from enpda import Graph
        >>> friends = networkx.Graph([("Ada", "Bob"), ("Bob", "Cleo")])
        >>> networkx.set_node_attributes(friends, {"Ada": "dean", "Bob": "student", "Cleo": "student"}, "role")
        >>> g = Graph.from_networkx(friends, node="role")
        >>> g.names, sorted(g.label_names.values())
        (('Ada', 'Bob', 'Cleo'), ['dean', 'student'])
        """
        from enpda import foreign

        return cls._of(foreign.of_networkx(graph, node, edge, decimals), name)

    @classmethod
    def from_rustworkx(
        cls, graph: Any, node: Name = "label", edge: Name = "label", name: Name = None, *, decimals: int | None = None
    ) -> Graph:
        """Take a rustworkx `PyGraph`: what nodes and edges carry are their labels; None everywhere means label 0.

        Where they carry dictionaries, `node` and `edge` are the keys of the labels; None leaves labels out. Nodes keep
        their indices as names where some were removed, and their old names where the graph came from networkx.
        """
        from enpda import foreign

        return cls._of(foreign.of_rustworkx(graph, node, edge, decimals), name)

    @classmethod
    def from_igraph(
        cls, graph: Any, node: Name = "label", edge: Name = "label", name: Name = None, *, decimals: int | None = None
    ) -> Graph:
        """Take an undirected igraph `Graph` as `from_networkx` does; the vertex attribute `name` names the nodes."""
        from enpda import foreign

        return cls._of(foreign.of_igraph(graph, node, edge, decimals), name)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        labels: Iterable[Any] | None = None,
        name: Name = None,
        *,
        values: bool = False,
        decimals: int | None = None,
    ) -> Graph:
        """Take a symmetric sparse adjacency matrix of SciPy: each entry off the diagonal that is not 0 is an edge.

        `labels` are those of the nodes, of any kind, 0 by default; `values` makes the entries edge labels.
        """
        from enpda import foreign

        return cls._of(foreign.of_scipy(matrix, labels, values, decimals), name)

    @classmethod
    def from_pyg(cls, data: Any, name: str | None = None) -> Graph:
        """Take a PyTorch Geometric `Data` (or anything with `edge_index` and, optionally, `x` and `edge_attr`).

        Two-dimensional attributes are read as one-hot when every row is, and by their first column otherwise.
        """
        from enpda import foreign

        return cls._of(foreign.of_pyg(data), name)

    @classmethod
    def _of(cls, parts: Parts, name: str | None) -> Graph:
        return cls(parts[0], parts[1], parts[2], name, names=parts.names, label_names=parts.label_names)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Graph:
        """Rebuild a graph from `to_dict`; a reason under `oddity` is kept, because SMILES are written anew."""
        return dictionary.graph_from(cls, data)

    # -- what it is ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.core)

    @property
    def size(self) -> int:
        """Number of edges."""
        return self.core.size

    @property
    def mol(self) -> Mol | None:
        """The RDKit molecule, None of other graphs; made when it is first asked for, and then kept."""
        return self._molecule.mol if isinstance(self._molecule, Written) else self._molecule

    @property
    def is_molecule(self) -> bool:
        """Whether there is an RDKit molecule."""
        return self._molecule is not None

    def look(self) -> Mol | None:
        """Return `mol` to look at and not to change: where it has to be made, it is not kept."""
        return self._molecule.look() if isinstance(self._molecule, Written) else self._molecule

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

    def node(self, number: int) -> Hashable:
        """Return what a node is called: its name, or its number where it has none."""
        return number if self.names is None else self.names[number]

    def given_label(self, label: int) -> Label:
        """Return what a label of `labels` or `edge_labels` stands for: itself, unless it is a code."""
        return self.label_names.get(label, label)

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

    def written(self) -> Graph:
        """Return the same graph with its molecule written down, which takes a hundredth of the memory.

        A molecule whose valences RDKit never counted stays as it is: written down it would seem to know them.
        """
        result = self.named(self.name)
        held = self._molecule
        if held is not None and not isinstance(held, Written) and not held.NeedsUpdatePropertyCache():
            result.__dict__["_molecule"] = Written.of(held)
        return result

    def relabelled(self, labels: IntArray, edge_labels: IntArray) -> Graph:
        """Return the same nodes, edges and molecule under other labels."""
        return Graph(labels, self.edges, edge_labels, self.name, mol=self._molecule)

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
        mol = self.look()
        molecule = None if mol is None else mol.ToBinary()
        own = self.names, dict(self.label_names)
        return _unpickle, (self.labels, self.edges, self.edge_labels, self.name, molecule, self.oddity, *own)

    # -- doors out -----------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, ready for JSON.

        A molecule also has its SMILES and the node of each SMILES atom, or, when no SMILES says the same, `molecule`:
        its atoms and bonds in numbers. `names` and `label_names` are there where the graph has them: tuples as lists,
        names that JSON does not hold by how they show themselves.
        """
        return dictionary.dictionary_of(self)

    def to_networkx(self) -> networkx.Graph[Any]:
        """Return a networkx graph with `label` on nodes and edges; nodes and labels are those that were given."""
        from enpda import foreign

        return foreign.to_networkx(self)

    def to_mol(self) -> Mol:
        """Return an RDKit molecule with the same atoms in the same order.

        Graphs read from molecules give a copy of that molecule. Others are built from atomic numbers and RDKit
        bond types, without sanitisation; labels that are neither raise `InputError`.
        """
        from enpda.chem import molecule

        mol = self.look()
        return molecule.mol_of(self) if mol is None else molecule.copy(mol)

    def _repr_svg_(self) -> str:
        svg: str = upstairs("graph_svg")(self)
        return svg


def read_text(text: str, name: str | None = None) -> Graph:
    """Read one molecule (SMILES, InChI or mol block) without a warning: what is odd stays in `oddity`."""
    from enpda.chem import molecule

    mol, kept, oddity = molecule.kept(text)
    return Graph._of_mol(mol, kept, name or molecule.name_of(mol), oddity)


def _warned(graph: Graph) -> Graph:
    """Warn, at the line that called this package, when a molecule is odd."""
    if graph.oddity is not None:
        warn(graph.oddity)
    return graph


def _frozen(array: IntArray) -> IntArray:
    array.flags.writeable = False
    return array


def _unpickle(labels: Any, edges: Any, edge_labels: Any, name: Name, molecule: Any, oddity: Name, *own: Any) -> Graph:
    names, coded = own or (None, None)
    mol = None if molecule is None else Written(molecule)
    return Graph(labels, edges, edge_labels, name, mol=mol, oddity=oddity, names=names, label_names=coded)
