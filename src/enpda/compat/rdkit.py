"""`FindMCES` in the shape of RDKit's RASCAL, with a proof behind every answer that is not marked as timed out."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from enpda import _core
from enpda.checks import real, whole
from enpda.errors import InputError, brief
from enpda.given import as_graph
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.problem.thresholds import similarity
from enpda.result.match import CAPS, Match
from enpda.solve.matching import mapping_of, match
from enpda.solve.optima import MAX_OPTIMA, enumerate_optima
from enpda.solve.options import Method

if TYPE_CHECKING:
    from rdkit.Chem import Mol

# Names are RDKit's own, so that code written for it runs unchanged.
# ruff: noqa: N802, N815

MOST = 2**31 - 1


@dataclass
class RascalOptions:
    """Options under the names of RDKit's `RascalOptions`, with its defaults; that class is accepted as well.

    What differs from RASCAL is told in docs/coming-from-rascal.md.

    Parameters
    ----------
    similarityThreshold : float
        Pairs with a smaller Johnson similarity give no result: no common part with the most bonds has atoms enough.
    completeAromaticRings : bool
        Aromatic bonds are shared in whole rings only.
    completeSmallestRings : bool
        All ring bonds are shared in whole rings only.
    ringMatchesRingOnly : bool
        Ring bonds match ring bonds only.
    exactConnectionsMatch : bool
        Matched atoms have equally many neighbours.
    singleLargestFrag : bool
        The common part is one piece, and the largest there is (RDKit keeps the largest piece of some optimum).
    minFragSize : int
        Atoms of a piece, at least; -1 for any.
    maxFragSeparation : int
        How much the distances of shared bonds may differ between the molecules, and how many bonds may lie between
        pieces of the common part; -1 for any. `match` then has the bounds of the pair without it. Not together with
        `allBestMCESs`.
    allBestMCESs : bool
        All optima, not one: every set of pairs of shared bonds.
    maxBestMCESs : int
        Of those, at most so many.
    timeout : int
        Seconds for everything; -1 for no limit.
    returnEmptyMCES : bool
        Whether an excluded pair gives a result without matches instead of none.
    maxBondMatchPairs : int
        Accepted and ignored: no pair is left out for its size.
    equivalentAtoms : str
        SMARTS patterns separated by blanks; atoms that match the same one count as the same.
    ignoreBondOrders : bool
        Any bond matches any bond.
    ignoreAtomAromaticity : bool
        Whether an aromatic atom matches one that is not.
    minCliqueSize : int
        Above 0: pairs that share fewer bonds give no result, whatever `similarityThreshold` is.
    """

    similarityThreshold: float = 0.7
    completeAromaticRings: bool = True
    completeSmallestRings: bool = False
    ringMatchesRingOnly: bool = False
    exactConnectionsMatch: bool = False
    singleLargestFrag: bool = False
    minFragSize: int = -1
    maxFragSeparation: int = -1
    allBestMCESs: bool = False
    maxBestMCESs: int = 10_000
    timeout: int = 60
    returnEmptyMCES: bool = False
    maxBondMatchPairs: int = 1_000
    equivalentAtoms: str = ""
    ignoreBondOrders: bool = False
    ignoreAtomAromaticity: bool = True
    minCliqueSize: int = 0

    @classmethod
    def of(cls, given: Any) -> RascalOptions:
        """Take RDKit's own options, ours, or nothing, and check the values."""
        names = [entry.name for entry in fields(cls)]
        given = cls() if given is None else given
        missing = [name for name in names if not hasattr(given, name)]
        if missing:
            raise InputError(f"opts must be RascalOptions, RDKit's or ours; {brief(given)} has no {missing[0]}")
        unknown = sorted(vars(given).keys() - set(names)) if isinstance(given, cls) else []
        if unknown:
            raise InputError(f"RascalOptions have no {unknown[0]}; they have {', '.join(names)}")
        options = cls(**{name: getattr(given, name) for name in names})
        options._check()
        return options

    def _check(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(entry.default, bool) and not isinstance(value, (bool, np.bool_)):
                raise InputError(f"{entry.name} must be True or False; got {brief(value)}")
        real("similarityThreshold", self.similarityThreshold, -math.inf, math.inf)
        for name in ("minFragSize", "maxFragSeparation", "timeout", "minCliqueSize"):
            whole(name, getattr(self, name), -1, MOST)
        for name in ("maxBestMCESs", "maxBondMatchPairs"):
            whole(name, getattr(self, name), 1, MOST)
        if self.maxFragSeparation >= 0 and self.allBestMCESs:
            raise InputError(f"allBestMCESs needs maxFragSeparation -1; got {self.maxFragSeparation}")

    def rules(self) -> Rules | None:
        """Return what counts as the same."""
        atoms = ["element"]
        atoms += ["degree"] * self.exactConnectionsMatch + ["aromatic"] * (not self.ignoreAtomAromaticity)
        rules = Rules(
            atoms=atoms,
            bonds="any" if self.ignoreBondOrders else "order",
            ring_bonds=self.ringMatchesRingOnly,
            equivalent=self.equivalentAtoms,
        )
        return None if rules == Rules() else rules

    def constraints(self) -> Constraints | None:
        """Return what the common part must be."""
        constraints = Constraints(
            rings="all" if self.completeSmallestRings else "aromatic" if self.completeAromaticRings else "none",
            connected=bool(self.singleLargestFrag),
            min_fragment=max(self.minFragSize, 0),
        )
        return None if constraints == Constraints() else constraints

    def least(self) -> tuple[int, float]:
        """Return the bonds and the similarity that a pair needs to be reported; one of them is 0."""
        return (self.minCliqueSize, 0.0) if self.minCliqueSize > 0 else (0, max(float(self.similarityThreshold), 0.0))


class RascalResult:
    """One common part, with the accessors of RDKit's `RascalResult`; it can be pickled.

    Parameters
    ----------
    match : Match or None
        Everything else there is to know; None for a pair that was excluded.
    tiers : (float, float)
        What cheap bounds, and what all bounds, leave of the similarity.
    timedOut : bool
        Whether time ended before the proof, or before all optima were found.
    """

    def __init__(self, match: Match | None, tiers: tuple[float, float], timedOut: bool = False) -> None:  # noqa: N803
        self.match = match
        self.tier1Sim, self.tier2Sim = tiers
        self.timedOut = timedOut

    @property
    def smartsString(self) -> str:
        """SMARTS of the common part; empty when there is none."""
        return self.match.smarts if self.match is not None and self.match.size else ""

    def bondMatches(self) -> list[tuple[int, int]]:
        """Return the indices of matched bonds, in the order of the first molecule."""
        return [] if self.match is None else sorted(self.match.bond_map)

    def atomMatches(self) -> list[tuple[int, int]]:
        """Return the indices of matched atoms, in the order of the first molecule."""
        return [] if self.match is None else self.match.atom_map

    @property
    def similarity(self) -> float:
        """Johnson similarity."""
        return 0.0 if self.match is None else self.match.similarity

    @property
    def numFragments(self) -> int:
        """Pieces of the common part."""
        return 0 if self.match is None else len(self.match.fragments)

    @property
    def largestFragmentSize(self) -> int:
        """Atoms of the largest piece."""
        return 0 if self.match is None else max(map(len, self.match.fragments), default=0)

    def largestFragmentOnly(self) -> None:
        """Keep the largest piece only; the bounds stay those of the whole, so `match` is no longer proven optimal."""
        if self.match is None or len(self.match.fragments) < 2:
            return
        self.match = _with_mapping(self.match, {i: self.match.index_mapping[i] for i in self.match.fragments[0]})


def FindMCES(mol1: Mol, mol2: Mol, opts: Any = None) -> list[RascalResult]:
    """Find the maximum common edge subgraph of two molecules.

    Parameters
    ----------
    mol1, mol2 : Mol
        The molecules.
    opts : RascalOptions, optional
        RDKit's or ours.

    Returns
    -------
    list of RascalResult
        Empty when nothing is shared, or not enough, and `returnEmptyMCES` is not set. A pair that could not be decided
        in time always gives a result, with the best mapping so far and `timedOut`.

    Examples
    --------
    >>> from rdkit import Chem
    >>> from enpda.compat.rdkit import FindMCES, RascalOptions
    >>> aspirin, paracetamol = (Chem.MolFromSmiles(s) for s in ("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"))
    >>> found = FindMCES(aspirin, paracetamol, RascalOptions(similarityThreshold=0.0))
    >>> len(found[0].bondMatches()), found[0].numFragments
    (9, 2)
    """
    begin = time.perf_counter()
    asked = RascalOptions.of(opts)
    rules, constraints = asked.rules(), asked.constraints()
    a, b = as_graph(mol1), as_graph(mol2)

    def left() -> float | None:
        return None if asked.timeout < 0 else max(asked.timeout - (time.perf_counter() - begin), 1e-3)

    def late() -> bool:
        return asked.timeout >= 0 and time.perf_counter() - begin >= asked.timeout

    def solved(method: Method = "exact", **question: Any) -> Match:
        found = match(a, b, method, left(), rules=rules, constraints=constraints, **question)
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
        return found

    def excluded(found: Match) -> list[RascalResult]:
        return [RascalResult(None, _tiers(found))] if asked.returnEmptyMCES else []

    bonds, threshold = asked.least()

    def most_similar(found: Match) -> float:
        """Bound the similarity of every part with as many bonds."""
        return similarity(found.size + found.nodes_upper, a, b)

    first = None
    if bonds or threshold:
        first = solved(min_size=bonds or None, min_similarity=min(threshold, 1.0) or None)
        if first.status == "below_threshold" or (first.optimal and most_similar(first) < threshold):
            return excluded(first)
    if asked.maxFragSeparation >= 0:
        whole = solved("fast")
        part, certain = _near_part(whole, asked.maxFragSeparation, left())
        enough = part.size >= max(bonds, 1) and part.similarity >= threshold
        return [RascalResult(part, _tiers(whole), not certain)] if enough or not certain else excluded(whole)
    # The question ends with any answer that is large enough; the optimum is the same without it.
    best = solved()
    if best.optimal and best.similarity < threshold <= most_similar(best):  # atoms decide
        more = solved(most_nodes=True)
        best = more if more.optimal else best
    if first is not None and first.size > best.size:  # time ended in between
        best = first
    tiers = _tiers(best)
    if not best.optimal or best.similarity < threshold <= most_similar(best):
        return [RascalResult(best, tiers, timedOut=True)]
    if best.size < max(bonds, 1) or best.similarity < threshold:
        return excluded(best)
    if not asked.allBestMCESs:
        return [RascalResult(best, tiers)]
    most = min(asked.maxBestMCESs, MAX_OPTIMA)
    optima = enumerate_optima(a, b, most, left(), rules=rules, constraints=constraints, distinct="edges")
    cut = not optima.complete and late()
    # RASCAL's order. What has enough atoms is among them, even when there are more than were asked for.
    listed = sorted((m for m in optima if m.optimal), key=lambda m: (len(m.fragments), -len(m.fragments[0])))
    if all(found.similarity < threshold for found in listed):
        listed.insert(0, best)
    return [RascalResult(found, tiers, cut) for found in listed[:most]]


def _near_part(whole: Match, most: int, time_limit: float | None) -> tuple[Match, bool]:
    """Find the largest part whose bonds keep their distances and whose pieces are near, and whether that is certain.

    RDKit holds to the distances while it looks for a common part, and afterwards drops the smaller of two pieces that
    are too far apart; here both holds for what is looked for.
    """
    seen, limit = whole.problem, -1.0 if time_limit is None else time_limit
    image, certain = _core.agreeing_part(seen.a.core, seen.b.core, most, limit, seen.terms, seen.constraint)
    return _with_mapping(whole, mapping_of(image)), certain


def _with_mapping(whole: Match, mapping: dict[int, int]) -> Match:
    """Return a part of a match, or another one; the bounds stay those of the whole."""
    return whole.replaced(mapping=mapping, nodes_upper=None)


def _tiers(found: Match) -> tuple[float, float]:
    """Bound the similarity by cheap bounds and by all, with as many nodes as the smaller molecule has."""

    def bounded(edges: int) -> float:
        nodes = min(len(found.a), len(found.b), 2 * edges)
        return min(similarity(nodes + edges, found.a, found.b), 1.0)

    cheap = min((value for name, value in found.bounds.items() if name in CAPS), default=found.upper)
    return bounded(cheap), bounded(found.upper)
