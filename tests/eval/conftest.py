"""Where the shared data sets are; tests that need them skip where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def conditionalqa() -> Path:
    """Folder of the ConditionalQA files."""
    root = Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", _BESIDE_THE_REPOSITORY))
    folder = root / "conditionalqa"
    if not (folder / "dev.json").is_file():
        pytest.skip(f"no ConditionalQA data at {folder}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    return folder
