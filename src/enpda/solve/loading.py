"""Matches from outside: what `Match.to_dict` wrote, with everything derived again and nothing taken on trust."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from enpda.checks import real, whole
from enpda.chem.molecule import parse_smiles
from enpda.errors import InputError, brief, unicode_text
from enpda.graph import Graph
from enpda.problem.constraints import Constraints
from enpda.problem.problem import Problem, problem_of
from enpda.problem.rules import Rules
from enpda.result.found import Improvement, Numerical
from enpda.result.match import Match, caps_of
from enpda.result.proof import MANY, Proof, prove_again
from enpda.solve.matching import match as solved

GIVEN = (
    "a",
    "b",
    "rules",
    "constraints",
    "mapping",
    "numerical",
    "prices",
    "method",
    "stopped",
    "threshold",
    "seconds",
    "seed",
    "trace",
)
"""Keys that say what was asked and found; all others follow from them and from the bounds."""
DERIVED = (
    "bounds",
    "upper",
    "size",
    "nodes",
    "nodes_upper",
    "edges",
    "fragments",
    "smarts",
    "mapped_smiles",
    "transformation",
    "gap",
    "optimal",
    "similarity",
    "distance",
    "optimal_numerical",
    "status",
    "reason",
)
NAMED = ("named_mapping",)
"""Keys that follow, too, of a match whose graphs name their nodes."""
PROVEN = ("rlt", "branch")
"""Names of the bounds that rest on a `Proof`."""
PROOF_SECONDS = 10.0
"""How long deriving a proof again may take; four times what it first took when that is more."""
MOST_SECONDS = 600.0
"""And never longer than this, whatever the file says."""
HUGE = 2**63 - 1
AGES = 1e12
"""Seconds that no match takes."""


def match_of(data: Mapping[str, Any]) -> Match:
    """Undo `Match.to_dict`; raises InputError."""
    if not isinstance(data, Mapping):
        raise InputError(f"not a match: {brief(data)}")
    keys = GIVEN + DERIVED + NAMED
    if strange := [key for key in data if key not in keys]:
        raise InputError(f"a match has no key {brief(strange[0])}; its keys are {', '.join(keys)}")
    try:
        match = _built(data)
        derived = match.to_dict()
        for name in DERIVED + NAMED:
            if name in data and not _same(name, data[name], derived.get(name)):
                raise InputError(f"{name} is {brief(derived.get(name))}, not {brief(data[name])} as claimed")
    except KeyError as error:
        raise InputError(f"a match needs the key {error}") from None
    except InputError:
        raise
    except (AttributeError, TypeError, ValueError, OverflowError, RuntimeError):
        raise InputError(f"not a match: {brief(data)}") from None
    return match


def _same(name: str, claimed: Any, derived: Any) -> bool:
    """Tell whether a claim holds; of SMILES, what they say counts, for another RDKit may write them otherwise."""
    if _text(claimed) == _text(derived):
        return True
    if name != "mapped_smiles" or derived is None or not isinstance(claimed, list) or len(claimed) != 2:
        return False
    return all(_plain_smiles(one) == _plain_smiles(other) for one, other in zip(claimed, derived, strict=True))


def _plain_smiles(smiles: str) -> str:
    """Return a SMILES as this RDKit writes it, without stereo marks and hydrogens, which a file may not have kept."""
    from rdkit import Chem, rdBase

    mol = parse_smiles(smiles, fold=False)[0]
    with rdBase.BlockLogs():
        Chem.RemoveStereochemistry(mol)
        for atom in mol.GetAtoms():
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(0)
        return str(Chem.MolToSmiles(mol))


def _text(value: Any) -> str:
    """Return a value as JSON, which tells 1 from 1.0 and from true."""
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _built(data: Mapping[str, Any]) -> Match:
    a, b = Graph.from_dict(data["a"]), Graph.from_dict(data["b"])
    rules, constraints = data.get("rules"), data.get("constraints")
    problem = problem_of(
        a,
        b,
        None if rules is None else Rules.from_dict(rules),
        None if constraints is None else Constraints.from_dict(constraints),
    )
    whole("size", data["size"], 0, HUGE)
    whole("seed", data["seed"], 0, 2**64 - 1)
    whole("threshold", data.get("threshold", 0), 0, HUGE)
    real("seconds", data["seconds"], 0, AGES)
    if data["stopped"] not in (None, "time_limit", "interrupted"):
        raise InputError(f"stopped must be null, 'time_limit' or 'interrupted'; got {brief(data['stopped'])}")
    limit = min(max(PROOF_SECONDS, 4 * data["seconds"]), MOST_SECONDS)
    claimed = dict(data["bounds"])
    for name, value in claimed.items():
        whole(f"the bound {unicode_text('the name of a bound', name)!r}", value, 0, HUGE)
    by_stereo = claimed.pop("stereo", None)
    bounds, proof = _bounds(problem, claimed, limit)
    if by_stereo is not None:
        again = solved(a, b, "exact", limit, rules=problem.rules, constraints=problem.constraints)
        if again.upper > by_stereo:
            raise InputError(f"the bound {by_stereo} could not be confirmed: {again.upper} was derived")
        bounds["stereo"] = by_stereo
    return Match(
        a,
        b,
        _mapping(data["mapping"]),
        bounds=bounds,
        method=_printable("method", data["method"]),
        seconds=data["seconds"],
        seed=data["seed"],
        stopped=data["stopped"],
        prices=_prices(data["prices"]),
        trace=[_step(*step) for step in data["trace"]],
        numerical={name: _numerical(name, *bound) for name, bound in data.get("numerical", {}).items()},
        proof=proof,
        threshold=data.get("threshold", 0),
        problem=problem,
        nodes_upper=_most_nodes(problem, a, b, data, min(bounds.values()), limit),
    )


def _bounds(problem: Problem, claimed: dict[str, int], limit: float) -> tuple[dict[str, int], Proof | None]:
    """Return the claimed bounds (the caps, when none is claimed) after deriving each of them again."""
    caps = caps_of(problem)
    proof = None
    proven = min((claimed[name] for name in PROVEN if name in claimed), default=None)
    if proven is not None:
        again = prove_again(problem, proven, limit)
        if not 0 <= again.upper <= proven:
            raise InputError(f"the bound {proven} could not be confirmed: {again.upper} was derived")
        proof = Proof.of(again)
    for name, value in claimed.items():
        if name == "prices":
            # The prices of other graphs or seeds may be meant; any bound above the assignment cap holds.
            least = caps.get("assignment", MANY)
            if value < least:
                raise InputError(f"the bound 'prices' is at least {least}, not {value} as claimed")
        elif name == "edge" and caps[name] <= value <= min(problem.total):
            pass  # what was known when the time did not suffice for more
        elif name not in PROVEN and caps.get(name) != value:
            raise InputError(f"the bound {name!r} is {caps.get(name, 'unknown')}, not {value} as claimed")
    return claimed or caps, proof


def _most_nodes(problem: Problem, a: Graph, b: Graph, data: Mapping[str, Any], upper: int, limit: float) -> int | None:
    """Return the claimed bound on nodes after deriving it again; None for the one that needs no proof."""
    claimed = data.get("nodes_upper")
    if claimed is None:
        return None
    whole("nodes_upper", claimed, 0, HUGE)
    if claimed >= min(len(a), len(b), 2 * upper):
        return None
    again = solved(a, b, "exact", limit, rules=problem.rules, constraints=problem.constraints, most_nodes=True)
    if not again.optimal or again.size != data["size"] or again.nodes_upper > claimed:
        raise InputError(f"nodes_upper {claimed} could not be confirmed: {again.nodes_upper} was derived")
    return int(claimed)


def _mapping(given: Mapping[Any, Any]) -> dict[int, int]:
    """Take nodes as numbers or, as keys of a JSON object are, as their digits."""
    result = {}
    for key, image in given.items():
        node = int(key) if isinstance(key, str) and key.isdecimal() and str(int(key)) == key else key
        whole("a node of the mapping", node, 0, MANY)
        whole("an image of the mapping", image, 0, MANY)
        if node in result:
            raise InputError(f"the mapping gives node {node} twice")
        result[node] = image
    return result


def _prices(given: Any) -> npt.NDArray[np.float32]:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iuf") or bool in set(map(type, given)):
        raise InputError(f"prices must be a list of numbers; got {brief(given)}")
    with np.errstate(over="ignore"):
        prices = array.astype(np.float32)
    if not np.isfinite(prices).all():
        raise InputError(f"prices must be finite; got {brief(given)}")
    return prices


def _step(seconds: Any, size: Any, operator: Any, stream: Any) -> Improvement:
    real("seconds of the trace", seconds, 0, AGES)
    whole("a size of the trace", size, 0, HUGE)
    whole("a stream of the trace", stream, 0, HUGE)
    return Improvement(seconds, size, _printable("an operator of the trace", operator), stream)


def _numerical(name: Any, value: Any, status: Any) -> Numerical:
    _printable("the name of a bound", name)
    real(f"the bound {name!r}", value, 0, HUGE)
    return Numerical(float(value), _printable(f"the status of the bound {name!r}", status))


def _printable(what: str, value: Any) -> str:
    """Return words that a terminal shows as they are."""
    if not unicode_text(what, value).isprintable():
        raise InputError(f"{what} must be printable; got {brief(value)}")
    return str(value)
