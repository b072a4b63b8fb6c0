"""A Neo4j with APOC, a corpus of hostile names in it, and a listener that nobody may connect to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import emptied, shared_address_with_apoc
from tests.injection.cypher.hostile import NAMES


@dataclass
class Listener:
    """Counts the connections to a port of loopback, and closes them."""

    socket: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def listen(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()


@pytest.fixture(scope="package")
def listener() -> Iterator[Listener]:
    made = Listener()
    thread = threading.Thread(target=made.listen, daemon=True)
    thread.start()
    yield made
    made.socket.shutdown(socket.SHUT_RDWR)
    made.socket.close()
    thread.join()


@pytest.fixture(scope="package")
def server() -> Iterator[Neo4jServer]:
    address = shared_address_with_apoc()
    emptied(address)
    with Neo4jServer(address) as server:
        yield server


@pytest.fixture(scope="package")
def town(listener: Listener) -> Iterator[Town]:
    """Each hostile name as a subject, as a relation, as an object and as a value, and some harmless statements."""
    town = Town()
    names = [name.replace("{url}", listener.url) for name in NAMES]
    turned = [*names[1:], names[0]]
    for number, (name, other) in enumerate(zip(names, turned, strict=True)):
        town.write(f"page{number}", f"{name} | {other} | grant | if {name}", f"grant | {name} | {other}",
                   f"grant | pays | ={name}")  # fmt: skip
    town.publish()
    yield town
    town.close()


@pytest.fixture(scope="package")
def projection(town: Town, server: Neo4jServer) -> Neo4jProjection:
    made = Neo4jProjection(town.ledger, server)
    made.catch_up(town.id)
    return made
