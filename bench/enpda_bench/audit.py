"""The audit: every stored mapping is counted again from raw graphs, and every claim is held against what is known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from enpda.documents import load
from enpda.files import save
from enpda.view.table import Table
from enpda_bench import journal
from enpda_bench.raw import RawPair, raw_pairs
from enpda_bench.scope import PAIR_SETS, Scope
from enpda_bench.studies import STUDIES
from enpda_bench.study import Record


@dataclass
class Count:
    """What was checked of one study, and what did not hold."""

    records: int = 0
    mappings: int = 0
    """Mappings that were counted again."""
    bounds: int = 0
    """Upper bounds that were held against sizes."""
    proofs: int = 0
    """Claims of optimality with a bound of their own."""
    unfounded: int = 0
    """Claims of optimality by programs that give no bound, below a size that is known to be possible."""
    faults: list[str] = field(default_factory=list)


Counts = dict[str, Count]


def audit(folder: Path, scope: Scope) -> Counts:
    """Check every record of a run, and write `audit.json` beside them."""
    done = [name for name in STUDIES if journal.begun(folder, name)]
    sets: dict[str, Sequence[RawPair]] = {}
    counts = {name: _study(journal.read(folder, name), scope, sets) for name in done}
    text = json.dumps({name: asdict(count) for name, count in counts.items()}, indent=1)
    save(folder / "audit.json", text + "\n")
    return counts


def read(folder: Path) -> Counts:
    """Return what the last audit of a run found; nothing if there was none."""
    path = folder / "audit.json"
    if not path.is_file():
        return {}
    return {name: Count(**count) for name, count in load(path).items()}


def table(counts: Counts) -> Table:
    """Show what was checked."""
    columns = ["study", "records", "mappings", "bounds", "proofs", "unfounded claims of others", "faults"]
    numbers = {
        name: [c.records, c.mappings, c.bounds, c.proofs, c.unfounded, len(c.faults)] for name, c in counts.items()
    }
    if numbers:
        numbers["all"] = [sum(column) for column in zip(*numbers.values(), strict=True)]
    return Table(
        "Audit: mappings counted again from raw graphs", columns, [[name, *some] for name, some in numbers.items()]
    )


def _study(records: Sequence[Record], scope: Scope, sets: dict[str, Sequence[RawPair]]) -> Count:
    count = Count(records=len(records))
    for record in records:
        name, outcome = record.trial.set, record.outcome
        if outcome.image is None and outcome.size is None and outcome.upper is None:
            continue
        known = name == "drugs" or (name in PAIR_SETS and scope.data is not None)
        if known and name not in sets:
            sets[name] = raw_pairs(scope, name)
        if not known or record.trial.pair >= len(sets[name]):
            if outcome.image is not None:
                count.faults.append(f"{record.trial}: there is no such pair to count the mapping on")
            continue
        pair = sets[name][record.trial.pair]
        count.mappings += outcome.image is not None
        count.bounds += outcome.upper is not None
        count.proofs += outcome.proven and outcome.upper is not None
        count.unfounded += outcome.proven and outcome.upper is None and (outcome.size or 0) < pair.size
        count.faults += [f"{record.trial}: {fault}" for fault in faults(record, pair)]
    return count


def faults(record: Record, pair: RawPair) -> Iterator[str]:
    """Say everything that is wrong with one record."""
    outcome = record.outcome
    size, upper = outcome.size, outcome.upper
    if outcome.image is not None:
        yield from _mapping_faults(outcome.image.tolist(), size, outcome.nodes, pair)
    if size is not None and size > pair.upper:
        yield f"size {size} is above {pair.upper}, which is proven to be the most"
    if upper is not None and upper < pair.size:
        yield f"upper bound {upper} is below {pair.size}, which is known to be possible"
    if size is not None and upper is not None and size > upper:
        yield f"size {size} is above its own upper bound {upper}"
    if outcome.proven and upper is not None and size != upper:
        yield f"called proven with size {size} and upper bound {upper}"


def _mapping_faults(image: list[int], size: int | None, nodes: int | None, pair: RawPair) -> Iterator[str]:
    a, b = pair.a, pair.b
    if len(image) != len(a.labels):
        yield f"the mapping has {len(image)} entries for {len(a.labels)} nodes"
        return
    images = [target for target in image if target != -1]
    if any(not 0 <= target < len(b.labels) for target in images):
        yield f"the mapping leaves the {len(b.labels)} nodes of the second graph"
        return
    if len(set(images)) != len(images):
        yield "two nodes have the same image"
    for node, target in enumerate(image):
        if target != -1 and a.labels[node] != b.labels[target]:
            yield f"node {node} with label {a.labels[node]} maps to {target} with label {b.labels[target]}"
    kept = [
        (u, v)
        for (u, v), label in a.edges.items()
        if image[u] != -1
        and image[v] != -1
        and b.edges.get((min(image[u], image[v]), max(image[u], image[v]))) == label
    ]
    if size != len(kept):
        yield f"the mapping keeps {len(kept)} edges; the record says {size}"
    ends = {end for edge in kept for end in edge}
    if nodes is not None and nodes != len(ends):
        yield f"the kept edges have {len(ends)} ends; the record says {nodes} nodes"
