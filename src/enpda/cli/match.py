"""`enpda match`: two graphs on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, graph_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.labels import shown
from enpda.result.match import Match
from enpda.solve.budget import Decoder
from enpda.solve.options import Bound, Options

DEFAULT = Options()


def match(
    a: str,
    b: str,
    /,
    *,
    effort: EffortOptions = DEFAULT_EFFORT,
    rounds: int = DEFAULT.rounds,
    decoder: Decoder | None = DEFAULT.decoder,
    samples: int | None = DEFAULT.samples,
    threads: int = DEFAULT.threads,
    bound: Bound | None = DEFAULT.bound,
    min_size: int | None = DEFAULT.min_size,
    min_similarity: float | None = DEFAULT.min_similarity,
    max_distance: int | None = DEFAULT.max_distance,
    most_nodes: Annotated[bool, Parameter(negative=())] = False,
    rules: RuleOptions = DEFAULT_RULES,
    constraints: ConstraintOptions = DEFAULT_CONSTRAINTS,
    reading: InputOptions = DEFAULT_INPUT,
    policy: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    svg: Path | None = None,
    certificate: Path | None = None,
) -> int:
    """Find the edges that two graphs share.

    Example: `enpda match "CC(=O)Oc1ccccc1C(=O)O" "CC(=O)Nc1ccc(O)cc1" --svg pair.svg`

    Parameters
    ----------
    a
        A SMILES or InChI, a file (its first graph; `FILE:NAME` for the one of that name, `FILE:K` for graph K, counted
        from 0), or `-` for standard input.
    b
        The same.
    effort
        How to work on each pair, and for how long.
    rounds
        Primal-dual rounds of a proposal.
    decoder
        How bids become a first mapping.
    samples
        Proposals, all but the first perturbed; the best wins.
    threads
        Threads that share the streams of a search.
    bound
        How far to go for an upper bound: `caps` (microseconds), `rlt` (milliseconds), `branch` (until it is proven),
        all exact in integers; `lp`, `milp` and their `mccormick` forms ask HiGHS, in floating point, to compare with.
        Default: `branch` for `auto` and `exact`, `caps` for the others.
    min_size
        Only ask whether so many edges (with weights: so much weight) are shared.
    min_similarity
        Only ask whether the similarity is at least this.
    max_distance
        Only ask whether the distance is at most this.
    most_nodes
        Look for the most nodes as well, once the most edges are proven.
    rules
        What counts as the same.
    constraints
        What the common part must be.
    reading
        How files are read.
    policy
        Learned policy: `default`, `paper`, `none`, or a file that `enpda train` wrote; default: the method's own.
    json
        Print the whole result as JSON.
    svg
        Also write a picture of the pair to this file.
    certificate
        Also write a certificate to this file, compressed when it ends in `.gz`; `enpda verify` checks it.
    """
    found = enpda.match(
        graph_argument(a, reading),
        graph_argument(b, reading),
        **effort.keywords(),
        rounds=rounds,
        decoder=decoder,
        samples=samples,
        threads=threads,
        bound=bound,
        min_size=min_size,
        min_similarity=min_similarity,
        max_distance=max_distance,
        most_nodes=most_nodes,
        rules=rules.rules(),
        constraints=constraints.constraints(),
        policy=policy,
    )
    if svg is not None:
        found.draw(svg)
    if certificate is not None:
        found.certificate.save(certificate)
    print(found.to_json() if json else text(found))
    if found.stopped == "interrupted":  # what was found until then is printed all the same
        raise KeyboardInterrupt
    return 0


def text(found: Match) -> str:
    """Show a match in a terminal."""
    shared, sure = found.in_words()
    gap = "" if found.optimal else f", gap {found.gap:.1%}"
    lines = []
    for side, graph in (("A", found.a), ("B", found.b)):
        name = f"{graph.name}, " if graph.name else ""
        lines.append(f"{side}           {name}{len(graph)} nodes, {graph.size} edges{_smiles(graph)}")
    lines += [
        f"shared      {shared} ({sure}{gap})",
        f"similarity  {found.similarity:.4f} (Johnson)   distance {found.distance}",
        f"bounds      {', '.join(f'{name} {value}' for name, value in found.bounds.items())}",
        *(f"numerical   {name} {bound.value:.6g}, {bound.status}" for name, bound in found.numerical.items()),
        f"method      {found.method}, {found.seconds * 1e3:.2f} ms, status {found.status} ({found.reason})",
        "atom map    " + _wrapped([f"{shown(i)}→{shown(j)}" for i, j in found.mapping.items()]),
    ]
    return "\n".join(lines)


def _smiles(graph: enpda.Graph) -> str:
    from enpda.chem import molecule

    written = None if graph.mol is None else molecule.ordered_smiles(graph.mol)
    return "" if written is None else f"  {written[0]}"


def _wrapped(items: list[str], per_line: int = 12) -> str:
    rows = [" ".join(items[k : k + per_line]) for k in range(0, len(items), per_line)]
    return ("\n" + " " * 12).join(rows) or "empty"
