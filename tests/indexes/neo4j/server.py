"""The Neo4j that the tests run against: the one that CLAUSEGRAPH_NEO4J_URI names, else one of our own."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from clausegraph.app.servers.jars import check_java, check_maven
from clausegraph.app.servers.neo4j import RunningNeo4j, start_neo4j
from clausegraph.core.errors import InputError
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer

CACHE = Path(__file__).resolve().parents[3] / ".neo4j"  # jars, shared with `make neo4j`
MEMORY = "600m"
EMPTY = "MATCH (n) WHERE NOT n:Ledger RETURN count(n) AS nodes"


def own_server(folder: Path, *, apoc: bool = False, **options: str) -> RunningNeo4j:
    """A server of a test's own, with APOC if that is asked for; the test is skipped where Java or Maven is missing."""
    try:
        check_java()
        check_maven()
    except InputError as error:
        pytest.skip(str(error))
    return start_neo4j(folder, cache=CACHE, memory=MEMORY, apoc=apoc, options=options)


@functools.cache
def shared_address() -> Address:
    """Where the shared server is: started once per test run, stopped at its end."""
    given = os.environ.get("CLAUSEGRAPH_NEO4J_URI")
    if given:
        user = os.environ.get("CLAUSEGRAPH_NEO4J_USER", "neo4j")
        address = Address(given, user, os.environ.get("CLAUSEGRAPH_NEO4J_PASSWORD", ""))
        with Neo4jServer(address) as server:
            nodes = server.read(EMPTY)[0]["nodes"]
        assert nodes == 0, f"the database at {given} has {nodes} nodes, and these tests empty it; name an empty one"
        return address
    folder = Path(tempfile.mkdtemp(prefix="neo4j-"))
    running = own_server(folder)

    def end() -> None:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return Address(running.uri, running.user, running.password)


def emptied(address: Address) -> None:
    """Remove everything but constraints and indexes."""
    with Neo4jServer(address) as server:
        while server.write("MATCH (n) WITH n LIMIT 2000 DETACH DELETE n RETURN count(*) AS gone")[0]["gone"]:
            pass
