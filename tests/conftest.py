import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Runs must not differ between machines: examples are derived from the test, and slowness is no failure.
settings.register_profile(
    "enpda", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("enpda")

NATIVE = tuple(Path(__file__).parent / room for room in ("native", "solve"))
"""All that these folders ask is answered by the compiled core; elsewhere files say so themselves."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent in NATIVE:
            item.add_marker(pytest.mark.native)


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


@pytest.fixture
def one_thread() -> Iterator[None]:
    """PyTorch on one thread: its sums depend on how many there are."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, though a shell without job control started us with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
