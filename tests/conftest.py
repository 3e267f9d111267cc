import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Runs must not differ between machines: examples are derived from the test, and slowness is no failure.
settings.register_profile(
    "enpda", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("enpda")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the public data sets: ENPDA_DATA, or the one beside the checkout.

    Who names a folder means it: then a missing file is a failure, and only without a name and without the folder
    are the tests that need it skipped.
    """
    named = os.environ.get("ENPDA_DATA")
    folder = Path(named or Path(__file__).parents[2] / "shared" / "data")
    if not (folder / "pairs").is_dir():
        if named:
            pytest.fail(f"ENPDA_DATA is {named}, but there is no folder {folder / 'pairs'}")
        pytest.skip("no data folder: set ENPDA_DATA (docs/data.md says where to download)")
    return folder


@pytest.fixture(scope="session")
def smoke_run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of every study of the paper at the profile `smoke`, made once, through the command line."""
    from enpda.cli import main

    folder = tmp_path_factory.mktemp("paper") / "run"
    arguments = ["bench", "paper", "--data", str(data), "--profile", "smoke", "-o", str(folder), "--workers", "2"]
    assert main(arguments) == 0
    return folder


@pytest.fixture
def one_thread() -> Iterator[None]:
    """PyTorch on one thread: its sums depend on how many there are."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
