"""The solver's entry as bytes: libFuzzer on the core alone, under address and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .campaign import Tally

ROOT = Path(__file__).parents[2]
COMPILERS = ["clang++", *(f"clang++-{version}" for version in range(25, 13, -1))]
HINT = "no clang++ here (Debian: apt install clang libclang-rt-dev): random bytes instead of libFuzzer, by g++"


def compiler() -> str:
    """Return a compiler: clang for libFuzzer, and else one that has the sanitizers at least."""
    named = os.environ.get("CXX")
    for name in [named] if named else COMPILERS:
        if name and (found := shutil.which(name)):
            return found
    print(HINT, file=sys.stderr)
    return shutil.which("g++") or "c++"


def built(target: str, sanitize: str) -> Path:
    """Build one program of tests/native and return its path; what was built before is used again."""
    cmake = shutil.which("cmake") or shutil.which("cmake", path=str(Path(sys.executable).parent))
    if cmake is None:
        raise SystemExit("building the native campaigns takes cmake: pip install cmake")
    cxx = compiler()
    folder = ROOT / "build" / f"fuzz-{target}-{Path(cxx).name}"
    options = ["-DENPDA_FUZZ=ON", f"-DENPDA_SANITIZE={sanitize}", f"-DCMAKE_CXX_COMPILER={cxx}"]
    jobs = str(os.cpu_count() or 1)
    for command in (
        [cmake, "-S", str(ROOT), "-B", str(folder), *options],
        [cmake, "--build", str(folder), "--target", target, "--parallel", jobs],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return folder / target


def run(seed: int, cases: int | None, seconds: float | None, workers: int) -> Tally:
    """Run the fuzzer, one process a worker, on a corpus that stays from run to run."""
    program = built("solve_fuzz", "ON")
    folder = ROOT / "build" / "fuzz-corpus"
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    for k in range(64):
        (folder / f"random-{seed}-{k}").write_bytes(rng.randbytes(rng.randrange(50, 400)))
    environment = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=16", "UBSAN_OPTIONS": "print_stacktrace=1"}
    begun = []
    for k in range(workers):
        own = ROOT / "build" / f"fuzz-native-{seed}-{k}"
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        command = [str(program), f"-seed={seed * 1000 + k + 1}", "-max_len=512", "-len_control=0", "-timeout=120"]
        command += ["-rss_limit_mb=4096", "-malloc_limit_mb=1024"]
        command += [] if cases is None else [f"-runs={cases // workers}"]
        command += [] if seconds is None else [f"-max_total_time={max(int(seconds), 1)}"]
        log = (own / "log").open("wb")
        begun.append((own, subprocess.Popen([*command, str(folder)], cwd=own, stdout=log, stderr=log, env=environment)))
    tally = Tally()
    for own, process in begun:
        code = process.wait()
        text = (own / "log").read_text(errors="replace")
        done = re.findall(r"Done (\d+) runs", text) or re.findall(r"^#(\d+)\s", text, re.MULTILINE)
        tally.counts["cases"] += int(done[-1]) if done else 0
        if code:
            inputs = [path for path in own.iterdir() if path.name != "log"]
            lines = [line for line in text.splitlines() if not line.startswith(("#", "INFO"))]
            again = " ".join(map(str, [program, *inputs]))
            tally.findings.append((None, "\n".join([f"exit code {code}; again: {again}", *lines[-60:]])))
    return tally
