"""The experiments of the paper, one module each; every module has one class of `Study`."""

from __future__ import annotations

from importlib import import_module

from enpda.checks import choice
from enpda_bench.study import Study

STUDIES = {
    "native": "accuracy of every method and of other programs, at the paper's limits and budgets",
    "causality": "five arms of four rounds and one projection, three seeds: what learning and prices add",
    "repeat": "the five arms again, bit for bit: second run, new process, two threads",
    "sinkhorn": "Sinkhorn and Gumbel-Sinkhorn controls with weights of their own beside the rounds",
    "components": "parts of the policy switched off",
    "rounds": "one to eight rounds, and where the time of a proposal goes",
    "nga": "a network fitted to each pair: three fits, on a GPU where there is one; other studies compare with them",
    "deployment": "accuracy and time of proposals, the paper's Solver, NGA and our methods; similarity; streams",
    "frontier": "search after an analytic and a learned proposal, from a millisecond on",
    "cases": "pictures of three answers",
    "short": "FMCS, McSplit and SMSD in a tenth of a second, and in the time of a proposal",
    "planted": "frozen weights on unlabelled graphs with planted optima",
    "imdb": "unedited IMDB-BINARY pairs, beside McSplit, where half of the optima are unknown",
    "dd": "time, memory and edges on D&D proteins of up to 650 nodes",
    "tails": "the pairs that RASCAL leaves open at 60 s",
    "aromatic": "bonds that are left when aromatic rings count as a whole only, beside RASCAL and NGA",
    "identity": "graphs and pairs of the split, that none is shared, and the epochs that validation chose",
    "cost": "seconds from nothing to an answer, and after how many pairs training has paid for itself",
    "prices": "the price bound by zero, analytic and learned prices",
    "certificates": "pairs that prices, caps, RLT-1 and branching prove, every certificate verified",
    "lifted": "HiGHS on the lifted programmes, beside RLT-1, on 25 pairs a set",
    "cactus": "pairs proven within a time, beside RASCAL, SMSD and HiGHS",
    "retrieval": "three pools of look-alikes for twenty queries: size, WL, three networks, ENPDA-Fast, exact search",
}
"""Module of this package -> what it asks, in the order of the paper."""


def study(name: str) -> type[Study]:
    """Return a study by name."""
    choice("study", name, tuple(STUDIES))
    module = import_module(f"enpda_bench.studies.{name}")
    mine = (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__)
    return next(one for one in mine if issubclass(one, Study))
