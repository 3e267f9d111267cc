"""The command line: one module a command."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import TextIO

import cyclopts

from enpda.cli.inputs import STDIN
from enpda.cli.limits import without_limits
from enpda.errors import InputError
from enpda.version import __version__

app = cyclopts.App(
    name="enpda",
    help="What two molecules, or any two labelled graphs, have in common.\n\n"
    "Every command takes `--limits NAME=NUMBER,...`: how large what is read may be (see docs/input.md).",
    version=__version__,
    help_format="markdown",
    result_action="return_value",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
)
for command in (
    "match",
    "matrix",
    "search",
    "library",
    "cluster",
    "split",
    "rgroups",
    "sql",
    "draw",
    "certify",
    "verify",
    "info",
    "demo",
    "bench",
    "train",
):
    app.command(getattr(import_module(f"enpda.cli.{command}"), command))


INTERRUPTED = 128 + signal.SIGINT
"""What a shell says of a command that Ctrl-C ended."""
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of a disk, whatever file was named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns 0, 1 (the work failed), 2 (bad usage or input) or 130 (Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):  # an arrow in a name is no reason to fail where only ASCII can be shown
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.showwarning = _warned
        return _run(sys.argv[1:] if arguments is None else arguments)


def _run(given: Sequence[str]) -> int:
    try:
        result = app(without_limits([STDIN if word == "-" else word for word in given]))
        _flush()  # here, where its errors can be told
        return result if isinstance(result, int) else 0
    except cyclopts.CycloptsError as error:
        return fail(2, f"{error}\nenpda: try `enpda --help`")
    except KeyboardInterrupt as interrupt:
        return fail(INTERRUPTED, str(interrupt) or "interrupted")
    except BrokenPipeError:  # the reader of our output has left, as `| head` does
        return fail(1)
    except InputError as error:
        return fail(1 if getattr(error, "errno", None) in NO_ROOM else 2, str(error))
    except OSError as error:
        return fail(1, str(error))
    except MemoryError:
        return fail(1, "out of memory")


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as every message of a command, without the line of code that it came from."""
    with suppress(OSError):
        print(f"enpda: {message}", file=sys.stderr)


def fail(code: int, words: str | None = None) -> int:
    """Say on stderr why the command fails, and see to it that what is left of its output cannot fail once more."""
    with suppress(OSError):
        if words is not None:
            print(f"enpda: {words}", file=sys.stderr)
    try:
        _flush()
    except OSError:
        with suppress(OSError, ValueError):  # a stream that is no file has no number
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _flush() -> None:
    if sys.stdout is not None:  # as it is when the caller closed it
        sys.stdout.flush()
