"""`FindMCES` in the shape of RDKit's RASCAL, with a proof behind every answer that is not marked as timed out."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from enpda.constraints import Constraints
from enpda.errors import InputError, brief
from enpda.matching import match
from enpda.optima import enumerate_optima
from enpda.result import Match
from enpda.rules import Rules

if TYPE_CHECKING:
    from rdkit.Chem import Mol

# Names are RDKit's own, so that code written for it runs unchanged.
# ruff: noqa: N802, N815


@dataclass
class RascalOptions:
    """Options under the names of RDKit's `RascalOptions`, with its defaults; that class is accepted as well.

    Parameters
    ----------
    similarityThreshold : float
        Pairs with a smaller Johnson similarity give no result.
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
        Not available here: anything but -1 is refused.
    allBestMCESs : bool
        All optima, up to symmetry, not one.
    maxBestMCESs : int
        Of those, at most so many.
    timeout : int
        Seconds; -1 for no limit.
    returnEmptyMCES : bool
        Whether a pair below a threshold gives a result without matches instead of none.
    maxBondMatchPairs : int
        Accepted and ignored: no pair is left out for its size.
    equivalentAtoms : str
        SMARTS patterns separated by blanks; atoms that match the same one count as the same.
    ignoreBondOrders : bool
        Any bond matches any bond.
    ignoreAtomAromaticity : bool
        Whether an aromatic atom matches one that is not.
    minCliqueSize : int
        Pairs that share fewer bonds give no result.
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
        """Take RDKit's own options, ours, or nothing."""
        if given is None or isinstance(given, cls):
            return given or cls()
        names = [entry.name for entry in fields(cls)]
        missing = [name for name in names if not hasattr(given, name)]
        if missing:
            raise InputError(f"options must be RascalOptions; {brief(given)} has no {missing[0]}")
        return cls(**{name: getattr(given, name) for name in names})

    def rules(self) -> Rules | None:
        """Return what counts as the same."""
        atoms = ["element"]
        atoms += ["degree"] * self.exactConnectionsMatch + ["aromatic"] * (not self.ignoreAtomAromaticity)
        rules = Rules(
            atoms=atoms,
            bonds="any" if self.ignoreBondOrders else "order",
            ring_bonds=bool(self.ringMatchesRingOnly),
            equivalent=self.equivalentAtoms,
        )
        return None if rules == Rules() else rules

    def constraints(self) -> Constraints | None:
        """Return what the common part must be."""
        if self.maxFragSeparation >= 0:
            raise InputError(
                f"maxFragSeparation is not available here (got {self.maxFragSeparation}, use -1); "
                "minFragSize and singleLargestFrag limit fragments"
            )
        constraints = Constraints(
            rings="all" if self.completeSmallestRings else "aromatic" if self.completeAromaticRings else "none",
            connected=bool(self.singleLargestFrag),
            min_fragment=max(int(self.minFragSize), 0),
        )
        return None if constraints == Constraints() else constraints


class RascalResult:
    """One common part, with the accessors of RDKit's `RascalResult`; it can be pickled.

    Attributes
    ----------
    match : Match or None
        Everything else there is to know; None when a threshold excluded the pair before anything was looked at.
    """

    def __init__(self, match: Match | None, bound: float = -1.0) -> None:
        self.match = match
        self._bound = bound
        self._timed_out = match is not None and not match.optimal

    @property
    def smartsString(self) -> str:
        """SMARTS of the common part; empty when there is none."""
        return self.match.smarts if self.match is not None and self.match.size else ""

    def bondMatches(self) -> list[tuple[int, int]]:
        """Return the indices of matched bonds."""
        return [] if self.match is None else list(self.match.bond_map)

    def atomMatches(self) -> list[tuple[int, int]]:
        """Return the indices of matched atoms."""
        return [] if self.match is None else list(self.match.atom_map)

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

    @property
    def tier1Sim(self) -> float:
        """The similarity that cheap bounds do not exclude; RDKit's first screen is another such bound."""
        return self._bound

    @property
    def tier2Sim(self) -> float:
        """The same as `tier1Sim`: there is one screen here."""
        return self._bound

    @property
    def timedOut(self) -> bool:
        """Whether time ended before the proof."""
        return self._timed_out

    def largestFragmentOnly(self) -> None:
        """Keep the largest piece only."""
        if self.match is None or len(self.match.fragments) < 2:
            return
        whole, kept = self.match, set(self.match.fragments[0])
        self.match = Match(
            whole.a,
            whole.b,
            {i: j for i, j in whole.mapping.items() if i in kept},
            bounds=whole.bounds,
            method=whole.method,
            seconds=whole.seconds,
            seed=whole.seed,
            stopped=whole.stopped,
            problem=whole.problem,
        )


def FindMCES(mol1: Mol, mol2: Mol, options: Any = None) -> list[RascalResult]:
    """Find the maximum common edge subgraph of two molecules.

    Parameters
    ----------
    mol1, mol2 : Mol
        The molecules.
    options : RascalOptions, optional
        RDKit's or ours.

    Returns
    -------
    list of RascalResult
        Empty when a threshold excludes the pair and `returnEmptyMCES` is not set.

    Examples
    --------
    >>> from rdkit import Chem
    >>> from enpda.compat.rdkit import FindMCES, RascalOptions
    >>> aspirin, paracetamol = (Chem.MolFromSmiles(s) for s in ("CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"))
    >>> found = FindMCES(aspirin, paracetamol, RascalOptions(similarityThreshold=0.0))
    >>> len(found[0].bondMatches()), found[0].numFragments
    (9, 2)
    """
    asked = RascalOptions.of(options)
    rules, constraints = asked.rules(), asked.constraints()
    limit = None if asked.timeout < 0 else max(float(asked.timeout), 1e-3)
    threshold = float(asked.similarityThreshold)
    best = match(
        mol1,
        mol2,
        time_limit=limit,
        min_similarity=min(threshold, 1.0) if threshold > 0 else None,
        rules=rules,
        constraints=constraints,
    )
    bound = _largest_similarity(best)
    excluded = best.status == "below_threshold" or (best.optimal and best.similarity < threshold)
    if excluded or best.size < asked.minCliqueSize or best.size == 0:
        return [RascalResult(None, bound)] if asked.returnEmptyMCES else []
    if threshold > 0 and not best.optimal:  # the threshold is met; how far it goes was not asked before
        best = match(mol1, mol2, time_limit=limit, rules=rules, constraints=constraints)
    if not asked.allBestMCESs:
        return [RascalResult(best, bound)]
    optima = enumerate_optima(mol1, mol2, max(int(asked.maxBestMCESs), 1), limit, rules=rules, constraints=constraints)
    return [RascalResult(found, bound) for found in optima]


def _largest_similarity(found: Match) -> float:
    """Bound the similarity by the proven edges and as many nodes as the smaller molecule has."""
    from enpda.thresholds import similarity

    nodes = min(len(found.a), len(found.b), 2 * found.upper)
    return min(similarity(nodes + found.upper, found.a, found.b), 1.0)
