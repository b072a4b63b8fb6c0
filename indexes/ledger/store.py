"""The ledger: one database per home folder, opened, checked, migrated; its drivers' errors translated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from clausegraph.core.errors import SchemaError, StorageError

SCHEMA_VERSION = "0001"
BUSY_TIMEOUT_S = 30
_MOUNTS = Path("/proc/mounts")
_NETWORK_FILE_SYSTEMS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph"}


@contextmanager
def driver_errors(path: Path) -> Iterator[None]:
    """Translate the database driver's errors into ``StorageError`` with the fix."""
    try:
        yield
    except DBAPIError as error:
        raise StorageError(_explain(path, str(error.orig))) from error
    except sqlite3.Error as error:
        raise StorageError(_explain(path, str(error))) from error


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Translate the operating system's errors about ``path`` into ``StorageError`` with the fix."""
    try:
        yield
    except OSError as error:
        raise StorageError(_explain(path, str(error))) from error


def _explain(path: Path, reason: str) -> str:
    lower = reason.lower()
    if "full" in lower or "no space" in lower:
        return f"the disk that holds {path} is full ({reason}); free some space and run again: nothing was published"
    if "readonly" in lower or "read-only" in lower or "permission" in lower or "unable to open" in lower:
        return f"{path} cannot be written ({reason}); make its folder writable or set CLAUSEGRAPH_HOME to another"
    if "locked" in lower or "busy" in lower:
        return f"{path} stayed locked for {BUSY_TIMEOUT_S} s ({reason}); another process is writing to it"
    if "malformed" in lower or "not a database" in lower:
        return f"{path} is damaged or not a ledger ({reason}); restore it from a backup or move it away"
    return f"{path}: {reason}"


class Ledger:
    """An open ledger. Write transactions are immediate and short; reads are short and deferred.

    ``home`` is the folder that holds ``ledger.db`` and the vector segments.
    """

    def __init__(self, home: Path, engine: Engine) -> None:
        self.home = home
        self.path = home / "ledger.db"
        self._engine = engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading one consistent state."""
        with driver_errors(self.path), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in an immediate transaction: committed at the end, rolled back on an error."""
        with driver_errors(self.path), self._engine.connect() as raw:
            connection = raw.execution_options(immediate=True)
            with connection.begin():
                yield connection

    def compact(self) -> None:
        """Give freed pages back to the file system and empty the write-ahead log."""
        with driver_errors(self.path):
            connection = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
            try:
                connection.executescript("PRAGMA incremental_vacuum")  # execute() would free one page only
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.close()

    def segment_folder(self, corpus_id: int) -> Path:
        """Where the vector segments of a corpus live."""
        return self.home / "segments" / str(corpus_id)

    def cache_folder(self, corpus_id: int) -> Path:
        """Derived files of a corpus; deleting them costs time, never truth."""
        return self.home / "cache" / str(corpus_id)

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_ledger(home: Path, *, create: bool = True) -> Ledger:
    """Open the ledger of ``home``; a new one is made, an older one migrated.

    Raises:
        StorageError: the folder cannot be written, is on a network file system, or the file is damaged.
        SchemaError: made by a newer ClauseGraph, or absent while ``create`` is false.
    """
    path = home / "ledger.db"
    if not create and not path.exists():
        raise SchemaError(f"no ledger at {path}; run `clausegraph ingest SOURCE` first or set CLAUSEGRAPH_HOME")
    with file_errors(home), driver_errors(path):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        _refuse_network(home)
        fresh = not path.exists() or path.stat().st_size == 0
        if fresh:
            _initialise(path)
        engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_TIMEOUT_S})
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
        _check_schema(engine, path)
    return Ledger(home, engine)


def _initialise(path: Path) -> None:
    """Settings that must be there before the first table."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)
    try:
        path.chmod(0o600)
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we emit BEGIN ourselves, see _begin
    for pragma in ("foreign_keys=ON", "secure_delete=ON", "synchronous=NORMAL", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _refuse_network(home: Path) -> None:
    """SQLite's locks do not hold on network file systems."""
    if not _MOUNTS.exists():
        return
    target, best, kind = str(home.resolve()), "", ""
    for line in _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split()
        inside = target == fields[1] or target.startswith(fields[1].rstrip("/") + "/")
        if inside and len(fields[1]) >= len(best):
            best, kind = fields[1], fields[2]
    if kind in _NETWORK_FILE_SYSTEMS:
        raise StorageError(f"{home} is on a network file system ({kind}); set CLAUSEGRAPH_HOME to a local disk")


def _check_schema(engine: Engine, path: Path) -> None:
    found = _schema_version(engine)
    if found == SCHEMA_VERSION:
        return
    if found is not None and found > SCHEMA_VERSION:
        raise SchemaError(
            f"{path} has schema {found}, this ClauseGraph knows {SCHEMA_VERSION}: it was made by a newer "
            "version; upgrade with `pip install -U clausegraph`"
        )
    from clausegraph.indexes.ledger.migrate import upgrade

    upgrade(engine)


def _schema_version(engine: Engine) -> str | None:
    with engine.connect() as connection:
        try:
            row = connection.execute(text("SELECT version_num FROM alembic_version")).fetchone()
        except OperationalError as error:
            if "no such table" in str(error):
                return None
            raise
    return None if row is None else str(row[0])
