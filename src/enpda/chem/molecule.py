"""Molecules in and out, through RDKit, with limits for untrusted text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from enpda import _core
from enpda.chem.sanitise import sanitised
from enpda.chem.written import Written
from enpda.clock import FOREVER, Clock
from enpda.errors import InputError, brief, unicode_text
from enpda.limits import LIMITS

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from enpda.graph import Graph

MAX_WRITTEN = 1_000
"""Larger molecules are not written as SMILES: RDKit's writer recurses and could exhaust the stack."""

EASY, EASY_DIGITS = 500, 80
"""A SMILES of at most so many characters and digits (two for each ring) has no rings that RDKit could choke on."""

MATRIX_ATOMS = 300
"""Bonds of a molecule of at most so many atoms are read as a matrix."""

EASY_LINES = 150
"""A mol block of so many lines has no such rings either."""

RING_SECONDS = 1e-7, 8e-10, 1e-8
"""What RDKit takes for the rings of a ring system, at most: for every pair of its edges, for every pair of independent
cycles and every edge, and for every pair of shortest cycles. From grids, lattices, random and complete graphs."""


def parse_smiles(smiles: str, *, fold: bool = True) -> tuple[Mol, str | None]:
    """Parse one SMILES, sanitise it as far as possible, and fold its hydrogens; raises InputError when it is none.

    The second value says what is odd about the molecule: None when RDKit sanitised it.
    """
    from rdkit import rdBase

    text = unicode_text("a SMILES", smiles).strip()
    if not text:
        raise InputError("the SMILES is empty")
    LIMITS.check("smiles", len(text), "the SMILES", "characters")
    if "\0" in text:
        raise InputError("the SMILES contains a NUL character")
    if not text.isascii():  # RDKit takes what comes before it for the whole
        place = next(k for k, character in enumerate(text) if not character.isascii())
        raise InputError(f"not a SMILES: {brief(text)} ({text[place]!r} at character {place + 1} is not ASCII)")
    hard = len(text) > EASY or (len(text) > EASY_DIGITS and sum(map(text.count, "0123456789")) > EASY_DIGITS)
    with rdBase.BlockLogs():
        raw = _parsed(text, False, fold) if hard else None
        if raw is not None:
            check_rings(raw, f"the SMILES {brief(text)}")
        mol = _parsed(text, True, fold)  # all in one call, which is half the time for nearly every molecule
        if mol is not None:
            return mol, None
        raw = raw or _parsed(text, False, fold)
    if raw is None:
        raise InputError(f"not a SMILES: {brief(text)}{_said(lambda: _parsed(text, False, fold))}")
    return sanitised(raw, f"the SMILES {brief(text)}", fold=fold)


def parse_again(smiles: str) -> Mol:
    """Return once more what `parse_smiles` returned for a SMILES without anything odd, by the same call of RDKit.

    There are no limits any more: the SMILES kept to those of the first time.
    """
    from rdkit import rdBase

    with rdBase.BlockLogs():
        mol = _parsed(smiles.strip(), True, True)
    if mol is None:
        raise InputError(f"RDKit took the SMILES {brief(smiles)} once, and does not any more")
    return mol


def _parsed(text: str, sanitise: bool, fold: bool) -> Mol | None:
    from rdkit import Chem

    return Chem.MolFromSmiles(text, _parameters(sanitise, sanitise and fold))


@lru_cache(maxsize=4)  # RDKit only reads them, and making them takes a tenth of the time that parsing does
def _parameters(sanitise: bool, fold: bool) -> Any:
    from rdkit import Chem

    parameters = Chem.SmilesParserParams()
    parameters.parseName = parameters.allowCXSMILES = False
    parameters.sanitize, parameters.removeHs = sanitise, fold
    return parameters


def parse_inchi(inchi: str) -> tuple[Mol, str | None]:
    """Parse one InChI, as `parse_smiles` does."""
    from rdkit import Chem, rdBase

    text = unicode_text("an InChI", inchi).strip()
    LIMITS.check("smiles", len(text), "the InChI", "characters")
    if "\0" in text:
        raise InputError("the InChI contains a NUL character")
    with rdBase.BlockLogs():
        raw = Chem.MolFromInchi(text, sanitize=False, removeHs=False)
    if raw is None or raw.GetNumAtoms() == 0:
        raise InputError(f"not an InChI: {brief(text)}")
    what = f"the InChI {brief(text)}"
    check_rings(raw, what)
    return sanitised(raw, what)


