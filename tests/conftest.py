import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# No test fails for the time it takes.
settings.register_profile("goldless", deadline=None)
settings.load_profile("goldless")


@pytest.fixture
def shared():
    """Data beside the project; tests that read it are skipped where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.exists():
        pytest.skip("../shared/data is not beside the project")
    return folder


@pytest.fixture
def random():
    return np.random.default_rng(0)
