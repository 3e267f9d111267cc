"""`Matches`: a list of matches that shows itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex, overload

from enpda.result.chemistry import nouns
from enpda.result.match import Match
from enpda.solve.options import Options
from enpda.view.document import report as page_of
from enpda.view.picture import match_svg, name_of
from enpda.view.series import Series
from enpda.view.sheet import card, cards, note
from enpda.words import counted

SHOWN = 12
"""Pictures that a notebook shows."""
SECONDS = 1.0
"""What a picture may take to find the common part again, at most."""


class Matches(list[Match]):
    """What `match_many` returns: a list of matches in the order of the pairs, which a notebook shows as pictures.

    Examples
    --------
    >>> import enpda
    >>> found = enpda.match_many([("Oc1ccccc1", "Nc1ccccc1"), ("Oc1ccccc1", "Cc1ccccc1")])
    >>> isinstance(found, list), found._repr_html_().count("<svg")
    (True, 3)
    """

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> Matches: ...
    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Matches(found) if isinstance(index, slice) else found

    def in_words(self) -> str:
        """Tell how many there are, and how many are proven."""
        return f"{counted(len(self), 'pair')}, {sum(match.optimal for match in self)} proven optimal"

    def report(self, path: str | os.PathLike[str] | None = None, title: str = "Matches") -> str:
        """Write a page about all of them; see `enpda.view.report`."""
        return page_of(self, path, title)

    def to_sdf(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the second molecule of every match, laid over the first; see `enpda.view.aligned.sdf`."""
        from enpda.view.aligned import sdf

        return sdf(self, path=path)

    def _repr_html_(self) -> str:
        shown = self[:SHOWN]
        more = note(f"and {len(self) - SHOWN} more") if len(self) > SHOWN else ""
        if len(self) > 1 and all(match.a is self[0].a or match.a == self[0].a for match in shown):
            pictures = aligned_cards(shown)
        else:
            pictures = "".join(f"<div>{match_svg(match, width=640, height=300)}</div>\n" for match in shown)
        return note(self.in_words()) + pictures + more


def aligned_cards(matches: Sequence[Match]) -> str:
    """Return matches with the same first graph as cards: that one, and the others turned to it."""
    series = Series(matches[0].a)
    parts = [card(series.draw_query(), name_of(series.query, 0), ["the first of every pair"])]
    parts += [card(series.draw(match), name_of(match.b, 1), facts_of(match)) for match in matches]
    return cards(parts)


def facts_of(match: Match) -> list[str]:
    """Return the numbers of a match in a few short lines."""
    return facts(match, f"weight {match.size}" if match.weighted else counted(match.size, nouns(match)[1]))


def facts(found: Any, shared: str) -> list[str]:
    """Return the numbers of a match or of a hit in a few short lines; `shared` is how much, in words."""
    sure = "proven" if found.optimal else f"at most {found.upper}"
    return [f"similarity {found.similarity:.3f}, distance {found.distance}", f"{shared} shared, {sure}"]


def for_pictures(options: Options) -> Options:
    """Return options for finding a common part once more, in order to draw it: never for long."""
    limit = SECONDS if options.time_limit is None else min(SECONDS, options.time_limit)
    return replace(options, time_limit=limit, threads=1)


def matched(pairs: Iterable[tuple[Any, Any]], options: Options, threads: int | None = None) -> Iterator[Match]:
    """Match pairs as options that are already there say."""
    from enpda.bulk.many import stream_as, thread_count

    return stream_as(pairs, options, thread_count(threads))
