"""Who reads which epoch: what a view holds against removal, and what removes epochs takes first.

Whoever removes epochs takes them out of the readers' hands and keeps them until the ledger has forgotten the epochs.
That an epoch is really there is checked in the transaction of every read (``EpochReads``), so a reader that could get
no hold finds its epoch gone, and never a part of it.

A server has a row for each reader (``row_holds``). A file has a shared ``flock`` on a small file of each epoch,
``readers/<corpus id>-<epoch>``: a reader only opens that, for reading; it writes nothing and waits for nobody, and the
operating system takes the lock back when its process ends. A process made by ``fork`` shares the lock until it closes
its copy or ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, select

from clausegraph.core.errors import NotFoundError, ViewExpired
from clausegraph.indexes.files import file_errors, make_private, users_of
from clausegraph.indexes.ledger.row_holds import RowHolds
from clausegraph.indexes.ledger.schema import FLIPPED, epochs
from clausegraph.indexes.ledger.store import Ledger, Reads

AT_ONCE = 200  # epochs taken together: each may be an open file
_TRIES = 10  # the file may be replaced between its opening and the lock
_UNHELD = {  # a reader goes on without a lock
    errno.EACCES, errno.EPERM, errno.EROFS,  # it may not make the file
    errno.ENOSPC, errno.EDQUOT,  # there is no room for it
    errno.ENOLCK, errno.EOPNOTSUPP,  # there are no locks on this file system
}  # fmt: skip


class EpochHold(Protocol):
    """An epoch that is held against removal; close it."""

    def renew(self) -> None:
        """Hold it on: somebody reads."""

    def close(self) -> None:
        """Give it back; a second time nothing happens."""


class Holds(Protocol):
    """The holds on the epochs of a ledger."""

    def prepare(self, corpus_id: int, epoch: int) -> None:
        """An epoch is about to be published."""

    def hold(self, corpus_id: int, epoch: int) -> EpochHold | None:
        """Hold an epoch against removal; None where that cannot be had. Look whether it is in the ledger before, or
        something is left of one that is not, and afterwards."""

    def users(self, corpus_id: int, epoch: int) -> str:
        """The other processes that hold an epoch, as far as this one may see, in words."""

    def corpora(self) -> set[int]:
        """The corpora of which anything is left."""

    def take(self, corpus_id: int, numbers: Collection[int]) -> AbstractContextManager[set[int]]:
        """Take epochs, at most ``AT_ONCE``, out of the readers' hands: yields those that nobody holds.

        Until the block ends nobody can get hold of these, so that what is removed in it is removed under nobody.
        """

    def forget(self, corpus_id: int, keep: Collection[int] = ()) -> None:
        """Remove what is left of a corpus' holds but those of the epochs to ``keep``."""


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

    def forget(self, corpus_id: int, keep: Collection[int] = ()) -> None:
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


def holds_of(ledger: Ledger) -> Holds:
    """The holds on the epochs of a ledger."""
    return RowHolds(ledger) if ledger.database.kind == "postgresql" else FileHolds(ledger)


class EpochReads(Reads):
    """Reads of a ledger that see all of one epoch: each transaction first looks whether the epoch is there."""

    def __init__(self, ledger: Ledger, corpus_id: int, corpus: str, epoch: int, state: str = FLIPPED) -> None:
        self._ledger = ledger
        self._name = f"corpus {corpus!r} at epoch {epoch}"
        self._there = select(epochs.c.number).where(
            epochs.c.corpus_id == corpus_id, epochs.c.number == epoch, epochs.c.state == state
        )
        self._is_closed = False
        self.held: EpochHold | None = None  # what vacuum respects, while somebody reads

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading one consistent state, which has the epoch."""
        self.check_open()
        if (held := self.held) is not None:
            held.renew()
        with self._ledger.read() as connection:
            if connection.execute(self._there).first() is None:
                raise ViewExpired(f"the view of {self._name} has ended, for the epoch was removed; open a new one")
            yield connection

    def check_open(self) -> None:
        """As :meth:`read` where nothing is to be read from the ledger."""
        if self._is_closed:
            raise ViewExpired(f"the view of {self._name} has ended; open a new one")

    def close(self) -> None:
        """Nothing can be read any more."""
        self._is_closed = True


def held_epochs(ledger: Ledger, corpus_id: int, numbers: Collection[int]) -> set[int]:
    """Those of the epochs that somebody holds now."""
    busy = set()
    for number in numbers:
        with holds_of(ledger).take(corpus_id, [number]) as taken:
            busy |= {number} - taken
    return busy
