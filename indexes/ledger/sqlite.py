"""Everything of the ledger that only SQLite has: its file, locks, clean-up and errors.

A writing transaction takes its lock when it begins: one that began as a reader and then wants to write fails at once
where another process wrote meanwhile, whatever the timeout.

Reading a file with a write-ahead log takes an index of that log, a file beside the database. Where it is not there and
cannot be made (full disk, read-only folder), the database is opened as a file that does not change. Its stamp is looked
at before and after each use, so that a process that writes it after all is noticed, and nothing mixed is used.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import URL, Connection, Engine, QueuePool, Table, create_engine, event, func, select, text
from sqlalchemy.exc import DBAPIError

from clausegraph.core.errors import StorageError
from clausegraph.indexes.files import disk_full, file_errors, free_bytes, give_back, make_private, not_writable, rewrite
from clausegraph.indexes.ledger.cells import RESTORE, WrongCell
from clausegraph.indexes.ledger.dialect import interrupts_held, value_errors

BUSY_TIMEOUT_S = 30
_INDEX = 1 << 15  # bytes of the index of a log
_SHORT, _SHORT_LOG = 16_000_000, 16  # bytes on a disk where a log of the usual 4 MB is long, and pages of a short one
_NETWORK_FILE_SYSTEMS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph"}


def _writers(path: Path) -> Engine:
    address = URL.create("sqlite", database=str(path))  # a path is no text of a URL: it may have ?, # and % in it
    engine = create_engine(address, connect_args={"timeout": BUSY_TIMEOUT_S})
    event.listen(engine, "connect", partial(_configure, path))
    event.listen(engine, "begin", _begin)
    return engine


def _configure(path: Path, connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we emit BEGIN ourselves, see _begin
    for pragma in ("foreign_keys=ON", "secure_delete=ON", "synchronous=NORMAL", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    if free_bytes(path.parent) < _SHORT:
        connection.execute(f"PRAGMA wal_autocheckpoint={_SHORT_LOG}")  # the log begins anew after each transaction


def _refuse_network(folder: Path) -> None:
    """SQLite's locks do not hold on network file systems."""
    home = folder.resolve()
    mounted = {Path(one.mountpoint): one.fstype for one in psutil.disk_partitions(all=True)}
    kind = next((mounted[place] for place in (home, *home.parents) if place in mounted), "")
    if kind in _NETWORK_FILE_SYSTEMS:
        raise StorageError(f"{folder} is on a network file system ({kind}); set CLAUSEGRAPH_HOME to a local disk")


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def driver_errors(path: Path) -> Iterator[None]:
    """Translate the database driver's errors into ``StorageError`` with the fix."""
    try:
        with value_errors(path, partial(_row_of, path)):
            yield
    except DBAPIError as error:
        raise _explained(path, str(error.orig)) from error
    except sqlite3.Error as error:
        raise _explained(path, str(error)) from error


def _row_of(path: Path, wrong: WrongCell) -> str:
    """The row of a cell of another type is looked for, as the driver does not tell which it was."""
    row = "?"
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
        cells = connection.execute(f'SELECT rowid, "{wrong.column}" FROM "{wrong.table}"')  # noqa: S608
        row = next((str(number) for number, value in cells if not wrong.is_sound(value)), row)
    return row


def _explained(path: Path, reason: str) -> StorageError:
    lower = reason.lower()
    if "full" in lower or ("disk i/o" in lower and free_bytes(path.parent) < _INDEX):  # of the log, which has no room
        return disk_full(path, reason)
    if "readonly" in lower or "unable to open" in lower:
        return not_writable(path, reason)
    for words, said in (
        ("locked|busy", f"stayed locked for {BUSY_TIMEOUT_S} s ({reason}); another process is writing to it"),
        (
            "malformed|not a database",
            f"is damaged or not a ledger ({reason}); restore it from a backup or move it away",
        ),
        ("could not decode", f"is damaged: a text in it is not valid UTF-8 ({reason[:200]!a}); {RESTORE}"),
    ):
        if any(word in lower for word in words.split("|")):
            return StorageError(f"{path} {said}")
    return StorageError(f"{path}: {reason}")


_TRIES = 5  # connections that may be outdated before one is not
_NO_INDEX = {  # the index of the log cannot be made
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY_DIRECTORY, sqlite3.SQLITE_READONLY_CANTINIT,
    sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_WRITE,
}  # fmt: skip


class _Reading(sqlite3.Connection):
    """A connection, with a stamp where it takes the file for one that does not change."""

    stamp: tuple[int, ...] | None = None


def _current(engine: Engine, path: Path) -> Connection:
    """A connection that sees what was written last."""
    for _ in range(_TRIES):
        connection = engine.connect()
        stamp = _stamp_of(connection)
        if stamp is None or stamp == _stamp(path):
            return connection
        connection.invalidate()
        connection.close()
    raise _changed(path)


