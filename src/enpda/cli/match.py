"""`enpda match`: two graphs on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import enpda
from enpda import view
from enpda.cli.constraints import DEFAULT_CONSTRAINTS, ConstraintOptions
from enpda.cli.effort import DEFAULT_EFFORT, EffortOptions
from enpda.cli.inputs import DEFAULT_INPUT, InputOptions, graph_argument
from enpda.cli.rules import DEFAULT_RULES, RuleOptions
from enpda.labels import shown
from enpda.result.chemistry import nouns, told
from enpda.result.match import Match
from enpda.solve.budget import Decoder
from enpda.solve.options import Bound, Options
from enpda.view.page import clean
from enpda.words import counted

DEFAULT = Options()
MAP_LINES = 8
"""Lines of a node map that are shown unless somebody wants to see all."""


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
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
    svg: Path | None = None,
    html: Path | None = None,
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
        Learned policy: `default`, `paper`, `paper-plus`, `none`, or a file that `enpda train` wrote; default: the
        method's own.
    verbose
        Also print every bound, the method and the whole map of atoms or nodes.
    json
        Print the whole result as JSON.
    svg
        Also write a picture of the pair to this file, `.svg` or `.png`.
    html
        Also write a page about the pair to this file: the picture, the numbers and the map.
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
    if html is not None:
        view.match_page(found, html)
    if certificate is not None:
        found.certificate.save(certificate)
    print(found.to_json(indent=2) if json else text(found, verbose))
    if found.stopped == "interrupted":  # what was found until then is printed all the same
        raise KeyboardInterrupt
    return 0


def text(found: Match, verbose: bool = False) -> str:
    """Show a match in a terminal: the common part, then how alike the graphs are and how sure that is.

    `verbose` adds what an expert asks for: bounds, method and the whole map.
    """
    molecular = nouns(found) == ("atom", "bond")
    lines = [("shared", _shared(found)), *(_chemistry(found) if molecular else _nodes(found, verbose))]
    rest = f"weight {found.distance}" if found.weighted else counted(found.distance, nouns(found)[1])
    lines += [
        ("similarity", f"{found.similarity:.4f} (Johnson), from 0, nothing in common, to 1, the same"),
        ("distance", f"{rest} not shared"),
        ("proof", _proof(found)),
    ]
    if verbose:
        lines += [
            ("bounds", ", ".join(f"{name} {value}" for name, value in found.bounds.items())),
            *(("numerical", f"{name} {bound.value:.6g}, {bound.status}") for name, bound in found.numerical.items()),
            ("method", f"{found.method}, {found.seconds * 1e3:.2f} ms, status {found.status} ({found.reason})"),
        ]
        if molecular:
            lines.append(("atom map", _wrapped(_pairs(found))))
    return "\n".join(f"{name:<12}{value}" for name, value in lines)


def _shared(found: Match) -> str:
    words, sure = found.in_words()
    pieces = f", in {len(found.fragments)} pieces" if len(found.fragments) > 1 else ""
    return f"{words}{pieces} ({sure})"


def _chemistry(found: Match) -> list[tuple[str, str]]:
    """Return the common part as chemistry, as far as RDKit can say it."""
    words = {name: value for name in ("smarts", "mapped_smiles", "transformation") if (value := told(found, name))}
    smiles = words.get("mapped_smiles", ("", ""))
    return [
        *([("SMARTS", words["smarts"])] if "smarts" in words else []),
        *(
            (side, f"{_graph(graph, 'atom', 'bond')}{'  ' * bool(mapped)}{mapped}")
            for side, graph, mapped in zip("AB", (found.a, found.b), smiles, strict=True)
        ),
        *([("A to B", words["transformation"])] if "transformation" in words else []),
    ]


def _nodes(found: Match, verbose: bool) -> list[tuple[str, str]]:
    return [
        ("node map", _wrapped(_pairs(found), None if verbose else MAP_LINES)),
        *((side, _graph(graph, "node", "edge")) for side, graph in (("A", found.a), ("B", found.b))),
    ]


def _graph(graph: enpda.Graph, node: str, edge: str) -> str:
    name = f"{clean(graph.name)}, " if graph.name else ""
    return f"{name}{counted(len(graph), node)}, {counted(graph.size, edge)}"


def _proof(found: Match) -> str:
    """Say in plain words how sure the answer is."""
    edge = nouns(found)[1]
    if found.status == "below_threshold":
        return f"no common part is as large as was asked for: {_most(found)}"
    if found.optimal:
        return "proven: no larger common part exists"
    rest = found.upper - found.size
    more = f"weight {rest} more" if found.weighted else counted(rest, f"more {edge}")
    return f"not proven: up to {more} may be shared, {_most(found)} ({found.reason})"


def _most(found: Match) -> str:
    return f"at most weight {found.upper}" if found.weighted else f"at most {counted(found.upper, nouns(found)[1])}"


def _pairs(found: Match) -> list[str]:
    return [clean(f"{shown(i)}→{shown(j)}") for i, j in found.mapping.items()]


def _wrapped(items: list[str], most: int | None = None, per_line: int = 12) -> str:
    rows = [" ".join(items[k : k + per_line]) for k in range(0, len(items), per_line)]
    if most is not None and len(rows) > most:
        rows = [*rows[:most], f"and {len(items) - most * per_line} more, which --verbose shows"]
    return ("\n" + " " * 12).join(rows) or "empty"
