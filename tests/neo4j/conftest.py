"""A real Neo4j, emptied before each test."""

from __future__ import annotations

import pytest

from indexes.graph.neo4j import Address
from tests.neo4j.server import emptied, shared_address


@pytest.fixture
def address() -> Address:
    """An empty database."""
    found = shared_address()
    emptied(found)
    return found
