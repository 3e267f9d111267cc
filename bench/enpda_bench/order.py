"""The order in which a run with a limit in hours measures: studies in turn, a few pairs first, more in every pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from enpda_bench.retrieval.tables import LEARNED, RASCAL, TRAIN
from enpda_bench.study import Trial

PASSES: tuple[int | None, ...] = (2, 8, 32, None)
"""Pairs of each set that a pass comes up to, the last one to all."""


@dataclass(frozen=True)
class Turn:
    """Why a study has its place in a pass.

    Attributes
    ----------
    why : str
        What it costs at full size, and what it tells.
    whole : bool
        Whether the first pass measures all of it, but for arms that come later.
    late : mapping of str to int
        Arms that are too dear for the first passes, and how many passes later than others they measure a pair.
    alone : bool
        Whether one process measures all pairs, because they share what is dear to make; otherwise as many do as there
        are.
    """

    why: str
    whole: bool = False
    late: Mapping[str, int] = field(default_factory=dict)
    alone: bool = False


LATER_IN_NATIVE = (
    *("long solver", "rascal", "nominal", "smsd", "fmcs:labels", "mcsplit", "myopic", "ga", "rrwm", "rrwm:ipfp"),
    *("rrwm:ngm", "highs", "highs:mccormick", "sinkhorn", "sinkhorn:gumbel"),
)
"""Arms of the main table that take a minute a pair, are other programs, or have four times the Solver's search."""
RIVALS = (*LEARNED, *(TRAIN + network for network in LEARNED), RASCAL)
"""Arms of retrieval that are trained for hours before their first query, and the labels of another program."""

ORDER = {
    "identity": Turn("seconds; that no test graph was trained on, which every other number rests on", whole=True),
    "causality": Turn("seconds; what learning and prices add to a proposal", whole=True),
    "components": Turn("seconds; which part of the policy adds it", whole=True),
    "sinkhorn": Turn("a minute; whether one projection would have done", whole=True),
    "repeat": Turn("a minute; that numbers repeat bit for bit", whole=True),
    "cases": Turn("seconds; what answers look like", whole=True),
    "cost": Turn("a minute; when training has paid for itself, but for NGA's seconds", whole=True),
    "prices": Turn("two minutes; whether learned prices bound better", whole=True),
    "rounds": Turn("minutes; how many rounds are enough", whole=True),
    "certificates": Turn("minutes; how many optima are proven, each certificate verified", whole=True),
    "planted": Turn(
        "a minute, and an hour of search; whether the weights help on graphs of another kind", True, {"auto": 1}
    ),
    "dd": Turn(
        "a minute, and half an hour of search and controls; how time and memory grow",
        True,
        dict.fromkeys(("auto", "sinkhorn", "sinkhorn:gumbel"), 1),
    ),
    "native": Turn(
        "a quarter of an hour for our own methods, two days for others with a minute a pair; the main table",
        True,
        dict.fromkeys(LATER_IN_NATIVE, 1),
    ),
    "deployment": Turn("a quarter of an hour; accuracy and time of each way of deployment", whole=True),
    "frontier": Turn("a quarter of an hour; what a proposal is worth when search follows", whole=True),
    "retrieval": Turn(
        "half an hour for our own methods, then hours of training for the networks; look-alikes told apart",
        True,
        dict.fromkeys(RIVALS, 1),
        alone=True,
    ),
    "short": Turn("a quarter of an hour, a few seconds a pair; classical programs in the time of a proposal"),
    "imdb": Turn("three hours; pairs that nobody planted", late={"integer programme": 1}),
    "nga": Turn("fifteen hours without a GPU; the rows of NGA in native, deployment and cost", alone=True),
    "aromatic": Turn("ten hours, two minutes a pair; what whole aromatic rings leave"),
    "cactus": Turn("ten hours; proofs within a time, of which native shows the sizes"),
    "tails": Turn("ten hours; the pairs that RASCAL leaves open, with up to 15 minutes each", late={"rascal 900": 1}),
    "lifted": Turn(
        "two days; integer programmes, with up to half an hour a pair, for bounds that certificates has cheaper",
        late={"300 s": 1, "1800 s": 2},
    ),
}
"""Study -> its turn. In every pass studies run in this order: what tells most for its time comes first."""


@dataclass(frozen=True)
class Task:
    """One turn of a study: the trials of a pass, or all of them in the study's own order (None)."""

    study: str
    place: int | None = None

    def of(self, trials: Sequence[Trial]) -> Sequence[Trial]:
        """Return what this turn measures of a study's trials."""
        return trials if self.place is None else passes(self.study, trials)[self.place]

    def __str__(self) -> str:
        if self.place is None or (self.place == 0 and ORDER[self.study].whole):
            return self.study
        most = PASSES[self.place]
        return f"{self.study}, {'all pairs' if most is None else f'{most} pairs a set'}"


def tasks(studies: Sequence[str]) -> list[Task]:
    """Return the turns of some studies in the stated order."""
    mine = [name for name in ORDER if name in studies]
    places = range(len(PASSES))
    return [
        Task(name, place)
        for place in places
        for name in mine
        if place == 0 or ORDER[name].late or not ORDER[name].whole
    ]


def passes(study: str, trials: Sequence[Trial]) -> list[list[Trial]]:
    """Divide trials into passes: pairs evenly spaced over each set, sets by turns, all arms of a pair together."""
    turn, ranks, place = ORDER[study], _ranks(trials), {trial: k for k, trial in enumerate(trials)}
    sets = list(dict.fromkeys(trial.set for trial in trials))
    out: list[list[Trial]] = [[] for _ in PASSES]
    for trial in sorted(trials, key=lambda t: (ranks[t.set, t.pair], sets.index(t.set), place[t])):
        first = next(k for k, most in enumerate(PASSES) if most is None or ranks[trial.set, trial.pair] < most)
        later = turn.late.get(trial.arm, 0)
        out[0 if turn.whole and not later else min(first + later, len(PASSES) - 1)].append(trial)
    return out


def spread(count: int) -> list[int]:
    """Return 0 to count - 1 in an order whose beginnings are all evenly spaced: the ends, the middle, the quarters."""
    out = dict.fromkeys((0, count - 1)) if count else {}
    for share in _halves():
        if len(out) == count:
            return list(out)
        out.setdefault(round(share * (count - 1)))
    raise AssertionError("there is always another half")


def _halves() -> Iterator[float]:
    """Give 1/2, 1/4, 3/4, 1/8, 5/8, 3/8, 7/8 and so on: the bits of 1, 2, 3, ... behind the point, turned around."""
    k = 1
    while True:
        yield int(f"{k:b}"[::-1], 2) / 2 ** k.bit_length()
        k += 1


def _ranks(trials: Sequence[Trial]) -> dict[tuple[str, int], int]:
    """Return the place of each pair in the order of its set."""
    pairs: dict[str, set[int]] = {}
    for trial in trials:
        pairs.setdefault(trial.set, set()).add(trial.pair)
    return {
        (name, some[k]): rank
        for name, some in ((name, sorted(found)) for name, found in pairs.items())
        for rank, k in enumerate(spread(len(some)))
    }
