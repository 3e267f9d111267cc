"""`Hits`: what a search found, and what it proved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from enpda.bulk.library import Library
from enpda.bulk.matches import Matches, facts, for_pictures, matched
from enpda.bulk.rows import STATUSES, Rows
from enpda.bulk.tables import frame
from enpda.documents import written
from enpda.graph import Graph
from enpda.result.match import Match
from enpda.solve.matching import match
from enpda.solve.options import Options
from enpda.words import counted

By = Literal["similarity", "distance"]

SHOWN = 20
"""Hits that a notebook shows with their pictures."""
FEW = 5
"""Searches, and hits of each, that a notebook shows of several."""


@dataclass(frozen=True)
class Hit:
    """One item of a library, as `match(query, item)` sees it.

    Attributes
    ----------
    rank : int
        From 1.
    index, id : int, str
        The item's number in the library and its id there.
    size, upper, optimal, nodes, similarity, distance, status : as in `Match`
        Of the query and the item.
    seconds : float
        What the item took, the questions about it included.
    """

    rank: int
    index: int
    id: str
    size: int
    upper: int
    optimal: bool
    nodes: int
    similarity: float
    distance: int
    status: str
    seconds: float = field(compare=False)
    _of: Hits = field(repr=False, compare=False)

    @property
    def graph(self) -> Graph:
        """The item itself."""
        graph: Graph = self._of.library[self.index]
        return graph

    @property
    def smiles(self) -> str | None:
        """The item as SMILES; None when it is no molecule, or one that no SMILES says."""
        return self._of.library.smiles_of(self.index)

    def match(self) -> Match:
        """Match the query and the item again, for the mapping, a picture or a certificate."""
        options = self._of.options
        return match(self._of.query, self.graph, **{f.name: getattr(options, f.name) for f in fields(options)})

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the attributes' names."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "_of"}
        return {**values, "smiles": self.smiles}


class Hits(Sequence[Hit]):
    """The best items of a library for one query, the best first.

    Attributes
    ----------
    query, id : Graph, str
        What was asked about, and its id.
    library : Library
        What was searched.
    by : {"similarity", "distance"}
        What "best" means; equals come in the order of the library.
    k : int
        How many were asked for.
    options : Options
        Of the matches.
    open : list of str
        Ids of the items that may belong higher than they stand: their bound says so, and no proof contradicts it,
        because the time limit struck or the method proves nothing.
    screened, excluded, evaluated : int
        Items that counts excluded, that a bound excluded, and that were matched in full; together the whole library.
        Isomorphic items are matched once and counted each.
    seconds : float
        For everything.

    Examples
    --------
    >>> import enpda
    >>> hits = enpda.search("CCO", ["CCN", "CCCO", "OCC", "c1ccccc1"], k=2)
    >>> [(hit.rank, hit.index, hit.size) for hit in hits], hits.exact
    ([(1, 2, 2), (2, 1, 2)], True)
    """

    def __init__(
        self,
        query: Graph,
        own: str,
        library: Library,
        by: By,
        k: int,
        options: Options,
        rows: Rows,
        open_: list[str],
        gates: tuple[int, int, int],
        seconds: float,
    ) -> None:
        self.query, self.id, self.library = query, own, library
        self.by, self.k, self.options = by, k, options
        self.open, self.seconds = open_, seconds
        self.screened, self.excluded, self.evaluated = gates
        self._rows = rows

    @property
    def exact(self) -> bool:
        """Whether it is proven that these are the best, in this order."""
        return not self.open

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        k, rows = range(len(self))[index], self._rows
        item = int(rows.b[k])
        return Hit(
            k + 1,
            item,
            self.library.ids[item],
            int(rows.size[k]),
            int(rows.upper[k]),
            bool(rows.optimal[k]),
            int(rows.nodes[k]),
            float(rows.similarity[k]),
            int(rows.distance[k]),
            STATUSES[rows.status[k]],
            float(rows.seconds[k]),
            self,
        )

    def __iter__(self) -> Iterator[Hit]:
        return (self[k] for k in range(len(self)))

    # -- doors out -----------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the attributes' names."""
        return {
            "query": self.query.to_dict(),
            "id": self.id,
            "by": self.by,
            "k": self.k,
            "method": self.options.method,
            "exact": self.exact,
            "open": list(self.open),
            "screened": self.screened,
            "excluded": self.excluded,
            "evaluated": self.evaluated,
            "seconds": self.seconds,
            "hits": [hit.to_dict() for hit in self],
        }

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict` as JSON."""
        return written(self.to_dict(), indent)

    def table(self) -> Any:
        """Return an Arrow table, one row a hit; `query` is the query's id."""
        import pyarrow as pa

        rows = self._rows
        columns = {
            "query": pa.array([self.id] * len(self), pa.string()),
            "rank": pa.array(range(1, len(self) + 1), pa.int32()),
            "id": pa.array([self.library.ids[k] for k in rows.b.tolist()], pa.string()),
            "index": pa.array(rows.b, pa.int64()),
            "similarity": rows.similarity,
            "distance": rows.distance,
            "size": rows.size,
            "upper": rows.upper,
            "optimal": rows.optimal,
            "nodes": rows.nodes,
            "status": pa.array([STATUSES[k] for k in rows.status.tolist()], pa.string()),
            "seconds": rows.seconds,
            "smiles": pa.array([hit.smiles for hit in self], pa.string()),
        }
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """Return `table` as a pandas data frame."""
        return frame(self.table())

    def matches(self, count: int | None = None) -> Matches:
        """Match the query and its hits again, the first `count` or all, for mappings, pictures or an SD file."""
        chosen = self[:count]
        return Matches(matched([(self.query, hit.graph) for hit in chosen], self.options))

    def to_sdf(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the hits as an SD file, best first, each laid over the query along what they share.

        Molecules with 3D coordinates keep them and are superposed; others get 2D coordinates like the query's drawing.
        Data fields hold rank, id, similarity and so on; see `enpda.view.aligned.sdf`.
        """
        from enpda.view.aligned import sdf

        return sdf(self.matches(), [{"query": self.id, **_numbers(hit)} for hit in self], path=path)

    def report(self, path: str | os.PathLike[str] | None = None, title: str = "Hits") -> str:
        """Write a page of the hits, turned to the query, and a table; see `enpda.bulk.pages.hits_page`."""
        from enpda.bulk.pages import hits_page

        return hits_page(self, path, title)

    # -- pictures and words --------------------------------------------------------------------------------

    def in_words(self) -> str:
        """Tell what was proven, and how the library was gone through."""
        sure = "exact" if self.exact else f"{counted(len(self.open), 'item')} may belong higher"
        return (
            f"{len(self)} of {len(self.library)} by {self.by}, {sure}: "
            f"{self.screened} excluded by counts, {self.excluded} by a bound, {self.evaluated} matched, "
            f"{self.seconds:.3g} s"
        )

    def __repr__(self) -> str:
        return f"Hits({self.in_words()})"

    def __str__(self) -> str:
        from enpda.view.page import clean

        head = f"{'rank':>4}  similarity  distance  {self._edges:>5}  {self._nodes:>5}  proven  id"
        lines = [
            f"{hit.rank:4d}  {hit.similarity:10.4f}  {hit.distance:8d}  {hit.size:5d}  {hit.nodes:5d}  "
            f"{_sure(hit):6s}  {clean(hit.id)}"
            for hit in self
        ]
        return "\n".join([head, *lines, self.in_words()])

    @property
    def _nodes(self) -> str:
        return "atoms" if self.query.is_molecule else "nodes"

    @property
    def _edges(self) -> str:
        return "bonds" if self.query.is_molecule else "edges"

    def cards(self, count: int | None = None, *, quick: bool = False) -> str:
        """Return the query and the first `count` hits as HTML, each turned to the query, what they share highlighted.

        `quick`: find no common part for longer than a second; the picture may then show less than the number says.
        """
        from enpda.view.series import Series
        from enpda.view.sheet import card, cards

        series, chosen = Series(self.query), self[:count]
        options = for_pictures(self.options) if quick else self.options
        found = matched([(self.query, hit.graph) for hit in chosen], options)
        parts = [card(series.draw_query(), self.id, ["the query"])]
        for hit, one in zip(chosen, found, strict=True):
            words = facts(hit, counted(hit.size, self._edges[:-1]))
            parts.append(card(series.draw(one), f"{hit.rank}. {hit.id}", words))
        return cards(parts)

    def _repr_html_(self) -> str:
        from enpda.view.sheet import note

        more = note(f"and {len(self) - SHOWN} more") if len(self) > SHOWN else ""
        return self.cards(SHOWN, quick=True) + more + note(self.in_words())


class Searches(list[Hits]):
    """What `search` returns for several queries: a list of hits, which a notebook shows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from enpda.view.sheet import note, section

        parts = [section(some.id, some.cards(FEW, quick=True) + note(some.in_words())) for some in self[:FEW]]
        return "".join(parts) + (note(f"and {len(self) - FEW} more") if len(self) > FEW else "")


def _numbers(hit: Hit) -> dict[str, Any]:
    return {name: value for name, value in hit.to_dict().items() if name not in ("smiles", "seconds")}


def _sure(hit: Hit) -> str:
    return "yes" if hit.optimal else f"<= {hit.upper}"
