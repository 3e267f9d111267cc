"""What a study may use: a data folder, a profile, and the sets of pairs, loaded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from enpda.checks import choice
from enpda.errors import InputError
from enpda.learn.planted import SETS, planted_pairs
from enpda_bench import datasets, manifest
from enpda_bench.baselines import Answer, Worker, Workshop
from enpda_bench.bootstrap import blocks
from enpda_bench.datasets import BenchPair
from enpda_bench.natural import dd_pairs, imdb_pairs

PROFILES = {
    "smoke": "every study in seconds: a few pairs, short limits, one seed",
    "quick": "an hour on two cores: fewer pairs and shorter limits where a study is long",
    "full": "everything, as the paper did it",
}
Value = TypeVar("Value")

PAIR_SETS: dict[str, Callable[[Path], Sequence[BenchPair]]] = {
    **{name: lambda data, name=name: datasets.fixed_pairs(data, [name])[name] for name in datasets.PAIRS},  # type: ignore[misc]
    **{f"planted {name}": lambda data, name=name: planted_pairs(data, name) for name in SETS},  # type: ignore[misc]
    "imdb": imdb_pairs,
    "dd": dd_pairs,
}
"""Every set of pairs that records point into, by name; `drugs` needs no data folder."""

NATIVE = {"aids": "AIDS", "molhiv": "MOLHIV", "mcf7": "MCF-7", "drugs": "drugs"}
"""The fixed test pairs, and what the paper's columns call them."""


class Scope:
    """The settings of one run of studies. Which pairs take part is a function of profile and data alone."""

    def __init__(self, profile: str = "quick", data: Path | None = None, folder: Path | None = None) -> None:
        choice("profile", profile, tuple(PROFILES))
        self.profile, self.data, self._folder = profile, data, folder
        self._sets: dict[str, Sequence[BenchPair]] = {}
        self._shop: Workshop | None = None

    def pick(self, smoke: Value, quick: Value, full: Value) -> Value:
        """Return the value for this profile."""
        return {"smoke": smoke, "quick": quick, "full": full}[self.profile]

    @property
    def folder(self) -> Path:
        """Where the run's records are."""
        if self._folder is None:
            raise InputError("this study needs the folder of its run: give the scope one")
        return self._folder

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._folder = folder

    @property
    def work(self) -> Path:
        """A folder for what several trials of a study share, such as weights it trains; kept beside the records."""
        return self.folder / "work"

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The training seeds that take part."""
        return self.pick((0,), (0, 1, 2), (0, 1, 2))

    @property
    def native(self) -> tuple[str, ...]:
        """The sets of fixed test pairs; without a data folder the drug pairs stand in."""
        return tuple(datasets.DATASETS) if self.data else ("drugs",)

    @property
    def slow(self) -> tuple[str, ...]:
        """The sets that slow programs run on: all, but one in a smoke run."""
        middle = len(self.native) // 2
        return self.pick(self.native[middle : middle + 1], self.native, self.native)

    def pairs(self, name: str) -> Sequence[BenchPair]:
        """Return a whole set of pairs; records name a pair by its position in it."""
        if name not in self._sets:
            if name == "drugs":
                self._sets[name] = datasets.drug_pairs()
            elif self.data is not None:
                manifest.check(self.data, [manifest.SOURCES[name]] if name in manifest.SOURCES else [])
                self._sets[name] = PAIR_SETS[name](self.data)
            else:
                raise ValueError(f"the pairs of {name} need a data folder")
        return self._sets[name]

    def positions(self, name: str, count: int | None = None) -> list[int]:
        """Return `count` evenly spaced positions in a set, first and last included; all of them for None."""
        total = len(self.pairs(name))
        if count is None or count >= total:
            return list(range(total))
        return sorted({int(x) for x in np.rint(np.linspace(0, total - 1, count))})

    def blocks(self, name: str, positions: Sequence[int]) -> list[list[int]]:
        """Group the places 0.. of these positions by shared graphs, for the bootstrap."""
        pairs = self.pairs(name)
        return blocks([pairs[k] for k in positions])

    def ask(self, name: str, pair: BenchPair, seconds: float, **more: Any) -> Answer:
        """Run a baseline on a pair, in a process of its own; what cannot run says so in its answer."""
        return self._workshop().ask(name, pair.a, pair.b, seconds, **more)

    def worker(self, name: str) -> Worker:
        """Return a baseline that must be there; all share one process."""
        return Worker(name, shop=self._workshop())

    def _workshop(self) -> Workshop:
        if self._shop is None:
            self._shop = Workshop()
        return self._shop

    def close(self) -> None:
        """End the process of the baselines."""
        if self._shop is not None:
            self._shop.close()
            self._shop = None
