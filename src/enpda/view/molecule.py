"""Molecules, drawn by RDKit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from enpda.graph import IntArray
from enpda.view.layout import FloatArray, Point, onto, packed, turned
from enpda.view.page import NUMBER, Drawing

if TYPE_CHECKING:
    from rdkit.Chem import Mol

MAX_ATOMS = 400
"""RDKit's coordinates cost the cube of this (half a second); larger molecules are drawn as plain graphs."""

BOND = 1.5  # of RDKit's coordinates
LONGEST = 42.0
LINE = 1.5
# RDKit's own colours of these elements have too little contrast on the highlight.
DARKER = {9: (0.05, 0.4, 0.1), 15: (0.7, 0.35, 0.0), 16: (0.5, 0.4, 0.0), 17: (0.0, 0.42, 0.1)}
READABLE = 15.0  # shortest bond, in pixels, that leaves room for numbers


class Molecule:
    """A molecule, laid out on a copy.

    Parameters
    ----------
    mol : Mol
        As it is; it need not be sanitised, or valid.
    guide : mapping of int to (float, float), optional
        Points towards which the drawing is turned.
    exact : bool
        Whether the guide's points are coordinates of the same atoms in another molecule, to be taken over.

    Raises
    ------
    ValueError, RuntimeError
        When RDKit finds no coordinates.
    """

    points: FloatArray
    """Atoms in units of a bond."""

    def __init__(self, mol: Mol, guide: Mapping[int, Point] | None = None, exact: bool = False) -> None:
        from rdkit import Chem, rdBase
        from rdkit.Chem import rdDepictor

        mol = Chem.Mol(mol)
        with rdBase.BlockLogs():
            mol.UpdatePropertyCache(strict=False)
            Chem.GetSymmSSSR(mol)
            rdDepictor.Compute2DCoords(mol, useRingTemplates=True)
            rdDepictor.StraightenDepiction(mol, minimizeRotation=True)
            self.points = _points(mol)
            if guide and len(guide) > 1:
                self.points = _guided(mol, self.points, guide, exact)
            _set_points(mol, self.points)
            self.mol = _prepared(mol)

    def turn(self, angle: float) -> None:
        """Turn the drawing anticlockwise; wedges stay right."""
        self.points = _apart(self.mol, turned(self.points, angle))
        _set_points(self.mol, self.points)

    def draw(
        self, width: float, height: float, *, longest: float = LONGEST, numbers: Mapping[int, int] | None = None
    ) -> Drawing:
        """Fit the drawing into a box, with bonds of at most `longest` pixels; `numbers` become atom notes."""
        from rdkit import Chem

        mol = Chem.Mol(self.mol)
        if numbers is not None:
            _put_numbers(mol, numbers)
        drawing = _drawn(mol, width, height, longest)
        if drawing.edge < READABLE:
            # Small print: once more without numbers and, now that the scale is known, with finer lines.
            if numbers:
                _put_numbers(mol, {})
            drawing = _drawn(mol, width, height, longest, LINE * drawing.edge / READABLE)
        return drawing


def _put_numbers(mol: Mol, numbers: Mapping[int, int]) -> None:
    """Write atom notes; the molecule's own notes and atom maps would read as numbers of the match."""
    for atom in mol.GetAtoms():
        atom.ClearProp("atomNote")
        atom.SetAtomMapNum(0)
        if atom.GetIdx() in numbers:
            atom.SetProp("atomNote", str(numbers[atom.GetIdx()]))


