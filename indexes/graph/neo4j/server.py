"""The module that knows Neo4j's driver: one server, its version, transactions with a deadline, its errors.

Query texts are literals of ours and everything else is a parameter, but for what ``neo4j_cypher`` lets through to
``explore``. Each call runs in a thread of its own, so that a server that hangs costs no more than the deadline.
"""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, LiteralString, TypeVar

import neo4j
from neo4j import exceptions as driver

from clausegraph.core.errors import ClauseGraphError, StoreError, StoreRefused, StoreUnavailable

T = TypeVar("T")
Record = dict[str, Any]
BoundQuery = tuple[LiteralString, dict[str, Any]]

OLDEST = (5, 23)
DEADLINE_S = 30.0  # of one transaction
RETRY_S = 5.0  # the driver tries a transaction again that met a deadlock or a lost connection
_CONNECT_S = 5.0
_FETCH = 200  # rows that are asked for at once
_SLACK_S = 2.0  # the server ends a query at the deadline; when it does not answer even then, we go
_END: LiteralString = (
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
        self._checked = False
        with driver_errors(address), _wrong_address(address):
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

    def check(self) -> str:
        """The server's version.

        Raises:
            StoreUnavailable: nobody answers.
            StoreRefused: wrong password, or older than 5.23.
        """
        info = self._call(self._driver.get_server_info)
        agent = str(info.agent)
        check_version(agent, self.address.uri)
        self._checked = True
        return agent.removeprefix("Neo4j/")

    def read(self, query: LiteralString, /, **parameters: Any) -> list[Record]:
        """The rows of a query, which can write nothing: one message to the server and one back.

        A lost connection, such as one from before a restart, is tried again in a transaction of the driver's.
        """
        if not self._checked:
            self.check()
        question = neo4j.Query(query, timeout=self.address.deadline)

        def run() -> list[Record]:
            with self._session(neo4j.READ_ACCESS) as session:
                return session.run(question, parameters).data()

        with driver_errors(self.address):
            try:
                return _bounded(run, self.address)
            except (driver.Neo4jError, driver.DriverError) as error:
                if not error.is_retryable():
                    raise
        return self.read_all([(query, parameters)])[0]

    def read_all(self, statements: Sequence[BoundQuery]) -> list[list[Record]]:
        """The rows of several queries in one transaction, which can write nothing."""
        return self._transact(neo4j.READ_ACCESS, statements)

    def write(self, query: LiteralString, /, **parameters: Any) -> list[Record]:
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

        return self._call(run)

    def explore(self, work: Callable[[neo4j.Transaction], T], rows: int, size: int, seconds: float) -> T:
        """What ``work`` makes of a transaction that can write nothing; which takes about so many rows, as they come.

        The server ends it after ``seconds``, and when the caller is interrupted. Once ``size`` bytes have come, the
        connection is dropped, in the middle of a value if need be.

        Raises:
            StoreRefused: more than ``size`` bytes, or nested deeper than Python can go.
            StoreError: as ``read``.
        """
        if not self._checked:
            self.check()
        mark = uuid.uuid4().hex

        def run() -> T:
            with (
                self._session(neo4j.READ_ACCESS, fetch_size=min(_FETCH, rows)) as session,
                session.begin_transaction(metadata={"clausegraph": mark}, timeout=seconds) as transaction,
                _at_most(size, transaction),
            ):
                return work(transaction)

        try:
            with driver_errors(self.address):
                return _bounded(run, self.address, seconds + _SLACK_S, "ask for less, or look at its load")
        except KeyboardInterrupt:
            self._terminate(mark)
            raise

    def _terminate(self, mark: str) -> None:
        """End the transaction of this mark; where the server does not answer, its own time limit does."""

        def run() -> None:
            with self._session(neo4j.READ_ACCESS) as session:
                session.run(_END, mark=mark).consume()

        with suppress(StoreError), driver_errors(self.address):
            _bounded(run, self.address, _CONNECT_S, "")

    @contextmanager
    def _session(self, access: str, fetch_size: int = 1000) -> Iterator[neo4j.Session]:
        session = self._driver.session(
            database=self.address.database, default_access_mode=access, fetch_size=fetch_size
        )
        try:
            with session:
                yield session
        finally:
            with suppress(driver.Neo4jError, driver.DriverError):
                session.close()  # where the rollback of the first attempt failed, it is still open

    def _call(self, work: Callable[[], T]) -> T:
        with driver_errors(self.address):
            return _bounded(work, self.address)

    def close(self) -> None:
        """Close every connection; one that hangs is closed when its thread has ended, by which time we are gone."""
        hung = [thread for thread in threading.enumerate() if thread.name == _thread_name(self.address)]
        if hung:
            threading.Thread(target=self._close_after, args=(hung,), daemon=True).start()
        else:
            self._driver.close()

    def _close_after(self, hung: Sequence[threading.Thread]) -> None:
        for thread in hung:
            thread.join()
        self._driver.close()

    def __enter__(self) -> Neo4jServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Counted:
    """A connection's socket, of which no more than so many bytes are read; then the connection is dropped."""

    def __init__(self, connection: Any, size: int) -> None:
        self.socket = connection.inbox._socket
        self.left = size
        self._connection = connection

    def recv_into(self, buffer: memoryview, length: int) -> int:
        read: int = self.socket.recv_into(buffer, length)
        self.left -= read
        if self.left < 0:
            self._connection.kill()
            raise OSError("more bytes than asked for")
        return read

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)


