"""The gate where the ledger is in PostgreSQL, in many transactions."""

from __future__ import annotations

import pytest

from tests.indexes.ledger.test_gate import *  # noqa: F403

pytestmark = pytest.mark.integration
