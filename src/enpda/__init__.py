"""What two molecules, or any two labelled graphs, have in common: maximum common edge subgraphs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from enpda.errors import InputError, InputWarning
from enpda.graph import Graph
from enpda.io import read
from enpda.problem.constraints import Constraints
from enpda.problem.rules import Rules
from enpda.result.certificate import Certificate, verify
from enpda.result.match import Match
from enpda.solve.budget import Budget
from enpda.solve.matching import certify, match
from enpda.solve.optima import enumerate_optima
from enpda.version import __version__

if TYPE_CHECKING:
    from enpda.bulk.cluster import Clusters, cluster
    from enpda.bulk.hits import Hits
    from enpda.bulk.library import Library
    from enpda.bulk.many import match_many, match_stream
    from enpda.bulk.matrix import Matrix, matrix
    from enpda.bulk.partition import Split, split
    from enpda.bulk.rgroups import RGroups, rgroups
    from enpda.bulk.search import search
    from enpda.bulk.table import match_table

__all__ = [
    "Budget",
    "Certificate",
    "Clusters",
    "Constraints",
    "Graph",
    "Hits",
    "InputError",
    "InputWarning",
    "Library",
    "Match",
    "Matrix",
    "RGroups",
    "Rules",
    "Split",
    "__version__",
    "certify",
    "cluster",
    "enumerate_optima",
    "match",
    "match_many",
    "match_stream",
    "match_table",
    "matrix",
    "read",
    "rgroups",
    "search",
    "split",
    "verify",
]

_LATER = {
    "Clusters": "cluster",
    "Hits": "hits",
    "Library": "library",
    "Matrix": "matrix",
    "RGroups": "rgroups",
    "Split": "partition",
    "cluster": "cluster",
    "match_many": "many",
    "match_stream": "many",
    "match_table": "table",
    "matrix": "matrix",
    "rgroups": "rgroups",
    "search": "search",
    "split": "partition",
}
"""Names that are imported when somebody uses them, and their modules in `bulk`: half of the import time."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'enpda' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"enpda.bulk.{_LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
