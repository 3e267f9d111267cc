"""What people met in their first hour, and should not meet again."""

import json
import subprocess
import sys
import warnings

import pytest
from rdkit import Chem

import enpda
from enpda.bulk.estimate import estimate
from enpda.bulk.job import Job
from enpda.bulk.library import Library
from enpda.bulk.near import what_decides
from enpda.bulk.question import Question
from enpda.cli import main
from enpda.cli.info import OPTIONAL
from enpda.data import drugs
from enpda.errors import InputError, InputWarning
from enpda.solve.options import Options


def test_an_estimate_without_time_compares_one_small_block():
    job = Job(Library.of(drugs().values()), None, Question())
    assert 1 <= estimate(job, seconds=0.0).sampled <= 4


def test_a_job_that_differs_says_which_options_and_how(tmp_path):
    enpda.matrix(["CCO", "CCN"], out=tmp_path / "job", min_similarity=0.5, time_limit=5)
    with pytest.raises(InputError, match=r"\(there -> here\): min_similarity: 0\.5 -> 0\.7; time_limit: 5 -> 7\."):
        enpda.matrix(["CCO", "CCN"], out=tmp_path / "job", min_similarity=0.7, time_limit=7)
    with pytest.raises(InputError, match="items: other graphs, or in another order"):
        enpda.matrix(["CCN", "CCO"], out=tmp_path / "job", min_similarity=0.5, time_limit=5)


def test_certify_names_the_pairs_of_a_mapping_that_may_not_meet():
    with pytest.warns(InputWarning, match="left out: 2 -> 2$"):
        assert enpda.certify("CCO", "CCN", {0: 0, 1: 1, 2: 2}).mapping == {0: 0, 1: 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enpda.certify("CCO", "CCN", {0: 0, 1: 1})


def test_a_warning_points_at_the_line_that_called(recwarn):
    enpda.match("CN(C)(C)C", "CCO")
    enpda.Graph.from_smiles("CN(C)(C)C")
    assert {warning.filename for warning in recwarn} == {__file__}


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "enpda", *arguments], capture_output=True, text=True, check=True)


def test_a_warning_of_a_command_is_a_message(tmp_path):
    path = tmp_path / "mapping.json"
    path.write_text(json.dumps({"0": 0, "1": 1, "2": 2}), encoding="utf-8")
    [line] = run("certify", "CCO", "CCN", "--mapping", str(path)).stderr.splitlines()
    assert line.startswith("enpda: the labels or the rules keep these nodes of the mapping apart")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--arm", "shares", "--teacher", "paper"],
        ["--arm", "shares", "--recipe", "paper"],
        ["--arm", "full", "--threads", "2"],
    ],
)
def test_training_refuses_a_flag_that_its_arm_does_not_use(arguments, capsys):
    assert main(["train", *arguments]) == 2
    assert f"does nothing for the arm {arguments[1]}" in capsys.readouterr().err


def test_info_names_every_optional_part_and_what_it_is_for(capsys):
    assert main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for part, purpose in OPTIONAL.items():
        assert any(line.split()[0] == part and line.endswith(purpose) for line in lines)


def test_undecided_pairs_come_with_what_would_decide_them(tmp_path, capsys):
    path = tmp_path / "drugs.smi"
    some = [drugs()[name] for name in ("paracetamol", "diclofenac")]
    path.write_text("".join(f"{Chem.MolToSmiles(drug.mol)} {drug.name}\n" for drug in some), encoding="utf-8")
    assert main(["cluster", str(path), "--method", "analytic", "--min-similarity", "0.4"]) == 0
    assert "undecided   1 pair" in (out := capsys.readouterr().out)
    assert "method analytic proves little; auto would decide more" in out


def test_what_decides_fits_the_options_that_left_pairs_open():
    assert "auto would decide more" in what_decides(Options(method="fast"))
    assert "exact looks longer, and more time a pair may help: it was 3 s" in what_decides(Options(time_limit=3))
    assert "it was 3 s" in what_decides(Options("exact", time_limit=3))
    assert "memory" in what_decides(Options("exact", time_limit=None))


def test_the_module_runs_as_a_program():
    assert json.loads(run("match", "CCO", "CCN", "--json").stdout)["size"] == 1
