"""What two molecules, or any two labelled graphs, have in common: maximum common edge subgraphs."""

from enpda.budget import Budget
from enpda.bulk.cluster import Clusters, cluster
from enpda.bulk.library import Library
from enpda.bulk.many import match_many, match_stream
from enpda.bulk.matrix import Matrix, matrix
from enpda.bulk.partition import Split, split
from enpda.certificate import Certificate, verify
from enpda.constraints import Constraints
from enpda.errors import InputError, InputWarning
from enpda.graph import Graph
from enpda.io import read
from enpda.matching import certify, match
from enpda.optima import enumerate_optima
from enpda.result import Match
from enpda.rules import Rules

__version__ = "0.1.0"
__all__ = [
    "Budget",
    "Certificate",
    "Clusters",
    "Constraints",
    "Graph",
    "InputError",
    "InputWarning",
    "Library",
    "Match",
    "Matrix",
    "Rules",
    "Split",
    "__version__",
    "certify",
    "cluster",
    "enumerate_optima",
    "match",
    "match_many",
    "match_stream",
    "matrix",
    "read",
    "split",
    "verify",
]
