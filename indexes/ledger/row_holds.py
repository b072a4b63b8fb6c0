"""Who reads which epoch of a database that several machines share: a row with an expiry, renewed while somebody reads.

A reader that was killed holds its epoch until its row expires. One that was silent for longer finds its view expired
where a vacuum has had the epoch meanwhile, and else goes on.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import delete, insert, select, text, update

from clausegraph.core.errors import StorageError
from clausegraph.indexes.ledger.schema import reader_leases
from clausegraph.indexes.ledger.store import Ledger

LEASE_S = 900.0  # a language model may take minutes between two reads
_RENEW_S = LEASE_S / 5
_held = reader_leases.c


class RowHold:
    """A row that holds an epoch for ``LEASE_S`` more seconds."""

    def __init__(self, ledger: Ledger, key: str) -> None:
        self._ledger, self._key = ledger, key
        self._renewed = time.monotonic()

    def renew(self) -> None:
        """A row that is gone, or cannot be written, ends with its epoch."""
        if time.monotonic() - self._renewed > _RENEW_S:
            self._renewed = time.monotonic()
            with suppress(StorageError), self._ledger.beside() as connection:
                expires = self._ledger.database.now(connection) + LEASE_S
                connection.execute(update(reader_leases).where(_held.id == self._key).values(expires=expires))

    def close(self) -> None:
        """Give it back; where the server cannot be reached, it expires."""
        key, self._key = self._key, ""
        if key:
            with suppress(StorageError), self._ledger.beside() as connection:
                connection.execute(delete(reader_leases).where(_held.id == key))


class RowHolds:
    """The ``Holds``, which documents the methods, of a ledger in a server."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def prepare(self, corpus_id: int, epoch: int) -> None:
        """Nothing is needed."""

    def hold(self, corpus_id: int, epoch: int) -> RowHold | None:
        """None for a user that may only read."""
        key = secrets.token_hex(16)
        values = {"id": key, "corpus_id": corpus_id, "epoch": epoch, "host": socket.gethostname(), "pid": os.getpid()}
        with suppress(StorageError), self._ledger.beside() as connection:
            expires = self._ledger.database.now(connection) + LEASE_S
            connection.execute(insert(reader_leases).values(**values, expires=expires))
            return RowHold(self._ledger, key)
        return None

    def users(self, corpus_id: int, epoch: int) -> str:
        query = select(_held.pid, _held.host).where(_held.corpus_id == corpus_id, _held.epoch == epoch).distinct()
        found = [f"process {row.pid} on {row.host}" for row in self._ledger.rows(query)]
        return " or ".join(sorted(found)) or "a process"

    def corpora(self) -> set[int]:
        """Rows go with their corpus."""
        return set()

    @contextmanager
    def take(self, corpus_id: int, numbers: Collection[int]) -> Iterator[set[int]]:
        """New rows wait for the end of the block."""
        mine = (_held.corpus_id == corpus_id, _held.epoch.in_(list(numbers)))
        with self._ledger.beside() as connection:
            connection.execute(text("LOCK TABLE reader_leases IN EXCLUSIVE MODE"))
            now = self._ledger.database.now(connection)
            connection.execute(delete(reader_leases).where(*mine, _held.expires <= now))
            yield set(numbers) - set(connection.execute(select(_held.epoch).where(*mine)).scalars())

    def forget(self, corpus_id: int, keep: Collection[int] = ()) -> None:
        with self._ledger.beside() as connection:
            gone = (_held.corpus_id == corpus_id, _held.epoch.not_in(list(keep)))
            connection.execute(delete(reader_leases).where(*gone))