def parse_block(block: str) -> tuple[Mol, str | None]:
    """Parse one mol block, V2000 or V3000, as `parse_smiles` does."""
    from rdkit import Chem, rdBase

    text = unicode_text("a mol block", block)
    LIMITS.check("block", len(text), "the mol block", "characters")
    oddity = None
    with rdBase.BlockLogs():
        raw = None
        if text.count("\n") > EASY_LINES:
            raw = Chem.MolFromMolBlock(text, sanitize=False, removeHs=False)
            if raw is not None:
                check_rings(raw, "the mol block")
        mol = Chem.MolFromMolBlock(text)
        if mol is None:
            raw = raw or Chem.MolFromMolBlock(text, sanitize=False, removeHs=False)
    if mol is None:
        if raw is None:
            raise InputError("not a mol block that RDKit can read")
        mol, oddity = sanitised(raw, "the mol block")
    if mol.GetNumAtoms() == 0:
        raise InputError("the mol block has no atoms")
    return mol, oddity


def parse(text: str) -> tuple[Mol, str | None]:
    """Parse one molecule, however it is written: a mol block, an InChI or else a SMILES."""
    return parser_of(text)(text)


def parser_of(text: str) -> Callable[[str], tuple[Mol, str | None]]:
    """Return what parses a text: `parse_block`, `parse_inchi` or else `parse_smiles`."""
    if isinstance(text, str) and "\n" in text.strip() and "M  END" in text:
        return parse_block
    if isinstance(text, str) and text.lstrip().startswith("InChI="):
        return parse_inchi
    return parse_smiles


def kept(text: str) -> tuple[Mol, Written, str | None]:
    """Parse one molecule, and say how to keep it; the third value is what is odd about it."""
    parser = parser_of(text)
    mol, oddity = parser(text)
    again = parser is parse_smiles and oddity is None
    return mol, Written(str(text).strip()) if again else Written.of(mol), oddity


def _said(parse_again: Callable[[], object]) -> str:
    """Return in brackets why RDKit refuses a SMILES when asked once more, as far as it says so in its log."""
    from rdkit import rdBase

    if not hasattr(rdBase, "CaptureErrorLog"):  # of RDKit before 2026
        return ""
    with rdBase.BlockLogs(), rdBase.CaptureErrorLog() as log:
        try:
            parse_again()
        except (ValueError, RuntimeError):
            return ""
    reason = re.search(r"SMILES Parse Error: *(.+?) (?:for input|while parsing):", log.messages)
    place = re.search(r"around position (\d+)", log.messages)
    return "" if reason is None else f" ({reason[1]}{f' at character {place[1]}' if place else ''})"


def check_rings(mol: Mol, what: str) -> None:
    """Refuse a molecule whose rings RDKit would look for too long; `what` it is in words."""
    LIMITS.check("atoms", mol.GetNumAtoms(), what, "atoms")
    labels, bonds, types = arrays_of(mol)
    core = _core.Graph(*(np.array(x, dtype=np.int64) for x in (labels, np.ravel(bonds), types)))
    _systems(core, what, FOREVER, whole=True)


def _systems(core: _core.Graph, what: str, clock: Clock, whole: bool) -> list[tuple[list[int], list[int], bool, float]]:
    """Return the ring systems of a graph; raises InputError when RDKit should better not look at one.

    It looks at those that are no single ring or, of a molecule as a `whole`, at all.
    """
    clock.need()
    found = core.describe_ring_systems(clock.core)
    clock.need()
    for _, edges, single, rings in found:
        if whole or not single:
            LIMITS.check("ring_bonds", len(edges), f"a ring system of {what}", "edges")
            LIMITS.check("rings", round(rings), f"a ring system of {what}", "rings or more")
    return found


