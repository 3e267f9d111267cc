"""Every input of `inputs.py`, run as it is written there, and the table of them in the documentation."""

import io
import shlex
import sys
from pathlib import Path

import pytest

import inputs
from enpda.cli import main
from enpda.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "inputs.md"


@pytest.fixture
def here(tmp_path, monkeypatch):
    inputs.files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", inputs.CASES, ids=lambda case: case.kind)
@pytest.mark.filterwarnings("ignore::enpda.InputWarning")
def test_what_people_have_gives_what_the_table_says(case, here, capsys, monkeypatch):
    if case.command:
        shown = run(case.call, here, capsys, monkeypatch)
    else:
        try:
            shown = str(eval(case.call, inputs.names(here)))
        except InputError as error:
            shown = str(error)
    assert case.outcome in shown


def run(command, folder, capsys, monkeypatch):
    """Return what a command prints, with its standard input from `cat FILE |`."""
    if command.startswith("cat "):
        source, command = command.removeprefix("cat ").split(" | ")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / source).read_bytes())))
    assert main(shlex.split(command)[1:]) in (0, 2)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out + err


def test_the_page_shows_this_table_and_it_is_long_enough():
    assert len(inputs.CASES) >= 60
    assert inputs.table() in PAGE.read_text(encoding="utf-8")
