"""Worlds whose ledger is in PostgreSQL, each in a schema of its own."""

from collections.abc import Iterator

import pytest

from tests.contracts.graph.scripted import Town
from tests.harness.postgres import new_address
from tests.indexes.conftest import stocked
from tests.law.world import World


@pytest.fixture
def address() -> str:
    return new_address()


@pytest.fixture
def town(address: str) -> Iterator[Town]:
    made = Town(address=address)
    yield made
    made.close()


@pytest.fixture
def world(request: pytest.FixtureRequest, address: str) -> Iterator[World]:
    made = World(address=address)
    yield stocked(made, request)
    made.close()
