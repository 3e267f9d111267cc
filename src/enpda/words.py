"""Words for people: numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Say how many there are, in the singular or the plural.

    Examples
    --------
    >>> counted(1, "bond"), counted(0, "bond"), counted(12_345, "query", "queries")
    ('1 bond', '0 bonds', '12,345 queries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
