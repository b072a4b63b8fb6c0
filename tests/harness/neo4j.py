"""The Neo4j that the tests run against: the one that CLAUSEGRAPH_NEO4J_URI names, else one of our own.

A server is started once in a process and stopped at the end of its tests; ``tests/conftest.py`` keeps all tests that
need one in one process. Starting one takes ten seconds of processor time: there is the shared one, which has APOC, and,
for long tests only, one that tests may kill, which has none.
"""

import functools
import os
import shutil
import tempfile
from pathlib import Path

import psutil
import pytest

from clausegraph.app.servers.neo4j import RunningNeo4j, check_java, check_maven, find_neo4j, start_neo4j, stop_neo4j
from clausegraph.core.errors import InputError
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from tests.harness.ending import at_session_end

CACHE = Path(__file__).resolve().parents[2] / ".neo4j"  # jars, shared with `make neo4j`
MEMORY = "600m"
# Half the processor time: no server lives long enough to be worth optimising, and its own jars need no verifying. All
# that is compiled has to fit the code cache, or it is thrown out and compiled again.
QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=200m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
LEAN = {
    "server.http.enabled": "false",  # nobody looks at Browser
    "dbms.cypher.min_replan_interval": "1h",  # else each emptied database has all queries planned again
}
UNRESTRICTED = {"dbms.security.procedures.unrestricted": "apoc.*"}
EMPTY = "MATCH (n) WHERE NOT n:Ledger RETURN count(n) AS nodes"


def own_server(folder: Path, *, apoc: bool = False, **options: str) -> RunningNeo4j:
    """A server of a test's own, with APOC if that is asked for; the test is skipped where Java or Maven is missing."""
    try:
        check_java()
        check_maven()
    except InputError as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", QUICK)
        return start_neo4j(folder, cache=CACHE, memory=MEMORY, apoc=apoc, options=LEAN | options)


def shared_address() -> Address:
    """Where the shared server is; or the one that was given, which has to be empty at first."""
    return _given() or shared_address_with_apoc()


def shared_address_with_apoc() -> Address:
    """Where the shared server with APOC is, which lets its procedures do everything."""
    running = shared_server()
    return Address(running.uri, running.user, running.password)


@functools.cache
def mortal_folder() -> Path:
    """The folder of the server without APOC, which tests may kill; ``own_server`` starts it, or starts it again."""
    folder = Path(tempfile.mkdtemp(prefix="neo4j-"))
    at_session_end.callback(shutil.rmtree, folder, ignore_errors=True)
    at_session_end.callback(kill_server, folder)
    return folder


def kill_server(folder: Path) -> None:
    """kill -9: what the power failing does to a server. ``own_server`` starts it again."""
    left = find_neo4j(folder)
    if left is not None:
        process = psutil.Process(left.pid)
        process.kill()
        process.wait()
        stop_neo4j(folder)  # nothing runs: only forgets that this process started it


@functools.cache
def _given() -> Address | None:
    uri = os.environ.get("CLAUSEGRAPH_NEO4J_URI")
    if not uri:
        return None
    user = os.environ.get("CLAUSEGRAPH_NEO4J_USER", "neo4j")
    address = Address(uri, user, os.environ.get("CLAUSEGRAPH_NEO4J_PASSWORD", ""))
    with Neo4jServer(address) as server:
        nodes = server.read(EMPTY)[0]["nodes"]
    assert nodes == 0, f"the database at {uri} has {nodes} nodes, and these tests empty it; name an empty one"
    return address


@functools.cache
def shared_server() -> RunningNeo4j:
    """The shared server with APOC, started here."""
    folder = Path(tempfile.mkdtemp(prefix="neo4j-"))
    at_session_end.callback(shutil.rmtree, folder, ignore_errors=True)
    running = own_server(folder, apoc=True, **UNRESTRICTED)
    at_session_end.callback(kill_server, folder)  # nobody needs its data any more
    return running


def emptied(address: Address) -> None:
    """Remove everything but constraints and indexes."""
    with Neo4jServer(address) as server:
        while server.write("MATCH (n) WITH n LIMIT 2000 DETACH DELETE n RETURN count(*) AS gone")[0]["gone"]:
            pass
