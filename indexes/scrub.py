"""SQLite files from which rows were deleted: rewritten, so that no byte of these is left in any part of the file.

``secure_delete`` overwrites the row that is deleted, but not the copies of it that the b-tree left behind in unused
parts of other pages when it moved rows between pages (measured: of 3,000 deleted rows, 11 to 20 could still be read).
Rewriting the file (VACUUM) leaves them behind, and emptying the write-ahead log takes the older states away; that
waits for readers who are inside a transaction, whose state would be taken from under them.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import psutil

READERS_S = 3.0  # reads are short: who is inside a transaction for longer is named instead of waited for
_PAGES_AT_ONCE = 2000


def give_back(connection: sqlite3.Connection) -> None:
    """Give free pages back to the file system, some in a transaction, as far as nobody is in the way."""
    while _pragma(connection, "freelist_count"):
        free = _pragma(connection, "freelist_count")
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")  # execute() would free one page only
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if _pragma(connection, "freelist_count") >= free:
            return


def rewrite(path: Path, writers_s: float) -> str:
    """Rewrite a file and empty its log; returns what remains and why, in words, empty where nothing does.

    Args:
        writers_s: seconds to wait for other processes that write.

    Raises:
        sqlite3.Error: the file is damaged, or no database.
    """
    with closing(sqlite3.connect(path, timeout=writers_s, isolation_level=None)) as connection:
        try:
            give_back(connection)  # first: where the disk is full, this makes room
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("VACUUM")
            connection.execute(f"PRAGMA busy_timeout={int(READERS_S * 1000)}").fetchall()
            is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            return _not_rewritten(path, error)
    if is_busy:
        return f"{path} and its log: {_users(path)} is reading; wait for it or stop it"
    return ""


def users_of(path: Path) -> list[int]:
    """The other processes that have a file open, as far as this one may see."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(Path(file.path) == path for file in process.open_files()):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue  # another user's, or it has just ended
    return found


def in_words(pids: list[int]) -> str:
    """Processes by number; somebody, where none is known."""
    if not pids:
        return "a process"
    return f"process {' or '.join(map(str, pids))}"


def _users(path: Path) -> str:
    return in_words(users_of(path.resolve()))


def _not_rewritten(path: Path, error: sqlite3.OperationalError) -> str:
    reason = str(error)
    if "full" in reason:
        size = path.stat().st_size / 1e6
        return f"unused parts of {path}: it is rewritten where there is room ({reason}); free {2 * size:.0f} MB"
    if "locked" in reason or "busy" in reason:
        return f"unused parts of {path}: {_users(path)} is using it ({reason}); wait for it or stop it"
    return f"unused parts of {path}: it cannot be rewritten ({reason}); make it and its folder writable"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
