"""Where the data sets lie that are no part of the repository; tests that need one skip without it."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@pytest.fixture(scope="session")
def conditionalqa() -> Path:
    """Folder of the ConditionalQA files."""
    folder = SHARED / "conditionalqa"
    if not (folder / "dev.json").is_file():
        pytest.skip(f"no ConditionalQA data at {folder}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    return folder
