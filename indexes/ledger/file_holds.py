"""Who reads which epoch of a SQLite ledger: a shared ``flock`` on a file of each epoch, ``readers/<corpus>-<epoch>``.

A reader only opens the file, for reading: it writes nothing and waits for nobody, and the operating system takes the
lock back when its process ends. A process made by ``fork`` shares the lock until it closes its copy or ends.

Whoever removes epochs takes their files exclusively first and keeps them until the ledger has forgotten the epochs.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from clausegraph.core.errors import NotFoundError
from clausegraph.indexes.files import file_errors, make_private, users_of
from clausegraph.indexes.ledger.store import Ledger

_TRIES = 10  # the file may be replaced between its opening and the lock
_UNHELD = {  # a reader goes on without a lock
    errno.EACCES, errno.EPERM, errno.EROFS,  # it may not make the file
    errno.ENOSPC, errno.EDQUOT,  # there is no room for it
    errno.ENOLCK, errno.EOPNOTSUPP,  # there are no locks on this file system
}  # fmt: skip


class FileHold:
    """A shared lock on an epoch; close it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def renew(self) -> None:
        """The operating system keeps it until the process ends."""

    def close(self) -> None:
        """Give it back; a second time nothing happens. No unlocking: a forked process may read on."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


class FileHolds:
    """The ``Holds``, which documents the methods, of a ledger in a file."""

    def __init__(self, ledger: Ledger) -> None:
        self._folder = ledger.home / "readers"
        self._ledger = ledger.home / "ledger.db"

    def prepare(self, corpus_id: int, epoch: int) -> None:
        """Make the file of the epoch, so that readers who may not write find it."""
        path = self._path(corpus_id, epoch)
        with file_errors(path):
            os.close(_open_or_make(path, self._mode()))

    def hold(self, corpus_id: int, epoch: int) -> FileHold | None:
        path = self._path(corpus_id, epoch)
        with file_errors(path):
            try:
                return FileHold(_locked(path, fcntl.LOCK_SH, self._mode()))
            except BlockingIOError as error:
                raise NotFoundError(f"epoch {epoch} is being removed by a vacuum; open a newer one") from error
            except OSError as error:
                if error.errno in _UNHELD:
                    return None
                raise

    def users(self, corpus_id: int, epoch: int) -> str:
        return users_of(self._path(corpus_id, epoch))

    def corpora(self) -> set[int]:
        with file_errors(self._folder):
            corpora = (path.name.split("-")[0] for path in self._folder.glob("*-*"))
            return {int(name) for name in corpora if name.isdecimal()}

    @contextmanager
    def take(self, corpus_id: int, numbers: Collection[int]) -> Iterator[set[int]]:
        """Each is an open file."""
        with ExitStack() as opened:
            taken = set()
            for number in numbers:
                path = self._path(corpus_id, number)
                with file_errors(path):
                    try:
                        opened.callback(os.close, _locked(path, fcntl.LOCK_EX, self._mode()))
                    except BlockingIOError:
                        continue
                taken.add(number)
            yield taken

    def forget(self, corpus_id: int, keep: Collection[int]) -> None:
        """A view that holds one of the files keeps its lock."""
        kept = {self._path(corpus_id, number).name for number in keep}
        with file_errors(self._folder):
            for path in self._folder.glob(f"{corpus_id}-*"):
                if path.name not in kept:
                    path.unlink(missing_ok=True)

    def _path(self, corpus_id: int, epoch: int) -> Path:
        return self._folder / f"{corpus_id}-{epoch}"

    def _mode(self) -> int:
        """Whoever may read the ledger may hold an epoch."""
        return self._ledger.stat().st_mode & 0o666


def _locked(path: Path, kind: int, mode: int) -> int:
    """A descriptor of the file with a lock on it; the file is the one that others find under its name."""
    for _ in range(_TRIES):
        descriptor = _open_or_make(path, mode)
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            if _is_named(descriptor, path):
                return descriptor
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise BlockingIOError(errno.EWOULDBLOCK, "it is removed again and again", str(path))


def _is_named(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _open_or_make(path: Path, mode: int) -> int:
    flags = os.O_RDONLY | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        make_private(path.parent)
        return os.open(path, flags | os.O_CREAT, mode)
