"""Examples run, notebooks run again, and the documentation shows exactly the pictures that we draw."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import page_code

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"
PICTURES = REPOSITORY / "docs" / "pictures"
NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.py"))


def script(name):
    """Import a program of `examples/`, which is no package."""
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


notebooks, pictures = script("make_notebooks"), script("make_pictures")


@pytest.mark.slow
@pytest.mark.parametrize("name", pictures.GALLERY)
def test_an_example_runs_and_draws_its_picture(name, tmp_path):
    ended = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", tmp_path], check=True, capture_output=True, text=True
    )
    assert ended.stdout.strip()
    assert ended.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.svg"]
    assert "</svg>" in (tmp_path / f"{name}.svg").read_text(encoding="utf-8")


def test_the_gallery_shows_every_example():
    words = (REPOSITORY / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert re.findall(r'--8<-- "examples/(\w+)\.py"', words) == list(pictures.GALLERY)
    assert re.findall(r"\(pictures/(\w+)\.svg\)", words) == list(pictures.GALLERY)


@pytest.mark.slow
def test_the_pictures_that_no_example_draws_can_be_drawn():
    drawn = pictures.pictures()
    assert {*drawn, *pictures.GALLERY} == {path.stem for path in PICTURES.iterdir()}, "run `make pictures`"
    assert all("</svg>" in pictures.light(svg) for svg in drawn.values())


def test_every_picture_is_on_a_page_and_every_guide_with_code_has_one():
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (REPOSITORY / "docs").glob("*.md")}
    shown = {name for words in pages.values() for name in re.findall(r"\(pictures/([\w-]+)\.svg\)", words)}
    assert shown == {path.stem for path in PICTURES.iterdir()}
    site = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    guides = re.search(r"- Guides:\n(.*?)\n  - ", site, re.DOTALL)
    assert guides is not None
    for guide in re.findall(r"([\w-]+)\.md", guides[1]):
        assert "(pictures/" in pages[guide] or "```" not in pages[guide], f"docs/{guide}.md has no picture"


@pytest.mark.slow
@pytest.mark.parametrize("source", NOTEBOOKS, ids=lambda source: source.stem)
def test_a_notebook_runs_again_without_an_error(source, tmp_path):
    made = notebooks.executed(source, tmp_path)
    assert all(cell.outputs for cell in made.cells if cell.cell_type == "code")


@pytest.mark.parametrize("source", NOTEBOOKS, ids=lambda source: source.stem)
def test_a_committed_notebook_is_its_source_executed(source):
    kept = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    nbformat.validate(kept)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in notebooks.notebook(source).cells]
    assert all(cell.outputs for cell in kept.cells if cell.cell_type == "code"), "run `make pictures`"


PAGE = """
```python
x = [1, 2, 3]
x  # [1, ...]
len(x)  # {length}: prose
x  # prose that is no value
print(1 / 3)
```
```text
{third}
```
```console
$ echo a b
{words}
```
"""


@pytest.mark.parametrize(
    ("length", "third", "words", "good"),
    [
        (3, "0.333...", "a b", True),
        (4, "0.333...", "a b", False),
        (3, "0.334...", "a b", False),
        (3, "0.333...", "a c", False),
    ],
)
def test_a_page_that_shows_what_is_not_so_fails(tmp_path, length, third, words, good):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(length=length, third=third, words=words), encoding="utf-8")
    if good:
        page_code.run(page, {})
    else:
        with pytest.raises(AssertionError, match=r"page\.md, block at line"):
            page_code.run(page, {})


def test_a_command_that_fails_fails_its_page(tmp_path):
    page = tmp_path / "page.md"
    for told, good in (("", False), ("  # exit code 2", True), ("  # exit code 1", False)):
        page.write_text(f"```sh\nenpda match C{told}\n```\n", encoding="utf-8")
        if good:
            page_code.run(page, {})
        else:
            with pytest.raises(AssertionError, match="exits with 2"):
                page_code.run(page, {})