def _changed(path: Path) -> StorageError:
    return StorageError(
        f"{path} was written by another process while it was read from a place where it cannot be shared with that "
        "(a read-only folder, a full disk); run again"
    )


def _stamp_of(connection: Connection) -> tuple[int, ...] | None:
    raw = connection.connection.dbapi_connection
    return raw.stamp if isinstance(raw, _Reading) else None


def _connect(path: Path) -> _Reading:
    try:
        return _open(path, "mode=ro")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode not in _NO_INDEX:
            raise
        if not os.access(path, os.R_OK):
            raise StorageError(f"{path} may not be read by this user; change its mode or its owner") from error
        stamp = _stamp(path)
        if not stamp:
            raise StorageError(
                f"{path} has a write-ahead log beside it, whose index cannot be made ({error}): make its folder "
                "writable, or free some space on its disk, and run again; then the log is read"
            ) from error
        connection = _open(path, "mode=ro&immutable=1")
        connection.stamp = stamp
        return connection


def _open(path: Path, how: str) -> _Reading:
    """Opening does nothing yet: the first statement finds what can be read."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, factory=_Reading,
    )  # fmt: skip
    try:
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _stamp(path: Path) -> tuple[int, ...]:
    """What changes with the file; empty while there is a log, which has what the file has not."""
    try:
        if path.with_name(f"{path.name}-wal").stat().st_size:
            return ()
    except FileNotFoundError:
        pass
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class SqliteDatabase:
    """The ``Database``, which documents the methods, in a file of the home folder."""

    kind = "sqlite"
    publishes_at_once = False  # whoever reads a large file would wait for it, see docs/decisions/0019

    def __init__(self, home: Path) -> None:
        self._home, self.path = home, home / "ledger.db"
        self.place = str(self.path)
        self.elsewhere = f"move {home} away"
        _refuse_network(home)
        self._readers = create_engine("sqlite://", creator=partial(_connect, self.path), poolclass=QueuePool)
        event.listen(self._readers, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        self._writers: Engine | None = None
        self._opening = threading.Lock()

    def exists(self) -> bool:
        with file_errors(self._home):
            return self.path.exists()

    def make(self) -> None:
        with file_errors(self._home), driver_errors(self.path):
            make_private(self._home)
            if not self.path.exists() or self.path.stat().st_size == 0:
                with closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)) as connection:
                    self.path.chmod(0o600)
                    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # must be set before the first table
                    connection.execute("PRAGMA journal_mode=WAL")

    def add_tables(self, connection: Connection) -> None:
        """There are none."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _current(self._readers, self.path) as connection:
            stamp = _stamp_of(connection)
            try:
                yield connection
            finally:
                if stamp is not None and stamp != _stamp(self.path):
                    raise _changed(self.path)

    @contextmanager
    def writing(self, *, alone: bool = True) -> Iterator[Connection]:
        """Always alone."""
        with self._opening:
            if self._writers is None:
                self._writers = _writers(self.path)
        own = self._writers
        with interrupts_held(), own.connect().execution_options(immediate=True) as connection, connection.begin():
            yield connection

    def outside(self) -> AbstractContextManager[Connection]:
        return self.writing()

    def lock(self, connection: Connection) -> None:
        """It is."""

    def errors(self) -> AbstractContextManager[None]:
        return driver_errors(self.path)

    def now(self, connection: Connection) -> float:
        del connection
        return time.time()

    def last_id(self, connection: Connection, table: Table) -> int:
        highest = int(connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one())
        if not table.dialect_options["sqlite"]["autoincrement"]:
            return highest
        ever = connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table.name})
        return max(highest, int(ever.scalar() or 0))

    def follow_ids(self, connection: Connection, table: Table) -> None:
        """SQLite does so by itself."""

    def promise_removal(self, connection: Connection, *, kept: bool = False) -> None:
        connection.exec_driver_sql(f"PRAGMA user_version = {0 if kept else 1}")

    def is_removal_promised(self, connection: Connection) -> bool:
        return bool(connection.exec_driver_sql("PRAGMA user_version").scalar())

    def compact(self) -> None:
        with self.errors(), closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as made:
            give_back(made)

    def rewrite(self) -> str:
        with self.errors():
            return rewrite(self.path, BUSY_TIMEOUT_S)

    def damage(self) -> str:
        with self.errors(), closing(_connect(self.path)) as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)")]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        if found != ["ok"]:
            return "; ".join(found)[:500]
        return f"{len(orphans)} rows refer to nothing" if orphans else ""

    def size(self) -> int:
        return self.path.stat().st_size

    def close(self) -> None:
        """Those that write go last: they tidy up the log, which readers may not."""
        self._readers.dispose()
        if self._writers is not None:
            self._writers.dispose()
