"""What servers do wrong: each is one clear error with its fix, and nothing is lost."""

import gc
import json
import os
import signal
import socket
import stat
import threading
import warnings
from pathlib import Path

import psutil
import pytest
from neo4j.exceptions import Neo4jError

from clausegraph.app.servers.neo4j import check_java, check_maven, find_neo4j, start_neo4j, stop_neo4j
from clausegraph.app.servers.process import RECORD
from clausegraph.core.errors import (
    InputError,
    LeaseHeldError,
    SettingsError,
    StoreError,
    StoreRefused,
    StoreUnavailable,
)
from clausegraph.core.settings import Settings
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer, check_version, driver_errors, run_within
from clausegraph.indexes.ledger.leases import run_lease
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import CACHE, MEMORY, emptied, kill_server, own_server, shared_address_with_apoc, shared_server
from tests.harness.wait import PATIENCE_S, until
from tests.indexes.neo4j.bolt import saying, talking_nonsense

# ruff: noqa: SIM117 - what is set up, and what then fails
pytestmark = pytest.mark.integration


def test_nobody_listens(address: Address) -> None:
    with Neo4jServer(Address("bolt://127.0.0.1:1", deadline=1.0)) as server:
        with pytest.raises(StoreUnavailable, match=r"no Neo4j answers at bolt://127.0.0.1:1 .*make neo4j"):
            server.check()


