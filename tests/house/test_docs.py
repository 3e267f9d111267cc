"""Documentation: every block of code runs, outputs are those shown, links lead somewhere, pictures are made by us."""

import csv
import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from rdkit import Chem

import enpda
import page_code
from enpda.data import drugs

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), REPOSITORY / "README.md"]
WIDEST = 92
"""Characters of a line of code that fit on a page of the site."""
FAMILY = (
    "aspirin",
    "paracetamol",
    "caffeine",
    "theophylline",
    "morphine",
    "codeine",
    "naloxone",
    "diazepam",
    "salbutamol",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that pages name, made of the drugs that ship."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ENPDA_DATA", raising=False)
    smiles = {name: Chem.MolToSmiles(drugs()[name].to_mol()) for name in FAMILY}
    lines = "".join(f"{text} {name}\n" for name, text in smiles.items())
    for name in ("molecules", "library", "drugs"):
        (tmp_path / f"{name}.smi").write_text(lines, encoding="utf-8")
        (tmp_path / f"{name}.smi.gz").write_bytes(gzip.compress(lines.encode()))
    shutil.copy(REPOSITORY / "src" / "enpda" / "data" / "drugs.csv", tmp_path)
    (tmp_path / "queries.smi").write_text("".join(lines.splitlines(keepends=True)[:2]), encoding="utf-8")
    enpda.Library.build(tmp_path / "library.smi", tmp_path / "library.arrow")
    series = {name: Chem.MolToSmiles(drugs()[name].to_mol()) for name in ("gefitinib", "erlotinib", "propranolol")}
    (tmp_path / "series.smi").write_text("".join(f"{text} {name}\n" for name, text in series.items()), encoding="utf-8")
    table = "".join(f"{name},{text}\n" for name, text in smiles.items())
    (tmp_path / "library.csv.gz").write_bytes(gzip.compress(f"id,structure\n{table}".encode()))
    with (tmp_path / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [("a", "b"), *((smiles["morphine"], smiles[name]) for name in ("codeine", "naloxone"))]
        )
    for name, drug in (("a", "aspirin"), ("b", "paracetamol"), ("A", "morphine"), ("B", "codeine")):
        with Chem.SDWriter(str(tmp_path / f"{name}.sdf")) as writer:
            writer.write(drugs()[drug].to_mol())
    theirs = enpda.match(drugs()["aspirin"], drugs()["paracetamol"], "fast").mapping
    (tmp_path / "theirs.json").write_text(json.dumps([list(pair) for pair in theirs.items()]), encoding="utf-8")
    return tmp_path


def names_of_the_readme():
    """What the README speaks of without saying where it comes from."""
    a, b = drugs()["aspirin"], drugs()["paracetamol"]
    return {"a": a, "b": b, "pairs": [(a, b)], "query": a, "mapping": {0: 0, 1: 1}}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs_and_gives_what_it_shows(page, folder):
    page_code.run(page, names_of_the_readme() if page.name == "README.md" else {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_of_a_page_hides_from_the_tests(page):
    for block in page_code.blocks(page):
        if block.language not in page_code.RUN:
            commands = re.findall(r"^(?:\$ )?(?:enpda [a-z]+|import enpda).*", block.text, re.MULTILINE)
            assert not commands or page.name == "README.md", f"{page.name}: not marked as code: {commands}"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_code_is_narrow_enough_for_the_site(page):
    for block in page_code.blocks(page):
        included = re.search(r'--8<-- "(.+)"', block.text)
        text = (REPOSITORY / included[1]).read_text(encoding="utf-8") if included else block.text
        wide = [line for line in text.splitlines() if len(line) > WIDEST]
        assert not wide, f"{page.name}: {wide}"


def anchors(page):
    """Names that headings of a page get on the site and on GitHub."""
    words = page_code.FENCE.sub("", page.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ (.+)$", words, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", [*PAGES, REPOSITORY / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_to_files_and_headings_that_exist(page):
    words = page_code.FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)\s]+)\)", words):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {link}"
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), f"{page.name} links to {link}"


def test_the_site_lists_every_page_once():
    listed = re.findall(r"([\w-]+\.md)$", (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in DOCS.glob("*.md"))


def test_the_reference_has_every_public_name():
    words = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("reference*.md"))
    listed = re.findall(r"^::: (\S+)$", words, re.MULTILINE)
    assert {f"enpda.{name}" for name in enpda.__all__ if not name.startswith("_")} <= set(listed)
    assert len(listed) == len(set(listed))
