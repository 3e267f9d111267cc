import os
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
    """The folder with the public data sets: ENPDA_DATA, or the one beside the checkout."""
    folder = Path(os.environ.get("ENPDA_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not (folder / "pairs").is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"data tests must run in CI, but {folder} has no data")
        pytest.skip("no data folder: set ENPDA_DATA (docs/data.md says where to download)")
    return folder
