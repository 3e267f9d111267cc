"""Which run may be published into a repository, and the commits that a page names."""

import json
import subprocess
import tarfile
from pathlib import Path

import pytest

from enpda.cli import main
from enpda_bench import archive, note
from enpda_bench.pages import lines as cells
from enpda_bench.pages.html import html
from enpda_bench.pages.lines import Line
from enpda_bench.pages.markdown import markdown
from enpda_bench.pages.page import Page, load

SESSION = {"start": "2026-01-01T00:00:00", "end": "2026-01-01T00:00:01", "seconds": 1.0, "failure": ""}


def git(folder, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    place = tmp_path / "repository"
    (place / "src").mkdir(parents=True)
    (place / "src" / "a.py").write_text("a = 1\n", encoding="utf-8")
    (place / "notes.md").write_text("nothing\n", encoding="utf-8")
    git(place, "init", "--quiet")
    git(place, "add", ".")
    git(place, "commit", "--quiet", "--message", "first")
    return place


def made(**commits):
    """A note of studies that ran at these commits, one session each."""
    every = list(dict.fromkeys(commit for some in commits.values() for commit in some))
    environments = [{"machine": "m", "python": "3.11", "packages": {}, "commit": commit} for commit in every]
    studies = {
        name: {"command": f"c {name}", "sessions": [{**SESSION, "environment": every.index(x)} for x in some]}
        for name, some in commits.items()
    }
    return {"profile": "smoke", "enpda": "0", "data": {}, "environments": environments, "studies": studies}


def run_of(folder, **commits):
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(made(**commits)), encoding="utf-8")
    cells.write([Line(name, f"table of {name}", "row", "column", 1.0) for name in commits], folder / "cells.csv")
    return folder


def test_a_run_of_this_commit_is_published(repository, tmp_path, capsys):
    run = run_of(tmp_path / "run", causality=[git(repository, "rev-parse", "HEAD")])
    (repository / "notes.md").write_text("changed, but no code\n", encoding="utf-8")
    out = repository / "benchmarks" / "paper"
    for _ in range(2):
        assert main(["bench", "publish", str(run), "-o", str(out)]) == 0
    assert (out / "report.html").is_file()
    capsys.readouterr()


@pytest.mark.parametrize("commits", [["0" * 40], ["HEAD", "0" * 40], ["HEAD with changes"], [""]])
def test_a_run_of_another_commit_is_refused_unless_that_is_said(commits, repository, tmp_path, capsys):
    head = git(repository, "rev-parse", "HEAD")
    ran = [commit.replace("HEAD", head) for commit in commits]
    run = run_of(tmp_path / "run", causality=ran, rounds=[head])
    out = repository / "benchmarks" / "paper"
    assert main(["bench", "publish", str(run), "-o", str(out)]) == 2
    err = capsys.readouterr().err
    assert "1 of 2 studies are not: causality ran at" in err
    assert "--other-commit" in err
    assert not out.exists()
    assert main(["bench", "publish", str(run), "-o", str(out), "--other-commit"]) == 0
    for page in ("report.md", "report.html"):
        text = (out / page).read_text(encoding="utf-8")
        assert f"Study rounds, commit {head[:12]}." in text
        for commit in ran:
            assert note.short(commit) in text


def test_changed_sources_are_no_commit_to_publish_at(repository, tmp_path, capsys):
    run = run_of(tmp_path / "run", causality=[git(repository, "rev-parse", "HEAD")])
    (repository / "src" / "a.py").write_text("a = 2\n", encoding="utf-8")
    assert main(["bench", "publish", str(run), "-o", str(repository / "out")]) == 2
    assert "with changes" in capsys.readouterr().err
    assert main(["bench", "publish", str(run), "-o", str(repository / "out"), "--other-commit"]) == 0


def test_a_folder_in_no_repository_takes_every_run(tmp_path, capsys):
    run = run_of(tmp_path / "run", causality=["0" * 40])
    assert main(["bench", "publish", str(run), "-o", str(tmp_path / "out")]) == 0
    assert "commit 000000000000." in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    capsys.readouterr()


def test_every_table_names_its_commits_and_both_when_a_run_went_on_at_another():
    one, two = "1" * 40, "2" * 40
    commits = {"causality": [one], "rounds": [one, two, one], "prices": [""]}
    lines = [Line(name, f"table of {name}", "r", "c", 1.0) for name in commits]
    page = Page(made(**commits), lines, {}, [])
    assert page.origins("table of causality") == ["Study causality, commit 111111111111."]
    assert page.origins("table of rounds") == ["Study rounds, commits 111111111111 and 222222222222."]
    assert page.origins("table of prices") == ["Study prices, commit unknown (not run from a checkout)."]
    for text in (markdown(page), html(page)):
        assert all(origin in text for label in page.shapes for origin in page.origins(label))


@pytest.mark.slow
def test_every_table_of_a_run_names_a_commit(bare_run):
    page = load(bare_run)
    text = (bare_run / "report.md").read_text(encoding="utf-8")
    for label in page.shapes:
        assert page.origins(label)
        assert all(origin in text for origin in page.origins(label))


def test_an_archive_of_the_sources_tells_its_commit(repository, tmp_path, monkeypatch):
    own = Path(archive.__file__)
    (repository / ".gitattributes").write_text(f"{own.name} export-subst\n", encoding="utf-8")
    (repository / own.name).write_text(own.read_text(encoding="utf-8"), encoding="utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "--quiet", "--message", "with an archive's word")
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "archive", "--output", tmp_path / "archive.tar", "HEAD")
    with tarfile.open(tmp_path / "archive.tar") as some:
        told = some.extractfile(own.name).read().decode()
    monkeypatch.setattr(archive, "COMMIT", "$Format:%H$")
    assert note.commit(tmp_path) == ""
    monkeypatch.setattr(archive, "COMMIT", head)
    assert note.commit(tmp_path) == head
    assert f'COMMIT = "{head}"' in told
