"""A real Neo4j, emptied before each test, and a town whose graph it follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.servers.neo4j import find_neo4j
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import emptied, own_server, shared_address


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


@pytest.fixture(scope="package")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("own") / "neo4j"
    yield folder
    left = find_neo4j(folder)
    if left is not None:
        left.kill()


@pytest.fixture
def own(own_folder: Path) -> Path:
    """The folder of a server, running and empty, which tests may kill; ``own_server`` starts it again."""
    running = own_server(own_folder)
    emptied(Address(running.uri, running.user, running.password))
    return own_folder


@pytest.fixture
def town() -> Iterator[Town]:
    town = Town()
    yield town
    town.close()


@pytest.fixture
def projection(town: Town, server: Neo4jServer) -> Neo4jProjection:
    return Neo4jProjection(town.ledger, server)
