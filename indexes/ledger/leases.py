"""The run lease of a corpus: one writer at a time, found dead or alive, fenced by a growing number."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, insert, select, update

from core.errors import LeaseHeldError, LeaseLostError, StorageError
from indexes.ledger.schema import run_leases
from indexes.ledger.store import Ledger

LEASE_S = 60.0
HEARTBEAT_S = 15.0


@dataclass(frozen=True, slots=True)
class RunLease:
    """Proof that this run may write to the corpus; ``fence`` grows with every acquisition."""

    corpus_id: int
    run_id: str
    fence: int


@contextmanager
def run_lease(ledger: Ledger, corpus_id: int, run_id: str) -> Iterator[RunLease]:
    """Hold the corpus for one run, with a heartbeat; released at the end.

    Raises:
        LeaseHeldError: another live run holds it; the message names run, host, process and age.
    """
    lease = _acquire(ledger, corpus_id, run_id)
    stop = threading.Event()
    beat = threading.Thread(target=_heartbeat, args=(ledger, lease, stop), daemon=True)
    beat.start()
    try:
        yield lease
    finally:
        stop.set()
        beat.join()
        _release(ledger, lease)


def check_fence(connection: Connection, lease: RunLease) -> None:
    """Refuse to go on when another run took the corpus over; called inside every publishing transaction.

    Raises:
        LeaseLostError: the lease is not ours any more.
    """
    row = connection.execute(
        select(run_leases.c.run_id, run_leases.c.fence).where(run_leases.c.corpus_id == lease.corpus_id)
    ).fetchone()
    if row is None or row.run_id != lease.run_id or row.fence != lease.fence:
        holder = "nobody" if row is None else f"run {row.run_id}"
        raise LeaseLostError(
            f"run {lease.run_id} lost the lease of its corpus (now held by {holder}); "
            "what it stored is kept and nothing was published; run `clausegraph ingest` again"
        )


def _acquire(ledger: Ledger, corpus_id: int, run_id: str) -> RunLease:
    now = time.time()
    with ledger.write() as connection:
        row = connection.execute(select(run_leases).where(run_leases.c.corpus_id == corpus_id)).fetchone()
        if row is not None and _is_live(row.host, row.pid, row.expires, now):
            raise LeaseHeldError(
                f"run {row.run_id} (process {row.pid} on {row.host}) has held this corpus for "
                f"{now - row.acquired:.0f} s; wait for it, or stop that process and try again"
            )
        fence = 1 if row is None else row.fence + 1
        values = {
            "run_id": run_id,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "fence": fence,
            "acquired": now,
            "heartbeat": now,
            "expires": now + LEASE_S,
        }
        if row is None:
            connection.execute(insert(run_leases).values(corpus_id=corpus_id, **values))
        else:
            connection.execute(update(run_leases).where(run_leases.c.corpus_id == corpus_id).values(**values))
    return RunLease(corpus_id, run_id, fence)


def _is_live(host: str, pid: int, expires: float, now: float) -> bool:
    """A released or expired lease is dead; on this host, so is that of a process that has gone."""
    if expires <= now:
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _heartbeat(ledger: Ledger, lease: RunLease, stop: threading.Event) -> None:
    while not stop.wait(HEARTBEAT_S):
        now = time.time()
        try:
            with ledger.write() as connection:
                connection.execute(update(run_leases).where(*_mine(lease)).values(heartbeat=now, expires=now + LEASE_S))
        except StorageError:
            continue  # the publishing transaction checks the fence; a missed beat only shortens the lease


def _release(ledger: Ledger, lease: RunLease) -> None:
    """Keep the row, so that the fence goes on growing."""
    with ledger.write() as connection:
        connection.execute(update(run_leases).where(*_mine(lease)).values(expires=0.0))


def _mine(lease: RunLease) -> list[ColumnElement[bool]]:
    return [
        run_leases.c.corpus_id == lease.corpus_id,
        run_leases.c.run_id == lease.run_id,
        run_leases.c.fence == lease.fence,
    ]