def test_somebody_else_listens() -> None:
    """A server that takes connections and says nothing costs the deadline, no more."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        uri = f"bolt://127.0.0.1:{listener.getsockname()[1]}"
        with Neo4jServer(Address(uri, deadline=1.0)) as server, pytest.raises(StoreUnavailable):
            server.check()


def test_wrong_password(address: Address) -> None:
    with Neo4jServer(Address(address.uri, address.user, "not it")) as server:
        with pytest.raises(StoreRefused, match="refuses user 'neo4j' with this password") as caught:
            server.check()
    assert "not it" not in str(caught.value)
    assert "not it" not in repr(server.address)


def test_no_such_database_and_no_address(address: Address) -> None:
    with Neo4jServer(Address(address.uri, address.user, address.password, "nowhere")) as server:
        with pytest.raises(StoreRefused, match="has no database 'nowhere'"):
            server.read("RETURN 1")
    for uri in ("http://127.0.0.1:7474", "bolt//x", ""):
        with pytest.raises(StoreRefused, match="is not usable"):
            Neo4jServer(Address(uri)).check()


def test_a_server_that_is_too_old() -> None:
    with saying("Neo4j/5.20.0") as uri, Neo4jServer(Address(uri, deadline=5.0)) as server:
        with pytest.raises(StoreRefused, match=r"is 5\.20, 5\.23 or newer is needed"):
            server.check()
    with saying("Neo4j/4.4.30", (4, 4)) as uri, Neo4jServer(Address(uri, deadline=5.0)) as server:
        with pytest.raises(StoreRefused, match="is too old"):
            server.check()
    for agent in ("Neo4j/5.23.0", "Neo4j/5.27-aura", "Neo4j/2026.01.0"):
        check_version(agent, "bolt://x")
    with pytest.raises(StoreRefused, match="calls itself 'Memgraph/2'"):
        check_version("Memgraph/2", "bolt://x")


def test_reading_never_writes_and_a_query_that_hangs_ends(address: Address) -> None:
    quick = Address(address.uri, address.user, address.password, deadline=1.0)
    with Neo4jServer(quick) as server:
        with pytest.raises(StoreRefused, match="transaction for reading"):
            server.read("CREATE (n:Entity) RETURN n")
        with pytest.raises(StoreUnavailable, match="took longer than 1 s"):
            server.read("UNWIND range(1, 100000000000) AS x WITH x WHERE x % 7 = 8 RETURN count(x)")
        assert server.read("MATCH (n:Entity) RETURN count(n) AS n") == [{"n": 0}]


def test_a_session_that_cannot_be_closed_in_order_is_dropped() -> None:
    """What failed in it is the error, and nothing is left open for the garbage collector to complain of."""

    def fail(_: object) -> None:
        raise StoreUnavailable("what failed")

    with warnings.catch_warnings(record=True) as seen, talking_nonsense() as uri:
        warnings.simplefilter("always")
        with Neo4jServer(Address(uri, deadline=5.0)) as server, pytest.raises(StoreUnavailable, match="what failed"):
            server.explore(fail, rows=1, seconds=5.0)
        gc.collect()
    assert [str(one.message) for one in seen] == []


@pytest.mark.parametrize(
    ("code", "message", "kind", "said"),
    [
        ("Neo.DatabaseError.Transaction.TransactionCommitFailed", "java.io.IOException: No space left on device",
         StoreRefused, "no space left on its disk"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", "The allocation would use more", StoreRefused,
         "ran out of memory"),
        ("Neo.TransientError.Database.DatabaseUnavailable", "Database neo4j is unavailable", StoreUnavailable,
         "try again"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", "too many", StoreRefused, "too many wrong passwords"),
        ("Neo.ClientError.Security.CredentialsExpired", "change it", StoreRefused, "first password"),
        ("Neo.ClientError.Security.Forbidden", "Write is not allowed", StoreRefused, "grant the role"),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "The database is in read-only mode on this instance.",
         StoreRefused, "is read-only"),
        ("Neo.ClientError.Statement.SyntaxError", "line one\n  at Java", StoreError, "line one"),
    ],
)  # fmt: skip
def test_what_a_server_answers_becomes_one_line_with_the_fix(
    code: str, message: str, kind: type[StoreError], said: str
) -> None:
    with pytest.raises(kind, match=said) as caught, driver_errors(Address("bolt://x")):
        raise Neo4jError._hydrate_neo4j(code=code, message=message)
    assert "\n" not in str(caught.value)


def test_another_writer_is_publishing(town: Town, address: Address) -> None:
    from typer.testing import CliRunner

    from tests.harness.cli import made_app

    town.write("a", "grant | pays | =£200")
    town.publish()
    environment = {
        "CLAUSEGRAPH_NEO4J_URI": address.uri, "CLAUSEGRAPH_NEO4J_USER": address.user,
        "CLAUSEGRAPH_NEO4J_PASSWORD": address.password, "CLAUSEGRAPH_HOME": str(town.root / "home"),
    }  # fmt: skip
    runner = CliRunner(env=environment)
    words = ["project", "neo4j", "--corpus", "town", "--verify"]
    with run_lease(town.ledger, town.id, "ingest-1"):
        refused = runner.invoke(made_app(), words)
    assert refused.exit_code == LeaseHeldError.exit_code
    done = runner.invoke(made_app(), words)
    assert done.exit_code == 0, done.output
    assert "every node and relationship is as the ledger has it" in done.output
    with Neo4jServer(address) as server:
        server.write("MATCH ()-[r:STATES]->() SET r.relation = 'changed'")
    found = runner.invoke(made_app(), words)
    assert (found.exit_code, "differs" in found.output) == (1, True)
    assert runner.invoke(made_app(), [*words, "--rebuild"]).exit_code == 0
    shown = runner.invoke(made_app(), ["project", "neo4j", "--corpus", "town", "--status"])
    assert "is current" in shown.output


def test_no_password_is_a_setting_that_is_missing() -> None:
    from clausegraph.app.models import make_server

    with pytest.raises(SettingsError, match="CLAUSEGRAPH_NEO4J_PASSWORD"):
        make_server(Settings(neo4j_password=None))
    assert "hush" not in repr(Settings(neo4j_password="hush"))


def test_hanging(town: Town) -> None:
    """A server that runs is found by its folder, where its password file is private; it hangs, and goes on."""
    running = shared_server()
    emptied(shared_address_with_apoc())
    assert stat.S_IMODE(running.password_file.stat().st_mode) == 0o600
    town.write("a", "grant | pays | =£200")
    town.publish()
    with Neo4jServer(Address(running.uri, running.user, running.password, deadline=2.0)) as server:
        projection = Neo4jProjection(town.ledger, server)
        projection.catch_up(town.id)
        os.kill(running.pid, signal.SIGSTOP)
        stopped = psutil.Process(running.pid)
        until(lambda: {psutil.Process(one.id).status() for one in stopped.threads()} == {psutil.STATUS_STOPPED})
        try:
            with pytest.raises(StoreUnavailable, match="has not answered for"):
                projection.status(town.id)
        finally:
            os.kill(running.pid, signal.SIGCONT)
    again = find_neo4j(running.folder)
    assert again is not None
    assert start_neo4j(running.folder, cache=CACHE, memory=MEMORY).pid == running.pid


@pytest.mark.long  # it ends a server, of which another one is started
def test_stopped(own: Path) -> None:
    own_server(own)
    kill_server(own)
    assert find_neo4j(own) is None
    assert not stop_neo4j(own)


def test_a_pid_that_another_program_has_by_now_is_left_alone(tmp_path: Path) -> None:
    reused = {"neo4j": [os.getpid(), psutil.Process().create_time() - 60]}
    (tmp_path / RECORD).write_text(json.dumps({"uri": "bolt://x", "http": "http://x", "processes": reused}))
    assert find_neo4j(tmp_path) is None
    assert not stop_neo4j(tmp_path)


def test_java_and_maven_are_looked_for_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="openjdk"):
        check_java()
    with pytest.raises(InputError, match="apt-get install maven"):
        check_maven()
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n", encoding="utf-8")
    old.chmod(0o755)
    with pytest.raises(InputError, match="is 11"):
        check_java()


def test_a_call_goes_on_when_its_caller_is_interrupted(request: pytest.FixtureRequest) -> None:
    """Nobody may close the connection under it: it must not be taken for ended."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    main, go_on = threading.main_thread().ident or 0, threading.Event()

    def work() -> None:
        threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
        go_on.wait(PATIENCE_S)

    with pytest.raises(KeyboardInterrupt):
        run_within(PATIENCE_S, work, "interrupted call", "late")
    (running,) = [thread for thread in threading.enumerate() if thread.name == "interrupted call"]
    assert running.is_alive()
    go_on.set()
    running.join(PATIENCE_S)
    assert not running.is_alive()
