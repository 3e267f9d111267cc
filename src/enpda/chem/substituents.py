"""What hangs on a core: where a molecule contains it, and the groups at its atoms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enpda.chem.molecule import complete, parse_smiles
from enpda.errors import InputError, brief, unicode_text
from enpda.limits import LIMITS

if TYPE_CHECKING:
    from rdkit.Chem import Mol

MOST_PLACES = 200
"""Ways to find the core in one molecule that are looked at."""
SWEEPS = 10
"""How often choices are looked at again."""
ONLY_SMARTS = re.compile(r"~|\[[^\]]*#\d")
"""What RDKit also takes as SMILES, `[#6]` as a carbon without hydrogens; it takes nothing else that only SMARTS has."""
HYDROGEN = "[H]"
OWN = "_enpda_own"
"""Property of a molecule's own dummy atoms, which are no attachment points."""

Group = tuple[tuple[int, ...], str]
"""The core's atoms that a group hangs on, and its SMILES."""


@dataclass(frozen=True)
class Core:
    """A core to look for.

    Attributes
    ----------
    mol : Mol
        Without attachment points and stereo; a query when it came as SMARTS.
    labels : dict of int to int
        Numbers of the core's atoms that had attachment points of their own: `[*:3]` gives 3.
    molecule : Mol or None
        The core as a molecule, whose elements and bond types count; None when there is only a SMARTS.
    """

    mol: Mol
    labels: dict[int, int]
    molecule: Mol | None


@dataclass(frozen=True)
class Place:
    """One way to see the core in a molecule.

    Attributes
    ----------
    atoms : tuple of int
        The molecule's atom of each atom of the core.
    groups : tuple of (tuple of int, str)
        Every group: the core's atoms that it hangs on, and its SMILES, where `[*:k]` is atom k - 1 of the core.
    """

    atoms: tuple[int, ...]
    groups: tuple[Group, ...]

    @property
    def used(self) -> set[int]:
        """The core's atoms that something hangs on."""
        return {atom for atoms, _ in self.groups for atom in atoms}


def core_of(text: str) -> Core:
    """Read a core from SMILES or, when it is none or says what only SMARTS means, from SMARTS; raises InputError."""
    from rdkit import Chem, rdBase

    text = unicode_text("a core", text).strip()
    reason = ""
    if not ONLY_SMARTS.search(text):
        try:
            mol, _ = parse_smiles(text)
        except InputError as error:
            reason = f" ({error})"
        else:
            return core_from(mol)
    LIMITS.check("smiles", len(text), "the core", "characters")
    with rdBase.BlockLogs():
        query = Chem.MolFromSmarts(text)
    if query is None or not query.GetNumAtoms():
        raise InputError(f"a core is a SMILES or a SMARTS; got {brief(text)}{reason}")
    return core_from_query(query)


def core_from(mol: Mol) -> Core:
    """Make a core of a molecule: dummy atoms at its ends are attachment points."""
    core, labels = _parted(mol, [a.GetIdx() for a in mol.GetAtoms() if a.GetAtomicNum() == 0 and a.GetDegree() == 1])
    core = complete(core)
    return Core(core, labels, core)


def core_from_query(query: Mol, molecule: Mol | None = None) -> Core:
    """Make a core of a SMARTS; `molecule` is the same without its queries, where there is one.

    Only `[*:k]` at an end is an attachment point; `*` is any atom.
    """
    ends = [atom for atom in query.GetAtoms() if atom.GetAtomMapNum() and atom.GetDegree() == 1]
    points = [atom.GetIdx() for atom in ends if atom.GetSmarts() == f"[*:{atom.GetAtomMapNum()}]"]
    core, labels = _parted(query, points)
    return Core(_ringed(core), labels, molecule)


