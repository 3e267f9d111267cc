"""JSON: from outside, read within limits or refused with its source and the reason; and written for people."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from typing import Any

from enpda.errors import InputError, brief, unicode_text
from enpda.files import path_of

MAX_DEPTH = 64
"""Lists and objects within each other."""
MAX_BYTES = 256_000_000
"""Bytes of a file."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parsed(text: str | bytes, source: str = "the text") -> Any:
    """Parse JSON, strictly.

    Parameters
    ----------
    text : str or bytes
        Bytes must be UTF-8.
    source : str
        What the text is, for the message.

    Raises
    ------
    InputError
        Also for what many parsers let pass: a key given twice, NaN and infinity, integers of thousands of digits, half
        a surrogate pair, and nesting beyond `MAX_DEPTH`.

    Examples
    --------
    >>> parsed('{"size": 3}')
    {'size': 3}
    """
    if not isinstance(text, (str, bytes)):
        raise InputError(f"{source} must be JSON as a string; got {brief(text)}")
    try:
        text = text.decode() if isinstance(text, bytes) else unicode_text("it", text)
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()  # pairs are fine, halves are not
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not JSON that can be used: it is not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError:
        raise InputError(f"{source} is not JSON that can be used: it has a lone surrogate, which is no text") from None
    except RecursionError:
        raise InputError(f"{source} is not JSON that can be used: it is nested more than {MAX_DEPTH} deep") from None
    except ValueError as error:  # of syntax, encoding, or the length of an integer; and our own
        raise InputError(f"{source} is not JSON that can be used: {error}") from None
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        level = [x for c in level for x in (c.values() if isinstance(c, dict) else c) if isinstance(x, (dict, list))]
        if not level:
            return value
    raise InputError(f"{source} is not JSON that can be used: it is nested more than {MAX_DEPTH} deep")


def load(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file, as `parsed` reads text."""
    where = path_of(path)
    try:
        with open(where, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {where}: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{where} has more than {MAX_BYTES} bytes")
    return parsed(data, where)


def written(value: Any, indent: int | None = None) -> str:
    """Write JSON; indented, lists and objects of plain values, and lists of such lists, stay on one line.

    Examples
    --------
    >>> print(written({"size": 2, "edges": [[0, 1], [1, 2]], "a": {"labels": [6, 6, 8], "name": None}}, indent=1))
    {
     "size": 2,
     "edges": [[0, 1], [1, 2]],
     "a": {"labels": [6, 6, 8], "name": null}
    }
    """
    if indent is None:
        return json.dumps(value)
    return _indented(value, " " * indent, "\n")


def _indented(value: Any, step: str, line: str) -> str:
    if isinstance(value, dict) and not all(map(_flat, value.values())):
        inner = [f"{json.dumps(str(key))}: {_indented(item, step, line + step)}" for key, item in value.items()]
        return "{" + line + step + f",{line}{step}".join(inner) + line + "}"
    if isinstance(value, list) and not _flat(value):
        return (
            "[" + line + step + f",{line}{step}".join(_indented(item, step, line + step) for item in value) + line + "]"
        )
    return json.dumps(value)


def _flat(value: Any) -> bool:
    """Tell whether something has no object in it."""
    return not isinstance(value, dict) and (not isinstance(value, list) or all(map(_flat, value)))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {brief(twice)} is given twice")
    return result


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON's")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{brief(text)} is no finite number")
    return value
