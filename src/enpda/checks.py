"""Checks of single values that people give, with the words of what is accepted."""

from __future__ import annotations

import numpy as np

from enpda.errors import InputError, brief


def choice(name: str, value: object, accepted: tuple[str, ...]) -> None:
    """Raise InputError unless `value` is one of the accepted words."""
    if value not in accepted:
        raise InputError(f"{name} must be one of {', '.join(map(repr, accepted))}; got {brief(value)}")


def whole(name: str, value: object, low: int, high: int) -> None:
    """Raise InputError unless `value` is a whole number in the range."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise InputError(f"{name} must be a whole number from {low} to {high}; got {brief(value)}")


def real(name: str, value: object, low: float, high: float) -> None:
    """Raise InputError unless `value` is a number in the range."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not low <= value <= high:
        raise InputError(f"{name} must be a number from {low} to {high}; got {brief(value)}")
