"""Who reads which epoch: what a view holds against removal, and what removes epochs takes first.

Whoever removes epochs takes them out of the readers' hands and keeps them until the ledger has forgotten the epochs.
That an epoch is really there is checked in the transaction of every read (``EpochReads``), so a reader that could get
no hold finds its epoch gone, and never a part of it. Each database has its own way: ``file_holds``, ``row_holds``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from sqlalchemy import Connection, select

from clausegraph.core.errors import ViewExpired
from clausegraph.indexes.ledger.file_holds import FileHolds
from clausegraph.indexes.ledger.row_holds import RowHolds
from clausegraph.indexes.ledger.schema import FLIPPED, epochs
from clausegraph.indexes.ledger.store import Ledger, Reads

AT_ONCE = 200  # epochs taken together


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
        """As :func:`take_epochs`."""

    def forget(self, corpus_id: int, keep: Collection[int]) -> None:
        """As :func:`forget`."""


_KINDS: dict[str, Callable[[Ledger], Holds]] = {"sqlite": FileHolds, "postgresql": RowHolds}


def holds_of(ledger: Ledger) -> Holds:
    """The holds on the epochs of a ledger."""
    return _KINDS[ledger.database.kind](ledger)


class EpochReads(Reads):
    """Reads of a ledger that see all of one epoch: each transaction first looks whether the epoch is there."""

    def __init__(self, ledger: Ledger, corpus_id: int, corpus: str, epoch: int) -> None:
        self._ledger = ledger
        self._name = f"corpus {corpus!r} at epoch {epoch}"
        self._there = select(epochs.c.number).where(
            epochs.c.corpus_id == corpus_id, epochs.c.number == epoch, epochs.c.state == FLIPPED
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


def hold(ledger: Ledger, corpus_id: int, epoch: int) -> EpochHold | None:
    """As of ``Holds``."""
    return holds_of(ledger).hold(corpus_id, epoch)


def held_epochs(ledger: Ledger, corpus_id: int, numbers: Collection[int]) -> set[int]:
    """Those of the epochs that somebody holds now."""
    busy = set()
    for number in numbers:
        with take_epochs(ledger, corpus_id, [number]) as taken:
            busy |= {number} - taken
    return busy


@contextmanager
def take_epochs(ledger: Ledger, corpus_id: int, numbers: Collection[int]) -> Iterator[set[int]]:
    """Take epochs, at most ``AT_ONCE``, out of the readers' hands: yields those that nobody holds.

    Until the block ends nobody can get hold of these, so that what is removed in it is removed under nobody.
    """
    with holds_of(ledger).take(corpus_id, numbers) as taken:
        yield taken


def forget(ledger: Ledger, corpus_id: int, keep: Collection[int] = ()) -> None:
    """Remove what is left of a corpus' holds but those of the epochs to ``keep``.

    Raises:
        StorageError: something cannot be removed.
    """
    holds_of(ledger).forget(corpus_id, keep)