def _parted(mol: Mol, points: Sequence[int]) -> tuple[Mol, dict[int, int]]:
    """Return a core without attachment points, atom maps and stereo, and the numbers that its atoms have from them."""
    from rdkit import Chem

    LIMITS.check("atoms", mol.GetNumAtoms(), "the core", "atoms")
    if mol.GetNumAtoms() == len(points):
        raise InputError("a core needs atoms besides attachment points")
    edit = Chem.RWMol(mol)
    labels: dict[int, int] = {}
    for point in map(edit.GetAtomWithIdx, points):
        (end,), number = point.GetNeighbors(), point.GetAtomMapNum() or point.GetIsotope()
        at = end.GetIdx() - sum(gone < end.GetIdx() for gone in points)
        if not number or end.GetIdx() in points:
            continue
        if labels.setdefault(at, number) != number:
            raise InputError(
                f"an atom of the core has one attachment point, whose column holds all its groups; "
                f"got {labels[at]} and {number} at one {end.GetSymbol()}"
            )
        if list(labels.values()).count(number) > 1:
            raise InputError(f"attachment points of two atoms of the core need two numbers; both have {number}")
    for index in sorted(points, reverse=True):
        edit.RemoveAtom(index)
    for atom in edit.GetAtoms():
        atom.SetAtomMapNum(0)
    Chem.RemoveStereochemistry(edit)  # it is not looked at, and so it is not told
    return edit.GetMol(), labels


def _ringed(mol: Mol) -> Mol:
    from rdkit import Chem

    mol.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(mol)
    return mol


def places(core: Core, mol: Mol) -> list[Place]:
    """Return the different ways to see a core in a molecule; none when it does not contain it."""
    from rdkit import rdBase

    try:
        mol = complete(mol)
    except InputError:  # RDKit knows no valences for some of its bonds, and so looks for nothing
        return []
    with rdBase.BlockLogs():
        found = mol.GetSubstructMatches(core.mol, uniquify=False, maxMatches=MOST_PLACES)
        result: dict[tuple[Group, ...], Place] = {}
        for atoms in found:
            groups = tuple(sorted([*_groups(core.mol, mol, atoms), *_closures(core.mol, mol, atoms)]))
            result.setdefault(groups, Place(tuple(atoms), groups))
    return list(result.values())


def _groups(core: Mol, mol: Mol, atoms: Sequence[int]) -> Iterable[Group]:
    from rdkit import Chem

    mol, opened = _opened(mol, set(atoms))
    for atom in mol.GetAtoms():
        if atom.GetAtomicNum() == 0:
            atom.SetBoolProp(OWN, True)
    rest = Chem.ReplaceCore(mol, core, tuple(atoms), replaceDummies=True, labelByIndex=True)
    if rest is None:
        return
    for piece in Chem.GetMolFrags(rest, asMols=True, sanitizeFrags=False):
        if opened:
            Chem.SanitizeMol(piece, catchErrors=True)  # rings that are whole are aromatic again
        ends = []
        for atom in piece.GetAtoms():
            atom.SetAtomMapNum(0)
            if atom.GetAtomicNum() == 0 and not atom.HasProp(OWN):
                ends.append(atom.GetIsotope())
                atom.SetAtomMapNum(atom.GetIsotope() + 1)
                atom.SetIsotope(0)
        if ends:  # a salt hangs on nothing
            yield tuple(sorted(set(ends))), str(Chem.MolToSmiles(piece))


def _opened(mol: Mol, core: set[int]) -> tuple[Mol, bool]:
    """Return a copy in Kekulé form if the core cuts aromatic rings, and whether it does: half a ring is not aromatic.

    If possible groups hang on the core by single bonds, as those of naphthalene on benzene: `C=CC=C`.
    """
    from rdkit import Chem

    ends = ((bond.GetIdx(), bond.GetBeginAtomIdx() in core, bond.GetEndAtomIdx() in core) for bond in mol.GetBonds())
    cut = [index for index, start, end in ends if start != end and mol.GetBondWithIdx(index).GetIsAromatic()]
    if not cut:
        return Chem.Mol(mol), False
    for single in (cut, []):
        result = Chem.Mol(mol)
        for bond in map(result.GetBondWithIdx, single):
            bond.SetBondType(Chem.BondType.SINGLE)
            bond.SetIsAromatic(False)
        try:
            Chem.Kekulize(result, clearAromaticFlags=True)
        except (ValueError, RuntimeError):
            continue
        return result, True
    return Chem.Mol(mol), False


