"""Options of several commands that say what the common part must be."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from enpda.problem.constraints import Constraints, Rings


@Parameter(name="*", group="Constraints")
@dataclass(frozen=True)
class ConstraintOptions:
    """What the common part must be.

    Parameters
    ----------
    rings
        Bonds that are shared with their whole ring only: aromatic ones, or all in rings.
    connected
        The common part is one piece.
    max_fragments
        Pieces of the common part, at most.
    min_fragment
        Atoms of a piece, at least.
    stereo
        Stereocentres and double bonds keep their arrangement.
    """

    rings: Rings = "none"
    connected: Annotated[bool, Parameter(negative=())] = False
    max_fragments: int | None = None
    min_fragment: int = 0
    stereo: Annotated[bool, Parameter(negative=())] = False

    def constraints(self) -> Constraints | None:
        """Return the constraints, None when nothing was asked for."""
        constraints = Constraints(**asdict(self))
        return None if constraints == Constraints() else constraints


DEFAULT_CONSTRAINTS = ConstraintOptions()
