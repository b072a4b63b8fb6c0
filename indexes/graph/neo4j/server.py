"""The module that knows Neo4j's driver: one server, its version, transactions with a deadline, its errors.

Query texts are ours and everything else is a parameter, but for what ``cypher`` lets through to ``explore``. Each call
runs in a thread of its own, so that a server that hangs costs no more than the deadline.
"""

from __future__ import annotations

import asyncio
import re
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import neo4j
from neo4j import exceptions as driver

from clausegraph.core.errors import ClauseGraphError, StoreError, StoreRefused, StoreUnavailable

# The first whose pattern is in "code message" counts.
_ANSWERS: tuple[tuple[str, type[StoreError], str], ...] = (
    (r"AuthenticationRateLimit", StoreRefused, "has seen too many wrong passwords; correct it and wait some seconds"),
    (r"CredentialsExpired", StoreRefused,
     "wants the first password of user {user!r} to be changed; do that in its Browser"),
    (r"Security\.(Unauthorized|TokenExpired)", StoreRefused,
     "refuses user {user!r} with this password; set CLAUSEGRAPH_NEO4J_USER and CLAUSEGRAPH_NEO4J_PASSWORD"),
    (r"Security\.Forbidden", StoreRefused,
     "does not let user {user!r} do this; grant the role of an editor with schema rights"),
    (r"DatabaseNotFound|DatabaseDoesNotExist", StoreRefused,
     "has no database {database!r}; set CLAUSEGRAPH_NEO4J_DATABASE"),
    (r"(?i)no space left|disk.{0,20}full|out of disk", StoreRefused,
     "has no space left on its disk; free some and run `clausegraph project neo4j`"),
    (r"(?i)read.?only", StoreRefused,
     "is read-only (database {database!r}); make it writable or set CLAUSEGRAPH_NEO4J_MODE=off"),
    (r"Statement\.AccessMode", StoreRefused, "refused to write in a transaction for reading"),
    (r"TransactionTimedOut|Transaction\.Terminated|LockClientStopped", StoreUnavailable,
     "took longer than {deadline:g} s; look at its load"),
    (r"MemoryPool|OutOfMemory", StoreRefused,
     "ran out of memory for this transaction; give it more (server.memory.heap.max_size)"),
    (r"Neo\.TransientError|DatabaseUnavailable", StoreUnavailable, "cannot do this now; try again"),
)  # fmt: skip


def first_line(error: BaseException) -> str:
    """The first line of what a driver says, cut: the rest is Java's."""
    text = (error.message if isinstance(error, driver.Neo4jError) else str(error)) or type(error).__name__
    return str(text).strip().splitlines()[0][:300].rstrip(":")


T = TypeVar("T")


def run_within(seconds: float, work: Callable[[], T], name: str, late: str) -> T:
    """The result of ``work``, which runs in a thread of this name; with the text ``late`` an error when it has not
    ended after ``seconds``. Then the thread goes on."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            done.set_exception(error)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    if not wait([done], seconds).done:
        raise StoreUnavailable(late)
    thread.join()  # not to wait by: interrupted, it calls a thread ended that still runs (Python 3.11)
    return done.result()


Record = dict[str, Any]
BoundQuery = tuple[str, dict[str, Any]]

OLDEST = (5, 23)
DEADLINE_S = 30.0  # of one transaction
RETRY_S = 5.0  # the driver tries a transaction again that met a deadlock or a lost connection
_CONNECT_S = 5.0
_FETCH = 200  # rows that are asked for at once
_SLACK_S = 2.0  # the server ends a query at the deadline; when it does not answer even then, we go
_END: str = (
    "SHOW TRANSACTIONS YIELD transactionId AS id, metaData WHERE metaData.clausegraph = $mark "
    "TERMINATE TRANSACTIONS id YIELD message RETURN message"
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a Neo4j is and how to log in; ``deadline`` are the seconds a transaction may take."""

    uri: str
    user: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str = "neo4j"
    deadline: float = DEADLINE_S


