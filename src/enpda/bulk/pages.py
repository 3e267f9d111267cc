"""Pages about many items: hits, clusters and matrices, one look for all."""

from __future__ import annotations

import os
from collections.abc import Sequence

from enpda.bulk.cluster import Clusters, listed
from enpda.bulk.hits import Hits
from enpda.bulk.matrix import MOST_CELLS, Matrix, shown
from enpda.bulk.rgroups import RGroups
from enpda.view import page
from enpda.view.groups import groups_html
from enpda.view.sheet import cell, code, document, escaped, note, rows, section
from enpda.words import counted

PICTURES = 200
"""Items that a page shows with their pictures."""
MEMBERS = 24
"""Members of a cluster that a page shows with their pictures."""
CLUSTERS = 50
"""Clusters that a page shows with pictures."""
PAIRS = 500
"""Rows of a matrix that a page lists."""

Path = str | os.PathLike[str]


def hits_page(found: Hits | Sequence[Hits], path: Path | None = None, title: str = "Hits") -> str:
    """Write a page about one search or several: the hits, turned to their query, and a table that can be sorted.

    Returns
    -------
    str
        An HTML document that loads nothing from elsewhere.

    Examples
    --------
    >>> import enpda
    >>> page = hits_page(enpda.search("Oc1ccccc1", ["Nc1ccccc1", "CCO"]))
    >>> page.count("<svg")
    3
    """
    many = [found] if isinstance(found, Hits) else list(found)
    body = "".join(section(some.id, hits_part(some)) if len(many) > 1 else hits_part(some) for some in many)
    return document(title, body, path=path)


def hits_part(hits: Hits) -> str:
    """Return what a page says about one search."""
    smiles = hits.query.is_molecule
    columns = ("rank", "id", "similarity", "distance", "shared", "at most", "proven", *(["SMILES"] * smiles))
    head = [(name, "text" if name in ("id", "proven", "SMILES") else "number") for name in columns]
    lines = (
        (
            cell(str(hit.rank)),
            cell(hit.id),
            cell(f"{hit.similarity:.4f}", hit.similarity),
            *(cell(str(number)) for number in (hit.distance, hit.size, hit.upper)),
            cell("yes" if hit.optimal else "no"),
            *([f"<td>{code(hit.smiles or '')}</td>"] * smiles),
        )
        for hit in hits
    )
    more = note(f"and {len(hits) - PICTURES} more in the table") if len(hits) > PICTURES else ""
    return f"{note(hits.in_words())}{hits.cards(PICTURES)}{more}<h2>Table</h2>\n{rows(head, lines)}"


def clusters_page(found: Clusters, path: Path | None = None, title: str = "Clusters") -> str:
    """Write a page about clusters: the members of each, turned to the first, and what is alone.

    Returns
    -------
    str
        An HTML document that loads nothing from elsewhere.
    """
    return document(title, clusters_part(found), path=path)


def clusters_part(found: Clusters) -> str:
    """Return what a page says about clusters."""
    alone = [some[0] for some in found.clusters if len(some) == 1]
    real = len(found) - len(alone)
    doubt = f" {counted(len(found.undecided), 'pair')} could not be decided." if found.undecided else ""
    several = f"{counted(real, 'cluster')} of {counted(len(found.ids), 'item')}"
    parts = [note(f"{several}, {len(alone)} alone ({found.algorithm}, {found.threshold}).{doubt}")]
    for k, some in enumerate(found.clusters[:CLUSTERS]):
        if len(some) > 1:
            more = note(f"and {len(some) - MEMBERS} more: {listed(some[MEMBERS:], 100)}") if len(some) > MEMBERS else ""
            parts.append(section(f"Cluster {k}: {counted(len(some), 'item')}", found.cards(k, MEMBERS) + more))
    if real > CLUSTERS:
        parts.append(note(f"and {counted(real - CLUSTERS, 'more cluster')}"))
    if alone:
        parts.append(section("Alone", note(listed(alone, 500))))
    return "".join(parts)


def rgroups_page(found: RGroups, path: Path | None = None, title: str = "R-groups") -> str:
    """Write a page about a series: the core, every molecule with its groups, and what does not contain the core.

    Returns
    -------
    str
        An HTML document that loads nothing from elsewhere.
    """
    return document(title, groups_html(found, PICTURES), path=path)


def matrix_page(found: Matrix, path: Path | None = None, title: str = "Matrix", column: str = "similarity") -> str:
    """Write a page about a matrix: its map in clustered order, its numbers, and the pairs that are most alike.

    Returns
    -------
    str
        An HTML document that loads nothing from elsewhere.
    """
    return document(title, matrix_part(found, column), path=path)


def matrix_part(found: Matrix, column: str = "similarity") -> str:
    """Return what a page says about a matrix."""
    import pyarrow.compute as pc

    small = len(found.items) * len(found.other if found.other is not None else found.items) <= MOST_CELLS
    picture = f"<div>{found.heatmap(column=column)}</div>\n" if small else ""
    best = found.table.take(
        pc.select_k_unstable(found.table, k=min(PAIRS, len(found)), sort_keys=[("similarity", "descending")])
    )
    columns = ("A", "B", "similarity", "distance", "shared", "at most", "proven")
    head = [(name, "text" if name in ("A", "B", "proven") else "number") for name in columns]
    lines = (
        (
            cell(row["id_a"]),
            cell(row["id_b"]),
            cell(f"{row['similarity']:.4f}", row["similarity"]),
            *(cell(str(row[name])) for name in ("distance", "size", "upper")),
            cell("yes" if row["optimal"] else "no"),
        )
        for row in best.to_pylist()
    )
    heading = "Pairs" if len(found) <= PAIRS else f"The {PAIRS} most similar of {counted(len(found), 'pair')}"
    numbers = page.table((name, shown(value)) for name, value in found.summary().items() if value is not None)
    return f"{note(repr(found))}{picture}<h2>{escaped(heading)}</h2>\n{rows(head, lines)}<h2>Numbers</h2>\n{numbers}"
