"""Checks of values that people give, with the words of what is accepted."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

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


def whole_numbers(what: str, values: Iterable[Any], flat: bool = False) -> npt.NDArray[np.int64]:
    """Return the values as int64, or raise an InputError that names the first that is not a whole number."""
    if isinstance(values, (str, bytes)):
        raise InputError(f"{what} must be a sequence of integers; got {brief(values)}")
    if not isinstance(values, np.ndarray):
        try:
            values = list(values)
        except TypeError:
            raise InputError(f"{what} must be a sequence of integers; got {brief(values)}") from None
        kinds = set(map(type, values))
        if kinds <= {list, tuple}:
            kinds = set(map(type, itertools.chain.from_iterable(values)))
        if bool in kinds:  # numpy would make numbers of them
            raise InputError(f"{what} must be whole numbers; got True or False")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must be a regular array of integers; got rows of different lengths") from None
    if array.size == 0:
        array = np.zeros((0,) if flat else (0, 2), dtype=np.int64)
    if flat and array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional; got shape {array.shape}")
    if array.dtype.kind == "f":
        wrong = array[~(np.isfinite(array) & (np.floor(array) == array))]
        if wrong.size:
            raise InputError(f"{what} must be whole numbers; got {wrong.flat[0]}")
        if np.abs(array).max(initial=0) >= 2.0**63:
            raise InputError(f"{what} must fit in 64 bits; got {np.abs(array).max()}")
    elif array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise InputError(f"{what} must fit in 64 bits; got {array.max()}")
    elif array.dtype.kind == "O" and all(isinstance(x, int) for x in array.flat):
        raise InputError(f"{what} must fit in 64 bits; got {brief(max(array.flat, key=abs))}")
    elif array.dtype.kind not in "iu":
        plain = array.ravel().tolist()
        wrong_value = next((x for x in plain if not isinstance(x, (int, float))), plain[0])
        raise InputError(f"{what} must be whole numbers; got {brief(wrong_value)}")
    return np.ascontiguousarray(array, dtype=np.int64)
