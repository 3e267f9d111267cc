"""The README's figures: those of one committed run, and it is told when the code has changed since."""

import copy
from pathlib import Path

import pytest

from enpda.errors import InputError
from enpda_bench import summary

REPOSITORY = Path(__file__).parents[2]
README = REPOSITORY / "README.md"


def test_the_readme_shows_the_committed_summary_and_whether_the_code_is_still_the_same():
    found = summary.load(REPOSITORY / summary.FILE)
    shown = README.read_text(encoding="utf-8").partition(summary.BEGIN)[2].partition(summary.END)[0]
    assert shown.strip() == summary.block(found, summary.digest(REPOSITORY)), "run `enpda bench summary --render`"


def test_the_readme_is_read_in_five_minutes():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_a_summary_of_other_code_says_so():
    found = summary.load(REPOSITORY / summary.FILE)
    assert "The code has changed since." not in summary.block(found, found["code"])
    assert "The code has changed since." in summary.block(found, "other")


def test_a_page_without_the_marks_is_refused(tmp_path):
    found = copy.deepcopy(summary.load(REPOSITORY / summary.FILE))
    (tmp_path / "page.md").write_text("nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="no block between"):
        summary.rewrite(tmp_path / "page.md", found, found["code"])


def test_figures_belong_to_a_commit(tmp_path):
    with pytest.raises(InputError, match="no clone of the project"):
        summary.run(tmp_path, tmp_path, 1)
