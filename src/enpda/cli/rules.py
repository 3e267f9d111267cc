"""Options of several commands that say what counts as the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from enpda.errors import InputError, brief
from enpda.problem.rules import Bonds, Rules

Repeated = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)]


@Parameter(name="*", group="Comparison")
@dataclass(frozen=True)
class RuleOptions:
    """What counts as the same.

    Parameters
    ----------
    atoms
        What matched atoms share, joined by `+`: element, charge, isotope, hydrogens, aromatic, ring, degree, valence;
        or `any`.
    bonds
        Whether matched bonds share their order.
    ring_bonds
        Bonds in rings match bonds in rings only.
    equivalent
        SMARTS of one atom; what it matches counts as one element. May be repeated; the first that matches decides.
    pin
        `I:J`: atom I of A matches atom J of B or none, and the other way round. May be repeated.
    forbid
        `I:J`: atom I of A does not match atom J of B. May be repeated.
    weights
        What a shared bond counts: `order` (in halves), or `LABEL:WEIGHT` for every edge label. May be repeated.
    """

    atoms: str = "element"
    bonds: Bonds = "order"
    ring_bonds: Annotated[bool, Parameter(negative=())] = False
    equivalent: Repeated = ()
    pin: Repeated = ()
    forbid: Repeated = ()
    weights: Repeated = ()

    def rules(self) -> Rules | None:
        """Return the rules, None when nothing was asked for."""
        rules = Rules(
            atoms=self.atoms,
            bonds=self.bonds,
            ring_bonds=self.ring_bonds,
            equivalent=" ".join(self.equivalent),
            pinned=_pairs("pin", self.pin),
            forbidden=_pairs("forbid", self.forbid),
            weights="order" if self.weights == ("order",) else _pairs("weights", self.weights) or None,
        )
        return None if rules == Rules() else rules


DEFAULT_RULES = RuleOptions()


def _pairs(option: str, texts: Sequence[str]) -> list[tuple[int, int]]:
    result = []
    for text in texts:
        left, _, right = text.partition(":")
        try:
            result.append((int(left), int(right)))
        except ValueError:
            also = " or 'order'" if option == "weights" else ""
            raise InputError(f"--{option} takes two whole numbers as in 3:5{also}; got {brief(text)}") from None
    return result