@contextmanager
def _at_most(size: int, transaction: neo4j.Transaction) -> Iterator[None]:
    """Count the bytes where they come in, until the transaction has ended.

    Nothing public of the driver stops a value that fills the memory: it reads a whole row before it hands it out.
    """
    connection: Any = transaction._connection
    connection.inbox._socket = counted = _Counted(connection, size)
    try:
        yield
    except (driver.DriverError, OSError) as error:
        if counted.left < 0:
            raise StoreRefused(
                f"the result is larger than {size / 2**20:g} MiB; ask for fewer rows or smaller values"
            ) from error
        raise
    except RecursionError as error:
        connection.kill()  # a message is half read
        raise StoreRefused("a value of the result is nested too deeply; return its parts") from error
    finally:
        with suppress(driver.DriverError, OSError):  # rows that nobody wants any more may be too large
            transaction.close()
        connection.inbox._socket = counted.socket


def _thread_name(address: Address) -> str:
    return f"neo4j {address.uri}"


def _bounded(work: Callable[[], T], address: Address, seconds: float = 0.0, advice: str = "") -> T:
    """The result of ``work``, or an error once the deadline is over; a hung call ends with its connection."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            failed.append(error)

    seconds = seconds or address.deadline + RETRY_S + _SLACK_S
    thread = threading.Thread(target=run, name=_thread_name(address), daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise StoreUnavailable(
            f"Neo4j at {address.uri} has not answered for {seconds:.0f} s: it hangs or is overloaded; "
            + (advice or "look at its logs, restart it, or raise CLAUSEGRAPH_NEO4J_DEADLINE")
        )
    return done[0]


def check_version(agent: str, uri: str) -> None:
    """Refuse servers older than 5.23, whose Cypher lacks what we use.

    Raises:
        StoreRefused: too old, or no Neo4j at all.
    """
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    if found is None:
        raise StoreRefused(f"the server at {uri} calls itself {agent[:60]!r}; a Neo4j from 5.23 on is needed")
    if (int(found[1]), int(found[2])) < OLDEST:
        raise StoreRefused(
            f"Neo4j at {uri} is {found[1]}.{found[2]}, {OLDEST[0]}.{OLDEST[1]} or newer is needed; upgrade it"
        )


def wait_until_up(uri: str, user: str, password: str, patience: float, is_alive: Callable[[], bool]) -> None:
    """Return when a server that is starting answers.

    Raises:
        StoreUnavailable: it ended, or did not answer within ``patience`` seconds.
        StoreRefused: it answers, and refuses the password or is too old.
    """
    until = time.monotonic() + patience
    while True:
        try:
            with Neo4jServer(Address(uri, user, password, deadline=_CONNECT_S)) as server:
                server.read("RETURN 1 AS one")
                return
        except StoreUnavailable:
            if not is_alive() or time.monotonic() > until:
                raise
            time.sleep(0.2)


@contextmanager
def _wrong_address(address: Address) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise StoreRefused(f"Neo4j's address {address.uri!r} is not usable ({error}); {_LIKE}") from error


_LIKE = "CLAUSEGRAPH_NEO4J_URI is like bolt://127.0.0.1:7687"


@contextmanager
def driver_errors(address: Address) -> Iterator[None]:
    """Translate the driver's errors into ``StoreError`` with the fix."""
    try:
        yield
    except ClauseGraphError:
        raise
    except driver.Neo4jError as error:
        raise _of_server(address, error) from error
    except driver.ConfigurationError as error:
        if "Notification filtering" in str(error):  # the protocol came with 5.7
            raise StoreRefused(f"Neo4j at {address.uri} is too old; 5.23 or newer is needed; upgrade it") from error
        raise StoreRefused(f"Neo4j's address {address.uri!r} is not usable ({error}); {_LIKE}") from error
    except (driver.ServiceUnavailable, driver.SessionExpired, OSError) as error:
        raise StoreUnavailable(
            f"no Neo4j answers at {address.uri} ({_line(error)}); start it (`make neo4j`) or set CLAUSEGRAPH_NEO4J_URI"
        ) from error
    except (driver.DriverError, driver.UnsupportedServerProduct) as error:
        raise StoreError(f"Neo4j at {address.uri}: {_line(error)}") from error


# What a server says → what we raise and say; the first whose pattern is in "code message" counts.
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
     "took longer than {deadline:g} s; look at its load or raise CLAUSEGRAPH_NEO4J_DEADLINE"),
    (r"MemoryPool|OutOfMemory", StoreRefused,
     "ran out of memory for this transaction; give it more (server.memory.heap.max_size)"),
    (r"Neo\.TransientError|DatabaseUnavailable", StoreUnavailable, "cannot do this now; try again"),
)  # fmt: skip


def _of_server(address: Address, error: driver.Neo4jError) -> StoreError:
    said = f"{error.code} {error.message}"
    for pattern, kind, words in _ANSWERS:
        if re.search(pattern, said):
            advice = words.format(user=address.user, database=address.database, deadline=address.deadline)
            return kind(f"Neo4j at {address.uri} {advice} ({_line(error)})")
    return StoreError(f"Neo4j at {address.uri} failed: {error.code}: {_line(error)}")


def _line(error: BaseException) -> str:
    """The first line of what a driver says, cut: the rest is Java's."""
    text = (error.message if isinstance(error, driver.Neo4jError) else str(error)) or type(error).__name__
    return str(text).strip().splitlines()[0][:300].rstrip(":")
