"""`--limits`, an option of every command: how large input may be."""

from __future__ import annotations

import os

from enpda.errors import InputError
from enpda.limits import LIMITS, VARIABLE

OPTION = "--limits"


def without_limits(arguments: list[str]) -> list[str]:
    """Take `--limits NAME=NUMBER,...` out of the arguments and set these limits, here and in processes begun here."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept: list[str] = []
    rest = iter(arguments[:end])
    for argument in rest:
        if argument == OPTION:
            text = next(rest, None)
            if text is None:
                raise InputError(f"{OPTION} needs limits, such as atoms=50000,ring_bonds=8000")
        elif argument.startswith(f"{OPTION}="):
            text = argument.removeprefix(f"{OPTION}=")
        else:
            kept.append(argument)
            continue
        LIMITS.update(text)
        os.environ[VARIABLE] = ",".join(f"{name}={value}" for name, value in vars(LIMITS).items())
    return kept + arguments[end:]
