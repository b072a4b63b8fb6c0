"""Connections that only read the ledger's SQLite file, also where nothing can be written: full disk, read-only folder.

Reading a file with a write-ahead log takes an index of that log in shared memory, a file beside the database. Where it
is not there and cannot be made, nobody is writing, or could not either; the database is then opened as a file that does
not change. That holds only as long as it is true: the file's stamp is looked at before and after each use, so that a
process that may write after all (another user, the same disk mounted elsewhere) is noticed, and nothing mixed is used.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

from clausegraph.core.errors import StorageError
from clausegraph.indexes.ledger.dialect import BUSY_TIMEOUT_S, driver_errors, refuse_network

_TRIES = 5  # connections that may be outdated before one is not
_NO_INDEX = {  # the index of the log cannot be made
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY_DIRECTORY, sqlite3.SQLITE_READONLY_CANTINIT,
    sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_WRITE,
}  # fmt: skip

Stamp = tuple[int, ...]


class _Reading(sqlite3.Connection):
    """A connection; with a stamp where it takes the file for one that does not change."""

    stamp: Stamp | None = None


def open_for_reading(path: Path) -> Engine:
    """Connections that read the database of this file and cannot write it.

    Raises:
        StorageError: the file is on a network file system.
    """
    refuse_network(path.parent)
    engine = create_engine("sqlite://", creator=partial(_connect, path), poolclass=QueuePool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


@contextmanager
def reading(engine: Engine, path: Path) -> Iterator[Connection]:
    """A connection whose transaction reads one state.

    Raises:
        StorageError: somebody wrote the file while it was taken for one that does not change.
    """
    with _current(engine, path) as connection:
        stamp = _stamp_of(connection)
        try:
            yield connection
        finally:
            if stamp is not None and stamp != _stamp(path):
                raise _changed(path)


def damage(path: Path) -> str:
    """What is wrong with a database that is there, in words; empty when nothing is. Reads all of it.

    Raises:
        StorageError: it cannot be read at all.
    """
    with driver_errors(path), closing(_connect(path)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)")]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    if found != ["ok"]:
        return "; ".join(found)[:500]
    return f"{len(orphans)} rows refer to nothing" if orphans else ""


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


def _stamp_of(connection: Connection) -> Stamp | None:
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


def _stamp(path: Path) -> Stamp:
    """What changes with the file; empty while there is a log, which has what the file has not."""
    try:
        if path.with_name(f"{path.name}-wal").stat().st_size:
            return ()
    except FileNotFoundError:
        pass
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