def _closures(core: Mol, mol: Mol, atoms: Sequence[int]) -> Iterable[Group]:
    """Bonds between two atoms of the core that the core does not have."""
    at = {atom: k for k, atom in enumerate(atoms)}
    signs = {1.0: "", 2.0: "=", 3.0: "#", 1.5: ":"}
    for bond in mol.GetBonds():
        ends = sorted(at[v] for v in (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) if v in at)
        if len(ends) == 2 and core.GetBondBetweenAtoms(*ends) is None:
            yield (ends[0], ends[1]), f"[*:{ends[0] + 1}]{signs.get(bond.GetBondTypeAsDouble(), '~')}[*:{ends[1] + 1}]"


def chosen(options: Sequence[Sequence[Place]]) -> list[Place | None]:
    """Choose one place for each molecule so that groups stand at as few atoms of the core as possible.

    A symmetric core can be seen in several ways. Molecules with one way only come first; then each is seen so that
    its groups stand where others have theirs, and most of all where others have the same; again until nothing changes.
    """
    at: Counter[int] = Counter()
    same: Counter[Group] = Counter()
    choice: list[Place | None] = [None] * len(options)

    def count(place: Place, step: int) -> None:
        for atom in place.used:
            at[atom] += step
        for group in place.groups:
            same[group] += step

    def best(ways: Sequence[Place]) -> Place:
        return max(
            ways,
            key=lambda place: (
                -sum(at[atom] == 0 for atom in place.used),
                sum(same[group] for group in place.groups),
                sum(at[atom] for atom in place.used),
                [-atom for atom in sorted(place.used)],
            ),
        )

    for _ in range(SWEEPS):
        changed = False
        for k in sorted(range(len(options)), key=lambda k: len(options[k])):
            if not options[k]:
                continue
            before = choice[k]
            if before is not None:
                count(before, -1)
            now = best(options[k])
            count(now, 1)
            changed |= now is not before
            choice[k] = now
        if not changed:
            break
    return choice


def numbered(core: Core, placed: Iterable[Place]) -> dict[int, int]:
    """Return the number of each position, core's atom -> number: as its attachment point says, else in order."""
    used = sorted({atom for place in placed for atom in place.used})
    numbers = {atom: core.labels[atom] for atom in core.labels}
    free = (k for k in range(1, len(used) + len(numbers) + 1) if k not in set(numbers.values()))
    for atom in used:
        if atom not in numbers:
            numbers[atom] = next(free)
    return dict(sorted(numbers.items(), key=lambda pair: pair[1]))


def labelled(core: Core, numbers: Mapping[int, int], charges: Mapping[int, int]) -> Mol:
    """Return the core with an attachment point for each position, drawn as R1, R2 and so on.

    A group takes the place of a hydrogen. Where there is none, as in pyridine, an atom may need a charge to carry one:
    `charges` are those that the molecules have at the core's atoms.
    """
    from rdkit import Chem

    edit = Chem.RWMol(core.mol)
    for atom, number in numbers.items():
        end = edit.GetAtomWithIdx(atom)
        if not end.HasQuery():
            end.SetNumExplicitHs(max(end.GetNumExplicitHs() - 1, 0))
            end.SetFormalCharge(end.GetFormalCharge() or charges.get(atom, 0))
        point = Chem.Atom(0)
        point.SetAtomMapNum(number)
        point.SetProp("atomLabel", f"R{number}")
        edit.AddBond(atom, edit.AddAtom(point), Chem.BondType.SINGLE)
    return _ringed(edit.GetMol())


def renumbered(smiles: str, numbers: dict[int, int]) -> str:
    """Write the numbers of positions in place of the core's atoms."""
    return re.sub(r"\*:(\d+)\]", lambda found: f"*:{numbers[int(found[1]) - 1]}]", smiles)
