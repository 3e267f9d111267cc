"""Learned policies: the weights that ship with the package, or a file of one's own.

A file of weights has a card that names its format, and `FORMATS` says what evaluates it. There are two kinds. A
`_core.Policy` corrects the paper's rounds of bids and prices. A `_core.ShareNetwork` shares profit out between the
copies of association edges: its rounds give an upper bound, and scores to decode.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from enpda import _core
from enpda.checks import choice, real
from enpda.documents import parsed
from enpda.errors import InputError, brief
from enpda.files import path_of

NAMED = {"default": "shares-1", "paper": "full-0", "paper-plus": "plus-0"}
"""Name of a policy -> the shipped file that it stands for."""
NONE = "none"
"""The name of no policy at all."""
Learned = _core.Policy | _core.ShareNetwork
FORMATS: dict[str, type[Learned]] = {"enpda-policy-1": _core.Policy, "enpda-shares-1": _core.ShareNetwork}
"""Format that a card names -> what evaluates such weights."""
STEPS = {"proof": 2.0, "proposal": 2.5}
"""Steps of a network that shares profit out, for each round, unless its card says otherwise. Proofs were fastest with
eight steps at four rounds; ten, as many as it was trained for, make the better proposal (both on validation pairs)."""
MAX_BYTES = 16_000_000


@lru_cache(maxsize=16)  # a path takes longer to make than an easy proof
def shipped(name: str) -> Path:
    """Return the path of a shipped file: a kind of weights and their seed, as in `full-0`.

    `shares` is the default policy. `full`, `no-price` and `sinkhorn` were trained as the paper says, `plus` is the full
    policy trained with what works better.
    """
    return Path(__file__).parents[1] / "weights" / f"{name}.safetensors"


def load(policy: str | os.PathLike[str]) -> Learned:
    """Return a policy by name or from a safetensors file, ready for the core; read once.

    Parameters
    ----------
    policy : {"default", "paper", "paper-plus"} or path
        A name, or a file that `enpda train` wrote.
    """
    if isinstance(policy, str) and policy in NAMED:
        return _named(policy)
    return _read(*_stamped(policy))


def _stamped(policy: str | os.PathLike[str]) -> tuple[Path, int, int]:
    """Return the file of a policy, when it was changed, and its size: together they say what was read of it."""
    path = locate(policy)
    try:
        stamp = path.stat()
    except OSError as error:
        raise InputError(
            f"policy must be one of {', '.join([*NAMED, NONE])} or a file; {brief(policy)}: {error.strerror}"
        ) from None
    if stamp.st_size > MAX_BYTES:
        raise InputError(f"the policy {path} has {stamp.st_size} bytes; at most {MAX_BYTES} are read")
    return path, stamp.st_mtime_ns, stamp.st_size


def load_rounds(policy: str | os.PathLike[str]) -> _core.Policy:
    """Return a policy that corrects the rounds of bids and prices, and no other."""
    found = load(policy)
    if not isinstance(found, _core.Policy):
        raise InputError(f"rounds of bids and prices need a policy like 'paper'; {brief(policy)} shares profit out")
    return found


def locate(policy: str | os.PathLike[str]) -> Path:
    """Return the file that a policy's name stands for."""
    if isinstance(policy, str) and policy in NAMED:
        return shipped(NAMED[policy])
    try:
        return Path(path_of(policy))
    except InputError:
        raise InputError(f"policy must be one of {', '.join([*NAMED, NONE])} or a path; got {brief(policy)}") from None


def card(policy: str | os.PathLike[str] = "default") -> dict[str, Any]:
    """Return what is known about a policy: how it was trained, on what, and how it fared."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(locate(policy), framework="np") as file:
            return dict(parsed((file.metadata() or {}).get("card", "{}"), "the card"))
    except (SafetensorError, OSError, TypeError, ValueError) as error:
        raise InputError(f"{locate(policy)} is not a file of weights: {error}") from None


def steps_of(policy: str | os.PathLike[str], purpose: str, rounds: int) -> int:
    """Return how many steps a network that shares profit out takes for a `proof` or a `proposal` of so many rounds."""
    named = isinstance(policy, str) and policy in NAMED
    found = _steps(locate(policy), 0, 0) if named else _steps(*_stamped(policy))
    return int(found[purpose] * rounds)


@lru_cache(maxsize=16)
def _steps(path: Path, changed: int, size: int) -> dict[str, float]:
    own = card(path).get("steps", {})
    if not isinstance(own, dict):
        raise InputError(f"{path}: steps of the card must name them by purpose; got {brief(own)}")
    for name, value in own.items():
        choice("a purpose of steps", name, tuple(STEPS))
        real("steps of the card", value, 0, 1000)
    return {**STEPS, **own}


@lru_cache(maxsize=len(NAMED))
def _named(name: str) -> Learned:
    """Return what ships under a name, which does not change."""
    return _read(locate(name), 0, 0)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, size: int) -> Learned:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"{path} is not a file of weights: {error}") from None
    named = card(path).get("format")
    if named not in FORMATS:
        raise InputError(f"{path}: the card must name a format, {' or '.join(FORMATS)}; got {brief(named)}")
    try:
        return FORMATS[named](weights)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None
