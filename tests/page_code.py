"""The code of documentation pages: found, run page by page, and held against the outputs that the pages show.

A page is a script. Its blocks run in order, `python` ones in one namespace, all of them in one folder:

- `python`: a comment behind an expression that begins with a value (`m.size  # 9`, `# 9: why`) is its value;
- `text` directly behind such a block is what the block prints;
- `sh`: commands, each of which must end with exit code 0, or with the one that a comment tells (`# exit code 1`);
- `console`: commands behind `$`, and what they print. There `...` stands for anything, and so do seconds.

A block that cannot run where the tests do has `<!-- not run: why -->` on the line before it.
"""

from __future__ import annotations

import ast
import io
import re
import shlex
import subprocess
import sys
import tokenize
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enpda.cli import main

FENCE = re.compile(r"^( *)```([a-z]*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*$")
SECONDS = re.compile(r"\d+(\.\d+)?(?= (ms|s)\b)")
INCLUDED = "--8<--"
"""Begins a block that is a file of `examples/`, which another test runs."""
RUN = ("python", "sh", "console")
"""Languages of blocks that are code of ours; the others show something."""


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, text, line in the page, and what is printed behind it where that is shown."""

    language: str
    text: str
    line: int
    runs: bool
    output: str | None = None


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page in order."""
    words = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(words))
    listed = []
    for at, match in enumerate(found):
        language, text = match[2], re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE)
        output = None
        if language == "python" and at + 1 < len(found):
            behind = found[at + 1]
            if behind[2] == "text" and not words[match.end() : behind.start()].strip():
                output = behind[3]
        runs = language in RUN and not NOT_RUN.search(words[: match.start()]) and not text.startswith(INCLUDED)
        listed.append(Block(language, text, words[: match.start()].count("\n") + 2, runs, output))
    return listed


def run(page: Path, names: dict[str, Any]) -> None:
    """Run the blocks of a page in the current folder; an `AssertionError` names page and line of what does not hold."""
    for block in blocks(page):
        if not block.runs:
            continue
        try:
            if block.language == "python":
                printed = run_python(block, names)
                assert block.output is None or alike(block.output, printed), f"shown:\n{block.output}\nis:\n{printed}"
            else:
                run_commands(block)
        except Exception as error:
            raise AssertionError(f"{page.name}, block at line {block.line}: {type(error).__name__}: {error}") from error


def run_python(block: Block, names: dict[str, Any]) -> str:
    """Run a Python block, compare the values it shows, and return what it prints."""
    tokens = tokenize.generate_tokens(io.StringIO(block.text).readline)
    comments = {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in ast.parse(block.text).body:
            if not isinstance(statement, ast.Expr):
                exec(compile(ast.Module([statement], []), "<page>", "exec"), names)
                continue
            value = eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)
            shown = value_shown(comments.get(statement.end_lineno or 0, ""), value)
            assert shown is None or same(shown, value), (
                f"line {block.line + statement.lineno - 1} shows {shown}: {value!r}"
            )
    return printed.getvalue()


def value_shown(comment: str, value: object) -> str | None:
    """Return the value that a comment begins with, as it is written, or None for prose."""
    ends = [len(comment), *(match.start() for match in reversed(list(re.finditer(r"[:;,] ", comment))))]
    for end in ends:
        if comment[:end].startswith(f"{type(value).__name__}(") and comment[:end].endswith(")"):
            return comment[:end]
        try:
            ast.literal_eval(comment[:end])
        except (SyntaxError, ValueError):
            continue
        return comment[:end]
    return None


def same(shown: str, value: object) -> bool:
    """Whether a value is the one shown: by its text, with `...` for anything, or as a number with the digits shown."""
    if alike(shown, repr(value)):
        return True
    try:
        return "..." not in shown and equal(ast.literal_eval(shown), value)
    except (SyntaxError, ValueError):
        return False


def equal(shown: Any, value: Any) -> bool:
    """Compare nested values; a float counts as equal when it rounds to the one shown."""
    if isinstance(shown, tuple | list) and isinstance(value, tuple | list):
        return len(shown) == len(value) and all(map(equal, shown, value))
    if isinstance(shown, float) and isinstance(value, float):
        return round(value, len(str(shown).partition(".")[2])) == shown
    return bool(shown == value)


def alike(shown: str, printed: str) -> bool:
    """Whether a text is the one shown; `...` and seconds stand for anything, a line of `...` for any lines."""
    lines = SECONDS.sub("...", plain(shown)).split("\n")
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line == "..." else r".*?".join(map(re.escape, line.split("..."))) + r"\n" for line in lines
    )
    return re.fullmatch(pattern, SECONDS.sub("...", plain(printed)) + "\n", re.DOTALL) is not None


def plain(text: str) -> str:
    """Drop spaces at ends of lines and empty lines at both ends."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def run_commands(block: Block) -> None:
    """Run the commands of a block; those of a `console` block print what stands behind them."""
    if block.language == "sh":
        commands = [(line, None) for line in block.text.replace("\\\n", " ").splitlines() if line.strip()]
    else:
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
        commands = [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]
    for command, shown in commands:
        code, printed = run_command(command)
        told = re.search(r"# exit code (\d+)", command)
        assert code == (int(told[1]) if told else 0), f"{command} exits with {code}: {printed}"
        assert not shown or alike(shown, printed), f"{command}\nshown:\n{shown}\nis:\n{printed}"


def run_command(command: str) -> tuple[int, str]:
    """Run one command line: `enpda` in this process, all others in a shell."""
    words = shlex.split(command, comments=True)
    if not words or words[0] != "enpda":
        command = re.sub(r"^python3? ", f"{shlex.quote(sys.executable)} ", command)
        ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(words[1:])
    return code, out.getvalue()
