"""Molecules as RDKit has them, and as arrays."""
