"""What turns the first molecule of a match into the second: a matched pair's transformation as SMIRKS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from enpda.chem.molecule import from_ordered_smiles, ordered_smiles
from enpda.result.chemistry import numbers
from enpda.result.smarts import AROMATIC, BONDS, NAMED, ORGANIC, written

if TYPE_CHECKING:
    from rdkit.Chem import Atom, Mol

    from enpda.result.match import Match

Edge = tuple[int, int]

SIGNS = {0: "", 1: "+", -1: "-"}
MOST_POINTS = 12
"""Attachment points of a transformation that is written: with more it is no longer one that anybody would read."""
MOST_ATOMS = 200
"""Atoms of either molecule: larger ones are seldom pairs, and what RDKit takes grows."""
TAG = 1_000
"""More than any isotope."""


def transformation(match: Match) -> tuple[str | None, str]:
    """Write what changes as SMIRKS, and apply it to the first molecule to see whether the second comes out.

    What is not shared stands on both sides, with the matched atoms it hangs on as attachment points; these carry the
    numbers that they have in the picture and in `Match.mapped_smiles`. Everything else stays as it is. Stereo marks
    are neither written nor compared, for a match does not look at them.

    Returns
    -------
    (str, str) or (None, str)
        The SMIRKS and an empty reason, or None and the reason why there is none: it is given only when RDKit, applying
        it to the first molecule, makes the second.

    Examples
    --------
    >>> import enpda
    >>> transformation(enpda.match("OC(=O)c1ccccc1O", "CC(=O)Oc1ccccc1C(=O)O"))
    ('[OH:10]>>[O:10]-C(-C)=O', '')
    >>> transformation(enpda.match("CCO", "CCO"))
    (None, 'nothing changes')
    >>> transformation(enpda.match("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"))
    (None, 'nothing changes but stereo, which is not looked at')
    """
    from rdkit import rdBase

    if not (match.a.is_molecule and match.b.is_molecule):
        return None, "only molecules have one"
    if not match.index_mapping:
        return None, "nothing is shared that could stay"
    if max(len(match.a), len(match.b)) > MOST_ATOMS:
        return None, f"it is written for at most {MOST_ATOMS} atoms"
    a, b = _usual(match.a.mol), _usual(match.b.mol)
    if a is None or b is None:
        return None, "one of the molecules is so odd that SMILES cannot say it"

    own, other = numbers(match)
    kept = {frozenset(left) for left, _ in match.index_edges}, {frozenset(right) for _, right in match.index_edges}
    lost = [_others(mol, same) for mol, same in zip((a, b), kept, strict=True)]
    with rdBase.BlockLogs():
        try:
            points = {own[i] for edge in lost[0] for i in edge if i in own}
            points |= {other[j] for edge in lost[1] for j in edge if j in other}
            changed = {own[i] for i, j in match.index_mapping.items() if _said(a, i) != _said(b, j)}
            charged = {own[i] for i, j in match.index_mapping.items() if _said(a, i)[0] != _said(b, j)[0]}
            points |= changed
            if not points and not lost[0] and not lost[1] and _canonical(a) == _canonical(b):
                same = _canonical(a, stereo=True) == _canonical(b, stereo=True)
                return None, "nothing changes" if same else "nothing changes but stereo, which is not looked at"
            if len(points) > MOST_POINTS:
                return None, f"the change has {len(points)} attachment points, more than {MOST_POINTS}"
            for full in (False, True):  # as short as it can be said
                looked_for = _Writer(own, changed, charged, made=False, full=full)
                left, tagged = (
                    _side(a, own, points, writer) for writer in (looked_for, replace(looked_for, tags=True))
                )
                right = _side(b, other, points, _Writer(other, changed, charged, made=True, full=full))
                if left and right and _leads(_smirks(tagged, right), a, b):
                    return _smirks(left, right), ""
            return None, "RDKit, applying it to the first molecule, does not make the second"
        except (ValueError, RuntimeError) as error:
            return None, f"RDKit cannot do it: {(str(error).strip() or type(error).__name__).splitlines()[0]}"


def _usual(mol: Mol) -> Mol | None:
    """Return a molecule as RDKit reads it from its SMILES, with the same atoms; None when it does not."""
    said = ordered_smiles(mol)
    if said is None:
        return None
    again, oddity = from_ordered_smiles(*said)
    return again if oddity is None else None


def _others(mol: Mol, kept: set[frozenset[int]]) -> list[Edge]:
    """Return the bonds that are not shared."""
    ends = ((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds())
    return [edge for edge in ends if frozenset(edge) not in kept]


def _said(mol: Mol, index: int) -> tuple[int, int, int, bool]:
    """Return what two matched atoms may differ in."""
    atom = mol.GetAtomWithIdx(index)
    return atom.GetFormalCharge(), atom.GetTotalNumHs(includeNeighbors=True), atom.GetIsotope(), atom.GetIsAromatic()


def _side(mol: Mol, own: dict[int, int], points: set[int], atom: Callable[[Atom], str]) -> str:
    """Write one side: what is not matched, the attachment points, and the bonds among them."""
    chosen = [v for v in range(mol.GetNumAtoms()) if v not in own or own[v] in points]
    inside = set(chosen)
    near = {v: sorted(w for w in _neighbours(mol, v) if w in inside) for v in chosen}

    def bond(u: int, v: int) -> str:
        return BONDS.get(int(mol.GetBondBetweenAtoms(u, v).GetBondType()), "~")

    pieces = []
    seen: set[int] = set()
    for root in sorted(chosen, key=lambda v: own.get(v, len(own) + 1 + v)):
        if root not in seen:
            text, order = written(root, near, lambda v: atom(mol.GetAtomWithIdx(v)), bond)
            pieces.append(text)
            seen.update(order)
    return ".".join(pieces)


def _neighbours(mol: Mol, index: int) -> Iterable[int]:
    return (other.GetIdx() for other in mol.GetAtomWithIdx(index).GetNeighbors())


@dataclass(frozen=True)
class _Writer:
    """How the atoms of one side are written: of that which is looked for, or of that which is `made`.

    All bonds of an atom that goes are there: with its hydrogens, if it has any, it has no room for a neighbour that
    nobody wrote. Hydrogens that are made go without saying where RDKit counts them itself.
    """

    own: dict[int, int]
    changed: set[int]
    """Numbers of the atoms that differ."""
    charged: set[int]
    """Of those, the ones that differ in charge."""
    made: bool
    full: bool
    """Whether everything is said that changes, zeros too."""
    tags: bool = False
    """Whether each atom is told from all others by an isotope that is its own: `TAG` and its index."""

    def __call__(self, atom: Atom) -> str:
        number = self.own.get(atom.GetIdx())
        symbol, isotope, charge = _symbol(atom), str(atom.GetIsotope() or ""), atom.GetFormalCharge()
        isotope = str(TAG + atom.GetIdx()) if self.tags else isotope
        hydrogens = self._hydrogens(atom, number)
        charges = SIGNS.get(charge, f"{charge:+d}")
        if number in self.charged and not charge and (self.made or self.full):
            charges = "+0"
        if number is None and not (isotope or hydrogens or charges) and symbol.title() in ORGANIC:
            return symbol
        return f"[{isotope}{symbol}{hydrogens}{charges}{'' if number is None else f':{number}'}]"

    def _hydrogens(self, atom: Atom, number: int | None) -> str:
        count = atom.GetTotalNumHs(includeNeighbors=True)
        fixed = bool(atom.GetNoImplicit() or atom.GetIsAromatic())
        if number is None:
            told = count > 0 and (fixed or not self.made)
        elif self.full:
            told = number in self.changed
        else:
            told = number in self.changed and count > 0 and (fixed or not self.made)
        return "" if not told else "H" if count == 1 else f"H{count}"


def _symbol(atom: Atom) -> str:
    symbol = str(atom.GetSymbol())
    if atom.GetAtomicNum() not in NAMED or (atom.GetIsAromatic() and symbol not in AROMATIC):
        return f"#{atom.GetAtomicNum()}"
    return symbol.lower() if atom.GetIsAromatic() else symbol


def _smirks(left: str, right: str) -> str:
    return ">>".join(f"({side})" if "." in side else side for side in (left, right))


def _leads(smirks: str, a: Mol, b: Mol) -> bool:
    """Tell whether a SMIRKS with tags makes b of a, stereo marks aside.

    Tags leave one place to apply it: without them there may be any number, and it would be a matter of luck, and of
    minutes, to come upon the right one.
    """
    from rdkit import Chem
    from rdkit.Chem import rdChemReactions

    reaction = rdChemReactions.ReactionFromSmarts(smirks)
    reaction.Initialize()
    start = Chem.Mol(a)
    for atom in start.GetAtoms():
        atom.SetAtomMapNum(0)
        atom.SetIsotope(TAG + atom.GetIdx())
    for products in reaction.RunReactants((start,), maxProducts=1):
        whole = products[0]
        for part in products[1:]:
            whole = Chem.CombineMols(whole, part)
        for atom in whole.GetAtoms():
            if atom.GetIsotope() >= TAG:
                atom.SetIsotope(a.GetAtomWithIdx(atom.GetIsotope() - TAG).GetIsotope())
        try:
            return _canonical(whole) == _canonical(b)
        except (ValueError, RuntimeError):  # what it makes is no molecule
            return False
    return False


def _canonical(mol: Mol, stereo: bool = False) -> str:
    """Return canonical SMILES without atom maps and, unless they are wanted, without stereo marks."""
    from rdkit import Chem

    mol = Chem.Mol(mol)
    for atom in mol.GetAtoms():
        atom.SetAtomMapNum(0)
    Chem.SanitizeMol(mol)
    if not stereo:
        Chem.RemoveStereochemistry(mol)
    return str(Chem.MolToSmiles(Chem.MolFromSmiles(Chem.MolToSmiles(mol))))
