"""Labels and names of any kind: the numbers that labels become, the same in every graph and process, and their JSON.

Graphs are compared by integers. A label that is no integer becomes a number of 60 bits that depends on the label alone,
so that graphs read by different people at different times agree without a table that all of them would have to share.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from enpda.checks import whole
from enpda.errors import InputError, brief, unicode_text

Label = Hashable
"""What a label is once it was taken: None, int, float, str, bytes, or a tuple or frozenset of labels."""

ACCEPTED = "labels are whole numbers, text, bytes, True, False, None, enum members, and tuples or frozensets of these"
DEEPEST = 16
"""How many tuples may lie inside each other."""
MOST_DECIMALS = 15
BITS = 60
"""Of a code: labels fit in 64 bits, and rules append a digit to them."""
INTEGERS = range(-(2**63), 2**63)


class Codes:
    """The numbers of one graph's labels, and what they stand for.

    Parameters
    ----------
    decimals : int, optional
        Digits after the point to which labels that are no whole numbers are rounded, 0 to 15; without it they are
        refused, because two computations of the same number seldom agree in the last bit.

    Attributes
    ----------
    names : dict of int to label
        What the numbers stand for that are no labels themselves.

    Examples
    --------
    >>> codes = Codes()
    >>> codes.number(6), codes.number(6.0), codes.number(True)
    (6, 6, 1)
    >>> codes.names[codes.number("carbon")]
    'carbon'
    """

    def __init__(self, decimals: int | None = None) -> None:
        if decimals is not None:
            whole("decimals", decimals, 0, MOST_DECIMALS)
        self.decimals = decimals
        self.names: dict[int, Label] = {}
        self._texts: dict[str, int] = {}  # most labels are text, and few of them differ
        self._integers: set[int] = set()

    def number(self, label: Any) -> int:
        """Return the number of a label; raises InputError for what is none."""
        if type(label) is str and label in self._texts:
            return self._texts[label]
        value = plain(label, self.decimals)
        number = value if isinstance(value, int) else code_of(value)
        if isinstance(value, int):
            self._integers.add(number)
        else:
            other = self.names.setdefault(number, value)
            if other != value:
                raise _collision(number, other, value)
        if number in self._integers and number in self.names:
            raise _collision(number, number, self.names[number])
        if type(label) is str:
            self._texts[label] = number
        return number


def plain(label: Any, decimals: int | None = None, depth: int = 0) -> Label:
    """Return a label in the form in which it is kept: labels that are equal in Python become the same one."""
    if depth > DEEPEST:
        raise InputError(f"a label has at most {DEEPEST} tuples inside each other")
    if isinstance(label, (bool, np.bool_, int, np.integer)):
        number = int(label)
        if number not in INTEGERS:
            raise InputError(f"labels must fit in 64 bits; got {brief(number)}")
        return number
    if isinstance(label, (float, np.floating)):
        return _rounded(float(label), decimals)
    if label is None:
        return None
    if isinstance(label, str):
        return unicode_text("a label", str.__str__(label))
    if isinstance(label, bytes):
        return bytes(label)
    if isinstance(label, Enum) and label.name is not None:
        return f"{type(label).__name__}.{label.name}"
    if isinstance(label, (tuple, frozenset)):
        parts = [plain(part, decimals, depth + 1) for part in label]
        return tuple(parts) if isinstance(label, tuple) else frozenset(parts)
    hint = ", which a tuple can stand for" if isinstance(label, (list, set, np.ndarray)) else ""
    raise InputError(f"{ACCEPTED}; got {brief(label)}, a {type(label).__name__}{hint}")


def _rounded(value: float, decimals: int | None) -> Label:
    if not math.isfinite(value):
        raise InputError(f"a label must be finite; got {value}")
    if not value.is_integer():
        if decimals is None:
            raise InputError(
                f"labels must be whole numbers or of another kind, and {value!r} is a fraction; decimals=N compares "
                "fractions rounded to N digits"
            )
        value = round(value, int(decimals))
    if not value.is_integer():
        return value
    if int(value) not in INTEGERS:
        raise InputError(f"labels must fit in 64 bits; got {value}")
    return int(value)


def code_of(label: Label) -> int:
    """Return the number, below 2^60, that stands for a label that `plain` returned and that is no integer."""
    return _hashed(_canonical(label))


def code_with(code: int, digit: int, count: int) -> int:
    """Return a number that stands for another number and a digit below `count`, where they do not fit into 64 bits."""
    return _hashed(b"digit %d of %d: %d" % (digit, count, code))


def _hashed(text: bytes) -> int:
    digest = hashlib.blake2b(text, digest_size=8, person=b"enpda label").digest()
    return int.from_bytes(digest, "big") >> (64 - BITS)


def _canonical(label: Label) -> bytes:
    """Write a label so that different ones are written differently: a letter for the kind, and how long it is."""
    if label is None:
        return b"n"
    if isinstance(label, int):
        return b"i%d;" % label
    if isinstance(label, float):
        return b"f%s;" % repr(label).encode()
    if isinstance(label, (str, bytes)):
        text = label.encode() if isinstance(label, str) else label
        return b"%s%d:%s" % (b"s" if isinstance(label, str) else b"b", len(text), text)
    if isinstance(label, tuple):
        return b"t%d:%s" % (len(label), b"".join(map(_canonical, label)))
    if isinstance(label, frozenset):
        return b"u%d:%s" % (len(label), b"".join(sorted(map(_canonical, label))))
    raise TypeError(f"not a label that was taken: {label!r}")


def agree(first: Mapping[int, Label], second: Mapping[int, Label]) -> None:
    """Refuse two graphs in which one number stands for different labels."""
    if len(second) < len(first):
        first, second = second, first
    for number, label in first.items():
        if second.get(number, label) != label:
            raise _collision(number, label, second[number])


def _collision(number: int, first: Label, second: Label) -> InputError:
    return InputError(
        f"the labels {brief(first)} and {brief(second)} have the same number {number}, by a chance of one in 2^60; "
        "rename one of them"
    )


def shown(value: Any) -> str:
    """Return a label or a name for people to read, in one line."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= 60 else brief(value)


