"""`enpda bench`: the experiments, which are a distribution of their own."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from enpda.errors import InputError

NEEDED = "enpda bench needs the experiments: pip install ./bench in a checkout of enpda"


def bench_app() -> cyclopts.App:
    """Return the command of `enpda_bench`, or one that says how to install it."""
    try:
        app: cyclopts.App = import_module("enpda_bench.cli").bench
    except ModuleNotFoundError as error:
        if error.name != "enpda_bench":
            raise
        return missing
    return app


missing = cyclopts.App(name="bench", help=f"Run the experiments. {NEEDED[:1].upper()}{NEEDED[1:]}.")


@missing.default
def say_how(*_: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
    """Say how to install what is missing."""
    raise InputError(NEEDED)


bench = bench_app()
