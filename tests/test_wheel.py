"""The wheel as a stranger gets it: into an empty environment, without a compiler, and on to the demo's page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
BUILT = REPOSITORY / "build" / "wheel"


@pytest.mark.slow
@pytest.mark.plain
def test_the_wheel_installs_without_a_compiler_and_makes_the_demo(tmp_path):
    wheels = sorted(BUILT.glob("enpda-*.whl"))
    if not wheels:  # `make test` has made it; alone, a test makes its own
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, REPOSITORY)
        wheels = sorted(tmp_path.glob("enpda-*.whl"))
    [wheel] = wheels
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    no_compiler = {**os.environ, "CC": "false", "CXX": "false"}
    no_compiler.pop("PYTHONPATH", None)
    run(python, "-m", "pip", "install", "--quiet", wheel, env=no_compiler)
    said = run(python, "-m", "enpda", "demo", "--out", tmp_path / "demo", env=no_compiler)
    assert said.stdout.splitlines()[-1].endswith(f"open {tmp_path / 'demo' / 'report.html'}")
    page = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 3
    assert json.loads(run(python, "-m", "enpda", "info", "--json", env=no_compiler).stdout)["optional"]["torch"] is None


def run(*command, env=None):
    found = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env)
    assert found.returncode == 0, found.stderr
    return found
