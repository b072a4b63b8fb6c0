"""Replies of language models beside a ledger in a file, in a SQLite file of their own. Losing it costs money, never
truth, so its failures stop nothing.

A reply may quote any page, and nobody can say which: so whoever removes text for good removes every reply with it. What
the replies said is in the ledger, as extractions; only work that was cut off before it was stored is paid for again.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from clausegraph.indexes.files import give_back, make_private, remove_path, rewrite

T = TypeVar("T")

RESPONSES = "responses.db"  # in the home folder

_log = logging.getLogger(__name__)
_BUSY_S = 10.0
_ROOM = 0.9  # of the limit is left after an eviction, so that not every reply evicts one
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, value BLOB NOT NULL, used REAL NOT NULL);
CREATE INDEX IF NOT EXISTS replies_used ON replies (used);
"""
_EVICT = "DELETE FROM replies WHERE key IN (SELECT key FROM replies ORDER BY used LIMIT 10)"


def forget_all(home: Path) -> list[str]:
    """Remove every reply of a home folder; returns what remains and why, in words."""
    path = home / RESPONSES
    try:
        if not path.exists():
            return []
        with closing(sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)) as connection:
            connection.execute("PRAGMA secure_delete=ON")
            connection.executescript(_SCHEMA)  # a process may have been killed before it wrote that
            connection.execute("DELETE FROM replies")
        return [unused] if (unused := rewrite(path, _BUSY_S)) else []
    except sqlite3.Error as error:
        if _is_damage(error):
            return [*remove_file(path)]
        return [f"replies of language models in {path} ({error}); make it writable, or remove the file"]


def remove_file(path: Path) -> Iterator[str]:
    """Remove the file of the replies with its log, without a write; what remains and why."""
    for suffix in ("", "-wal", "-shm"):
        yield from remove_path(path.with_name(path.name + suffix))


def packed(value: bytes, max_bytes: int) -> bytes | None:
    """A reply as a cache of so many bytes stores it; None for one that would evict all others."""
    data = zlib.compress(value, 6)
    return data if len(data) <= max_bytes // 2 else None


def unpacked(data: bytes | None, forget: Callable[[], None]) -> bytes | None:
    """A stored reply; one that is damaged is forgotten, and none."""
    try:
        return None if data is None else zlib.decompress(data)
    except zlib.error:
        forget()
        return None


class FileResponseCache:
    """A ``ResponseCache`` for any number of threads and processes; what was used least recently goes first."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._path, self._max_bytes = path, max_bytes
        self._lock = threading.Lock()
        self._open: tuple[int, sqlite3.Connection] | None = None
        self._abandoned: list[sqlite3.Connection] = []
        self._warned = False

    def get(self, key: str) -> bytes | None:
        """The stored reply, or none."""

        def work(connection: sqlite3.Connection) -> bytes | None:
            used = "UPDATE replies SET used = ? WHERE key = ? RETURNING value"
            rows = connection.execute(used, (time.time(), key)).fetchall()
            return bytes(rows[0][0]) if rows else None

        return unpacked(self._use(work), lambda: self.forget(key))

    def put(self, key: str, value: bytes) -> None:
        """Store a complete reply."""
        if (data := packed(value, self._max_bytes)) is None:
            return

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", (key, data, time.time()))
            full = _held(connection) > self._max_bytes
            while full and _held(connection) > _ROOM * self._max_bytes and connection.execute(_EVICT).rowcount:
                pass
            connection.execute("COMMIT")
            if full:
                give_back(connection)

        self._use(work)

    def forget(self, key: str) -> None:
        """Drop a reply that turned out to be unusable."""
        self._use(lambda connection: connection.execute("DELETE FROM replies WHERE key = ?", (key,)))

    def forget_before(self, moment: float) -> tuple[int, str]:
        """Drop what was last used before ``moment`` (seconds since 1970), so that no byte is left.

        Returns how many, and what remains and why, in words.
        """

        before = "DELETE FROM replies WHERE used < ?"
        gone = self._use(lambda connection: connection.execute(before, (moment,)).rowcount) or 0
        try:
            return gone, rewrite(self._path, _BUSY_S) if gone else ""
        except sqlite3.Error as error:
            return gone, f"unused parts of {self._path} ({error}); remove the file"

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._shut()

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the file; one that is damaged is moved aside, any other failure is a miss."""
        with self._lock:
            for last in (False, True):
                try:
                    with self._connection() as connection:  # rolled back where it fails
                        return work(connection)
                except (sqlite3.Error, OSError) as error:
                    if last or not _is_damage(error):
                        if not self._warned:
                            _log.warning("the response cache %s cannot be used (%s); replies are asked for again",
                                         self._path, error)  # fmt: skip
                        self._warned = True
                        return None
                    self._shut()
                    _log.warning("the response cache %s is damaged (%s): a new one is begun", self._path, error)
                    if any(remove_file(self._path)):
                        return None
        return None

    def _connection(self) -> sqlite3.Connection:
        if self._open is not None and self._open[0] != os.getpid():
            self._abandoned.append(self._open[1])  # closing a parent's connection would drop the parent's locks
            self._open = None
        if self._open is None:
            make_private(self._path.parent)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            connection = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                for pragma in ("auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                    connection.execute(f"PRAGMA {pragma}")
                connection.executescript(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._open = (os.getpid(), connection)
        return self._open[1]

    def _shut(self) -> None:
        if self._open is not None and self._open[0] == os.getpid():
            self._open[1].close()
        self._open = None


def _held(connection: sqlite3.Connection) -> int:
    """Bytes of the file's pages that hold something."""
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size


def _is_damage(error: Exception) -> bool:
    usage = (sqlite3.OperationalError, sqlite3.ProgrammingError)
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, usage)
