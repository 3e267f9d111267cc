"""The myopic MCES distance in the shape of `myopic-mces`, which solves an integer programme for it.

Kretschmer, Seipp, Ludwig, Klau and Böcker: Coverage bias in small molecule machine learning, Nature Communications 16,
554 (2025). Atoms match by element and any bond may match any bond. A matched pair of bonds costs the difference of
their orders and every other bond its order, where an aromatic bond has order 1.5; the distance is the least cost.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from enpda.checks import real
from enpda.errors import InputError, brief
from enpda.given import as_graph
from enpda.graph import Graph
from enpda.problem.rules import Rules
from enpda.result.match import Match
from enpda.solve.matching import match
from enpda.solve.options import Options

RULES = Rules(bonds="any", weights="order")
"""Under which `Match.distance` is the myopic distance in halves."""

EXACT, ABOVE, UNKNOWN, UNPROVEN, TIMEOUT = 1, 2, 3, 5, 6
"""How sure a distance is, in the numbers of `myopic-mces`."""


class Distance(NamedTuple):
    """A distance, how sure it is, and the bonds that match when it is exact."""

    value: float
    mode: int
    bonds: dict[tuple[int, int], tuple[int, int]] | None


def MCES(  # noqa: N802 (the name that users know)
    smiles1: Any,
    smiles2: Any,
    threshold: float = 10,
    i: Any = 0,
    solver: str = "enpda",
    solver_options: Mapping[str, Any] | None = None,
    no_ilp_threshold: bool = False,
    always_stronger_bound: bool = True,
    use_bound_zero: bool = False,
    catch_errors: bool = False,
    structure: bool = False,
    num_smiles: bool = False,
) -> tuple[Any, ...]:
    """Return the myopic MCES distance of two molecules, exact up to a threshold.

    Parameters
    ----------
    smiles1, smiles2 : str or rdkit Mol
        The molecules.
    threshold : float
        Larger distances are not computed: a lower bound above the threshold is returned instead, which is much cheaper.
        -1 for the exact distance always.
    i : object
        Returned as it is.
    solver : str
        Accepted and ignored: enpda is the solver.
    solver_options : mapping, optional
        `timeLimit` in seconds and `threads` count; the other options of PuLP's solvers are ignored.
    no_ilp_threshold : bool
        Whether to return the exact distance above the threshold, too.
    always_stronger_bound, use_bound_zero : bool
        Accepted and ignored: there is one lower bound, the proof.
    catch_errors : bool
        Whether molecules that cannot be read give distance -1 and mode 3 instead of `InputError`.
    structure : bool
        Whether to append the matched bonds, `{(i, k): (j, l)}`, or None when the distance is not exact.
    num_smiles : bool
        Whether to append both SMILES with atoms numbered as in the matched bonds.

    Returns
    -------
    i : object
        As given.
    distance : float
        The distance, or a bound.
    seconds : float
        Time spent.
    mode : int
        1: exact. 2: a proven lower bound, above the threshold. 5: the time limit struck, and the distance is that of
        the best mapping. 6: the time limit struck without a mapping within the threshold, and the distance is a proven
        lower bound.

    Examples
    --------
    >>> from enpda.compat.myopic import MCES
    >>> index, distance, seconds, mode = MCES("CC(=O)OC1=CC=CC=C1C(=O)O", "CC(=O)Nc1ccc(O)cc1")
    >>> distance, mode
    (7.0, 1)
    """
    begin = time.perf_counter()
    if threshold != -1:
        real("threshold (or -1)", threshold, 0, 1e6)
    limit, threads = _solver_options(solver_options)
    written: tuple[str | None, ...] = (None, None)
    try:
        a, b = (_molecule(x) for x in (smiles1, smiles2))
        found = _distance(a, b, -1 if no_ilp_threshold else threshold, limit, threads)
        if num_smiles:
            written = (_numbered(a), _numbered(b))
    except InputError:
        if not catch_errors:
            raise
        found = Distance(-1.0, UNKNOWN, None)
    more = ((found.bonds,) if structure else ()) + (written if num_smiles else ())
    return (i, found.value, time.perf_counter() - begin, found.mode, *more)


def _distance(a: Graph, b: Graph, threshold: float, limit: float | None, threads: int) -> Distance:
    """Ask whether the distance is within the threshold, and only then for the distance."""
    begin = time.perf_counter()
    if threshold != -1:
        most = math.floor(2 * threshold)
        found = match(a, b, "exact", limit, threads=threads, rules=RULES, max_distance=most)
        if found.status == "below_threshold":
            return Distance(_least(found), ABOVE, None)
        if found.distance > most:  # only a time limit leaves the question open
            return Distance(_least(found), TIMEOUT, None)
        if found.optimal:
            return _exact(found)
        limit = None if limit is None else limit - (time.perf_counter() - begin)
        if limit is not None and limit <= 0:
            return Distance(found.distance / 2, UNPROVEN, None)
    found = match(a, b, "exact", limit, threads=threads, rules=RULES)
    return _exact(found) if found.optimal else Distance(found.distance / 2, UNPROVEN, None)


def _exact(found: Match) -> Distance:
    return Distance(found.distance / 2, EXACT, dict(found.index_edges))


def _least(found: Match) -> float:
    """Return the lower bound that the upper bound on the shared weight gives."""
    return (found.distance - 2 * (found.upper - found.size)) / 2


def _solver_options(options: Mapping[str, Any] | None) -> tuple[float | None, int]:
    if options is not None and not isinstance(options, Mapping):
        raise InputError(f"solver_options must be a mapping; got {brief(options)}")
    given = dict(options or {})
    asked = Options("exact", given.get("timeLimit"), threads=given.get("threads") or 1)
    return asked.time_limit, asked.threads


def _molecule(given: Any) -> Graph:
    graph = as_graph(given)
    if not graph.is_molecule:
        raise InputError(f"a SMILES string or an RDKit Mol is needed; got {brief(given)}")
    return graph


def _numbered(graph: Graph) -> str:
    from rdkit import Chem

    mol = graph.to_mol()
    for atom in mol.GetAtoms():
        atom.SetAtomMapNum(atom.GetIdx())
    parameters = Chem.SmilesWriteParams()
    parameters.canonical = False
    parameters.allBondsExplicit = True
    return str(Chem.MolToSmiles(mol, parameters))
