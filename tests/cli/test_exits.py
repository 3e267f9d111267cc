"""How the command ends: its exit code, what it says, and what it leaves behind, whatever happens to it."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import enpda
from enpda import InputError, files
from enpda.cli import main
from enpda.errors import WriteError
from processes import ended

ENPDA = Path(sys.executable).with_name("enpda")
ASPIRIN, PARACETAMOL = "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1"


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """A file of three molecules."""
    path = tmp_path_factory.mktemp("some") / "some.smi"
    path.write_text("CCO ethanol\nCCN ethylamine\nCCCO propanol\n")
    return path


@pytest.mark.slow
def test_an_all_pairs_job_ends_well_every_time(some, tmp_path):
    """Arrow's threads once released buffers of Python's while the interpreter ended, which aborted every other run."""

    def ended(k):
        arguments = [ENPDA, "matrix", some, "-o", tmp_path / str(k % 20), "--threads", "1"]  # the last ten find a job
        return subprocess.run(arguments, capture_output=True, text=True)

    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(ended, range(30)))
    assert [(run.returncode, run.stderr) for run in runs] == [(0, "")] * 30


# -- Ctrl-C --------------------------------------------------------------------------------------------------


def hard(path, graphs):
    """Write graphs without labels, whose comparison nobody finishes, as GraphML."""
    rng = np.random.default_rng(0)
    lines = []
    for g in range(graphs):
        nodes = "".join(f"<node id='{g}.{v}'/>" for v in range(60))
        ends = np.argwhere(np.triu(rng.random((60, 60)) < 0.5, 1)).tolist()
        edges = "".join(f"<edge source='{g}.{u}' target='{g}.{v}'/>" for u, v in ends)
        lines.append(f"<graph edgedefault='undirected'>{nodes}{edges}</graph>\n")
    path.write_text(f"<graphml>\n{''.join(lines)}</graphml>\n")
    return path


def interrupted(*arguments):
    """Run a command and send it SIGINT once it is under way; returns its exit code and what it said."""
    # A shell without job control starts its children with SIGINT ignored, and so the child asks for it.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from enpda.cli import main; "
        "print('go', flush=True); sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "go\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        printed, said = ended(process)
    return process.returncode, printed, said


@pytest.mark.slow
def test_ctrl_c_on_a_pair_prints_the_best_so_far_and_exits_130(tmp_path):
    file = hard(tmp_path / "pair.graphml", 2)
    code, printed, said = interrupted("match", f"{file}:0", f"{file}:1", "--method", "exact", "--time-limit", "300")
    assert (code, said) == (130, "enpda: interrupted\n")
    assert "it was interrupted" in printed or not printed  # nothing when the signal came before the search


@pytest.mark.slow
def test_ctrl_c_on_a_job_exits_130_and_leaves_a_folder_to_go_on_with(tmp_path):
    file, out = hard(tmp_path / "four.graphml", 4), tmp_path / "job"
    code, printed, said = interrupted("matrix", file, "-o", out, "--method", "exact", "--time-limit", "300")
    assert (code, printed) == (130, "")
    assert said in ("enpda: stopped; the same command goes on from here\n", "enpda: interrupted\n")
    assert not list(tmp_path.rglob(f"*{files.PART}"))
    if (out / "job.json").exists():
        assert not enpda.Matrix.open(out).complete


@pytest.mark.slow
def test_ctrl_c_on_a_search_exits_130(tmp_path):
    file = hard(tmp_path / "four.graphml", 4)
    code, printed, said = interrupted("search", file, file, "--method", "exact", "--time-limit", "300")
    assert (code, printed, said) == (130, "", "enpda: interrupted\n")


# -- where the output goes -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_reader_who_leaves_early_is_no_reason_for_a_traceback(some, tmp_path):
    enpda.matrix(some, out=tmp_path)
    everything = "select * from range(200000)"
    with subprocess.Popen(
        [ENPDA, "sql", tmp_path, everything, "--csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "range\n"
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 1)


@pytest.mark.slow
def test_output_that_cannot_be_written_is_a_failure_that_is_told():
    with open("/dev/full", "w") as full:
        for command in (["info"], ["match", "CCO", "CCN", "--json"]):
            run = subprocess.run([ENPDA, *command], stdout=full, stderr=subprocess.PIPE, text=True)
            assert (run.returncode, run.stderr) == (1, "enpda: [Errno 28] No space left on device\n")
    code = "import os, sys; os.close(1); os.execv(sys.argv[1], sys.argv[1:])"
    run = subprocess.run([sys.executable, "-c", code, ENPDA, "match", "CCO", "CCN"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_is_no_reason_to_fail(encoding, tmp_path):
    file = tmp_path / "some.smi"
    file.write_text("CCO \N{GREEK SMALL LETTER ALPHA}\nCCN b\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for command in (
        ["match", f"{file}:0", f"{file}:1"],
        ["search", "CCO", file],
        ["match", "C", "\N{GREEK SMALL LETTER PI}"],
    ):
        run = subprocess.run([ENPDA, *command], capture_output=True, env=environment)
        assert run.returncode == (2 if command[1] == "C" else 0)
        assert b"Traceback" not in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["match", "CCO"],
        ["match", "CCO", "CCN", "--time-limit", "nan"],
        ["match", "CCO", "CCN", "--seed", "9" * 5_000],
        ["match", "CCO", "some.smi:" + "9" * 5_000],
        ["match", "CCO", "C\udcff"],
        ["match", "CCO", "CCN", "--certificate", "."],
        ["certify", "CCO", "CCN", "--mapping", "deep.json"],
        ["certify", "CCO", "CCN", "--mapping", "/dev/zero"],
        ["matrix", "some.smi", "-o", "job", "--chunks", "9" * 5_000 + ":1"],
        ["sql", ".", "select 1"],
        ["library", "info", "some.smi"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_bad_usage_and_bad_input_exit_2_in_one_message(arguments, some, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("some.smi").write_text(some.read_text())
    Path("deep.json").write_text("[" * 200_000)
    assert main(arguments) == 2
    printed, said = capsys.readouterr()
    assert not printed
    assert said.startswith("enpda: ")
    assert len(said.splitlines()) <= 2


# -- no room -------------------------------------------------------------------------------------------------

WRITERS = {
    "picture.svg": ["match", ASPIRIN, PARACETAMOL, "--svg"],
    "certificate.json": ["match", ASPIRIN, PARACETAMOL, "--certificate"],
    "certificate.json.gz": ["certify", ASPIRIN, PARACETAMOL, "-o"],
    "picture.png": ["draw", ASPIRIN, PARACETAMOL, "-o"],
    "page.html": ["draw", ASPIRIN, PARACETAMOL, "-o"],
    "hits.csv": ["search", "CCO", "SOME", "-o"],
    "hits.parquet": ["search", "CCO", "SOME", "-o"],
    "clusters.csv": ["cluster", "SOME", "--max-distance", "2", "-o"],
    "folds.csv": ["split", "SOME", "-o"],
    "library.arrow": ["library", "build", "SOME", "-o"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_no_room_leaves_the_old_file_and_nothing_else(name, some, tmp_path):
    arguments = [str(some) if word == "SOME" else word for word in WRITERS[name]]
    target = tmp_path / name
    target.write_bytes(b"old")
    # A limit on the size of files is as real as a full disk, and needs no disk of its own.
    code = (
        "import resource, sys; from enpda.cli import main; import enpda.bulk.library, pyarrow.csv, pyarrow.parquet; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (30, {resource.RLIM_INFINITY})); sys.exit(main(sys.argv[1:]))"
    )
    run = subprocess.run([sys.executable, "-c", code, *arguments, target], capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    assert run.stderr.startswith("enpda: cannot write the ")
    assert str(target) in run.stderr
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]
    assert main([*arguments, str(target)]) == 0  # with room it is replaced
    assert target.read_bytes() != b"old"
    assert os.listdir(tmp_path) == [name]


def test_a_file_that_cannot_be_written_is_both_an_input_error_and_an_os_error(tmp_path):
    for path in (tmp_path / "none" / "x.svg", tmp_path):
        with pytest.raises(InputError, match=f"^cannot write the certificate {path}: ") as failure:
            enpda.match("CC", "CC").certificate.save(path)
        assert isinstance(failure.value, WriteError)
        assert isinstance(failure.value, OSError)
        assert failure.value.filename == str(path)
    assert not os.listdir(tmp_path)


def test_links_modes_and_pipes_stay_what_they_are(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    files.save(link, "new")
    assert link.is_symlink()
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("new", 0o640)
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    files.save(pipe, "through")
    reader.join(30)
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def half_written(path, failure):
    with files.replacing(path) as temporary:
        temporary.write_text("half")
        raise failure


def test_whatever_is_raised_while_a_file_is_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    for failure in (KeyboardInterrupt, ZeroDivisionError, MemoryError):
        with pytest.raises(failure):
            half_written(path, failure)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]
