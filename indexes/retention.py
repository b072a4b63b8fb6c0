"""Which epochs of a corpus stay, and why; the others leave the ledger's list, and with it every reader's sight."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.readers import AT_ONCE, forget, taking
from clausegraph.indexes.ledger.schema import FLIPPED, corpora, epochs
from clausegraph.indexes.ledger.store import Ledger

_DAY_S = 86400.0


@dataclass(frozen=True, slots=True)
class Retention:
    """What stays though it is old: the newest ``epochs``, and whatever is younger than ``days`` at ``now``.

    0 days: nothing stays for its age, whatever the clock was when it was made.
    """

    epochs: int
    days: float
    now: float

    @property
    def before(self) -> float:
        """What was made before this moment is not young any more."""
        return self.now - self.days * _DAY_S if self.days > 0 else math.inf

    def reasons(self, made: float) -> list[str]:
        """Why something that was made at that moment stays for its age, if it does."""
        if made < self.before:
            return []
        return ["young"] if made <= self.now else ["future"]


@dataclass(frozen=True, slots=True)
class Retained:
    """The epochs that stay, oldest first, each with its reasons; how many went; those that only a reader keeps."""

    kept: dict[int, list[str]]
    gone: int
    held: list[int]

    @property
    def floor(self) -> int:
        """The oldest that stays; 0 without any."""
        return min(self.kept, default=0)


def remove_epochs(ledger: Ledger, lease: RunLease, retention: Retention) -> Retained:
    """Take the epochs that have no reason to stay out of the list, but none that a reader holds, nor any after it."""
    gone = 0
    while True:
        with ledger.read() as connection:
            kept = _kept(connection, lease.corpus_id, retention)
            older = _older(connection, lease.corpus_id, min(kept, default=0))
        with taking(ledger, lease.corpus_id, older[:AT_ONCE]) as taken, ledger.write() as connection:
            check_fence(connection, lease)
            kept = _kept(connection, lease.corpus_id, retention)  # readers may have been moved back meanwhile
            untaken = [number for number in older if number not in taken]
            floor = min([*untaken, *kept], default=0)
            mine = (epochs.c.corpus_id == lease.corpus_id, epochs.c.number < floor)
            gone += connection.execute(delete(epochs).where(*mine)).rowcount
        held = [number for number in older[:AT_ONCE] if number not in taken]
        if held or len(older) <= AT_ONCE:
            break
    with ledger.read() as connection:
        kept = _kept(connection, lease.corpus_id, retention, held)
        listed = select(epochs.c.number).where(epochs.c.corpus_id == lease.corpus_id)  # with one that is to be flipped
        forget(ledger, lease.corpus_id, keep=list(connection.execute(listed).scalars()))
    return Retained(kept, gone, held)


def _kept(
    connection: Connection, corpus_id: int, retention: Retention, held: Collection[int] = ()
) -> dict[int, list[str]]:
    """The oldest epoch that has a reason to stay and all after it, oldest first, each with its reasons.

    "published", "held" by a reader, "young", of the "future" of a clock that was set back, among the "newest", or
    "between" others that stay.
    """
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.state == FLIPPED)
    rows = connection.execute(select(epochs.c.number, epochs.c.created).where(*mine).order_by(epochs.c.number)).all()
    published = connection.execute(select(corpora.c.published).where(corpora.c.id == corpus_id)).scalar_one()
    newest = {row.number for row in rows[-retention.epochs :]}
    why = {
        row.number: [
            *(["published"] if row.number == published else []),
            *(["held"] if row.number in held else []),
            *retention.reasons(row.created),
            *(["newest"] if row.number in newest else []),
        ]
        for row in rows
    }
    floor = min((number for number, reasons in why.items() if reasons), default=0)
    return {number: reasons or ["between"] for number, reasons in why.items() if number >= floor}


def _older(connection: Connection, corpus_id: int, floor: int) -> list[int]:
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.number < floor, epochs.c.state == FLIPPED)
    return list(connection.execute(select(epochs.c.number).where(*mine).order_by(epochs.c.number)).scalars())
