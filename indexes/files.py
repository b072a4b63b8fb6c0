"""Files of a home folder: written whole, for their owner only, rewritten so that nothing of a deleted row is left.

``secure_delete`` overwrites a deleted row, but not the copies that the b-tree left in unused parts of other pages.
VACUUM leaves them behind, and emptying the write-ahead log takes the older states away; that waits for readers inside a
transaction.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil

from clausegraph.core.errors import SegmentError, StorageError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_OWN_FILE, _OWN_FOLDER = 0o600, 0o700
STAGING = "staging"  # a folder within a home
OWN_TOKEN = "serve-token"  # noqa: S105 - a file of a server's own token, beside the hashes of all
UPLOADS = "uploads"  # another: of each corpus, by its id, a folder of each source whose files people sent
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Translate the operating system's errors about ``path`` into ``StorageError`` with the fix."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise disk_full(path, str(error)) from error
        if error.errno in _NOT_WRITABLE:
            raise not_writable(path, str(error)) from error
        raise StorageError(f"{path}: {error}") from error


def disk_full(path: Path, reason: str) -> StorageError:
    """The error of a write for which there was no room."""
    return StorageError(
        f"the disk that holds {path} is full ({reason}); free some space and run again: nothing was published"
    )


def free_bytes(folder: Path) -> int:
    """What may still be written on the disk of a folder."""
    with file_errors(folder):
        return shutil.disk_usage(folder).free


def not_writable(path: Path, reason: str) -> StorageError:
    """The error of a write that was not allowed."""
    return StorageError(
        f"{path} cannot be written ({reason}); make its folder writable or set CLAUSEGRAPH_HOME to another"
    )


def make_private(folder: Path) -> None:
    """Make a folder and what is missing above it, for the owner only; one that is there stays as it is.

    Not left to the umask, nor to ``mkdir``, which gives its mode to the last folder alone.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        one.chmod(_OWN_FOLDER)


def open_private(path: Path) -> int:
    """The descriptor of a file that only its owner may read, emptied; whatever its mode was and the umask is."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _OWN_FILE)
    os.fchmod(descriptor, _OWN_FILE)
    return descriptor


def write_whole(path: Path, data: bytes | Callable[[Path], object]) -> str:
    """Write a file, replacing one that is there, so that it is on the disk and whole; returns its SHA-256. What cannot
    be had as bytes writes itself, to the path that it is given."""
    temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
    with file_errors(path):
        make_private(path.parent)
        try:
            with os.fdopen(open_private(temporary), "wb") as file:
                if isinstance(data, bytes):
                    file.write(data)
                    file.flush()
                else:
                    data(temporary)
                os.fsync(file.fileno())
            found = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else checksum(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    return str(found)


def sync_folder(folder: Path) -> None:
    """Make a rename in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked_folder(folder: Path, busy: str = "") -> Iterator[None]:
    """Make a folder, and hold it alone; ``busy`` begins the message where somebody else does, without it that is waited
    for.

    Raises:
        StorageError: another process holds it, or it cannot be made.
    """
    with file_errors(folder):
        make_private(folder)
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        if busy:
            lock_alone(descriptor, busy)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def staging(home: Path) -> Iterator[Path]:
    """A folder of a home in which something large is put together, for one at a time; nothing of it stays."""
    folder = home / STAGING
    with locked_folder(home, f"a backup or restore of {home} is under way"), file_errors(folder):
        try:
            shutil.rmtree(folder, ignore_errors=True)
            make_private(folder)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def clear_staging(home: Path) -> None:
    """Remove what a killed command left in the staging folder."""
    if (home / STAGING).exists():
        with staging(home):
            pass


def lock_alone(descriptor: int, busy: str) -> None:
    """Lock an open file or folder until it is closed; ``busy`` begins the message where somebody else has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StorageError(f"{busy}; wait for it") from error


def failure_of(work: Callable[[], object]) -> Iterator[str]:
    """Do the work, and say why where it cannot be done; the rest is done all the same."""
    try:
        work()
    except (SegmentError, StorageError) as error:
        yield str(error)


def remove_path(path: Path) -> Iterator[str]:
    """Remove a file, or a folder and what is in it; yields what remains and why. Where a link leads to, all stays."""

    def remove() -> None:
        with file_errors(path):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    yield from failure_of(remove)


def checksum(path: Path) -> str | None:
    """SHA-256 of a file, or None when it is not there."""
    if not path.exists():
        return None
    with file_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    """Rewrite a file and empty its log; returns what remains and why, in words, empty where nothing does. Waits
    ``writers_s`` seconds for other processes that write."""
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
        return f"{path} and its log: {users_of(path.resolve())} is reading; wait for it or stop it"
    return ""


def users_of(path: Path) -> str:
    """The other processes that have a file open, by number; somebody, where this one may see none."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(Path(file.path) == path for file in process.open_files()):
                found.append(str(process.pid))
        except (psutil.Error, OSError):
            continue  # another user's, or it has just ended
    return f"process {' or '.join(found)}" if found else "a process"


def _not_rewritten(path: Path, error: sqlite3.OperationalError) -> str:
    reason = str(error)
    if "full" in reason:
        size = path.stat().st_size / 1e6
        return f"unused parts of {path}: it is rewritten where there is room ({reason}); free {2 * size:.0f} MB"
    if "locked" in reason or "busy" in reason:
        return f"unused parts of {path}: {users_of(path.resolve())} is using it ({reason}); wait for it or stop it"
    return f"unused parts of {path}: it cannot be rewritten ({reason}); make it and its folder writable"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
