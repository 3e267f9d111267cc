"""Cores and the groups that hang on them, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from enpda.graph import Graph
from enpda.view.picture import graph_svg
from enpda.view.series import Series
from enpda.view.sheet import LINE, card, cards, code, escaped, note


class GroupsLike(Protocol):
    """What a page needs of `enpda.bulk.rgroups.RGroups`."""

    @property
    def positions(self) -> Mapping[int, int]:
        """The core's atoms by number."""

    @property
    def missing(self) -> Sequence[Any]:
        """What does not contain it."""

    @property
    def library(self) -> Sequence[Graph]:
        """All molecules."""

    @property
    def core_mol(self) -> Any:
        """The core with its attachment points."""

    @property
    def core_smiles(self) -> str:
        """The same as text."""

    def in_words(self) -> str:
        """Tell how many molecules contain it."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: Any, /) -> Any: ...


def groups_html(found: GroupsLike, most: int) -> str:
    """Return the core, a row of pictures for each of the first molecules, and what does not contain the core."""
    core = Graph.from_mol(found.core_mol, name="core")
    series = Series(core, 190, 130)
    bonds = [
        (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
        for bond in found.core_mol.GetBonds()
        if max(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) < len(core) - len(found.positions)
    ]
    style = f"style='border-bottom:1px solid {LINE};padding:4px 10px 4px 0;text-align:left;vertical-align:middle'"
    head = "".join(f"<th {style}>{name}</th>" for name in ("molecule", "", *(f"R{k}" for k in found.positions)))
    lines = []
    for row in found[:most]:
        own = dict(enumerate(row.atoms))
        picture = series.draw_part(found.library[row.index], own, [(own[u], own[v]) for u, v in bonds], row.id)
        cells = [f"<td {style}>{_framed(picture)}</td>", f"<td {style}><b>{escaped(row.id)}</b></td>"]
        cells += [f"<td {style}>{_group(smiles)}</td>" for smiles in row.groups.values()]
        lines.append(f"<tr>{''.join(cells)}</tr>\n")
    more = note(f"and {len(found) - most} more") if len(found) > most else ""
    table = f"<table style='border-collapse:collapse;font-size:13px'>\n<tr>{head}</tr>\n{''.join(lines)}</table>\n"
    lacking = "".join(f"<li>{escaped(row.id)}: {escaped(row.in_words())}</li>\n" for row in found.missing[:most])
    if len(found.missing) > most:
        lacking += f"<li>and {len(found.missing) - most} more</li>\n"
    without = f"<p>Without the core:</p>\n<ul>\n{lacking}</ul>\n" if lacking else ""
    top = cards([card(graph_svg(Graph.from_mol(found.core_mol), width=230, height=170), "core")])
    text = f"<div style='font-size:12px;overflow-wrap:anywhere'>{code(found.core_smiles)}</div>\n"
    return f"{note(found.in_words())}{top}{text}{table}{more}{without}"


def _group(smiles: str) -> str:
    """Draw a group, or say that there is none."""
    from rdkit import Chem, rdBase

    if smiles.startswith("[H][*:"):
        return "H"
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles, sanitize=False)
    if mol is None:
        return code(smiles)
    for atom in mol.GetAtoms():
        if atom.GetAtomicNum() == 0 and atom.GetAtomMapNum():
            atom.SetProp("atomLabel", f"R{atom.GetAtomMapNum()}")
    mol.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(mol)
    text = f"<div style='max-width:200px;overflow-wrap:anywhere'>{code(smiles)}</div>"
    return _framed(graph_svg(Graph.from_mol(mol), width=120, height=90)) + text


def _framed(picture: str) -> str:
    return f"<div style='background:#fff;border-radius:6px;line-height:0;display:inline-block'>{picture}</div>"
