"""Replies of language models in a ledger that machines share: what one worker paid for, no other asks again.

As with the file of ``response_cache.py``, losing one costs money, never truth: no failure here stops a call.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, delete, func, select, update

from clausegraph.core.errors import StorageError
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.schema import replies
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.response_cache import forget_all, packed, unpacked

T = TypeVar("T")

_log = logging.getLogger(__name__)
_ROOM = 0.9  # of the limit is left after an eviction
_LOOKS = 100  # times that the size is looked at while as much is put as the limit allows: the sum reads every row
_USED_S = 3600.0  # when a reply was used is noted to the hour: it writes the row anew
_row = replies.c


def forget_replies(ledger: Ledger) -> list[str]:
    """Remove every reply that a ledger's models gave, wherever these are; returns what remains and why, in words."""
    if ledger.database.kind != "postgresql":
        return forget_all(ledger.home)
    with ledger.beside() as connection:
        connection.execute(delete(replies))
    return []


class RowResponseCache:
    """A ``ResponseCache`` for any number of machines; what was used least recently goes first."""

    def __init__(self, ledger: Ledger, max_bytes: int) -> None:
        self._ledger, self._max_bytes = ledger, max_bytes
        self._unseen = max_bytes  # bytes put since the size was looked at
        self._warned = False

    def get(self, key: str) -> bytes | None:
        """The stored reply, or none."""

        def work(connection: Connection) -> bytes | None:
            row = connection.execute(select(replies).where(_row.key == key)).fetchone()
            if row is not None and row.used < (now := self._ledger.database.now(connection)) - _USED_S:
                connection.execute(update(replies).where(_row.key == key).values(used=now))
            return None if row is None else row.data

        return unpacked(self._try(work), lambda: self.forget(key))

    def put(self, key: str, value: bytes) -> None:
        """Store a complete reply."""
        if (data := packed(value, self._max_bytes)) is None:
            return

        def work(connection: Connection) -> None:
            values = {"used": self._ledger.database.now(connection), "data": data}
            connection.execute(insert_or_update(replies, ["key"], {"key": key} | values, values))

        self._try(work)
        self._unseen += len(data)
        if self._unseen >= self._max_bytes // _LOOKS:
            self._unseen = 0
            self._try(self._evict)

    def _evict(self, connection: Connection) -> None:
        """Leave the replies that were used last, where there are too many."""
        size = func.length(_row.data)
        if (connection.execute(select(func.sum(size))).scalar() or 0) <= self._max_bytes:
            return
        up_to = func.sum(size).over(order_by=(_row.used.desc(), _row.key)).label("up_to")
        ordered = select(_row.key, up_to).subquery()
        gone = select(ordered.c.key).where(ordered.c.up_to > _ROOM * self._max_bytes)
        connection.execute(delete(replies).where(_row.key.in_(gone)))

    def forget(self, key: str) -> None:
        """Drop a reply that turned out to be unusable."""
        self._try(lambda connection: connection.execute(delete(replies).where(_row.key == key)))

    def forget_before(self, moment: float) -> tuple[int, str]:
        """Drop what was last used before ``moment`` (seconds since 1970); returns how many, and why some remain."""
        with self._ledger.beside() as connection:
            return connection.execute(delete(replies).where(_row.used < moment)).rowcount, ""

    def close(self) -> None:
        """The ledger is its owner's to close."""

    def _try(self, work: Callable[[Connection], T]) -> T | None:
        """Do something with the rows; a failure is a miss."""
        try:
            with self._ledger.beside() as connection:
                return work(connection)
        except StorageError as error:
            if not self._warned:
                _log.warning("cached replies cannot be used (%s); they are asked for again", error)
            self._warned = True
            return None
