"""Tests of one folder run in one process, so that they share its servers; folders run beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.xdist_group(str(item.path.parent.relative_to(_HERE))))
