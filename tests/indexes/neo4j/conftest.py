"""A real Neo4j, emptied before each test, and a town whose graph it follows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import emptied, mortal_folder, own_server, shared_address


@pytest.fixture
def address() -> Address:
    """An empty database."""
    found = shared_address()
    emptied(found)
    return found


@pytest.fixture
def server(address: Address) -> Iterator[Neo4jServer]:
    with Neo4jServer(address) as server:
        yield server


@pytest.fixture
def own() -> Path:
    """The folder of a server, running and empty, which tests may kill; ``own_server`` starts it again."""
    folder = mortal_folder()
    running = own_server(folder)
    emptied(Address(running.uri, running.user, running.password))
    return folder


@pytest.fixture
def town() -> Iterator[Town]:
    town = Town()
    yield town
    town.close()


@pytest.fixture
def projection(town: Town, server: Neo4jServer) -> Neo4jProjection:
    return Neo4jProjection(town.ledger, server)
