"""`rgroups`: a series of molecules as a core and what hangs on it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from enpda.bulk.library import Library
from enpda.bulk.tables import frame
from enpda.chem.substituents import (
    HYDROGEN,
    Core,
    Place,
    chosen,
    core_from,
    core_from_query,
    core_of,
    labelled,
    numbered,
    places,
    renumbered,
)
from enpda.documents import written
from enpda.errors import InputError, brief
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.io import Reject
from enpda.problem.rules import Rules
from enpda.result.match import Match
from enpda.solve.matching import match
from enpda.words import counted

if TYPE_CHECKING:
    from enpda.view.figure import Picture

SHOWN = 25
"""Molecules that a notebook shows."""


def rgroups(
    core: Any,
    molecules: Any,
    *,
    time_limit: float | None = 1.0,
    progress: bool = False,
    smiles: str | int | None = None,
    name: str | int | None = None,
) -> RGroups:
    """Take a series of molecules apart into a core and the groups that hang on it.

    Where a core can be seen in a molecule in several ways, because it is symmetric or there more than once, that way is
    taken which puts groups where the other molecules have theirs. Stereo of the core is not looked at; groups keep
    theirs.

    Parameters
    ----------
    core : str, Match, Graph or rdkit Mol
        SMILES or, where it is none, SMARTS, also where it has `[#6]` or `~`; a match stands for its common part, under
        its rules. Dummy atoms at the ends of a SMILES are attachment points, and so is `[*:1]` of a SMARTS:
        `[*:1]c1ccccc1` calls the groups there R1. An atom has one number, and a number one atom. Further positions are
        numbered in order.
    molecules : file, Library or iterable
        As for `matrix`; what cannot be read is listed in `rejects`.
    time_limit : float, optional
        Seconds for each molecule that does not contain the core, to find out what it lacks.
    progress : bool
        Whether to show a bar on stderr while a file is read.
    smiles, name : str or int, optional
        Columns of a table, as for `enpda.read`.

    Returns
    -------
    RGroups
        A row for each molecule that contains the core, and what is missing in the others.

    Raises
    ------
    InputError
        When the core is none, or its attachment points have two numbers at one atom, or one number at two.

    Examples
    --------
    >>> import enpda
    >>> found = enpda.rgroups("c1ccccc1", ["Cc1ccc(O)cc1", "Oc1ccc(CC)cc1", "Oc1ccccc1", "C1CCCCC1"])
    >>> found.core_smiles
    'c1cc([*:2])ccc1[*:1]'
    >>> [row.groups for row in found]
    [{1: 'C[*:1]', 2: 'O[*:2]'}, {1: 'CC[*:1]', 2: 'O[*:2]'}, {1: '[H][*:1]', 2: 'O[*:2]'}]
    >>> found.missing[0].in_words()
    'shares 0 of 6 bonds with the core; lacks c1ccccc1'
    """
    rules = core.rules if isinstance(core, Match) else None
    sought = _core(core)
    library = Library.of(molecules, progress, smiles=smiles, name=name)
    for k, graph in enumerate(library):
        if not graph.is_molecule:
            raise InputError(f"groups hang on molecules; item {brief(library.ids[k])} is none")
    options = [places(sought, graph.look()) for graph in library]
    taken = chosen(options)
    numbers = numbered(sought, [place for place in taken if place is not None])
    rows = [
        Row(k, library.ids[k], library.smiles_of(k), _by_number(place, numbers), place.atoms)
        for k, place in enumerate(taken)
        if place is not None
    ]
    missing = [_missing(k, library, sought, rules, time_limit) for k, place in enumerate(taken) if place is None]
    return RGroups(sought, numbers, rows, missing, library)


def _core(core: Any) -> Core:
    if isinstance(core, Match):
        if not core.mapping:
            raise InputError("the match has nothing in common, so there is no core")
        return core_of_match(core)
    if isinstance(core, str):
        return core_of(core)
    graph = as_graph(core)
    if not graph.is_molecule:
        raise InputError(f"a core is a molecule, a SMILES, a SMARTS or a match of molecules; got {brief(core)}")
    return core_from(graph.mol)


def core_of_match(found: Match) -> Core:
    """Return the common part of a match as a core, under the rules of the match."""
    from rdkit import Chem

    query = Chem.MolFromSmarts(found.smarts)
    if query is None:
        raise InputError(f"RDKit does not take the common part as SMARTS: {brief(found.smarts)}")
    return core_from_query(query, found.to_mol())


def _by_number(place: Place, numbers: dict[int, int]) -> dict[int, str]:
    """Return the groups of each position, several of one joined by `.`; a group on two positions stands at both."""
    groups: dict[int, list[str]] = {number: [] for number in numbers.values()}
    for atoms, smiles in place.groups:
        for atom in atoms:
            groups[numbers[atom]].append(renumbered(smiles, numbers))
    return {number: ".".join(sorted(some)) or _nothing(number) for number, some in groups.items()}


def _nothing(number: int) -> str:
    """Return what stands at a position without a group."""
    return f"{HYDROGEN}[*:{number}]"


def _missing(k: int, library: Library, core: Core, rules: Rules | None, limit: float | None) -> Missing:
    from rdkit import Chem, rdBase

    mol, own = core.molecule, (k, library.ids[k], library.smiles_of(k))
    if mol is None:
        return Missing(*own, None, core.mol.GetNumBonds(), None)
    found = match(Graph.from_mol(mol), library[k], time_limit=limit, rules=rules)
    shared = {bond for bond, _ in found.bond_map}
    bonds = [bond for bond in mol.GetBonds() if bond.GetIdx() not in shared]
    atoms = {end for bond in bonds for end in (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())}
    atoms |= {v for v in range(mol.GetNumAtoms()) if v not in found.index_mapping}
    with rdBase.BlockLogs():
        try:
            lacks = Chem.MolFragmentToSmiles(mol, sorted(atoms), [bond.GetIdx() for bond in bonds])
        except (ValueError, RuntimeError):
            lacks = None
    return Missing(*own, len(shared), mol.GetNumBonds(), lacks)


@dataclass(frozen=True)
class Row:
    """A molecule that contains the core.

    Attributes
    ----------
    index, id, smiles : int, str, str or None
        The molecule.
    groups : dict of int to str
        The group at each position as SMILES, `[*:k]` where it hangs on the core; `[H][*:k]` when there is none.
    atoms : tuple of int
        The molecule's atom of each atom of the core.
    """

    index: int
    id: str
    smiles: str | None
    groups: dict[int, str]
    atoms: tuple[int, ...]


@dataclass(frozen=True)
class Missing:
    """A molecule that does not contain the core.

    Attributes
    ----------
    index, id, smiles : int, str, str or None
        The molecule.
    shared, of : int or None, int
        Bonds of the core that it has, at least, of how many; None when the core is a SMARTS.
    lacks : str or None
        The rest of the core as SMILES.
    """

    index: int
    id: str
    smiles: str | None
    shared: int | None
    of: int
    lacks: str | None

    def in_words(self) -> str:
        """Say what is missing."""
        if self.shared is None:
            return "does not contain the core"
        lacks = f"; lacks {self.lacks}" if self.lacks else ""
        return f"shares {self.shared} of {counted(self.of, 'bond')} with the core{lacks}"


class RGroups(list[Row]):
    """The result of `rgroups`: a list of rows, with the core and what does not contain it.

    Attributes
    ----------
    core : Core
        What was looked for.
    positions : dict of int to int
        The core's atoms that groups hang on, by number: 1 for R1.
    missing : list of Missing
        Molecules that do not contain it.
    library : Library
        All of them.
    """

    def __init__(
        self, core: Core, numbers: dict[int, int], rows: list[Row], missing: list[Missing], library: Library
    ) -> None:
        super().__init__(rows)
        self.core, self.missing, self.library = core, missing, library
        self.positions = {number: atom for atom, number in numbers.items()}

    @property
    def names(self) -> list[str]:
        """The columns of groups: R1, R2 and so on."""
        return [f"R{number}" for number in self.positions]

    @property
    def rejects(self) -> list[Reject]:
        """What could not be read."""
        return self.library.rejects

    @cached_property
    def core_mol(self) -> Any:
        """The core as an RDKit molecule, with an attachment point `[*:k]` at every position."""
        charges: dict[int, int] = {}
        for row in self:
            for number, atom in self.positions.items():
                if row.groups[number] != _nothing(number):
                    charge = self.library[row.index].look().GetAtomWithIdx(row.atoms[atom]).GetFormalCharge()
                    charges[atom] = min(charge, charges.get(atom, charge), key=abs)
        return labelled(self.core, {atom: number for number, atom in self.positions.items()}, charges)

    @cached_property
    def core_smiles(self) -> str:
        """The core as SMILES (a core from SMARTS, as SMARTS), with `[*:k]` at every position and without stereo."""
        from rdkit import Chem

        if self.core.molecule is self.core.mol:
            return str(Chem.MolToSmiles(self.core_mol))
        return str(Chem.MolToSmarts(self.core_mol)).replace("[#0:", "[*:")

    def table(self) -> Any:
        """Return an Arrow table with the columns id, smiles, R1, R2, ... and missing, in the order of the molecules.

        Molecules that do not contain the core have no groups, and say in `missing` what they lack.
        """
        import pyarrow as pa

        rows = {row.index: row for row in self}
        lacks = {row.index: row.in_words() for row in self.missing}
        order = sorted({**rows, **lacks})
        columns = {
            "id": [self.library.ids[k] for k in order],
            "smiles": [self.library.smiles_of(k) for k in order],
            **{
                f"R{number}": [rows[k].groups[number] if k in rows else None for k in order]
                for number in self.positions
            },
            "missing": [lacks.get(k) for k in order],
        }
        return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})

    def to_pandas(self) -> Any:
        """Return the same as a pandas data frame."""
        return frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "core": self.core_smiles,
            "rows": [{"index": r.index, "id": r.id, "smiles": r.smiles, **_called(r.groups)} for r in self],
            "missing": [asdict(row) for row in self.missing],
            "rejects": [asdict(reject) for reject in self.rejects],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as JSON."""
        return written(self.to_dict(), indent)

    def report(self, path: str | os.PathLike[str] | None = None, title: str = "R-groups") -> str:
        """Write a page of the core and every molecule with its groups; see `enpda.bulk.pages.rgroups_page`."""
        from enpda.bulk.pages import rgroups_page

        return rgroups_page(self, path, title)

    # -- pictures and words --------------------------------------------------------------------------------

    def in_words(self) -> str:
        """Tell how many molecules contain the core."""
        some = counted(len(self) + len(self.missing), "molecule")
        return f"{len(self)} of {some} contain the core, {counted(len(self.positions), 'position')} with groups"

    def __repr__(self) -> str:
        return f"RGroups({self.core_smiles}: {self.in_words()})"

    def __str__(self) -> str:
        from enpda.view.page import clean

        head = ["id", *self.names]
        body = [[clean(row.id), *row.groups.values()] for row in self]
        widths = [max(len(line[k]) for line in [head, *body]) for k in range(len(head))]
        lines = ["  ".join(x.ljust(w) for x, w in zip(line, widths, strict=True)).rstrip() for line in [head, *body]]
        lacking = [f"{clean(row.id)}: {row.in_words()}" for row in self.missing]
        return "\n".join([f"core  {self.core_smiles}", "", *lines, *([""] if lacking else []), *lacking])

    def draw_core(self) -> Picture:
        """Draw the core with its positions."""
        from enpda.view.picture import graph_svg

        return graph_svg(Graph.from_mol(self.core_mol, name="core"), width=230, height=170)

    def _repr_html_(self) -> str:
        from enpda.view.groups import groups_html

        return groups_html(self, SHOWN)


def _called(groups: dict[int, str]) -> dict[str, str]:
    return {f"R{number}": smiles for number, smiles in groups.items()}
