"""RDKit's RASCAL for the largest piece of what two molecules share."""

from enpda.bench.baselines.rascal_molecules import largest_piece as run

__all__ = ["run"]
