"""RASCAL's `maxFragSeparation`: shared bonds keep their distances, and pieces of the common part are not far apart.

Two shared bonds lie as far from each other in the one molecule as in the other, but for so many bonds, and no two
pieces have more bonds between them in either molecule. RDKit holds to the first while it looks for a common part, and
afterwards drops the smaller of two pieces that are too far apart; here both holds for what is looked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enpda import _core, chem
from enpda.errors import InputError
from enpda.matching import mapping_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from enpda.graph import Graph
    from enpda.problem import Problem

MAX_ATOMS = 2_000
"""Molecules with more are refused: all distances are kept."""


def near_part(problem: Problem, most: int, time_limit: float | None) -> tuple[dict[int, int], bool]:
    """Return the largest such part, and whether that is certain."""
    a, b = problem.a, problem.b
    limit = -1.0 if time_limit is None else time_limit
    image, certain = _core.agreeing_part(
        a.core, b.core, _distances(a), _distances(b), most, limit, problem.terms, problem.constraint
    )
    return mapping_of(image), certain


def _distances(graph: Graph) -> npt.NDArray[np.int32]:
    if len(graph) > MAX_ATOMS:
        raise InputError(f"maxFragSeparation is for molecules of at most {MAX_ATOMS} atoms; one has {len(graph)}")
    return chem.distances_of(graph)
