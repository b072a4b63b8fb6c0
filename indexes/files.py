"""Files of a home folder: written whole or not at all, for their owner only, their errors told with the fix."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clausegraph.core.errors import StorageError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_OWN_FILE, _OWN_FOLDER = 0o600, 0o700
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


def write_whole(path: Path, data: bytes) -> str:
    """Write a file, replacing one that is there, so that it is on the disk and whole; returns its SHA-256.

    Raises:
        StorageError: it cannot be written.
    """
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with file_errors(path):
        make_private(path.parent)
        try:
            with os.fdopen(open_private(temporary), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(path.parent)
    return hashlib.sha256(data).hexdigest()


def _sync(folder: Path) -> None:
    """Make a rename in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checksum(path: Path) -> str | None:
    """SHA-256 of a file, or None when it is not there."""
    if not path.exists():
        return None
    with file_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
