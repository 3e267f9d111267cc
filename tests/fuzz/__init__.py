"""Attacks on the whole package, each judged by a brute force that shares nothing with it.

`python -m tests.fuzz NAME --cases N` runs one campaign; `make fuzz MINUTES=n` runs them all.
"""
