"""How large what is read may be: one place for the limits that keep other people's parsers within bounds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from enpda.errors import InputError, InputWarning, brief

VARIABLE = "ENPDA_LIMITS"
"""Environment variable with limits of one's own, such as `atoms=50000,ring_bonds=8000`."""


@dataclass
class Limits:
    """Sizes beyond which input is refused; what stands in the way may be set higher.

    RDKit and networkx cannot be stopped once they have begun, and take time and memory with the square of some sizes.

    Parameters
    ----------
    smiles : int
        Characters of a SMILES or an InChI.
    block : int
        Characters of a mol block.
    atoms : int
        Atoms of a molecule that is read.
    ring_bonds : int
        Edges of one ring system, where rings are looked for. (A single ring of a graph that is no molecule has any
        size.)
    rings : int
        Rings of one ring system, as far as they can be told beforehand.
    document : int
        Bytes of a file that networkx parses as a whole (GML, GraphML), after decompression; in memory it is a hundred
        times larger.
    member : int
        Bytes of one member of a TU zip, after decompression.
    rows : int
        Lines of one member of a TU zip: vertices, or edges in both directions.

    Examples
    --------
    >>> from enpda.limits import LIMITS, raised
    >>> LIMITS.atoms
    20000
    >>> with raised(atoms=50_000):
    ...     LIMITS.atoms
    50000
    """

    smiles: int = 20_000
    block: int = 1_000_000
    atoms: int = 20_000
    ring_bonds: int = 2_000
    rings: int = 5_000
    document: int = 4_000_000
    member: int = 128_000_000
    rows: int = 8_000_000

    def __setattr__(self, name: str, value: object) -> None:
        if name not in NAMES:
            raise InputError(f"there is no limit {brief(name)}; there are {', '.join(NAMES)}")
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
            raise InputError(f"the limit {name} must be a whole number above 0; got {brief(value)}")
        super().__setattr__(name, value)

    def update(self, text: str) -> None:
        """Set limits as `ENPDA_LIMITS` and the command line give them: `atoms=50000,ring_bonds=8000`."""
        for part in text.split(","):
            name, _, value = part.partition("=")
            if not value.strip().isdecimal() or len(value) > 18:
                raise InputError(f"limits are given as NAME=NUMBER, separated by commas; got {brief(text)}")
            setattr(self, name.strip(), int(value))

    def check(self, name: str, value: int, what: str, unit: str) -> None:
        """Refuse a value above the limit of that name."""
        most = getattr(self, name)
        if value > most:
            raise InputError(
                f"{what} has {value} {unit}; at most {most} are accepted (limit {name!r}, see docs/input.md)"
            )


NAMES = tuple(entry.name for entry in fields(Limits))
LIMITS = Limits()
"""The limits of this process."""
if os.environ.get(VARIABLE):
    try:
        LIMITS.update(os.environ[VARIABLE])
    except InputError as error:  # no reason that nothing can be imported
        warnings.warn(f"{VARIABLE} is not heeded: {error}", InputWarning, stacklevel=1)


@contextmanager
def raised(**limits: int) -> Iterator[Limits]:
    """Set some limits for a while."""
    before = dict(vars(LIMITS))
    try:
        for name, value in limits.items():
            setattr(LIMITS, name, value)
        yield LIMITS
    finally:
        vars(LIMITS).update(before)
