"""The common part of a match: its pieces and numbers, and what it is as chemistry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from enpda.chem.molecule import MAX_WRITTEN
from enpda.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from enpda.graph import Graph
    from enpda.result.match import Match
    from enpda.view.picture import MatchLike


def neighbours(match: MatchLike) -> dict[int, list[int]]:
    """Return the common part over a's nodes: for each matched node those it shares an edge with, ascending."""
    near: dict[int, list[int]] = {i: [] for i in sorted(match.index_mapping)}
    for (i, k), _ in match.index_edges:
        near[i].append(k)
        near[k].append(i)
    return {i: sorted(others) for i, others in near.items()}


def fragments(match: MatchLike) -> list[list[int]]:
    """Return the connected pieces of the common part as a's nodes, ascending.

    The piece with most nodes comes first; of equally large ones, that with the smallest node.

    Examples
    --------
    >>> import enpda
    >>> enpda.match("CCOc1ccccc1", "CC.c1ccccc1").fragments
    [[3, 4, 5, 6, 7, 8], [0, 1]]
    """
    near = neighbours(match)
    pieces: list[list[int]] = []
    seen: set[int] = set()
    for start in near:
        if start in seen:
            continue
        seen.add(start)
        piece = [start]
        for i in piece:  # grows while it is walked
            fresh = [k for k in near[i] if k not in seen]
            seen.update(fresh)
            piece.extend(fresh)
        pieces.append(sorted(piece))
    return sorted(pieces, key=lambda piece: (-len(piece), piece[0]))


def told(match: MatchLike, name: str) -> Any:
    """Return an attribute that says the common part as chemistry; None where RDKit has no words for it."""
    try:
        return getattr(match, name, None)
    except InputError:
        return None


def nouns(match: MatchLike) -> tuple[str, str]:
    """Return what nodes and edges are called: atoms and bonds where both graphs are molecules."""
    return ("atom", "bond") if match.a.is_molecule and match.b.is_molecule else ("node", "edge")


def numbers(match: MatchLike) -> tuple[dict[int, int], dict[int, int]]:
    """Return the numbers of matched nodes, from 1 in a's order: those of a's nodes, and those of b's."""
    own = {i: number for number, i in enumerate(sorted(match.index_mapping), 1)}
    return own, {match.index_mapping[i]: number for i, number in own.items()}


def molecules(match: Match) -> tuple[Mol, Mol]:
    """Return the two molecules themselves; raises InputError when one graph is none."""
    for graph in (match.a, match.b):
        if not graph.is_molecule:
            raise InputError(f"two molecules are needed (from_smiles, from_mol, SMILES, SDF); {graph!r} is none")
    return match.a.mol, match.b.mol


def bond_map(match: Match) -> list[tuple[int, int]]:
    """Return the shared bonds as (bond index in a's molecule, bond index in b's), in the order of `edges`.

    Examples
    --------
    >>> import enpda
    >>> enpda.match("CCO", "NCC").bond_map
    [(0, 1)]
    """
    a, b = molecules(match)
    return [
        (a.GetBondBetweenAtoms(*left).GetIdx(), b.GetBondBetweenAtoms(*right).GetIdx())
        for left, right in match.index_edges
    ]


def mapped_smiles(match: Match) -> tuple[str, str]:
    """Write both molecules as SMILES in which matched atoms carry the same atom map number, from 1.

    Atom maps that the molecules had are left out. Raises InputError beyond 1,000 atoms.

    Examples
    --------
    >>> import enpda
    >>> enpda.match("CCO", "CCN").mapped_smiles
    ('O[CH2:2][CH3:1]', 'N[CH2:2][CH3:1]')
    """
    one, other = numbers(match)
    molecules(match)
    return _mapped(match.a, one), _mapped(match.b, other)


def _mapped(graph: Graph, own: dict[int, int]) -> str:
    from rdkit import Chem, rdBase

    if len(graph) > MAX_WRITTEN:
        raise InputError(f"SMILES are written for at most {MAX_WRITTEN:,} atoms; {graph!r} has more")
    mol = Chem.Mol(graph.mol)
    for atom in mol.GetAtoms():
        atom.SetAtomMapNum(own.get(atom.GetIdx(), 0))
    with rdBase.BlockLogs():
        try:
            mol.UpdatePropertyCache(strict=False)
            return str(Chem.MolToSmiles(mol))
        except (ValueError, RuntimeError) as error:
            reason = (str(error).strip() or "no reason given").splitlines()[0]
            raise InputError(f"RDKit cannot write {graph!r} as SMILES: {reason}") from None


def to_mol(match: Match) -> Mol:
    """Cut the common part out of a's molecule: matched atoms in a's order, and shared bonds.

    The result is not sanitised: half an aromatic ring stays aromatic. Open valences are filled with implicit hydrogens
    where the atom allows them. Stereo marks are left out, for a match does not look at them; coordinates are kept.
    Raises InputError for bonds of types that RDKit knows no valence for (three-centre and the like).

    Returns
    -------
    Mol
        With the properties `size`, `upper`, `optimal` and `similarity`; each atom and bond has its indices in the two
        molecules as `a_index` and `b_index`.

    Examples
    --------
    >>> import enpda
    >>> part = enpda.match("CCO", "NCC").to_mol()
    >>> [(atom.GetIntProp("a_index"), atom.GetIntProp("b_index")) for atom in part.GetAtoms()]
    [(0, 2), (1, 1)]
    """
    from rdkit import Chem, rdBase

    mol = Chem.RWMol(molecules(match)[0])
    bonds = dict(bond_map(match))
    for name in mol.GetPropNames(includePrivate=True, includeComputed=True):
        mol.ClearProp(name)
    with rdBase.BlockLogs():
        _without_stereo(mol)
        mol.BeginBatchEdit()
        for bond in mol.GetBonds():
            index = bond.GetIdx()
            if index in bonds:
                bond.SetIntProp("a_index", index)
                bond.SetIntProp("b_index", bonds[index])
            else:
                mol.RemoveBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
        for atom in mol.GetAtoms():
            index = atom.GetIdx()
            if index in match.index_mapping:
                atom.SetIntProp("a_index", index)
                atom.SetIntProp("b_index", match.index_mapping[index])
            else:
                mol.RemoveAtom(index)
        mol.CommitBatchEdit()
        part = mol.GetMol()
        try:
            part.UpdatePropertyCache(strict=False)
        except RuntimeError:
            raise InputError(
                f"RDKit knows no valences for some bond types of {match.a!r}, and so cuts nothing"
            ) from None
        Chem.FastFindRings(part)
    part.SetIntProp("size", match.size)
    part.SetIntProp("upper", match.upper)
    part.SetBoolProp("optimal", match.optimal)
    part.SetDoubleProp("similarity", match.similarity)
    return part


def _without_stereo(mol: Mol) -> None:
    from rdkit import Chem

    for atom in mol.GetAtoms():
        atom.SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
    for bond in mol.GetBonds():
        bond.SetStereo(Chem.BondStereo.STEREONONE)
        bond.SetBondDir(Chem.BondDir.NONE)
