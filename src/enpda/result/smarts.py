"""SMARTS of the common part: a pattern that both molecules of a match contain, under its rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from enpda.chem.molecule import complete
from enpda.problem.rules import ATOMS, Rules, classes_of
from enpda.result.chemistry import fragments, molecules, neighbours

if TYPE_CHECKING:
    from rdkit.Chem import Atom, Bond, Mol

    from enpda.result.match import Match

ORGANIC = frozenset({"B", "C", "N", "O", "P", "S", "F", "Cl", "Br", "I"})
"""Elements that SMARTS writes without brackets."""
AROMATIC = frozenset({"B", "C", "N", "O", "P", "S"})
"""Elements with a small letter."""
NAMED = range(2, 113)
"""Atomic numbers whose symbols stand for nothing else: `[H]` is a count, and so is what follows in `[Nh]`."""

BONDS = {1: "-", 2: "=", 3: "#", 4: "$", 12: ":"}
"""Bonds by RDKit's bond type. Others are written `~`: SMARTS has no sign for them, or one that has a direction."""

PRIMITIVES: dict[str, Callable[[int], str]] = {
    "charge": lambda value: f"{value:+d}",
    "isotope": lambda value: f"{value}*",
    "hydrogens": lambda value: f"H{value}",
    "aromatic": lambda value: "a" if value else "A",
    "ring": lambda value: "R" if value else "!R",
    "degree": lambda value: f"D{value}",
    "valence": lambda value: f"v{value}",
}
"""How SMARTS says what the rules compare."""
READ: dict[str, Callable[[Atom], int]] = {
    **ATOMS,
    "ring": lambda atom: int(atom.IsInRing()),
    "degree": lambda atom: int(atom.GetDegree()),
}


def ordered_smarts(match: Match) -> tuple[str, list[int]]:
    """Write the common part as SMARTS; return it with a's node of each of its atoms.

    Only what the two molecules agree on and the rules ask for is written: elements, aromaticity where both atoms have
    the same, shared bonds. Pieces are joined by `.`, the largest first. Empty when nothing is shared.

    Raises
    ------
    InputError
        When one of the graphs is no molecule.

    Examples
    --------
    >>> import enpda
    >>> from enpda.result.smarts import ordered_smarts
    >>> ordered_smarts(enpda.match("CC(=O)OC", "CC(=O)O"))
    ('C-C(=O)-O', [0, 1, 2, 3])
    """
    a, b = map(complete, molecules(match))
    rules = match.rules or Rules()
    own = _classes(a, b, rules)
    near = neighbours(match)

    def atom(i: int) -> str:
        return _atom(a.GetAtomWithIdx(i), b.GetAtomWithIdx(match.index_mapping[i]), rules, *own(i))

    def bond(i: int, k: int) -> str:
        there = b.GetBondBetweenAtoms(match.index_mapping[i], match.index_mapping[k])
        return _bond(a.GetBondBetweenAtoms(i, k), there, rules)

    texts, order = [], []
    for piece in fragments(match):
        text, nodes = written(piece[0], near, atom, bond)
        texts.append(text)
        order.extend(nodes)
    return ".".join(texts), order


def _classes(a: Mol, b: Mol, rules: Rules) -> Callable[[int], tuple[str | None, list[str]]]:
    """Return a function from a's nodes: the pattern an atom belongs to, if any, and those it must not belong to.

    A class that no atom of that element is in, in either molecule, goes without saying.
    """
    patterns = [_bare(pattern) for pattern in rules.equivalent]
    member = classes_of(a, patterns)
    held: list[set[int]] = [set() for _ in patterns]
    for mol, own in ((a, member), (b, classes_of(b, patterns))):
        for atom, at in zip(mol.GetAtoms(), own.tolist(), strict=True):
            if at >= 0:
                held[at].add(atom.GetAtomicNum())

    def of(i: int) -> tuple[str | None, list[str]]:
        at = int(member[i])
        if at >= 0:
            return patterns[at], [patterns[k] for k in range(at) if held[k]]
        element = a.GetAtomWithIdx(i).GetAtomicNum()
        near = held if "element" not in rules.atoms else [elements & {element} for elements in held]
        return None, [pattern for pattern, elements in zip(patterns, near, strict=True) if elements]

    return of