def arrays_of(mol: Mol) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Atomic numbers, bonds and integer bond types of a molecule."""
    from rdkit import Chem

    if not isinstance(mol, Chem.Mol):
        raise InputError(f"an RDKit Mol is needed; got {brief(mol)}")
    bonds = [mol.GetBondWithIdx(k) for k in range(mol.GetNumBonds())]  # RDKit's iterators take three times as long
    return (
        [mol.GetAtomWithIdx(k).GetAtomicNum() for k in range(mol.GetNumAtoms())],
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        [int(bond.GetBondType()) for bond in bonds],
    )


def core_of(mol: Mol) -> _core.Graph:
    """Return the same as a graph of the compiled core; writes into the molecule, which must be nobody else's."""
    from rdkit import Chem

    count = mol.GetNumAtoms()
    if 0 < count <= MATRIX_ATOMS and not mol.HasSubstructMatch(_unusual_bond()):
        # Bonds in one call, and of the atoms those that are no carbon: one by one all take as long as RDKit's parsing.
        numbers = np.full(count, 6, dtype=np.int64)
        for (k,) in mol.GetSubstructMatches(_other_than_carbon(), maxMatches=count):
            numbers[k] = mol.GetAtomWithIdx(k).GetAtomicNum()
        orders = Chem.GetAdjacencyMatrix(mol, useBO=True, force=True, prefix="enpda")
        mol.ClearProp("enpdaAdjacencyMatrixBO")  # which RDKit keeps
        found = _core.graph_of_orders(numbers, orders)
        if found.size == mol.GetNumBonds():  # those of a query, as SMARTS have them, have no orders
            return found
    labels, bonds, types = arrays_of(mol)
    return _core.Graph(*(np.array(x, dtype=np.int64) for x in (labels, np.ravel(bonds), types)))


@lru_cache(maxsize=1)
def _other_than_carbon() -> Mol:
    from rdkit import Chem

    return Chem.MolFromSmarts("[!#6]")


@lru_cache(maxsize=1)
def _unusual_bond() -> Mol:
    """Return a query for bonds that are neither single, double, triple nor aromatic: their type is not their order."""
    from rdkit import Chem

    return Chem.MolFromSmarts("*!-;!=;!#;!:*")


def name_of(mol: Mol) -> str | None:
    """Return the name that RDKit read with a molecule, if any."""
    name = mol.GetProp("_Name").strip() if mol.HasProp("_Name") else ""
    return name or None


def copy(mol: Mol) -> Mol:
    """Return a molecule that the caller may change."""
    from rdkit import Chem

    if not isinstance(mol, Chem.Mol):
        raise InputError(f"an RDKit Mol is needed; got {brief(mol)}")
    return Chem.Mol(mol)