def checked_names(names: Iterable[Hashable], count: int) -> tuple[Hashable, ...] | None:
    """Return names of nodes that are no two alike; None where they are the numbers of the nodes."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise InputError(f"names must be a sequence, one a node; got {brief(names)}")
    found = tuple(names)
    if len(found) != count:
        raise InputError(f"names must be one for each of {count} nodes; got {len(found)}")
    try:
        distinct = len(set(found))
    except TypeError:
        raise InputError("names of nodes must be hashable: a tuple, say, instead of a list") from None
    if distinct < count:
        seen: set[Hashable] = set()
        twice = next(name for name in found if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(f"no two nodes have the same name; {brief(twice)} is given twice")
    return None if found == tuple(range(count)) else found


# -- JSON --------------------------------------------------------------------------------------------------


def to_json(value: Any, depth: int = 0) -> Any:
    """Return a label or a name as JSON holds it: tuples as lists, bytes and sets by their kind; raises InputError."""
    if depth > DEEPEST:
        raise InputError(f"JSON holds at most {DEEPEST} tuples inside each other")
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and int(value) in INTEGERS:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, str):
        return unicode_text("a name", str.__str__(value))
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, tuple):
        return [to_json(part, depth + 1) for part in value]
    if isinstance(value, frozenset):
        return {"set": [to_json(part, depth + 1) for part in sorted(value, key=repr)]}
    raise InputError(f"JSON does not hold {brief(value)}")


def from_json(data: Any, depth: int = 0) -> Label:
    """Undo `to_json`; raises InputError."""
    if depth > DEEPEST:
        raise InputError(f"a label or a name has at most {DEEPEST} lists inside each other")
    if isinstance(data, list):
        return tuple(from_json(part, depth + 1) for part in data)
    if isinstance(data, dict) and len(data) == 1:
        (kind, content), *_ = data.items()
        if kind == "set" and isinstance(content, list):
            return frozenset(from_json(part, depth + 1) for part in content)
        if kind == "bytes" and isinstance(content, str):
            try:
                return bytes.fromhex(content)
            except ValueError:
                pass
    if data is None or isinstance(data, (bool, int, float)):
        return data
    if isinstance(data, str):
        return unicode_text("a label or a name", data)
    raise InputError(
        f"a label or a name is text, a number, null, a list, or bytes or set as an object; got {brief(data)}"
    )


def names_to_json(names: Sequence[Hashable]) -> list[Any] | None:
    """Return names as JSON holds them, others by how they show themselves; None when that tells them apart no more."""
    written = []
    for name in names:
        try:
            written.append(to_json(name))
        except InputError:
            written.append(brief(name).encode(errors="replace").decode())
    return written if len(set(map(from_json, written))) == len(written) else None


def names_from_json(data: Any) -> list[Hashable] | None:
    """Undo `names_to_json`; raises InputError."""
    if not isinstance(data, (list, tuple, type(None))):
        raise InputError(f"names must be a list, one a node; got {brief(data)}")
    return None if data is None else [from_json(name) for name in data]


def labels_to_json(names: Mapping[int, Label]) -> list[list[Any]]:
    """Return the numbers that stand for labels, and those labels."""
    return [[number, to_json(label)] for number, label in sorted(names.items())]


def labels_from_json(data: Any) -> dict[int, Label]:
    """Undo `labels_to_json`, deriving every number again; raises InputError."""
    if data is None:
        return {}
    if not isinstance(data, (list, tuple)):
        raise InputError(f"label_names must be pairs of a number and a label; got {brief(data)}")
    found: dict[int, Label] = {}
    for entry in data:
        if not isinstance(entry, (list, tuple)) or len(entry) != 2:
            raise InputError(f"label_names must be pairs of a number and a label; got {brief(entry)}")
        label = plain(from_json(entry[1]), MOST_DECIMALS)
        if isinstance(label, int) or type(entry[0]) is not int or code_of(label) != entry[0]:
            raise InputError(f"label_names: the label {brief(label)} has another number than {brief(entry[0])}")
        found[entry[0]] = label
    return found
