"""Molecules laid over each other along what they share, as an SD file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from enpda.errors import InputError, brief
from enpda.files import save
from enpda.graph import Graph
from enpda.view.layout import FloatArray, onto
from enpda.view.molecule import BOND, contradicted
from enpda.view.picture import sketch
from enpda.view.series import Series

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from enpda.result.match import Match

ENOUGH = 3
"""Shared atoms that say how one body in space lies over another."""


def aligned(matches: Iterable[Match]) -> Iterator[Mol]:
    """Yield the second molecule of every match, laid over the first along what they share.

    Molecules with 3D coordinates keep them, all conformers, and are superposed: on the first molecule if it has 3D
    coordinates, else on the first of the others that has. Those with 2D coordinates are turned, and mirrored if
    need be, onto the first molecule's drawing; those without any are drawn like it, as far as their double bonds allow.

    Raises
    ------
    InputError
        When a graph is no molecule.

    Examples
    --------
    >>> import enpda
    >>> mol, = aligned([enpda.match("Oc1ccccc1", "Nc1ccccc1")])
    >>> mol.GetNumConformers(), mol.GetConformer().Is3D()
    (1, False)
    """
    places: dict[int, tuple[Graph, _Place]] = {}  # the graphs stay alive, so that their numbers stay theirs
    for match in matches:
        for graph in (match.a, match.b):
            if not graph.is_molecule:
                raise InputError(f"an SD file holds molecules (from SMILES, SDF, RDKit); {brief(graph)} is none")
        _, place = places.setdefault(id(match.a), (match.a, _Place(match.a)))
        yield place.laid(match)


def sdf(
    matches: Iterable[Match],
    fields: Sequence[Mapping[str, Any]] | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
) -> str:
    """Write the second molecules of matches as an SD file, each laid over the first; see `aligned`.

    Parameters
    ----------
    matches : iterable of Match
        In the order of the file.
    fields : sequence of mappings, optional
        Data fields of each; by default the numbers of the match. In any case there are `common_smarts`, the common
        part, and `common_atoms`, its atoms as this file numbers them, from 1.
    path : str or path-like, optional
        A file to write it to.

    Returns
    -------
    str
        The file; a molecule with several conformers has a record for each.
    """
    found = list(matches)
    own = [_numbers(match) for match in found] if fields is None else fields
    records = []
    for match, mol, told in zip(found, aligned(found), own, strict=True):
        data = {**told, **_common(match)}
        records += [_record(mol, conformer.GetId(), match.b.name or "", data) for conformer in mol.GetConformers()]
    text = "".join(records)
    if path is not None:
        save(path, text, "the SD file")
    return text


class _Place:
    """Where the first molecule of some matches lies, on paper and in space."""

    def __init__(self, query: Graph) -> None:
        self.query = query
        self.series = Series(query)
        flat = _positions(query.mol, flat=True)
        if flat is not None:
            self.series.place(_unit(query, flat))
        self.body: tuple[Mol, dict[int, int]] | None = None
        if _positions(query.mol, flat=False) is not None:
            self.body = query.mol, {i: i for i in range(len(query))}

    def laid(self, match: Match) -> Mol:
        from rdkit import Chem
        from rdkit.Geometry import Point3D

        mol = Chem.Mol(match.b.mol)
        if _positions(mol, flat=False) is not None:
            self._superpose(mol, match)
            return mol
        guide = self.series.guide(match)
        flat = _positions(mol, flat=True)
        if flat is None:
            points = sketch(match.b, guide, exact=True).points
        else:
            points = _unit(match.b, flat)
            points = onto(points, guide) if len(guide) > 1 else points
        if len(points) != len(match.b):  # too large to be laid out
            points = np.zeros((len(match.b), 2))
        mol.RemoveAllConformers()
        conformer = Chem.Conformer(len(match.b))
        conformer.Set3D(False)
        for atom, (x, y) in enumerate((BOND * points).tolist()):
            conformer.SetAtomPosition(atom, Point3D(x, y, 0.0))
        mol.AddConformer(conformer, assignId=True)
        for bond in contradicted(mol, points):  # where RDKit gave no coordinates: better unsaid than wrong
            mol.GetBondWithIdx(bond).SetStereo(Chem.BondStereo.STEREOANY)
        return mol

    def _superpose(self, mol: Mol, match: Match) -> None:
        from rdkit.Chem import rdMolAlign

        for flat in [c.GetId() for c in mol.GetConformers() if not c.Is3D()]:
            mol.RemoveConformer(flat)
        if self.body is None:
            self.body = mol, dict(match.index_mapping)
            return
        body, there = self.body
        pairs = [(j, there[i]) for i, j in match.index_mapping.items() if i in there]
        if len(pairs) >= ENOUGH:
            where = next(c.GetId() for c in body.GetConformers() if c.Is3D())
            for conformer in mol.GetConformers():
                rdMolAlign.AlignMol(mol, body, prbCid=conformer.GetId(), refCid=where, atomMap=pairs)


def _positions(mol: Mol, flat: bool) -> FloatArray | None:
    """Return the first coordinates that are flat, or that are not; None when there are none."""
    for conformer in mol.GetConformers():
        if conformer.Is3D() != flat:
            points = np.asarray(conformer.GetPositions(), dtype=np.float64)
            if np.isfinite(points).all() and (len(points) < 2 or np.ptp(points, axis=0).any()):
                return points[:, :2] if flat else points
    return None


def _unit(graph: Graph, points: FloatArray) -> FloatArray:
    """Return points in units of a bond."""
    if not graph.size:
        return points / BOND
    step = points[graph.edges[:, 0]] - points[graph.edges[:, 1]]
    length = float(np.median(np.hypot(step[:, 0], step[:, 1])))
    return points / (length or BOND)


def _numbers(match: Match) -> dict[str, Any]:
    names = ("size", "upper", "optimal", "nodes", "similarity", "distance", "status")
    return {"query": match.a.name or "", **{name: getattr(match, name) for name in names}}


def _common(match: Match) -> dict[str, Any]:
    try:
        smarts = match.smarts
    except InputError:  # RDKit does not know the valences of some bonds
        smarts = ""
    return {"common_smarts": smarts, "common_atoms": " ".join(str(j + 1) for j in match.index_mapping.values())}


def _record(mol: Mol, conformer: int, name: str, fields: Mapping[str, Any]) -> str:
    from rdkit import Chem, rdBase

    mol = Chem.Mol(mol)
    mol.SetProp("_Name", _line(name).replace("$$$$", "$ $"))
    with rdBase.BlockLogs():
        try:
            block = Chem.MolToMolBlock(mol, confId=conformer)
        except (ValueError, RuntimeError):  # no Kekulé form
            block = Chem.MolToMolBlock(mol, confId=conformer, kekulize=False, includeStereo=False)
    data = "".join(f">  <{name}>\n{_line(str(value)) or ' '}\n\n" for name, value in fields.items())
    return f"{block}{data}$$$$\n"


def _line(words: str) -> str:
    """Return text that ends neither a field nor a record."""
    return "".join(c if c.isprintable() else " " for c in words).replace("$$$$", "$ $")