def _guided(mol: Mol, points: FloatArray, guide: Mapping[int, Point], exact: bool) -> FloatArray:
    """Take over the guide's points where this gives a picture as tidy as the molecule's own, else only turn."""
    from rdkit.Chem import rdDepictor
    from rdkit.Geometry import Point2D

    moved = onto(points, guide)
    if not exact:
        return moved
    bonds = np.array([(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()])
    spots = {atom: Point2D(BOND * x, BOND * y) for atom, (x, y) in guide.items()}
    try:
        rdDepictor.Compute2DCoords(mol, canonOrient=False, coordMap=spots, useRingTemplates=True)
        held = _points(mol)
    except (ValueError, RuntimeError):
        return moved
    if len(contradicted(mol, held)) > len(contradicted(mol, moved)):  # what is guided may be E where this one is Z
        return moved
    return held if _flaws(held, bonds) <= _flaws(moved, bonds) else moved


def contradicted(mol: Mol, points: FloatArray) -> list[int]:
    r"""Return the double bonds that these points show as E though they are Z, or the other way round.

    Examples
    --------
    >>> from rdkit import Chem
    >>> zigzag = np.array([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)])
    >>> [contradicted(Chem.MolFromSmiles(smiles), zigzag) for smiles in ("C/C=C/C", r"C/C=C\C", "CC=CC")]
    [[], [1], []]
    """
    from rdkit.Chem import BondStereo

    together = {
        BondStereo.STEREOZ: True,
        BondStereo.STEREOCIS: True,
        BondStereo.STEREOE: False,
        BondStereo.STEREOTRANS: False,
    }
    wrong = []
    for bond in mol.GetBonds():
        ends = list(bond.GetStereoAtoms())
        if bond.GetStereo() not in together or len(ends) != 2:
            continue
        start = points[bond.GetBeginAtomIdx()]
        along, *steps = (points[v] - start for v in (bond.GetEndAtomIdx(), *ends))
        left, right = (along[0] * step[1] - along[1] * step[0] for step in steps)
        if (left * right > 0) != together[bond.GetStereo()]:
            wrong.append(bond.GetIdx())
    return wrong


def _points(mol: Mol) -> FloatArray:
    points = np.asarray(mol.GetConformer().GetPositions(), dtype=np.float64)[:, :2] / BOND
    if not np.isfinite(points).all():
        raise ValueError("RDKit found no coordinates")
    return _apart(mol, points)


def _apart(mol: Mol, points: FloatArray) -> FloatArray:
    """Move salts apart: RDKit leaves less than a label's width between them."""
    from rdkit import Chem

    fragments = [np.array(atoms) for atoms in Chem.GetMolFrags(mol)]
    return packed(points, fragments) if len(fragments) > 1 else points


def _set_points(mol: Mol, points: FloatArray) -> None:
    from rdkit.Geometry import Point3D

    conformer = mol.GetConformer()
    for atom, (x, y) in enumerate((BOND * points).tolist()):
        conformer.SetAtomPosition(atom, Point3D(x, y, 0.0))


def _flaws(points: FloatArray, bonds: IntArray) -> int:
    """Count what spoils a depiction: atoms on each other, bonds of odd length, bonds that cross."""
    step = points[:, None] - points[None]
    distance = np.hypot(step[:, :, 0], step[:, :, 1])
    close = int((distance[np.triu_indices(len(points), 1)] < 0.4).sum())
    length = distance[bonds[:, 0], bonds[:, 1]]
    odd = int(((length < 0.75) | (length > 1.35)).sum())
    p, q = points[bonds[:, 0]], points[bonds[:, 1]]

    def side(start: FloatArray, end: FloatArray, point: FloatArray) -> FloatArray:
        along, across = (end - start)[:, None], point[None] - start[:, None]
        return np.sign(np.round(along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0], 3))

    sides = side(p, q, p) * side(p, q, q)
    apart = ~(bonds[:, None, :, None] == bonds[None, :, None, :]).any((2, 3))
    return close + odd + int(((sides < 0) & (sides.T < 0) & apart).sum()) // 2


def _prepared(mol: Mol) -> Mol:
    """Kekulé form and wedges, or as much of it as the molecule allows.

    No hydrogens are added at stereocentres: what is drawn are the graph's nodes.
    """
    from rdkit.Chem.Draw import rdMolDraw2D

    for kekulize, wedge in ((True, True), (False, True)):
        try:
            return rdMolDraw2D.PrepareMolForDrawing(mol, kekulize=kekulize, wedgeBonds=wedge, addChiralHs=False)
        except (ValueError, RuntimeError):
            continue
    return rdMolDraw2D.PrepareMolForDrawing(mol, kekulize=False, wedgeBonds=False, addChiralHs=False)


def _drawn(mol: Mol, width: float, height: float, longest: float, line: float = LINE) -> Drawing:
    from rdkit.Chem.Draw import rdMolDraw2D
    from rdkit.Geometry import Point2D

    canvas = rdMolDraw2D.MolDraw2DSVG(int(width), int(height))
    options: Any = canvas.drawOptions()  # RDKit's stubs give every option a wrong type
    options.prepareMolsBeforeDrawing = False
    options.clearBackground = False
    options.fixedBondLength = longest / BOND  # RDKit means pixels per unit, and never more than fits
    options.bondLineWidth = line
    options.flagCloseContactsDist = -1  # no red boxes
    options.padding = 0.07
    options.annotationFontScale = 0.65
    options.updateAtomPalette(DARKER)
    options.additionalAtomLabelPadding = 0.04
    colour_notes = getattr(options, "setAtomNoteColour", options.setAnnotationColour)  # before RDKit 2024.9
    colour_notes(tuple(int(NUMBER[k : k + 2], 16) / 255 for k in (1, 3, 5)))
    canvas.DrawMolecule(mol)
    spots = [canvas.GetDrawCoords(atom) for atom in range(mol.GetNumAtoms())]
    unit = canvas.GetDrawCoords(Point2D(1.0, 0.0)).x - canvas.GetDrawCoords(Point2D(0.0, 0.0)).x
    canvas.FinishDrawing()
    body = canvas.GetDrawingText().partition("<!-- END OF HEADER -->")[2].rpartition("</svg>")[0]
    return Drawing(np.array([(spot.x, spot.y) for spot in spots]), body.lstrip(), BOND * unit, 0.0)