def _bare(pattern: str) -> str:
    """Return a pattern without the name or extension that may follow it."""
    return pattern.split()[0]


def _atom(one: Atom, other: Atom, rules: Rules, pattern: str | None, not_in: list[str]) -> str:
    parts: list[str] = []
    if pattern is not None:
        parts.append(f"$({pattern})")
    elif "element" in rules.atoms:
        parts.append(_element(one, other))
    parts += [PRIMITIVES[name](READ[name](one)) for name in rules.atoms if name != "element"]
    parts += [f"!$({other_pattern})" for other_pattern in not_in]
    if not parts:
        return "*"
    if pattern is not None and len(parts) == 1:
        return pattern
    if len(parts) == 1 and parts[0].title() in ORGANIC:
        return parts[0]
    return f"[{';'.join(parts)}]"


def _element(one: Atom, other: Atom) -> str:
    """Write the element, with a capital or small letter where both atoms agree on aromaticity."""
    number, symbol = one.GetAtomicNum(), one.GetSymbol()
    if one.GetIsAromatic() != other.GetIsAromatic() or number not in NAMED:
        return f"#{number}"
    if not one.GetIsAromatic():
        return str(symbol)
    return symbol.lower() if symbol in AROMATIC else f"#{number};a"


def _bond(one: Bond, other: Bond, rules: Rules) -> str:
    order = "~" if rules.bonds == "any" else BONDS.get(int(one.GetBondType()), "~")
    if not rules.ring_bonds or one.IsInRing() != other.IsInRing():  # RDKit's rings leave out dative bonds, ours do not
        return order
    ring = "@" if one.IsInRing() else "!@"
    return ring if order == "~" else f"{order};{ring}"


def written(
    root: int, near: dict[int, list[int]], atom: Callable[[int], str], bond: Callable[[int, int], str]
) -> tuple[str, list[int]]:
    """Write one connected piece from `root`, without recursion; return the text and the order of its nodes."""
    tree = _tree(root, near)
    parent = {child: v for v, children in tree.items() for child in children}
    text, order = [], []
    open_at: dict[tuple[int, int], int] = {}
    todo: list[str | int] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            text.append(item)
            continue
        v = item
        text.append((bond(parent[v], v) if v in parent else "") + atom(v))
        order.append(v)
        closing = [w for w in near[v] if (w, v) in open_at]
        for w in near[v]:
            if w not in closing and w != parent.get(v) and w not in tree[v]:
                open_at[v, w] = next(k for k in range(1, len(open_at) + 2) if k not in open_at.values())
                text.append(bond(v, w) + _digit(open_at[v, w]))
        text.extend(_digit(open_at.pop((w, v))) for w in closing)
        for at, child in enumerate(reversed(tree[v])):
            todo += [child] if at == 0 else [")", child, "("]
    return "".join(text), order


def _tree(root: int, near: dict[int, list[int]]) -> dict[int, list[int]]:
    """Return a depth-first tree as children of each node, the child with most nodes below it last."""
    tree: dict[int, list[int]] = {root: []}
    rest = {v: iter(near[v]) for v in near}
    below: dict[int, int] = {}
    path = [root]
    while path:
        v = path[-1]
        fresh = next((w for w in rest[v] if w not in tree), None)
        if fresh is None:
            tree[v].sort(key=lambda w: below[w])
            below[v] = 1 + sum(below[w] for w in tree[v])
            path.pop()
        else:
            tree[v].append(fresh)
            tree[fresh] = []
            path.append(fresh)
    return tree


def _digit(number: int) -> str:
    return str(number) if number < 10 else f"%{number}" if number < 100 else f"%({number})"
