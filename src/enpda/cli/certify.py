"""`enpda certify`: a bound, and a certificate, for a mapping from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import enpda
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, graph_argument
from enpda.cli.match import text
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.documents import load
from enpda.errors import InputError, brief
from enpda.solve.options import Bound


def certify(
    a: str,
    b: str,
    /,
    *,
    mapping: Path | None = None,
    bound: Bound = "branch",
    time_limit: float = 10.0,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Tell how far from the optimum a mapping can be, and write a certificate.

    Example: `enpda certify "CC(=O)Oc1ccccc1C(=O)O" "CC(=O)Nc1ccc(O)cc1" -o pair.json`

    Parameters
    ----------
    a
        A SMILES or InChI, a file (its first graph; `FILE:NAME` for the one of that name, `FILE:K` for graph K, counted
        from 0), or `-` for standard input.
    b
        The same.
    mapping
        A JSON file with the mapping: an object from a's nodes to b's nodes, a list of pairs, or the output of
        `enpda match --json`. Without it, enpda finds one.
    bound
        How far to go for the upper bound: `caps` (microseconds), `rlt` (milliseconds), `branch` (until the mapping is
        proven or beaten), all exact in integers; the others ask HiGHS, in floating point, to compare with.
    time_limit
        Seconds.
    rules
        What counts as the same.
    constraints
        What the common part must be.
    reading
        How files are read.
    output
        Write the certificate to this file, compressed when it ends in `.gz`.
    json
        Print the certificate as JSON.
    """
    left, right = graph_argument(a, reading), graph_argument(b, reading)
    same, conditions = rules.rules(), constraints.constraints()
    if mapping is None:
        found = enpda.match(left, right, bound=bound, time_limit=time_limit, rules=same, constraints=conditions)
    else:
        found = enpda.certify(
            left,
            right,
            _called(left, right, _read(mapping)),
            bound=bound,
            time_limit=time_limit,
            rules=rules.rules(),
            constraints=constraints.constraints(),
        )
    if output is not None:
        found.certificate.save(output)
    print(found.certificate.to_json() if json else text(found))
    return 0


def _read(path: Path) -> dict[int, int]:
    content = load(path)
    try:
        if isinstance(content, dict):
            content = content.get("mapping", content)
        pairs = content.items() if isinstance(content, dict) else content
        result = {_node(i): _node(j) for i, j in pairs}
        if len(result) < len(pairs):
            raise InputError(f"{path} maps a node twice")
        return result
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{path} must hold a JSON object or a list of pairs of nodes; got {brief(content)}") from None


def _called(a: enpda.Graph, b: enpda.Graph, mapping: dict[int, int]) -> dict[Any, Any]:
    """Return a mapping by what nodes are called; a number that no node has stays, to be refused."""

    def node(graph: enpda.Graph, number: int) -> Any:
        return graph.node(number) if 0 <= number < len(graph) else number

    return {node(a, i): node(b, j) for i, j in mapping.items()}


def _node(value: Any) -> int:
    """Take 3 or, as keys of a JSON object are, "3"; nothing else is a node."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError(value)
    return int(value)
