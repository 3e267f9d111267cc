"""The command line: one module a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import cyclopts

from enpda import __version__
from enpda.cli.limits import without_limits
from enpda.errors import InputError

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns 0, 1 (the work failed) or 2 (bad usage or input)."""
    try:
        result = app(without_limits(sys.argv[1:] if arguments is None else list(arguments)))
        return result if isinstance(result, int) else 0
    except cyclopts.CycloptsError as error:
        print(f"enpda: {error}\nenpda: try `enpda --help`", file=sys.stderr)
        return 2
    except InputError as error:
        print(f"enpda: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("enpda: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has left, as `| head` does
        sys.stderr.close()
        return 1
    except OSError as error:
        print(f"enpda: {error}", file=sys.stderr)
        return 1
