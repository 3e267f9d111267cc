"""RASCAL itself, called as the tests want it, and pairs small enough for it."""

from rdkit import Chem, rdBase
from rdkit.Chem import rdRascalMCES

from enpda.data import drug_pairs

PAIRS = [(a, b) for a, b in drug_pairs() if max(len(a), len(b)) <= 25]


def theirs(**values):
    """RDKit's options without its limits, and what is asked."""
    options = rdRascalMCES.RascalOptions()
    for name, value in {"similarityThreshold": 0.0, "maxBondMatchPairs": 10**6, "timeout": 1, **values}.items():
        setattr(options, name, value)
    return options


def rascal(a, b, options):
    with rdBase.BlockLogs():
        return rdRascalMCES.FindMCES(a, b, options)


def size(results):
    return len(results[0].bondMatches()) if results else 0


def mols(*smiles):
    return [Chem.MolFromSmiles(s) for s in smiles]
