"""What is asked about every pair of a table."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from enpda.checks import choice
from enpda.errors import InputError
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.solve.options import LIFTED, Options

Screened = Literal["drop", "keep"]
PROVING = ("auto", "exact")
"""Methods that bound as hard as they search."""


@dataclass(frozen=True)
class Question:
    """What is asked about every pair.

    Attributes
    ----------
    options : Options
        Of `match`, without a threshold.
    min_similarity, max_distance : float, int or None
        Only pairs with at least that similarity and at most that distance are of interest.
    screened : {"drop", "keep"}
        Whether the rows of other pairs are left out, or hold the bounds that exclude them.
    device : str or None
        As in `match_many`.
    """

    options: Options = field(default_factory=Options)
    min_similarity: float | None = None
    max_distance: int | None = None
    screened: Screened = "drop"
    device: str | None = None

    def __post_init__(self) -> None:
        choice("screened", self.screened, get_args(Screened))
        replace(self.options, min_similarity=self.min_similarity, max_distance=self.max_distance)  # validates
        if self.options.min_size is not None:
            raise InputError("min_size is asked of one pair; of many, ask for min_similarity or max_distance")
        if self.options.rules is not None and self.options.rules.of_one_pair:
            raise InputError("rules with pins, forbidden or compatible nodes speak of one pair and cannot be used here")
        if self.min_similarity and self.weighted:
            raise InputError("min_similarity counts edges and cannot be asked with weights; use max_distance")

    @property
    def threshold(self) -> bool:
        """Whether there is a threshold at all."""
        return bool(self.min_similarity) or self.max_distance is not None

    @property
    def plain(self) -> bool:
        """Whether labels alone say what matches, so that the compiled core needs no help."""
        options = self.options
        return (
            options.rules is None
            and options.constraints is None
            and options.bound not in LIFTED
            and self.device is None
        )

    @property
    def weighted(self) -> bool:
        """Whether edges count by weight."""
        return self.options.rules is not None and self.options.rules.weights is not None

    @property
    def excluding(self) -> Options:
        """The options of the threshold question, without the threshold.

        Methods that prove nothing find mappings; what excludes a pair is a bound.
        """
        options = self.options
        if options.method in PROVING or options.bound is not None or self.device is not None:
            return options
        return replace(options, method="analytic", bound="rlt", budget=None, decoder=None, samples=None, policy=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "options"}
        options = {entry.name: getattr(self.options, entry.name) for entry in fields(self.options)}
        for values in (own, options):  # JSON knows no numbers of numpy's
            values |= {name: value.item() for name, value in values.items() if isinstance(value, np.generic)}
        for name in ("rules", "constraints"):
            options[name] = None if options[name] is None else options[name].to_dict()
        if options["budget"] is not None:
            raise InputError("a budget of one's own cannot be written down; choose a method")
        options["policy"] = None if options["policy"] is None else str(options["policy"])
        return {**own, "options": options}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Question:
        """Undo `to_dict`."""
        options = dict(data["options"])
        for name, kind in (("rules", Rules), ("constraints", Constraints)):
            options[name] = None if options[name] is None else kind.from_dict(options[name])
        return cls(**{**data, "options": Options(**options)})