class Neo4jServer:
    """A connection pool to one database. Connects and checks the version at the first call; close it."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._thread_name = f"neo4j {address.uri}"
        self._checked = False
        try:
            with driver_errors(address):
                self._driver = neo4j.GraphDatabase.driver(
                    address.uri,
                    auth=(address.user, address.password),
                    connection_timeout=min(_CONNECT_S, address.deadline),
                    connection_acquisition_timeout=min(2 * _CONNECT_S, address.deadline),
                    max_transaction_retry_time=min(RETRY_S, address.deadline),
                    max_connection_lifetime=600,
                    notifications_min_severity="OFF",
                    user_agent="clausegraph",
                )
        except ValueError as error:
            raise _wrong_address(address, error) from error

    def check(self) -> str:
        """The server's version."""
        info = self._within(self._driver.get_server_info)
        agent = str(info.agent)
        check_version(agent, self.address.uri)
        self._checked = True
        return agent.removeprefix("Neo4j/")

    def read(self, query: str, /, **parameters: Any) -> list[Record]:
        """The rows of a query, which can write nothing."""
        return self.read_all([(query, parameters)])[0]

    def read_all(self, statements: Sequence[BoundQuery]) -> list[list[Record]]:
        """The rows of several queries in one transaction, which can write nothing."""
        return self._transact(neo4j.READ_ACCESS, statements)

    def write(self, query: str, /, **parameters: Any) -> list[Record]:
        """The rows of a query that may write; it may run twice, so it must be safe to repeat."""
        return self.write_all([(query, parameters)])[0]

    def write_all(self, statements: Sequence[BoundQuery]) -> list[list[Record]]:
        """Several statements in one transaction; it may run twice, so they must be safe to repeat."""
        return self._transact(neo4j.WRITE_ACCESS, statements)

    def _transact(self, access: str, statements: Sequence[BoundQuery]) -> list[list[Record]]:
        if not self._checked:
            self.check()

        @neo4j.unit_of_work(timeout=self.address.deadline)
        def work(transaction: neo4j.ManagedTransaction) -> list[list[Record]]:
            return [transaction.run(query, parameters).data() for query, parameters in statements]

        def run() -> list[list[Record]]:
            with self._session(access) as session:
                if access == neo4j.READ_ACCESS:
                    return session.execute_read(work)
                return session.execute_write(work)

        return self._within(run)

    def explore(self, work: Callable[[neo4j.Transaction], T], rows: int, seconds: float) -> T:
        """What ``work`` makes of a transaction that can write nothing; which takes about so many rows, as they come.

        The server ends it after ``seconds``, when the caller is interrupted, and when ``work`` refuses what comes.
        """
        if not self._checked:
            self.check()
        mark = uuid.uuid4().hex

        def run() -> T:
            with self._session(neo4j.READ_ACCESS, fetch_size=min(_FETCH, rows)) as session:
                transaction = session.begin_transaction(metadata={"clausegraph": mark}, timeout=seconds)
                try:
                    return work(transaction)
                except RecursionError as error:
                    raise StoreRefused("a value of the result is nested too deeply; return its parts") from error
                except StoreRefused:
                    self._terminate(mark)
                    raise

        try:
            return self._within(run, seconds + _SLACK_S, "ask for less, or look at its load")
        except KeyboardInterrupt:
            self._terminate(mark)
            raise

    def _terminate(self, mark: str) -> None:
        """End the transaction of this mark; where the server does not answer, its own time limit does."""

        def run() -> None:
            with self._session(neo4j.READ_ACCESS) as session:
                session.run(_END, mark=mark).consume()

        with suppress(StoreError):
            self._within(run, _CONNECT_S)

    @contextmanager
    def _session(self, access: str, fetch_size: int = 1000) -> Iterator[neo4j.Session]:
        session = self._driver.session(
            database=self.address.database, default_access_mode=access, fetch_size=fetch_size
        )
        try:
            yield session
            session.close()
        finally:
            if not session.closed():  # what failed is the error; to close in order would read on, and may fail as well
                session.__exit__(asyncio.CancelledError, None, None)  # type: ignore[no-untyped-call]  # drops the connection

    def _within(self, work: Callable[[], T], seconds: float = 0.0, advice: str = "") -> T:
        """The result of ``work``, or an error once the deadline is over."""
        seconds = seconds or self.address.deadline + RETRY_S + _SLACK_S
        late = f"Neo4j at {self.address.uri} has not answered for {seconds:.0f} s: it hangs or is overloaded; " + (
            advice or "look at its logs, or restart it"
        )
        with driver_errors(self.address):
            return run_within(seconds, work, self._thread_name, late)

    def close(self) -> None:
        """Close every connection; one that hangs is closed when its thread has ended, by which time we are gone."""
        named = [thread for thread in threading.enumerate() if thread.name == self._thread_name]
        hung = [thread for thread in named if thread.is_alive()]  # one that was never started cannot be waited for

        def close() -> None:
            for thread in hung:
                thread.join()
            self._driver.close()

        if hung:
            threading.Thread(target=close, daemon=True).start()
        else:
            close()

    def __enter__(self) -> Neo4jServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_version(agent: str, uri: str) -> None:
    """Refuse servers older than 5.23, whose Cypher lacks what we use."""
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    if found is None:
        raise StoreRefused(f"the server at {uri} calls itself {agent[:60]!r}; a Neo4j from 5.23 on is needed")
    if (int(found[1]), int(found[2])) < OLDEST:
        raise StoreRefused(
            f"Neo4j at {uri} is {found[1]}.{found[2]}, {OLDEST[0]}.{OLDEST[1]} or newer is needed; upgrade it"
        )


def _wrong_address(address: Address, error: Exception) -> StoreRefused:
    like = "CLAUSEGRAPH_NEO4J_URI is like bolt://127.0.0.1:7687"
    return StoreRefused(f"Neo4j's address {address.uri!r} is not usable ({error}); {like}")


@contextmanager
def driver_errors(address: Address) -> Iterator[None]:
    """Translate the driver's errors into ``StoreError`` with the fix."""
    try:
        yield
    except ClauseGraphError:
        raise
    except driver.Neo4jError as error:
        about = {"user": address.user, "database": address.database, "deadline": address.deadline}
        for pattern, kind, words in _ANSWERS:
            if re.search(pattern, f"{error.code} {error.message}"):
                raise kind(f"Neo4j at {address.uri} {words.format(**about)} ({first_line(error)})") from error
        raise StoreError(f"Neo4j at {address.uri} failed: {error.code}: {first_line(error)}") from error
    except driver.ConfigurationError as error:
        if "Notification filtering" in str(error):  # the protocol came with 5.7
            raise StoreRefused(f"Neo4j at {address.uri} is too old; 5.23 or newer is needed; upgrade it") from error
        raise _wrong_address(address, error) from error
    except (driver.ServiceUnavailable, driver.SessionExpired, OSError) as error:
        raise StoreUnavailable(
            f"no Neo4j answers at {address.uri} ({first_line(error)}); start it (`make neo4j`) or set "
            "CLAUSEGRAPH_NEO4J_URI"
        ) from error
    except (driver.DriverError, driver.UnsupportedServerProduct) as error:
        raise StoreError(f"Neo4j at {address.uri}: {first_line(error)}") from error
