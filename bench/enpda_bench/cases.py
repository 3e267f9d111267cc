"""Pictures of mappings under the rule for whole aromatic rings: bonds that are left, and bonds that it removes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from enpda import _core
from enpda.problem.constraints import Constraints
from enpda.problem.problem import problem_of
from enpda_bench.datasets import BenchPair

if TYPE_CHECKING:
    from rdkit.Chem import Mol

Image = npt.NDArray[np.int32]
RINGS = Constraints(rings="aromatic")
KEPT, REMOVED = (0.0, 0.6, 0.6), (1.0, 0.6, 0.2)
WIDTH, HEIGHT = 380, 260


def kept_bonds(pair: BenchPair, image: Image) -> list[int]:
    """Return a's edges that are left when aromatic rings count as a whole only, as indices."""
    found: list[int] = problem_of(pair.a, pair.b, None, RINGS).retained(image)[1].tolist()
    return found


def case(pair: BenchPair, images: Mapping[str, Image]) -> str:
    """Draw both molecules once a method: bonds that are left in teal, those that the rule removes in orange."""
    from rdkit import rdBase
    from rdkit.Chem.Draw import rdMolDraw2D

    mols = _flat(pair)
    drawer = rdMolDraw2D.MolDraw2DSVG(2 * WIDTH, HEIGHT * len(images), WIDTH, HEIGHT)
    options = drawer.drawOptions()
    options.prepareMolsBeforeDrawing = False
    options.highlightBondWidthMultiplier = 20
    options.useBWAtomPalette()  # so that only bonds are coloured
    panels: list[Mol] = []
    legends: list[str] = []
    colours: list[dict[int, tuple[float, float, float]]] = []
    for name, image in images.items():
        kept = set(kept_bonds(pair, image))
        stripped = _core.strip(pair.a.core, pair.b.core, image)
        common = _core.preserved_edges(pair.a.core, pair.b.core, stripped).tolist()
        for side, mol in enumerate(mols):
            found = {}
            for e in common:
                u, v = (int(k if side == 0 else image[k]) for k in pair.a.edges[e])
                found[mol.GetBondBetweenAtoms(u, v).GetIdx()] = KEPT if e in kept else REMOVED
            colours.append(found)
        panels += mols
        legends += [f"{name}: {len(kept)} bonds left, {len(common) - len(kept)} removed", ""]
    with rdBase.BlockLogs():
        drawer.DrawMolecules(
            panels,
            highlightAtoms=[[] for _ in panels],
            highlightBonds=[list(found) for found in colours],
            highlightBondColors=colours,
            legends=legends,
        )
    drawer.FinishDrawing()
    return str(drawer.GetDrawingText())


def _flat(pair: BenchPair) -> list[Any]:
    """Return the two molecules with coordinates, the same for every method."""
    from rdkit import Chem
    from rdkit.Chem import rdDepictor

    mols = [Chem.Mol(g.to_mol()) for g in (pair.a, pair.b)]
    for mol in mols:
        rdDepictor.Compute2DCoords(mol)
    return mols