def complete(mol: Mol) -> Mol:
    """Return a molecule that knows its valences and rings: itself, or a copy when it does not; raises InputError."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        try:
            mol.GetRingInfo().NumRings()
            if not mol.NeedsUpdatePropertyCache():
                return mol
        except RuntimeError:  # rings were never looked for
            pass
        result = copy(mol)
        try:
            result.UpdatePropertyCache(strict=False)
        except RuntimeError:
            kinds = ", ".join(sorted({str(bond.GetBondType()) for bond in mol.GetBonds()}))
            raise InputError(f"RDKit knows no valences for some of the bond types {kinds}") from None
        check_rings(result, "the molecule")
        Chem.GetSymmSSSR(result)
    return result


def mol_of(graph: Graph) -> Mol:
    """Build a molecule from atomic numbers and bond types; no sanitisation, no implicit hydrogens."""
    from rdkit import Chem

    types = Chem.BondType.values
    for what, labels, accepted in (
        ("node label", graph.labels, range(119)),
        ("edge label", graph.edge_labels, sorted(k for k in types if k > 0)),
    ):
        for label in labels.tolist():
            if label not in accepted:
                raise InputError(
                    f"no molecule: {what} {brief(graph.given_label(label))} is not "
                    + ("an atomic number (0 to 118)" if what == "node label" else "an RDKit bond type (1, 2, 3, 12, …)")
                )
    mol = Chem.RWMol()
    for label in graph.labels.tolist():
        atom = Chem.Atom(label)
        atom.SetNoImplicit(True)
        mol.AddAtom(atom)
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels.tolist(), strict=True):
        mol.AddBond(u, v, types[label])
        if types[label] == Chem.BondType.AROMATIC:
            mol.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
            mol.GetAtomWithIdx(u).SetIsAromatic(True)
            mol.GetAtomWithIdx(v).SetIsAromatic(True)
    result = mol.GetMol()
    result.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(result)
    return result


def rings_of(graph: Graph, clock: Clock = FOREVER) -> list[list[int]]:
    """Return RDKit's symmetrised smallest set of smallest rings, as nodes in order; of any graph.

    RDKit cannot be stopped. So it is asked about one ring system after the other, which gives the same rings, and never
    about one that is too large for `LIMITS`, or for the time that is left: that raises `Late`.
    """
    from rdkit import Chem

    systems = _systems(graph.core, repr(graph), clock, whole=graph.is_molecule)
    if graph.is_molecule:  # whole, because bond types matter: dative bonds close no ring
        clock.need(sum(_seconds(*system) for system in systems) + 1e-5 * len(graph))
        return [list(ring) for ring in Chem.GetSymmSSSR(Chem.RWMol(graph.look()))]  # perception writes into it
    result: list[list[int]] = []
    for system in systems:
        nodes, edges, single, _ = system
        if single:
            result.append(nodes)
            continue
        clock.need(_seconds(*system))
        mol, place = Chem.RWMol(), {node: k for k, node in enumerate(nodes)}
        for _ in nodes:
            mol.AddAtom(Chem.Atom(0))
        for u, v in graph.edges[edges].tolist():
            mol.AddBond(place[u], place[v], Chem.BondType.SINGLE)
        try:
            found = Chem.GetSymmSSSR(mol)
        except (ValueError, RuntimeError):
            raise InputError(f"RDKit gives up on the rings of {graph!r}") from None
        result += [[nodes[k] for k in ring] for ring in found]
    return result


def _seconds(nodes: list[int], edges: list[int], single: bool, rings: float) -> float:
    """Predict what RDKit takes for a ring system."""
    count, independent = len(edges), len(edges) - len(nodes) + 1
    by_pair, by_cycles, by_rings = RING_SECONDS
    return 5e-6 * count + by_pair * count**2 + by_cycles * independent**2 * count + by_rings * rings**2


def aromatic_bonds(graph: Graph) -> list[tuple[int, int]]:
    """Return the ends of all aromatic bonds, in ascending order; of molecules only."""
    mol = graph.look()
    if mol is None:
        raise InputError(f"aromatic rings are those of a molecule; {graph!r} is none")
    bonds = [bond for bond in mol.GetBonds() if bond.GetIsAromatic()]
    return [(min(p, q), max(p, q)) for p, q in ((b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds)]


def ordered_smiles(mol: Mol) -> tuple[str, list[int]] | None:
    """Return a canonical SMILES and, for each of its atoms, the atom of `mol`; None when it does not parse back."""
    from rdkit import Chem, rdBase

    if not 0 < mol.GetNumAtoms() <= MAX_WRITTEN:
        return None
    with rdBase.BlockLogs():
        try:
            smiles = Chem.MolToSmiles(mol)
            order = json.loads(mol.GetProp("_smilesAtomOutputOrder").replace(",]", "]"))
            again, _ = from_ordered_smiles(smiles, order)
        except (ValueError, RuntimeError):
            return None
    labels, bonds, types = arrays_of(mol)
    labels_again, bonds_again, types_again = arrays_of(again)
    same = labels == labels_again and _bond_set(bonds, types) == _bond_set(bonds_again, types_again)
    return (smiles, order) if same else None


def from_ordered_smiles(smiles: str, order: list[int]) -> tuple[Mol, str | None]:
    """Undo `ordered_smiles`; the second value is as in `parse_smiles`."""
    from rdkit import Chem

    mol, oddity = parse_smiles(smiles, fold=False)
    if sorted(order) != list(range(mol.GetNumAtoms())):
        raise InputError(f"the atom order {brief(order)} does not fit the SMILES {brief(smiles)}")
    position = {atom: place for place, atom in enumerate(order)}
    return Chem.RenumberAtoms(mol, [position[atom] for atom in range(len(order))]), oddity


def _bond_set(bonds: list[tuple[int, int]], types: list[int]) -> set[tuple[int, int, int]]:
    return {(min(bond), max(bond), kind) for bond, kind in zip(bonds, types, strict=True)}
