"""Reading what is not trusted: values are checked, work and memory are counted, text is made harmless."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from pathlib import Path
from typing import Any

STEPS = 3_000_000_000
"""What a check may cost by default: steps of about a tenth of a microsecond, so some minutes."""
MEMORY = 4 << 30
"""Bytes that a check may hold by default, about."""
PER_CHARACTER = 24
"""Bytes that one character of JSON can become at most: `{}` with its comma is an object of 64 bytes and a reference."""
LONGEST = 2**63
"""Numbers of a certificate fit in 64 bits: sizes, labels, shares, potentials."""


class CertificateError(Exception):
    """Why a certificate does not hold."""


class GaveUp(Exception):  # noqa: N818 - not an error: an answer
    """Checking would take more than it may."""


class Budget:
    """Work and memory that one check may still use.

    Parameters
    ----------
    steps : int
        Steps of about a tenth of a microsecond.
    memory : int
        Bytes, as estimated from what is stored.

    Attributes
    ----------
    left, free : int
        Steps that are left, and bytes.
    """

    def __init__(self, steps: int = STEPS, memory: int = MEMORY) -> None:
        self.steps, self.memory = steps, memory
        self.left, self.free = steps, memory

    def spend(self, steps: int) -> None:
        """Count work that is about to be done."""
        self.left -= steps
        if self.left < 0:
            raise GaveUp(f"checking takes more than {self.steps} steps")

    def hold(self, size: int) -> None:
        """Count memory that is about to be used; a negative size gives it back."""
        self.free -= size
        if self.free < 0:
            raise GaveUp(f"checking takes more than {self.memory} bytes of memory")


def need(condition: bool, reason: str) -> None:
    """Refuse unless a condition holds."""
    if not condition:
        raise CertificateError(reason)


def shown(value: Any) -> str:
    """Return something from a certificate in few plain characters: it cannot forge a line of a verdict."""
    text = value if isinstance(value, str) else repr(value)
    return ascii(text[:60])


def printable(text: str) -> str:
    """Return a text on one line, whatever it holds: a file's name cannot forge a line of a verdict either."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def many(count: int, what: str) -> str:
    """Count things in words: 1 edge, 2 edges."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def whole(value: Any, what: str) -> int:
    """Take a whole number, and nothing that only looks like one."""
    return wholes([value], what)[0]


def wholes(values: Any, what: str) -> list[int]:
    """Take a list of whole numbers."""
    need(isinstance(values, list), f"malformed: {what} must be a list")
    if not set(map(type, values)) <= {int}:
        other = next(value for value in values if type(value) is not int)
        raise CertificateError(f"{what} must be a whole number; got {shown(other)}")
    need(not values or (min(values) >= -LONGEST and max(values) < LONGEST), f"{what} is too large a number")
    return list(values)


def objects(values: Any, what: str) -> list[dict[str, Any]]:
    """Take a list of JSON objects."""
    fine = isinstance(values, list) and all(isinstance(value, dict) for value in values)
    need(fine, f"malformed: {what} must be a list of objects")
    return list(values)


def keys(content: Any, names: set[str], what: str) -> dict[str, Any]:
    """Take a JSON object with exactly these keys."""
    need(isinstance(content, dict), f"malformed: {what} must be an object")
    wrong = ", ".join(shown(key) for key in sorted(content.keys() ^ names, key=str)[:5])
    need(not wrong, f"{what}: keys missing or unknown: {wrong}")
    return dict(content)


def load(certificate: Any, budget: Budget | None = None) -> dict[str, Any]:
    """Return the content of a certificate: of a path, of bytes, or the parsed content as it is."""
    if isinstance(certificate, dict):
        return certificate
    budget = budget or Budget()
    most = budget.memory // PER_CHARACTER
    if isinstance(certificate, (str, Path)):
        with open(certificate, "rb") as file:
            certificate = file.read(most + 1)
    if certificate[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(certificate)) as unpacked:
                certificate = unpacked.read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise CertificateError(f"damaged gzip file: {shown(str(error))}") from None
    budget.hold(PER_CHARACTER * len(certificate))
    budget.spend(len(certificate))
    try:
        content = json.loads(certificate.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"not JSON as a certificate has it: {shown(str(error))}") from None
    need(isinstance(content, dict), "not a JSON object")
    return dict(content)


def _no_constant(name: str) -> None:
    raise CertificateError(f"{name} is no number of a certificate")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    need(len(result) == len(pairs), "an object has a key twice")
    return result
